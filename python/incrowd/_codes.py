"""Algorithms, models and other choices, and the meaning of codes; the same lists as on the command line.

>>> import incrowd
>>> incrowd.explain("IC101").name
'k-below-threshold'
>>> "t-closeness" in [model.id for model in incrowd.listed("models")]
True
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from . import _incrowd
from .errors import AskError

Listed = Literal["algorithms", "models", "losses", "attacks", "formats"]


@dataclass(frozen=True)
class Code:
    """The stable code of a finding or a refusal."""

    code: str
    name: str
    severity: str
    summary: str
    explanation: str


@dataclass(frozen=True)
class Entry:
    """One algorithm, model, loss, attack or format."""

    id: str
    summary: str
    reference: str


def explain(code: str) -> Code:
    """The meaning of a code such as ``IC101``, or of its name: what it is, why it matters and what to do."""
    told = _incrowd.explain_code(code)
    if told is None:
        raise AskError("IC507", f"unknown code “{code}”", "see `incrowd.codes()`")
    return Code(**json.loads(told))


def codes() -> list[Code]:
    """Every code of a finding or a refusal."""
    return [Code(**entry) for entry in json.loads(_incrowd.lists())["codes"]]


def listed(what: Listed) -> list[Entry]:
    """The algorithms, models, losses, attacks or formats."""
    return [Entry(**entry) for entry in json.loads(_incrowd.lists())[what]]
