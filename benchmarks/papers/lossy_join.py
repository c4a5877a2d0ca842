#!/usr/bin/env python3
"""The experiments of the lossy-join paper (section 7, figures 2 to 5) on Adult: how far random counts are off.

Usage: python3 benchmarks/papers/lossy_join.py [--bin target/release/incrowd] [--time 30s] [--queries 1000] [--quick]

Needs INCROWD_DATA (adult.csv and hierarchies/adult_wong). Writes lossy_join.md and lossy_join.svg beside this file. The
paper's defaults: occupation sensitive with alpha = 0.33 for every value, k = 2, the first eight attributes as
quasi-identifiers, questions about qd = 4 of them with an expected selectivity s = 0.05. Varied one at a time: the number
of quasi-identifiers, qd, s and the number of rows. Top-down in two tables (the paper's Alpha(Lossy)), Anatomy, top-down
generalized (the paper's Alpha) and auto generalized answer the same questions, with the estimator as printed and with the
expected count.
"""
import argparse
import csv
import json
import os
import pathlib
import random
import subprocess
import tempfile

import plots

HERE = pathlib.Path(__file__).resolve().parent
QUASI = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class"]
SENSITIVE = "occupation"
SOLVERS = {  # name on the page: (solver, tables)
    "two tables, top-down": ("top-down", "two-tables"),
    "Anatomy": ("anatomy", "two-tables"),
    "generalized, top-down": ("top-down", "one-table"),
    "generalized, auto": ("auto", "one-table"),
}
COLOURS = dict(zip(SOLVERS, ["#1d4ed8", "#047857", "#b45309", "#7c3aed"]))
ESTIMATORS = {"expected": "the expected count", "printed": "as printed"}


def run(command):
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{ran.stderr}")
    return json.loads(ran.stdout)


def releases(args, data, table, quasi, folder):
    """A release of each solver; their folders by name, and what was said of them."""
    made, told = {}, {}
    for name, (solver, tables) in SOLVERS.items():
        path = f"{folder}/{len(quasi)}-{solver}-{tables}"
        command = [args.bin, "anonymize", table, "--qi", ",".join(quasi), "--sensitive", SENSITIVE, "--others", "remove",
                   "--k", "2", "--alpha", f"{SENSITIVE}=0.33", "--algorithm", solver, "--publish", tables, "--seed", "1",
                   "--no-bound", "--quiet", "--format", "json", "-o", path]
        command += ["--time", args.time] if solver == "auto" else []
        for column in quasi:
            command += ["--hierarchy", f"{column}={data}/hierarchies/adult_wong/{column}.csv"]
        told[name] = run(command)
        assert told[name]["verified"]
        made[name] = path
    return made, told


def errors(args, table, made, dimensionality, selectivity):
    """Mean and median relative error of each release, by estimator."""
    answer = run([args.bin, "compare", table, *made.values(), "--queries", str(args.queries), "--dimensionality",
                  str(dimensionality), "--selectivity", str(selectivity), "--seed", "1", "--format", "json"])
    found = {}
    for name, release in zip(made, answer["releases"]):
        better, printed = release["queries"]
        found[name] = {"expected": better["mean"], "expected_median": better["median"],
                       "printed": printed["mean"], "printed_median": printed["median"]}
    return found


def rows_of(data, count, folder):
    """Adult, or so many of its rows drawn with a fixed seed."""
    source = data / "adult.csv"
    with open(source, newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    if count >= len(rows):
        return str(source), len(rows)
    path = f"{folder}/adult-{count}.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *random.Random(42).sample(rows, count)])
    return path, count


def ranking(points, estimator):
    """In how many settings the paper's order holds: two tables below Anatomy below generalized."""
    two, anatomy, general = list(SOLVERS)[:3]
    holds = sum(by[two][estimator] < by[anatomy][estimator] < by[general][estimator] for _, by in points)
    first = sum(by[two][estimator] < min(by[anatomy][estimator], by[general][estimator]) for _, by in points)
    return holds, first


def table(axis, points, estimator):
    lines = [f"| {axis} | " + " | ".join(SOLVERS) + " |", "| --- |" + " ---: |" * len(SOLVERS)]
    for x, by in points:
        cells = [f"{100 * by[name][estimator]:.1f} % ({100 * by[name][estimator + '_median']:.1f} %)" for name in SOLVERS]
        lines.append(f"| {x} | " + " | ".join(cells) + " |")
    return lines + [""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=plots.binary())
    parser.add_argument("--time", default="30s", help="what auto is given")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--quick", action="store_true", help="two settings of each, 100 questions, auto 2 s")
    args = parser.parse_args()
    data = pathlib.Path(os.environ["INCROWD_DATA"])
    sweeps = {"d": [3, 4, 5, 6, 7, 8], "qd": list(range(1, 9)), "s": [0.01, 0.03, 0.05, 0.07, 0.10],
              "n": [10000, 20000, 30000, 40000, 45222]}
    if args.quick:
        args.time, args.queries = "2s", 100
        sweeps = {name: [values[0], values[-1]] for name, values in sweeps.items()}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        adult, _ = rows_of(data, 10**9, folder)
        whole, told = releases(args, data, adult, QUASI, folder)
        found["d"] = []
        for d in sweeps["d"]:
            made = whole if d == len(QUASI) else releases(args, data, adult, QUASI[:d], folder)[0]
            found["d"].append((d, errors(args, adult, made, min(4, d), 0.05)))
        found["qd"] = [(qd, errors(args, adult, whole, qd, 0.05)) for qd in sweeps["qd"]]
        found["s"] = [(s, errors(args, adult, whole, 4, s)) for s in sweeps["s"]]
        found["n"] = []
        for n in sweeps["n"]:
            path, count = rows_of(data, n, folder)
            with tempfile.TemporaryDirectory() as inner:
                made = whole if path == adult else releases(args, data, path, QUASI, inner)[0]
                found["n"].append((count, errors(args, path, made, 4, 0.05)))
    titles = {"d": "Number of quasi-identifiers", "qd": "Query dimensionality qd", "s": "Selectivity s", "n": "Rows"}
    lines = ["# The experiments of the lossy-join paper", "",
             f"Made by `python3 benchmarks/papers/lossy_join.py`. Adult, occupation sensitive (α = 0.33 for every value), k = 2,",
             f"hierarchies `adult_wong`, {args.queries:,} questions a setting, the same for every release, redrawn when nobody",
             f"answers; auto was given {args.time}. Defaults: eight quasi-identifiers, qd = 4, s = 0.05, 45,222 rows. Cells are the",
             f"mean relative error, in parentheses the median. {plots.machine()}", "", "![plots](lossy_join.svg)", "",
             "What stands in the releases of the default setting:", "",
             "| release | classes | smallest | LM if generalized | learning attack | by the class alone |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name in SOLVERS:
        answer = told[name]
        attack = answer.get("attacks") or []
        learnt = [f"{attack[0]['success']:.3f}", f"{attack[0]['baseline']:.3f}"] if attack else ["–", "–"]
        lines.append(f"| {name} | {answer['classes']:,} | {answer['smallest_class']} | {answer['loss']['lm']:.4f} | "
                     + " | ".join(learnt) + " |")
    lines.append("")
    points = [point for sweep in found.values() for point in sweep]
    for estimator, words in ESTIMATORS.items():
        other = "uniform within a cell" if estimator == "expected" else "every row whose cells overlap"
        holds, first = ranking(points, estimator)
        lines += [f"## Estimated {words} (generalized: {other})", "",
                  f"The paper's ranking (two tables below Anatomy below generalized, top-down) holds in {holds} of {len(points)}",
                  f"settings; two tables by top-down are the best of the three in {first}.", ""]
        for name, title in titles.items():
            lines += [f"### {title}", ""] + table(name, found[name], estimator)
    (HERE / "lossy_join.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    svg = plots.opening(40 + 200 * 4, COLOURS, left=20, step=None)
    for row, (name, title) in enumerate(titles.items()):
        for column, estimator in enumerate(ESTIMATORS):
            svg += plots.panel(15 + 325 * column, 40 + 200 * row, f"{title}: {ESTIMATORS[estimator]}", name, found[name],
                               estimator, COLOURS)
    (HERE / "lossy_join.svg").write_text("\n".join(svg + ["</svg>"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
