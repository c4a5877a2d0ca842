#!/usr/bin/env python3
"""Tries to refute every claim of the register (docs/claims.md) on generated releases.

Usage: python3 benchmarks/refute.py [--cases 100000]

Builds the test `refute` of the crate `incrowd` with our own crates optimized and the dependencies as the gate builds them,
runs its adversaries, two at a time, each on the same share of the cases, and writes refute.md beside this file: for each claim
the cases that were tried, the releases that were published, the cases in which the claim was made, and the refutations. Ends
with status 1 when a claim is refuted.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LINE = re.compile(r"^(?P<claim>.+?)\s+(?P<cases>\d+) cases\s+(?P<released>\d+) released\s+(?P<made>\d+) with the claim made")


def build():
    """The test binary."""
    environment = dict(os.environ, CARGO_PROFILE_DEV_OPT_LEVEL="2", CARGO_PROFILE_TEST_OPT_LEVEL="2")
    command = ["cargo", "test", "--locked", "--no-run", "--test", "refute", "--message-format", "json"]
    built = subprocess.run(command, cwd=HERE.parent, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    messages = (json.loads(line) for line in built.stdout.splitlines() if line.startswith("{"))
    return [message["executable"] for message in messages
            if message.get("target", {}).get("name") == "refute" and message.get("executable")][-1]


def run(binary, test, cases):
    """What one adversary printed, and whether it found nothing."""
    environment = dict(os.environ, INCROWD_REFUTE_CASES=str(cases))
    ran = subprocess.run([binary, "--exact", test, "--nocapture"], cwd=HERE.parent / "crates" / "incrowd",
                         env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return test, ran.returncode == 0, ran.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000, help="cases in all [default: 100000]")
    args = parser.parse_args()
    binary = build()
    listed = subprocess.run([binary, "--list"], capture_output=True, text=True, check=True).stdout
    tests = [line.removesuffix(": test") for line in listed.splitlines() if line.endswith(": test")]
    each = -(-args.cases // len(tests))
    rows, refuted = [], []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for test, held, printed in pool.map(lambda test: run(binary, test, each), tests):
            found = next((match for match in map(LINE.match, printed.splitlines()) if match), None)
            if held and found:
                rows.append((found["claim"], found["cases"], found["released"], found["made"], "0"))
            else:
                refuted.append(test)
                rows.append((test, str(each), "", "", "refuted"))
                print(printed, file=sys.stderr)
    total = sum(int(row[1]) for row in rows)
    text = ["# Claims that adversaries tried to refute", "",
            f"Made by `python3 benchmarks/refute.py --cases {args.cases}` on {datetime.date.today()}, 2 shared cores, "
            "Linux x86_64.", f"{total:,} generated cases, {len(refuted)} claims refuted. A case is a table with a policy; "
            "a refusal of", "the program is a case without a release. Meaning and assumptions of each claim: "
            "[docs/claims.md](../docs/claims.md).", "",
            "| claim | cases | released | claim made | refuted |", "| --- | ---: | ---: | ---: | ---: |"]
    text += [f"| {' | '.join(f'{int(cell):,}' if cell.isdigit() else cell for cell in row)} |" for row in rows]
    (HERE / "refute.md").write_text("\n".join(text) + "\n")
    print("\n".join(text))
    sys.exit(1 if refuted else 0)


if __name__ == "__main__":
    main()
