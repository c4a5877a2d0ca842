#!/usr/bin/env python3
"""How loss and time grow with the rows of a census-like table, and what sharding costs. See benchmarks/README.md.

Usage: python3 benchmarks/growth.py [--rows 1000000] [--time 8m] [--folder DIR] [--no-build]

Writes growth.md and growth.svg beside this file.
"""
import argparse
import json
import math
import shutil
import sys
import tempfile
from pathlib import Path

from run import EIGHT, Bench, measure

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "papers"))
import plots  # noqa: E402

COLOURS = {"top-down": "#1d4ed8", "mondrian": "#b45309", "cheapest-first": "#7c3aed", "auto": "#047857"}
SHARDS = [None, 65536, 16384, 4096, 1024]


class Growth(Bench):
    def solve(self, parquet, algorithm, *more):
        """One release by a solver, k = 10: loss, seconds of the solver and of all, memory; verified by `verify` too."""
        target = str(self.folder / "grown")
        shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(f"{target}.internal", ignore_errors=True)
        got = measure([self.incrowd, "anonymize", str(parquet), "--qi", EIGHT, "--others", "remove", "--k", "10", "--algorithm",
                       algorithm, "--loss", "lm", "--seed", "1", "--format", "json", "-o", target, *more])
        answer = json.loads(got["output"])
        verdict = json.loads(measure([self.incrowd, "verify", target, "--format", "json"])["output"])
        assert answer["verified"] and verdict["verified"]
        return {"lm": answer["loss"]["lm"], "bound": answer["loss"].get("bound"), "seconds": answer["solve_seconds"],
                "total": got["wall"], "mib": got["mib"], "tuples": answer["tuples"], "shards": answer.get("shards")}

    def run(self):
        self.build()
        most = self.arguments.rows
        sizes = [rows for rows in (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000) if rows <= most]
        self.say("# Growth\n")
        self.say("Written by `python3 benchmarks/growth.py`. " + plots.machine())
        self.say(f"\nCensus-like rows (`incrowd sample`), 8 quasi-identifiers, k = 10, seed 1, one run each, auto with --time "
                 f"{self.arguments.time} (it stops sooner when nothing improves). Every release was verified. The cores are "
                 "shared with other work, so times are only of this run.\n")
        self.say("| rows | tuples | " + " | ".join(f"{name}: LM, s" for name in COLOURS) + " | bound | ratio | auto: all s | auto: MiB |")
        self.say("| --- " * (len(COLOURS) + 6) + "|")
        points = []
        for rows in sizes:
            parquet = self.table(f"census-{rows}.parquet", rows)
            by = {}
            for name in COLOURS:
                by[name] = self.solve(parquet, name, *(["--time", self.arguments.time] if name == "auto" else []))
            points.append((f"{rows:.0e}".replace("+0", ""), by))
            auto = by["auto"]
            cells = " | ".join(f"{by[name]['lm']:.4f}, {by[name]['seconds']:.2f}" for name in COLOURS)
            bound = f"{auto['bound']:.4f} | {auto['lm'] / auto['bound']:.3f}" if auto["bound"] else "– | –"
            self.say(f"| {rows:,} | {auto['tuples']:,} | {cells} | {bound} | {auto['total']:.0f} | {auto['mib']:.0f} |")
        self.say("\nSeconds grow with rows to the power of (least squares on logarithms): " + ", ".join(
            f"{name} {slope([(rows, by[name]['seconds']) for rows, (_, by) in zip(sizes, points)]):.2f}" for name in COLOURS) + ".")
        self.sharding(min(most, 100_000))
        svg = plots.opening(240, COLOURS, left=100)
        svg += plots.panel(10, 36, "LM", "rows", points, "lm", COLOURS)
        svg += plots.panel(340, 36, "solver seconds", "rows", points, "seconds", COLOURS, log=True)
        (HERE / "growth.svg").write_text("\n".join([*svg, "</svg>"]) + "\n", encoding="utf-8")
        (HERE / "growth.md").write_text("\n".join(self.lines) + "\n\n![growth](growth.svg)\n", encoding="utf-8")

    def sharding(self, rows):
        """What is lost by solving in shards, on a table that can be solved whole."""
        parquet = self.table(f"census-{rows}.parquet", rows)
        self.say(f"\n## What sharding adds\n\n{rows:,} rows, `--shard` bounds the tuples that are solved at once.\n")
        self.say("| shard | shards | cheapest-first: LM | s | auto, 30 s: LM | added by shards |")
        self.say("| --- | --- | --- | --- | --- | --- |")
        whole = None
        for shard in SHARDS:
            more = ["--shard", str(shard or 10**9)]
            start, auto = self.solve(parquet, "cheapest-first", *more), self.solve(parquet, "auto", "--time", "30s", *more)
            whole = whole or (start["lm"], auto["lm"])
            added = ", ".join(f"{100 * (now / then - 1):+.1f} %" for now, then in zip((start["lm"], auto["lm"]), whole))
            self.say(f"| {shard or 'whole'} | {start['shards']} | {start['lm']:.4f} | {start['seconds']:.2f} | {auto['lm']:.4f} | {added} |")


def slope(points):
    """The exponent of a power law through some points."""
    logs = [(math.log(x), math.log(max(y, 1e-3))) for x, y in points]
    mean = [sum(axis) / len(logs) for axis in zip(*logs)]
    spread = sum((x - mean[0]) ** 2 for x, _ in logs)
    return sum((x - mean[0]) * (y - mean[1]) for x, y in logs) / spread if spread else float("nan")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="the largest table")
    parser.add_argument("--time", default="8m", help="how long auto may look")
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "incrowd-bench"))
    parser.add_argument("--no-build", action="store_true")
    Growth(parser.parse_args()).run()
