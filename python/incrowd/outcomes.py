"""Answers of verify, attack, compare and query. ``answer.json`` is the whole answer."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from . import _html
from ._compat import dataclass

__all__ = [
    "Answered",
    "Attacked",
    "Compared",
    "ComparedRelease",
    "Fault",
    "Group",
    "ModelVerdict",
    "NamedFigure",
    "NotRun",
    "Outcome",
    "Verdict",
]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A reason why the verifier does not accept a release."""

    message: str
    kind: str | None = None


@dataclass(frozen=True, kw_only=True)
class ModelVerdict:
    """Whether one promise holds."""

    model: str
    holds: bool
    promise: str
    sensitive: str | None = None
    classes_failing: int = 0


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict of the verifier."""

    verified: bool
    rows: int
    classes: int
    smallest_class: int
    models: list[ModelVerdict]
    faults: list[Fault]
    notes: list[str]
    not_checked: list[dict[str, Any]] = field(default_factory=list)
    sql: list[dict[str, Any]] | None = None
    json: dict[str, Any] = field(repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.verified

    def __repr__(self) -> str:
        if self.verified:
            return f"verified: {self.rows:,} rows in {self.classes:,} classes, the smallest of {self.smallest_class:,}"
        return "\n  - ".join(["not accepted:", *(fault.message for fault in self.faults)])

    def _repr_html_(self) -> str:
        return _html.verdict(self)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of one attack, with a baseline without the attack.

    ``limit`` is the maximum success, ``limit_source`` is where the limit comes from; ``above`` says whether the success
    is above the limit, and is ``None`` without a limit.
    """

    attack: str
    column: str
    evidence: str
    success: float
    baseline: float
    low: float
    high: float
    meaning: str
    figures: list[dict[str, Any]] = field(default_factory=list)
    limit: float | None = None
    limit_source: str | None = None
    above: bool | None = None


@dataclass(frozen=True, kw_only=True)
class NotRun:
    """An attack that was not run, and what it needs."""

    attack: str
    needs: str


@dataclass(frozen=True, kw_only=True)
class Attacked:
    """The results of attacks on a release.

    ``clean`` says that no attack with a limit is above it, and that everything with a limit was measured. Attacks
    without a limit have no verdict; ``verdict_words`` names them. ``verdict`` is ``above-limit``, ``not-measured``,
    ``within-limits`` or ``no-limits``.
    """

    release: str
    rows: int
    attacks: list[Outcome]
    not_run: list[NotRun]
    clean: bool
    exceeded: list[dict[str, Any]]
    unmeasured: list[dict[str, Any]]
    verdict: str
    verdict_words: str
    notes: list[str] = field(default_factory=list)
    placed: float | None = None
    json: dict[str, Any] = field(repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.clean

    def __repr__(self) -> str:
        lines = [f"{self.rows:,} rows attacked. {self.verdict_words}"]
        lines += [f"  {one.attack} {one.column}: {one.success:.3f} against {one.baseline:.3f}" for one in self.attacks]
        return "\n".join(lines + [f"  {one.attack} was not run: it needs {one.needs}" for one in self.not_run])

    def _repr_html_(self) -> str:
        return _html.attacked(self)


@dataclass(frozen=True, kw_only=True)
class ComparedRelease:
    """One release compared with its original."""

    release: str
    publish: str
    rows: int
    suppressed_rows: int
    loss: dict[str, Any]
    queries: list[dict[str, Any]]
    marginals: list[dict[str, Any]]
    dependence: list[dict[str, Any]]
    class_sizes: dict[str, Any]
    marginal_distance: float | None = None
    dependence_difference: float | None = None
    accuracy: float | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Compared:
    """Releases compared with their original."""

    original: str
    rows: int
    columns: list[str]
    releases: list[ComparedRelease]
    classifier: dict[str, Any] | None = None
    notes: list[str] = field(default_factory=list)
    json: dict[str, Any] = field(repr=False, compare=False)

    def __repr__(self) -> str:
        lines = [f"{self.rows:,} rows of the original, {len(self.releases)} releases"]
        for one in self.releases:
            errors = ", ".join(f"{e['estimator']} {e['mean']:.3f}" for e in one.queries)
            lines.append(f"  {one.rows:,} rows; mean query error {errors}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _html.compared(self)


@dataclass(frozen=True, kw_only=True)
class NamedFigure:
    """One figure of an answer: an estimate, with bounds on the true figure."""

    name: str = ""
    estimate: float | None = None
    lower: float | None = None
    upper: float | None = None
    actual: float | None = None
    relative_error: float | None = None


@dataclass(frozen=True, kw_only=True)
class Group:
    """The figures of one group; with several figures they are in `answers`."""

    key: dict[str, Any]
    estimate: float | None = None
    lower: float | None = None
    upper: float | None = None
    actual: float | None = None
    relative_error: float | None = None
    answers: list[NamedFigure] | None = None

    @property
    def figures(self) -> list[NamedFigure]:
        """All its figures, in the order of the query."""
        return _figures(self)


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What the original would answer, estimated from a release.

    A single figure is in the fields below, several are in `answers`, and those of GROUP BY are in `groups`.
    """

    estimator: str
    rows: int
    columns: list[dict[str, Any]]
    estimate: float | None = None
    lower: float | None = None
    upper: float | None = None
    actual: float | None = None
    relative_error: float | None = None
    answers: list[NamedFigure] | None = None
    groups: list[Group] | None = None
    notes: list[str] = field(default_factory=list)
    json: dict[str, Any] = field(repr=False, compare=False)

    @property
    def figures(self) -> list[NamedFigure]:
        """All its figures without groups, in the order of the query."""
        return _figures(self)

    def __repr__(self) -> str:
        if self.groups is None:
            return "\n".join(map(_told, self.figures))
        lines = [
            f"{', '.join(map(str, group.key.values()))}: " + "; ".join(map(_told, group.figures))
            for group in self.groups
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _html.answered(self)


def _figures(answer: Answered | Group) -> list[NamedFigure]:
    if answer.answers is not None:
        return answer.answers
    one = NamedFigure(
        estimate=answer.estimate,
        lower=answer.lower,
        upper=answer.upper,
        actual=answer.actual,
        relative_error=answer.relative_error,
    )
    return [one]


def _told(one: NamedFigure) -> str:
    name = f"{one.name}: " if one.name else ""
    estimate = "nothing" if one.estimate is None else f"{one.estimate:,.6g}"
    sure = "" if one.lower is None or one.upper is None else f", certainly {one.lower:,.6g} to {one.upper:,.6g}"
    return f"{name}{estimate}{sure}"
