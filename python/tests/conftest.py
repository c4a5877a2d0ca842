"""What the tests share: the sample in the frames of every library, and the command line that the wheel carries."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest

import incrowd

#: The project's root, for its documents.
ROOT = Path(os.environ.get("INCROWD_ROOT") or Path(__file__).resolve().parents[2])


def _relation(frame: Any) -> Any:
    table = pyarrow.table(frame)
    return duckdb.from_arrow(table)


LIBRARIES: dict[str, tuple[Callable[[Any], Any], type]] = {
    "pandas": (lambda frame: pyarrow.table(frame).to_pandas(), pandas.DataFrame),
    "polars": (polars.DataFrame, polars.DataFrame),
    "pyarrow": (pyarrow.table, pyarrow.Table),
    "duckdb": (_relation, duckdb.DuckDBPyRelation),
    "none": (lambda frame: frame, incrowd.Frame),
}

#: Words of a release that is made quickly.
WORDS: dict[str, Any] = dict(
    qi=["age", "sex", "education"], sensitive="diagnosis", others="remove", k=5, l=2, seed=1, bound=False
)


@pytest.fixture(scope="session")
def people() -> incrowd.Frame:
    return incrowd.sample(rows=2000, seed=7)


@pytest.fixture(scope="session")
def release(people: incrowd.Frame) -> incrowd.Release:
    return incrowd.anonymize(people, **WORDS)


@pytest.fixture(params=sorted(LIBRARIES))
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def command(*words: str | os.PathLike[str], status: int = 0, folder: Path | None = None) -> str:
    """The command line, as the wheel carries it."""
    program = [os.environ["INCROWD_BIN"]] if "INCROWD_BIN" in os.environ else [sys.executable, "-m", "incrowd"]
    ran = subprocess.run([*program, *map(str, words)], capture_output=True, text=True, cwd=folder, check=False)
    assert ran.returncode == status, ran.stderr + ran.stdout
    return ran.stdout
