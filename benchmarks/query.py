#!/usr/bin/env python3
"""Questions about a release beside the bare engine's COUNT over the same labels, in one run.

Usage: python3 benchmarks/query.py [--rows 10000000] [--runs 3] [--no-build]

A release of the made-up census, Parquet, eight quasi-identifiers, k = 10 (Top-Down). `incrowd query` estimates what the
original would answer; the bare engine counts the rows whose published labels overlap the same condition, with the labels
written out in its WHERE. A release of two tables is asked too. Writes query.md beside this file.
"""

import argparse
import datetime
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from run import EIGHT, ROOT, Bench, measure

# A question, and which labels of each column overlap it: for the bare engine.
QUESTIONS = [
    ("one column", "sex = 'Female'", {"sex": ["Female"]}),
    ("two columns", "age BETWEEN 30 AND 40 AND occupation = 'Sales'", {"age": (30, 40), "occupation": ["Sales"]}),
    ("three columns and the sensitive one",
     "age BETWEEN 30 AND 40 AND occupation IN ('Sales', 'Craft-repair') AND sex = 'Male' AND diagnosis LIKE 'J%'",
     {"age": (30, 40), "occupation": ["Sales", "Craft-repair"], "sex": ["Male"], "diagnosis": "J%"}),
    ("six columns",
     "age BETWEEN 25 AND 60 AND workclass = 'Private-company' AND education IN ('Bachelor', 'Master') AND sex = 'Male' "
     "AND native-country IN ('Bolivia', 'Brazil') AND diagnosis LIKE 'J%'",
     {"age": (25, 60), "workclass": ["Private-company"], "education": ["Bachelor", "Master"], "sex": ["Male"],
      "native-country": ["Bolivia", "Brazil"], "diagnosis": "J%"}),
]

STAND_IN = """
import sys, duckdb
parquet, target, eight = sys.argv[1:4]
con = duckdb.connect()
con.execute(f"SET temp_directory = '{target}.temp'")
names = ", ".join('"' + name + '"' for name in eight.split(","))
# Multiplying by a number without a common divisor shuffles the ids.
con.execute(f"CREATE TABLE t AS SELECT {names}, diagnosis, (row_number() OVER (ORDER BY {names}) - 1) // 10 * 7919 "
            f"% (SELECT count(*) // 10 FROM '{parquet}') + 1 AS class FROM '{parquet}'")
con.execute(f"COPY (SELECT {names}, class FROM t ORDER BY hash(class * 31, age, race)) TO '{target}/first.parquet'")
con.execute(f"COPY (SELECT class, diagnosis FROM t ORDER BY hash(class * 17, diagnosis)) TO '{target}/second.parquet'")
"""


class Queries(Bench):
    def labels(self, release, column):
        """The labels of a column that stand above each of its values, from the record."""
        files = (Path(f"{release}.internal") / "hierarchies").glob(f"*-{column}.csv")
        lines = [line.split(";") for file in files for line in file.read_text().splitlines()]
        return {line[0]: line for line in lines}

    def overlapping(self, release, column, wanted):
        """An SQL condition on labels: those that overlap what is asked."""
        if isinstance(wanted, str):
            return f"\"{column}\" LIKE '{wanted}'"
        paths = self.labels(release, column)
        if isinstance(wanted, tuple):
            wanted = [value for value in paths if value.isdigit() and wanted[0] <= int(value) <= wanted[1]]
        labels = sorted({label for value in wanted for label in paths.get(value, [value])})
        return f'"{column}" IN (' + ", ".join("'" + label.replace("'", "''") + "'" for label in labels) + ")"

    def release(self, parquet, name, *more):
        target = str(self.folder / name)
        shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(f"{target}.internal", ignore_errors=True)
        done = subprocess.run([self.incrowd, "anonymize", parquet, "--qi", EIGHT, "--sensitive", "diagnosis", "--others",
                               "remove", "--k", "10", "--algorithm", "top-down", "--no-bound", "-q", "-o", target, *more],
                              capture_output=True, check=False)
        return target if done.returncode == 0 else None

    def run(self):
        self.build()
        rows, runs = self.arguments.rows, self.arguments.runs
        parquet = self.table(f"census-{rows}.parquet", rows)
        one = self.release(parquet, "query-one")
        two = self.release(parquet, "query-two", "--publish", "two-tables")
        made = "made by `anonymize --publish two-tables`"
        if two is None:
            two, made = self.stand_in(parquet), "laid out by DuckDB, ten rows to a class"
        cpu = platform.processor() or platform.machine()
        self.say("# Questions beside the bare engine\n")
        self.say(f"`python3 benchmarks/query.py --rows {rows}` on {datetime.date.today()}, {os.cpu_count()} cores ({cpu}), "
                 f"{platform.system()}; least of {runs} runs in turns; the machine is shared, so CPU seconds and ratios count.\n")
        self.say(f"{rows:,} rows, Parquet, 8 quasi-identifiers, k = 10. Bare DataFusion counts the rows whose labels overlap "
                 "the same condition; `incrowd query` reads the same columns, weighs each cell, and gives the interval.\n")
        self.say("| question | bare CPU s (wall) | incrowd CPU s (wall) | peak MiB | CPU ratio | estimate | certain |")
        self.say("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for words, condition, wanted in QUESTIONS:
            where = " AND ".join(self.overlapping(one, column, values) for column, values in wanted.items())
            self.compare_one(words, [self.bare, "--count", f"{one}/data.parquet", where], one, condition, runs)
        if two:
            self.say(f"\nTwo tables, {made}. Bare DataFusion counts as the paper prints it: rows of the second table whose "
                     "class has a match in the first.\n")
            self.say("| question | bare CPU s (wall) | incrowd CPU s (wall) | peak MiB | CPU ratio | estimate | certain |")
            self.say("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
            told = json.loads((Path(two) / "manifest.json").read_text())["two_tables"]
            first, second = f"{two}/{told['quasi_identifiers']}", f"{two}/{told['sensitive']}"
            for words, condition, _ in QUESTIONS:
                quoted = condition.replace("native-country", '"native-country"')
                before, _, after = quoted.partition(" AND diagnosis")
                bare = [self.bare, "--count", first, before]
                bare += [second, f"diagnosis{after}", told["class_column"]] if after else []
                self.compare_one(words, bare, two, condition, runs)
        (ROOT / "benchmarks" / "query.md").write_text("\n".join(self.lines) + "\n")

    def stand_in(self, parquet):
        """Two tables of the same form, when anonymize cannot make them and DuckDB is there."""
        if importlib.util.find_spec("duckdb") is None:
            return None
        target = self.folder / "query-two"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        # A process of its own: the memory of this one counts for those that it starts.
        subprocess.run([sys.executable, "-c", STAND_IN, parquet, str(target), EIGHT], check=True)
        rows = self.arguments.rows
        files = []
        for name in ("first.parquet", "second.parquet"):
            path = target / name
            with path.open("rb") as data:
                digest = hashlib.file_digest(data, "sha256").hexdigest()
            files.append({"name": name, "format": "parquet", "rows": rows, "bytes": path.stat().st_size, "sha256": digest})
        quasi = {"role": "quasi-identifier", "technique": "retained"}
        columns = [{"name": name, **quasi} for name in EIGHT.split(",")]
        columns.append({"name": "diagnosis", "role": "sensitive", "technique": "moved-to-second-table"})
        tables = {"class_column": "class", "quasi_identifiers": "first.parquet", "sensitive": "second.parquet"}
        manifest = {"incrowd": 1, "policy": {"models": [], "suppression": 0.0}, "counts": "rows", "source_rows": rows,
                    "rows": rows, "suppressed_rows": 0, "classes": rows // 10, "smallest_class": 10, "columns": columns,
                    "files": files, "two_tables": tables, "seal": "0" * 64}
        text = json.dumps(manifest)
        seal = hashlib.sha256(text.encode()).hexdigest()
        (target / "manifest.json").write_text(seal.join(text.rsplit("0" * 64, 1)))
        return str(target)

    def compare_one(self, words, bare, release, condition, runs):
        asked = [self.incrowd, "query", release, f"SELECT COUNT(*) WHERE {condition}", "--format", "json"]
        got = {"bare": [], "incrowd": []}
        for _ in range(runs):
            got["bare"].append(measure(bare))
            got["incrowd"].append(measure(asked))
        least = {name: {key: min(run[key] for run in kept) for key in ("cpu", "wall", "mib")} for name, kept in got.items()}
        answer = json.loads(got["incrowd"][-1]["output"])
        self.say(f"| {words} | {least['bare']['cpu']:.2f} ({least['bare']['wall']:.2f}) | {least['incrowd']['cpu']:.2f} "
                 f"({least['incrowd']['wall']:.2f}) | {least['incrowd']['mib']:,.0f} | "
                 f"{least['incrowd']['cpu'] / least['bare']['cpu']:.2f}× | {answer['estimate']:,.1f} | "
                 f"{answer['lower']:,.0f} to {answer['upper']:,.0f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-build", action="store_true", help="use the release binaries that are there")
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "incrowd-bench"))
    Queries(parser.parse_args()).run()
