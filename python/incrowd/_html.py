"""HTML for notebooks: tables in which every text is escaped, roles in colours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .answers import Check, Diagnosed, Finding
    from .outcomes import Answered, Attacked, Compared, NamedFigure, Verdict
    from .release import Release


def escape(text: str) -> str:
    """A text as HTML shows it, quotes too."""
    # By hand: the module html loads a table of two thousand entities, which an import of this package would wait for.
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#x27;")):
        text = text.replace(sign, entity)
    return text


#: Red: identifies people; yellow: outsiders may know it; purple: sensitive; green: neither; cyan: the person of a row.
ROLE_COLOURS = {
    "identifier": "#c0392b",
    "quasi-identifier": "#b7950b",
    "sensitive": "#8e44ad",
    "insensitive": "#27ae60",
    "subject": "#148f9b",
}
ROLE_LETTERS = {"identifier": "I", "quasi-identifier": "Q", "sensitive": "S", "insensitive": "N", "subject": "P"}
SEVERITY_COLOURS = {"danger": "#c0392b", "refusal": "#c0392b", "warning": "#b7950b", "note": "#148f9b"}


class Raw(str):
    """A text that is already HTML."""


def _cell(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}"
    return escape(str(value))


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; cells are escaped unless they are already HTML."""
    top = "".join(f"<th style='text-align:left'>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td style='text-align:left'>{_cell(c)}</td>" for c in r) + "</tr>" for r in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def coloured(word: str, colours: dict[str, str]) -> Raw:
    """A word in its colour."""
    return Raw(f"<span style='color:{colours.get(word, 'inherit')};font-weight:600'>{escape(word)}</span>")


def role(word: str) -> Raw:
    """A role in its colour, after its letter."""
    letter = ROLE_LETTERS.get(word, "–")
    return Raw(f"<span style='white-space:nowrap'>{letter} {coloured(word, ROLE_COLOURS)}</span>")


def headline(text: str, good: bool) -> str:
    """The answer in one sentence."""
    return f"<p style='font-weight:600;color:{'#1e8449' if good else '#c0392b'}'>{escape(text)}</p>"


def findings(found: Sequence[Finding]) -> str:
    """Findings, most severe first."""
    rows = [(coloured(one.severity, SEVERITY_COLOURS), one.code, one.message) for one in found]
    return table(["severity", "code", "finding"], rows)


def check(found: Check) -> str:
    """The re-identification risk of a table."""
    columns = [
        (one.name, role(one.role), one.kind, one.distinct, one.missing, one.reason)
        for one in found.columns
    ]
    return (
        headline(found.verdict, found.safe)
        + table(["column", "role", "type", "distinct", "missing", "reason"], columns)
        + findings(found.findings)
    )


def diagnosed(found: Diagnosed) -> str:
    """The figures of a diagnosis."""
    on = ", ".join(found.quasi_identifiers)
    rows = [(name, value) for name, value in found.json.items() if isinstance(value, (int, float)) and name != "clean"]
    return headline(f"k = {found.k} on {on}", found.clean) + table(["figure", "value"], rows)


def verdict(said: Verdict) -> str:
    """Promises, each with whether it holds."""
    rows = [(one.model, one.sensitive or "", one.holds, one.promise) for one in said.models]
    faults = "".join(f"<li>{escape(fault.message)}</li>" for fault in said.faults)
    kept = "verified: the release keeps its promises"
    if said.json.get("not_checked"):
        kept = "verified: the release matches its manifest and keeps its promises as far as its rows can show"
    words = kept if said.verified else "not accepted: the release failed verification"
    promises = table(["model", "column", "holds", "promise"], rows)
    return headline(words, said.verified) + (f"<ul>{faults}</ul>" if faults else "") + promises


def attacked(said: Attacked) -> str:
    """Attacks with their baselines."""
    rows = [
        (one.attack, one.column, one.evidence, one.success, one.baseline, one.limit, one.meaning)
        for one in said.attacks
    ]
    not_run = "".join(f"<li>{escape(one.attack)} needs {escape(one.needs)}</li>" for one in said.not_run)
    attacks = table(["attack", "on", "evidence", "success", "baseline", "limit", "meaning"], rows)
    left_out = f"<p>Not run:</p><ul>{not_run}</ul>" if not_run else ""
    return headline(said.verdict_words, said.verdict == "within-limits") + attacks + left_out


def compared(said: Compared) -> str:
    """Releases side by side."""
    rows = []
    for at, one in enumerate(said.releases):
        errors = "; ".join(f"{error['estimator']}: {error['mean']:.3f}" for error in one.queries)
        rows.append((at + 1, one.rows, one.loss.get("lm"), errors, one.marginal_distance, one.dependence_difference))
    return table(["release", "rows", "loss (LM)", "mean query error", "column distance", "change in dependence"], rows)


def answered(said: Answered) -> str:
    """Estimates with their bounds."""
    keys: list[str] = []
    parts: list[tuple[tuple[Any, ...], list[NamedFigure]]] = [((), said.figures)]
    if said.groups is not None:
        keys = list(said.groups[0].key) if said.groups else []
        parts = [(tuple(group.key.values()), group.figures) for group in said.groups]
    rows = [(*key, one.name, one.estimate, one.lower, one.upper) for key, figures in parts for one in figures]
    return table([*keys, "figure", "estimate", "at least", "at most"], rows)


def told_count(count: int | dict[str, int]) -> str:
    """A count of a manifest: a number or a range."""
    return f"{count:,}" if isinstance(count, int) else f"{count['from']:,} to {count['to']:,}"


def release(said: Release) -> str:
    """A release: its figures, columns and promises."""
    rows: list[tuple[str, Any]] = [
        ("rows", said.manifest["rows"]),
        ("suppressed", told_count(said.manifest["suppressed_rows"])),
        ("classes", said.manifest["classes"]),
        ("smallest class", said.manifest["smallest_class"]),
    ]
    if said.loss is not None:
        rows += [("information loss (LM)", said.loss.lm), ("lower bound (LM)", said.loss.bound)]
    columns = [
        (column["name"], role(column["role"]), column["technique"])
        for column in said.manifest["columns"]
    ]
    promises = "".join(f"<li>{escape(promise)}</li>" for promise in said.promises)
    notes = "".join(f"<li>{escape(note)}</li>" for note in said.notes)
    return (
        headline("verified: the promises hold on the written files", True)
        + table(["figure", "value"], rows)
        + table(["column", "role", "technique"], columns)
        + (f"<p>Promises</p><ul>{promises}</ul>" if promises else "")
        + (f"<p>Note</p><ul>{notes}</ul>" if notes else "")
    )
