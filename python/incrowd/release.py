"""A release with its manifest."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _html, _incrowd
from ._compat import dataclass
from ._given import Given, HierarchyWord, files, given, plan_of
from ._json import made, parsed
from ._options import Reading
from .answers import ColumnWhy, Explained, Loss, WithheldFor
from .errors import AskError
from .frames import Frame, Table, held, like
from .outcomes import Answered, Attacked, Outcome, Verdict
from .plan import LimitPlan, Plan

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["LinkedRelease", "Release", "Report"]

#: A place in memory, on systems that have one.
_IN_MEMORY = Path("/dev/shm")
#: What is larger is written to the disk, because such places may be small.
_SMALL = 64 << 20


def private_folder(size: int) -> str:
    """A private folder: in memory if the data is small and the system allows it."""
    import tempfile  # here: it loads slowly, and an import does not need it

    place = _IN_MEMORY if size < _SMALL and _IN_MEMORY.is_dir() and os.access(_IN_MEMORY, os.W_OK) else None
    return tempfile.mkdtemp(prefix="incrowd-", dir=place)


@dataclass(frozen=True, kw_only=True)
class Report:
    """The report of a release: a page to publish, a page to sign, and their data."""

    #: The page to publish, as HTML.
    public: str = field(repr=False)
    #: The internal page to sign, as HTML. Do not publish it.
    internal: str = field(repr=False)
    #: The data of both pages. Internal, do not publish it.
    dossier: dict[str, Any] = field(repr=False)

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes ``public.html``, ``internal.html`` and ``dossier.json``; the last two are readable only by you.

        Existing files are overwritten only with `force`.
        """
        target = Path(folder)
        for name in ("public.html", "internal.html", "dossier.json"):
            if os.path.lexists(target / name) and not force:
                hint = "use force=True to overwrite it, or give another folder"
                raise AskError("IC435", f"{target / name} already exists", hint)
        target.mkdir(parents=True, exist_ok=True)
        (target / "public.html").write_text(self.public, encoding="utf-8")
        for name, text in (
            ("internal.html", self.internal),
            ("dossier.json", json.dumps(self.dossier, ensure_ascii=False, indent=2) + "\n"),
        ):
            descriptor = os.open(target / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)

    def __repr__(self) -> str:
        return f"<incrowd.Report: public {len(self.public):,} characters, internal {len(self.internal):,} characters>"

    def _repr_html_(self) -> str:
        # A page of its own: its styles stay inside, and nothing in it can run.
        page = _html.escape(self.internal)
        return f'<iframe srcdoc="{page}" sandbox="" style="width:100%;height:640px;border:1px solid #ccc"></iframe>'


class Release:
    """A release from `anonymize`, or one in a folder.

    A release of a frame is in a private folder until it is saved, and is removed with the object.

    >>> import incrowd
    >>> people = incrowd.sample(rows=1000)
    >>> release = incrowd.anonymize(people, k=5, qi=["age", "sex"], others="remove", seed=1)
    >>> release.verified, release.manifest["rows"], release.frame.column_names
    (True, 1000, ['age', 'sex'])
    >>> bool(release.verify(against=people))
    True
    """

    #: Its folder.
    path: Path
    #: The answer of `anonymize`, as ``--format json`` prints it; empty for a release that was opened.
    json: dict[str, Any]

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        _answer: dict[str, Any] | None = None,
        _library: str = "",
        _private: str | None = None,
    ) -> None:
        self.path = Path(path)
        self.json = _answer or {}
        self._library = _library
        #: The manifest: what is published about the release itself.
        self.manifest: dict[str, Any] = json.loads(_incrowd.manifest(self.path))
        if _private is not None:
            import shutil  # here: it loads slowly, and an import does not need it

            weakref.finalize(self, shutil.rmtree, _private, ignore_errors=True)

    @property
    def verified(self) -> bool:
        """Whether the verifier accepted the written files when the release was made. `verify` runs it again."""
        return bool(self.manifest["verified"]["holds"])

    @cached_property
    def frames(self) -> tuple[Any, ...]:
        """Its tables, decoded from the verified bytes: one, or two that are joined by a class number."""
        tables = _incrowd.tables(self.path)
        if tables is not None:
            return tuple(like(self._library, table) for table in tables)
        names = [file["name"] for file in self.manifest["files"]]
        hint = f"read {', '.join(names)} in {self.path}; only a release written as Arrow is available as a frame"
        raise AskError("IC402", "the release is not written as Arrow", hint)

    @property
    def frame(self) -> Any:
        """The released table: a frame of the library that the original came from, otherwise an `incrowd.Frame`."""
        if len(self.frames) != 1:
            raise AskError("IC507", "the release is in two tables", "`frames` has both")
        return self.frames[0]

    @property
    def loss(self) -> Loss | None:
        """The information loss of the release, with a lower bound for any release if one was computed."""
        return made(Loss, self.json["loss"]) if "loss" in self.json else None

    measures = loss

    @property
    def promises(self) -> list[str]:
        """The promises, one sentence for each model."""
        return list(self.json.get("promises", []))

    @property
    def notes(self) -> list[str]:
        """Notes for the custodian."""
        return list(self.json.get("notes", []))

    @property
    def withheld_for(self) -> list[WithheldFor]:
        """The rules for which rows were suppressed, and why."""
        return [made(WithheldFor, one) for one in self.json.get("withheld_for", [])]

    @property
    def findings(self) -> list[str]:
        """What a custodian should read before publishing: notes, suppressed rows and results of attacks."""
        withheld = [f"{one.rows:,} rows were suppressed for {one.rule}: {one.why}" for one in self.withheld_for]
        return self.notes + withheld + [outcome.meaning for outcome in self.attacks]

    @property
    def attacks(self) -> list[Outcome]:
        """Results of the attacks that were run before the release was written. For the custodian."""
        return [made(Outcome, one) for one in self.json.get("attacks", [])]

    @property
    def why(self) -> list[ColumnWhy]:
        """For each quasi-identifier, how it was generalized and which rule required it."""
        return [made(ColumnWhy, one) for one in self.json.get("why", [])]

    @property
    def record(self) -> dict[str, Any] | None:
        """The internal record next to the release: the key of the shuffle, hierarchies, reasons. Do not publish it."""
        told = _incrowd.record(self.path)
        return json.loads(told) if told is not None else None

    def explain(self, column: str, value: str | None = None) -> Explained:
        """Why a column, or one of its published values, was generalized."""
        return parsed(Explained, _incrowd.explain_value(self.path, column, value))

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> Release:
        """Write the release to a folder and its record next to it, only if the copy is complete and verified."""
        _incrowd.save(self.path, Path(folder), force)
        answer = {**self.json, "release": os.fspath(folder)}
        # The former place of the pages.
        answer.pop("report", None)
        return Release(folder, _answer=answer, _library=self._library)

    def verify(
        self,
        against: Table | None = None,
        *,
        hierarchies: Mapping[str, HierarchyWord] | None = None,
        population: str | os.PathLike[str] | None = None,
        **reading: Unpack[Reading],
    ) -> Verdict:
        """Run the verifier, which shares no code with the rest, on the written files again.

        `population` is the file of the population that promises are about; without it, these are not checked.
        """
        return verify_folder(self.path, against, hierarchies, population, reading)

    def attack(
        self,
        against: Table | None = None,
        *,
        register: Table | None = None,
        also: Release | str | os.PathLike[str] | None = None,
        risk: float | None = None,
        limits: Sequence[LimitPlan] | Mapping[str, float] = (),
        plan: Plan | str | os.PathLike[str] | None = None,
        hierarchies: Mapping[str, HierarchyWord] | None = None,
        record: str | os.PathLike[str] | None = None,
        **reading: Unpack[Reading],
    ) -> Attacked:
        """Run attacks on the release with the given data.

        `record` is the folder of the internal record, if it is not next to the release.
        """
        whole = _with_limits(plan_of(plan) or Plan(), limits)
        with given(_without_columns(whole), reading) as asked:
            return parsed(
                Attacked,
                _incrowd.attack(
                    self.path,
                    asked,
                    held(against) if against is not None else None,
                    held(register) if register is not None else None,
                    folder_of(also) if also is not None else None,
                    files(hierarchies or {}, asked._kept),
                    risk,
                    record,
                ),
            )

    def query(
        self,
        sql: str,
        *,
        estimator: str | None = None,
        against: Table | None = None,
        hierarchies: Mapping[str, HierarchyWord] | None = None,
        record: str | os.PathLike[str] | None = None,
        **reading: Unpack[Reading],
    ) -> Answered:
        """Estimate the answer to a query on the original table, with guaranteed bounds.

        >>> import incrowd
        >>> people = incrowd.sample(rows=1000)
        >>> release = incrowd.anonymize(people, k=5, qi=["age", "sex"], others="remove", seed=1)
        >>> answer = release.query("SELECT COUNT(*) WHERE age BETWEEN 30 AND 39", against=people)
        >>> answer.lower <= answer.actual <= answer.upper
        True
        """
        with given(None, reading) as asked:
            original = held(against) if against is not None else None
            known = files(hierarchies or {}, asked._kept)
            return parsed(Answered, _incrowd.ask(self.path, sql, asked, estimator, original, known, record))

    def report(
        self,
        *,
        against: Table | None = None,
        risk: float | None = None,
        verify: bool = False,
        plan: Plan | str | os.PathLike[str] | None = None,
        **reading: Unpack[Reading],
    ) -> Report:
        """A page to publish and a page to sign. The plan has the purpose, the recipients and the person responsible.

        The pages use the results stored with the release, as long as its files are the same; `verify` and `against`
        read, verify and attack the files again.
        """
        with given(_without_columns(plan_of(plan) or Plan()), reading) as asked:
            return _reported(self.path, asked, held(against) if against is not None else None, risk, verify)

    def __repr__(self) -> str:
        told = self.manifest
        return (
            f"<incrowd.Release: verified, {told['rows']:,} rows in {told['classes']:,} classes, "
            f"the smallest of {told['smallest_class']:,}; {_html.told_count(told['suppressed_rows'])} rows suppressed>"
        )

    def _repr_html_(self) -> str:
        return _html.release(self)


def _reported(path: Path, asked: Given, original: str | Frame | None, risk: float | None, verify: bool) -> Report:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="incrowd-") as folder:
        _incrowd.write_report(path, folder, asked, original, risk, verify)
        pages = {name: (Path(folder) / f"{name}.html").read_text(encoding="utf-8") for name in ("public", "internal")}
        dossier = json.loads((Path(folder) / "dossier.json").read_text(encoding="utf-8"))
    return Report(**pages, dossier=dossier)


def _without_columns(plan: Plan) -> Plan:
    """The plan for questions about a release, whose columns are those of its manifest."""
    return replace(plan, columns=[])


def _with_limits(plan: Plan, limits: Sequence[LimitPlan] | Mapping[str, float]) -> Plan:
    if isinstance(limits, Mapping):
        parts = [(name.partition("."), most) for name, most in limits.items()]
        said = [LimitPlan(attack, most, figure or None) for (attack, _, figure), most in parts]
    else:
        said = list(limits)
    taken = {(limit.attack, limit.figure) for limit in said}
    planned = [limit for limit in plan.policy.limits if (limit.attack, limit.figure) not in taken]
    return replace(plan, policy=replace(plan.policy, limits=said + planned))


def folder_of(release: Release | str | os.PathLike[str]) -> str:
    """The folder of a release."""
    return str(release.path) if isinstance(release, Release) else os.fspath(release)


def verify_folder(
    folder: Path,
    against: Table | None,
    hierarchies: Mapping[str, HierarchyWord] | None,
    population: str | os.PathLike[str] | None,
    reading: Reading,
) -> Verdict:
    """The verdict on a folder, which may be no valid release."""
    with given(None, reading) as asked:
        original = held(against) if against is not None else None
        files_of = files(hierarchies or {}, asked._kept)
        named = None if population is None else Path(population)
        return parsed(Verdict, _incrowd.verify(folder, asked, original, files_of, named))


class LinkedRelease:
    """Several tables of the same people that were released together; see :func:`incrowd.anonymize_tables`."""

    #: Its folder.
    path: Path
    #: The answer of `anonymize_tables`, as ``--format json`` prints it; empty for a release that was opened.
    json: dict[str, Any]
    #: The manifest over the tables.
    manifest: dict[str, Any]
    #: The releases of the tables, by name.
    tables: dict[str, Release]

    def __init__(self, path: str | os.PathLike[str], *, _answer: dict[str, Any] | None = None) -> None:
        self.path = Path(path)
        self.json = _answer or {}
        self.manifest = json.loads((self.path / "manifest.json").read_text(encoding="utf-8"))
        answers = {table["name"]: table for table in self.json.get("tables", [])}
        names = [table["name"] for table in self.manifest["tables"]]
        self.tables = {name: Release(self.path / name, _answer=answers.get(name)) for name in names}

    def verify(self) -> Verdict:
        """Check each table, and people by their rows in all tables; a table alone is compared with its original."""
        return verify_folder(self.path, None, None, None, {})

    def __repr__(self) -> str:
        return f"<incrowd.LinkedRelease: {', '.join(self.tables)} in {self.path}>"
