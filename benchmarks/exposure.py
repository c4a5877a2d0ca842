#!/usr/bin/env python3
"""What least loss costs in exposure: releases of Adult at k = 10 by four solvers, each attacked with the original at hand.

Usage: python3 benchmarks/exposure.py [--bin target/release/incrowd] [--time 60s]

Needs INCROWD_DATA (adult.csv and hierarchies/adult_kenig). Writes exposure.md beside this file. Eight quasi-identifiers,
occupation sensitive and published, no rule about it: what a release by k alone gives away. The intersection is that of each
release with one by Mondrian at the same k.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "papers"))
import plots  # noqa: E402  (beside the papers)

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class"]
SOLVERS = ["auto", "top-down", "mondrian", "incognito"]
ROWS = [("loss (LM)", None, None), ("classes", None, None), ("prosecutor, greatest chance", "prosecutor", None),
        ("prosecutor, mean chance", "prosecutor", "mean"), ("above 0.09", "prosecutor", "above_usual_threshold"),
        ("one-valued classes, rows", "homogeneity", None), ("a value above one half, rows", "homogeneity", "majority"),
        ("guessed by the class", "inference", None), ("known when two values are ruled out", "background", None),
        ("greatest gain of a value", "skewness", "max_factor"), ("pinned by two releases", "intersection", None),
        ("cells refined (downcoding)", "downcoding", None), ("wrongly refined", "downcoding", "wrong"),
        ("rows aligned by order", "row-order", None), ("the same by chance", "row-order", "baseline")]


def run(command, statuses=(0,)):
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode not in statuses:
        raise SystemExit(f"{' '.join(map(str, command))}\n{ran.stderr}")
    return json.loads(ran.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=plots.binary())
    parser.add_argument("--time", default="60s", help="what auto is given")
    args = parser.parse_args()
    data = pathlib.Path(os.environ["INCROWD_DATA"])
    table = str(data / "adult.csv")
    hierarchies = [word for name in QUASI for word in
                   ("--hierarchy", f"{name}={data}/hierarchies/adult_kenig/{name}.csv")
                   if (data / "hierarchies" / "adult_kenig" / f"{name}.csv").exists()]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        def release(solver, name, seed):
            command = [args.bin, "anonymize", table, "--qi", ",".join(QUASI), "--sensitive", "occupation", "--others", "remove",
                       "--k", "10", "--algorithm", solver, "--loss", "lm", "--seed", str(seed), "--no-bound", "--quiet",
                       "--format", "json", "-o", f"{folder}/{name}"] + hierarchies
            return run(command + (["--time", args.time] if solver == "auto" else []))
        release("mondrian", "other", 2)
        for solver in SOLVERS:
            made = release(solver, solver, 1)
            told = run([args.bin, "attack", f"{folder}/{solver}", "--against", table, "--also", f"{folder}/other", "--format", "json"])
            by = {one["attack"]: one for one in told["attacks"]}
            figures = {one: {figure["name"]: figure["value"] for figure in by[one]["figures"]} for one in by}
            value = lambda attack, figure: ({**figures[attack], "baseline": by[attack]["baseline"]}.get(figure) if figure
                                            else by[attack]["success"])
            column = [made["loss"]["lm"], made["classes"]]
            column += [value(attack, figure) if attack in by else None for _, attack, figure in ROWS[2:]]
            found[solver] = column
    lines = ["# What least loss costs in exposure", "",
             f"Made by `python3 benchmarks/exposure.py`. Adult, 45,222 rows, k = 10, eight quasi-identifiers, occupation published and",
             f"protected by no rule; auto was given {args.time}. Each release is attacked with the original at hand; the intersection",
             f"is with a second release, by Mondrian. {plots.machine()}", "",
             "| | " + " | ".join(SOLVERS) + " |", "| --- |" + " ---: |" * len(SOLVERS)]
    show = lambda value: "–" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
    for at, (name, _, _) in enumerate(ROWS):
        lines.append(f"| {name} | " + " | ".join(show(found[solver][at]) for solver in SOLVERS) + " |")
    (HERE / "exposure.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
