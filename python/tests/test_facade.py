"""Every public thing of the Rust façade is had in Python, or stands below with the reason why not."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, Union, get_origin

import incrowd
import pytest

from .conftest import ROOT

#: Name in Rust → how it is had in Python.
WRAPPED = {
    "anonymize": "anonymize",
    "anonymize_tables": "anonymize_tables",
    "attack": "attack",
    "check": "check",
    "compare": "compare",
    "diagnose": "diagnose",
    "request": "plan",
    "query": "query",
    "report": "report",
    "sample": "sample",
    "verify": "verify",
    "AnonymizeOptions": "anonymize",
    "Anonymized": "Release",
    "Answer": "Diagnosed",
    "Check": "Check",
    "CheckOptions": "check",
    "ColumnReport": "Column",
    "ColumnWhy": "ColumnWhy",
    "Declared": "ColumnPlan",
    "DiagnoseOptions": "diagnose",
    "Diagnosed": "Diagnosed",
    "Error": "IncrowdError",
    "EngineError": "ReadError",
    "Explained": "Explained",
    "HierarchyChoice": "Hierarchy",
    "LevelWhy": "LevelWhy",
    "LinkedAnonymized": "LinkedRelease",
    "LinkedTable": "anonymize_tables",
    "LinkedTableAnswer": "LinkedRelease",
    "LossReport": "Loss",
    "Manifest": "Release.manifest",
    "REFUSALS": "codes",
    "ReadOptions": "check",
    "OpenedRelease": "Release",
    "CellRange": "check",
    "CountedInPopulation": "Diagnosed",
    "PopulationGiven": "diagnose",
    "SheetOptions": "check",
    "SmallInPopulation": "Diagnosed",
    "Record": "Release.record",
    "SetAnswer": "Diagnosed",
    "SmallClass": "Diagnosed",
    "SpecialRow": "Diagnosed",
    "SurveyGiven": "diagnose",
    "Source": "Table",
    "Verdict": "Verdict",
    "VerifyOptions": "verify",
    "WithheldFor": "WithheldFor",
    "copy_release": "Release.save",
    "manifest": "Release.manifest",
    "explain": "explain",
    "explain_by": "Release.explain",
    "explain_value": "Release.explain",
    "sql": "Verdict",
}

#: Name in Rust → why it is not had in Python by itself.
NOT_WRAPPED = {
    "algorithms": "solvers are chosen by their word, and listed by `incrowd.listed`",
    "assign": "`check` assigns roles",
    "cluster": "only in builds of the command line with the feature `cluster`",
    "columns_of": "a comprehension over `Check.columns`",
    "core": "the types that stages hand on; answers are what Python gets of them",
    "counted": "a helper for sentences",
    "WorkbookFacts": "stands in the findings of `check`",
    "StatisticsFacts": "stands in the findings of `check`",
    "StatisticsValue": "part of StatisticsFacts",
    "StatisticsVariable": "part of StatisticsFacts",
    "thousands": "a helper for sentences",
    "Counts": "stands in `Release.json` and in `Release.manifest`",
    "Engine": "made for each question, with its `memory`, `threads` and `temp`",
    "Settings": "the words `memory`, `threads` and `temp`",
    "Format": "the words csv, parquet and arrow",
    "TextEncoding": "the word `encoding`",
    "Ledger": "the word `ledger` of `anonymize`",
    "LedgerEntry": "the ledger is the custodian's file",
    "ReleasedBefore": "stands in `Release.json`",
    "MostClasses": "stands in `Release.json`",
    "RandomnessRecord": "stands in `Release.record`",
    "ExactCounts": "stands in `Release.record`",
    "RecordedReading": "stands in `Release.record`",
    "RecordedFile": "stands in `Release.record`",
    "NotRepeatable": "stands in the text of the refusal IC540",
    "TreatmentFault": "stands in the text of the refusal IC533",
    "KnownRowsFault": "stands in the text of the refusal IC534",
    "TablesFault": "stands in the text of the refusal IC535",
    "RuleShare": "stands in `LevelWhy.forced_by`",
    "ModelSql": "stands in `Verdict.sql`",
    "Others": "the word `others` of `anonymize`",
    "OutputDialect": "the word `output_dialect` of `anonymize`",
    "Publish": "the word `publish` of `anonymize`",
    "Question": "what `diagnose` and `anonymize` ask the engine",
    "Result": "Python raises",
    "TableWriter": "frames are written by their own libraries",
    "LiveTable": "the workbench, which is opened with `incrowd open`",
    "Feasibility": "the workbench, which is opened with `incrowd open`",
    "NearestParameter": "the workbench, which is opened with `incrowd open`",
    "RuleFeasibility": "the workbench, which is opened with `incrowd open`",
    "feasibility": "the workbench, which is opened with `incrowd open`",
    "LatticeNode": "the workbench, which is opened with `incrowd open`",
    "LevelLattice": "the workbench, which is opened with `incrowd open`",
    "lattice": "the workbench, which is opened with `incrowd open`",
    "EditError": "the workbench, which is opened with `incrowd open`",
    "EditedNode": "the workbench, which is opened with `incrowd open`",
    "HierarchyEditor": "the workbench, which is opened with `incrowd open`",
    "NodeId": "the workbench, which is opened with `incrowd open`",
    "Target": "frames are written by their own libraries",
    "Sentence": "the text of a remedy, which Python writes with keyword arguments",
    "Setting": "a setting that a remedy names",
    "Spelling": "how a remedy writes settings",
    "spellings": "`check` finds them; the words `fold_spellings` and `keep_spellings` of `anonymize`",
    "Leftover": "what a run leaves is swept by the next one",
    "remove_leftovers": "what a run leaves is swept by the next one",
    "platform": "private folders, of which Python makes none",
    "MOST_MEMORY": "the limit of the word `memory`",
    "MOST_THREADS": "the limit of the word `threads`",
    "texts": "files are read by the words that name them",
    "risk": "attacks and diagnoses are had by `attack`, `check` and `diagnose`",
}


def _public() -> set[str]:
    page = (ROOT / "crates/incrowd/src/lib.rs").read_text(encoding="utf-8")
    names = set(re.findall(r"^pub mod (\w+);", page, re.M))
    for used in re.findall(r"^pub use ([^;]+);", page, re.M):
        inner = re.search(r"\{(.*)\}", used, re.S)
        for item in (inner.group(1).split(",") if inner else [used]):
            if item.strip():
                names.add(re.split(r"::|\s+as\s+", item.strip())[-1].strip())
    return names


def test_every_public_thing_is_wrapped_or_has_a_reason() -> None:
    public = _public()
    assert len(public) > 50, "the page was read"
    assert public - set(WRAPPED) - set(NOT_WRAPPED) == set(), "wrap these, or say why not"
    assert (set(WRAPPED) | set(NOT_WRAPPED)) - public == set(), "these are gone"
    assert not set(WRAPPED) & set(NOT_WRAPPED)


def test_what_is_said_to_wrap_is_there_and_documented() -> None:
    for name in set(WRAPPED.values()):
        first, _, second = name.partition(".")
        thing = getattr(incrowd, first)
        assert first in incrowd.__all__
        if second:
            assert second in dir(thing) or second in thing.__init__.__code__.co_names
        assert getattr(thing, "__doc__", None) or first == "Table", name


def test_what_is_loaded_late_is_what_type_checkers_see() -> None:
    tree = ast.parse(Path(incrowd.__file__).read_text(encoding="utf-8"))
    seen = next(node for node in tree.body if isinstance(node, ast.If))
    names: dict[str, Any] = {"__package__": "incrowd"}
    exec(compile(ast.Module(seen.body, []), "incrowd", "exec"), names)  # noqa: S102 (our own imports)
    assert {name: getattr(incrowd, name) for name in incrowd.__all__} == {name: names[name] for name in incrowd.__all__}
    assert set(incrowd.__all__) <= set(dir(incrowd))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = incrowd.nothing


def test_everything_that_is_offered_is_documented() -> None:
    for name in incrowd.__all__:
        thing = getattr(incrowd, name)
        # A name for several types has no text of its own.
        if callable(thing) and not name.startswith("__") and get_origin(thing) is not Union:
            assert (thing.__doc__ or "").strip(), name
