#!/usr/bin/env python3
"""Judges from outside: DuckDB and pycanon look at releases that incrowd made and verified.

    pip install duckdb==2.0.0 pycanon==1.3.6
    tests/faults/outside_judges.py BIN --cases 10000 --pycanon 1000 --results tests/faults/results/outside_judges.json

Each case is a small random table, a policy and a solver. The release is judged by `incrowd verify`, and by DuckDB with the
queries that `verify --sql` prints: a query that returns a row refutes the promise. Then some rows are taken out of the
file, and both judge what is left: every promise has to be found kept or broken alike. For the first cases pycanon computes
k, the distinct values of a class and t (where the sensitive column is not ordered) of the published rows, and they have to
keep the promise, too.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOLVERS = ["mondrian", "cheapest-first", "k-member", "hilbert", "forest", "top-down", "incognito", "agglomerative", "sequential"]
QUASI = ["age", "sex", "town"]


def table(draw: random.Random) -> list[list[str]]:
    towns, ills = draw.choice([2, 5, 12]), draw.choice([2, 3, 6])
    skew = draw.choice([1, 2])
    return [[str(20 + draw.randrange(draw.choice([3, 30]))), draw.choice("fm"), f"t{int(draw.random() ** skew * towns)}",
             f"i{int(draw.random() ** skew * ills)}"] for _ in range(draw.randrange(12, 120))]


def policy(draw: random.Random) -> list[str]:
    return ["--k", str(draw.randrange(1, 7)), *draw.choice([
        [], ["--l-diversity", f"ill={draw.randrange(2, 4)}"], ["--p-sensitive", "ill=2"], ["--alpha", f"ill={draw.choice([0.5, 0.6, 0.8])}"],
        ["--t-closeness", f"ill={draw.choice([0.2, 0.35, 0.5])}"], ["--model", f"entropy-l-diversity:ill,l={draw.choice([1.5, 2])}"],
        ["--model", f"recursive-cl-diversity:ill,c={draw.choice([1, 2])},l=2"], ["--model", f"beta-likeness:ill,beta={draw.choice([1, 2])}"],
        ["--model", "delta-disclosure:ill,delta=2"], ["--suppress", "0.1"]])]


class Case:
    """A release of a random table in a folder of its own."""

    def __init__(self, binary: str, number: int, folder: Path):
        draw = random.Random(number)
        self.binary, self.number, self.folder = binary, number, folder
        lines = [[*QUASI, "ill"], *table(draw)]
        (folder / "table.csv").write_text("".join(",".join(line) + "\n" for line in lines))
        self.policy = policy(draw)
        self.words = ["anonymize", "table.csv", "--qi", ",".join(QUASI), "--sensitive", "ill", "--seed", "1", "--no-report", "--no-bound",
                      "--rows-are-people", "--algorithm", draw.choice(SOLVERS), *self.policy, "-o", "release"]
        self.lost = draw.random() * 0.5
        self.draw = draw

    def run(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([self.binary, *words], cwd=self.folder, capture_output=True, text=True)

    def verdict(self) -> dict:
        return json.loads(self.run("verify", "release", "--sql", "--format", "json").stdout)

    def lose_rows(self) -> None:
        """Takes rows out of the file, so that its classes are others."""
        file = self.folder / "release" / "data.csv"
        head, *rows = file.read_text().splitlines(keepends=True)
        file.write_text(head + "".join(row for row in rows if self.draw.random() > self.lost))


def by_queries(duckdb, file: Path, verdict: dict) -> dict:
    """Of each promise with a query whether the query returns no row."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE release AS SELECT * FROM read_csv(?, all_varchar = true, header = true)", [str(file)])
    return {(one["model"], one["sensitive"]): not connection.execute(one["sql"]).fetchall() for one in verdict["sql"]}


def by_pycanon(file: Path, words: list[str]) -> list[str]:
    """The promises that pycanon's figures contradict."""
    import pandas
    from pycanon import anonymity

    rows = pandas.read_csv(file, dtype=str, keep_default_na=False)
    asked = dict(zip(words[::2], words[1::2]))
    number = lambda flag: float(asked[flag].split("=")[1]) if flag in asked else None  # noqa: E731
    wrong = []
    if anonymity.k_anonymity(rows, QUASI) < int(asked["--k"]):
        wrong.append("k")
    distinct = number("--l-diversity") or number("--p-sensitive")
    if distinct and anonymity.l_diversity(rows, QUASI, ["ill"]) < distinct:
        wrong.append("distinct values")
    if (share := number("--alpha")) and anonymity.alpha_k_anonymity(rows, QUASI, ["ill"])[0] > share + 1e-9:
        wrong.append("alpha")
    if (most := number("--t-closeness")) and anonymity.t_closeness(rows, QUASI, ["ill"]) > most + 1e-9:
        wrong.append("t")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--pycanon", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no case after this time")
    parser.add_argument("--results", type=Path)
    asked = parser.parse_args()
    import duckdb

    binary = str(Path(asked.binary).resolve())
    counts = {"cases": 0, "released": 0, "refused": 0, "queries": 0, "broken": 0, "pycanon": 0}
    faults = []
    root, begun = Path(tempfile.mkdtemp()), time.monotonic()
    for number in range(asked.first, asked.first + asked.cases):
        if time.monotonic() - begun > asked.seconds:
            break
        if number % 500 == 499:
            print(counts, file=sys.stderr, flush=True)
        counts["cases"] += 1
        folder = root / "case"
        folder.mkdir()
        case = Case(binary, number, folder)
        made = case.run(*case.words)
        if made.returncode:
            counts["refused"] += 1
            if made.returncode not in (1, 2):
                faults.append([number, f"ended with {made.returncode}: {made.stderr[:200]}"])
        else:
            counts["released"] += 1
            for is_whole in (True, False):
                if not is_whole:
                    case.lose_rows()
                verdict = case.verdict()
                ours = {(one["model"], one["sensitive"]): one["holds"] for one in verdict["models"]}
                theirs = by_queries(duckdb, folder / "release" / "data.csv", verdict)
                counts["queries"] += len(theirs)
                counts["broken"] += sum(not holds for holds in theirs.values())
                faults += [[number, f"{key}: {ours.get(key)} here, {holds} by DuckDB"] for key, holds in theirs.items() if ours.get(key) != holds]
                faults += [[number, "refuted by DuckDB"]] if is_whole and not all(theirs.values()) else []
                if is_whole and counts["pycanon"] < asked.pycanon:
                    counts["pycanon"] += 1
                    faults += [[number, f"{wrong} by pycanon"] for wrong in by_pycanon(folder / "release" / "data.csv", case.policy)]
        shutil.rmtree(folder)
    shutil.rmtree(root)
    found = {**counts, "faults": faults}
    print(json.dumps(found, indent=1))
    if asked.results:
        asked.results.write_text(json.dumps(found, indent=1) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
