#!/usr/bin/env python3
"""Kills and stops processes of a cluster in every stage of a release that is solved in shards.

    python3 tests/faults/cluster_faults.py INCROWD [--trials 30] [--stop 60] [--only KIND] [--json FILE]

INCROWD is a program with the feature `cluster`. A local release is made once; every trial repeats it on a cluster of two executors
(`--repeat`, which publishes nothing unless the bytes are the same; it has one file, which one machine verifies, so verifying is struck in a
release of many files, which is then verified once more). When the run is in a stage, as the files of its tasks show, a process is killed or
stopped, or may write no more than 4 KiB into a file. Afterwards: a release has the bytes of the local one; otherwise there is none, the
program said why by a code, and no file of the run is left. Stages that end before they are met are tried again. Each outcome is written to
FILE at once, and a later run adds to it until there are as many trials as asked for: remove the file to begin anew.
"""

import argparse
import fcntl
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# The file of the tasks that says that a stage was begun.
STAGES = {"count": "group-plan", "lay out": "lay-out-plan", "route": "route-plan@0", "solve": "solve-plan", "recode": "plan",
          "write": "write-plan", "verify": "verify-plan"}
WORDS = ("--qi age,education,marital-status,race,sex --sensitive workclass --insensitive occupation --keep-identifying occupation --others remove "
         "--k 5 --p 2 --algorithm mondrian --at-once 700 --no-bound --output-format parquet -q").split()
SETTINGS = {"INCROWD_CLUSTER_TASK_ROWS": "500", "INCROWD_CLUSTER_TIMEOUT": "7", "INCROWD_CLUSTER_PATIENCE": "60"}


class Trial:
    def __init__(self, incrowd, folder):
        self.incrowd, self.folder = incrowd, folder
        self.environment = {**os.environ, **SETTINGS}

    def prepare(self):
        (self.folder / "census").mkdir()
        for seed, rows in ((1, 5000), (2, 3000)):
            self.run("sample", "--rows", str(rows), "--seed", str(seed), "-o", f"census/{seed}.parquet", "-q").check_returncode()
        self.run("anonymize", "census", *WORDS, "--seed", "7", "-o", "local").check_returncode()

    def run(self, *words):
        return subprocess.run([self.incrowd, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True)

    def up(self):
        process = subprocess.Popen([self.incrowd, "cluster", "up", "--executors", "2", "--cores", "2", "--work-dir", str(self.folder / "work")],
                                   cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        url = process.stdout.readline().strip()
        return process, url, [int(process.stdout.readline().split()[-1]) for _ in range(3)]

    def is_met(self, stage):
        return any((folder / STAGES[stage]).exists() for folder in self.folder.glob(".remote*/.public.executors"))

    def strike(self, stage, strike):
        """The outcome of one run: the same bytes, refused with a code, or what is wrong. Nothing when the stage was not met."""
        for name in ("remote", "remote.internal", "work"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        cluster, url, processes = self.up()
        randomness = ["--seed", "7"] if stage == "verify" else ["--repeat", "local.internal"]
        client = subprocess.Popen([self.incrowd, "anonymize", "census", *WORDS, *randomness, "-o", "remote", "--cluster", url],
                                  cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            met, said = struck(client, lambda: self.is_met(stage), lambda: strike(processes), 0.001)
        finally:
            client.kill()
            for process in processes:
                if Path(f"/proc/{process}").exists():
                    os.kill(process, signal.SIGCONT)
            cluster.send_signal(signal.SIGINT)
            try:
                cluster.wait(timeout=30)
            except subprocess.TimeoutExpired:
                cluster.kill()
                for process in processes:
                    if Path(f"/proc/{process}").exists():
                        os.kill(process, signal.SIGKILL)
        return self.judged(client.returncode, said) if met else None

    def judged(self, code, said):
        left = [path.name for path in self.folder.glob(".remote*")]
        if left:
            return f"left: {left}"
        if code == 0 and not (self.folder / "remote/data.parquet").exists():
            return "verified" if self.run("verify", "remote", "-q").returncode == 0 else "not verified"
        if code == 0:
            same = (self.folder / "remote/data.parquet").read_bytes() == (self.folder / "local/data.parquet").read_bytes()
            return "equal" if same else "other bytes"
        if (self.folder / "remote").exists() or (self.folder / "remote.internal").exists():
            return "published although it failed"
        return refusal(said)


def kill(*at):
    return lambda processes: [os.kill(processes[one], signal.SIGKILL) for one in at]


def stop(seconds):
    """Stopped for longer than an executor may be silent; it wakes while others do its work, or after its end."""
    def strike(processes):
        os.kill(processes[1], signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(processes[1], signal.SIGCONT)
    return strike


def fill(processes):
    """No file of one executor grows beyond 4 KiB, as if its disk were full."""
    resource.prlimit(processes[1], resource.RLIMIT_FSIZE, (4096, resource.prlimit(processes[1], resource.RLIMIT_FSIZE)[1]))


def kinds(seconds):
    for stage in STAGES:
        yield f"an executor killed: {stage}", stage, kill(1)
    yield "the scheduler killed: solve", "solve", kill(0)
    yield "all executors killed: route", "route", kill(1, 2)
    yield f"an executor stopped for {seconds:g} s: solve", "solve", stop(seconds)
    for stage in ("lay out", "route", "solve", "write"):
        yield f"an executor without room for files: {stage}", stage, fill


def refusal(said):
    """The outcome of a run that failed; its message is shown, because it says what could not be survived."""
    message = next((line for line in said.splitlines() if "error[IC" in line), None)
    print(message or said, file=sys.stderr)
    return "refused" if message else f"no code: {said[-200:]}"


def struck(client, is_met, strike, pause):
    """Strikes a run soon after a stage is met, which is looked for at each pause. Says whether it was met, and what the run printed.
    A strike that says that it touched nothing has not met it."""
    while client.poll() is None and not is_met():
        time.sleep(pause)
    met = client.poll() is None
    if met:
        time.sleep(random.uniform(0, 0.15))
        met = strike() is not False
    return met, client.communicate(timeout=300)[1]


def campaign(trial, kinds, arguments):
    """Tries every kind that was asked for as often as is missing in the file, and returns how many outcomes are wrong."""
    wrong = 0
    for name, stage, strike in kinds:
        if arguments.only and arguments.only not in name:
            continue
        result = kept(arguments.json, name)
        tried, most = 0, 6 * arguments.trials + 5
        while result["trials"] < arguments.trials and tried < most:
            outcome, tried = trial.strike(stage, strike), tried + 1
            result = kept(arguments.json, name, result, outcome)
            print(f"{name}: {result['trials']} of {arguments.trials}: {outcome or 'ended before the stage was met'}", file=sys.stderr)
        counts = result["outcomes"]
        wrong += sum(count for outcome, count in counts.items() if outcome not in ("equal", "verified", "refused"))
        print(f"{name}: {result['trials']} trials, {counts}", flush=True)
    return wrong


def kept(path, name, result=None, outcome=None):
    """What is known of a kind; with a result, an outcome more, which is kept at once. Campaigns of other kinds may share the file."""
    if result:
        counts = dict(result["outcomes"])
        if outcome:
            counts[outcome] = counts.get(outcome, 0) + 1
        result = {"kind": name, "trials": sum(counts.values()), "missed": result["missed"] + (outcome is None), "outcomes": dict(sorted(counts.items()))}
    empty = {"kind": name, "trials": 0, "missed": 0, "outcomes": {}}
    if not path:
        return result or empty
    path.touch()
    with open(path, "r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        results = {one["kind"]: one for one in json.loads(file.read() or "[]")}
        if result:
            results[name] = result
            file.seek(0)
            file.truncate()
            file.write(json.dumps(list(results.values()), indent=1) + "\n")
    return results.get(name, empty)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("incrowd", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--stop", type=float, default=60, help="seconds")
    parser.add_argument("--only", help="kinds whose name contains this")
    parser.add_argument("--json", type=Path, help="keep the outcomes here, and try only what is missing in it")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="incrowd-cluster-faults-") as scratch:
        trial = Trial(arguments.incrowd, Path(scratch))
        trial.prepare()
        sys.exit(1 if campaign(trial, kinds(arguments.stop), arguments) else 0)


if __name__ == "__main__":
    main()
