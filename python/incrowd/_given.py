"""From the arguments of a call to a request: the named settings, and the plan that they override.

The native half merges the two by the same rules as the command line.
"""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union

from ._options import Reading
from ._progress import listener
from .errors import AskError, ReadError
from .hierarchies import Hierarchy
from .plan import BUILDS, HierarchyPlan, Plan, RaggedFile, _hierarchy_words, _words

if TYPE_CHECKING:
    import tempfile

#: Called with the stage, the amount done, and the total if it is known.
Progress = Callable[[str, int, Optional[int]], None]
#: One name or several.
Names = Union[str, Sequence[str]]
#: How a column is generalized: a hierarchy, the name of its file, widths of intervals, or the name of a builder.
HierarchyWord = Union[Hierarchy, HierarchyPlan, os.PathLike[str]]


@dataclass
class Given:
    """The arguments of the native half, apart from the table."""

    #: The plan as JSON, if there is one.
    plan: str | None
    #: The folder that file names in it are relative to.
    folder: str
    #: Its file, if the plan is unchanged since it was read.
    file: str | None
    #: The settings that the call names, as JSON.
    named: str
    progress: Any
    # Hierarchies in memory are written to files during the work.
    _kept: list[tempfile.TemporaryDirectory[str]] = field(default_factory=list)

    def close(self) -> None:
        """End the progress line and remove the temporary files."""
        if hasattr(self.progress, "close"):
            self.progress.close()
        for folder in self._kept:
            folder.cleanup()

    def __enter__(self) -> Given:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def names(said: Names) -> list[str]:
    """One name or several, as a list."""
    return [said] if isinstance(said, str) else list(said)


def plan_of(said: Plan | str | os.PathLike[str] | None) -> Plan | None:
    """The plan; read if it is a file."""
    return said if said is None or isinstance(said, Plan) else Plan.read(said)


def elsewhere(name: str) -> bool:
    """Whether a name refers to a database or an object store and is not a path."""
    return name.startswith("postgres:") or "://" in name


def table_of(table: Any, plan: Plan | None) -> tuple[Any, Plan | None]:
    """The table: given, or from the plan. A plan may be given instead of the table."""
    if isinstance(table, Plan):
        table, plan = None, table
    elif isinstance(table, (str, os.PathLike)) and os.fspath(table).lower().endswith(".toml"):
        table, plan = None, Plan.read(table)
    if table is None:
        if plan is None or not plan.source.path:
            raise AskError("IC504", "missing table", "give a frame, a path, or a plan with a table")
        named = plan.source.path
        table = named if elsewhere(named) else str(Path(plan.folder) / named)
    return table, plan


def given(
    plan: Plan | None,
    options: Mapping[str, Any],
    named: Mapping[str, Any] | None = None,
    *,
    known: type[Any] = Reading,
) -> Given:
    """The arguments of the native half: the plan, and the settings named in the call."""
    unknown = set(options) - set(known.__annotations__)
    if unknown:
        raise TypeError(f"unexpected keyword argument: {', '.join(sorted(unknown))}")
    if plan is not None and plan.run.cluster:
        hint = "remove cluster from [run], or run the plan on the command line"
        raise ReadError("IC422", "a plan with a cluster cannot be run from Python", hint)
    kept: list[tempfile.TemporaryDirectory[str]] = []
    settings = {name: value for name, value in {**options, **(named or {})}.items() if name != "progress"}
    settings["delimiter"] = _delimiter(settings.get("delimiter"))
    settings["memory"] = _bytes(settings.get("memory"))
    settings["threads"] = _threads(settings.get("threads"))
    hierarchies = settings.get("hierarchies") or {}
    settings["hierarchies"] = {
        column: _hierarchy_words(as_plan(column, word, kept)) for column, word in hierarchies.items()
    }
    return Given(
        plan=plan.to_json() if plan is not None else None,
        folder=plan.folder if plan is not None else "",
        file=plan.file if plan is not None and _is_its_file(plan) else None,
        named=json.dumps(_said(settings), ensure_ascii=False),
        progress=listener(options.get("progress")),
        _kept=kept,
    )


_F = TypeVar("_F", bound=Callable[..., Any])


def with_options(options: type[Any]) -> Callable[[_F], _F]:
    """Show the options of a function in its signature."""

    def named(function: _F) -> _F:
        signature = inspect.signature(function)
        taken = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        keyword = inspect.Parameter.KEYWORD_ONLY
        taken += [
            inspect.Parameter(name, keyword, default=None, annotation=kind)
            for name, kind in options.__annotations__.items()
        ]
        setattr(function, "__signature__", signature.replace(parameters=taken))
        return function

    return named


def _said(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are set, as plain data."""
    said = {name: _plain(value) for name, value in settings.items() if value is not None}
    return {name: value for name, value in said.items() if value not in ([], {})}


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner) for inner in value]
    return _words(value)


def _is_its_file(plan: Plan) -> bool:
    """Whether the plan is unchanged since it was read: only then the hash of the file is that of the plan."""
    try:
        return bool(plan.file) and Plan.read(plan.file) == plan
    except AskError:
        return False


def as_plan(column: str, word: HierarchyWord, kept: list[tempfile.TemporaryDirectory[str]]) -> HierarchyPlan:
    """The hierarchy of a column as the plan writes it; a file gets an absolute path."""
    if isinstance(word, Hierarchy):
        if not kept:
            import tempfile  # here: it loads slowly, and an import does not need it

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
        raise AskError("IC626", "threads must be an integer of at least 1", "leave it out to use all cores")
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
