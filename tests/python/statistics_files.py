"""Files of Stata, SPSS and SAS, written by pyreadstat with a known table, for real_files.py; and releases in the formats
of Stata and SPSS, read back by pyreadstat.

Numbers with labels, days, instants, missing values of several kinds, and texts beyond ASCII are in every table.
"""

import datetime
from collections import Counter

NAMES = ["region", "age", "income", "visit", "moment", "town", "remark"]
REGIONS = {1: "Nord", 2: "Süd", 3: "West"}
AGE_LABELS = {98: "unknown"}
LABELS = ["Region of the household", "Age in years", "", "Day of the visit", "", "Town", "Remark"]


def rows():
    for row in range(60):
        region = None if row % 11 == 0 else 1 + row % 3
        age = None if row % 13 == 0 else float(20 + row % 50)
        income = None if row % 7 == 0 else 1000.25 + row
        day = None if row % 17 == 0 else datetime.date(1950 + row, 1 + row % 12, 1 + row % 28)
        moment = datetime.datetime(2020, 1 + row % 12, 1 + row % 28, row % 24, row % 60, row % 50)
        yield [region, age, income, day, moment, ["Köln", "Béziers", "x"][row % 3], " ".join(["long"] * (row % 9))]


def shown(cell):
    if cell is None:
        return ""
    if isinstance(cell, float) and cell == int(cell):
        return str(int(cell))
    if isinstance(cell, datetime.datetime):
        return cell.isoformat()
    return str(cell).rstrip()


def expected(labels=True, ages=None, remark=None):
    """The rows as a release has them: regions by their labels, and what is declared missing as missing."""
    def one(row):
        region = REGIONS.get(row[0], "") if labels else shown(row[0])
        age = "" if ages and row[1] is not None and ages(row[1]) else shown(row[1])
        return (region, age, *map(shown, row[2:-1]), "" if row[-1] == remark else shown(row[-1]))

    return Counter(map(one, rows()))


def frame():
    import pandas

    made = pandas.DataFrame(list(rows()), columns=NAMES)
    made["moment"] = pandas.to_datetime(made["moment"])
    return made


def read(binary, folder, published):
    """Files of all three packages."""
    import pyreadstat

    labels = {"region": REGIONS, "age": AGE_LABELS}
    about = dict(column_labels=LABELS)
    made = []

    def saved(name, write, *args, wanted=None, **more):
        write(frame(), str(folder / name), *args, **more)
        made.append((name, wanted or expected()))

    for version in (8, 10, 12, 13, 14, 15):
        saved(f"stata-{version}.dta", pyreadstat.write_dta, version=version, variable_value_labels=labels, **about)
    saved("plain.sav", pyreadstat.write_sav, variable_value_labels=labels, **about)
    saved("packed.sav", pyreadstat.write_sav, variable_value_labels=labels, row_compress=True)
    saved("packed.zsav", pyreadstat.write_sav, variable_value_labels=labels, compress=True)
    saved("declared.sav", pyreadstat.write_sav, variable_value_labels=labels, missing_ranges={"age": [{"lo": 60, "hi": 69}, 25], "remark": ["long", "none"]},
          wanted=expected(ages=lambda age: 60 <= age <= 69 or age == 25, remark="long"))
    for version in (5, 8):
        saved(f"transport-{version}.xpt", pyreadstat.write_xport, file_format_version=version,
              wanted=expected(labels=False))
    for name, wanted in made:
        found = published(binary, folder, folder / name, names=NAMES)
        yield name, found, [wanted]


def refused(folder):
    """A file of an old version in another encoding than UTF-8, which it does not name."""
    written = (folder / "stata-12.dta").read_bytes()
    for text in ("Köln", "Béziers", "Süd"):
        written = written.replace(text.encode(), text.encode("cp1252") + b"\0")
    (folder / "latin.dta").write_bytes(written)
    yield "IC427", folder / "latin.dta"
    (folder / "cut.sav").write_bytes((folder / "plain.sav").read_bytes()[:2000])
    yield "IC427", folder / "cut.sav"


def present(cell):
    """A cell of a data frame, in which a missing one is not equal to itself."""
    if cell is None or cell != cell:
        return None
    return cell.to_pydatetime() if hasattr(cell, "to_pydatetime") else cell


def released(binary, folder, incrowd):
    """Each file becomes a release in its own format, which pyreadstat reads: labels only of what is published."""
    import pyreadstat

    faults, labelled = [], ["stata-14.dta", "plain.sav"]
    for source in [*labelled, "declared.sav", "packed.zsav"]:
        ending = "dta" if source.endswith("dta") else "sav"
        reader = pyreadstat.read_dta if ending == "dta" else pyreadstat.read_sav
        target = folder / f"release-{source}"
        made = incrowd(binary, folder, "anonymize", source, "--qi", "age,visit", "--sensitive", "region", "--identifier", "town",
                       "--insensitive", "income,moment,remark", "--keep-identifying", "income,moment,remark", "--rows-are-people",
                       "--k", "4", "--algorithm", "mondrian", "--no-report", "--no-bound", "--quiet", "-o", target.name)
        if made.returncode != 0:
            faults.append(f"{source}: no release: {made.stderr}")
            continue
        judged = incrowd(binary, folder, "verify", target.name, "--against", source)
        if judged.returncode != 0:
            faults.append(f"{source}: not verified: {judged.stdout}{judged.stderr}")
        data, meta = reader(str(target / f"data.{ending}"))
        wanted = Counter((shown(row[0]), shown(row[2]), shown(row[4])) for row in rows())
        found = Counter((shown(present(row.region)), shown(present(row.income)), shown(present(row.moment)))
                        for row in data.itertuples())
        if found != wanted:
            faults.append(f"{source}: other values: {list((found - wanted).items())[:3]}")
        labels = meta.variable_value_labels
        if labels != {"region": {float(code): label for code, label in REGIONS.items()}}:
            faults.append(f"{source}: other labels: {labels}")
        raw = (target / f"data.{ending}").read_bytes()
        for gone in ("Town", "Béziers", "unknown"):
            if gone.encode() in raw:
                faults.append(f"{source}: {gone} of a removed column is in the release")
        if source in labelled and meta.column_names_to_labels["visit"] != "Day of the visit":
            faults.append(f"{source}: the label of a published column is lost")
    # A SAS transport file becomes CSV, and the verifier reads it by its own code.
    for source in ("transport-5.xpt", "transport-8.xpt"):
        target = folder / f"release-{source}"
        made = incrowd(binary, folder, "anonymize", source, "--qi", "age,visit", "--sensitive", "region", "--identifier", "town",
                       "--insensitive", "income,moment,remark", "--keep-identifying", "income,moment,remark", "--rows-are-people",
                       "--k", "4", "--algorithm", "mondrian", "--no-report", "--no-bound", "--quiet", "-o", target.name)
        judged = incrowd(binary, folder, "verify", target.name, "--against", source)
        if made.returncode != 0 or judged.returncode != 0:
            faults.append(f"{source}: not verified: {made.stderr}{judged.stdout}{judged.stderr}")
    return faults
