"""From the words of a call to a plan: what is said here, and what the plan says besides.

The rules are the command line's: quasi-identifiers that are named ask about these columns alone; another role that is
named overrules the plan's for the same column; a bound or a rule overrules the plan's for the same column.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypedDict

from ._progress import listener
from .errors import AskError, ReadError
from .hierarchies import Hierarchy
from .plan import (
    BUILDS,
    AlphaPlan,
    ColumnPlan,
    HierarchyPlan,
    Number,
    Plan,
    PolicyPlan,
    RaggedFile,
    Role,
    RulePlan,
    RunPlan,
)

#: Called with a stage, how much is done and of how much, when that is known.
Progress = Callable[[str, int, int | None], None]
#: One name or several.
Names = str | Sequence[str]
#: How a column is generalized: a hierarchy, the name of its file, widths of intervals, or the word of a builder.
HierarchyWord = Hierarchy | HierarchyPlan | os.PathLike[str]


class Reading(TypedDict, total=False):
    """How a table is read, and what the run may use: words that every question takes.

    ``delimiter``, ``null``, ``date_format`` and ``input_format`` are those of the command line; ``header`` says whether the
    first line of a CSV file names the columns; ``memory`` is a number
    of bytes or a text such as ``"4GiB"``; ``progress`` is True, False, or a function that is told how far the work is.
    """

    delimiter: str | None
    header: bool | None
    null: Names
    date_format: Mapping[str, str]
    input_format: Literal["csv", "parquet", "arrow"] | None
    memory: int | str | None
    threads: int | None
    temp: str | os.PathLike[str] | None
    progress: bool | Progress | None


@dataclass
class Given:
    """What the native half is given besides the table."""

    plan: str
    folder: str
    date_formats: list[tuple[str, str]]
    memory: int | None
    threads: int | None
    temp: str | None
    progress: Any
    # Hierarchies that are held in memory stand in files while the work goes on.
    _kept: list[tempfile.TemporaryDirectory[str]] = field(default_factory=list)

    def close(self) -> None:
        """Ends the progress line and removes what stood in files."""
        if hasattr(self.progress, "close"):
            self.progress.close()
        for folder in self._kept:
            folder.cleanup()

    def __enter__(self) -> Given:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(kw_only=True)
class Roles:
    """Roles that are named in a call."""

    qi: Names = ()
    sensitive: Names = ()
    identifier: Names = ()
    insensitive: Names = ()
    subject: str | None = None
    rows_are_people: bool = False


def names(said: Names) -> list[str]:
    """One name or several, as a list."""
    return [said] if isinstance(said, str) else list(said)


def plan_of(said: Plan | str | os.PathLike[str] | None) -> Plan | None:
    """The plan that is named, read if it is a file."""
    return said if said is None or isinstance(said, Plan) else Plan.read(said)


def elsewhere(name: str) -> bool:
    """Whether a name is that of something in a database or an object store, and no path."""
    return name.startswith("postgres:") or "://" in name


def table_of(table: Any, plan: Plan | None) -> tuple[Any, Plan | None]:
    """The table that is asked about: named, or the plan's. A plan may stand in the place of the table."""
    if isinstance(table, Plan):
        table, plan = None, table
    elif isinstance(table, (str, os.PathLike)) and os.fspath(table).lower().endswith(".toml"):
        table, plan = None, Plan.read(table)
    if table is None:
        if plan is None or not plan.source.path:
            raise AskError("IC504", "no table is named", "give a frame, a path, or a plan that names a table")
        named = plan.source.path
        table = named if elsewhere(named) else str(Path(plan.folder) / named)
    return table, plan


def with_roles(plan: Plan | None, roles: Roles, k: int | None) -> Plan:
    """A plan in which the roles that are named stand before those of the plan."""
    plan = plan or Plan()
    said: list[tuple[str, Role]] = []
    for role, given in (
        ("quasi-identifier", roles.qi),
        ("sensitive", roles.sensitive),
        ("identifier", roles.identifier),
        ("insensitive", roles.insensitive),
        ("subject", roles.subject or ()),
    ):
        said += [(name, role) for name in names(given)]  # type: ignore[misc]
    twice = [name for at, (name, _) in enumerate(said) if name in [other for other, _ in said[:at]]]
    if twice:
        hint = "name each column once, with the role that protects it most"
        raise AskError("IC504", f"column “{twice[0]}” is named with two roles", hint)
    named = dict(said)
    before = {column.name: column for column in plan.columns}
    columns: list[ColumnPlan] = []
    for column in plan.columns:
        role = named.get(column.name, column.role)
        # Quasi-identifiers that are named ask about these columns alone.
        if role == "quasi-identifier" and names(roles.qi) and column.name not in named:
            continue
        if role == "subject" and roles.subject and column.name != roles.subject:
            continue
        # What is named in a call was decided by whoever calls.
        columns.append(replace(column, role=role, confirmed=column.confirmed or column.name in named))
    columns += [ColumnPlan(name, role) for name, role in said if name not in before]
    if names(roles.qi):
        order = {name: at for at, name in enumerate(names(roles.qi))}
        columns.sort(key=lambda column: order.get(column.name, len(order)))
    source = replace(plan.source, rows_are_people=roles.rows_are_people or plan.source.rows_are_people)
    policy = replace(plan.policy, k=k or plan.policy.k, confirmed=plan.policy.confirmed or k is not None)
    return replace(plan, source=source, columns=columns, policy=policy)


def with_kept(plan: Plan, keep_identifying: Names, others: str | None) -> Plan:
    """A plan that also publishes these columns unchanged although they single out people."""
    said = names(keep_identifying)
    missing = [name for name in said if name not in [column.name for column in plan.columns]]
    if others == "keep":
        # Columns without a role are insensitive then.
        plan = replace(plan, columns=plan.columns + [ColumnPlan(name, "insensitive") for name in missing])
    elif missing:
        hint = "name it with sensitive=[…] or insensitive=[…], too"
        raise AskError("IC504", f"“{missing[0]}” is to be kept, but has no role", hint)
    columns = [
        replace(column, keep_identifying=column.keep_identifying or column.name in said) for column in plan.columns
    ]
    return replace(plan, columns=columns)


def with_spellings(plan: Plan, fold: Names, keep: Names) -> Plan:
    """A plan in which the spellings of the columns named are read as one, or are different values."""
    said: dict[str, Literal["fold", "keep"]] = {name: "fold" for name in names(fold)}
    said.update({name: "keep" for name in names(keep)})
    known = {column.name for column in plan.columns}
    for name in said:
        if name not in known:
            raise AskError("IC504", f"column “{name}” has no role", "name its role with qi=[…] or sensitive=[…]")
    columns = [replace(column, spellings=said.get(column.name, column.spellings)) for column in plan.columns]
    return replace(plan, columns=columns)


def with_policy(
    policy: PolicyPlan,
    sensitive: list[str],
    suppress: float | None,
    alpha: Mapping[str, Number] | Sequence[AlphaPlan],
    every: Mapping[str, Any],
    rules: Sequence[RulePlan],
) -> PolicyPlan:
    """The policy with what is said of it in a call."""
    given = [AlphaPlan(column, share) for column, share in alpha.items()] if isinstance(alpha, Mapping) else list(alpha)
    kept = [one for one in policy.alpha if one.column not in {other.column for other in given}]
    asked = {name: value for name, value in every.items() if value is not None}
    if asked and not sensitive:
        hint = "name the sensitive columns with sensitive=[…]"
        raise AskError("IC504", "a rule is asked for each sensitive column, and none is named", hint)
    models = {"p": "p-sensitive", "l": "distinct-l-diversity", "t": "t-closeness"}
    said = [RulePlan(models[name], column, **{name: value}) for column in sensitive for name, value in asked.items()]
    said += rules
    taken = {(rule.model, rule.column) for rule in said}
    planned = [rule for rule in policy.rules if (rule.model, rule.column) not in taken]
    return replace(
        policy,
        suppress=policy.suppress if suppress is None else suppress,
        alpha=kept + given,
        rules=planned + said,
    )


def given(plan: Plan, reading: Mapping[str, Any], hierarchies: Mapping[str, HierarchyWord] | None = None) -> Given:
    """What the native half is given: the plan with how the table is read, and what the run may use."""
    unknown = set(reading) - set(Reading.__annotations__)
    if unknown:
        raise TypeError(f"unexpected keyword argument: {', '.join(sorted(unknown))}")
    source = plan.source
    source = replace(
        source,
        delimiter=_delimiter(reading.get("delimiter")) or source.delimiter,
        header=source.header if reading.get("header") is None else reading["header"],
        nulls=source.nulls + names(reading.get("null", ())),
        format=reading.get("input_format") or source.format,
    )
    kept: list[tempfile.TemporaryDirectory[str]] = []
    columns = _generalized(plan.columns, hierarchies or {}, kept)
    run = plan.run
    if run.cluster:
        hint = "leave cluster out of [run], or run the plan on the command line"
        raise ReadError("IC422", "a plan that names a cluster is not run from Python", hint)
    memory = _bytes(reading.get("memory")) or (run.memory_mib << 20 if run.memory_mib else None)
    temp = reading.get("temp")
    return Given(
        plan=replace(plan, source=source, columns=columns, run=RunPlan()).to_json(),
        folder=plan.folder,
        date_formats=list((reading.get("date_format") or {}).items()),
        memory=memory,
        threads=_threads(reading.get("threads")) or run.threads,
        temp=os.fspath(temp) if temp is not None else None,
        progress=listener(reading.get("progress")),
        _kept=kept,
    )


def _generalized(
    columns: list[ColumnPlan],
    hierarchies: Mapping[str, HierarchyWord],
    kept: list[tempfile.TemporaryDirectory[str]],
) -> list[ColumnPlan]:
    quasi = {column.name for column in columns if column.role == "quasi-identifier"}
    for name in hierarchies:
        if name not in quasi:
            hint = "name it with qi=[…], or leave its hierarchy out"
            raise AskError("IC501", f"a hierarchy is given for “{name}”, which is not a quasi-identifier", hint)

    def planned(column: ColumnPlan) -> ColumnPlan:
        word = hierarchies.get(column.name)
        return column if word is None else replace(column, hierarchy=as_plan(column.name, word, kept))

    return [planned(column) for column in columns]


def as_plan(column: str, word: HierarchyWord, kept: list[tempfile.TemporaryDirectory[str]]) -> HierarchyPlan:
    """The plan's word for how a column is generalized; a file is named from the root, wherever the plan stands."""
    if isinstance(word, Hierarchy):
        if not kept:
            kept.append(tempfile.TemporaryDirectory(prefix="incrowd-"))
        file = Path(kept[0].name) / f"{len(list(Path(kept[0].name).iterdir()))}.csv"
        file.write_text(word.text, encoding="utf-8")
        return RaggedFile(file) if word.ragged else str(file)
    if isinstance(word, RaggedFile):
        return RaggedFile(Path(word).absolute())
    if isinstance(word, os.PathLike):
        return str(Path(word).absolute())
    if isinstance(word, str) and word not in BUILDS:
        return str(Path(word).absolute())
    return word


def files(hierarchies: Mapping[str, HierarchyWord], kept: list[tempfile.TemporaryDirectory[str]]) -> dict[str, str]:
    """Hierarchies as files."""
    return {column: str(as_plan(column, word, kept)) for column, word in hierarchies.items()}


def _delimiter(said: str | None) -> str | None:
    return "\t" if said in ("tab", "\\t") else said


_UNITS = {"": 0, "b": 0, "k": 1, "kib": 1, "m": 2, "mib": 2, "g": 3, "gib": 3, "t": 4, "tib": 4}
_THOUSANDS = {"kb": 1, "mb": 2, "gb": 3}


def _threads(said: int | None) -> int | None:
    if said is not None and said < 1:
        raise AskError("IC626", "threads is a whole number of at least 1", "leave it out to use all cores")
    return said


def _bytes(said: int | str | None) -> int | None:
    if said is None:
        return None
    if isinstance(said, int):
        if said < 16 << 20:
            raise AskError("IC626", "memory is at least 16 MiB", "give a number of bytes, or a text such as 4GiB")
        return said
    read = re.fullmatch(r"\s*([0-9.]+)\s*([a-zA-Z]*)\s*", said)
    unit = read.group(2).lower() if read else "?"
    if read is None or unit not in _UNITS | _THOUSANDS:
        raise AskError("IC507", "a size is a number with a unit, such as 4GiB or 500MB", "")
    factor = 1024 ** _UNITS[unit] if unit in _UNITS else 1000 ** _THOUSANDS[unit]
    return _bytes(int(float(read.group(1)) * factor))
