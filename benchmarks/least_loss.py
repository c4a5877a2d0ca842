#!/usr/bin/env python3
"""How little `auto` loses beside the field, and how near the optimum that is. See benchmarks/README.md.

Usage: python3 benchmarks/least_loss.py [--effort 4] [--only arx:10] [--no-build]

Runs the solver alone, by the example least_loss of incrowd-algorithms, with an effort instead of a time: its result does
not depend on what else the machine does. Needs INCROWD_DATA (arx, adult.csv, hierarchies). Writes least_loss.md beside this
file; with --only, prints alone.
"""
import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

from run import ROOT, Bench, measure
from growth import plots

HERE = Path(__file__).resolve().parent
ARX = "sex,age,race,marital-status,education,native-country,workclass,occupation"
ADULT = "age,workclass,education,marital-status,occupation,relationship,race,sex"
NURSERY = "parents,has_nurs,form,children,housing,finance,social,health"
# ARX's finest local recoding, and k-ANON-CF as printed: figures of an independent run of each.
TABLES = [
    ("ARX's copy of Adult and its hierarchies", "arx/adult.csv", ["--delimiter", ";"], ARX, "arx/adult_hierarchy_{}.csv",
     {2: ("ARX", 0.0240), 5: ("ARX", 0.0503), 10: ("ARX", 0.0751), 50: ("ARX", 0.1453)}),
    ("Adult, hierarchies `adult_kenig`", "adult.csv", [], ADULT, "hierarchies/adult_kenig/{}.csv",
     {10: ("k-ANON-CF as printed", 0.0849), 50: ("k-ANON-CF as printed", 0.1718)}),
    ("Nursery", "nursery.csv", [], NURSERY, "hierarchies/nursery_kenig/{}.csv", {k: None for k in (10, 50, 75, 100, 150, 200)}),
]
# Table of the example, its name, k, and at most which LM and which ratio to the bound are aimed at within 120 s on two cores.
BARS = [
    ("arx", "ARX's copy of Adult", 2, 0.0176, 1.035, "ARX 0.0240"),
    ("arx", "ARX's copy of Adult", 5, 0.0453, 1.06, "ARX 0.0503"),
    ("arx", "ARX's copy of Adult", 10, 0.0680, 1.055, "ARX 0.0751"),
    ("arx", "ARX's copy of Adult", 50, 0.1382, 1.055, "ARX 0.1453"),
    ("adult", "Adult, `adult_kenig`", 10, 0.0695, 1.06, "k-ANON-CF as printed 0.0849"),
    ("adult", "Adult, `adult_kenig`", 50, 0.1415, 1.06, "k-ANON-CF as printed 0.1718"),
]
SECONDS = [2, 5, 10, 20, 40, 60, 120, 240]


class LeastLoss(Bench):
    def solve(self, table, k, algorithm, *more):
        _, file, reading, columns, hierarchies, _ = table
        data = Path(os.environ["INCROWD_DATA"])
        words = [self.incrowd, "anonymize", str(data / file), *reading, "--qi", columns, "--others", "remove", "--k", str(k),
                 "--algorithm", algorithm, "--loss", "lm", "--seed", str(self.arguments.seed), "--format", "json", "--force",
                 "-o", str(self.folder / "least"), *more]
        for column in columns.split(","):
            words += ["--hierarchy", f"{column}={data / hierarchies.format(column)}"]
        got = measure(words)
        return json.loads(got["output"]) | {"mib": got["mib"]}

    def search(self, table, k):
        """The lines of a search: wall and CPU seconds, what was found, LM."""
        example = str(self.target / "examples" / "least_loss")
        got = measure([example, "auto", table, str(k), "--effort", str(self.arguments.effort)])
        lines = [line.split("\t") for line in got["output"].splitlines()]
        return got, [(float(line[0]), float(line[1]), line[2], float(line[3])) for line in lines]

    def run(self):
        if not self.arguments.no_build:
            command = ["cargo", "build", "--release", "--locked", "-p", "incrowd-algorithms", "--example", "least_loss"]
            subprocess.run(command, cwd=ROOT, check=True)
        wanted = self.arguments.only.split(":") if self.arguments.only else None
        bars = [bar for bar in BARS if not wanted or [bar[0], str(bar[2])] == wanted]
        self.say("# The least loss\n")
        self.say("Written by `python3 benchmarks/least_loss.py`. " + plots.machine())
        self.say(f"\n`auto` with effort {self.arguments.effort:g}, seed 1, 8 quasi-identifiers, k-anonymity, nothing suppressed; LM with the "
                 "hierarchy's leaves as domain. The solver alone, one run each. The bound is the one that the solver finds on its way. "
                 "The cores are shared with other work, so wall times are too long; CPU seconds are those of all threads, and 120 s on two "
                 "cores are 240 of them. The aims are for 120 s.\n")
        self.say("| table | k | LM | aim | bound | ratio | aim | CPU s | wall s | peak MiB | others |")
        self.say("| --- " * 11 + "|")
        curves = []
        for table, name, k, loss_bar, ratio_bar, other in bars:
            got, lines = self.search(table, k)
            loss = min(line[3] for line in lines if line[2] == "loss")
            bound = max([line[3] for line in lines if line[2] == "bound"], default=0)
            curves.append((name, k, lines))
            self.say(f"| {name} | {k} | {loss:.5f} | {loss_bar:.4f} | {bound:.5f} | {loss / bound:.4f} | {ratio_bar:.3f} | {got['cpu']:.0f} | "
                     f"{got['wall']:.0f} | {got['mib']:.0f} | {other} |")
        self.say("\n## Against time\n\nThe least loss and the largest bound after a number of CPU seconds of all threads.\n")
        self.say("| table | k | " + " | ".join(f"{second} s" for second in SECONDS) + " |")
        self.say("| --- " * (2 + len(SECONDS)) + "|")
        for name, k, lines in curves:
            cells = []
            for second in SECONDS:
                before = [line for line in lines if line[1] <= second]
                loss = min((line[3] for line in before if line[2] == "loss"), default=None)
                bound = max((line[3] for line in before if line[2] == "bound"), default=None)
                cells.append((f"{loss:.4f}" if loss else "–") + (f" / {bound:.4f}" if bound else ""))
            self.say(f"| {name} | {k} | " + " | ".join(cells) + " |")
        if not wanted:
            (HERE / "least_loss.md").write_text("\n".join(self.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--effort", type=float, default=4, help="how many times the normal effort")
    parser.add_argument("--only", help="one table and k, such as arx:10")
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "incrowd-bench"))
    parser.add_argument("--no-build", action="store_true")
    LeastLoss(parser.parse_args()).run()
