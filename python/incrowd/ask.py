"""Functions about a table, named like the commands of the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _incrowd
from ._given import HierarchyWord, Names, elsewhere, files, given, names, plan_of, table_of, with_options
from ._json import parsed
from ._options import AnonymizeOptions, Reading
from .answers import Check, Coverage, Diagnosed
from .errors import AskError
from .frames import Frame, Table, held, library_of
from .hierarchies import Hierarchy
from .plan import HierarchyPlan, Plan, _hierarchy_words
from .release import LinkedRelease, Release, private_folder

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "anonymize",
    "build_hierarchy",
    "check",
    "cover",
    "diagnose",
    "init",
    "sample",
    "sample_hierarchies",
]

#: Maximum numbers of values, steps and classes that are shown; the same as on the command line.
_EXPOSED, _CURVE, _CLASSES, _UNCOVERED = 8, 20, 100, 10


def check(
    table: Table | Plan | None = None,
    plan: Plan | str | os.PathLike[str] | None = None,
    *,
    k: int | None = None,
    qi: Names = (),
    sensitive: Names = (),
    identifier: Names = (),
    insensitive: Names = (),
    subject: str | None = None,
    rows_are_people: bool = False,
    max_columns: int = 3,
    show_values: bool = False,
    report: str | os.PathLike[str] | None = None,
    force: bool = False,
    **reading: Unpack[Reading],
) -> Check:
    """Measure the re-identification risk of a table; needs no configuration.

    `k` is the minimum class size: from the plan, otherwise 5. Roles that are not given are guessed. `show_values` also
    lists the exposed values, so the answer then contains cells of the table. `report` is a folder for the report pages;
    `force` overwrites existing pages. `rows_are_people` declares that each row is a different person, although an
    identifier has repeated values.

    >>> import incrowd
    >>> found = incrowd.check(incrowd.sample(rows=1000), k=3)
    >>> found.safe
    False
    >>> found.findings[0].code
    'IC101'
    """
    named = dict(
        k=k,
        qi=qi,
        sensitive=sensitive,
        identifier=identifier,
        insensitive=insensitive,
        subject=subject,
        rows_are_people=rows_are_people,
    )
    table, planned = table_of(table, plan_of(plan))
    with given(planned, reading, named) as asked:
        values = _EXPOSED if show_values else 0
        return parsed(Check, _incrowd.check(held(table), asked, max_columns, values, report, force))


@dataclass
class _Questions:
    k: int | None
    at_most: bool
    delta: float | None
    sets: bool
    all_sets: bool
    max_columns: int | None
    curve: int | None
    columns: bool
    values: int
    akin: dict[str, tuple[str, list[str]]]
    population: str | None
    population_count: str | None
    sampling_fraction: float | None
    population_size: int | None
    special_uniques: int | None
    weight: str | None
    household: str | None
    log_linear: bool


def diagnose(
    table: Table | Plan | None = None,
    plan: Plan | str | os.PathLike[str] | None = None,
    *,
    qi: Names = (),
    sensitive: Names = (),
    identifier: Names = (),
    subject: str | None = None,
    rows_are_people: bool = False,
    k: int | None = None,
    at_most: bool = False,
    delta: float | None = None,
    sets: bool = False,
    all_sets: bool = False,
    max_columns: int | None = None,
    curve: bool = False,
    columns: bool = False,
    show_values: bool = False,
    hierarchies: Mapping[str, HierarchyWord] | None = None,
    protected: Mapping[str, Names] | None = None,
    population: str | os.PathLike[str] | None = None,
    population_count: str | None = None,
    sampling_fraction: float | None = None,
    population_size: int | None = None,
    special_uniques: bool = False,
    depth: int = 6,
    weight: str | None = None,
    household: str | None = None,
    log_linear: bool = False,
    **reading: Unpack[Reading],
) -> Diagnosed:
    """Measure k for given columns, for subsets of them and after suppression.

    People are counted by `subject`, or by a column that looks like a person number and has repeated values, as in
    `check`; `rows_are_people` declares that each row is a different person.

    `population` is the file of the population that the table was drawn from, in which `population_count` may say how
    many people a row stands for; `in_population` of the answer counts the people who match the rows.
    `sampling_fraction` or `population_size` says of which population the table is a random sample; `population` of the
    answer then estimates how many people are unique in it. `special_uniques` searches rows that are unique on sets of
    at most `depth` columns. `weight` is a column with survey weights, from which the risk of each row is estimated
    (`survey`), with the risk of households if `household` names their column. `log_linear` fits log-linear models.

    >>> import incrowd
    >>> found = incrowd.diagnose(incrowd.sample(rows=1000), qi=["age", "sex"], k=5, sets=True)
    >>> found.k, found.holds, found.largest_safe
    (1, False, [['sex']])
    >>> found = incrowd.diagnose(incrowd.sample(rows=1000), qi=["age", "sex", "race"], sampling_fraction=0.01)
    >>> found.population["chosen"]
    'zayatz'
    """
    table, planned = table_of(table, plan_of(plan))
    named = dict(qi=qi, sensitive=sensitive, identifier=identifier, subject=subject, rows_are_people=rows_are_people)
    with given(planned, reading, named) as asked:
        known = files(hierarchies or {}, asked._kept)
        nodes = {column: names(labels) for column, labels in (protected or {}).items()}
        bare = [column for column in nodes if column not in known]
        if bare:
            hint = "add hierarchies={column: file}"
            raise AskError("IC504", f"protected nodes of “{bare[0]}” are given without a hierarchy", hint)
        known_by = dict(population=population, sampling_fraction=sampling_fraction, population_size=population_size)
        said = [name for name, value in known_by.items() if value is not None]
        if len(said) > 1:
            raise AskError("IC627", f"both {said[0]} and {said[1]} are given", "give one of them")
        if population_count is not None and population is None:
            raise AskError("IC626", "population_count is given without population", "add population=")
        if household is not None and weight is None:
            raise AskError("IC626", "household is given without weight", "add weight=")
        questions = _Questions(
            k=k,
            at_most=at_most,
            delta=delta,
            sets=sets,
            all_sets=all_sets,
            max_columns=max_columns,
            curve=_CURVE if curve else None,
            columns=columns,
            values=_CLASSES if show_values else 0,
            akin={column: (file, nodes.get(column, [])) for column, file in known.items()},
            population=None if population is None else os.fspath(population),
            population_count=population_count,
            sampling_fraction=sampling_fraction,
            population_size=population_size,
            special_uniques=depth if special_uniques else None,
            weight=weight,
            household=household,
            log_linear=log_linear,
        )
        return parsed(Diagnosed, _incrowd.diagnose(held(table), asked, questions))


def init(
    table: Table,
    output: str | os.PathLike[str] | None = None,
    *,
    k: int = 5,
    force: bool = False,
    **reading: Unpack[Reading],
) -> str:
    """Draft a plan with roles and hierarchies, with a reason on each line, and return its text.

    >>> import incrowd
    >>> text = incrowd.init(incrowd.sample(rows=1000))
    >>> incrowd.Plan.parse(text).of_role("sensitive")
    ['diagnosis', 'salary-class']
    """
    if output is not None and Path(output).exists() and not force:
        raise AskError("IC401", f"{output} already exists", "use force=True to overwrite it, or give another file")
    path = os.fspath(table) if isinstance(table, (str, os.PathLike)) else ""
    if output is not None and path and not elsewhere(path):
        path = os.path.relpath(path, Path(output).absolute().parent)
    with given(None, reading, {"k": k}) as asked:
        text = _incrowd.draft_plan(held(table), asked, path)
    if output is not None:
        Path(output).write_text(text, encoding="utf-8")
    return text


@with_options(AnonymizeOptions)
def anonymize(
    table: Table | Plan | None = None,
    plan: Plan | str | os.PathLike[str] | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    **options: Unpack[AnonymizeOptions],
) -> Release:
    """Generalize a table until it meets a policy, verify it on its written files, and return it as a release.

    `k` is the minimum class size; `alpha`, `p`, `l`, `t` and `rules` protect sensitive columns. Every column needs a
    role, or `others` says what to do with the rest. In the columns of `fold_spellings`, spellings that differ only in
    letter case, spaces or Unicode form are one value; in those of `keep_spellings` they are different values. A drafted
    plan is refused until it is confirmed (:meth:`Plan.confirm`).

    `hierarchies` says how quasi-identifiers are generalized (default: by their type). `effort` limits the work of the
    solver in steps: low, normal, high, or a multiple of normal. `time` is a time limit in seconds; a release that it
    stopped cannot be repeated exactly. `seed` is the seed of the solver. `repeat` is the record of a release to make
    again with its key, to the byte.

    Without `output`, the release is in a private folder until it is saved. `report=False` leaves out the report pages,
    which otherwise are in the release and in its record. `rows_are_people` declares that each row is a different
    person, although an identifier has repeated values; `keep_identifying` publishes sensitive or insensitive columns
    unchanged although they single out people.

    >>> import incrowd
    >>> people = incrowd.sample(rows=1000)
    >>> release = incrowd.anonymize(people, k=5, qi=["age", "sex"], sensitive="diagnosis", l=2, others="remove")
    >>> release
    <incrowd.Release: verified, 1,000 rows in ...>
    """
    table, planned = table_of(table, plan_of(plan))
    named: dict[str, Any] = dict(options)
    if named.get("seed") is not None and named.get("repeat") is not None:
        raise AskError("IC504", "both seed and repeat are given", "remove seed: repeat takes it from the record")
    where = os.fspath(output) if output is not None else planned.release.path if planned is not None else None
    if where and elsewhere(where):
        hint = "save the release to a folder, or use the command line, which is part of the wheel"
        raise AskError("IC507", "from Python, no release is written to a database or an object store", hint)
    target = Path(output) if output is not None else Path(planned.folder) / where if planned and where else None
    source = held(table)
    private = None
    if target is None:
        # The returned frame is decoded from the written bytes, which are Arrow.
        private = private_folder(source.nbytes if isinstance(source, Frame) else _size(source))
        target = Path(private) / "release"
        named["output_format"] = named.get("output_format") or "arrow"
    try:
        with given(planned, named, known=AnonymizeOptions) as asked:
            told = _incrowd.anonymize(source, asked, target)
    except BaseException:
        if private is not None:
            import shutil  # here: it loads slowly, and an import does not need it

            shutil.rmtree(private, ignore_errors=True)
        raise
    return Release(target, _answer=json.loads(told), _library=library_of(table), _private=private)


@with_options(AnonymizeOptions)
def anonymize_tables(
    plan: Plan | str | os.PathLike[str],
    *,
    output: str | os.PathLike[str] | None = None,
    **options: Unpack[AnonymizeOptions],
) -> LinkedRelease:
    """Release several tables of the same people together, as a plan with ``[[table]]`` describes them.

    People have the same pseudonym in all tables, and at least k people have the same published rows in all of them. The
    tables are verified and published together, or none is. `output` is a folder; without it, `path` under ``[release]`` of
    the plan.
    """
    planned = plan if isinstance(plan, Plan) else Plan.read(plan)
    where = os.fspath(output) if output is not None else planned.release.path
    if not where:
        raise AskError("IC504", "missing output folder", "give output=, or set `path` under [release] of the plan")
    target = Path(output) if output is not None else Path(planned.folder) / where
    with given(planned, dict(options), known=AnonymizeOptions) as asked:
        told = _incrowd.anonymize_tables(asked, target)
    return LinkedRelease(target, _answer=json.loads(told))


def _size(path: str) -> int:
    # A folder or a pattern may be of any size.
    return os.path.getsize(path) if os.path.isfile(path) else 1 << 40


def sample(rows: int = 10_000, seed: int = 42, **reading: Unpack[Reading]) -> Frame:
    """A census-like table of made-up people. The same seed gives the same table.

    >>> import incrowd
    >>> incrowd.sample(rows=3).num_rows
    3
    """
    with given(None, reading) as asked:
        return _incrowd.sample(asked, rows, seed)


def sample_hierarchies() -> dict[str, Hierarchy]:
    """The hierarchies of the sample."""
    return {column: Hierarchy(text) for column, text in _incrowd.sample_hierarchies().items()}


def build_hierarchy(
    table: Table,
    column: str,
    how: HierarchyPlan | None = None,
    **reading: Unpack[Reading],
) -> Hierarchy:
    """Build a hierarchy from a column: ``"dates"``, ``"prefix"``, ``"flat"``, ``"intervals"``, widths, or by type."""
    with given(None, reading) as asked:
        word = None if how is None else json.dumps(_hierarchy_words(how))
        return Hierarchy(_incrowd.build_hierarchy(held(table), asked, column, word))


def cover(
    hierarchy: Hierarchy | str | os.PathLike[str],
    table: Table,
    column: str,
    *,
    show_values: bool = False,
    **reading: Unpack[Reading],
) -> Coverage:
    """Whether a hierarchy covers a column. `show_values` lists the values that it does not cover."""
    tree = hierarchy if isinstance(hierarchy, Hierarchy) else Hierarchy.read(hierarchy)
    with given(None, reading) as asked:
        shown = _UNCOVERED if show_values else 0
        return parsed(Coverage, _incrowd.cover(held(table), asked, column, tree.text, tree.ragged, shown))
