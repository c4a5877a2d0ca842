#!/usr/bin/env python3
"""Every n-th call of the system fails, for n = 1 to the last call, in releases, reports and ledgers.

    failing_calls.py INCROWD [SCENARIO …] [--every N] [--json FILE]

For each kind of call and each error, the run is repeated with another call that fails. Afterwards

- a run that reports success has made a release that `verify` accepts;
- a run that reports a failure has left no release, or the old one unchanged, and says what failed;
- the next run succeeds and leaves nothing besides the release.

`--every 7` lets only each seventh call fail. Prints a line per kind of call, and every fault that it found.
"""

import argparse
import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# What each kind of call fails with.
ERRORS = {
    "open": ["EACCES", "EMFILE", "EINTR"],
    "read": ["EIO", "EINTR"],
    "write": ["ENOSPC", "EIO", "EINTR", "SHORT"],
    "fsync": ["EIO", "ENOSPC"],
    "truncate": ["EIO"],
    "rename": ["EIO", "EACCES"],
    "mkdir": ["ENOSPC", "EACCES"],
    "chmod": ["EPERM"],
    "unlink": ["EACCES", "EIO"],
    "statfs": ["EIO"],
    "mmap": ["ENOMEM"],
}
# After these the run is expected to go on as if nothing had happened.
HARMLESS = {"EINTR", "SHORT"}
SECONDS = 60

ROLES = ["--qi", "age,sex,education", "--sensitive", "diagnosis", "--others", "remove", "--k", "4", "--seed", "1"]
MONDRIAN = ["anonymize", "table.csv", *ROLES, "--algorithm", "mondrian", "-o", "release"]
# Of each: what is done before, the run itself, whether it makes a release, and what is left of it.
SCENARIOS = {
    "release": ([], MONDRIAN, True, {"release", "release.internal"}),
    "force": ([MONDRIAN], ["6" if word == "4" else word for word in [*MONDRIAN, "--force"]], True, {"release", "release.internal"}),
    "ledger": ([], [*MONDRIAN, "--ledger", "ledger.json"], True, {"release", "release.internal", "ledger.json"}),
    "two-tables": (
        [],
        [*MONDRIAN[:-4], "--alpha", "diagnosis=0.9", "--publish", "two-tables", "-o", "release"],
        True,
        {"release", "release.internal"},
    ),
    "sharded": (
        [],
        [*MONDRIAN[:-4], "--algorithm", "auto", "--effort", "low", "--shard", "60", "-o", "release"],
        True,
        {"release", "release.internal"},
    ),
    "workbook": ([], [*MONDRIAN, "--output-format", "xlsx"], True, {"release", "release.internal"}),
    "stata": ([], [*MONDRIAN, "--output-format", "dta"], True, {"release", "release.internal"}),
    "parquet": ([], [*MONDRIAN, "--output-format", "parquet"], True, {"release", "release.internal"}),
    "report": ([MONDRIAN], ["report", "release", "--force"], False, {"release", "release.internal", "release.report"}),
}


def digest(folder: Path, names: set[str]) -> str:
    """A hash of everything below the named folders and files."""
    state = hashlib.sha256()
    for name in sorted(names):
        top = folder / name
        for path in sorted([top, *top.rglob("*")]) if top.exists() else []:
            state.update(str(path.relative_to(folder)).encode())
            if path.is_file():
                state.update(path.read_bytes())
    return state.hexdigest()


class Trial:
    def __init__(self, binary: str, shim: Path, scenario: str):
        self.binary, self.shim, self.scenario = binary, shim, scenario
        self.before, self.words, self.makes_release, self.kept = SCENARIOS[scenario]
        self.folder = Path(tempfile.mkdtemp(prefix="faults-"))
        self.temp = self.folder / "temp"
        self.log = self.folder.with_suffix(".calls")
        subprocess.run(
            [binary, "sample", "--rows", "200", "-o", "table.csv"], cwd=self.folder, capture_output=True, check=True
        )
        self.table = (self.folder / "table.csv").read_bytes()

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.log.unlink(missing_ok=True)

    def run(self, words, **failing):
        environment = os.environ | {"TMPDIR": str(self.temp), "HOME": str(self.folder / "home"), "NO_COLOR": "1"}
        if failing:
            environment |= {"LD_PRELOAD": str(self.shim), "FAIL_BELOW": str(self.folder), "FAIL_LOG": str(self.log)}
            environment |= {name: str(value) for name, value in failing.items()}
        try:
            return subprocess.run(
                [self.binary, *words], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            return None

    def prepare(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.temp.mkdir(parents=True)
        (self.folder / "table.csv").write_bytes(self.table)
        for words in self.before:
            assert self.run(words).returncode == 0, words
        self.log.unlink(missing_ok=True)

    def count(self, call: str) -> int:
        self.prepare()
        done = self.run(self.words, FAIL_CALL=call)
        assert done and done.returncode == 0, done and done.stderr
        return max(map(int, self.log.read_text().split()), default=0)

    def fault(self, call: str, error: str, at: int, sticky: bool) -> str | None:
        """What is wrong after the n-th call failed; nothing if all is well."""
        self.prepare()
        # A ledger is begun before its release, and entered before the release gets its name.
        whole = {"release", "release.internal"}
        old = digest(self.folder, whole)
        had_release = (self.folder / "release").exists()
        number = 0 if error == "SHORT" else getattr(errno, error)
        failing = {"FAIL_CALL": call, "FAIL_AT": at, "FAIL_ERRNO": number}
        failing |= {"FAIL_STICKY": 1} if sticky else {}
        failing |= {"FAIL_SHORT": 1} if error == "SHORT" else {}
        done = self.run(self.words, **failing)
        if done is None:
            return f"did not end within {SECONDS} s"
        said = done.stdout + done.stderr
        self.said = said
        self.code = done.returncode
        if "panicked" in said or done.returncode not in (0, 1, 2, 3):
            return f"exit {done.returncode}: {said[-400:]}"
        if done.returncode == 0:
            if self.makes_release and (fault := self.verified()):
                return f"success was reported: {fault}"
        else:
            if error in HARMLESS:
                return f"{error} is an interruption, and the run failed: {said[-300:]}"
            if not re.search(r"error\[IC\d+\]", said):
                return f"failed without a code: {said[-300:]}"
            if digest(self.folder, whole) != old:
                if not self.makes_release:
                    return "the release was changed"
                # The new one may be complete: then the message must say so.
                if fault := self.verified():
                    return f"{'the old release is lost' if had_release else 'a partial release is left'}: {fault}"
                if "complete" not in said and "published" not in said:
                    return f"the release is complete, and the message does not say so: {said[-300:]}"
        return self.swept()

    def verified(self) -> str | None:
        verdict = self.run(["verify", "release", "--against", "table.csv"])
        return None if verdict and verdict.returncode == 0 else (verdict.stdout + verdict.stderr)[-300:]

    def swept(self) -> str | None:
        """The next run succeeds and leaves nothing besides its result."""
        words = self.words if "--force" in self.words or not self.makes_release else [*self.words, "--force"]
        done = self.run(words)
        if done is None or done.returncode != 0:
            return f"the next run failed: {(done.stdout + done.stderr)[-300:] if done else 'no end'}"
        left = {path.name for path in self.folder.iterdir()} - self.kept - {"table.csv", "temp", "home"}
        # The lock that runs take while they start stays.
        left |= {f"temp/{path.name}" for path in self.temp.rglob("*") if path.is_file() and path.name != ".starting"}
        left |= {f"{top}/{path.name}" for top in self.kept for path in (self.folder / top).glob(".*")}
        return f"left behind: {sorted(left)}" if left else None


def main() -> int:
    words = argparse.ArgumentParser()
    words.add_argument("incrowd")
    words.add_argument("scenarios", nargs="*", default=list(SCENARIOS))
    words.add_argument("--every", type=int, default=1)
    words.add_argument("--calls", default=",".join(ERRORS))
    words.add_argument("--json")
    words.add_argument("--messages", action="store_true", help="print every message once")
    given = words.parse_args()
    binary = str(Path(given.incrowd).resolve())
    with tempfile.TemporaryDirectory() as folder:
        shim = Path(folder) / "failing_calls.so"
        source = Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, source, "-ldl"], check=True)
        results, messages = [], {}
        for scenario in given.scenarios or list(SCENARIOS):
            trial = Trial(binary, shim, scenario)
            try:
                for call in given.calls.split(","):
                    results += one_kind(trial, call, given.every, messages)
            finally:
                trial.close()
    if given.messages:
        for message, place in sorted(messages.items()):
            print(f"{place}\n    {message}")
    runs, faults = sum(one["runs"] for one in results), sum(len(one["faults"]) for one in results)
    if given.json:
        Path(given.json).write_text(json.dumps(results, indent=1))
    print(f"{runs} runs with a failing call, {faults} faults")
    return 1 if faults else 0


def one_kind(trial: Trial, call: str, every: int, messages: dict) -> list[dict]:
    total, results = trial.count(call), []
    for error in ERRORS[call]:
        faults, failed, runs = [], 0, 0
        for sticky in [False, True] if error == "ENOSPC" else [False]:
            for at in range(1, total + 1, every):
                fault = trial.fault(call, error, at, sticky)
                runs += 1
                failed += trial.code != 0
                where = f"{trial.scenario}: {call} {at} of {total}, {error}{', and all later ones' if sticky else ''}"
                message = next((line for line in trial.said.splitlines() if line.startswith("error[")), None)
                if message and trial.code:
                    messages.setdefault(message, where)
                if fault:
                    faults.append(f"{where}: {fault}")
                    print(f"FAULT {faults[-1]}", file=sys.stderr, flush=True)
        if runs:
            print(f"{trial.scenario:12} {call:9} {error:7} {runs:5} runs, {failed:5} failed, {len(faults)} faults", flush=True)
            results.append({"scenario": trial.scenario, "call": call, "error": error, "runs": runs, "faults": faults})
    return results


if __name__ == "__main__":
    sys.exit(main())
