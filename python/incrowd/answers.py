"""The risk of a table, and how a release was made.

``answer.json`` is the whole answer, as ``--format json`` prints it (docs/json.md).
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from . import _html
from ._compat import dataclass

__all__ = [
    "Check",
    "Column",
    "ColumnWhy",
    "Coverage",
    "Diagnosed",
    "Explained",
    "Finding",
    "LevelWhy",
    "Loss",
    "SetRisk",
    "WithheldFor",
]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A finding for the custodian, with a stable code."""

    code: str
    name: str
    severity: str
    message: str
    columns: list[str] = field(default_factory=list)
    rows: int | None = None
    share: float | None = None

    def __str__(self) -> str:
        return f"{self.severity} {self.code} {self.message}"

    def _repr_html_(self) -> str:
        return _html.findings([self])


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column as reported by `check`."""

    name: str
    kind: str
    distinct: int
    exact: bool
    missing: int
    role: str
    declared: bool
    confidence: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class SetRisk:
    """A set of columns and its small classes."""

    columns: list[str]
    k: int
    unique_rows: int
    rows_below_k: int


@dataclass(frozen=True, kw_only=True)
class Check:
    """The re-identification risk of a table.

    >>> import incrowd
    >>> found = incrowd.check(incrowd.sample(rows=1000))
    >>> found.safe, found.k, found.unique_rows
    (False, 1, 1000)
    >>> [column.name for column in found.columns if column.role == "sensitive"]
    ['diagnosis', 'salary-class']
    """

    source: str
    safe: bool
    verdict: str
    columns: list[Column]
    rows: int
    people: int
    quasi_identifiers: list[str]
    k_asked: int
    k: int
    classes: int
    unique_rows: int
    rows_below_k: int
    mean_risk: float
    largest_safe: list[list[str]]
    dangerous_sets: list[SetRisk]
    complete: bool
    not_searched: list[dict[str, Any]]
    findings: list[Finding]
    sensitive: list[dict[str, Any]] | None = None
    exposed_values: list[dict[str, Any]] | None = None
    json: dict[str, Any] = field(repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.safe

    def __repr__(self) -> str:
        lines = [self.verdict, *(f"  {finding}" for finding in self.findings)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _html.check(self)


@dataclass(frozen=True, kw_only=True)
class Diagnosed:
    """Answers about k, column sets and suppression. Questions that were not asked are None."""

    source: str
    quasi_identifiers: list[str]
    rows: int
    tuples: int
    k: int
    unique_rows: int
    mean_risk: float
    clean: bool
    people: int | None = None
    guessed_subject: str | None = None
    appearances: int | None = None
    holds: bool | None = None
    rows_below_k: int | None = None
    least_delta: float | None = None
    k_suppressed: int | None = None
    suppressed_rows: int | None = None
    largest_safe: list[list[str]] | None = None
    smallest_dangerous: list[list[str]] | None = None
    groupings: int | None = None
    not_searched: list[dict[str, Any]] | None = None
    sets: list[dict[str, Any]] | None = None
    curve: list[dict[str, Any]] | None = None
    attributes: list[dict[str, Any]] | None = None
    sensitive: list[dict[str, Any]] | None = None
    classes_to_suppress: list[dict[str, Any]] | None = None
    in_population: dict[str, Any] | None = None
    estimated_k_map: dict[str, Any] | None = None
    population: dict[str, Any] | None = None
    survey: dict[str, Any] | None = None
    log_linear: dict[str, Any] | None = None
    special_uniques: dict[str, Any] | None = None
    special_rows: list[dict[str, Any]] | None = None
    json: dict[str, Any] = field(repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.clean

    def __repr__(self) -> str:
        on = ", ".join(self.quasi_identifiers)
        return f"<incrowd.Diagnosed: k = {self.k} on {on}; {self.unique_rows:,} of {self.rows:,} rows are unique>"

    def _repr_html_(self) -> str:
        return _html.diagnosed(self)


@dataclass(frozen=True, kw_only=True)
class LevelWhy:
    """The share of a column that is published at a level, and the rules that required the level."""

    level: int
    share: float
    forced_by: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ColumnWhy:
    """How a quasi-identifier was generalized."""

    name: str
    levels: list[LevelWhy]


@dataclass(frozen=True, kw_only=True)
class Explained:
    """Why a column, or one of its published values, was generalized."""

    column: str
    levels: list[LevelWhy]
    value: str | None = None
    height: int | None = None


@dataclass(frozen=True, kw_only=True)
class WithheldFor:
    """Rows that were suppressed for a rule."""

    rule: str
    rows: int
    why: str


@dataclass(frozen=True, kw_only=True)
class Loss:
    """Information loss of a release (``lm``: 0 = no loss, 1 = all detail lost)."""

    lm: float
    distortion_ratio: float
    precision: float
    dm: float
    avg: float
    columns: list[dict[str, Any]]
    bound: float | None = None
    ratio: float | None = None


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How a hierarchy covers a column."""

    complete: bool
    values: int
    covered: int
    uncovered: int
    uncovered_rows: int
    unused: int
    uncovered_values: list[str]

    def __bool__(self) -> bool:
        return self.complete
