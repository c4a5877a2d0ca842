"""The wheel carries the command line, and both say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.ipc
import pyarrow.parquet
import pytest

import incrowd

from .conftest import WORDS, command

FLAGS = ["--qi", "age,sex,education", "--sensitive", "diagnosis", "--others", "remove", "--k", "5", "--l", "2"]
FLAGS += ["--no-bound", "--format", "json"]


def _timeless(answer: dict[str, Any], *more: str) -> dict[str, Any]:
    clocks = {"seconds", "solve_seconds", "source", "release", "report", "format", "next", "clean", "sql", *more}
    return {key: value for key, value in answer.items() if key not in clocks}


@pytest.fixture(scope="module")
def parquet(people: incrowd.Frame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("table") / "people.parquet"
    pyarrow.parquet.write_table(pyarrow.table(people), file)
    return file


def test_it_has_a_version_and_a_status() -> None:
    assert command("--version").strip() == f"incrowd {incrowd.__version__}"
    assert "Usage" in command("--help")
    command("--nonsense", status=2)


def test_a_release_is_repeated_to_the_byte(parquet: Path, release: incrowd.Release, tmp_path: Path) -> None:
    repeat = ["--repeat", release.path, "--output-format", "arrow", "-o", tmp_path / "cli"]
    made = json.loads(command("anonymize", parquet, *FLAGS, *repeat))
    assert _timeless(made, "repeats") == _timeless(release.json)
    assert made["repeats"] == release.manifest["release"]
    by_command = pyarrow.ipc.open_file(tmp_path / "cli" / "data.arrow").read_all()
    assert pyarrow.table(release.frame).equals(by_command), "the same rows in the same order"
    theirs = incrowd.Release(tmp_path / "cli").manifest["files"]
    assert release.manifest["files"][0]["sha256"] == theirs[0]["sha256"], "to the byte"


def test_two_tables_are_repeated_to_the_byte(parquet: Path, people: incrowd.Frame, tmp_path: Path) -> None:
    command("anonymize", parquet, *FLAGS, "--publish", "two-tables", "--output-format", "arrow", "-o", tmp_path / "cli")
    words = {key: value for key, value in WORDS.items() if key != "seed"}
    with pytest.warns(incrowd.IncrowdWarning):
        made = incrowd.anonymize(people, **words, publish="two-tables", repeat=tmp_path / "cli.internal")
    theirs = incrowd.Release(tmp_path / "cli").manifest["files"]
    assert [file["sha256"] for file in made.manifest["files"]] == [file["sha256"] for file in theirs]
    assert len(made.frames) == 2
    with pytest.raises(incrowd.AskError, match="two tables"):
        _ = made.frame


def test_check_and_diagnose_answer_alike(parquet: Path, people: incrowd.Frame) -> None:
    words = ["--sensitive", "diagnosis", "--show-values", "--format", "json"]
    said = json.loads(command("check", parquet, *words, status=1))
    assert _timeless(said) == _timeless(incrowd.check(people, sensitive="diagnosis", show_values=True).json)
    words = "--qi age,sex --k 5 --delta 0.01 --sets --all-sets --curve --columns --show-values --format json".split()
    said = json.loads(command("diagnose", parquet, *words, status=1))
    asked = incrowd.diagnose(
        people, qi=["age", "sex"], k=5, delta=0.01, sets=True, all_sets=True, curve=True, columns=True, show_values=True
    )
    assert _timeless(said) == _timeless(asked.json) and not asked


def test_questions_about_a_release_are_answered_alike(
    parquet: Path, people: incrowd.Frame, release: incrowd.Release, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    saved = release.save(folder)
    against = ["--against", parquet, "--format", "json"]
    said = json.loads(command("verify", folder, *against))
    assert _timeless(said, "bytes") == _timeless(saved.verify(against=people).json, "bytes")
    said = json.loads(command("attack", folder, *against))
    assert _timeless(said) == _timeless(saved.attack(against=people).json)
    said = json.loads(command("compare", parquet, folder, "--queries", "50", "--format", "json"))
    theirs, ours = _timeless(said, "original"), _timeless(incrowd.compare(people, saved, queries=50).json, "original")
    assert theirs == ours
    sql = "SELECT COUNT(*), AVG(age) WHERE age BETWEEN 30 AND 40 GROUP BY sex"
    said = json.loads(command("query", folder, sql, *against))
    assert _timeless(said) == _timeless(saved.query(sql, against=people).json)


def test_a_plan_says_the_same_here_and_there(parquet: Path, tmp_path: Path) -> None:
    drafted = command("init", parquet, "-o", "-")
    assert incrowd.init(parquet) == drafted
    plan = incrowd.Plan.parse(drafted)
    plan.solve.seed, plan.solve.effort, plan.release.path = 1, "low", "release"
    plan.columns = [column for column in plan.columns if column.name in ("person_id", "age", "sex", "diagnosis")]
    plan.release.others = "remove"
    with pytest.raises(incrowd.AskError, match="draft"):
        incrowd.anonymize(parquet, plan)
    plan.save(tmp_path / "plan.toml")
    command("confirm", tmp_path / "plan.toml")
    assert incrowd.Plan.read(tmp_path / "plan.toml") == plan.confirm()
    command("anonymize", tmp_path / "plan.toml", "--no-bound")
    theirs = incrowd.Release(tmp_path / "release").manifest["files"][0]["sha256"]
    read = incrowd.Plan.read(tmp_path / "plan.toml")
    made = incrowd.anonymize(read, bound=False, force=True, repeat=tmp_path / "release.internal")
    assert made.path == tmp_path / "release" and made.manifest["files"][0]["sha256"] == theirs
