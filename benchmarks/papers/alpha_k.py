#!/usr/bin/env python3
"""The sweeps of the (α, k)-anonymity paper (section 5, figures 5 and 6) on Adult, the three solvers side by side.

Usage: python3 benchmarks/papers/alpha_k.py [--bin target/release/incrowd] [--repeat 3] [--quick]

Needs INCROWD_DATA (adult.csv and hierarchies/adult_wong). Writes alpha_k.md and alpha_k.svg beside this file.
Quasi-identifier sizes 1 to 8 in the paper's order at α = 0.5, and α from 0.25 to 0.9 on all eight, for k = 2 and 10;
protected: the value >50K of salary-class, exact rule. Times are the solver's, the least of the repetitions.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import plots

HERE = pathlib.Path(__file__).resolve().parent
ATTRIBUTES = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
ALGORITHMS = ["incognito", "progressive", "top-down"]
ALPHAS = [0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
COLOURS = {"incognito": "#b45309", "progressive": "#1d4ed8", "top-down": "#047857"}


def solve(args, data, attributes, alpha, k, algorithm):
    """One release; its loss, and the least solver time of the repetitions."""
    best = None
    for _ in range(args.repeat):
        with tempfile.TemporaryDirectory() as folder:
            command = [args.bin, "anonymize", str(data / "adult.csv"), "--qi", ",".join(attributes),
                       "--alpha", f"salary-class:>50K={alpha}", "--others", "remove", "--k", str(k),
                       "--algorithm", algorithm, "--seed", "1", "--format", "json", "-o", f"{folder}/release"]
            for attribute in attributes:
                command += ["--hierarchy", f"{attribute}={data}/hierarchies/adult_wong/{attribute}.csv"]
            ran = subprocess.run(command, capture_output=True, text=True)
            if ran.returncode != 0:
                raise SystemExit(f"{' '.join(command)}\n{ran.stderr}")
            answer = json.loads(ran.stdout)
            assert answer["verified"]
            if best is None or answer["solve_seconds"] < best["solve_seconds"]:
                best = answer
    return {"distortion": best["loss"]["distortion_ratio"], "lm": best["loss"]["lm"],
            "seconds": best["solve_seconds"], "classes": best["classes"]}


def table(title, axis, points):
    lines = [f"### {title}", "",
             f"| {axis} | " + " | ".join(f"{a} distortion | {a} s" for a in ALGORITHMS) + " | Incognito / worse local |",
             "| --- |" + " --- |" * (2 * len(ALGORITHMS) + 1)]
    for x, by in points:
        local = max(by["progressive"]["distortion"], by["top-down"]["distortion"])
        ratio = f"{by['incognito']['distortion'] / local:.2f}×" if local else "–"
        cells = " | ".join(f"{by[a]['distortion']:.4f} | {by[a]['seconds']:.3f}" for a in ALGORITHMS)
        lines.append(f"| {x} | {cells} | {ratio} |")
    return lines + [""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=plots.binary())
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="three points of each sweep, once")
    args = parser.parse_args()
    data = pathlib.Path(os.environ["INCROWD_DATA"])
    sizes, alphas = list(range(1, 9)), ALPHAS
    if args.quick:
        args.repeat, sizes, alphas = 1, [2, 5, 8], [0.25, 0.5, 0.9]
    lines = ["# The sweeps of the (α, k)-anonymity paper", "",
             "Made by `python3 benchmarks/papers/alpha_k.py`. Adult, 45,222 rows, hierarchies `adult_wong`, protected value",
             "`>50K` of salary-class, exact rule. Seconds are the solver's alone, on the distinct tuples, the least of "
             f"{args.repeat}.", "",
             plots.machine(), ""]
    svg = plots.opening(860, COLOURS)
    top = 30
    for k in (2, 10):
        by_size = [(n, {a: solve(args, data, ATTRIBUTES[:n], 0.5, k, a) for a in ALGORITHMS}) for n in sizes]
        by_alpha = [(x, {a: solve(args, data, ATTRIBUTES, x, k, a) for a in ALGORITHMS}) for x in alphas]
        lines += table(f"k = {k}, α = 0.5, by quasi-identifier size", "size", by_size)
        lines += table(f"k = {k}, eight quasi-identifiers, by α", "α", by_alpha)
        for measure, words, log in (("distortion", "distortion ratio", False), ("seconds", "solver seconds", True)):
            svg += plots.panel(10, top, f"k = {k}: {words}", "quasi-identifiers", by_size, measure, COLOURS, log)
            svg += plots.panel(340, top, f"k = {k}: {words}", "α", by_alpha, measure, COLOURS, log)
            top += 205
    svg.append("</svg>")
    (HERE / "alpha_k.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (HERE / "alpha_k.svg").write_text("\n".join(svg) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
