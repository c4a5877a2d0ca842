#!/usr/bin/env python3
"""Hand-over of a polars frame to `diagnose`, beside the command line on the same rows in Parquet, in one run.

Usage: python3 benchmarks/python.py [--rows 10000000] [--runs 3] [--python PYTHON] [--incrowd PROGRAM] [--output FILE]

PYTHON is an interpreter with a release wheel of incrowd and with polars; PROGRAM is the release binary. Without them a
release wheel is built by maturin into a virtual environment of its own, and its command line is asked. Both answer
the same question on eight quasi-identifiers; the frame is in memory before the clock starts. CPU seconds are those of
the call, or of the process for the command line, as the kernel counts them. The bar is 1.3 times the command line.
Writes python.md beside this file.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run import EIGHT, ROOT

BAR = 1.3

# Runs where incrowd and polars are installed: reads the frame, then asks, with the clock around the question alone.
ASK = """
import json, resource, sys, time
import polars, incrowd
file, columns, runs = sys.argv[1], sys.argv[2].split(","), int(sys.argv[3])
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
before = cpu()
frame = polars.read_parquet(file)
read = cpu() - before
for _ in range(runs):
    started, before = time.perf_counter(), cpu()
    found = incrowd.diagnose(frame, qi=columns)
    print(json.dumps({"cpu": cpu() - before, "wall": time.perf_counter() - started, "read": read, "k": found.k,
                      "tuples": found.tuples, "rows": found.rows}), flush=True)
"""


def installed(folder: Path) -> Path:
    """An interpreter with a release wheel of this source."""
    environment = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "maturin==1.16.0", "polars"], check=True)
    target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
    words = ["build", "--release", "--locked", "--target-dir", target, "--out", folder]
    subprocess.run([environment / "bin" / "maturin", *words], cwd=ROOT / "python", check=True)
    wheel = next(folder.glob("incrowd-*.whl"))
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    return python


def by_command(program: list[str], file: Path, runs: int) -> list[dict]:
    """The command line, each run a process of its own."""
    answers = []
    for _ in range(runs):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        words = ["diagnose", str(file), "--qi", EIGHT, "--format", "json", "--quiet"]
        ran = subprocess.run([*program, *words], capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if ran.returncode > 1:
            sys.exit(ran.stderr)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        told = json.loads(ran.stdout)
        same = {key: told[key] for key in ("k", "tuples", "rows")}
        answers.append({"cpu": cpu, "wall": time.perf_counter() - started, **same})
    return answers


def by_frame(python: Path, file: Path, runs: int) -> list[dict]:
    """A frame in memory, handed over."""
    words = [str(python), "-c", ASK, str(file), EIGHT, str(runs)]
    ran = subprocess.run(words, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def page(rows: int, runs: int, command: list[dict], frame: list[dict]) -> str:
    """What was measured, least of the runs."""

    def least(answers: list[dict], what: str) -> float:
        return min(answer[what] for answer in answers)

    cpu, wall = (least(frame, what) / least(command, what) for what in ("cpu", "wall"))
    lines = [
        "# Hand-over from polars",
        "",
        f"`diagnose` on eight quasi-identifiers of {rows:,} made-up rows, least of {runs} runs, "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {datetime.date.today()}. "
        f"The machine's load was {os.getloadavg()[0]:.1f} at the end.",
        "",
        "| asked | CPU s | wall s | of the command line's CPU | of its wall |",
        "| --- | --- | --- | --- | --- |",
        f"| `incrowd diagnose people.parquet` | {least(command, 'cpu'):.2f} | {least(command, 'wall'):.2f} | 1 | 1 |",
        f"| `incrowd.diagnose(frame)`, the frame in memory | {least(frame, 'cpu'):.2f} | {least(frame, 'wall'):.2f} "
        f"| {cpu:.2f} | {wall:.2f} |",
        f"| `polars.read_parquet`, before the clock starts | {least(frame, 'read'):.2f} | – | – | – |",
        "",
        f"The bar is {BAR} times the command line's CPU seconds: {'met' if cpu <= BAR else 'NOT met'}.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Hand-over of a polars frame, beside the command line.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--python", type=Path)
    parser.add_argument("--incrowd")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="incrowd-bench-") as name:
        folder = Path(name)
        python = words.python or installed(folder)
        program = [words.incrowd] if words.incrowd else [str(python), "-m", "incrowd"]
        file = folder / "people.parquet"
        subprocess.run([*program, "sample", "--rows", str(words.rows), "-o", str(file), "--quiet"], check=True)
        command, frame = by_command(program, file, words.runs), by_frame(python, file, words.runs)
    answers = {(answer["rows"], answer["k"], answer["tuples"]) for answer in command + frame}
    if len(answers) != 1:
        sys.exit(f"the answers differ: {answers}")
    written = page(words.rows, words.runs, command, frame)
    words.output.write_text(written, encoding="utf-8")
    print(written)


if __name__ == "__main__":
    main()
