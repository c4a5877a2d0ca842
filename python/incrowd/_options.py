"""The options of a call, and the sections of a plan that hold them.

Made from the options that the library declares; its tests write this file with INCROWD_BLESS=1. Do not edit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from ._given import HierarchyWord, Names, Progress
    from .plan import AlphaPlan, Number, RulePlan

__all__ = ["BUILDS", "AnonymizeOptions", "Build", "Reading", "ReleasePlan", "SolvePlan"]

#: The builders of hierarchies.
Build = Literal["intervals", "dates", "prefix", "flat", "sets", "free-intervals"]
BUILDS: tuple[Build, ...] = ("intervals", "dates", "prefix", "flat", "sets", "free-intervals")


class Reading(TypedDict, total=False):
    """How a table is read, and what the run may use: options that every question takes.

    ``delimiter``, ``null``, ``date_format`` and ``input_format`` are those of the command line; ``header`` says whether the
    first line of a CSV file names the columns; ``memory`` is a number of bytes or a text such as ``"4GiB"``; ``progress`` is
    True, False, or a function that is told how far the work is.
    """

    #: The delimiter of a CSV file
    delimiter: str | None
    #: Read the first line of a CSV file as column names, although it looks like a row
    header: bool | None
    #: A text that stands for a missing value, such as '?'
    null: Names
    #: How a column writes its dates, such as birth=%d.%m.%Y
    date_format: Mapping[str, str]
    #: The format of the file
    input_format: Literal["csv", "parquet", "arrow"] | None
    #: Memory to use at most, such as 4GiB; beyond it, codes go through the disk
    memory: int | str | None
    #: Threads, at most 1,024
    threads: int | None
    #: Where temporary files go, in a private folder of their own
    temp: str | os.PathLike[str] | None
    #: Whether progress is shown, or a function that is told how far the work is.
    progress: bool | Progress | None


class AnonymizeOptions(Reading, total=False):
    """What a release has to keep, how it is solved and how it is written."""

    #: Columns an outsider may know (quasi-identifiers)
    qi: Names
    #: Columns nobody should learn
    sensitive: Names
    #: Columns that name people
    identifier: Names
    #: Columns that neither tell nor harm
    insensitive: Names
    #: The column that says which rows belong to the same person: people are counted, not rows
    subject: str | None
    #: State that each row is a different person, although an identifier column repeats
    rows_are_people: bool
    #: What to do with columns that have no role
    others: Literal["refuse", "remove", "keep"] | None
    #: Publish these columns unchanged although they single out people
    keep_identifying: Names
    #: Columns in which values that differ only in letter case, spaces or Unicode form are read and published as one:
    #: the most frequent spelling
    fold_spellings: Names
    #: Columns in which values that differ only in letter case, spaces or Unicode form are different values
    keep_spellings: Names
    #: The crowd everybody stands in
    k: int | None
    #: The largest share of a sensitive value in a class: column=0.33 for every value, "column:value=0.5" for one,
    #: "column:a|b=0.5" for several together
    alpha: Mapping[str, Number] | Sequence[AlphaPlan]
    #: At least so many different values of each sensitive column in every class (p-sensitivity)
    p: Number | None
    #: Distinct ℓ-diversity of each sensitive column
    l: Number | None
    #: t-closeness of each sensitive column, every two values equally far apart
    t: Number | None
    #: Any model of `incrowd list models` with its parameters, lists with |:
    #: "t-closeness:salary,t=0.2,distance=ordered,order=low|middle|high"
    rules: Sequence[RulePlan]
    #: The share of rows that may be withheld, such as 0.02
    suppress: float | None
    #: How a column is generalized, a file or intervals, dates, prefix, flat, sets, free-intervals: age=age.csv
    hierarchies: Mapping[str, HierarchyWord] | None
    #: The solver; `incrowd list algorithms` shows all
    algorithm: str | None
    #: The measure it looks at; `incrowd list losses` shows all
    loss: str | None
    #: Work that auto and the search for a lower bound may do: low, normal, high, or a multiple of normal. Counted in
    #: steps: the result does not depend on the machine
    effort: Literal["low", "normal", "high"] | float | None
    #: Time limit, such as 60s or 5m, over the solver, the lower bound and the report. A release that it stopped cannot
    #: be repeated exactly
    time: float | None
    #: Do not look for a lower bound on the loss of any release, which may take half the effort again
    bound: bool | None
    #: Tuples that `auto` solves at once at most: fewer take less memory and time, and lose a little more
    shard: int | None
    #: How enhanced-pk and greedy-pk weigh sensitive columns: equal, inverse (to their numbers of values), or numbers:
    #: occupation=0.7,race=0.3
    diversity_weights: Literal["equal", "inverse"] | Mapping[str, float] | None
    #: Seed of the solver: the same table, plan and seed give the same classes, unless --subject is given or --time
    #: stops the search. The order of the rows is drawn anew for every release
    seed: int | None
    #: Repeat a release with the key and seed of its internal record (NAME.internal). Refused unless the data files have
    #: the same bytes
    repeat: str | os.PathLike[str] | None
    #: In one table, or in two: quasi-identifiers as they are, and sensitive columns apart. Two tables do not hide who
    #: is in the table
    publish: Literal["one-table", "two-tables"] | None
    #: How the release is written
    output_format: Literal["csv", "parquet", "arrow"] | None
    #: In CSV, put an apostrophe before texts that a spreadsheet would run as formulas
    escape_formulas: bool
    #: Replace a release of the same name; only files that incrowd wrote are deleted
    force: bool
    #: Do not write pages about the release: report.html among its files, and one for you beside it
    report: bool | None
    #: Your ledger of releases: warns when the same people are released again, and enters this one. Keep it to yourself
    ledger: str | os.PathLike[str] | None


@dataclass(kw_only=True)
class SolvePlan:
    """How a release is solved. Every word has a default."""

    algorithm: str | None = None
    loss: str | None = None
    effort: Literal["low", "normal", "high"] | float | None = None
    time: float | None = None
    shard: int | None = None
    diversity_weights: Literal["equal", "inverse"] | Mapping[str, float] | None = None
    seed: int | None = None


@dataclass(kw_only=True)
class ReleasePlan:
    """What is written."""

    path: str | None = None
    others: Literal["refuse", "remove", "keep"] | None = None
    publish: Literal["one-table", "two-tables"] | None = None
    format: Literal["csv", "parquet", "arrow"] | None = None
    escape_formulas: bool = False
    report: bool | None = None
    ledger: str | None = None
