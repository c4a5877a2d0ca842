#!/usr/bin/env python3
"""Disturbs the object store, or fills the disk of an executor, while a cluster makes a release whose tasks exchange files in the store.

    python3 tests/faults/cluster_store_faults.py INCROWD [--trials 30] [--seconds 10] [--only KIND] [--json FILE]

INCROWD is a program with the feature `cluster`; the store is s3s-fs on loopback (see busy_store.py). A local release in shards is made
once; every trial repeats it (`--repeat`) on a cluster of two executors. When the run is in a stage, as the objects of its tasks show, the
store answers 503 to every request for some seconds, or the disk of one executor, a file system of its own, is filled to the last byte.
Afterwards: a release has the bytes of the local one and is accepted by `verify`; otherwise there is none, the program said why by a code,
and no object of the run is left. File systems need root; without it these trials are left out. FILE as for cluster_faults.py.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from busy_store import BUCKET, SECRET, Store
from cluster_faults import SETTINGS, STAGES, WORDS, campaign, refusal, struck

# Fewer and larger tasks and shards than on a disk: a run with the settings of cluster_faults.py makes eight thousand requests.
LARGER = {"INCROWD_CLUSTER_TASK_ROWS": "1500"}
LARGER_WORDS = ["2000" if word == "700" else word for word in WORDS]
# The file system of an executor that is filled, and how much of it is filled at a time, down to single bytes.
DISK, PIECES = "64m", (1 << 20, 1 << 12, 1)


class Trial:
    def __init__(self, incrowd, store, folder):
        self.incrowd, self.store, self.folder = incrowd, store, folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        self.environment |= {**SETTINGS, **LARGER, "AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1",
                             "AWS_ENDPOINT_URL": store.url, "INCROWD_CLUSTER_FOLDER": f"s3://{BUCKET}/scratch"}
        self.full = folder / "full"

    def run(self, *words):
        return subprocess.run([self.incrowd, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True)

    def prepare(self):
        (self.folder / "census").mkdir()
        for seed, rows in ((1, 5000), (2, 3000)):
            part = self.folder / "census" / f"{seed}.parquet"
            self.run("sample", "--rows", str(rows), "--seed", str(seed), "-o", str(part), "-q").check_returncode()
            self.store.put(f"census/{part.name}", part)
        self.run("anonymize", "census", *LARGER_WORDS, "--seed", "7", "-o", "local").check_returncode()

    def is_met(self, stage):
        return any(re.search(rf"/{re.escape(STAGES[stage])}$", key) for key in self.store.objects("scratch/"))

    def up(self):
        """A scheduler and two executors; temporary files of the second are on a file system of its own."""
        words = [self.incrowd, "cluster", "up", "--executors", "1", "--cores", "2", "--work-dir", str(self.folder / "work")]
        first = subprocess.Popen(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        url = first.stdout.readline().strip()
        words = [self.incrowd, "cluster", "executor", "--scheduler", url, "--cores", "2", "--work-dir", str(self.full / "work")]
        second = subprocess.Popen(words, env=self.environment | {"TMPDIR": str(self.full)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return url, [first, second]

    def strike(self, stage, strike):
        """The outcome of one run; nothing when the stage was not met."""
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        for name in ("remote", "remote.internal"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        self.full.mkdir()
        is_apart = os.geteuid() == 0
        if is_apart:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", str(self.full)], check=True)
        (self.full / "work").mkdir()
        url, processes = self.up()
        words = [self.incrowd, "anonymize", f"s3://{BUCKET}/census", *LARGER_WORDS, "--repeat", "local.internal", "-o", f"s3://{BUCKET}/remote", "--cluster", url]
        client = subprocess.Popen(words, cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            met, said = struck(client, lambda: self.is_met(stage), lambda: strike(self), 0.005)
        finally:
            client.kill()
            for process in processes:
                process.send_signal(signal.SIGINT)
            for process in processes:
                process.wait(timeout=30)
            if is_apart:
                subprocess.run(["umount", str(self.full)], check=True)
            shutil.rmtree(self.full, ignore_errors=True)
        self.store.settle()
        outcome = self.judged(client.returncode, said) if met else None
        self.store.keep_only("census")
        return outcome

    def judged(self, code, said):
        if SECRET in said:
            return "a secret was printed"
        left = self.store.objects("scratch/")
        if left:
            return f"left: {len(left)} objects"
        if code == 0:
            if self.run("verify", f"s3://{BUCKET}/remote", "-q").returncode != 0:
                return "not verified"
            return "equal" if self.store.read("remote/data.parquet") == (self.folder / "local/data.parquet").read_bytes() else "other bytes"
        if self.store.objects("remote/"):
            return "published although it failed"
        return refusal(said)


def busy(seconds):
    """Every request is answered with 503 for so long. The program waits for such a store longer than that."""
    def strike(trial):
        before, trial.store.is_busy = trial.store.refused, True
        time.sleep(seconds)
        trial.store.is_busy = False
        return trial.store.refused > before
    return strike


def fill(trial):
    """Not a byte is left on the file system of an executor."""
    with open(trial.full / "filler", "wb", buffering=0) as filler:
        for piece in PIECES:
            try:
                while True:
                    filler.write(bytes(piece))
            except OSError:
                continue


def kinds(seconds):
    for stage in ("count", "solve", "recode", "write"):
        yield f"the store answers 503 for {seconds:g} s: {stage}", stage, busy(seconds)
    if os.geteuid() != 0:
        print("SKIPPED: without root no file system can be filled")
        return
    for stage in ("lay out", "solve", "recode"):
        yield f"a full disk of an executor: {stage}", stage, fill


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("incrowd", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=10, help="how long the store answers 503")
    parser.add_argument("--only", help="kinds whose name contains this")
    parser.add_argument("--json", type=Path, help="keep the outcomes here, and try only what is missing in it")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="incrowd-store-faults-") as scratch:
        store = Store(Path(scratch) / "store")
        try:
            trial = Trial(arguments.incrowd, store, Path(scratch))
            trial.prepare()
            wrong = campaign(trial, kinds(arguments.seconds), arguments)
        finally:
            store.stop()
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
