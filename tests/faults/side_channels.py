#!/usr/bin/env python3
"""What a release gives away besides its cells: each channel is tried as an attack, with a figure.

    side_channels.py INCROWD [--json FILE]

Most attacks are a game. Two tables differ in something that a release must not tell; their published cells agree. The
attacker sees one channel of a release and guesses which table it was made from. The figure is in how many pairs the channel
differs: 0 means that it tells nothing. The other attacks say what their figure means.

Needs pyarrow and pyreadstat for the inside of Parquet and statistics files; without them those channels are not run.
"""

import argparse
import http.client
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from workbench import Workbench  # noqa: E402

FORMATS = ["csv", "parquet", "arrow", "xlsx", "dta", "sav"]
ROLES = ["--qi", "age,sex", "--sensitive", "diagnosis", "--k", "3", "--seed", "1", "--algorithm", "mondrian"]
# A hierarchy without levels: a row that is like no other is suppressed rather than that others lose all detail.
SUPPRESSING = ["--algorithm", "incognito", "--hierarchy", "age=flat", "--hierarchy", "sex=flat", "--suppress", "0.1", "--insensitive", "note"]
BARE = ROLES[:-2]
PAIRS = 4
ANSWERS = 10_000


class Lab:
    def __init__(self, binary: str, folder: Path):
        self.binary, self.folder, self.made = binary, folder, 0

    def release(self, table: bytes, *more, format="csv", name="table.csv", roles=ROLES) -> Path:
        """The folder of a release of a table."""
        self.made += 1
        place = self.folder / f"work-{self.made}"
        place.mkdir()
        (place / name).write_bytes(table)
        words = [self.binary, "anonymize", name, *roles, *more, "--output-format", format, "-o", "release"]
        done = subprocess.run(words, cwd=place, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return place / "release"


def table(rows) -> bytes:
    return ("age,sex,diagnosis,note\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)).encode()


def people(drawn: random.Random, count=60):
    """Ages in pairs of decades, so that classes are the same whatever the exact ages inside are."""
    return [[20 + at % 10 if at % 2 else 60 + at % 10, "fm"[at % 2], drawn.choice(["flu", "cold", "gout"]), "x"] for at in range(count)]


def data(release: Path) -> Path:
    return next(release.glob("data*"))


def multiset(path: Path) -> list[bytes]:
    return sorted(path.read_bytes().splitlines())


def row_order(lab: Lab) -> dict:
    """Rank correlation between the place of a row in the table and in the release; its standard error is 1/sqrt(n-1)."""
    figures = {}
    for format in ["csv", "parquet"]:
        if format == "parquet" and not arrow:
            continue
        count, total = 400, []
        for _ in range(PAIRS):
            rows = [[20 + at % 50, "fm"[at % 2], f"d{at:03}", "x"] for at in range(count)]
            release = lab.release(table(rows), "--keep-identifying", "diagnosis", "--insensitive", "note", format=format)
            if format == "csv":
                found = [line.split(",")[-2] for line in data(release).read_text().splitlines()[1:]]
            else:
                found = parquet.read_table(data(release)).column("diagnosis").to_pylist()
            places = [int(cell[1:]) for cell in found]
            middle = (count - 1) / 2
            spread = sum((at - middle) ** 2 for at in range(count))
            total.append(sum((at - middle) * (place - middle) for at, place in enumerate(places)) / spread)
        figures[format] = round(sum(total) / len(total), 4)
    error = round(1 / (400 - 1) ** 0.5 / PAIRS**0.5, 4)
    largest = max(map(abs, figures.values()))
    return {"figure": figures, "means": f"mean rank correlation of {PAIRS} releases; standard error {error}", "leaks": largest > 4 * error}


def pairs(lab: Lab, make, channel, formats=FORMATS, *more, **options):
    """In how many pairs the channel differs, by format."""
    drawn, differs = random.Random(1), {}
    for format in formats:
        differs[format] = 0
        for _ in range(PAIRS):
            one, other = make(drawn)
            seen = [channel(lab.release(side, *more, format=format, **options)) for side in (one, other)]
            differs[format] += seen[0] != seen[1]
    return differs


def game(differs: dict, what: str) -> dict:
    return {"figure": differs, "means": f"pairs of {PAIRS} in which {what}", "leaks": any(differs.values())}


def sizes(lab: Lab) -> dict:
    """Two tables whose published cells agree, with other exact ages and another order."""
    def make(drawn):
        rows = people(drawn)
        other = [[age // 10 * 10 + 9 - age % 10, *rest] for age, *rest in rows]
        drawn.shuffle(other)
        return table(rows), table(other)

    tree = lab.folder / "decades.csv"
    tree.write_text("".join(f"{age};{age // 10}0s;*\n" for age in range(100)))
    more = ["--hierarchy", f"age={tree}", "--insensitive", "note"]
    # Pages and blocks are compressed, and the order of rows is random: only formats that store rows as they are have one size.
    exact = pairs(lab, make, lambda release: data(release).stat().st_size, ["csv", "dta", "sav"], *more)
    return game(exact, "the sizes of the files differ though the cells agree")


def shape(release: Path):
    """All that a format says about a column besides its cells: type, width, whether it can be missing."""
    path = data(release)
    if path.suffix == ".parquet":
        schema = parquet.ParquetFile(path).schema
        return [(schema.column(at).name, schema.column(at).physical_type, str(schema.column(at).logical_type), schema.column(at).max_definition_level) for at in range(len(schema))]
    if path.suffix == ".arrow":
        return str(arrow.ipc.open_file(path).schema)
    if path.suffix in (".dta", ".sav"):
        reader = pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav
        _, about = reader(str(path), metadataonly=True)
        return sorted(about.original_variable_types.items()), sorted(about.variable_storage_width.items())
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            # The widths of columns and the kinds of cells, without the cells.
            return sorted(set(re.findall(r"<col [^>]*>| t=\"\w+\"", book.read("xl/worksheets/sheet1.xml").decode())))
    return path.read_text().splitlines()[0]


def suppressed(lab: Lab) -> dict:
    """A suppressed row whose kept cell is longer, of another type, missing, or more precise than all that are published."""
    needed = [format for format in FORMATS if format in ("csv", "xlsx") or (arrow if format in ("parquet", "arrow") else pyreadstat)]
    figures = {}
    release = lab.release(table([*people(random.Random(1)), [99, "x", "flu", "Zzz-note"]]), *SUPPRESSING, roles=BARE)
    assert b"Zzz-note" not in data(release).read_bytes(), "the row is suppressed, or the attack shows nothing"
    for name, cell, other, usual in [("longer", "x", "x" * 200, "x"), ("not a number", "12", "n/a", "7"), ("missing", "x", "", "x"), ("with decimals", "12", "12.125", "7"), ("a large number", "12", "3000000000", "7")]:
        def make(drawn, cell=cell, other=other, usual=usual):
            rows = [[*row[:3], usual] for row in people(drawn)]
            return table([*rows, [99, "x", "flu", cell]]), table([*rows, [99, "x", "flu", other]])

        found = pairs(lab, make, shape, needed, *SUPPRESSING, roles=BARE)
        figures[name] = {format: count for format, count in found.items() if count} or f"0 in {len(found)} formats"
    leaks = any(isinstance(one, dict) for one in figures.values())
    return {"figure": figures, "means": f"pairs of {PAIRS} in which types or widths of columns differ by the cell of a suppressed row", "leaks": leaks}


def quoting(lab: Lab) -> dict:
    """The same values with and without quotes, with other line ends, and from a file with types."""
    def make(drawn):
        rows = people(drawn)
        quoted = "age,sex,diagnosis,note\r\n" + "".join(",".join(f'"{cell}"' for cell in row) + "\r\n" for row in rows)
        return table(rows), quoted.encode()

    figures = {"quoted or not": pairs(lab, make, lambda release: multiset(data(release)), ["csv"], "--insensitive", "note")["csv"]}
    if arrow:
        drawn, count = random.Random(2), 0
        for _ in range(PAIRS):
            rows, made = people(drawn), io.BytesIO()
            columns = list(zip(*rows))
            kinds = [arrow.int64(), arrow.string(), arrow.string(), arrow.string()]
            names = ["age", "sex", "diagnosis", "note"]
            parquet.write_table(arrow.table([arrow.array(list(column), kind) for column, kind in zip(columns, kinds)], names=names), made)
            one = lab.release(table(rows), "--insensitive", "note")
            other = lab.release(made.getvalue(), "--insensitive", "note", name="table.parquet")
            count += multiset(data(one)) != multiset(data(other))
        figures["text or typed"] = count
    return game(figures, "the bytes of the rows differ though the values agree")


def numbers(lab: Lab) -> dict:
    """One person's age is written `34.0` instead of `34`: the smallest class that shows an age in that form."""
    drawn, shown = random.Random(1), []
    for _ in range(PAIRS):
        rows = people(drawn)
        at = drawn.randrange(len(rows))
        rows[at][0] = f"{rows[at][0]}.0"
        cells = [line.split(",")[:2] for line in data(lab.release(table(rows), "--insensitive", "note")).read_text().splitlines()[1:]]
        shown += [cells.count(one) for one in cells if ".0" in one[0]]
    return {"figure": len([size for size in shown if size < 3]), "means": f"rows of {PAIRS} releases that show the form in a class of fewer than k", "leaks": any(size < 3 for size in shown)}


def names(lab: Lab) -> dict:
    """The name and folder of the table, and the name of the machine if it is longer than five letters, in all bytes that are
    published."""
    secret = "hospital-secret-name"
    found = {}
    for format in FORMATS:
        release = lab.release(table(people(random.Random(1))), "--insensitive", "note", format=format, name=f"{secret}.csv")
        # A short name would be found by chance.
        wanted = [word for word in [secret, release.parent.name, os.uname().nodename, str(lab.folder)] if len(word) > 5]
        found[format] = 0
        for path in release.iterdir():
            contents = path.read_bytes()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as book:
                    contents += b"".join(book.read(part) for part in book.namelist())
            found[format] += sum(word.encode() in contents for word in wanted)
    means = f"how many of {len(wanted)} names stand in the published bytes"
    return {"figure": found, "means": means, "leaks": any(found.values())}


def file_facts(lab: Lab) -> dict:
    """Times and extended attributes of the table, on the files of the release."""
    place = lab.folder / "facts"
    place.mkdir()
    path = place / "table.csv"
    path.write_bytes(table(people(random.Random(1))))
    tried = ["mtime"]
    try:
        os.setxattr(path, "user.secret", b"Qzxjv")
        tried.append("extended attributes")
    except OSError:
        pass
    os.utime(path, (86_400, 86_400))
    words = [lab.binary, "anonymize", path.name, *ROLES, "--insensitive", "note", "-o", "release"]
    for format in FORMATS:
        assert subprocess.run([*words, "--output-format", format, "--force"], cwd=place, capture_output=True).returncode == 0
        for made in [place / "release", *(place / "release").iterdir()]:
            if made.stat().st_mtime < 1_000_000:
                return {"figure": format, "means": "the time of the table is on a file", "leaks": True}
            if "extended attributes" in tried and os.listxattr(made):
                return {"figure": format, "means": "extended attributes are on a file", "leaks": True}
    book = place / "release"
    assert subprocess.run([*words, "--output-format", "xlsx", "--force"], cwd=place, capture_output=True).returncode == 0
    with zipfile.ZipFile(data(book)) as parts:
        times = {part.date_time for part in parts.infolist()}
        properties = parts.read("docProps/core.xml").decode() if "docProps/core.xml" in parts.namelist() else ""
    clock = re.findall(r"\d{4}-\d\d-\d\dT[\d:]+Z", properties)
    return {"figure": {"tried": tried, "times inside a workbook": len(times), "times in its properties": sorted(set(clock))[:2]},
            "means": "nothing of the table is on the files; times inside a workbook are listed", "leaks": False}


def parquet_inside(lab: Lab) -> dict | None:
    """Statistics, dictionaries, bloom filters and metadata of a Parquet release with suppressed rows."""
    if not arrow:
        return None
    rows = people(random.Random(3), 400) + [[99, "x", "Zzz-rare", "Zzz-note"]]
    release = lab.release(table(rows), *SUPPRESSING, format="parquet", roles=BARE)
    file = parquet.ParquetFile(data(release))
    cells = file.read()
    found = {"statistics that are no cell": 0, "bloom filters": 0, "metadata": len(file.metadata.metadata or {}), "row groups": file.metadata.num_row_groups}
    for group in range(file.metadata.num_row_groups):
        for at in range(file.metadata.num_columns):
            column = file.metadata.row_group(group).column(at)
            published = set(cells.column(at).to_pylist())
            if column.statistics and column.statistics.has_min_max:
                found["statistics that are no cell"] += column.statistics.min not in published
                found["statistics that are no cell"] += column.statistics.max not in published
            found["bloom filters"] += bool(getattr(column, "has_bloom_filter", False) or getattr(column, "bloom_filter_offset", None))
    raw = data(release).read_bytes()
    found["rare values in the bytes"] = sum(word in raw for word in (b"Zzz-rare", b"Zzz-note"))
    bad = found["statistics that are no cell"] + found["bloom filters"] + found["rare values in the bytes"]
    return {"figure": found, "means": "what a Parquet file has besides its cells", "leaks": bad > 0}


def pages(lab: Lab) -> dict | None:
    """How evenly a value that stands in the first tenth of the table is spread over the tenths of the release: chi-squared
    with 9 degrees of freedom, mean of the releases. Compression by page would show where it is dense."""
    if not arrow:
        return None
    count, total = 5_000, []
    for _ in range(PAIRS):
        rows = [[20 + at % 50, "fm"[at % 2], "gout" if at < count // 10 else "flu", "x"] for at in range(count)]
        release = lab.release(table(rows), "--insensitive", "note", format="parquet")
        found = parquet.read_table(data(release)).column("diagnosis").to_pylist()
        share, tenth = found.count("gout") / 10, count // 10
        total.append(sum((found[at * tenth : (at + 1) * tenth].count("gout") - share) ** 2 / share for at in range(10)))
    mean = sum(total) / len(total)
    # The mean of n values of chi-squared with 9 degrees has the deviation sqrt(18 / n).
    return {"figure": round(mean, 2), "means": f"mean chi-squared of {PAIRS} releases; 9 is expected by chance, and a little less because it is drawn without putting back", "leaks": mean > 9 + 4 * (18 / PAIRS) ** 0.5}


def columns_order(lab: Lab) -> dict:
    """Whether the classes of two runs on shuffled rows of one table differ: the order of the input must not show."""
    def make(drawn):
        rows = people(drawn, 200)
        other = list(rows)
        drawn.shuffle(other)
        return table(rows), table(other)

    return game(pairs(lab, make, lambda release: multiset(data(release)), ["csv"], "--insensitive", "note"), "the published rows differ when the table is in another order")


def workbench_time(lab: Lab) -> dict:
    """How long the workbench takes to refuse a cookie whose first half is right, and one that is entirely wrong."""
    (lab.folder / "table.csv").write_bytes(table(people(random.Random(1))))
    bench = Workbench(lab.binary, lab.folder / "table.csv")
    name, secret = bench.cookie.split("=", 1)
    half = len(secret) // 2
    wrong = "".join("0" if letter != "0" else "1" for letter in secret)
    guesses = {"half": f"{name}={secret[:half]}{wrong[half:]}", "none": f"{name}={wrong}"}
    taken = {what: [] for what in guesses}
    connection = http.client.HTTPConnection("127.0.0.1", int(bench.port))
    drawn = random.Random(1)
    for _ in range(ANSWERS):
        for what in drawn.sample(sorted(guesses), 2):
            began = time.perf_counter_ns()
            connection.request("GET", "/api/plan", headers={"Cookie": guesses[what]})
            answer = connection.getresponse()
            answer.read()
            taken[what].append(time.perf_counter_ns() - began)
            assert answer.status == 401, answer.status
    bench.end()
    # How often the one took longer than the other; half of the times by chance.
    longer = sum(one > other for one, other in zip(taken["half"], taken["none"])) / ANSWERS
    return {"figure": round(longer, 4), "means": f"share of {ANSWERS:,} pairs in which the first took longer; 0.5 by chance, standard error {0.5 / ANSWERS**0.5:.3f}",
            "leaks": abs(longer - 0.5) > 4 * 0.5 / ANSWERS**0.5}


CHANNELS = [row_order, columns_order, sizes, pages, suppressed, quoting, numbers, names, file_facts, parquet_inside, workbench_time]


def main() -> int:
    words = argparse.ArgumentParser()
    words.add_argument("incrowd")
    words.add_argument("chosen", nargs="*")
    words.add_argument("--json")
    given = words.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(str(Path(given.incrowd).resolve()), Path(folder))
        for channel in CHANNELS:
            name = channel.__name__.replace("_", " ")
            if given.chosen and channel.__name__ not in given.chosen:
                continue
            done = channel(lab)
            results.append({"channel": name, "attack": " ".join(channel.__doc__.split()), "run": done is not None} | (done or {}))
            print(f"{name:16} {'not run' if done is None else 'LEAKS' if done['leaks'] else 'tells nothing'}: {done and done['figure']}", flush=True)
    if given.json:
        Path(given.json).write_text(json.dumps(results, indent=1) + "\n")
    leaks = sum(one.get("leaks", False) for one in results)
    print(f"{len(results)} channels, {leaks} give something away")
    return 1 if leaks else 0


if __name__ == "__main__":
    try:
        import pyarrow as arrow
        import pyarrow.ipc
        import pyarrow.parquet as parquet
    except ImportError:
        arrow = parquet = None
    try:
        import pyreadstat
    except ImportError:
        pyreadstat = None
    sys.exit(main())
