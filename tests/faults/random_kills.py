#!/usr/bin/env python3
"""Kills a run at random instants while it replaces an old release.

    random_kills.py INCROWD [--kills 1000] [--seed 1] [--delta] [--json FILE]

Each run replaces a release by one with another k and is killed (SIGKILL) at an instant that is drawn evenly from the time a
whole run takes. Afterwards the folder has to hold the old release, byte by byte, or a new one that `verify` accepts, with a
record that belongs to it; the next run has to succeed and to leave nothing else. Old and new take turns. With --delta the releases
are Delta tables, and after each kill the packages deltalake and polars have to read all rows of the old or of the new one, or find
no table.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from failing_calls import digest

ROLES = ["--qi", "age,sex,education", "--sensitive", "diagnosis", "--others", "remove", "--seed", "1", "--algorithm", "mondrian"]
WHOLE = {"release", "release.internal"}


ROWS = 300


class Kills:
    def __init__(self, binary: str, delta: bool):
        self.binary, self.delta, self.folder = binary, delta, Path(tempfile.mkdtemp(prefix="kills-"))
        (self.folder / "temp").mkdir()
        self.environment = os.environ | {"TMPDIR": str(self.folder / "temp"), "NO_COLOR": "1"}
        self.run("sample", "--rows", str(ROWS), "-o", "table.csv")

    def run(self, *given):
        return subprocess.run([self.binary, *given], cwd=self.folder, env=self.environment, capture_output=True, text=True)

    def words(self, k: int) -> list[str]:
        format = ["--output-format", "delta"] if self.delta else []
        return ["anonymize", "table.csv", *ROLES, "--k", str(k), *format, "-o", "release", "--force"]

    def read_by_others(self) -> str | None:
        """What others see that is neither all rows nor no table."""
        import polars
        from deltalake import DeltaTable
        from deltalake.exceptions import TableNotFoundError

        path = str(self.folder / "release")
        for name, read in ("deltalake", lambda: DeltaTable(path).to_pyarrow_table().num_rows), ("polars", lambda: polars.read_delta(path).height):
            try:
                rows = read()
            except TableNotFoundError:
                continue
            if rows != ROWS:
                return f"{name} reads {rows} rows"
        return None

    def verified(self) -> str | None:
        """What is wrong with the release and its record."""
        verdict = self.run("verify", "release", "--against", "table.csv")
        if verdict.returncode != 0:
            return (verdict.stdout + verdict.stderr)[-300:]
        # The record is read as well: a release that is new with a record that is old would be refused.
        asked = self.run("query", "release", "SELECT COUNT(*)")
        return None if asked.returncode == 0 else asked.stderr[-300:]

    def kill(self, k: int, wait: float) -> tuple[str, str | None]:
        old = digest(self.folder, WHOLE)
        child = subprocess.Popen([self.binary, *self.words(k)], cwd=self.folder, env=self.environment,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        child.kill()
        ended = child.wait() == 0
        if self.delta and (seen := self.read_by_others()):
            return "between", seen
        if digest(self.folder, WHOLE) == old:
            return "old", "success was reported, and the old release is there" if ended else None
        if (self.folder / "release").exists() and (self.folder / "release.internal").exists() and not self.verified():
            return "new", None
        # What bears the name is whole, or nothing does.
        verdict = self.run("verify", "release")
        if (self.folder / "release").exists() and verdict.returncode != 0:
            return "between", f"a release that is not accepted: {(verdict.stdout + verdict.stderr)[-300:]}"
        refused = self.run(*self.words(k)[:-1])
        if refused.returncode == 0:
            return "between", "the old release is lost: its name was free"
        is_whole = digest(self.folder, WHOLE) == old or not self.verified()
        return "between", None if is_whole else "neither the old nor the new release came back"

    def next_run(self, k: int) -> str | None:
        done = self.run(*self.words(k))
        if done.returncode != 0:
            return f"the next run failed: {done.stderr[-300:]}"
        left = {path.name for path in self.folder.iterdir()} - WHOLE - {"table.csv", "temp"}
        left |= {path.name for path in (self.folder / "temp").rglob("*") if path.is_file() and path.name != ".starting"}
        return f"left behind: {sorted(left)}" if left else self.verified()


def main() -> int:
    asked = argparse.ArgumentParser()
    asked.add_argument("incrowd")
    asked.add_argument("--kills", type=int, default=1000)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--delta", action="store_true")
    asked.add_argument("--json")
    given = asked.parse_args()
    trial, drawn = Kills(str(Path(given.incrowd).resolve()), given.delta), random.Random(given.seed)
    try:
        seconds = []
        for _ in range(5):
            begun = time.monotonic()
            assert trial.run(*trial.words(3)).returncode == 0
            seconds.append(time.monotonic() - begun)
        full = sorted(seconds)[2]
        counts, faults = {"old": 0, "new": 0, "between": 0}, []
        for at in range(given.kills):
            state, fault = trial.kill([4, 3][at % 2], drawn.uniform(0, full * 1.1))
            counts[state] += 1
            # Every tenth time another run cleans up; otherwise kills follow kills.
            if not fault and at % 10 == 9:
                fault = trial.next_run([3, 4][at % 2])
            if fault:
                faults.append(f"kill {at + 1}: {state}: {fault}")
                print(f"FAULT {faults[-1]}", file=sys.stderr, flush=True)
                shutil.rmtree(trial.folder / "release", ignore_errors=True)
                shutil.rmtree(trial.folder / "release.internal", ignore_errors=True)
                trial.next_run(3)
        result = {"kills": given.kills, "seed": given.seed, "seconds_of_a_run": round(full, 3), "found": counts, "faults": faults}
    finally:
        shutil.rmtree(trial.folder, ignore_errors=True)
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1) + "\n")
    print(f"{given.kills} kills of a run of {full:.2f} s: {counts}, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
