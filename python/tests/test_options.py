"""The keyword arguments of a call mean what the declared options do."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import incrowd
from incrowd import _incrowd
from incrowd._given import given
from incrowd._options import AnonymizeOptions
from incrowd.plan import AlphaPlan, Plan, RulePlan

ROLES = ("qi", "sensitive", "identifier", "insensitive", "subject")
USUAL: dict[str, object] = {"k": 5, "qi": ["age", "sex"], "sensitive": ["illness", "wage"], "insensitive": ["birth"]}


def _argument(name: str, value: object) -> object:
    """The value as somebody would write it in a call."""
    if name == "rules":
        assert isinstance(value, list)
        return [RulePlan(**rule) for rule in value]
    if name == "alpha":
        assert isinstance(value, list)
        return [AlphaPlan(**bound) for bound in value]
    if name == "hierarchies":
        assert isinstance(value, dict)
        return {column: word.get("build") or word["file"] for column, word in value.items()}
    return value


def _usual(name: str, said: object) -> dict[str, object]:
    """The usual settings without this option, and without another role of the columns that it names."""
    taken = said if isinstance(said, list) and name in ROLES else [said]
    return {
        one: [column for column in value if column not in taken] if isinstance(value, list) else value
        for one, value in USUAL.items()
        if one != name
    }


@pytest.mark.parametrize("name", sorted(set(AnonymizeOptions.__annotations__) - {"progress"}))
def test_every_keyword_argument_means_what_its_option_means(name: str) -> None:
    said = json.loads(_incrowd.option_example(name, json.dumps({"k": 5} if name in ROLES else USUAL))[0])
    usual = _usual(name, said)
    _, expected = _incrowd.option_example(name, json.dumps(usual))
    with given(None, {**usual, name: _argument(name, said)}, known=AnonymizeOptions) as asked:
        # Files that a call names are named from the root.
        told = _incrowd.options_of(asked).replace(f"{Path.cwd()}/", "")
    assert told == expected


def test_the_signature_names_every_option() -> None:
    parameters = inspect.signature(incrowd.anonymize).parameters
    assert set(AnonymizeOptions.__annotations__) <= set(parameters)
    assert {"table", "plan", "output"} <= set(parameters)


def test_the_hash_of_a_plan_is_that_of_its_file(people: incrowd.Frame, tmp_path: Path) -> None:
    text = (
        'version = 1\n[source]\npath = "people.csv"\n[policy]\nk = 5\n[release]\nothers = "remove"\n'
        '[[column]]\nname = "age"\nrole = "quasi-identifier"\n'
    )
    (tmp_path / "incrowd.toml").write_text(text, encoding="utf-8")
    plan = Plan.read(tmp_path / "incrowd.toml")
    with given(plan, {}, known=AnonymizeOptions) as asked:
        assert asked.file is not None and "plan_hash: Some(" in _incrowd.options_of(asked)
    plan.policy.k = 6
    with given(plan, {}, known=AnonymizeOptions) as asked:
        assert asked.file is None and "plan_hash: None" in _incrowd.options_of(asked)
