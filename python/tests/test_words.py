"""Plans, refusals and what a notebook shows."""

from __future__ import annotations

import pickle
from pathlib import Path

import polars
import pytest

import incrowd
from incrowd._given import _bytes
from incrowd.plan import ColumnPlan, Plan, PolicyPlan, ReleasePlan, RunPlan, SolvePlan

EVIL = "<img src=x onerror=alert(1)>"


def test_a_plan_is_the_same_after_a_trip_to_its_file(tmp_path: Path) -> None:
    plan = Plan(
        policy=PolicyPlan(
            k=7,
            suppress=0.01,
            alpha=[incrowd.AlphaPlan("illness", "1/3", ["HIV"], "refined")],
            rules=[incrowd.RulePlan("t-closeness", "illness", t=0.2, distance="equal")],
            limits=[incrowd.LimitPlan("learning", 0.4, "top")],
        ),
        solve=SolvePlan(seed=3, effort=0.5, time=2.5, diversity_weights={"illness": 0.5}),
        release=ReleasePlan(report=False),
        run=RunPlan(threads=2, cluster="df://127.0.0.1:50050"),
        columns=[ColumnPlan("age", "quasi-identifier", hierarchy=[5, 10]), ColumnPlan("born", "sensitive", "%d.%m.%Y")],
    )
    plan.save(tmp_path / "incrowd.toml")
    read = Plan.read(tmp_path / "incrowd.toml")
    assert read == plan and read.folder == str(tmp_path)
    assert set(Plan.schema()["properties"]) >= {"version", "source", "policy", "column"}


def test_a_plan_that_cannot_be_is_refused_with_its_line() -> None:
    with pytest.raises(incrowd.AskError, match="line 6"):
        Plan.parse('version = 1\n[source]\npath = "x"\n[policy]\nk = 5\nK = 5\n')
    with pytest.raises(incrowd.AskError, match="IC502"):
        Plan(policy=PolicyPlan(rules=[incrowd.RulePlan("k-anonymity", "age")])).to_toml()


def test_what_is_said_in_a_call_overrules_the_plan(people: incrowd.Frame) -> None:
    plan = Plan(
        policy=PolicyPlan(k=3),
        columns=[
            ColumnPlan("age", "quasi-identifier", hierarchy=[10, 20]),
            ColumnPlan("sex", "quasi-identifier"),
            ColumnPlan("diagnosis", "sensitive"),
        ],
    )
    found = incrowd.diagnose(people, plan, qi=["sex"])
    assert found.quasi_identifiers == ["sex"] and incrowd.diagnose(people, plan).quasi_identifiers == ["age", "sex"]
    assert incrowd.check(people, plan).k_asked == 3 and incrowd.check(people, plan, k=4).k_asked == 4
    made = incrowd.anonymize(people, plan, k=6, l=2, others="remove", seed=1, bound=False)
    models = made.manifest["policy"]["models"]
    assert [model["model"] for model in models] == ["k-anonymity", "distinct-l-diversity"]
    assert models[0]["parameters"]["k"] == 6 and made.frame.column_names == ["age", "sex", "diagnosis"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (dict(qi=["age"], sensitive="age", k=2), "IC504"),
        (dict(qi=["age"], k=2), "IC506"),
        (dict(qi=["age"], k=2, l=2, others="remove"), "IC504"),
        (dict(qi=["age"], others="remove"), "IC504"),
        (dict(qi=["age"], k=2, others="remove", algorithm="luck"), "IC507"),
        (dict(qi=["age"], k=2, others="remove", hierarchies={"sex": "flat"}), "IC501"),
        (dict(qi=["age"], k=2, others="remove", memory="much"), "IC507"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_way_out(people: incrowd.Frame, words: dict, code: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(incrowd.AskError) as refused:
        incrowd.anonymize(people, **words)
    assert refused.value.code == code and refused.value.explain().explanation
    copied = pickle.loads(pickle.dumps(refused.value))
    assert (type(copied), str(copied)) == (type(refused.value), str(refused.value))


def test_a_hint_names_keyword_arguments_and_no_flags(people: incrowd.Frame, tmp_path: Path) -> None:
    with pytest.raises(incrowd.AskError) as undeclared:
        incrowd.anonymize(people, qi=["age"], k=2)
    hint = 'give each a role with qi=, sensitive=, identifier= or insensitive=; `others="remove"` removes the rest'
    assert undeclared.value.hint == hint
    (tmp_path / "rows.csv").write_text("1,2\n3,4\n5,6\n")
    with pytest.raises(incrowd.ReadError) as unnamed:
        incrowd.check(tmp_path / "rows.csv")
    assert "use header=False" in unnamed.value.hint and "--" not in unnamed.value.hint


def test_what_only_the_command_line_does_is_refused(people: incrowd.Frame) -> None:
    words = dict(qi=["age"], k=2, others="remove")
    for place in ("postgres:public.released", "s3://bucket/released"):
        with pytest.raises(incrowd.AskError, match="no release is written to a database"):
            incrowd.anonymize(people, output=place, **words)  # type: ignore[arg-type]
    with pytest.raises(incrowd.ReadError, match="IC422"):
        incrowd.check(people, Plan(run=RunPlan(cluster="df://127.0.0.1:50050")))


def test_a_release_is_made_with_its_pages_or_without(people: incrowd.Frame) -> None:
    words = dict(qi=["age"], k=2, others="remove", seed=1, bound=False)
    made = incrowd.anonymize(people, **words)  # type: ignore[arg-type]
    assert (made.path / made.manifest["report"]["name"]).is_file() and made.verify()
    plain = incrowd.anonymize(people, report=False, **words)  # type: ignore[arg-type]
    assert "report" not in plain.manifest and plain.verify()


def test_a_misspelt_word_is_no_word(people: incrowd.Frame) -> None:
    with pytest.raises(TypeError, match="treads"):
        incrowd.check(people, treads=2)  # type: ignore[call-arg]


def test_sizes_are_read_as_on_the_command_line() -> None:
    assert [_bytes(size) for size in ("16MiB", "1.5GB", 77 << 20, None)] == [16 << 20, 1_500_000_000, 77 << 20, None]
    for size in (7, "15MiB"):
        with pytest.raises(incrowd.AskError, match="IC626"):
            _bytes(size)


def test_every_code_explains_itself() -> None:
    assert len(incrowd.codes()) > 30
    assert incrowd.explain("IC101").severity == "danger"
    with pytest.raises(incrowd.AskError):
        incrowd.explain("IC999")
    assert {"auto", "mondrian"} <= {entry.id for entry in incrowd.listed("algorithms")}


def test_what_a_notebook_shows_is_escaped_and_coloured(people: incrowd.Frame) -> None:
    frame = polars.DataFrame({EVIL: ["a", "b"] * 20, "name": [EVIL + str(row) for row in range(40)]})
    shown = incrowd.check(frame, show_values=True)._repr_html_()
    shown += incrowd.diagnose(frame, qi=EVIL)._repr_html_()
    made = incrowd.anonymize(frame, k=2, qi=EVIL, identifier="name", bound=False)
    shown += made._repr_html_() + made.verify()._repr_html_() + made.attack()._repr_html_()
    shown += made.query(f'SELECT COUNT(*) GROUP BY "{EVIL}"')._repr_html_()
    shown += incrowd.compare(frame, made, queries=5, dimensionality=1)._repr_html_()
    assert EVIL not in shown and "&lt;img src=x" in shown
    assert "#c0392b" in shown and "#b7950b" in shown, "identifiers red, quasi-identifiers yellow"
    assert ">I <" in shown and ">Q <" in shown, "and a letter for those who do not see colours"


def test_answers_are_typed_and_say_yes_or_no(people: incrowd.Frame) -> None:
    found = incrowd.check(people)
    assert isinstance(found.findings[0], incrowd.Finding) and isinstance(found.dangerous_sets[0], incrowd.SetRisk)
    assert str(found.findings[0]).startswith("danger IC1") and found.verdict in repr(found)
    assert incrowd.diagnose(people, qi=["sex"], k=5) and not incrowd.diagnose(people, qi=["postcode"])
