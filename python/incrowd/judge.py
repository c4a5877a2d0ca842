"""Functions about a release, named like the commands: each takes a release or its folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import _incrowd
from ._given import HierarchyWord, files, given
from ._json import parsed
from ._options import Reading
from .frames import Table, held
from .outcomes import Answered, Attacked, Compared, Verdict
from .plan import LimitPlan, Plan
from .release import Release, Report, folder_of, verify_folder

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["attack", "compare", "query", "report", "verify"]


def verify(
    release: Release | str | os.PathLike[str],
    against: Table | None = None,
    *,
    hierarchies: Mapping[str, HierarchyWord] | None = None,
    population: str | os.PathLike[str] | None = None,
    **reading: Unpack[Reading],
) -> Verdict:
    """Check whether a release keeps its promises; with the original, also whether every cell is true to it.

    `population` is the file of the population that promises are about; without it, these are not checked.
    """
    return verify_folder(Path(folder_of(release)), against, hierarchies, population, reading)


def attack(
    release: Release | str | os.PathLike[str],
    against: Table | None = None,
    *,
    register: Table | None = None,
    also: Release | str | os.PathLike[str] | None = None,
    risk: float | None = None,
    limits: Sequence[LimitPlan] | Mapping[str, float] = (),
    plan: Plan | str | os.PathLike[str] | None = None,
    hierarchies: Mapping[str, HierarchyWord] | None = None,
    **reading: Unpack[Reading],
) -> Attacked:
    """Run attacks on a release: linkage, inference, minimality, intersection, learning and more.

    >>> import incrowd
    >>> people = incrowd.sample(rows=1000)
    >>> release = incrowd.anonymize(people, k=5, qi=["age", "sex"], others="remove", seed=1)
    >>> attacked = incrowd.attack(release, limits={"prosecutor": 0.2})
    >>> attacked.clean, attacked.attacks[0].attack
    (True, 'prosecutor')
    """
    opened = _opened(release)
    return opened.attack(
        against,
        register=register,
        also=also,
        risk=risk,
        limits=limits,
        plan=plan,
        hierarchies=hierarchies,
        **reading,
    )


def query(
    release: Release | str | os.PathLike[str],
    sql: str,
    *,
    estimator: str | None = None,
    against: Table | None = None,
    hierarchies: Mapping[str, HierarchyWord] | None = None,
    **reading: Unpack[Reading],
) -> Answered:
    """Estimate the answer to a query on the original table, with guaranteed bounds."""
    return _opened(release).query(sql, estimator=estimator, against=against, hierarchies=hierarchies, **reading)


def report(
    release: Release | str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    against: Table | None = None,
    risk: float | None = None,
    verify: bool = False,
    plan: Plan | str | os.PathLike[str] | None = None,
    force: bool = False,
    **reading: Unpack[Reading],
) -> Report:
    """The report of a release: a page to publish and a page to sign. `output` is a folder to write them to; `force`
    overwrites existing pages.
    """
    pages = _opened(release).report(against=against, risk=risk, verify=verify, plan=plan, **reading)
    if output is not None:
        pages.save(output, force=force)
    return pages


def _opened(release: Release | str | os.PathLike[str]) -> Release:
    return release if isinstance(release, Release) else Release(release)


@dataclass
class _Asked:
    queries: int
    dimensionality: int
    selectivity: float
    seed: int
    target: str | None
    hierarchies: dict[str, str]


def compare(
    table: Table,
    *releases: Release | str | os.PathLike[str],
    target: str | None = None,
    queries: int = 1000,
    dimensionality: int = 4,
    selectivity: float = 0.05,
    seed: int = 1,
    hierarchies: Mapping[str, HierarchyWord] | None = None,
    **reading: Unpack[Reading],
) -> Compared:
    """Compare releases with their original: query error, distributions, dependence, classifier accuracy.

    >>> import incrowd
    >>> people = incrowd.sample(rows=1000)
    >>> words = dict(qi=["age", "sex"], sensitive="diagnosis", others="remove", seed=1)
    >>> releases = [incrowd.anonymize(people, k=k, **words) for k in (2, 20)]
    >>> compared = incrowd.compare(people, *releases, queries=100, dimensionality=2)
    >>> compared.releases[0].loss["lm"] < compared.releases[1].loss["lm"]
    True
    """
    with given(None, reading) as given_:
        known = files(hierarchies or {}, given_._kept)
        asked = _Asked(queries, dimensionality, selectivity, seed, target, known)
        folders = [folder_of(release) for release in releases]
        return parsed(Compared, _incrowd.compare(held(table), folders, given_, asked))
