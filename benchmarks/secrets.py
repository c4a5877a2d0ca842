#!/usr/bin/env python3
"""What it costs to protect the secret, too: `auto` on ARX's data, occupation sensitive. See benchmarks/README.md.

Usage: python3 benchmarks/secrets.py [--time 60s] [--seed 1] [--no-build]

Needs INCROWD_DATA (arx). Writes secrets.md beside this file.
"""
import argparse
import tempfile
from pathlib import Path

from growth import plots
from least_loss import ARX, TABLES, LeastLoss

HERE = Path(__file__).resolve().parent
# Beside each policy ARX's figure, from an independent run of it: its local recoding, or its global optimum.
POLICIES = [
    ("distinct 3-diversity", ["--l-diversity", "occupation=3"], "0.0345 local, 0.6333 global"),
    ("distinct 3-diversity, no value above half", ["--l-diversity", "occupation=3", "--alpha", "occupation=0.5"],
     "cannot: a class of its release is 94.7 % one value"),
    ("t-closeness 0.2, equal distance", ["--t-closeness", "occupation=0.2"], "0.9190 global"),
]


class Secrets(LeastLoss):
    def run(self):
        self.build()
        _, file, reading, _, hierarchies, _ = TABLES[0]
        table = ("", file, reading, ",".join(name for name in ARX.split(",") if name != "occupation"), hierarchies, {})
        self.say("# Protecting the secret, too\n")
        self.say("Written by `python3 benchmarks/secrets.py`. " + plots.machine())
        self.say(f"\n`auto` with --time {self.arguments.time}, seed {self.arguments.seed}, ARX's copy of Adult and its hierarchies, occupation "
                 "sensitive, the other 7 columns quasi-identifiers, k = 5, nothing withheld. One run each; every release is verified. The "
                 "bound is that of k alone. The cores are shared with other work.\n")
        self.say("| besides k = 5 | LM | bound | ratio | solver s | ARX |\n| --- | --- | --- | --- | --- | --- |")
        for words, more, theirs in POLICIES:
            got = self.solve(table, 5, "auto", "--time", self.arguments.time, *more)
            loss = got["loss"]
            self.say(f"| {words} | {loss['lm']:.4f} | {loss['bound']:.4f} | {loss['ratio']:.2f} | {got['solve_seconds']:.0f} | {theirs} |")
        (HERE / "secrets.md").write_text("\n".join(self.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", default="60s", help="how long auto may look")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "incrowd-bench"))
    parser.add_argument("--no-build", action="store_true")
    Secrets(parser.parse_args()).run()
