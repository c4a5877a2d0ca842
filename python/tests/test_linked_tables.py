"""Several tables of the same people, released together by a plan."""

from __future__ import annotations

from pathlib import Path

import incrowd
import pytest

PLAN = """
version = 1
[policy]
k = 3
[solve]
seed = 1
[[table]]
name = "patients"
source = { path = "patients.csv" }
[[table.column]]
name = "id"
role = "subject"
treatment = "pseudonym"
[[table.column]]
name = "age"
role = "quasi-identifier"
hierarchy = { intervals = [5, 20] }
[[table]]
name = "visits"
source = { path = "visits.csv" }
[[table.column]]
name = "patient"
role = "subject"
treatment = "pseudonym"
[[table.column]]
name = "month"
role = "quasi-identifier"
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    patients = ["id,age"] + [f"{4700 + place},{20 + place * 7 % 30}" for place in range(60)]
    visits = ["patient,month"] + [f"{4700 + place},{1 + place * 5 % 12}" for place in range(60) for _ in range(1 + place % 2)]
    (tmp_path / "patients.csv").write_text("\n".join(patients) + "\n")
    (tmp_path / "visits.csv").write_text("\n".join(visits) + "\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def test_tables_of_a_plan_are_released_together(plan: Path) -> None:
    release = incrowd.anonymize_tables(plan, output=plan.parent / "release")
    assert release.json["people"] == 60 and list(release.tables) == ["patients", "visits"]
    verdict = release.verify()
    assert verdict and [model.model for model in verdict.models] == ["linked-tables"]
    assert [table["name"] for table in verdict.json["tables"]] == ["patients", "visits"]
    visits = release.tables["visits"]
    assert visits.record is not None and visits.verify(against=str(plan.parent / "visits.csv"))


def test_a_plan_with_tables_is_the_same_as_an_object_and_as_a_text(plan: Path) -> None:
    read = incrowd.Plan.read(plan)
    assert [table.name for table in read.tables] == ["patients", "visits"]
    assert read.tables[0].columns[1].hierarchy == [5.0, 20.0]
    assert incrowd.Plan.parse(read.to_toml()) == read


def test_one_table_is_refused_where_the_plan_has_several(plan: Path) -> None:
    with pytest.raises(incrowd.AskError) as refused:
        incrowd.anonymize(str(plan.parent / "visits.csv"), plan=plan, output=plan.parent / "release")
    assert refused.value.code == "IC535"
    with pytest.raises(incrowd.AskError):
        incrowd.anonymize_tables(plan)
