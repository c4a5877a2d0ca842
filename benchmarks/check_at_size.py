#!/usr/bin/env python3
"""`check` without configuration on wide and long tables, beside a bare scan of the same file.

Usage: python3 benchmarks/check_at_size.py [--bin target/release/incrowd] [--bare target/release/bare-engine] [--note TEXT]

Writes check_at_size.md beside this file. Tables are made up: columns have 2, 3, 5, 10 or 50 values in turn, and in the long table
two columns have about as many values as rows. The bare scan is DataFusion reading every cell and nothing else
(`bare-engine --scan`); each pair is measured one after the other, the best of three runs.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
GRID = [(30, 1_000), (128, 3_000), (130, 3_000), (1_000, 3_000), (10_000, 3_000), (30, 1_000_000)]
VALUES = [2, 3, 5, 10, 50]


def make(path, columns, rows):
    """A table of so many columns and rows."""
    draw = random.Random(columns * rows)
    pools = [[f"v{value}" for value in range(VALUES[column % len(VALUES)])] for column in range(columns)]
    wide = {7, 19} if rows >= 100_000 else set()
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"q{column}" for column in range(columns)) + "\n")
        for _ in range(rows):
            cells = [str(draw.randrange(rows)) if column in wide else pool[int(draw.random() * len(pool))]
                     for column, pool in enumerate(pools)]
            file.write(",".join(cells) + "\n")


def measured(command):
    """Seconds, CPU seconds and peak memory in MiB of one run, with what it printed."""
    before = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - before
        out.seek(0)
        text = out.read()
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def best(command, times):
    return min((measured(command) for _ in range(times)), key=lambda run: run[1])


def left(found):
    """What the search did not look at, in a few words."""
    words = []
    for one in found["not_searched"]:
        more = "more than " if one["at_least"] else ""
        sets = "" if one["sets"] is None else f"{more}{one['sets']:,} sets of {one['set_size']}; "
        words.append(f"{one['limit']}: {sets}{one['set_size'] + (one['sets'] is not None)} columns and more")
    return "<br>".join(words) or "nothing"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(HERE.parent / "target/release/incrowd"))
    parser.add_argument("--bare", default=str(HERE.parent / "target/release/bare-engine"))
    parser.add_argument("--note", default="Release build.")
    parser.add_argument("--times", type=int, default=3)
    args = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for columns, rows in GRID:
            path = f"{folder}/{columns}x{rows}.csv"
            make(path, columns, rows)
            scan = best([args.bare, "--scan", path], args.times)
            check = best([args.bin, "check", path, "--quiet", "--format", "json"], args.times)
            found = json.loads(check[3])
            assert found["rows"] == rows and len(found["columns"]) == columns, path
            size = os.path.getsize(path) / 2**20
            lines.append(
                f"| {columns:,} | {rows:,} | {size:,.0f} | {scan[1]:.2f} | {check[1]:.2f} | {check[1] / scan[1]:.1f} | {scan[0]:.2f} | "
                f"{check[0]:.2f} | {check[0] / scan[0]:.1f} | {scan[2]:,.0f} | {check[2]:,.0f} | {found['groupings']:,} | {left(found)} |")
            print(lines[-1], flush=True)
            os.remove(path)
    page = f"""# `check` on wide and long tables

Made by `python3 benchmarks/check_at_size.py`. Nothing is configured: roles are guessed, and column sets of up to three columns are
searched. Beside each run is DataFusion reading every cell of the same file, and nothing else; best of {args.times} runs by CPU
time. {args.note} 2026-11-16, 2 shared cores, Linux x86_64.

| columns | rows | MiB | scan, CPU s | check, CPU s | ratio | scan, s | check, s | ratio | scan, MiB | check, MiB | sets measured | not searched |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
""" + "\n".join(lines) + """

*ratio* is `check` divided by the scan. *MiB* are the size of the file and peak memory. What was not searched is what the answer says
itself (`not_searched`): the effort limit counts tuples read and depends on the table only.
"""
    (HERE / "check_at_size.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
