#!/usr/bin/env python3
"""What it costs to protect all rows of a person, beside protecting each row. See benchmarks/README.md.

    cargo build --release -p incrowd-cli --bins
    python3 benchmarks/linked_rows.py --binary target/release/incrowd --rows 10000000

Makes a table of visits with a subject, four rows a person on average, and releases it with k = 5 and pseudonyms of the
subject: each row independently, and with `--known-rows all` so that at least k people have the same rows. Prints CPU and wall
seconds and the largest memory of both, in turns, and their ratio.
"""

import argparse
import os
import platform
import random
import statistics
import tempfile
from datetime import date
from pathlib import Path

from workbooks import measured


def visits(path, rows, seed=1):
    """Writes visits: most people always live in the same district and come for the same reason."""
    draw = random.Random(seed).random
    with open(path, "w", encoding="ascii") as file:
        file.write("person,year,sex,district,ward\n")
        person, left, home, sex = 0, 0, 0, "f"
        for _ in range(rows):
            if not left:
                person, left = person + 1, 1 + int(draw() * 7)
                home, sex = int(draw() * draw() * 40), "fm"[draw() < 0.5]
            left -= 1
            district = home if draw() < 0.95 else int(draw() * 40)
            file.write(f"p{person:08d},{2015 + int(draw() * 10)},{sex},d{district},{'abcdef'[int(draw() * draw() * 6)]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--algorithm", default="mondrian", help="the solver of the release by rows")
    asked = parser.parse_args()
    binary = str(Path(asked.binary).resolve())
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        visits(folder / "visits.csv", asked.rows)
        words = [binary, "anonymize", "visits.csv", "--qi", "year,sex,district", "--subject", "person", "--insensitive", "ward",
                 "--treat", "person=pseudonym", "--k", "5", "--seed", "1", "--no-report", "--no-bound", "--force", "--quiet"]
        ways = {"each row independently": ["--keep-identifying", "person,ward", "--algorithm", asked.algorithm, "-o", "by-row"],
                "all rows of a person": ["--keep-identifying", "ward", "--known-rows", "all", "-o", "by-person"]}
        figures = {name: [] for name in ways}
        for _ in range(asked.turns):
            for name, more in ways.items():
                figures[name].append(measured([*words, *more], folder))
                assert (folder / more[-1] / "manifest.json").exists(), f"no release: {name}"
    middle = {name: [statistics.median(run[at] for run in runs) for at in range(3)] for name, runs in figures.items()}
    print(f"# Linked rows: {asked.rows:,} rows of a subject\n")
    print(f"Measured {date.today()} on {platform.machine()} with {os.cpu_count()} shared cores by\n"
          f"`python3 benchmarks/linked_rows.py --rows {asked.rows} --turns {asked.turns}`: from the file to the verified release, k = 5.\n")
    print("| | wall | CPU | memory |\n| --- | --- | --- | --- |")
    for name, (wall, cpu, memory) in middle.items():
        print(f"| {name} | {wall:.1f} s | {cpu:.1f} s | {memory:.0f} MiB |")
    first, second = middle.values()
    print(f"| ratio | {second[0] / first[0]:.2f} × | **{second[1] / first[1]:.2f} ×** | |")


if __name__ == "__main__":
    main()
