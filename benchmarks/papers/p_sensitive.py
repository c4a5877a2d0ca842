#!/usr/bin/env python3
"""The experiment of the p-sensitive k-anonymity paper (section 4, figures 3 and 4) on 10,000 rows of Adult.

Usage: python3 benchmarks/papers/p_sensitive.py [--bin target/release/incrowd] [--repeat 3] [--time 60s] [--quick]

Needs INCROWD_DATA (adult_10k_seed42.csv and hierarchies/adult_wong). Writes p_sensitive.md and p_sensitive.svg beside
this file. k = 20 and p = 2, 4, 6, 8, 10 for the paper's six quasi-identifiers and three sensitive attributes, every solver
looking at IL. Ages are published as intervals from the least to the greatest; Incognito, which recodes whole columns, takes
them along a hierarchy. IL is computed here, from the published cells. Times are the solver's, the least of the repetitions;
auto takes all the time it is given, so it runs once.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import tempfile

import plots

HERE = pathlib.Path(__file__).resolve().parent
TABLE = "adult_10k_seed42.csv"
CATEGORIES = ["workclass", "marital-status", "race", "sex", "native-country"]
SENSITIVE = ["education-num", "education", "occupation"]
ALGORITHMS = ["enhanced-pk", "greedy-pk", "incognito", "auto"]
COLOURS = {"enhanced-pk": "#1d4ed8", "greedy-pk": "#047857", "incognito": "#b45309", "auto": "#7c3aed", "bound": "#666"}
K = 20


def read(path, delimiter=","):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=delimiter))


def heights(lines):
    """For each label of a hierarchy the height of what is below it, as a share of the whole. A label that holds the same
    values as the one below it adds none."""
    below, found = {}, {}
    for line in lines:
        for label in line:
            below.setdefault(label, set()).add(line[0])
    for line in lines:
        height = 0
        for at, label in enumerate(line):
            height += at > 0 and below[label] != below[line[at - 1]]
            found[label] = max(height, found.get(label, 0))
    highest = max(found.values()) or 1
    return {label: height / highest for label, height in found.items()}


def extents(lines, ages):
    """For each label of the age hierarchy the share of the range that the ages below it span."""
    below = {}
    for line in lines:
        if int(line[0]) in ages:
            for label in line:
                below.setdefault(label, []).append(int(line[0]))
    return {label: (max(found) - min(found)) / (max(ages) - min(ages)) for label, found in below.items()}


class Il:
    """What a published row loses (Definition 9)."""

    def __init__(self, data):
        lines = lambda name: read(data / "hierarchies" / "adult_wong" / f"{name}.csv", ";")
        header, *rows = read(data / TABLE)
        ages = {int(row[header.index("age")]) for row in rows}
        self.range = max(ages) - min(ages)
        self.prices = {name: heights(lines(name)) for name in CATEGORIES}
        self.prices["age"] = extents(lines("age"), ages)

    def age(self, cell):
        if cell.startswith("["):
            least, greatest = cell.strip("[]").split(",")
            return (int(greatest) - int(least)) / self.range
        return self.prices["age"][cell]

    def of(self, path):
        header, *rows = read(path)
        place = {name: header.index(name) for name in ["age", *CATEGORIES]}
        price = lambda row: self.age(row[place["age"]]) + sum(self.prices[name][row[place[name]]] for name in CATEGORIES)
        return sum(map(price, rows))


def bound(data, p):
    """The paper's second condition, capped by k: the least AVG and DM."""
    header, *rows = read(data / TABLE)
    most = len(rows) // K
    for name in SENSITIVE:
        values = [row[header.index(name)] for row in rows]
        frequencies = sorted((values.count(value) for value in set(values)), reverse=True)
        most = min(most, *((len(rows) - sum(frequencies[:p - i])) // i for i in range(1, p + 1)))
    each, larger = divmod(len(rows), most)
    return {"avg": len(rows) / (most * K), "dm": larger * (each + 1) ** 2 + (most - larger) * each ** 2}


def solve(args, data, il, p, algorithm):
    """One release; its measures, and the least solver time of the repetitions."""
    best = None
    for _ in range(1 if algorithm == "auto" else args.repeat):
        with tempfile.TemporaryDirectory() as folder:
            command = [args.bin, "anonymize", str(data / TABLE), "--qi", ",".join(["age", *CATEGORIES]),
                       "--others", "remove", "--k", str(K), "--algorithm", algorithm, "--loss", "il", "--seed", "1",
                       "--format", "json", "-o", f"{folder}/release"]
            command += ["--time", args.time] if algorithm == "auto" else []
            for name in SENSITIVE:
                command += ["--p-sensitive", f"{name}={p}"]
            age = f"{data}/hierarchies/adult_wong/age.csv" if algorithm == "incognito" else "free-intervals"
            command += ["--hierarchy", f"age={age}"]
            for name in CATEGORIES:
                command += ["--hierarchy", f"{name}={data}/hierarchies/adult_wong/{name}.csv"]
            ran = subprocess.run(command, capture_output=True, text=True)
            if ran.returncode != 0:
                raise SystemExit(f"{' '.join(command)}\n{ran.stderr}")
            answer = json.loads(ran.stdout)
            assert answer["verified"]
            if best is None or answer["solve_seconds"] < best["seconds"]:
                best = {"avg": answer["loss"]["avg"], "dm": answer["loss"]["dm"], "il": il.of(f"{folder}/release/data.csv"),
                        "classes": answer["classes"], "seconds": answer["solve_seconds"]}
    return best


def table(title, points, measure, form):
    """A line for each p, with the bound where there is one."""
    known = measure in points[0][1]["bound"]
    names = ALGORITHMS + (["bound"] if known else [])
    lines = [f"### {title}", "", "| p | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for p, by in points:
        lines.append(f"| {p} | " + " | ".join(form.format(by[name][measure]) for name in names) + " |")
    return lines + [""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=plots.binary())
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--time", default="60s", help="what auto is given")
    parser.add_argument("--quick", action="store_true", help="p = 2 and 10, once")
    args = parser.parse_args()
    data = pathlib.Path(os.environ["INCROWD_DATA"])
    sweep = [2, 4, 6, 8, 10]
    if args.quick:
        args.repeat, sweep = 1, [2, 10]
    il = Il(data)
    points = [(p, {"bound": bound(data, p), **{a: solve(args, data, il, p, a) for a in ALGORITHMS}}) for p in sweep]
    lines = ["# The experiment of the p-sensitive k-anonymity paper", "",
             f"Made by `python3 benchmarks/papers/p_sensitive.py`. Adult, 10,000 rows (`{TABLE}`), k = {K}, six",
             "quasi-identifiers (hierarchies `adult_wong`; ages as intervals, for Incognito along their hierarchy), p different",
             "values of education-num, education and occupation in every class. Every solver looks at IL. Classes that publish",
             "alike count as one. The bound is that of the paper's second condition, capped by k. Seconds are the solver's",
             f"alone, the least of {args.repeat}; auto is given {args.time}, once.", "",
             plots.machine(), ""]
    svg = plots.opening(450, COLOURS, left=60, step=115)
    figures = [("avg", "AVG: mean class size / k", "{:.4f}"), ("dm", "DM: sum of squared class sizes", "{:,.0f}"),
               ("il", "IL: information loss", "{:,.0f}"), ("seconds", "Solver seconds", "{:.2f}")]
    for i, (measure, title, form) in enumerate(figures):
        lines += table(title, points, measure, form)
        svg += plots.panel(10 + 330 * (i % 2), 34 + 205 * (i // 2), title, "p", points, measure, COLOURS, log=True)
    svg.append("</svg>")
    (HERE / "p_sensitive.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    (HERE / "p_sensitive.svg").write_text("\n".join(svg) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
