"""Anonymize tables about people and verify the files that are published.

>>> import incrowd
>>> people = incrowd.sample(rows=1000)          # or any pandas, polars, pyarrow frame, DuckDB relation, or a path
>>> incrowd.check(people).safe
False
>>> release = incrowd.anonymize(people, k=5, qi=["age", "sex"], sensitive="diagnosis", others="remove")
>>> bool(release.verify(against=people))
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import errors, plan
    from ._incrowd import __version__
    from ._options import AnonymizeOptions, Reading
    from .answers import (
        Check,
        Column,
        ColumnWhy,
        Coverage,
        Diagnosed,
        Explained,
        Finding,
        LevelWhy,
        Loss,
        SetRisk,
        WithheldFor,
    )
    from .ask import (
        anonymize,
        anonymize_tables,
        build_hierarchy,
        check,
        cover,
        diagnose,
        init,
        sample,
        sample_hierarchies,
    )
    from ._codes import Code, Entry, codes, explain, listed
    from .errors import (
        AskError,
        IncrowdError,
        IncrowdWarning,
        Infeasible,
        Leak,
        NotFound,
        ReadError,
        ReleaseError,
        Unverified,
    )
    from .frames import ArrowTable, Frame, Table
    from .hierarchies import Hierarchy
    from .judge import attack, compare, query, report, verify
    from .outcomes import (
        Answered,
        Attacked,
        Compared,
        ComparedRelease,
        Fault,
        Group,
        ModelVerdict,
        NamedFigure,
        NotRun,
        Outcome,
        Verdict,
    )
    from .plan import AlphaPlan, ColumnPlan, LimitPlan, Plan, RulePlan, TablePlan
    from .release import LinkedRelease, Release, Report

__all__ = [
    "AlphaPlan",
    "AnonymizeOptions",
    "Answered",
    "ArrowTable",
    "AskError",
    "Attacked",
    "Check",
    "Code",
    "Column",
    "ColumnPlan",
    "ColumnWhy",
    "Compared",
    "ComparedRelease",
    "Coverage",
    "Diagnosed",
    "Entry",
    "Explained",
    "Fault",
    "Finding",
    "Frame",
    "Group",
    "Hierarchy",
    "IncrowdError",
    "IncrowdWarning",
    "Infeasible",
    "Leak",
    "LevelWhy",
    "LimitPlan",
    "LinkedRelease",
    "Loss",
    "ModelVerdict",
    "NamedFigure",
    "NotFound",
    "NotRun",
    "Outcome",
    "Plan",
    "ReadError",
    "Reading",
    "Release",
    "ReleaseError",
    "Report",
    "RulePlan",
    "SetRisk",
    "Table",
    "TablePlan",
    "Unverified",
    "Verdict",
    "WithheldFor",
    "__version__",
    "anonymize",
    "anonymize_tables",
    "attack",
    "build_hierarchy",
    "check",
    "codes",
    "compare",
    "cover",
    "diagnose",
    "errors",
    "explain",
    "init",
    "listed",
    "plan",
    "query",
    "report",
    "sample",
    "sample_hierarchies",
    "verify",
]

#: Where the names above are: in the first of these that has it, or the name is that of a module.
_MODULES = (
    "_codes",
    "_options",
    "answers",
    "ask",
    "errors",
    "frames",
    "hierarchies",
    "judge",
    "outcomes",
    "plan",
    "release",
    "_incrowd",
)


def __getattr__(name: str) -> Any:
    """Loads everything when something is used for the first time: the command line needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = [import_module(f".{module}", __name__) for module in _MODULES]
    for offered in __all__:
        defined = [vars(module)[offered] for module in modules if offered in vars(module)]
        globals()[offered] = defined[0] if defined else import_module(f".{offered}", __name__)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
