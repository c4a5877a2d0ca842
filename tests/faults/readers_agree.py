#!/usr/bin/env python3
"""Lets the program and the verifier read the same damaged and unusual files, and compares what they read.

Two readers that were written apart may both end normally and read different tables. Every file of fuzz/corpus that holds a
table is released with k = 1 and all columns unchanged; `verify --against` then reads the file by the verifier's code, as the
record says that it was read, and compares every row. A file that the program refuses is not compared. Of each file that is
read, CHANGED files with one to three changed bytes or stretches are compared, too.

A table that differs is a fault. A file that the verifier alone refuses is none: nobody is told that it was verified.

    tests/faults/readers_agree.py INCROWD [TARGET …] [--changed N] [--json FILE]
"""

import argparse
import io
import json
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

FUZZ = Path(__file__).resolve().parents[2] / "fuzz"
CORPUS, SHEET_PARTS = FUZZ / "corpus", FUZZ / "targets/tables.rs"
ENCODINGS = ["windows-1252", "utf-16le", "utf-16be", "shift_jis", "gb18030", "iso-2022-jp", "iso-8859-15", "utf-8"]
# What becomes of a file.
AGREES, DIFFERENT, UNREAD, REFUSED = "agrees", "differs", "the verifier refuses", "refused"


def csv(data):
    """A name, the bytes, and how they are read: as in fuzz/targets/tables.rs."""
    choice = data[0] if data else 0
    source = {}
    if delimiter := [None, ";", "\t", "|"][choice & 3]:
        source["delimiter"] = delimiter
    header = [None, True, False, None][(choice >> 2) & 3]
    if header is not None:
        source["header"] = header
    if choice & 16:
        source["nulls"] = ["NA"]
    return ["table.csv", "table.csv.gz", "table.csv.zst", "table.csv"][(choice >> 5) & 3], data[1:], source


def encodings(data):
    return "table.csv", data[1:], {"encoding": ENCODINGS[(data[0] if data else 0) & 7]}


def workbook(data):
    return ["table.xlsx", "table.ods", "table.xls", "table.xlsb"][(data[0] if data else 0) & 3], data[1:], {}


def sheet(data):
    """One part of a small workbook, the others being well-formed."""
    parts = re.findall(r'\(\s*"((?:xl|_rels)/[^"]+)",\s*r#"(.*?)"#', SHEET_PARTS.read_text(), re.DOTALL)
    chosen = (data[0] if data else 0) % len(parts)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for place, (name, text) in enumerate(parts):
            file.writestr(name, data[1:] if place == chosen else text)
    return "table.xlsx", archive.getvalue(), {}


def spss(data):
    return ["table.sav", "table.zsav"][(data[0] if data else 0) & 1], data[1:], {}


def whole(name):
    return lambda data: (name, data, {})


TARGETS = {
    "csv": csv,
    "encodings": encodings,
    "workbook": workbook,
    "sheet": sheet,
    "stata": whole("table.dta"),
    "spss": spss,
    "sas": whole("table.xpt"),
    "parquet": whole("table.parquet"),
    "arrow": whole("table.arrow"),
    # What was found with the verifier alone.
    "verify-csv": whole("table.csv"),
    "verify-workbook": whole("table.xlsx"),
    "verify-stata": whole("table.dta"),
    "verify-spss": whole("table.sav"),
    "verify-parquet": whole("table.parquet"),
    "verify-arrow": whole("table.arrow"),
}


def toml(value):
    """A text, a truth or a list of texts as TOML has it, which is nearly as JSON has it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def plan(name, source, columns):
    lines = ["version = 1", "[source]", f"path = {toml(name)}", "rows_are_people = true"]
    lines += [f"{key} = {toml(value)}" for key, value in source.items()]
    lines += ["[policy]", "k = 1", "[release]", 'format = "csv"', 'dialect = "standard"', "report = false"]
    lines += ["[solve]", 'algorithm = "mondrian"']
    for place, column in enumerate(columns):
        lines += ["[[column]]", f"name = {toml(column)}", f'role = "{"insensitive" if place else "quasi-identifier"}"']
        lines += ["keep_identifying = true"] if place else ['hierarchy = { build = "flat" }']
    return "\n".join(lines) + "\n"


def words(source):
    """The same as flags."""
    for key, value in source.items():
        if key == "header":
            yield "--header" if value else "--no-header"
        else:
            yield from ("--null" if key == "nulls" else f"--{key}", value[0] if key == "nulls" else value)


def run(binary, folder, *given):
    return subprocess.run([binary, *given], cwd=folder, capture_output=True, text=True, errors="replace", timeout=300)


def compare(binary, folder, name, data, source):
    """What became of a file, and what was said of it."""
    (folder / name).write_bytes(data)
    asked = run(binary, folder, "check", name, *words(source), "--rows-are-people", "--format", "json")
    if asked.returncode == 2:
        return REFUSED, asked.stdout
    columns = [column["name"] for column in json.loads(asked.stdout)["columns"]]
    (folder / "plan.toml").write_text(plan(name, source, columns))
    made = run(binary, folder, "anonymize", "plan.toml", "-o", "release", "--no-bound", "--quiet")
    if made.returncode != 0:
        return REFUSED, made.stderr
    judged = run(binary, folder, "verify", "release", "--against", name, "--quiet")
    if judged.returncode == 0:
        return AGREES, ""
    return UNREAD if judged.returncode == 2 else DIFFERENT, judged.stdout + judged.stderr


def changed(data, draw):
    """A file with a few changes that mostly leave its structure as it is."""
    made = bytearray(data)
    for _ in range(draw.randrange(1, 4)):
        at = draw.randrange(1, len(made))
        kind = draw.randrange(6)
        if kind == 0:
            made[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            made[at] = draw.choice(b"\0\1\x08\x7f\x80\xff \"\n\r,;09aA.-")
        elif kind == 2:
            # Digits and letters become others, so that counts, names and values change.
            made[at : at + 4] = bytes(48 + draw.randrange(10) if 48 <= one <= 57 else one for one in made[at : at + 4])
        elif kind == 3:
            del made[at : at + draw.choice([1, 4, 8, 80])]
        elif kind == 4:
            made[at:at] = made[at : at + draw.choice([1, 4, 8, 80])]
        else:
            other = draw.randrange(1, len(made))
            made[at : at + 8] = made[other : other + 8]
        if len(made) < 2:
            break
    return bytes(made)


def files(target, count, draw, is_read):
    """The files of the corpus, and changed ones of those that are read."""
    for path in sorted((CORPUS / target).glob("*")):
        data = path.read_bytes()
        yield path.name, data
        if is_read():
            for number in range(count):
                yield f"{path.name}, changed {number}", changed(data, draw)


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("binary", type=Path)
    given.add_argument("targets", nargs="*", default=list(TARGETS))
    given.add_argument("--changed", type=int, default=0, metavar="N")
    given.add_argument("--seed", type=int, default=1)
    given.add_argument("--keep", type=Path, metavar="FOLDER", help="where files go that are read differently")
    given.add_argument("--json", type=Path)
    asked = given.parse_args()
    results = []
    for target in asked.targets:
        outcomes, codes, faults, last = Counter(), Counter(), [], ""
        for name, data in files(target, asked.changed, random.Random(f"{asked.seed} {target}"), lambda: last == AGREES):  # noqa: B023
            with tempfile.TemporaryDirectory() as scratch:
                outcome, said = compare(asked.binary.resolve(), Path(scratch), *TARGETS[target](data))
            if "changed" not in name:
                last = outcome
            outcomes[outcome] += 1
            codes.update(re.findall(r"IC\d\d\d", said)[:1])
            if outcome == DIFFERENT:
                faults.append(name)
                print(f"{target}/{name}: {outcome}\n{said}", flush=True)
            if asked.keep and outcome in (DIFFERENT, UNREAD):
                asked.keep.mkdir(parents=True, exist_ok=True)
                (asked.keep / f"{target}-{outcome.replace(' ', '-')}-{name.replace(', ', '-').replace(' ', '-')}").write_bytes(data)
        print(f"{target}: {dict(outcomes)}, {dict(codes)}", flush=True)
        results.append({"target": target, "files": sum(outcomes.values()), **outcomes, "faults": faults})
    if asked.json:
        asked.json.write_text(json.dumps(results, indent=1) + "\n")
    return int(any(one["faults"] for one in results))


if __name__ == "__main__":
    sys.exit(main())
