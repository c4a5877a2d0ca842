#!/usr/bin/env python3
"""How long a workbook takes to be read, beside the library that reads it alone.

    cargo build --release -p incrowd-cli --bins && cargo build --release -p incrowd-engine --example bare_workbook
    python3 benchmarks/workbooks.py --binary target/release/incrowd --bare target/release/examples/bare_workbook --rows 1000000

Writes the made-up census as a workbook by releasing it with k = 1, reads it by `incrowd diagnose` and by the library in
turns, and prints the medians of CPU and wall time, their ratios, and the largest memory.
"""

import argparse
import os
import platform
import statistics
import subprocess
import tempfile
import time
from datetime import date
from pathlib import Path


def measured(words, folder):
    """Wall seconds, CPU seconds and the largest memory in MiB of a command."""
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.execv(words[0], words)
    _, status, used = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 1), words
    return time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--bare", required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=3)
    asked = parser.parse_args()
    binary, bare = (str(Path(path).resolve()) for path in (asked.binary, asked.bare))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        run = lambda *words: subprocess.run([binary, *words], cwd=folder, check=True, capture_output=True)
        run("sample", "--rows", str(asked.rows), "-o", "census.csv", "--quiet")
        run("anonymize", "census.csv", "--qi", "sex", "--others", "keep", "--keep-identifying",
            "person_id,birth-date,postcode", "--rows-are-people", "--k", "1", "--algorithm", "mondrian",
            "--no-report", "--no-bound", "--output-format", "xlsx", "-o", "release", "--quiet")
        workbook = folder / "release" / "data.xlsx"
        figures = {"incrowd": [], "bare": [], "csv": []}
        for _ in range(asked.turns):
            figures["bare"].append(measured([bare, str(workbook)], folder))
            figures["incrowd"].append(measured([binary, "diagnose", str(workbook), "--qi", "age,sex", "--quiet"], folder))
            figures["csv"].append(measured([binary, "diagnose", "census.csv", "--qi", "age,sex", "--quiet"], folder))
        size = workbook.stat().st_size / 2**20
    middle = {name: [statistics.median(run[at] for run in runs) for at in range(3)] for name, runs in figures.items()}
    ratio = lambda at: middle["incrowd"][at] / middle["bare"][at]
    print(f"# Workbooks of {asked.rows:,} rows\n")
    print(f"Measured {date.today()} on {platform.machine()} with {os.cpu_count()} shared cores by\n"
          f"`python3 benchmarks/workbooks.py --rows {asked.rows} --turns {asked.turns}` on a workbook of {size:.0f} MiB.\n")
    print("| | wall | CPU | memory |\n| --- | --- | --- | --- |")
    names = {"bare": "the library alone, all cells", "incrowd": "`incrowd diagnose` of the workbook",
             "csv": "`incrowd diagnose` of the same rows as CSV"}
    for name, words in names.items():
        wall, cpu, memory = middle[name]
        print(f"| {words} | {wall:.2f} s | {cpu:.2f} s | {memory:.0f} MiB |")
    print(f"| workbook / library | **{ratio(0):.2f} ×** | {ratio(1):.2f} × | |")


if __name__ == "__main__":
    main()
