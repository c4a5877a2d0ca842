"""The benchmark of the hand-over runs, on few rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from .conftest import ROOT


def test_the_hand_over_is_measured_and_the_answers_agree(tmp_path: Path) -> None:
    words = ["--rows", "20000", "--runs", "1", "--python", sys.executable, "--output", str(tmp_path / "python.md")]
    subprocess.run([sys.executable, str(ROOT / "benchmarks/python.py"), *words], check=True, capture_output=True)
    assert "`incrowd.diagnose(frame)`" in (tmp_path / "python.md").read_text(encoding="utf-8")
