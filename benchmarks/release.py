#!/usr/bin/env python3
"""A release of census-like rows beside the bare engine's scan, group, random-order sort and write, in one run.

Usage: python3 benchmarks/release.py [--rows 10000000] [--runs 3] [--no-build]

Parquet to Parquet: eight quasi-identifiers recoded, diagnosis and salary-class kept, all other columns removed; k = 10
and α = 0.5 on every diagnosis, Top-Down, --memory 4GiB. The bare engine groups by the eight quasi-identifiers and writes
the same ten columns in random order. Writes release.md beside this file.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import tempfile
from pathlib import Path

from run import EIGHT, ROOT, Bench, measure

KEPT = "diagnosis,salary-class"


class Release(Bench):
    def anonymize(self, parquet, target, *more):
        shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(f"{target}.internal", ignore_errors=True)
        return [self.incrowd, "anonymize", parquet, "--qi", EIGHT, "--sensitive", KEPT, "--alpha", "diagnosis=0.5",
                "--others", "remove", "--k", "10", "--algorithm", "top-down", "--format", "json", "-o", target, *more]

    def run(self):
        self.build()
        rows, runs = self.arguments.rows, self.arguments.runs
        parquet = self.table(f"census-{rows}.parquet", rows)
        target, bare = str(self.folder / "release"), self.folder / "bare.parquet"
        limit = ["--memory", "4GiB", "--temp", str(self.folder / "temp")]
        got = {"bare": [], "incrowd": []}
        for _ in range(runs):
            bare.unlink(missing_ok=True)
            got["bare"].append(measure([self.bare, "--release", str(bare), f"{EIGHT},{KEPT}", parquet, EIGHT]))
            got["incrowd"].append(measure(self.anonymize(parquet, target, *limit)))
        least = {name: {key: min(run[key] for run in kept) for key in ("cpu", "wall", "mib")} for name, kept in got.items()}
        verify = measure([self.incrowd, "verify", target])
        answer = json.loads(got["incrowd"][-1]["output"])
        cpu = platform.processor() or platform.machine()
        self.say("# A release beside the bare engine\n")
        self.say(f"`python3 benchmarks/release.py --rows {rows}` on {datetime.date.today()}, {os.cpu_count()} cores ({cpu}), "
                 f"{platform.system()}; least of {runs} runs in turns; the machine is shared, so CPU seconds and ratios count.\n")
        self.say(f"{rows:,} rows, Parquet to Parquet, 8 quasi-identifiers, k = 10, α = 0.5 on every diagnosis.\n")
        self.say("| | CPU s | wall s | peak MiB | CPU ratio | wall ratio |\n| --- | ---: | ---: | ---: | ---: | ---: |")
        for name, words in (("bare", "bare DataFusion: scan, group, ORDER BY random(), write"),
                            ("incrowd", "incrowd anonymize --memory 4GiB: all of it, solved, verified, searched")):
            one = least[name]
            self.say(f"| {words} | {one['cpu']:.2f} | {one['wall']:.2f} | {one['mib']:,.0f} | "
                     f"{one['cpu'] / least['bare']['cpu']:.2f}× | {one['wall'] / least['bare']['wall']:.2f}× |")
        self.say(f"| incrowd verify, alone | {verify['cpu']:.2f} | {verify['wall']:.2f} | {verify['mib']:,.0f} | | |")
        self.say(f"\n{answer['tuples']:,} tuples, {answer['classes']:,} classes, smallest {answer['smallest_class']}, LM "
                 f"{answer['loss']['lm']:.4f}, solver {answer['solve_seconds']:.1f} s wall, "
                 f"{answer['spilled_bytes']:,} bytes through the disk, verified: {answer['verified']}.")
        (ROOT / "benchmarks" / "release.md").write_text("\n".join(self.lines) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-build", action="store_true", help="use the release binaries that are there")
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "incrowd-bench"))
    Release(parser.parse_args()).run()
