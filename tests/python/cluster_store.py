#!/usr/bin/env python3
"""A cluster whose machines share no disk: tables and releases in an object store, moto's on loopback.

    cluster_store.py INCROWD       INCROWD is a build with the feature `cluster`; needs moto[server], as object_store.py does

Scheduler and executors run in a mount namespace in which the folder of the one who starts the run is empty: what they exchange has
to go through the store. The release has the rows of a local run with the same seed and key, as a whole and in shards. Nothing stays
in the store besides it, also after a store that is busy for a while and after a run that was killed. Without root the namespace is
left out, and the script says so.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from object_store import BUCKET, Server, with_moto  # noqa: E402

QI = "age,sex,education,marital-status,workclass"
FILES, ROWS = 4, 6000


class Cluster:
    """A scheduler and two executors that do not see a folder."""

    def __init__(self, incrowd, environment, hidden, folder):
        words = [incrowd, "cluster", "up", "--executors", "2", "--work-dir", str(folder)]
        self.is_apart = os.geteuid() == 0
        if self.is_apart:
            words = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(hidden), *words]
        else:
            print("SKIPPED: without root, executors see the disk of the one who starts the run")
        self.process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("df://"), self.address

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


class Trial:
    def __init__(self, incrowd, server, folder):
        self.incrowd, self.server, self.folder, self.s3 = incrowd, server, folder, server.client()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        self.environment |= {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "SECRET-CANARY", "AWS_REGION": "us-east-1",
                             "AWS_ENDPOINT_URL": server.url, "INCROWD_CLUSTER_TASK_ROWS": "1000",
                             "INCROWD_CLUSTER_FOLDER": f"s3://{BUCKET}/scratch"}

    def run(self, *words, codes=(0,)):
        done = subprocess.run([self.incrowd, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert "SECRET-CANARY" not in done.stdout + done.stderr, "a secret was printed"
        assert done.returncode in codes, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def anonymize(self, table, target, *more):
        return ["anonymize", table, "--qi", QI, "--sensitive", "salary-class", "--others", "remove", "--k", "5", "--algorithm", "mondrian",
                "--output-format", "csv", "--no-bound", "-q", "-o", target, *more]

    def objects(self, prefix):
        return [found["Key"] for found in self.s3.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])]

    def rows(self, name):
        """The rows of a release in the store, sorted, and its files."""
        files = sorted(key for key in self.objects(f"out/{name}/") if re.search(r"/data.*\.csv$", key))
        texts = [self.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read().decode().splitlines() for key in files]
        return sorted(line for text in texts for line in text[1:]), len(files)

    def compare(self, name, *more):
        release = f"s3://{BUCKET}/out/{name}"
        self.run(*self.anonymize(f"s3://{BUCKET}/in", release, "--cluster", self.cluster.address, "--seed", "7", *more))
        self.run("verify", release)
        (rows, files), left = self.rows(name), self.objects("scratch/")
        assert not left, left
        local = self.folder / f"local-{name}"
        self.run(*self.anonymize(str(self.folder / "in"), str(local), "--seed", "7", *more))
        expected = sorted((local / "data.csv").read_text().splitlines()[1:])
        assert rows == expected, f"{name}: {len(rows)} rows in the store, {len(expected)} in a local release, or others"
        return files

    def kill(self):
        """A run that is killed while its tasks work, and the next one for its name."""
        target, prefix = f"s3://{BUCKET}/out/killed", "scratch/"
        words = [self.incrowd, *self.anonymize(f"s3://{BUCKET}/in", target, "--cluster", self.cluster.address, "--seed", "7")]
        process = subprocess.Popen(words, cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not any("recode" in key for key in self.objects(prefix)):
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.server.settle()
        assert not self.objects("out/killed/"), "no release"
        left = len(self.objects(prefix))
        self.compare("killed")
        return left


def main():
    incrowd, server = str(Path(sys.argv[1]).resolve()), Server()
    with tempfile.TemporaryDirectory() as apart, tempfile.TemporaryDirectory() as work:
        folder = Path(apart)
        trial = Trial(incrowd, server, folder)
        trial.s3.create_bucket(Bucket=BUCKET)
        (folder / "in").mkdir()
        for number in range(FILES):
            part = folder / "in" / f"part-{number}.parquet"
            trial.run("sample", "--rows", str(ROWS), "--seed", str(number), "-o", str(part))
            trial.s3.upload_file(str(part), BUCKET, f"in/{part.name}")
        with Cluster(incrowd, trial.environment, apart, work) as trial.cluster:
            files = trial.compare("whole")
            print(f"ok: {FILES * ROWS} rows in a store are recoded by executors that share no disk, into {files} files with the rows of a local run")
            repeated = f"s3://{BUCKET}/out/repeated"
            trial.run(*trial.anonymize(f"s3://{BUCKET}/in", repeated, "--cluster", trial.cluster.address, "--repeat", str(folder / "local-whole.internal")))
            trial.run("verify", repeated)
            print("ok: they repeat a local release byte for byte")
            found = json.loads(trial.run("check", f"s3://{BUCKET}/in", "--cluster", trial.cluster.address, "--format", "json", "-q", codes=(0, 1)).stdout)
            assert found["rows"] == FILES * ROWS, found["rows"]
            print("ok: check and diagnose count a table in a store")
            # Fewer than one request is repeated: the first ones come one after the other.
            server.busy = 8
            trial.compare("busy", "--at-once", "700")
            assert server.busy == 0
            print("ok: shards are solved there, too, and a store that answered 503 to 8 requests was waited for")
            left = trial.kill()
            print(f"ok: of a run that was killed {left} objects stayed, and the next run for its name removed them")


if __name__ == "__main__":
    with_moto()
    main()
