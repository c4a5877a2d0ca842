#!/usr/bin/env python3
"""Files as people have them are read cell by cell as they were written, or refused with a remedy.

Writes more than 60 files with a known table: exports in five dialects and four encodings, with and without a header line;
Excel workbooks by openpyxl, old ones by xlwt, OpenDocument by odfpy, files of Stata, SPSS and SAS by pyreadstat, Delta tables by deltalake. Each is released with k = 1 and all columns kept,
and the published cells are compared with what was written. A release as a Delta table is read by deltalake and polars. Files that cannot be read in one way only have to be refused.

    tests/python/real_files.py target/debug/incrowd

The packages are installed into a temporary virtual environment; where they cannot be had the test is skipped, and says so.
"""

import csv
import datetime
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import product
from pathlib import Path

import delta_tables
import statistics_files
from kept_environment import environment

PACKAGES = ["openpyxl==3.1.5", "xlwt==1.3.0", "odfpy==1.4.1", "pyreadstat==1.3.7", "pandas==3.1.1", "deltalake==1.6.6", "pyarrow==26.0.1", "polars==2.1.0"]

NAMES = ["town", "weight", "admitted", "postcode", "note"]
TOWNS = ["Köln", "Béziers", "Málaga"]

# delimiter, decimal mark, line end, missing value
DIALECTS = [
    (",", ".", "\n", ""),
    (";", ",", "\r\n", "n/a"),
    ("\t", ",", "\n", "."),
    ("|", ".", "\r\n", "-99"),
    (";", ",", "\n", "NA"),
]
ENCODINGS = ["utf-8", "windows-1252", "iso-8859-15", "utf-16le"]


def rows():
    """The table: a text with letters beyond ASCII, a number, a day, digits with zeros in front, a text with delimiters."""
    for row in range(40):
        weight = None if row % 9 == 0 else 50 + row % 13 + (row % 4) / 4
        day = datetime.date(2020 + row % 4, 1 + row % 12, 1 + row % 28)
        note = ["fine", 'said "no"', "a;b,c|d", "two\nlines", ""][row % 5]
        yield [TOWNS[row % 3], weight, day, f"0{row % 8:04}", note or None]


def shown(cell):
    """A cell as a release publishes it."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell == int(cell):
        return str(int(cell))
    if isinstance(cell, datetime.datetime):
        return cell.isoformat()
    return str(cell)


EXPECTED = Counter(tuple(shown(cell) for cell in row) for row in rows())


def incrowd(binary, folder, *words):
    return subprocess.run([binary, *words], cwd=folder, capture_output=True, text=True)


def published(binary, folder, path, *words, names=NAMES):
    """The rows of a release that keeps everything, as a multiset; what was said if there is none."""
    release = folder / "release"
    subprocess.run(["rm", "-rf", release, f"{release}.internal"], check=True)
    # One column is a quasi-identifier; with k = 1 nothing is generalized.
    keep = ["--qi", names[0], "--insensitive", ",".join(names[1:]), "--keep-identifying", ",".join(names[1:])]
    made = incrowd(binary, folder, "anonymize", str(path), *words, *keep, "--rows-are-people", "--k", "1",
                   "--algorithm", "mondrian", "--no-report", "--no-bound", "--output-format", "csv", "--quiet", "-o", "release")
    if made.returncode != 0:
        return made.stderr
    # In the dialect that was read, which the manifest names.
    dialect = json.loads((release / "manifest.json").read_text())["files"][0].get("dialect", {})
    encoding = dialect.get("encoding", "utf-8")
    encoding = "utf-16" if encoding.startswith("UTF-16") else encoding
    with open(release / "data.csv", newline="", encoding=encoding) as file:
        lines = list(csv.reader(file, delimiter=dialect.get("delimiter", ",")))
    assert lines[0] == names, lines[0]
    return Counter(map(tuple, lines[1:]))


def text(dialect, header):
    delimiter, mark, end, missing = dialect

    def quoted(cell):
        written = missing if cell is None else shown(cell)
        if isinstance(cell, float):
            written = written.replace(".", mark)
        if any(letter in written for letter in f'{delimiter}"\n'):
            return '"' + written.replace('"', '""') + '"'
        return written

    lines = [delimiter.join(NAMES)] if header else []
    return end.join(lines + [delimiter.join(map(quoted, row)) for row in rows()]) + end


def texts(binary, folder):
    """Exports in all dialects and encodings."""
    for number, (dialect, encoding, header) in enumerate(product(DIALECTS, ENCODINGS, [True, False])):
        delimiter, mark, _, missing = dialect
        path = folder / f"export-{number}.csv"
        path.write_bytes(text(dialect, header).encode("cp1252" if encoding == "windows-1252" else encoding))
        names = NAMES if header else [f"column_{at + 1}" for at in range(len(NAMES))]
        words = ["--encoding", encoding, "--delimiter", "tab" if delimiter == "\t" else delimiter]
        words += [] if header else ["--no-header"]
        words += ["--null", missing] if missing else []
        found = published(binary, folder, path, *words, names=names)
        # A column that is published unchanged keeps its decimal commas and its missing values.
        def as_written(row):
            cells = [missing if cell == "" else cell for cell in row]
            return (cells[0], cells[1].replace(".", mark) if cells[1] != missing else missing, *cells[2:])

        wanted = Counter()
        for row, count in EXPECTED.items():
            wanted[as_written(row)] += count
        yield path.name, found, [wanted, EXPECTED]


def filled(sheet, typed=lambda cell: cell):
    sheet.append(NAMES)
    for row in rows():
        sheet.append([typed(cell) for cell in row])


def workbooks(binary, folder):
    """Workbooks of Excel since 2007."""
    import openpyxl

    def saved(name, fill, *words, wanted=EXPECTED):
        book = openpyxl.Workbook()
        fill(book)
        path = folder / name
        book.save(path)
        return name, published(binary, folder, path, *words), [wanted]

    def several(book):
        filled(book.active)
        other = book.create_sheet("other")
        other.append(["something", "else"])

    def titled(book):
        sheet = book.active
        sheet["A1"] = "Patients of the ward"
        sheet.merge_cells("A1:E1")
        for at, row in enumerate([NAMES, *rows()]):
            for column, cell in enumerate(row):
                sheet.cell(row=at + 4, column=column + 2, value=cell)
        sheet.cell(row=60, column=2, value="as of May")

    def hidden(book):
        filled(book.active)
        book.create_sheet("names").append(["a name"])
        book["names"].sheet_state = "hidden"

    def moments(book):
        filled(book.active, lambda cell: datetime.datetime(cell.year, cell.month, cell.day, 13, 45)
               if isinstance(cell, datetime.date) else cell)

    def far(book):
        for at, row in enumerate([NAMES, *rows()]):
            for column, cell in enumerate(row):
                book.active.cell(row=at + 30, column=column + 28, value=cell)

    def gaps(book):
        for at, row in enumerate([NAMES, *rows()]):
            for column, cell in enumerate(row):
                book.active.cell(row=2 * at + 1, column=column + 1, value=cell)

    def instants():
        wanted = Counter()
        for row, count in EXPECTED.items():
            wanted[(*row[:2], f"{row[2]}T13:45:00", *row[3:])] += count
        return wanted

    yield saved("plain.xlsx", lambda book: filled(book.active))
    yield saved("macros.xlsm", lambda book: filled(book.active))
    yield saved("named.xlsx", several, "--sheet", "Sheet")
    yield saved("titled.xlsx", titled, "--range", "B4:F44")
    yield saved("hidden.xlsx", hidden)
    yield saved("moments.xlsx", moments, wanted=instants())
    yield saved("far.xlsx", far)
    yield saved("gaps.xlsx", gaps)
    yield saved("texts.xlsx", lambda book: filled(book.active, lambda cell: None if cell is None else shown(cell)))
    book = openpyxl.Workbook(write_only=True)
    filled(book.create_sheet("stream"))
    book.save(folder / "stream.xlsx")
    yield "stream.xlsx", published(binary, folder, folder / "stream.xlsx"), [EXPECTED]
    os.rename(folder / "plain.xlsx", folder / "renamed.xls")
    yield "renamed.xls", published(binary, folder, folder / "renamed.xls"), [EXPECTED]


def old_workbooks(binary, folder):
    """Workbooks of Excel before 2007, and of OpenDocument."""
    import xlwt
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table, TableCell, TableRow
    from odf.text import P

    day = xlwt.easyxf(num_format_str="DD.MM.YYYY")
    for name, typed in [("old.xls", True), ("old-texts.xls", False)]:
        book = xlwt.Workbook(encoding="utf-8")
        sheet = book.add_sheet("people")
        for at, row in enumerate([NAMES, *rows()]):
            for column, cell in enumerate(row):
                if cell is not None:
                    style = [day] if typed and isinstance(cell, datetime.date) else []
                    sheet.write(at, column, cell if typed else shown(cell), *style)
        book.save(str(folder / name))
        yield name, published(binary, folder, folder / name), [EXPECTED]

    for name, typed in [("open.ods", True), ("open-texts.ods", False)]:
        document = OpenDocumentSpreadsheet()
        table = Table(name="people")
        for row in [NAMES, *rows()]:
            line = TableRow()
            for cell in row:
                if cell is None:
                    made = TableCell()
                elif typed and isinstance(cell, float):
                    made = TableCell(valuetype="float", value=cell)
                elif typed and isinstance(cell, datetime.date):
                    made = TableCell(valuetype="date", datevalue=cell.isoformat())
                else:
                    made = TableCell(valuetype="string", stringvalue=shown(cell))
                if cell is not None:
                    made.addElement(P(text=shown(cell)))
                line.addElement(made)
            table.addElement(line)
        document.spreadsheet.addElement(table)
        document.save(str(folder / name))
        yield name, published(binary, folder, folder / name), [EXPECTED]


def refusals(binary, folder):
    """Files that can be read in several ways, each with the code of its refusal."""
    import openpyxl

    def saved(name, fill):
        book = openpyxl.Workbook()
        fill(book)
        book.save(folder / name)
        return folder / name

    def both(book):
        filled(book.active)
        filled(book.create_sheet("second"))

    def merged(book):
        filled(book.active)
        book.active.merge_cells("A3:A5")

    def beside(book):
        filled(book.active)
        book.active["H7"] = "checked"

    def formulas(book):
        filled(book.active)
        book.active["B5"] = "=1+1"

    yield "IC426", saved("both.xlsx", both)
    yield "IC426", saved("merged.xlsx", merged)
    yield "IC426", saved("beside.xlsx", beside)
    yield "IC426", saved("formulas.xlsx", formulas)
    yield "IC426", saved("empty.xlsx", lambda book: None)
    no_workbook = folder / "text.xlsx"
    no_workbook.write_text(text(DIALECTS[0], True), encoding="utf-8")
    yield "IC426", no_workbook
    latin = folder / "latin.csv"
    latin.write_bytes(text(DIALECTS[1], True).encode("cp1252"))
    yield "IC405", latin
    wide = folder / "wide.csv"
    wide.write_bytes(text(DIALECTS[1], True).encode("utf-16le"))
    yield "IC405", wide
    headless = folder / "headless.csv"
    headless.write_text("34,f,flu\n41,m,cold\n71,m,gout\n71,f,flu\n", encoding="utf-8")
    yield "IC424", headless


def main():
    binary = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        try:
            packages = environment(*PACKAGES)
        except (OSError, subprocess.SubprocessError):
            print(f"SKIPPED: {', '.join(PACKAGES)} cannot be installed here; files of spreadsheet programs and statistics packages, and Delta tables, were not read.")
            return 0
        sys.path[:0] = [str(next((packages / "lib").glob("python3*/site-packages")))]
        read = wrong = 0
        statistics = lambda binary, folder: statistics_files.read(binary, folder, published)
        delta = lambda binary, folder: delta_tables.read(binary, folder, published, rows(), NAMES, EXPECTED)
        for make in (texts, workbooks, old_workbooks, statistics, delta):
            for name, found, wanted in make(binary, folder):
                read += 1
                if found not in wanted:
                    wrong += 1
                    told = found if isinstance(found, str) else list((found - wanted[0]).items())[:3]
                    print(f"{name}: not read as written: {told}")
        refused = 0
        for code, path in [*refusals(binary, folder), *statistics_files.refused(folder), *delta_tables.refused(folder, rows(), NAMES)]:
            said = incrowd(binary, folder, "check", str(path), "--quiet")
            if said.returncode == 2 and f"error[{code}]" in said.stderr and "hint:" in said.stderr:
                refused += 1
            else:
                wrong += 1
                print(f"{path.name}: not refused with {code}: {said.stdout[-300:]}{said.stderr}")
        for fault in [*statistics_files.released(binary, folder, incrowd), *delta_tables.released(binary, folder, incrowd)]:
            wrong += 1
            print(fault)
        print(f"{read} files read cell by cell, {refused} refused with a remedy, {wrong} wrong")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
