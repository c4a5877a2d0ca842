"""What the documents say is run: docstrings, the guide, the README, the notebook."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import incrowd

from .conftest import ROOT

MODULES = ["incrowd", *(f"incrowd.{one.name}" for one in pkgutil.iter_modules(incrowd.__path__) if one.name[0] != "_")]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_docstrings_are_true(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tested = doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS)
    assert tested.failed == 0


def test_docstrings_have_examples() -> None:
    found = [one for name in MODULES for one in doctest.DocTestFinder().find(importlib.import_module(name))]
    assert len([one for one in found if one.examples]) >= 12


def snippets(page: Path) -> list[str]:
    """The Python of a page, in order."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize("page", ["docs/python.md", "README.md", "python/README.md"])
def test_the_snippets_of_a_page_run_from_its_first_line(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _tables_of_the_pages()
    found = snippets(ROOT / page)
    assert found, "the page has Python"
    names: dict[str, object] = {}
    for at, snippet in enumerate(found):
        exec(compile(snippet, f"{page}, snippet {at + 1}", "exec"), names)  # noqa: S102


def _tables_of_the_pages() -> None:
    """The files that the pages read: made up, or, for Adult, of the folder of test tables."""
    import polars

    people = polars.DataFrame(incrowd.sample(rows=3000))
    people.write_csv("people.csv")
    people.write_parquet("people.parquet")
    adult = Path(os.environ["INCROWD_DATA"]) / "adult.csv"
    Path("adult.csv").symlink_to(adult)


NOTEBOOKS = sorted((ROOT / "python/examples").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_from_its_first_cell(notebook: Path, tmp_path: Path) -> None:
    page = nbformat.read(notebook, as_version=4)
    NotebookClient(page, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in page.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("text/html" in output.get("data", {}) for output in shown), "answers are shown as HTML"
    kept = nbformat.read(notebook, as_version=4)
    assert all(not cell.get("outputs") for cell in kept.cells), "no output is kept in the repository"


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
