#!/usr/bin/env python3
"""What each stage costs per row, per tuple, per class and per shard, and what that says of tables nobody here can hold.

Usage: python3 benchmarks/scale/model.py --folder SCRATCH [--sizes 1e6,3e6,1e7,3e7] [--held-out 1e8] [--memory 4GiB]
       [--no-build] [--resume]
       python3 benchmarks/scale/model.py --predict

Each size is anonymized on eight quasi-identifiers, and with postcode and birth date, where tuples are nearly as many as
rows; the latter also in shards (`--at-once`), and both in a tenth of the memory. CPU seconds of the stages are told apart by the progress line (stages.py).
Costs are fitted by least squares of relative errors with no negative cost; sizes that are held out are predicted and not
fitted. The bar is 20 %. Then 10¹⁰ and 10¹² rows on 10, 100 and 1,000 workers. Writes model.md beside this file;
docs/scale.md says what it means. `--predict` measures nothing: it takes the costs that are in model.md and writes its predictions
again.
"""
import argparse
import itertools
import json
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "papers")]
import plots  # noqa: E402
from one_machine import Scale, bytes_of, sizes, slope  # noqa: E402
from run import EIGHT, TEN, measure  # noqa: E402
from stages import watched  # noqa: E402

# What a stage's seconds may be made of.
DRIVERS = {"count": ("one", "rows", "tuples"), "lay out": ("rows", "shards"), "solve": ("cuts", "shards"),
           "recode": ("rows", "tuples", "uncut"), "write": ("one", "rows", "spilled"),
           "verify": ("one", "rows", "classes", "uncut"), "verify again": ("one", "rows", "classes")}
# A cut halves a class, so a tuple is looked at once for each halving on the way to its class. Uncut are the rows of a table
# that is solved whole: each looks up its class, and the release is attacked for its report. Spilled are bytes.
NAMES = ("one", "rows", "uncut", "tuples", "cuts", "classes", "shards", "spilled")
# Of a worker: its cores, its memory in GiB, and the share of both that work finds.
CORES, MEMORY, AT_ONCE = 16, 64, 0.65
# Of a task that solves a shard: its memory in GiB. As many run on a worker as fit.
SHARD_MEMORY = 8
# Bytes of a tuple inside the solver.
SOLVER_BYTES = 200
# CPU seconds on a cluster for one on a machine alone (cluster.md): rows are written, sent and read between stages.
EXCHANGE = 1.7


def solve(matrix, right):
    """Gaussian elimination; nothing for a matrix that has no inverse."""
    rows = [line[:] + [value] for line, value in zip(matrix, right)]
    for at in range(len(rows)):
        pivot = max(range(at, len(rows)), key=lambda line: abs(rows[line][at]))
        if abs(rows[pivot][at]) < 1e-30:
            return None
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for line in range(len(rows)):
            if line != at:
                factor = rows[line][at] / rows[at][at]
                rows[line] = [a - factor * b for a, b in zip(rows[line], rows[at])]
    return [line[-1] / line[at] for at, line in enumerate(rows)]


def fit(runs, stage):
    """The non-negative costs with the least squared relative error: every set of drivers is tried."""
    best = (float("inf"), {})
    runs = [run for run in runs if run["spent"][stage] > 0.05]
    for many in range(1, len(DRIVERS[stage]) + 1):
        for names in itertools.combinations(DRIVERS[stage], many):
            lines = [[run[name] / run["spent"][stage] for name in names] for run in runs]
            costs = solve([[sum(line[i] * line[j] for line in lines) for j in range(many)] for i in range(many)],
                          [sum(line[i] for line in lines) for i in range(many)]) if len(lines) >= many else None
            if costs is None or min(costs) < 0:
                continue
            error = sum((sum(c * x for c, x in zip(costs, line)) - 1) ** 2 for line in lines)
            best = min(best, (error, dict(zip(names, costs))), key=lambda one: one[0])
    return best[1]


def predicted(costs, run, stages=tuple(DRIVERS)):
    """CPU seconds; codes are laid out only where there are shards."""
    return sum(cost * run[name] for stage in stages for name, cost in costs[stage].items()
               if stage != "lay out" or run["shards"])


def exponent(rows):
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(len(str(rows)) - 1))


def lasting(seconds):
    steps = ((86400 * 3, 86400, "d"), (3600 * 3, 3600, "h"), (180, 60, "min"))
    unit = next(((by, word) for least, by, word in steps if seconds >= least), (1, "s"))
    return f"{seconds / unit[0]:,.0f} {unit[1]}"


def size(amount):
    return f"{amount / 2**40:,.1f} TiB" if amount >= 2**40 else f"{amount / 2**30:,.0f} GiB"


class Model(Scale):
    def measured(self, rows, columns, memory, *more):
        table, target = self.table_of(rows), str(self.folder / "release")
        limit = ["--memory", str(memory)]
        command = self.anonymize(table, columns, target, *limit, "--temp", str(self.folder / "temp"), *more)
        answer, spent, whole = watched([word for word in command if word != "--quiet"])
        again = measure([self.incrowd, "verify", target, *limit, "--format", "json", "--quiet"])
        assert answer["verified"] and json.loads(again["output"])["verified"]
        self.remove(target)
        return {"one": 1, "rows": rows, "tuples": answer["tuples"], "classes": answer["classes"],
                "shards": answer.get("shards") or 0, "spent": {**spent, "verify again": again["cpu"]},
                "whole": whole["cpu"] + again["cpu"], "wall": whole["wall"] + again["wall"], "mib": whole["mib"],
                "spilled": answer["spilled_bytes"]}

    def runs(self, name, sizes, columns, share=1, more=lambda rows: ()):
        """Runs under a share of the memory: a tenth of the rows in a tenth of it go the way of the whole."""
        memory = int(bytes_of(self.arguments.memory) * share)
        runs = [self.once(f"model-{name}-{rows}", lambda: self.measured(rows, columns, memory, *more(rows))) for rows in sizes]
        return [{**run, "cuts": run["tuples"] * math.log2(run["classes"]),
                 "uncut": 0 if run["shards"] else run["rows"]} for run in runs]

    def table_line(self, run, costs, mark):
        guess = predicted(costs, run)
        cells = [f"{run['rows']:,}{mark}", f"{run['tuples']:,}", f"{run['classes']:,}", f"{run['shards'] or '–'}", f"{run['spilled'] / 1e9:.1f}"]
        cells += [f"{run['spent'][stage]:.1f}" for stage in DRIVERS]
        self.say("| " + " | ".join([*cells, f"{run['whole']:.1f}", f"{guess:.1f}", f"{100 * (guess / run['whole'] - 1):+.0f} %"]) + " |")

    def fitted(self, runs, held):
        costs = {stage: fit(runs, stage) for stage in DRIVERS}
        self.say("| rows | tuples | classes | shards | GB through the disk | " + " | ".join(DRIVERS) + " | whole | predicted | error |\n| "
                 + "---: | " * (8 + len(DRIVERS)))
        for run in runs:
            self.table_line(run, costs, "")
        for run in held:
            self.table_line(run, costs, " (held out)")
        self.say("\n| stage | fixed, ms | ns a row | ns a row solved whole | ns a tuple | ns a tuple and cut | ns a class | ms a shard | ns a spilled byte |\n| --- "
                 + "| ---: " * 8 + "|")
        scale = {"one": 1e3, "shards": 1e3}
        for stage, cost in costs.items():
            told = [f"{cost[by] * scale.get(by, 1e9):,.3g}" if by in cost else "–" for by in NAMES]
            self.say(f"| {stage} | " + " | ".join(told) + " |")
        busy = [run["whole"] / run["wall"] / 2 for run in [*runs, *held] if run["rows"] >= 1e7]
        self.say(f"\nBoth cores were busy {100 * sum(busy) / len(busy):.0f} % of the time from 10⁷ rows on.")
        return costs

    def beyond(self, costs, tuples_of, classes):
        """Workers count, recode, write and verify, and solve shards; one machine solves what fits."""
        self.say(f"\nPredicted from the costs above, not measured. Workers of {CORES} cores and {MEMORY} GiB, and one such machine that "
                 "asks, and solves tuples that fit in its memory; others are solved in shards, by tasks of "
                 f"{SHARD_MEMORY} GiB and one thread. Work "
                 "on rows, which includes counting removed columns and the release, costs "
                 f"{EXCHANGE} times what it costs on one machine (cluster.md).\n")
        self.say("| rows | workers | tuples | classes | count, lay out, recode | write, verify | solve | **all** | the solver's memory | "
                 "shards |\n| " + "---: | " * 10)
        for rows in (10**10, 10**12):
            tuples = tuples_of(rows)
            room, many = MEMORY * 2**30 * AT_ONCE, tuples * classes
            needed = tuples * SOLVER_BYTES
            run = {"one": 1, "rows": rows, "tuples": tuples, "classes": many, "cuts": tuples * math.log2(many),
                   "shards": -(-needed // (SHARD_MEMORY * 2**30 * AT_ONCE)) if needed > room else 0, "spilled": 0}
            run["uncut"] = 0 if run["shards"] else rows
            work = {stage: predicted(costs, run, (stage,)) for stage in ("count", "lay out", "solve", "recode", "write", "verify")}
            work |= {stage: work[stage] * EXCHANGE for stage in ("count", "lay out", "recode", "write", "verify")}
            for workers in (10, 100, 1000):
                cores = workers * CORES
                solvers = min(run["shards"], workers * MEMORY // SHARD_MEMORY) if run["shards"] else CORES
                parts = [(work["count"] + work["lay out"] + work["recode"]) / cores, (work["write"] + work["verify"]) / cores,
                         work["solve"] / solvers]
                told = [f"10{exponent(rows)}", f"{workers:,}", f"{tuples:.1e}".replace("e+", "e"), f"{run['classes']:.1e}".replace("e+", "e")]
                told += [lasting(part) for part in parts]
                told.append(f"**{lasting(sum(parts))}**")
                told += [size(needed), f"{run['shards']:.0f}" if run["shards"] else "–"]
                self.say("| " + " | ".join(told) + " |")

    def predict(self):
        """Writes the predictions of model.md again, from the costs and the runs that are in it."""
        units = dict(zip(NAMES, (1e3, 1e9, 1e9, 1e9, 1e9, 1e9, 1e3, 1e9)))
        runs, costs, skipping = [], {}, False
        for line in (HERE / "model.md").read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip("| ").split("|")] if line.startswith("|") else []
            if line.startswith("## "):
                runs, costs = [], {}
            if len(cells) == len(NAMES) + 1 and cells[0] in DRIVERS:
                costs[cells[0]] = {name: float(cell.replace(",", "")) / units[name] for name, cell in zip(NAMES, cells[1:])
                                   if name in DRIVERS[cells[0]] and cell != "–"}
            elif len(cells) == 8 + len(DRIVERS) and cells[0][:1].isdigit():
                runs.append([int(cell.split(" ")[0].replace(",", "")) for cell in cells[:3]])
            if line.startswith("Predicted from the costs above"):
                skipping = True
                if self.lines and not self.lines[-1]:
                    self.lines.pop()
                power, last = slope([(rows, tuples) for rows, tuples, _ in runs]), runs[-1]
                self.beyond(costs, lambda rows: min(rows, last[1] * (rows / last[0]) ** power), last[2] / last[1])
            if line.startswith("## ") and skipping:
                skipping = False
                self.lines.append("")
            if not skipping:
                self.lines.append(line)
        (HERE / "model.md").write_text("\n".join(self.lines) + "\n", encoding="utf-8")

    def run(self):
        self.build()
        fitted, held = self.arguments.sizes, self.arguments.held_out
        self.say("# What a stage costs\n")
        self.say(f"Written by `python3 benchmarks/scale/model.py`. {plots.machine()} Under --memory {self.arguments.memory}, k = 10, "
                 "Mondrian, Parquet to Parquet, CPU seconds, one run each. *Whole* is `anonymize` (which verifies what it wrote) "
                 "and `verify` again. Held-out sizes were predicted and not fitted; the bar is 20 %.")
        shards = lambda rows: ("--at-once", str(rows // 8))
        tight = [rows for rows in fitted if rows >= 10**7]
        for title, name, columns in (("Eight quasi-identifiers", "eight", EIGHT), ("Tuples ≈ rows", "ten", TEN)):
            self.say(f"\n## {title}\n")
            runs = self.runs(name, fitted, columns)
            if columns == TEN:
                runs += self.runs("shards", fitted, columns, more=shards)
            runs += self.runs(f"{name}-tight", tight, columns, 0.1)
            out = self.runs(name, held, columns)
            costs = self.fitted(runs, out)
            points = [(run["rows"], run["tuples"]) for run in [*runs, *out]]
            power, last = slope(points), out[-1] if out else runs[-1]
            self.say(f"Tuples grow with rows to the power of {power:.2f}; peak memory was {max(run['mib'] for run in [*runs, *out]):,.0f} "
                     f"MiB, and at most {max(run['spilled'] / run['rows'] for run in [*runs, *out]):.0f} bytes a row went through the disk.")
            self.beyond(costs, lambda rows: min(rows, last["tuples"] * (rows / last["rows"]) ** power), last["classes"] / last["tuples"])
        (HERE / "model.md").write_text("\n".join(self.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", help="a scratch folder with room")
    parser.add_argument("--predict", action="store_true", help="write the predictions again, and measure nothing")
    parser.add_argument("--sizes", type=sizes, default=sizes("1e6,3e6,1e7,3e7"), help="rows that are fitted")
    parser.add_argument("--held-out", type=sizes, default=sizes("1e8"), help="rows that are predicted")
    parser.add_argument("--memory", default="4GiB")
    parser.add_argument("--no-build", action="store_true", help="use the release binaries that are there")
    parser.add_argument("--resume", action="store_true", help="go on where a run was ended, with what it measured")
    arguments = parser.parse_args()
    if arguments.predict:
        arguments.folder = str(HERE)
    if arguments.folder is None:
        parser.error("--folder is needed, or --predict")
    Model(arguments).predict() if arguments.predict else Model(arguments).run()
