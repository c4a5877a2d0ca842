#!/usr/bin/env python3
"""Changes the verifier, the models, the recoding and the repair of classes in small ways, and looks whether a test notices.

    mutants.py --folder FOLDER [--crate incrowd-verify ...] [--jobs 2] [--seconds 3600] [--slowest 2] [--only TEXT]
               [--unit-tests] [--no-tests] [--json FILE] [--published COMMIT]

A mutant is one small change: another operator (`<` becomes `<=` or `>`), a condition that is negated, a literal, another method
(`any` for `all`), a statement or an arm of a match that is left out, a body that returns a value at once. All mutants of a crate
are compiled into one copy of the repository (mutant_build.py) and switched on by a number. One run of every test without a mutant
shows which mutants it reaches; a mutant then is tried by the tests that reach it, the quick ones first, until one fails or does
not end (mutant_runs.py). A mutant that no test reaches is missed.

FOLDER keeps the copy, the built code and what was found: a further run tries only what no test noticed so far. --json writes the
result; an argument why a survivor is harmless (`now`) is kept as long as the code around it stays. --published begins from the
result in --json, which was found at COMMIT: of files that have not changed since then, only its survivors are tried.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import mutant_build
from mutant_build import PLACES, ROOT, Build
from mutant_runs import Runs, in_parallel


def scope(file: str) -> str:
    """The part of the repository that a file is counted with."""
    parts = Path(file).parts
    source = parts.index("src") + 1
    depth = source + 2 if "policy/models" in file else source + 1
    return "/".join(parts[:depth]) if len(parts) > depth else "/".join(parts[:source]) if parts[1] == "incrowd-verify" else file


class Campaign:
    """What is known of every mutant, kept in a file."""

    def __init__(self, folder: Path, build: Build):
        self.path, self.lock, self.build = folder / "outcomes.json", threading.Lock(), build
        self.known: dict[str, list[str]] = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.saved = time.monotonic()

    def take_published(self, before: dict, commit: str) -> None:
        """Takes over what a published result says of files that are as they were at its commit."""
        words = ["git", "diff", "--name-only", commit, "--", *(place for crate in self.build.crates for place in PLACES[crate])]
        changed = set(subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())
        survived = {name_of(one) for one in before["survivors"]}
        counted = {one["scope"] for one in before["scopes"]}
        for mutant in self.build.mutants:
            if mutant["file"] not in changed and scope(mutant["file"]) in counted and name_of(mutant) not in survived:
                self.known.setdefault(mutant["name"], ["caught", f"published at {commit}"])

    def add(self, mutant: dict, said: str, by: str) -> None:
        with self.lock:
            self.known[mutant["name"]] = [said, by]
            if said != "caught":
                print(f"{said:8} {mutant['file']}:{mutant['line']}:{mutant['column']} {mutant['in']}: {mutant['from']} → {mutant['to']} ({by})", flush=True)
            if time.monotonic() - self.saved > 10:
                self.save()

    def save(self) -> None:
        self.path.write_text(json.dumps(self.known, indent=0, ensure_ascii=False))
        self.saved = time.monotonic()

    def result(self, before: dict) -> dict:
        """Counts by scope, and all survivors. Of scopes in which nothing was tried here, what an earlier run found stays."""
        unviable = self.build.unviable()
        argued = {name_of(one): one["now"] for one in before.get("survivors", [])}
        tried = {scope(mutant["file"]) for mutant in self.build.mutants if mutant["name"] in self.known}
        scopes = {one["scope"]: one for one in before.get("scopes", []) if one["scope"] not in tried}
        survivors = [one for one in before.get("survivors", []) if scope(one["file"]) not in tried]
        for mutant in self.build.mutants:
            of = scope(mutant["file"])
            if of in scopes and of not in tried:
                continue
            counts = scopes.setdefault(of, {"scope": of} | dict.fromkeys(("mutants", "unviable", "caught", "timeout", "missed", "argued", "not tried"), 0))
            said = "unviable" if mutant["id"] in unviable else self.known.get(mutant["name"], ["not tried"])[0]
            counts["mutants"] += 1
            counts[said] += 1
            if said == "missed":
                one = {key: mutant[key] for key in ("file", "line", "in", "from", "to", "nth")}
                one["now"] = argued.get(name_of(one), "open")
                counts["argued"] += one["now"] != "open"
                survivors.append(one)
        return {"scopes": [scopes[of] for of in sorted(scopes)], "survivors": sorted(survivors, key=lambda one: (one["file"], one["line"]))}


def name_of(survivor: dict) -> tuple:
    return tuple(survivor[key] for key in ("file", "in", "from", "to", "nth"))


def main() -> int:
    words = argparse.ArgumentParser()
    words.add_argument("--folder", type=Path, required=True)
    words.add_argument("--crate", action="append", choices=list(PLACES))
    words.add_argument("--seconds", type=float, default=1e9, help="start no mutant after this time")
    words.add_argument("--slowest", type=float, default=1e9, help="use no test that takes longer; what it would notice counts as missed")
    words.add_argument("--only", action="append", help="try only mutants of files whose path contains this; first those of the first one")
    words.add_argument("--unit-tests", action="store_true", help="use only the unit tests of each crate; what others would notice counts as missed")
    words.add_argument("--no-tests", action="store_true", help="only write the result of what is known")
    words.add_argument("--jobs", type=int, default=2)
    words.add_argument("--json", type=Path)
    words.add_argument("--published", metavar="COMMIT", help="the commit at which the result in --json was found: its survivors are tried again")
    given = words.parse_args()
    before = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    begun = time.monotonic()
    if given.unit_tests:
        mutant_build.NOTICED_BY.update({crate: [crate] for crate in PLACES})
        mutant_build.TESTS.update(dict.fromkeys(PLACES, ["--lib"]))
    build = Build(given.folder.resolve(), given.crate or list(PLACES))
    build.compile()
    campaign, unviable = Campaign(given.folder, build), build.unviable()
    if given.published:
        campaign.take_published(before, given.published)
    wanted = {one["id"]: one for text in given.only or [""] for one in build.mutants if text in one["file"]}
    left = [one for one in wanted.values() if one["id"] not in unviable and campaign.known.get(one["name"], [""])[0] not in ("caught", "timeout")]
    print(f"{len(build.mutants)} mutants, {len(unviable)} do not compile, {len(left)} to try", flush=True)
    if not given.no_tests:
        runs = Runs(build)
        runs.measure(given.jobs, given.slowest)
        print(f"{len(runs.tests)} tests, {sum(test.seconds for test in runs.tests):.0f} s; {time.monotonic() - begun:.0f} s until here", flush=True)

        def one(mutant: dict) -> None:
            if time.monotonic() - begun < given.seconds:
                campaign.add(mutant, *runs.judge(mutant))

        in_parallel(left, given.jobs, one)
        campaign.save()
    if given.json:
        given.json.write_text(json.dumps(campaign.result(before), indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
