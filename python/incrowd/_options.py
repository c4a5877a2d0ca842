"""The options of a call, and the sections of a plan that hold them.

Made from the options that the library declares; its tests write this file with INCROWD_BLESS=1. Do not edit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

from ._compat import dataclass

if TYPE_CHECKING:
    from ._given import HierarchyWord, Names, Progress
    from .plan import AlphaPlan, Number, RulePlan

__all__ = ["BUILDS", "AnonymizeOptions", "Build", "PopulationPlan", "Reading", "ReleasePlan", "SolvePlan"]

#: The builders of hierarchies.
Build = Literal["intervals", "dates", "prefix", "flat", "sets", "free-intervals"]
BUILDS: tuple[Build, ...] = ("intervals", "dates", "prefix", "flat", "sets", "free-intervals")


class Reading(TypedDict, total=False):
    """Options that every function takes: how the table is read, and the resources of the run.

    ``delimiter``, ``null``, ``date_format`` and ``input_format`` are those of the command line; ``header`` says whether
    the first line of a CSV file contains the column names; ``memory`` is a number of bytes or a text such as
    ``"4GiB"``; ``progress`` is True, False, or a function that is called with the progress of the work.
    """

    #: Delimiter of a CSV file
    delimiter: str | None
    #: Encoding of a CSV file, such as windows-1252 or utf-16le
    encoding: str | None
    #: Sheet of a workbook (.xlsx, .xls, .ods)
    sheet: str | None
    #: Cells of a workbook that are the table, such as B3:F200
    range: str | None
    #: Read the first line of a CSV file as column names, even if it looks like data
    header: bool | None
    #: Text that means a missing value, such as '?'
    null: Names
    #: Date format of a column, such as birth=%d.%m.%Y
    date_format: Mapping[str, str]
    #: Columns with numbers such as 1.234,5; a CSV release of a CSV file writes them with a comma, too
    decimal_comma: Names
    #: Format of the file
    input_format: Literal["csv", "parquet", "arrow", "xlsx", "dta", "sav"] | None
    #: Memory limit, such as 4GiB; beyond it, integer codes (never values) are written to temporary files
    memory: int | str | None
    #: Number of threads, at most 1,024
    threads: int | None
    #: Folder in which a private subfolder for temporary files is created
    temp: str | os.PathLike[str] | None
    #: Whether progress is shown, or a function that is called with the progress.
    progress: bool | Progress | None


class AnonymizeOptions(Reading, total=False):
    """What a release has to promise, and the settings of the solver and of the output."""

    #: Quasi-identifiers: columns whose values outsiders may know, separated by commas
    qi: Names
    #: Sensitive columns: columns whose values no one should learn about a person
    sensitive: Names
    #: Identifiers: columns that identify people directly
    identifier: Names
    #: Columns that neither identify people nor are sensitive
    insensitive: Names
    #: Column with the person ID of each row; people are counted instead of rows
    subject: str | None
    #: Declare that each row is a different person, even if an identifier has repeated values
    rows_are_people: bool
    #: What to do with columns that have no role
    others: Literal["refuse", "remove", "keep"] | None
    #: Publish these columns unchanged even if they single out people
    keep_identifying: Names
    #: Treatment of a column that is neither generalized, kept nor removed: blank, mask:N, pseudonym, pseudonym-digits,
    #: round:BASE, top:N, bottom:N, bins:WIDTH, shift:DAYS, microaggregate:K,round:BASE, random-round:BASE,
    #: laplace:SCALE,round:BASE, normal:SCALE,round:BASE or items:K,known:M,split:C
    treat: Mapping[str, str]
    #: Columns in which to merge spellings that differ only in letter case, spaces or Unicode form; the most frequent
    #: spelling is published
    fold_spellings: Names
    #: Columns in which to keep spellings that differ only in letter case, spaces or Unicode form as different values
    keep_spellings: Names
    #: Minimum class size
    k: int | None
    #: Maximum share of a sensitive value in a class: column=0.33 for every value, "column:value=0.5" for one,
    #: "column:a|b=0.5" for several together
    alpha: Mapping[str, Number] | Sequence[AlphaPlan]
    #: Minimum number of distinct values per class, for each sensitive column (p-sensitivity)
    p: Number | None
    #: Minimum number of distinct values per class, for each sensitive column (distinct ℓ-diversity)
    l: Number | None
    #: Maximum distance between the distribution in a class and that in the whole release, for each sensitive column
    #: (t-closeness, equal distance)
    t: Number | None
    #: Model from `incrowd list models` with its parameters, such as
    #: "t-closeness:salary,t=0.2,distance=ordered,order=low|middle|high"; separate list items with |
    rules: Sequence[RulePlan]
    #: Maximum share of rows to suppress, such as 0.02
    suppress: float | None
    #: Rows of one person that an attacker may know: at least k people have to have the same rows. 2 or more, or all;
    #: needs --subject and its pseudonyms (--treat)
    known_rows: Literal["all"] | int | None
    #: Table of the population that the sample was drawn from, with the same quasi-identifier columns
    population: str | os.PathLike[str] | None
    #: Column of the population that says how many people a row stands for
    population_count: str | None
    #: Minimum number of people of the population per class (k-map)
    k_map: int | None
    #: Minimum and maximum probability that a person of the population is in the table (δ-presence), such as 0,0.5;
    #: needs --algorithm incognito
    delta_presence: str | None
    #: Share of the population that is in the table, instead of --population; estimates the least k for --k-map or
    #: --risk
    sampling_fraction: float | None
    #: How --sampling-fraction estimates the least k
    estimator: Literal["poisson", "zero-truncated-poisson"] | None
    #: Maximum risk of re-identification by --attacker, such as 0.09; promises the least k-map that suffices
    risk: float | None
    #: Attacker of --risk
    attacker: Literal["journalist"] | None
    #: Maximum individual risk of a row by --weight, such as 0.05; keeps the least k that suffices
    individual_risk: float | None
    #: Column with the survey weight of each row
    weight: str | None
    #: Hierarchy of a column, such as age=age.csv: a file, or one of intervals, dates, prefix, flat, sets and
    #: free-intervals
    hierarchies: Mapping[str, HierarchyWord] | None
    #: Solver; see `incrowd list algorithms`
    algorithm: str | None
    #: Information loss measure to minimize; see `incrowd list losses`
    loss: str | None
    #: Work limit for --algorithm auto and for the lower bound: low, normal, high, or a multiple of normal such as 2.
    #: Counted in steps, so the result does not depend on the machine
    effort: Literal["low", "normal", "high"] | float | None
    #: Time limit for the solver, the lower bound and the report, such as 60s or 5m. If the limit is reached, the
    #: release cannot be repeated exactly
    time: float | None
    #: End --algorithm auto when its loss is at most this many times the lower bound, such as 1.05
    until: float | None
    #: Do not compute a lower bound on the loss; computing it can add 50% to the work
    bound: bool | None
    #: Maximum shard size in distinct tuples for --algorithm auto; smaller shards need less memory and time but give a
    #: slightly higher loss
    shard: int | None
    #: Weights of sensitive columns for the algorithms enhanced-pk and greedy-pk: equal, inverse (1 / number of values),
    #: or numbers such as occupation=0.7,race=0.3
    diversity_weights: Literal["equal", "inverse"] | Mapping[str, float] | None
    #: Seed of the solver: the same table, plan and seed give the same classes, unless --subject is given or --time
    #: stops the solver. The seed does not determine the order of the rows
    seed: int | None
    #: Repeat a release with the key and seed of its internal record (NAME.internal). Fails unless the new data files
    #: are byte-identical to those of the first release
    repeat: str | os.PathLike[str] | None
    #: Publish one table, or two: unchanged quasi-identifiers and, separately, the sensitive columns. Two tables do not
    #: prevent membership disclosure
    publish: Literal["one-table", "two-tables"] | None
    #: Format of the release
    output_format: Literal["csv", "parquet", "delta", "arrow", "xlsx", "dta", "sav"] | None
    #: How CSV is written
    output_dialect: Literal["input", "standard"] | None
    #: In CSV, put an apostrophe before values that a spreadsheet would execute as formulas
    escape_formulas: bool
    #: Replace a release of the same name; only files that incrowd wrote are deleted
    force: bool
    #: Do not write the report pages: report.html in the release, and an internal page outside it
    report: bool | None
    #: Ledger of releases: adds this release and warns if data about the same people was released before. Do not publish
    #: the ledger
    ledger: str | os.PathLike[str] | None


@dataclass(kw_only=True)
class PopulationPlan:
    """A given population, and what a release has to promise about it."""

    path: str | None = None
    count: str | None = None
    k_map: int | None = None
    delta_presence: str | None = None
    sampling_fraction: float | None = None
    estimator: Literal["poisson", "zero-truncated-poisson"] | None = None
    risk: float | None = None
    attacker: Literal["journalist"] | None = None
    individual_risk: float | None = None
    weight: str | None = None


@dataclass(kw_only=True)
class SolvePlan:
    """Settings of the solver. Every key has a default."""

    algorithm: str | None = None
    loss: str | None = None
    effort: Literal["low", "normal", "high"] | float | None = None
    time: float | None = None
    until: float | None = None
    shard: int | None = None
    diversity_weights: Literal["equal", "inverse"] | Mapping[str, float] | None = None
    seed: int | None = None


@dataclass(kw_only=True)
class ReleasePlan:
    """Settings of the output."""

    path: str | None = None
    others: Literal["refuse", "remove", "keep"] | None = None
    publish: Literal["one-table", "two-tables"] | None = None
    format: Literal["csv", "parquet", "delta", "arrow", "xlsx", "dta", "sav"] | None = None
    dialect: Literal["input", "standard"] | None = None
    escape_formulas: bool = False
    report: bool | None = None
    ledger: str | None = None
