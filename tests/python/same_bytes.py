#!/usr/bin/env python3
"""Releases of two versions of incrowd, compared byte by byte: a change that is not meant to change a release does not.

    same_bytes.py INCROWD > before.json                  makes the releases; prints their checksums and records
    same_bytes.py INCROWD --against before.json          repeats them with another binary and compares; exits 1 on a difference

The releases: three policies, each in one table solved whole, in one table solved in shards (`--at-once`), in two tables, and
in PostgreSQL when INCROWD_POSTGRES names a server; and a few runs of other options. The solver's seed is fixed. The key that
orders the rows is drawn for every release, so each release is made once and then repeated with the key of its record
(`--repeat`), and the repeated one is compared. With `--against`, the recorded keys come from the file.

Compared to the byte are the data files and the hierarchies. Compared are, too, the manifest, the pages, the record, the dossier
and what is printed as text and as JSON, without what differs between any two runs: the release's id, its time, seconds, the
temporary folder, and the seal and the checksums of files that hold one of these.
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

POLICIES = {
    "p-sensitive": ["--k", "5", "--p-sensitive", "diagnosis=2", "--suppress", "0.02"],
    "alpha": ["--k", "4", "--alpha", "diagnosis=0.5", "--algorithm", "mondrian"],
    "l-diverse": ["--k", "6", "--l-diversity", "diagnosis=3", "--no-bound", "--algorithm", "mondrian"],
}
FORMS = {"whole": [], "sharded": ["--at-once", "150"], "two-tables": ["--publish", "two-tables"], "postgresql": []}
ROLES = ["--qi", "age,sex,town,birth", "--sensitive", "diagnosis", "--others", "remove"]
MORE = {
    "kept-columns": [*ROLES, "--insensitive", "ward", "--keep-identifying", "ward", "--k", "3", "--algorithm", "mondrian"],
    "subject": ["--qi", "age,sex,town", "--sensitive", "diagnosis", "--subject", "person", "--others", "remove", "--k", "3"],
    "subject-sharded": ["--qi", "age,sex,town,birth", "--subject", "person", "--others", "remove", "--k", "3",
                        "--algorithm", "mondrian", "--at-once", "150"],
    "full-domain": [*ROLES, "--k", "5", "--suppress", "0.05", "--algorithm", "incognito"],
    "t-closeness": [*ROLES, "--k", "5", "--t", "0.4", "--algorithm", "mondrian"],
    "parquet": [*ROLES, "--k", "5", "--algorithm", "mondrian", "--output-format", "parquet"],
    "spellings": [*ROLES, "--k", "5", "--algorithm", "mondrian", "--fold-spellings", "town", "--no-report"],
    "ledger": [*ROLES, "--k", "5", "--algorithm", "mondrian", "--ledger", "ledger.json"],
}
ALWAYS = ["--effort", "low", "--threads", "2", "--quiet"]
COLUMNS = {"person": "text", "age": "int", "sex": "text", "town": "text", "birth": "date", "ward": "text", "diagnosis": "text"}


def table(path):
    """A table that is the same on every machine."""
    chance = random.Random(20260101)
    towns = ["Bonn", "Bremen", "Graz", "Linz", "Ulm", "Wien", "wien"]
    illnesses = ["flu"] * 6 + ["cold"] * 5 + ["asthma"] * 3 + ["gout", "measles", "diabetes"]
    lines = [",".join(COLUMNS)]
    for number in range(1200):
        age = min(int(chance.triangular(18, 90, 35)), 90)
        birth = f"{2020 - age}-{chance.randrange(1, 13):02}-{chance.choice(['01', '15'])}"
        lines.append(f"P{number * 7 % 1100:05},{age},{chance.choice('fm')},{chance.choice(towns)},{birth},"
                     f"{chance.choice('ABC')},{chance.choice(illnesses)}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def runs(server):
    """Every run by its name: the words of the command line, and whether it reads from and writes to PostgreSQL."""
    for form, words in FORMS.items():
        if form == "postgresql" and not server:
            print("INCROWD_POSTGRES is not set: nothing is read from or written to PostgreSQL", file=sys.stderr)
            continue
        for policy, promise in POLICIES.items():
            yield f"{policy} {form}", [*ROLES, *promise, *words], form == "postgresql"
    for name, words in MORE.items():
        yield name, words, False


class Database:
    """A schema of its own in the server that the environment names, with the table in it."""

    def __init__(self, url, csv):
        self.url, self.schema = url, "incrowd_same_bytes"
        columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        self.psql(f"DROP SCHEMA IF EXISTS {self.schema} CASCADE")
        self.psql(f"CREATE SCHEMA {self.schema}; CREATE TABLE {self.schema}.people ({columns})")
        self.psql(f"\\copy {self.schema}.people FROM '{csv}' CSV HEADER")

    def psql(self, command):
        ran = subprocess.run(["psql", self.url, "-qAtc", command], check=True, capture_output=True)
        return ran.stdout

    def rows(self):
        """The released rows in the order in which they stand in the table, and the manifest."""
        released = f"{self.schema}.released"
        return {"table": self.psql(f"SELECT * FROM {released}"), "manifest.json": self.psql(f"SELECT manifest FROM {released}_manifest")}

    def clear(self):
        self.psql(f"DROP TABLE IF EXISTS {self.schema}.released, {self.schema}.released_manifest")


def made(incrowd, folder, words, database, repeat=None, form="json"):
    """Runs `anonymize` once in a folder. Returns what it printed."""
    source, target = "people.csv", "released"
    if database:
        database.clear()
        source, target = f"postgres:{database.schema}.people", f"postgres:{database.schema}.released"
    chance = ["--repeat", repeat] if repeat else ["--seed", "7"]
    command = [incrowd, "anonymize", source, *words, *ALWAYS, *chance, "--format", form, "-o", target]
    environment = {**os.environ, "DATABASE_URL": database.url} if database else os.environ
    ran = subprocess.run(command, cwd=folder, capture_output=True, env=environment)
    if ran.returncode:
        raise RuntimeError(f"exit {ran.returncode}: {ran.stderr.decode()}")
    return {f"printed.{form}": ran.stdout, f"printed.{form}.stderr": ran.stderr}


def released(folder, database):
    """The bytes of every file of a release and of its record, by name."""
    found = {}
    for inside in ("released", "released.internal"):
        for path in sorted((folder / inside).rglob("*")):
            if path.is_file():
                found[str(path.relative_to(folder))] = path.read_bytes()
    return {**found, **(database.rows() if database else {})}


SECONDS = re.compile(rb'"(\w*_)?seconds": ?[0-9.e+-]+|\b[0-9.]+ s\b')


def is_data(name):
    """Whether a file holds released rows or a hierarchy: what is compared to the byte."""
    return name == "table" or name.endswith((".csv", ".parquet", ".arrow"))


def blanked(found, place):
    """The contents of all files without what differs between any two runs."""
    manifest = json.loads(next(content for name, content in found.items() if name.endswith("manifest.json")))
    words = {manifest["release"]: b"ID", manifest["created"]: b"TIME", manifest["seal"]: b"SEAL", str(place): b"FOLDER"}
    words |= {hashlib.sha256(content).hexdigest(): b"SHA-256" for name, content in found.items() if not is_data(name)}
    contents = {}
    for name, content in found.items():
        if not is_data(name):
            content = SECONDS.sub(b"SECONDS", content)
            for word, blank in words.items():
                content = content.replace(word.encode(), blank)
        contents[name] = content
    return contents


def record_folder(folder, record):
    """The record of an earlier release in a folder, as `--repeat` takes it: record.json and the list of contents."""
    folder.mkdir()
    text = json.dumps(record)
    (folder / "record.json").write_text(text, encoding="utf-8")
    listed = [{"name": "record.json", "sha256": hashlib.sha256(text.encode()).hexdigest()}]
    (folder / "contents.json").write_text(json.dumps({"incrowd_record": 1, "files": listed}), encoding="utf-8")


def one(incrowd, name, words, database, earlier):
    """Makes one release. Returns its record, and the checksum of every file."""
    with tempfile.TemporaryDirectory() as made_in:
        folder = pathlib.Path(made_in)
        table(folder / "people.csv")
        if earlier:
            record = earlier["record"]
        else:
            made(incrowd, folder, words, database)
            record = json.loads((folder / "released.internal" / "record.json").read_text(encoding="utf-8"))
        record_folder(folder / "earlier", record)
        contents = {}
        for form in ("text", "json"):
            # A ledger would name the releases before, each with its id.
            (folder / "ledger.json").unlink(missing_ok=True)
            printed = made(incrowd, folder, [*words, "--force"], database, "earlier", form)
            contents = {**contents, **blanked({**released(folder, database), **printed}, folder)}
        files = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
        return {"record": record, "files": files}, contents


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("incrowd", help="the binary")
    arguments.add_argument("--against", metavar="FILE", help="what an earlier run printed: repeat and compare")
    arguments.add_argument("--keep", metavar="FOLDER", help="keep the compared files here, to look at a difference")
    arguments.add_argument("--only", metavar="TEXT", default="", help="only the runs whose name has this text")
    given = arguments.parse_args()
    incrowd = str(pathlib.Path(given.incrowd).resolve())
    earlier = json.loads(pathlib.Path(given.against).read_text(encoding="utf-8")) if given.against else None
    url = os.environ.get("INCROWD_POSTGRES")
    database = None
    if url:
        with tempfile.TemporaryDirectory() as folder:
            csv = pathlib.Path(folder) / "people.csv"
            table(csv)
            database = Database(url, csv)
    all_found, different = {}, 0
    for name, words, in_database in runs(url):
        if given.only not in name or (earlier and name not in earlier):
            continue
        before = earlier and earlier[name]
        try:
            all_found[name], contents = one(incrowd, name, words, database if in_database else None, before)
        except RuntimeError as refused:
            print(f"{name}: {refused}", file=sys.stderr)
            different += 1
            continue
        files = all_found[name]["files"]
        if given.keep:
            for file, content in contents.items():
                path = pathlib.Path(given.keep) / name.replace(" ", "-") / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        changed = [file for file in sorted({*files, *before["files"]}) if files.get(file) != before["files"].get(file)] if before else []
        different += bool(changed)
        told = f"differs in {', '.join(changed)}" if changed else "the same" if before else f"{len(files)} files"
        print(f"{name}: {told}", file=sys.stderr)
    if database:
        database.psql(f"DROP SCHEMA {database.schema} CASCADE")
    if not given.against:
        print(json.dumps(all_found, indent=1, sort_keys=True))
    print(f"{len(all_found)} releases, {different} {'different' if earlier else 'failed'}", file=sys.stderr)
    sys.exit(1 if different or not all_found else 0)


if __name__ == "__main__":
    main()
