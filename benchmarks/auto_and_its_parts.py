#!/usr/bin/env python3
"""Compares `auto` with each of its starts and with all partitions of small tables.

Usage: python3 benchmarks/auto_and_its_parts.py [--cases 2000] [--seconds 10]

Builds the test `auto` of the crate `incrowd-algorithms` with our own crates optimized, runs it on generated tables with many
models and losses and on Adult under six policies, and writes auto_and_its_parts.md beside this file. Ends with status 1 when
`auto` lost more than a start, when it did not find the best partition of a table of at most 9 rows, or when a policy was
called infeasible that some partition keeps. INCROWD_DATA names the folder of the test tables.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CRATES = ["core", "risk", "algorithms", "verify", "report"]
TESTS = [
    ("auto_is_exact_on_tables_of_few_rows", "all partitions of tables of at most 9 rows"),
    ("only_what_no_partition_keeps_is_called_infeasible", "refusals of every solver"),
    ("auto_is_never_worse_than_a_start_with_the_same_effort", "`auto` and its starts, with the same effort"),
    ("tables_of_at_most_twelve_tuples_are_solved_exactly", "tables of at most 12 tuples, up to 48 rows"),
]
ADULT = "adult::auto_is_never_worse_than_a_start_in_the_same_time_on_adult"


def build():
    """The test binary."""
    environment = dict(os.environ, CARGO_PROFILE_DEV_OPT_LEVEL="2", CARGO_PROFILE_TEST_OPT_LEVEL="2")
    packages = [word for crate in CRATES for word in ("-p", f"incrowd-{crate}")]
    command = ["cargo", "test", "--locked", "--no-run", *packages, "--test", "auto", "--message-format", "json"]
    built = subprocess.run(command, cwd=HERE.parent, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    messages = (json.loads(line) for line in built.stdout.splitlines() if line.startswith("{"))
    return [message["executable"] for message in messages
            if message.get("target", {}).get("name") == "auto" and message.get("executable")][-1]


def run(binary, test, **environment):
    """What one test printed, and whether it passed."""
    ran = subprocess.run([binary, "--exact", test, "--nocapture", "--include-ignored"],
                         cwd=HERE.parent / "crates" / "incrowd-algorithms", env=dict(os.environ, **environment),
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ran.returncode:
        print(ran.stdout, file=sys.stderr)
    return ran.returncode == 0, ran.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000, help="generated tables of each kind [default: 2000]")
    parser.add_argument("--seconds", type=float, default=10, help="time limit of each run on Adult [default: 10]")
    args = parser.parse_args()
    binary = build()
    failed = 0
    text = ["# `auto` and its parts", "",
            f"Made by `python3 benchmarks/auto_and_its_parts.py --cases {args.cases} --seconds {args.seconds:g}` on "
            f"{datetime.date.today()}, 2 shared cores,", "Linux x86_64, solvers with opt-level 2.", "",
            "## Generated tables", "", "| what | tables | result | passed |", "| --- | ---: | --- | --- |"]
    for test, what in TESTS:
        passed, printed = run(binary, test, INCROWD_CASES=str(args.cases))
        failed += not passed
        said = [line for line in printed.splitlines() if "table" in line or "refusals" in line or "proven" in line]
        said = [line for line in said if not line.startswith("test ")]
        text.append(f"| {what} | {args.cases:,} | {'; '.join(said)} | {'yes' if passed else '**no**'} |")
    passed, printed = run(binary, ADULT, INCROWD_SECONDS=str(args.seconds))
    failed += not passed
    text += ["", f"## Adult, {args.seconds:g} seconds for each", "",
             "45,222 rows, 8 quasi-identifiers, the hierarchies of the k-ANON-CF paper, `salary-class` sensitive. Loss is LM. "
             + ("`auto` lost no more than any start." if passed else "**`auto` lost more than a start.**"), "",
             "| policy | solver | loss | seconds |", "| --- | --- | ---: | ---: |"]
    text += [line for line in printed.splitlines() if line.startswith("| ")]
    (HERE / "auto_and_its_parts.md").write_text("\n".join(text) + "\n")
    print("\n".join(text))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
