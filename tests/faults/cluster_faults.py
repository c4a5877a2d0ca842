#!/usr/bin/env python3
"""Kills and stops processes of a cluster in every stage of a release that is solved in shards.

    python3 tests/faults/cluster_faults.py INCROWD [--trials 30] [--stop 60] [--only KIND] [--json FILE]

INCROWD is a program with the feature `cluster`. A local release is made once; every trial repeats it on a cluster of two executors
(`--repeat`, which publishes nothing unless the bytes are the same; it has one file, which one machine verifies, so verifying is struck in a
release of many files, which is then verified once more). When the run is in a stage, as the files of its tasks show, a process is
killed or stopped, or may write no more than 4 KiB into a file. Afterwards: a release has the bytes of the local one; otherwise there is none, the program said why by a code, and no file
of the run is left. Stages that end before they are met are tried again. What FILE has of other kinds is kept.
"""

import argparse
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
        return "refused" if "error[IC" in said else f"no code: {said[-200:]}"


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


def struck(client, is_met, strike, pause):
    """Strikes a run soon after a stage is met, which is looked for at each pause. Says whether it was met, and what the run printed."""
    while client.poll() is None and not is_met():
        time.sleep(pause)
    met = client.poll() is None
    if met:
        time.sleep(random.uniform(0, 0.15))
        strike()
    return met, client.communicate(timeout=300)[1]


def campaign(trial, kinds, arguments):
    """Tries every kind that was asked for, keeps the outcomes, and returns how many are wrong. A file is read just before it is
    written: campaigns of other kinds may share it."""
    wrong = 0
    for name, stage, strike in kinds:
        if arguments.only and arguments.only not in name:
            continue
        outcomes, missed = [], 0
        while len(outcomes) < arguments.trials and missed < 5 * arguments.trials + 5:
            outcome = trial.strike(stage, strike)
            missed += outcome is None
            outcomes += [outcome] if outcome else []
            print(f"{name}: {len(outcomes)} of {arguments.trials}: {outcome or 'ended before the stage was met'}", file=sys.stderr)
        counts = {outcome: outcomes.count(outcome) for outcome in sorted(set(outcomes))}
        wrong += sum(count for outcome, count in counts.items() if outcome not in ("equal", "verified", "refused"))
        print(f"{name}: {len(outcomes)} trials, {counts}", flush=True)
        if arguments.json:
            known = json.loads(arguments.json.read_text()) if arguments.json.exists() else []
            results = {one["kind"]: one for one in known}
            results[name] = {"kind": name, "trials": len(outcomes), "missed": missed, "outcomes": counts}
            arguments.json.write_text(json.dumps(list(results.values()), indent=1) + "\n")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("incrowd", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--stop", type=float, default=60, help="seconds")
    parser.add_argument("--only", help="kinds whose name contains this")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="incrowd-cluster-faults-") as scratch:
        trial = Trial(arguments.incrowd, Path(scratch))
        trial.prepare()
        sys.exit(1 if campaign(trial, kinds(arguments.stop), arguments) else 0)


if __name__ == "__main__":
    main()
