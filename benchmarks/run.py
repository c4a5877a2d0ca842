#!/usr/bin/env python3
"""incrowd beside the bare engine and DuckDB, in one run. See benchmarks/README.md."""

import argparse
import datetime
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EIGHT = "age,workclass,education,marital-status,occupation,race,sex,native-country"
TEN = EIGHT + ",postcode,birth-date"
DUCKDB = """
import sys, duckdb
file, columns, memory, temp = sys.argv[1:5]
con = duckdb.connect()
con.execute("SET threads = %d" % int(sys.argv[5]))
if memory != "-":
    con.execute(f"SET memory_limit = '{memory}'"); con.execute(f"SET temp_directory = '{temp}'")
names = ", ".join('"' + name + '"' for name in columns.split(","))
print(con.execute(f"SELECT min(c), count(*) FROM (SELECT count(*) AS c FROM '{file}' GROUP BY {names})").fetchall())
"""


def measure(command):
    """Runs a command; its wall and CPU seconds, peak memory in MiB and output."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output = process.stdout.read()
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        raise SystemExit(f"{command[0]} failed with {code}: {errors.decode()[-2000:]}")
    cpu = usage.ru_utime + usage.ru_stime
    return {"wall": time.perf_counter() - started, "cpu": cpu, "mib": usage.ru_maxrss / 1024, "output": output.decode()}


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = Path(arguments.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
        self.lines = []

    def say(self, line=""):
        print(line, flush=True)
        self.lines.append(line)

    def build(self):
        if not self.arguments.no_build:
            # One after the other: built together, both would have the features that DataFusion asks for.
            for crate in ("incrowd-cli", "bare-engine"):
                subprocess.run(["cargo", "build", "--release", "--locked", "-p", crate], cwd=ROOT, check=True)
        self.incrowd, self.bare = str(self.target / "incrowd"), str(self.target / "bare-engine")

    def table(self, name, rows):
        path = self.folder / name
        if not path.exists():
            subprocess.run([self.incrowd, "sample", "--rows", str(rows), "-o", str(path)], check=True)
        return str(path)

    def diagnose(self, file, columns, *more):
        return [self.incrowd, "diagnose", file, "--qi", columns, "--format", "json", *more]

    def duckdb(self, file, columns, memory="-"):
        if importlib.util.find_spec("duckdb") is None:
            return None
        return [sys.executable, "-c", DUCKDB, file, columns, memory, str(self.folder), str(os.cpu_count())]

    def compare(self, title, contestants, runs, note=None):
        """Runs the contestants in turns and prints the least of each; the first is the yardstick."""
        self.say(f"\n### {title}\n")
        self.say("| | CPU s | wall s | peak MiB | CPU ratio |\n| --- | ---: | ---: | ---: | ---: |")
        if self.arguments.beside:
            contestants = [one for name, command in contestants for one in self.with_other(name, command)]
        best = {}
        for _ in range(runs):
            for name, command in contestants:
                if command is None:
                    continue
                got = measure(command)
                kept = best.setdefault(name, got)
                for figure in ("cpu", "wall", "mib"):
                    kept[figure] = min(kept[figure], got[figure])
        yardstick = next(iter(best.values()))["cpu"]
        for name, command in contestants:
            if command is None:
                self.say(f"| {name} | not installed | | | |")
                continue
            got = best[name]
            ratio = f"{got['cpu'] / yardstick:.2f}×"
            self.say(f"| {name} | {got['cpu']:.2f} | {got['wall']:.2f} | {got['mib']:,.0f} | {ratio} |")
        for name, got in best.items():
            if name.startswith("incrowd") and got["output"].lstrip().startswith("{"):
                found = json.loads(got["output"])
                keys = ("rows", "tuples", "k", "unique_rows", "spilled_bytes")
                figures = ", ".join(f"{key} {found[key]:,}" for key in keys if key in found)
                self.say(f"\n{name}: {figures}")
        if note:
            self.say(f"\n{note}")

    def with_other(self, name, command):
        """A contestant, and if it is incrowd, the same command of the other binary."""
        other = [self.arguments.beside, *command[1:]] if command and command[0] == self.incrowd else None
        return [(name, command)] + ([(f"{name}, other binary", other)] if other else [])

    def run(self):
        self.build()
        rows, runs = self.arguments.rows, self.arguments.runs
        cpu = platform.processor() or platform.machine()
        self.say("# Benchmark results\n")
        self.say(f"`python3 benchmarks/run.py{' --large' if self.arguments.large else ''}` on {datetime.date.today()}, "
                 f"{os.cpu_count()} cores ({cpu}), {platform.system()}; least of {runs} runs in turns (of 1 for 10⁸ rows); "
                 "the machine is shared, so CPU seconds and ratios count, not wall time.")
        parquet = self.table(f"census-{rows}.parquet", rows)
        self.compare(f"Smallest class, {rows:,} rows in Parquet, 8 quasi-identifiers", [
            ("bare DataFusion", [self.bare, parquet, EIGHT]),
            ("incrowd diagnose", self.diagnose(parquet, EIGHT)),
            ("incrowd diagnose --all-sets (255 sets)", self.diagnose(parquet, EIGHT, "--all-sets")),
            ("incrowd diagnose --sets --k 5", self.diagnose(parquet, EIGHT, "--sets", "--k", "5")),
            ("DuckDB", self.duckdb(parquet, EIGHT)),
        ], runs)
        csv = self.table("census-1000000.csv", 1_000_000)
        self.compare("check on 1,000,000 rows of CSV, all 13 columns", [
            ("bare DataFusion, grouped once by the 10 quasi-identifiers", [self.bare, csv, TEN]),
            ("incrowd check", [self.incrowd, "check", csv, "--format", "json"]),
            ("DuckDB, grouped once by the 10 quasi-identifiers", self.duckdb(csv, TEN)),
        ], runs)
        if self.arguments.large:
            self.large()
        if not self.arguments.beside:
            (ROOT / "benchmarks" / "results.md").write_text("\n".join(self.lines) + "\n")

    def large(self):
        rows = 100_000_000
        parquet = self.table(f"census-{rows}.parquet", rows)
        limit = ["--memory", "4GiB", "--temp", str(self.folder / "temp")]
        self.compare(f"{rows:,} rows in Parquet, 8 quasi-identifiers, --memory 4GiB", [
            ("bare DataFusion, no limit", [self.bare, parquet, EIGHT]),
            ("incrowd diagnose", self.diagnose(parquet, EIGHT, *limit)),
            ("DuckDB, 4 GiB", self.duckdb(parquet, EIGHT, "4GiB")),
        ], 1)
        tight = ["--memory", "1GiB", "--temp", str(self.folder / "temp")]
        spill = self.folder / "datafusion"
        spill.mkdir(exist_ok=True)
        self.compare(f"{rows:,} rows, 10 quasi-identifiers: almost as many tuples as rows", [
            ("DuckDB, 4 GiB", self.duckdb(parquet, TEN, "4GiB")),
            ("incrowd diagnose --memory 4GiB", self.diagnose(parquet, TEN, *limit)),
            ("incrowd diagnose --memory 1GiB (spills)", self.diagnose(parquet, TEN, *tight)),
            ("bare DataFusion, 4 GiB (spills)", [self.bare, parquet, TEN, str(4 << 30), str(spill)]),
        ], 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="also 10⁸ rows under a memory limit")
    parser.add_argument("--no-build", action="store_true", help="use the release binaries that are there")
    parser.add_argument("--beside", help="another incrowd to measure in turns, such as one of an older version; prints only")
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "incrowd-bench"))
    Bench(parser.parse_args()).run()
