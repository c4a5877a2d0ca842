#!/usr/bin/env python3
"""Tables of any size on one machine under --memory, beside the bare engine and DuckDB, in one run.

Usage: python3 benchmarks/scale/one_machine.py --folder SCRATCH [--sizes 1e6,1e7,1e8,3e8] [--distinct 1e6,1e7,1e8]
       [--memory 4GiB] [--no-build] [--no-shards] [--resume]

Makes census-like tables with `incrowd sample` in the scratch folder (about 2 GB for 10^8 rows; a release of them takes as
much, and a run up to 8 GB of temporary files beside), and for each size:

- eight quasi-identifiers, k = 10: `anonymize` and then `verify`, beside the bare engine's scan + group + sort + write;
- the same with postcode and birth date, so that tuples are nearly as many as rows: beside DuckDB's group-by plus the bare
  engine's scan + sort + write.

Memory is the kernel's peak resident size of each process (wait4, as `/usr/bin/time -v` prints it). Then what shards add
to LM, on tables that fit whole. What a size gave is kept in the scratch folder, and `--resume` goes on where a run was
ended. Writes one_machine.md and one_machine.svg beside this file. DuckDB is taken from the
Python that runs this (`pip install duckdb`), and left out when it is not there.
"""
import argparse
import json
import math
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "papers"))
import plots  # noqa: E402
from run import EIGHT, TEN, Bench, measure  # noqa: E402

KEPT = "diagnosis,salary-class"
ADULT = "age,workclass,education,marital-status,occupation,relationship,race,sex"
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def bytes_of(size):
    unit = next((unit for unit in UNITS if size.endswith(unit)), None)
    return int(float(size[:-3]) * UNITS[unit]) if unit else int(size)


def slope(points):
    """The least-squares slope of the logarithms."""
    xs, ys = ([math.log(point[at]) for point in points] for at in (0, 1))
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


class Scale(Bench):
    def remove(self, target):
        for path in (target, f"{target}.internal"):
            shutil.rmtree(path, ignore_errors=True)

    def anonymize(self, table, columns, target, *more):
        self.remove(target)
        return [self.incrowd, "anonymize", table, "--qi", columns, "--sensitive", KEPT, "--others", "remove", "--k", "10",
                "--algorithm", "mondrian", "--seed", "1", "--no-bound", "--output-format", "parquet", "--format", "json",
                "--quiet", "-o", target, *more]

    def release(self, table, columns):
        """A release under the limit, and its verification as a process of its own."""
        memory, temp = self.arguments.memory, str(self.folder / "temp")
        target = str(self.folder / "release")
        made = measure(self.anonymize(table, columns, target, "--memory", memory, "--temp", temp))
        answer = json.loads(made["output"])
        checked = measure([self.incrowd, "verify", target, "--memory", memory, "--format", "json", "--quiet"])
        verdict = json.loads(checked["output"])
        assert answer["verified"] and verdict["verified"] and verdict["rows"] == answer["rows"]
        self.remove(target)
        return made, checked, answer

    def bare_write(self, table, columns, grouped):
        out, temp = self.folder / "bare.parquet", self.folder / "temp"
        temp.mkdir(exist_ok=True)
        out.unlink(missing_ok=True)
        option, group = ("--release", [columns]) if grouped else ("--write", [])
        limit = [str(bytes_of(self.arguments.memory)), str(temp)]
        got = measure([self.bare, option, str(out), f"{columns},{KEPT}", table, *group, *limit])
        out.unlink(missing_ok=True)
        return got

    def row(self, name, got, yardstick=None):
        ratio = f"{got['cpu'] / yardstick:.2f}×" if yardstick else ""
        self.say(f"| {name} | {got['cpu']:,.1f} | {got['wall']:,.1f} | {got['mib']:,.0f} | {ratio} |")

    def head(self, title):
        self.say(f"\n### {title}\n")
        self.say("| | CPU s | wall s | peak MiB | CPU ratio |\n| --- | ---: | ---: | ---: | ---: |")

    def told(self, answer, rows, columns):
        shards = f", {answer['shards']} shards" if answer.get("shards") else ", whole"
        cells = rows * (len(columns.split(",")) + 2)
        self.say(f"\n{answer['tuples']:,} tuples, {answer['classes']:,} classes, smallest {answer['smallest_class']}, LM "
                 f"{answer['loss']['lm']:.4f}{shards}, {answer['spilled_bytes'] / 1e9:.2f} GB through the disk; "
                 f"{cells:,} published cells{' (more than 2³¹)' if cells > 2**31 else ''}, verified.")

    def together(self, *parts):
        return {"cpu": sum(p["cpu"] for p in parts), "wall": sum(p["wall"] for p in parts), "mib": max(p["mib"] for p in parts)}

    def table_of(self, rows):
        return self.table(f"census-{rows}.parquet", rows)

    def eight(self, rows):
        table = self.table_of(rows)
        self.head(f"{rows:,} rows, 8 quasi-identifiers")
        bare = self.bare_write(table, EIGHT, True)
        made, checked, answer = self.release(table, EIGHT)
        both = self.together(made, checked)
        self.row("bare DataFusion: scan, group, sort, write", bare, bare["cpu"])
        self.row("incrowd anonymize", made, bare["cpu"])
        self.row("incrowd verify", checked, bare["cpu"])
        self.row("**anonymize → verify** (bar: 3×)", both, bare["cpu"])
        self.told(answer, rows, EIGHT)
        return {"cpu": both["cpu"], "mib": both["mib"]}

    def ten(self, rows):
        table = self.table_of(rows)
        self.head(f"{rows:,} rows, with postcode and birth date: tuples ≈ rows")
        limit = f"{bytes_of(self.arguments.memory)}B"
        command = self.duckdb(table, TEN, limit)
        duck = measure(command) if command else None
        bare = self.bare_write(table, TEN, False)
        made, checked, answer = self.release(table, TEN)
        both = self.together(made, checked)
        yardstick = bare["cpu"] + (duck["cpu"] if duck else 0)
        if duck:
            self.row("DuckDB: group", duck)
        self.row("bare DataFusion: scan, sort, write", bare)
        self.row("**anonymize → verify** against both (bar: 4×)", both, yardstick)
        self.row("incrowd anonymize", made, yardstick)
        self.row("incrowd verify", checked, yardstick)
        self.told(answer, rows, TEN)
        return {"cpu": both["cpu"], "mib": both["mib"]}

    def once(self, name, work):
        """What the work gives and says; with --resume, what it gave and said in the run that was ended."""
        kept = self.folder / f"measured-{name}.json"
        if self.arguments.resume and kept.exists():
            got, lines = json.loads(kept.read_text(encoding="utf-8"))
            for line in lines:
                self.say(line)
            return got
        start = len(self.lines)
        got = work()
        kept.write_text(json.dumps([got, self.lines[start:]]), encoding="utf-8")
        return got

    def shards(self):
        """What shards add to LM where the table fits whole."""
        self.say("\n## What shards add to the loss\n")
        self.say("`--at-once N` cuts a table of more than N tuples into shards, as a small `--memory` does. The bar is 5 %.\n")
        self.say("| table | solver | tuples | whole: LM | shards | LM in shards | added |\n| --- " + "| ---: " * 6 + "|")
        data = os.environ.get("INCROWD_DATA")
        cases = [("census, 10⁶ rows, 8 columns", self.table_of(1_000_000), EIGHT, []),
                 ("census, 10⁶ rows, 10 columns", self.table_of(1_000_000), TEN, [])]
        if data:
            hierarchies = [("--hierarchy", f"{column}={data}/hierarchies/adult_kenig/{column}.csv")
                           for column in ADULT.split(",")]
            cases.insert(0, ("Adult, hierarchies `adult_kenig`", f"{data}/adult.csv", ADULT, sum(hierarchies, ())))
        target = str(self.folder / "release")
        for name, table, columns, hierarchies in cases:
            for solver in ("mondrian", "top-down"):
                def solved(*more):
                    command = [self.incrowd, "anonymize", table, "--qi", columns, "--others", "remove", "--k", "10",
                               "--algorithm", solver, "--loss", "lm", "--seed", "1", "--no-bound", "--format", "json",
                               "--quiet", "-o", target, *hierarchies, *more]
                    self.remove(target)
                    return json.loads(measure(command)["output"])
                whole = solved()
                for parts in (4, 16):
                    cut = solved("--at-once", str(whole["tuples"] // parts))
                    before, after = whole["loss"]["lm"], cut["loss"]["lm"]
                    self.say(f"| {name} | {solver} | {whole['tuples']:,} | {before:.4f} | {cut['shards']} | {after:.4f} | "
                             f"{100 * (after / before - 1):+.1f} % |")
        self.remove(target)

    def run(self):
        self.build()
        self.say("# One machine, any size\n")
        self.say(f"Written by `python3 benchmarks/scale/one_machine.py`. {plots.machine()} Everything under --memory "
                 f"{self.arguments.memory}, k = 10, Mondrian, Parquet to Parquet, one run each. The machine is shared, so CPU "
                 "seconds and ratios count. Memory is the kernel's peak resident size.")
        points = []
        for rows in self.arguments.sizes:
            points.append((rows, {"8 columns": self.once(f"eight-{rows}", lambda: self.eight(rows))}))
        for rows in self.arguments.distinct:
            got = self.once(f"ten-{rows}", lambda: self.ten(rows))
            next((by for size, by in points if size == rows), points and points[-1][1])["tuples ≈ rows"] = got
        self.say("\n## Growth\n")
        for name in ("8 columns", "tuples ≈ rows"):
            line = [(rows, by[name]["cpu"]) for rows, by in points if name in by]
            if len(line) > 1:
                self.say(f"- {name}: CPU seconds grow with rows to the power of {slope(line):.2f} (least squares on "
                         f"logarithms, {line[0][0]:.0e} to {line[-1][0]:.0e} rows; the bar is 1.1).")
        if not self.arguments.no_shards:
            self.once("shards", self.shards)
        colours = {"8 columns": "#1d4ed8", "tuples ≈ rows": "#b45309"}
        shown = [(f"{rows:.0e}".replace("e+0", "e"), by) for rows, by in points]
        svg = plots.opening(240, colours, left=200)
        svg += plots.panel(10, 36, "CPU seconds", "rows", shown, "cpu", colours, log=True)
        svg += plots.panel(340, 36, f"peak MiB under {self.arguments.memory}", "rows", shown, "mib", colours)
        (HERE / "one_machine.svg").write_text("\n".join([*svg, "</svg>"]) + "\n", encoding="utf-8")
        (HERE / "one_machine.md").write_text("\n".join(self.lines) + "\n\n![growth](one_machine.svg)\n", encoding="utf-8")


def sizes(text):
    return [int(float(size)) for size in text.split(",") if size]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", required=True, help="a scratch folder with room")
    parser.add_argument("--sizes", type=sizes, default=sizes("1e6,1e7,1e8,3e8"), help="rows, 8 quasi-identifiers")
    parser.add_argument("--distinct", type=sizes, default=sizes("1e6,1e7,1e8"), help="rows, with postcode and birth date")
    parser.add_argument("--memory", default="4GiB")
    parser.add_argument("--no-build", action="store_true", help="use the release binaries that are there")
    parser.add_argument("--no-shards", action="store_true", help="leave out what shards add to the loss")
    parser.add_argument("--resume", action="store_true", help="go on where a run was ended, with what it measured")
    Scale(parser.parse_args()).run()
