#!/usr/bin/env python3
"""Special uniques and log-linear models at 10⁶ rows, and special uniques on Adult, beside `diagnose --all-sets`.

Usage: python3 benchmarks/population_at_size.py [--bin target/release/incrowd] [--note TEXT]

Writes population_at_size.md beside this file. The table has 10⁶ rows and 12 columns of 2 to 100 values, of which later columns depend
on earlier ones; it is written as CSV. Special uniques are searched on sets of up to 6 columns, and `--all-sets` measures all sets of
the same columns. The runs of a pair follow each other, three times; the least CPU time of each is taken. Adult needs INCROWD_DATA.
"""
import argparse
import os
import pathlib
import random
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROWS = 1_000_000
VALUES = [100, 2, 16, 7, 40, 5, 12, 9, 3, 20, 6, 2]
ADULT = "sex,age,race,marital-status,education,native-country,workclass,occupation"


def make(path):
    """The table: each column is drawn near a value that follows from the one before."""
    draw = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"q{column}" for column in range(len(VALUES))) + "\n")
        for _ in range(ROWS):
            row, before = [], draw.random()
            for values in VALUES:
                before = (0.6 * before + 0.4 * draw.random() ** 2) % 1.0
                row.append(str(int(before * values)))
            file.write(",".join(row) + "\n")


def measured(command):
    """CPU seconds, seconds and peak memory in MiB of one run."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {said}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss / 1024


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--bin", default="target/release/incrowd")
    words.add_argument("--note", default="")
    words.add_argument("--runs", type=int, default=3)
    given = words.parse_args()
    lines = [
        "# Special uniques and log-linear models at size", "",
        "The output of `benchmarks/population_at_size.py`, whose opening lines say what is measured.", given.note, "",
        "| table | question | CPU seconds | seconds | peak memory | CPU beside `--all-sets` |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]

    def best(*command):
        return min(measured([given.bin, "diagnose", *command]) for _ in range(given.runs))

    def line(table, question, run, ratio=""):
        lines.append(f"| {table} | {question} | {run[0]:.1f} | {run[1]:.1f} | {run[2]:,.0f} MiB | {ratio} |")
        print(lines[-1], flush=True)

    def pair(table, path, columns):
        sets = best(path, "--qi", columns, "--all-sets")
        uniques = best(path, "--qi", columns, "--special-uniques", "--depth", "6")
        line(table, "`--all-sets`", sets, "1")
        line(table, "`--special-uniques --depth 6`", uniques, f"{uniques[0] / sets[0]:.2f}")

    if data := os.environ.get("INCROWD_DATA"):
        pair("Adult, 8 columns", f"{data}/adult.csv", ADULT)
    else:
        print("SKIPPED: Adult, because INCROWD_DATA is not set")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/table.csv"
        make(path)
        names = [f"q{column}" for column in range(len(VALUES))]
        pair("10⁶ rows, 12 columns", path, ",".join(names))
        six = ",".join(names[:6])
        line("10⁶ rows, 6 columns", "`--log-linear --sampling-fraction 0.1`",
             best(path, "--qi", six, "--log-linear", "--sampling-fraction", "0.1"))
    (HERE / "population_at_size.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
