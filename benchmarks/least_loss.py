#!/usr/bin/env python3
"""How little `auto` loses beside the field, and how near the optimum that is. See benchmarks/README.md.

Usage: python3 benchmarks/least_loss.py [--only arx:10] [--folder DIR] [--resume] [--no-build]

Runs the solver alone, by the example least_loss of incrowd-algorithms, for 120 seconds, and 10 minutes on a table of 10⁶ rows.
What it finds in that time depends on what else the machine does. Then the default of the program, and its memory under --memory 512MiB. Writes
least_loss.md and least_loss.svg beside this file; with --only, prints alone. What a run gave is kept in the folder, and
--resume takes it from there.
"""
import argparse
import csv
import json
import math
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from run import ROOT, Bench, measure
from growth import plots

HERE = Path(__file__).resolve().parent
EIGHT = "age,workclass,education,marital-status,occupation,race,sex,native-country"
# CPU seconds and LM of ARX 3.9.2 with local recoding, 1 %, 0.2 % and (k = 5) 0.02 % of the rows per pass: an independent run.
ARX_POINTS = {5: [(3.2, 0.0563), (6.9, 0.0524), (17, 0.0503)], 50: [(11.1, 0.1494), (23.2, 0.1453)]}
# Table of the example, its name, k, and at most which LM and which ratio to the bound are aimed at within 120 s on two cores.
BARS = [
    ("arx", "ARX's copy of Adult", 2, 0.0176, 1.035, "ARX 0.0240"),
    ("arx", "ARX's copy of Adult", 5, 0.0453, 1.06, "ARX 0.0503"),
    ("arx", "ARX's copy of Adult", 10, 0.0680, 1.055, "ARX 0.0751"),
    ("arx", "ARX's copy of Adult", 50, 0.1382, 1.055, "ARX 0.1453"),
    ("adult", "Adult, `adult_kenig`", 10, 0.0695, 1.06, "k-ANON-CF as printed 0.0849"),
    ("adult", "Adult, `adult_kenig`", 50, 0.1415, 1.06, "k-ANON-CF as printed 0.1718"),
    ("census", "census sample, 10⁶ rows", 10, 0.0550, 1.10, ""),
]
# The seconds of a search, and of that of the table of 10⁶ rows.
LIMIT, CENSUS_LIMIT = 120, 600
SECONDS = [2, 5, 10, 20, 40, 60, 90, 120, 300, 600]
COLOURS = {"auto": "#047857", "lower bound": "#1d4ed8", "ARX": "#b45309"}


def curve(left, k, lines):
    """LM and bound against CPU seconds from 1 to 240, with the points of ARX, whose CPU seconds are known."""
    points = {"auto": steps(lines, "loss", min), "lower bound": steps(lines, "bound", max), "ARX": ARX_POINTS[k]}
    low, high = min(point[1] for point in points["lower bound"] if point[0] >= 10), max(point[1] for point in points["ARX"])
    low, high = low * 0.95, high * 1.05
    x_of = lambda second: left + 44 + math.log(max(second, 1)) / math.log(240) * 246
    y_of = lambda value: 232 - (min(max(value, low), high) - low) / (high - low) * 180
    out = [f'<text x="{left + 160}" y="44" class="title">ARX\'s copy of Adult, k = {k}</text>',
           f'<line x1="{left + 44}" y1="232" x2="{left + 290}" y2="232" class="axis"/>',
           f'<line x1="{left + 44}" y1="52" x2="{left + 44}" y2="232" class="axis"/>',
           f'<text x="{left + 160}" y="262" class="label">CPU seconds of all threads</text>']
    for second in (1, 2, 5, 10, 20, 50, 100, 240):
        out.append(f'<text x="{x_of(second)}" y="246" class="tick">{second}</text>')
    for part in range(4):
        value = low + (high - low) * part / 3
        out.append(f'<text x="{left + 40}" y="{y_of(value) + 3}" class="tick end">{value:.3f}</text>')
    for name, colour in COLOURS.items():
        places = [f"{x_of(second):.1f},{y_of(value):.1f}" for second, value in points[name] if low <= value <= high]
        if name == "ARX":
            out += ['<circle cx="{}" cy="{}" r="4" fill="{}"/>'.format(*place.split(","), colour) for place in places]
        else:
            out.append(f'<polyline points="{" ".join(places)}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return out


def steps(lines, what, best):
    """The best figure from each moment on, as the corners of a line."""
    corners, known = [], None
    for _, cpu, kind, value in lines:
        if kind == what and (known is None or best(known, value) != known):
            corners += [(cpu, known)] if known is not None else []
            known = value
            corners.append((cpu, known))
    return corners + [(240, known)]


class LeastLoss(Bench):
    def search(self, table, k):
        """The lines of a search: wall and CPU seconds, what was found, LM."""
        kept = self.folder / f"least-loss-{table}-{k}.json"
        if not (self.arguments.resume and kept.exists()):
            seconds = CENSUS_LIMIT if table == "census" else LIMIT
            named = self.census() if table == "census" else table
            example = str(self.target / "examples" / "least_loss")
            kept.write_text(json.dumps(measure([example, "auto", named, str(k), "--seconds", str(seconds)])))
        got = json.loads(kept.read_text())
        lines = [line.split("\t") for line in got["output"].splitlines()]
        return got, [(float(line[0]), float(line[1]), line[2], float(line[3])) for line in lines]

    def census(self):
        """The sample of 10⁶ rows as the example reads it: with the hierarchies that the program proposes."""
        target, table = self.folder / "census-hierarchies", self.folder / "census-texts.csv"
        source = self.table("census-1000000.csv", 1_000_000)
        shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(f"{target}.internal", ignore_errors=True)
        measure([self.incrowd, "anonymize", source, "--qi", EIGHT, "--others", "remove", "--k", "10", "--algorithm", "mondrian",
                 "--no-bound", "--no-report", "--quiet", "-o", str(target)])
        texts = self.folder / "census-hierarchies"
        for file in (self.folder / "census-hierarchies.internal" / "hierarchies").iterdir():
            lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith(";")]
            # A missing value is a text here, with nothing above it but `*`.
            lines.append("?" + ";*" * lines[0].count(";"))
            (texts / file.name.split("-", 1)[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
        with open(source, newline="", encoding="utf-8") as file, open(table, "w", newline="", encoding="utf-8") as out:
            rows = csv.DictReader(file)
            writer = csv.writer(out)
            writer.writerow(EIGHT.split(","))
            writer.writerows([row[name] or "?" for name in EIGHT.split(",")] for row in rows)
        return f"{table}:{texts}/"

    def default(self, *more):
        """What the program does with ARX's copy of Adult when nothing is said about effort."""
        data = Path(os.environ["INCROWD_DATA"])
        columns = "sex,age,race,marital-status,education,native-country,workclass,occupation"
        words = [self.incrowd, "anonymize", str(data / "arx/adult.csv"), "--delimiter", ";", "--qi", columns, "--others", "remove",
                 "--k", "10", "--seed", "1", "--format", "json", "--force", "--no-report", "--quiet", "-o", str(self.folder / "least"), *more]
        for column in columns.split(","):
            words += ["--hierarchy", f"{column}={data / f'arx/adult_hierarchy_{column}.csv'}"]
        kept = self.folder / f"least-loss-default{''.join(more)}.json"
        if not (self.arguments.resume and kept.exists()):
            kept.write_text(json.dumps(measure(words)))
        got = json.loads(kept.read_text())
        return json.loads(got["output"]) | {name: got[name] for name in ("mib", "wall", "cpu")}

    def run(self):
        self.incrowd = str(self.target / "incrowd")
        for built in [] if self.arguments.no_build else (["incrowd-cli"], ["incrowd-algorithms", "--example", "least_loss"]):
            subprocess.run(["cargo", "build", "--release", "--locked", "-p", *built], cwd=ROOT, check=True)
        wanted = self.arguments.only.split(":") if self.arguments.only else None
        bars = [bar for bar in BARS if not wanted or [bar[0], str(bar[2])] == wanted]
        self.say("# The least loss\n")
        self.say("Written by `python3 benchmarks/least_loss.py`. " + plots.machine())
        self.say(f"\n`auto` for {LIMIT} s ({CENSUS_LIMIT} s for 10⁶ rows), seed 1, 8 quasi-identifiers, k-anonymity, nothing suppressed; LM with "
                 "the hierarchy's leaves as domain. The solver alone, one run each, on two cores with nothing else to do; the host of the machine "
                 "is shared. The bound is the one that the solver finds on its way. CPU seconds are those of all threads.\n")
        self.say("| table | k | LM | aim | bound | ratio | aim | CPU s | wall s | peak MiB | others |")
        self.say("| --- " * 11 + "|")
        curves = []
        for table, name, k, loss_bar, ratio_bar, other in bars:
            got, lines = self.search(table, k)
            loss = min(line[3] for line in lines if line[2] in ("loss", "end"))
            bound = max([line[3] for line in lines if line[2] == "bound"], default=0)
            curves.append((table, name, k, lines))
            self.say(f"| {name} | {k} | {loss:.5f} | {loss_bar:.4f} | {bound:.5f} | {loss / bound:.4f} | {ratio_bar:.3f} | {got['cpu']:.0f} | "
                     f"{got['wall']:.0f} | {got['mib']:.0f} | {other} |")
        self.say("\n## Against time\n\nThe least loss and the largest bound after a number of seconds.\n")
        self.say("| table | k | " + " | ".join(f"{second} s" for second in SECONDS) + " |")
        self.say("| --- " * (2 + len(SECONDS)) + "|")
        for table, name, k, lines in curves:
            cells, last = [], CENSUS_LIMIT if table == "census" else LIMIT
            for second in SECONDS:
                before = [line for line in lines if line[0] <= second]
                loss = min((line[3] for line in before if line[2] == "loss"), default=None)
                bound = max((line[3] for line in before if line[2] == "bound"), default=None)
                shown = (f"{loss:.4f}" if loss else "–") + (f" / {bound:.4f}" if bound else "")
                cells.append(shown if second <= last else "")
            self.say(f"| {name} | {k} | " + " | ".join(cells) + " |")
        if wanted:
            return
        shown = [one for one in curves if one[0] == "arx" and one[2] in ARX_POINTS]
        svg = plots.opening(276, COLOURS)
        for left, (_, _, k, lines) in zip((10, 340), shown):
            svg += curve(left, k, lines)
        (HERE / "least_loss.svg").write_text("\n".join([*svg, "</svg>"]) + "\n", encoding="utf-8")
        self.say("\n![LM and bound against CPU seconds](least_loss.svg)\n\nThe points are ARX 3.9.2 with local recoding, run "
                 "independently: CPU seconds, too.")
        self.say("\n## The default\n\nARX's copy of Adult, k = 10, the whole program from the file to the verified release.\n")
        self.say("| options | LM | ratio | CPU s | wall s | peak MiB |\n| --- | ---: | ---: | ---: | ---: | ---: |")
        for more in ([], ["--memory", "512MiB"]):
            got = self.default(*more)
            self.say(f"| {' '.join(more) or 'none'} | {got['loss']['lm']:.4f} | {got['loss']['ratio']:.3f} | {got['cpu']:.0f} | {got['wall']:.0f} | "
                     f"{got['mib']:.0f} |")
        (HERE / "least_loss.md").write_text("\n".join(self.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="one table and k, such as arx:10")
    parser.add_argument("--folder", default=str(Path(tempfile.gettempdir()) / "incrowd-bench"))
    parser.add_argument("--resume", action="store_true", help="take from the folder what earlier runs gave")
    parser.add_argument("--no-build", action="store_true")
    LeastLoss(parser.parse_args()).run()
