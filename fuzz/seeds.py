"""Files that fuzzing begins with: what the program itself writes, what other programs write, and small texts.

Files of SAS, old Excel and OpenDocument need the packages of tests/python/real_files.py; without them they are left out.
"""

import gzip
import json
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CELL = "Qzxjv"
ROWS = [("34", "f", CELL), ("34", "f", "cold"), ("71", "m", "flu"), ("71", "m", CELL)]
TABLE = "age,sex,diagnosis\n" + "".join(",".join(row) + "\n" for row in ROWS)


def csv():
    for choice, text in [
        (0, TABLE),
        (0, TABLE.replace("\n", "\r\n")),
        (1, TABLE.replace(",", ";")),
        (2, TABLE.replace(",", "\t")),
        (3, TABLE.replace(",", "|")),
        (4, "\ufeff" + TABLE),
        (8, TABLE.split("\n", 1)[1]),
        (16, TABLE.replace("flu", "NA")),
        (0, 'a,"b ""c""",d\n1,"two\nlines",3\n'),
        (0, f"a,b\n1\n2,{CELL},3\n"),
        (0, f'a,b\n1,"{CELL}\n'),
        (0, f"d,x\n2024-02-29,1e400\n2023-02-29,-0.0\n{CELL},1.50\n"),
    ]:
        yield bytes([choice]) + text.encode()
    yield bytes([32]) + gzip.compress(TABLE.encode(), mtime=0)


def encodings():
    text = TABLE.replace("flu", "Köln")
    for choice, name in [(0, "windows-1252"), (1, "utf-16le"), (2, "utf-16be"), (6, "iso-8859-15"), (7, "utf-8")]:
        yield bytes([choice]) + text.encode(name)
    for choice, name in [(3, "shift_jis"), (4, "gb18030"), (5, "iso-2022-jp")]:
        yield bytes([choice]) + TABLE.replace("flu", "東京").encode(name)


def sheets():
    # The parts of the workbook that the target makes, each in its place.
    parts = re.findall(r'\(\s*"[^"]+",\s*r#"(.*?)"#', (HERE / "targets/tables.rs").read_text(), re.DOTALL)
    yield from (bytes([place]) + part.encode() for place, part in enumerate(parts))
    begin = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    row = '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="str"><v>b</v></c></row>'
    cells = f'<row r="2"><c r="A2"><f>1+1</f><v>2</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" t="e"><v>#N/A</v></c><c r="D2" t="d"><v>2024-01-01</v></c></row>'
    yield bytes([2]) + f"{begin}{row}{cells}</sheetData></worksheet>".encode()
    yield bytes([2]) + f'{begin}{row}<row r="1048576"><c r="XFD1048576"><v>1e400</v></c></row></sheetData></worksheet>'.encode()
    strings = '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="9" uniqueCount="9">'
    yield bytes([3]) + f"{strings}<si><t>age</t></si><si><t>sex</t></si><si><t>{CELL}</t></si></sst>".encode()
    styles = '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/>'
    yield bytes([4]) + f'{styles}<xf numFmtId="22"/></cellXfs></styleSheet>'.encode()
    yield bytes([0]) + b'<workbook><workbookPr date1904="1"/><sheets><sheet name="a" r:id="rId1"/></sheets></workbook>'


def texts():
    for text in [
        "34;30s;*\n71;70s;*\n",
        f"34;30s;*\n{CELL};70s;*\n34;40s;*\n",
        "a,b,*\n",
        '"a;b";c;*\n"d\ne";f;*\n',
        f"a\n{CELL}\nb\n",
        f"{CELL};x;y;*\nb;x;*\n",
        "[20, 30);[20, 40);*\n",
    ]:
        yield "hierarchy", text.encode()
    for text in [
        "SELECT COUNT(*) WHERE age BETWEEN 30 AND 40 AND sex = 'f'",
        f"SELECT COUNT(*), AVG(age) FROM release WHERE diagnosis = '{CELL}' GROUP BY sex",
        f"SELECT COUNT(*) WHERE NOT (age < 3 OR age >= 4.5e3) AND diagnosis IN ('{CELL}', 'b') AND sex IS NOT NULL",
        f"SELECT MAX(age) WHERE diagnosis LIKE '{CELL}'",
        f"SELECT COUNT(*) WHERE marital-status <> '{CELL}' ORDER BY 1",
        f"SELECT SUM(age) WHERE age = DATE '{CELL}' AND x = -1",
        f"SELECT COUNT(*) WHERE diagnosis = '{CELL}' WHERE",
        f"SELECT COUNT(*) WHERE diagnosis = '{CELL}",
    ]:
        yield "sql", text.encode()
    for words in [
        ["anonymize", "t.csv", "--qi", "age,sex", "--k", "5", "-o", "r", "--time", "5s", "--alpha", "x=0.5"],
        ["check", "t.csv", "--memory", "4GiB", "--delimiter", ";", "--null", "NA", "--format", "json"],
        ["verify", "r", "--against", "t.csv", "--hierarchy", "a=b"],
        ["query", "r", "SELECT COUNT(*)"],
        ["diagnose", "t.csv", "--k=0", "--protected", "x=0.5..0.7"],
        ["report", "r", "--force", "--threads", "1e9"],
        ["explain", "IC101"],
        ["--help"],
    ]:
        yield "arguments", "\n".join(words).encode()


def requests():
    head = "Host: {host}\r\nCookie: {cookie}\r\nSec-Fetch-Site: same-origin\r\n"
    for path in ["session", "table", "rows", "columns", "risk", "plan", "files", "jobs", "jobs/1", "hierarchies/age", "log"]:
        yield f"GET /api/{path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n"
    yield "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    yield "GET /api/rows HTTP/1.1\r\nHost: evil\r\nCookie: {cookie}\r\n\r\n"
    for method, path, body in [
        ("POST", "open", {"name": "../people.csv"}),
        ("PUT", "plan", {"text": "version = 1\n[source]\npath = 'people.csv'\n[policy]\nk = 2\n"}),
        ("POST", "plan/undo", {}),
        ("POST", "close", {}),
        ("DELETE", "jobs/1", {}),
        ("POST", "assess", {"column": "age"}),
    ]:
        text = json.dumps(body)
        more = f"Origin: {{origin}}\r\nContent-Type: application/json\r\nIf-Match: *\r\nContent-Length: {len(text)}\r\n"
        yield f"{method} /api/{path} HTTP/1.1\r\n{head}{more}Connection: close\r\n\r\n{text}"
    yield f"POST /api/open HTTP/1.1\r\n{head}Origin: {{origin}}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{{\"a\":\r\n0\r\n\r\n"


def by_program(binary: Path, folder: Path):
    """Releases in all formats, plans, manifests, records and ledgers."""
    def run(*words):
        done = subprocess.run([binary, *map(str, words)], cwd=folder, capture_output=True, text=True)
        assert done.returncode in (0, 1), (words, done.stderr)
        return done.stdout

    (folder / "table.csv").write_text(TABLE)
    release = ["--qi", "age,sex", "--sensitive", "diagnosis", "--k", "2", "--seed", "1", "--keep-identifying", "diagnosis"]
    for format, reader, checker in [
        ("csv", None, "verify-csv"),
        ("parquet", "parquet", "verify-parquet"),
        ("arrow", "arrow", "verify-arrow"),
        ("xlsx", "workbook", "verify-workbook"),
        ("dta", "stata", "verify-stata"),
        ("sav", "spss", "verify-spss"),
    ]:
        name = f"out-{format}"
        run("anonymize", "table.csv", *release, "--output-format", format, "-o", name, "--ledger", "ledger.json")
        data = next((folder / name).glob("data*")).read_bytes()
        yield checker, data
        if reader:
            yield reader, (bytes([0]) if reader in ("workbook", "spss") else b"") + data
        yield "manifest", next((folder / name).glob("manifest*")).read_bytes()
        yield "record", (folder / f"{name}.internal" / "record.json").read_bytes()
    # Without a report, which the target does not have.
    run("anonymize", "table.csv", *release, "-o", "bare", "--no-report")
    yield "manifest", (folder / "bare/manifest.json").read_bytes()
    run("anonymize", "table.csv", *release, "--output-format", "delta", "-o", "out-delta")
    log = next((folder / "out-delta" / "_delta_log").glob("*")).read_bytes()
    # What the target says of its release: the log agrees with that.
    agrees = re.sub(rb'"id":"[^"]*"', b'"id":"9f0c4be2-a1d9-4c5e-8f7a-6b5c4d3e2f10"', log)
    agrees = re.sub(rb'"(createdTime|modificationTime)":\d+', rb'"\1":1794718800000', agrees)
    agrees = re.sub(rb'"size":\d+', b'"size":0', agrees)
    # The size of the file that the target has.
    opened = re.sub(rb'"size":\d+', b'"size":%d' % (HERE / "targets/data.parquet").stat().st_size, log)
    yield from (("delta", log), ("delta", opened), ("verify-delta", log), ("verify-delta", agrees))
    yield "ledger", (folder / "ledger.json").read_bytes()
    run("init", "table.csv", "-o", "plan.toml")
    yield "plan", (folder / "plan.toml").read_bytes()
    plan = '{"version":1,"source":{"path":"t.csv"},"policy":{"k":5},"column":[{"name":"age","role":"quasi-identifier"}]}'
    yield "plan", plan.encode()


def by_others(folder: Path):
    try:
        import pandas
        import pyreadstat
    except ImportError:
        return
    frame = pandas.DataFrame([(float(age), sex, text) for age, sex, text in ROWS], columns=["age", "sex", "diagnosis"])
    labels = {"age": {34: "young", 71: "old"}}
    for version in (5, 8):
        # The older format has names of at most 8 letters.
        pyreadstat.write_xport(frame.rename(columns={"diagnosis": "illness"}), folder / "a.xpt", file_format_version=version)
        yield "sas", (folder / "a.xpt").read_bytes()
    for version in (8, 10, 12, 15):
        pyreadstat.write_dta(frame, folder / "a.dta", version=version, variable_value_labels=labels)
        yield "stata", (folder / "a.dta").read_bytes()
        yield "verify-stata", (folder / "a.dta").read_bytes()
    for choice, more in [(0, {}), (0, {"row_compress": True}), (1, {"compress": True})]:
        path = folder / ["a.sav", "a.zsav"][choice]
        pyreadstat.write_sav(frame, path, variable_value_labels=labels, **more)
        yield "spss", bytes([choice]) + path.read_bytes()
        yield "verify-spss", path.read_bytes()


def by_arrow(folder: Path):
    """Pages and buffers in the forms that other writers choose."""
    try:
        import pyarrow
        import pyarrow.feather
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        return
    columns = {"age": [int(row[0]) for row in ROWS], "sex": [row[1] for row in ROWS], "diagnosis": [row[2] for row in ROWS]}
    more = {"x": [1.5, None, -0.0, 2.0], "t": [True, False, None, True], "l": [[1], [], None, [2, 3]]}
    for table in (pyarrow.table(columns), pyarrow.table(columns | more)):
        forms = [{"compression": name, "data_page_version": "2.0"} for name in ("none", "snappy", "gzip", "brotli", "zstd", "lz4")]
        forms.append({"use_dictionary": False, "column_encoding": {"age": "DELTA_BINARY_PACKED", "sex": "DELTA_BYTE_ARRAY", "diagnosis": "DELTA_LENGTH_BYTE_ARRAY"}})
        forms.append({"row_group_size": 1, "write_page_index": True, "store_schema": False})
        for form in forms:
            pyarrow.parquet.write_table(table, folder / "a.parquet", **form)
            yield "parquet", (folder / "a.parquet").read_bytes()
            yield "verify-parquet", (folder / "a.parquet").read_bytes()
        coded = table.set_column(2, "diagnosis", table.column("diagnosis").dictionary_encode())
        for name in (None, "lz4", "zstd"):
            options = pyarrow.ipc.IpcWriteOptions(compression=name)
            for open_file in (pyarrow.ipc.new_file, pyarrow.ipc.new_stream):
                with open_file(folder / "a.arrow", coded.schema, options=options) as writer:
                    writer.write_table(coded)
                yield "arrow", (folder / "a.arrow").read_bytes()
                yield "verify-arrow", (folder / "a.arrow").read_bytes()


def files(binary: Path):
    for name, contents in [("csv", csv()), ("encodings", encodings()), ("sheet", sheets())]:
        yield from ((name, content) for content in contents)
    yield from (("verify-csv", content[1:]) for content in csv())
    yield from texts()
    yield from (("requests", request.encode()) for request in requests())
    with tempfile.TemporaryDirectory() as folder:
        yield from by_program(binary, Path(folder))
        yield from by_others(Path(folder))
        yield from by_arrow(Path(folder))
