#!/usr/bin/env python3
"""Reading a table from PostgreSQL: `diagnose` beside a bare binary COPY into Arrow, in one run.

Starts a PostgreSQL of its own (`.ci/postgres`), fills it with the seeded sample table, and runs both in turns. The bar: `diagnose`
reads at least 70 % of the rows per second of the bare COPY, which reads the same columns on as many connections.
"""

import argparse
import csv
import datetime
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EIGHT = "age,workclass,education,marital-status,occupation,race,sex,native-country"
BAR = 0.70


def fill(url, table, path):
    """The table: numbers as integers, dates as dates, the rest as text; then its rows."""
    with open(path, newline="") as file:
        rows = csv.reader(file)
        names, first = next(rows), next(rows)

    def of(cell):
        if cell.isdigit() and (cell == "0" or cell[0] != "0"):
            return "integer"
        return "date" if len(cell) == 10 and cell[4] == cell[7] == "-" else "text"

    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    types = ["text" if name == "postcode" else of(cell) for name, cell in zip(names, first)]
    columns = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, types))
    psql = ["psql", "-q", "-v", "ON_ERROR_STOP=1", url]
    create = f"CREATE UNLOGGED TABLE {table} ({columns})"
    subprocess.run([*psql, "-c", create, "-c", f"\\copy {table} FROM '{path}' (FORMAT csv, HEADER)",
                    "-c", f"VACUUM (FREEZE, ANALYZE) {table}"], check=True)


def timed(command, environment=None):
    """Wall and CPU seconds of a process, and what it printed."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{command[0]} failed")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime, output.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--binaries", help="the folder of incrowd and bare-engine [default: target/release, built anew]")
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "incrowd-bench"))
    arguments = parser.parse_args()
    if arguments.binaries:
        binaries = Path(arguments.binaries)
    else:
        for crate in ("incrowd-cli", "bare-engine"):
            subprocess.run(["cargo", "build", "--release", "--locked", "-p", crate], cwd=ROOT, check=True)
        binaries = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
    incrowd, bare = str(binaries / "incrowd"), str(binaries / "bare-engine")
    Path(arguments.folder).mkdir(parents=True, exist_ok=True)
    sample = Path(arguments.folder) / f"census-{arguments.rows}.csv"
    if not sample.exists():
        subprocess.run([incrowd, "sample", "--rows", str(arguments.rows), "-o", str(sample), "-q"], check=True)

    started = subprocess.run([str(ROOT / ".ci/postgres"), "start"], check=True, capture_output=True, text=True)
    folder, url = started.stdout.split()
    try:
        fill(url, "census", sample)
        environment = {**os.environ, "DATABASE_URL": url}
        grouped = ", ".join(f'"{name}"' for name in EIGHT.split(","))
        group_by = f"SELECT min(c), count(*) FROM (SELECT count(*) AS c FROM census GROUP BY {grouped}) t"
        contestants = {
            "bare COPY into Arrow, 1 connection": [bare, "--copy", url, "census", EIGHT, "1"],
            "bare COPY into Arrow, 2 connections": [bare, "--copy", url, "census", EIGHT, "2"],
            "incrowd diagnose, 2 threads": [incrowd, "diagnose", "postgres:census", "--qi", EIGHT, "--threads", "2",
                                            "--format", "json", "-q"],
            "GROUP BY on the server (psql)": ["psql", "-qAt", url, "-c", group_by],
        }
        best = {}
        for _ in range(arguments.runs):
            for name, command in contestants.items():
                wall, cpu, output = timed(command, environment)
                if name not in best or wall < best[name][0]:
                    best[name] = (wall, cpu, output)
    finally:
        subprocess.run([str(ROOT / ".ci/postgres"), "stop", folder], check=True)

    found = json.loads(best["incrowd diagnose, 2 threads"][2])
    assert found["rows"] == arguments.rows, "diagnose met another number of rows"
    least, classes = map(int, best["GROUP BY on the server (psql)"][2].strip().split("|"))
    assert (found["k"], found["tuples"]) == (least, classes), "diagnose disagrees with the server's GROUP BY"
    lines = ["# Reading from PostgreSQL\n",
             f"`python3 benchmarks/postgres.py --rows {arguments.rows}` on {datetime.date.today()}, {os.cpu_count()} cores that also "
             f"run the server; least wall time of {arguments.runs} runs in turns; {arguments.rows:,} rows, 8 of 13 columns.\n",
             "| | wall s | client CPU s | rows/s |\n| --- | ---: | ---: | ---: |"]
    for name, (wall, cpu, _) in best.items():
        lines.append(f"| {name} | {wall:.2f} | {cpu:.2f} | {arguments.rows / wall:,.0f} |")
    walls = {name: wall for name, (wall, _, _) in best.items()}
    ours = walls["incrowd diagnose, 2 threads"]
    for connections in ("1 connection", "2 connections"):
        share = walls[f"bare COPY into Arrow, {connections}"] / ours
        verdict = "met" if share >= BAR else "NOT met"
        lines.append(f"\ndiagnose reads {100 * share:.0f} % of the rows per second of the bare COPY on {connections} "
                     f"(bar {100 * BAR:.0f} %: {verdict}).")
    print("\n".join(lines))
    (ROOT / "benchmarks/postgres.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
