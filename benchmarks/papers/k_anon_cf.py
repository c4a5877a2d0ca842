#!/usr/bin/env python3
"""The experiments of the k-ANON-CF paper (section 7) on Adult, Nursery and CoIL, the solvers side by side.

Usage: python3 benchmarks/papers/k_anon_cf.py [--quick] [--all-k] [--time 10s] [--timeout 100] [--resume FILE]

Needs INCROWD_DATA (tables, hierarchies/*_kenig, figures). Writes k_anon_cf.md and k_anon_cf.svg beside this file.
Every run is a process of its own, one at a time, and is written at once to a file in the temporary folder; --resume
takes such a file up again, for the same binary only. A run that takes too long or too much memory is killed and
printed so.
"""
import argparse
import os
import pathlib
import tempfile
from fractions import Fraction

import k_anon_cf_pages as pages
import k_anon_cf_runs as runs
import plots

HERE = pathlib.Path(__file__).resolve().parent
KS = [10, 30, 50, 75, 100, 150, 200]
ROWS = [30_000, 60_000, 90_000, 120_000]
# The figures with the paper's ℓ are lost: ours go up to the diversity of the whole table (1.33, 3 and 3.46).
DIVERSE = [("adult-8", 50, ["1.05", "1.1", "1.15", "1.2", "1.25", "1.3"]), ("nursery", 30, ["1.5", "2", "2.5"]),
           ("coil-9", 100, ["1.5", "2", "2.5", "3"])]


def sweep(bench, table, ks, loss):
    """All solvers by k, the largest k first: records are more at a smaller k, so a solver on them fails again there."""
    lost = {}
    points = [(k, point(bench, lost, runs.ON_RECORDS, f"k = {k}", table, k, loss)) for k in sorted(ks, reverse=True)]
    return points[::-1]


def diverse(bench, table, k, values):
    """Frequency ℓ-diversity: no value of the sensitive column has more than 1/ℓ of a class. A larger ℓ is harder."""
    lost = {}
    shares = [(l, str(1 / Fraction(l))) for l in values]
    return [(l, point(bench, lost, runs.ALGORITHMS, f"ℓ = {l}", table, k, "lm", share)) for l, share in shares]


def point(bench, lost, hopeless, words, table, k, loss, share=None):
    """All solvers at one point, but for those that failed at an easier one and can be taken to fail again."""
    by = {}
    for a in runs.ALGORITHMS:
        by[a] = {"skipped": lost[a]} if a in lost else bench.solve(table, k, a, loss, share)
        if "failed" in by[a] and a in hopeless:
            lost[a] = words
    return by


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=plots.binary())
    parser.add_argument("--quick", action="store_true", help="few k, Adult with 8 attributes and Nursery, auto 5s")
    parser.add_argument("--ks", default=",".join(map(str, KS)), help="the k of the smaller tables [default: %(default)s]")
    parser.add_argument("--all-k", action="store_true", help="LM at all k for 11 and 14 attributes too, not at 10 and 200 only")
    parser.add_argument("--time", help="how long auto may look at each point [default: 10s, 5s when quick]")
    parser.add_argument("--timeout", type=float, default=100, help="seconds after which a run is killed")
    parser.add_argument("--gib", type=float, default=8, help="GiB of memory that a run may take")
    parser.add_argument("--resume", type=pathlib.Path, help="a file of runs that an interrupted run left")
    args = parser.parse_args()
    args.time = args.time or ("5s" if args.quick else "10s")
    data = pathlib.Path(os.environ["INCROWD_DATA"])
    if args.resume is None:
        args.resume = pathlib.Path(tempfile.mkdtemp(prefix="incrowd-k-anon-cf-")) / "runs.json"
    print(f"runs are kept in {args.resume}; take them up again with --resume {args.resume}", flush=True)
    bench = runs.Bench(args, data)

    small = ["adult-8", "nursery"] if args.quick else ["adult-5", "adult-8", "nursery", "coil-9"]
    wide = [] if args.quick else ["adult-11", "adult-14"]
    ks = [10, 50, 200] if args.quick else [int(k) for k in args.ks.split(",")]
    page = pages.Page(args, data)

    def write():
        page.write(bench.failures())

    def swept(tables, ks, entropy_ks):
        for table in tables:
            page.sweep(table, sweep(bench, table, ks, "lm"))
            write()
        for table in tables:
            page.entropy(table, sweep(bench, table, entropy_ks, "entropy"))
            write()

    swept(small, ks, ks)
    for table, k, values in DIVERSE:
        if table in small:
            page.diverse(table, k, diverse(bench, table, k, values[::2] if args.quick else values))
            write()
    rows = ROWS[:2] if args.quick else ROWS
    page.growth(8, [(n, {a: bench.solve(f"grown-8-{n}", 50, a, "lm") for a in runs.UNTIMED}) for n in rows])
    write()
    # The wide ones last: they take the longest.
    swept(wide, KS if args.all_k else [10, 200], [200])
    page.attributes()
    write()


if __name__ == "__main__":
    main()
