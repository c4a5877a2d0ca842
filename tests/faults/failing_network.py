#!/usr/bin/env python3
"""Every n-th call to a server fails, while a release goes into PostgreSQL or into an object store, or is made by a cluster.

    failing_network.py INCROWD [SCENARIO …] [--every N] [--json FILE]

The servers are real ones on loopback. A cluster (INCROWD with the feature `cluster`, only when its scenarios are asked for) has two
executors, solves in shards, and the calls that fail are those of the client. A socket that cannot be made, a connection that is refused, and a connection that breaks
while something is sent or received: once, or from then on (the network is gone). Afterwards

- a run that reports success has made a release that `verify` accepts, with its record;
- after a run that reports a failure, nothing has changed, or (in a store) there is no release any more, or the message says that the
  new one may be there: then the release that is there, new or old, is whole and its record is kept;
- the next run with --force succeeds and leaves nothing besides the release.

Trials run side by side, each with a schema or a folder of its own: what takes time is waiting for a network that is gone.
"""

import argparse
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from busy_store import BUCKET, SECRET, Store

ERRORS = {"socket": ["EMFILE"], "connect": ["ECONNREFUSED", "ETIMEDOUT"], "send": ["ECONNRESET"], "recv": ["ECONNRESET"]}
# Each of some dozen requests is repeated for up to a minute when the network is gone.
SECONDS = 600
ROLES = ["--qi", "age,sex,education", "--sensitive", "diagnosis", "--others", "remove", "--algorithm", "mondrian", "--no-bound", "--seed", "1"]
ROOT = Path(__file__).resolve().parents[2]


class Postgres:
    """A schema of a database of its own: the table is read from there, and the release goes there."""

    server = None

    def __init__(self, folder, number, _):
        if Postgres.server is None:
            Postgres.server = subprocess.run([ROOT / ".ci/postgres", "start"], capture_output=True, text=True, check=True).stdout.split()
        self.schema, self.folder = f"trial_{number}", folder
        port = re.search(r":(\d+)/", Postgres.server[1]).group(1)
        self.environment = {"PGHOST": "127.0.0.1", "PGUSER": "postgres", "PGPORT": port, "PGDATABASE": "postgres"}
        self.source, self.target = f"postgres:{self.schema}.people", f"postgres:{self.schema}.released"
        header = (folder / "table.csv").read_text().splitlines()[0].split(",")
        columns = ", ".join(f'"{name}" text' for name in header)
        table = f"{self.schema}.people"
        self.ask(f"CREATE SCHEMA {self.schema}; CREATE TABLE {table} ({columns})")
        self.ask(f"\\copy {table} FROM '{folder / 'table.csv'}' CSV HEADER")

    def ask(self, statements):
        words = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statements]
        return subprocess.run(words, env=os.environ | self.environment, capture_output=True, text=True, check=True).stdout

    def clear(self):
        self.ask(f"DROP TABLE IF EXISTS {self.schema}.released, {self.schema}.released_manifest")

    def tables(self):
        return set(self.ask(f"SELECT tablename FROM pg_tables WHERE schemaname = '{self.schema}'").split()) - {"people"}

    def state(self):
        """Everything that readers see."""
        return {table: self.ask(f"SELECT t::text FROM {self.schema}.{table} t") for table in self.tables()}

    def manifest(self):
        return self.ask(f"SELECT manifest FROM {self.schema}.released_manifest") if "released_manifest" in self.tables() else None

    def left(self):
        return self.tables() - {"released", "released_manifest"}

    @staticmethod
    def stop():
        if Postgres.server:
            subprocess.run([ROOT / ".ci/postgres", "stop", Postgres.server[0]], check=True)


class Objects:
    """A folder of an object store."""

    store = None

    def __init__(self, folder, number, _):
        if Objects.store is None:
            Objects.store = Store(Path(tempfile.mkdtemp(prefix="store-")))
        self.store, self.prefix = Objects.store, f"trial-{number}/"
        self.environment = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1",
                            "AWS_ENDPOINT_URL": self.store.url}
        self.source, self.target = f"s3://{BUCKET}/{self.prefix}people.csv", f"s3://{BUCKET}/{self.prefix}released"
        self.store.put(f"{self.prefix}people.csv", folder / "table.csv")

    def names(self):
        return self.store.objects(f"{self.prefix}released/")

    def clear(self):
        shutil.rmtree(self.store.folder / BUCKET / f"{self.prefix}released", ignore_errors=True)

    def state(self):
        return {name: self.store.read(name) for name in self.names()}

    def manifest(self):
        name = f"{self.prefix}released/manifest.json"
        return self.store.read(name).decode() if name in self.names() else None

    def left(self):
        """What the manifest does not list."""
        manifest = json.loads(self.manifest())
        listed = {"manifest.json", manifest["report"]["name"], *(file["name"] for file in manifest["files"])}
        return {name.removeprefix(f"{self.prefix}released/") for name in self.names()} - listed

    @staticmethod
    def stop():
        if Objects.store:
            Objects.store.stop()
            shutil.rmtree(Objects.store.folder, ignore_errors=True)


class Cluster:
    """A table and a release in files; the work between them is done by a cluster."""

    up = None

    def __init__(self, folder, _, binary):
        if Cluster.up is None:
            Cluster.work = tempfile.mkdtemp(prefix="cluster-")
            words = [binary, "cluster", "up", "--executors", "2", "--cores", "2", "--work-dir", Cluster.work]
            Cluster.up = subprocess.Popen(words, env=os.environ | CLUSTER, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            Cluster.url = Cluster.up.stdout.readline().strip()
        self.environment, self.folder = CLUSTER, folder
        self.source, self.target = "table.csv", "released"

    def words(self):
        return ["--cluster", Cluster.url, "--at-once", "60"]

    def clear(self):
        shutil.rmtree(self.folder / "released", ignore_errors=True)

    def state(self):
        return {path.name: path.read_bytes() for path in (self.folder / "released").glob("*")}

    def manifest(self):
        path = self.folder / "released/manifest.json"
        return path.read_text() if path.exists() else None

    def left(self):
        """Files of the next run are hidden, and beside the release."""
        return {path.name for path in (self.folder / "released").glob(".*")}

    @staticmethod
    def stop():
        if Cluster.up:
            Cluster.up.send_signal(signal.SIGINT)
            Cluster.up.wait(timeout=60)
            shutil.rmtree(Cluster.work, ignore_errors=True)


SCENARIOS = {"postgres": (Postgres, False), "postgres-force": (Postgres, True), "s3": (Objects, False), "s3-force": (Objects, True),
             "cluster": (Cluster, False), "cluster-force": (Cluster, True)}
# Small tasks; a cluster that does not answer is given up after these seconds.
CLUSTER = {"INCROWD_CLUSTER_TASK_ROWS": "40", "INCROWD_CLUSTER_TIMEOUT": "7", "INCROWD_CLUSTER_PATIENCE": "20"}


class Trial:
    def __init__(self, binary, shim, scenario, number):
        self.binary, self.shim = binary, shim
        self.folder = Path(tempfile.mkdtemp(prefix="network-"))
        subprocess.run([binary, "sample", "--rows", "200", "-o", "table.csv", "-q"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        place, self.replaces = SCENARIOS[scenario]
        self.place = place(self.folder, f"{scenario.replace('-', '_')}_{number}", binary)
        self.words = ["anonymize", self.place.source, *ROLES, "--k", "6", "-o", self.place.target, *["--force"] * self.replaces]
        self.words += self.place.words() if isinstance(self.place, Cluster) else []

    def run(self, words, **failing):
        environment = os.environ | self.place.environment | {"NO_COLOR": "1"}
        if failing:
            environment |= {"LD_PRELOAD": str(self.shim), "FAIL_LOG": str(self.folder / "calls")}
            environment |= {name: str(value) for name, value in failing.items()}
        try:
            return subprocess.run([self.binary, *words], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None

    def prepare(self):
        self.place.clear()
        for folder in self.records():
            shutil.rmtree(folder)
        (self.folder / "calls").unlink(missing_ok=True)
        if self.replaces:
            old = ["4" if word == "6" else word for word in self.words]
            assert self.run(old).returncode == 0, old

    def records(self):
        """The folders of the records that are kept: of the last release, and of one that it may not have replaced."""
        return sorted(self.folder.glob("released.internal*"))

    def record(self):
        """All files of the records."""
        files = (path for folder in self.records() for path in folder.rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}

    def has_its_record(self):
        release = json.loads(self.place.manifest())["release"]
        return any(json.loads((folder / "record.json").read_text())["release"] == release for folder in self.records())

    def count(self, call):
        self.prepare()
        done = self.run(self.words, FAIL_CALL=call)
        assert done and done.returncode == 0, done and done.stderr
        return max(map(int, (self.folder / "calls").read_text().split()))

    def fault(self, call, error, at, sticky):
        """What is wrong after the n-th call failed, nothing if all is well; how the run ended, and what it said."""
        self.prepare()
        before, record, manifest = self.place.state(), self.record(), self.place.manifest()
        failing = {"FAIL_CALL": call, "FAIL_AT": at, "FAIL_ERRNO": getattr(errno, error)} | ({"FAIL_STICKY": 1} if sticky else {})
        done = self.run(self.words, **failing)
        if done is None:
            return f"did not end within {SECONDS} s", "no end", ""
        said = done.stdout + done.stderr
        return self.wrong(done.returncode, said, before, record, manifest) or self.swept(), "success" if done.returncode == 0 else "refused", said

    def wrong(self, code, said, before, record, manifest):
        if "panicked" in said or code not in (0, 1, 2, 3) or SECRET in said:
            return f"exit {code}: {said[-400:]}"
        if code and not re.search(r"error\[IC\d+\]", said):
            return f"failed without a code: {said[-300:]}"
        is_as_before, is_unknown = self.place.state() == before, "error[IC620]" in said
        if code and is_as_before and not is_unknown:
            return None if self.record() == record else f"nothing was published, and the record changed: {said[-300:]}"
        if code and self.place.manifest() is None:
            # In a store the old manifest goes first. In a database nothing is lost.
            is_fine = isinstance(self.place, Objects) or is_as_before
            return None if is_fine else f"the old release is lost: {said[-300:]}"
        verdict = self.run(["verify", self.place.target])
        if verdict is None or verdict.returncode:
            return f"a release that is not whole: {said[-300:]} {verdict and verdict.stderr[-300:]}"
        if not self.has_its_record():
            return f"a release without its record: {said[-300:]}"
        is_old = code and manifest is not None and self.place.manifest() == manifest
        return None if code == 0 or is_unknown or is_old else f"the release is there, and the message does not say so: {said[-300:]}"

    def swept(self):
        done = self.run(self.words if self.replaces else [*self.words, "--force"])
        if done is None or done.returncode:
            return f"the next run failed: {done and done.stderr[-300:]}"
        files = {"table.csv", "calls", *(["released"] if isinstance(self.place, Cluster) else [])}
        here = {path.name for path in self.folder.iterdir()} - files - {path.name for path in self.records()}
        left = here | self.place.left()
        return f"left behind: {sorted(left)}" if left else None


def main():
    words = argparse.ArgumentParser()
    words.add_argument("incrowd")
    words.add_argument("scenarios", nargs="*")
    words.add_argument("--every", type=int, default=1)
    words.add_argument("--calls", default=",".join(ERRORS))
    words.add_argument("--json")
    words.add_argument("--at-once", type=int, default=6)
    words.add_argument("--messages", action="store_true", help="print every message once")
    given = words.parse_args()
    binary, results, messages = str(Path(given.incrowd).resolve()), [], {}
    with tempfile.TemporaryDirectory() as folder:
        shim = Path(folder) / "failing_calls.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, Path(__file__).with_name("failing_calls.c"), "-ldl"], check=True)
        try:
            for scenario in given.scenarios or [name for name, (place, _) in SCENARIOS.items() if place is not Cluster]:
                trials = [Trial(binary, shim, scenario, number) for number in range(given.at_once)]
                for call in given.calls.split(","):
                    results += one_kind(scenario, trials, call, given.every, messages)
                for trial in trials:
                    shutil.rmtree(trial.folder)
        finally:
            Postgres.stop()
            Objects.stop()
            Cluster.stop()
    for message, place in sorted(messages.items()) if given.messages else []:
        print(f"{place}\n    {message}")
    if given.json:
        Path(given.json).write_text(json.dumps(results, indent=1))
    faults = sum(len(one["faults"]) for one in results)
    print(f"{sum(one['runs'] for one in results)} runs with a failing call, {faults} faults")
    return 1 if faults else 0


def one_kind(scenario, trials, call, every, messages):
    total, results, free = trials[0].count(call), [], Queue()
    for trial in trials:
        free.put(trial)
    for error in ERRORS[call]:
        cases = [(at, sticky) for sticky in (False, True) for at in range(1, total + 1, every)]

        def one(case):
            trial = free.get()
            try:
                return case, trial.fault(call, error, *case)
            finally:
                free.put(trial)

        faults, refused = [], 0
        with ThreadPoolExecutor(len(trials)) as pool:
            for (at, sticky), (fault, ended, said) in pool.map(one, cases):
                where = f"{scenario}: {call} {at} of {total}, {error}{', and all later ones' if sticky else ''}"
                refused += ended != "success"
                for line in said.splitlines():
                    if line.startswith("error["):
                        messages.setdefault(re.sub(r"(trial[_-]\w+)_\d+", r"\1", line), where)
                if fault:
                    faults.append(f"{where}: {fault}")
                    print(f"FAULT {faults[-1]}", file=sys.stderr, flush=True)
        print(f"{scenario:14} {call:8} {error:12} {len(cases):5} runs, {refused:5} refused, {len(faults)} faults", flush=True)
        results.append({"scenario": scenario, "call": call, "error": error, "runs": len(cases), "faults": faults})
    return results


if __name__ == "__main__":
    sys.exit(main())
