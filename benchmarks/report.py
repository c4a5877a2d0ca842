#!/usr/bin/env python3
"""What a report costs beside the release it is about, in one run.

Usage: python3 benchmarks/report.py --incrowd PATH [--rows 1000000 10000000] [--runs 3] [--output FILE]

For each number of rows: `anonymize` with and without its pages, `report` from the dossier that was kept, and `report
--verify`, which reads, verifies and attacks the files again. Parquet to Parquet, eight quasi-identifiers, k = 10, α = 0.5
on every diagnosis, Top-Down. PATH should be a release build. Writes report.md beside this file.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import tempfile
from pathlib import Path

from run import EIGHT, ROOT, measure

KEPT = "diagnosis,salary-class"
BAR = 0.10


def least(runs):
    return {key: min(run[key] for run in runs) for key in ("cpu", "wall", "mib")}


def at(incrowd, folder, rows, runs):
    """Least costs by name, and what `anonymize` answered."""
    table = folder / f"census-{rows}.parquet"
    if not table.exists():
        measure([incrowd, "sample", "--rows", str(rows), "-o", str(table)])
    target, pages = str(folder / "report-bench"), str(folder / "report-bench.report")
    make = [incrowd, "anonymize", str(table), "--qi", EIGHT, "--sensitive", KEPT, "--alpha", "diagnosis=0.5", "--others",
            "remove", "--k", "10", "--algorithm", "top-down", "--no-bound", "--force", "--format", "json", "-o", target,
            "--memory", "4GiB", "--temp", str(folder / "temp")]
    words = {"bare": [*make, "--no-report"], "made": make, "kept": [incrowd, "report", target, "-o", pages],
             "again": [incrowd, "report", target, "-o", pages, "--verify"]}
    got = {name: [] for name in words}
    for _ in range(runs):
        for name, command in words.items():
            got[name].append(measure(command))
    answer = json.loads(got["made"][-1]["output"])
    for path in (target, f"{target}.internal", pages):
        shutil.rmtree(path, ignore_errors=True)
    return {name: least(kept) for name, kept in got.items()}, answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--incrowd", required=True, help="the program to measure")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "incrowd-bench"))
    parser.add_argument("--output", default=str(ROOT / "benchmarks" / "report.md"))
    arguments = parser.parse_args()
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    cpu = platform.processor() or platform.machine()
    rows = " ".join(str(count) for count in arguments.rows)
    lines = ["# What a report costs", "",
             f"`python3 benchmarks/report.py --rows {rows}` on {datetime.date.today()}, {os.cpu_count()} cores ({cpu}), "
             f"{platform.system()}; least of {arguments.runs} runs in turns; the machine is shared, so CPU seconds and ratios "
             "count.", "",
             "Parquet to Parquet, 8 quasi-identifiers, k = 10, α = 0.5 on every diagnosis, Top-Down. `report` takes the dossier "
             "that was kept with the release and checks the SHA-256 of every file; `report --verify` reads, verifies and "
             f"attacks the files again. The bar for `report` is {BAR:.0%} of `anonymize`.", ""]
    for count in arguments.rows:
        costs, answer = at(arguments.incrowd, folder, count, arguments.runs)
        lines += [f"## {count:,} rows", "",
                  "| | CPU s | wall s | peak MiB | CPU against anonymize | wall against anonymize |",
                  "| --- | ---: | ---: | ---: | ---: | ---: |"]
        for name, told in (("bare", "anonymize --no-report"), ("made", "anonymize"), ("kept", "report"),
                           ("again", "report --verify")):
            one = costs[name]
            lines.append(f"| {told} | {one['cpu']:.2f} | {one['wall']:.2f} | {one['mib']:,.0f} | "
                         f"{one['cpu'] / costs['made']['cpu']:.1%} | {one['wall'] / costs['made']['wall']:.1%} |")
        share = costs["kept"]["wall"] / costs["made"]["wall"]
        lines += ["", f"{answer['tuples']:,} tuples, {answer['classes']:,} classes. `report` takes {share:.1%} of the time of "
                      f"`anonymize`: the bar is {'met' if share <= BAR else 'not met'}.", ""]
    Path(arguments.output).write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
