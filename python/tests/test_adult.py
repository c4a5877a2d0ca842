"""Adult, anonymized at k = 10 and verified, in at most eight lines of the guide and the README."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT
from .test_documents import snippets


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_adult_is_released_in_at_most_eight_lines(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snippet = next(text for text in snippets(ROOT / page) if "adult.csv" in text)
    assert len(snippet.strip().splitlines()) <= 8
    monkeypatch.chdir(tmp_path)
    Path("adult.csv").symlink_to(Path(os.environ["INCROWD_DATA"]) / "adult.csv")
    names: dict[str, Any] = {}
    exec(compile(snippet, page, "exec"), names)  # noqa: S102
    release, qi = names["release"], names["qi"]
    assert release.verified and release.manifest["rows"] == len(names["adult"])
    # Counted here once more, by nobody's code but this.
    classes = Counter(zip(*(release.frame[column] for column in qi)))
    assert min(classes.values()) >= 10
