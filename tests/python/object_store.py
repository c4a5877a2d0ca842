#!/usr/bin/env python3
"""Tables and releases in an object store: a real S3-speaking server (moto's) on loopback.

    object_store.py INCROWD        needs moto[server]; without it the script makes a virtual environment that has it

A table is read from the store as it is read from here. A release is written there and verified. Then releases are killed at random
moments, 20 times; none that `verify` accepts may be incomplete, and half of them are Delta tables, whose log may not name a file that
is not there. The answer to each request that writes is lost, one by one, and the run goes on. At last the commands of
docs/object-stores.md are run.
"""

import hashlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

INTERRUPTIONS = 20
BUCKET = "tables"
DELTA_LOG = "_delta_log/00000000000000000000.json"


def with_moto():
    """Runs this script again in an environment that has moto, unless this one does."""
    try:
        import moto.server  # noqa: F401
    except ImportError:
        folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "incrowd" / "moto"
        python = folder / "bin" / "python3"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run([folder / "bin" / "pip", "install", "-q", "moto[server]"], check=True)
        os.execv(python, [python, *sys.argv])


class Server:
    """moto's server, which can kill a process at a request that writes."""

    def __init__(self):
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import WSGIRequestHandler, make_server

        class Silent(WSGIRequestHandler):
            def log(self, *_):
                pass

        app = DomainDispatcherApplication(create_backend_app)
        self.writes, self.victim, self.kill_at, self.before = 0, None, None, True
        # How many of the next requests are answered with 503, and which request that writes is carried out without an answer.
        self.busy, self.unanswered = 0, None
        self.running, self.last, self.lock = 0, 0.0, threading.Lock()

        def counted(environ, respond):
            with self.lock:
                self.running += 1
            try:
                return watched(environ, respond)
            finally:
                with self.lock:
                    self.running, self.last = self.running - 1, time.monotonic()

        def watched(environ, respond):
            with self.lock:
                is_busy, self.busy = self.busy > 0, max(self.busy - 1, 0)
            if is_busy:
                respond("503 Slow Down", [("Content-Length", "0")])
                return [b""]
            writes = environ["REQUEST_METHOD"] != "GET" and environ["REQUEST_METHOD"] != "HEAD"
            self.writes += writes
            due = writes and self.victim is not None and self.writes == self.kill_at
            if due and self.before:
                self.victim.send_signal(signal.SIGKILL)
            answer = app(environ, respond)
            if due and not self.before:
                self.victim.send_signal(signal.SIGKILL)
            if writes and self.writes == self.unanswered:
                environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            return answer

        self.server = make_server("127.0.0.1", 0, counted, threaded=True, request_handler=Silent)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def settle(self):
        """Waits for what a killed process had sent: a request of the dead may still be carried out."""
        while self.running or time.monotonic() - self.last < 0.2:
            time.sleep(0.02)

    def client(self):
        import boto3

        return boto3.client("s3", endpoint_url=self.url, region_name="us-east-1",
                            aws_access_key_id="testing", aws_secret_access_key="SECRET-CANARY")


def main():
    incrowd = str(Path(sys.argv[1]).resolve())
    seed = int(os.environ.get("INCROWD_SEED", random.randrange(1 << 30)))
    dice = random.Random(seed)
    server = Server()
    s3 = server.client()
    s3.create_bucket(Bucket=BUCKET)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment |= {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "SECRET-CANARY",
                    "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": server.url}

    with tempfile.TemporaryDirectory() as folder:
        def run(*words, codes=(0, 1)):
            done = subprocess.run([incrowd, *words], cwd=folder, env=environment, capture_output=True, text=True)
            assert "SECRET-CANARY" not in done.stdout + done.stderr, "a secret was printed"
            assert done.returncode in codes, f"{words}: {done.returncode}\n{done.stderr}"
            return done

        def told(table, *words):
            found = json.loads(run("check", table, "--format", "json", "-q", *words).stdout)
            return {name: value for name, value in found.items() if name not in ("source", "next", "seconds")}

        def put(name, key):
            s3.upload_file(str(Path(folder) / name), BUCKET, key)

        for name in ("census.csv", "census.parquet", "census.csv.gz", "more.csv"):
            run("sample", "--rows", "3000", "-o", name, "-q")
        for name in ("census.csv", "census.parquet", "census.csv.gz"):
            put(name, f"in/{name}")
            assert told(f"s3://{BUCKET}/in/{name}") == told(name), name
        print("ok: CSV, gzipped CSV and Parquet are read from the store as from here")

        for number in (1, 2):
            put("more.csv", f"parts/part-{number}.csv")
            (Path(folder) / "parts").mkdir(exist_ok=True)
            (Path(folder) / f"parts/part-{number}.csv").write_bytes((Path(folder) / "more.csv").read_bytes())
        s3.put_object(Bucket=BUCKET, Key="parts/_hidden.csv", Body=b"x\n")
        expected = told("parts")
        assert told(f"s3://{BUCKET}/parts") == told(f"s3://{BUCKET}/parts/part-*.csv") == expected
        for threads in ("1", "2"):
            # As many readers wait for the store as there are threads: one of them has to receive what they wait for.
            assert told(f"s3://{BUCKET}/parts", "--threads", threads) == expected
        print("ok: a folder and a pattern are the files that they are here")

        lies = Path(folder) / "lies.csv"
        lies.write_bytes(b"age,town\n1,Ulm\n2,W\xfcrzburg\n3,Bonn\n")
        put("lies.csv", "in/lies.csv")
        here = run("check", "lies.csv", codes=(2,)).stderr
        there = run("check", f"s3://{BUCKET}/in/lies.csv", codes=(2,)).stderr
        assert "line 3, column 2" in here and "line 3, column 2" in there, there
        missing = run("check", f"s3://{BUCKET}/nothing.csv", codes=(2,)).stderr
        assert "no table files found" in missing, missing
        print("ok: input that lies is refused with line and column, wherever it is")

        # Two versions: the first has both files, the second has one of them no longer. What is not in the log is not read.
        for part in ("kept", "removed", "foreign"):
            put("census.parquet", f"delta/{part}.parquet")
        add = lambda name: json.dumps({"add": {"path": f"{name}.parquet", "partitionValues": {}, "size": 1, "modificationTime": 0, "dataChange": True}})
        first = ['{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}',
                 '{"metaData":{"id":"1","format":{"provider":"parquet","options":{}},"schemaString":"{}","partitionColumns":[],"configuration":{}}}',
                 add("kept"), add("removed")]
        second = ['{"remove":{"path":"removed.parquet","dataChange":true}}']
        for version, lines in enumerate((first, second)):
            s3.put_object(Bucket=BUCKET, Key=f"delta/_delta_log/{version:020}.json", Body="\n".join(lines).encode())
        count = lambda named: json.loads(run("diagnose", named, "--qi", "age,sex", "--format", "json").stdout)["rows"]
        whole = count(str(Path(folder) / "census.parquet"))
        found = [count(f"s3://{BUCKET}/delta"), count(f"s3://{BUCKET}/delta/"), count(f"s3://{BUCKET}/delta@v0")]
        assert found == [whole, whole, 2 * whole], found
        assert "IC439" in run("check", f"s3://{BUCKET}/delta@v7", codes=(2,)).stderr
        print("ok: a Delta table in the store has the files of its log, in any version")

        qi = "age,workclass,education,marital-status,sex"
        words = ["anonymize", f"s3://{BUCKET}/in/census.csv", "--qi", qi, "--others", "remove", "--k", "5", "--algorithm",
                 "mondrian", "--no-bound", "-q"]
        release = f"s3://{BUCKET}/out/first"
        began, writes = time.monotonic(), server.writes
        run(*words, "-o", release, codes=(0,))
        whole, requests = time.monotonic() - began, server.writes - writes
        assert run("verify", release, codes=(0,)).stdout.startswith("verified"), "the release is verified in the store"
        assert (Path(folder) / "first.internal" / "record.json").is_file()
        again = run(*words, "-o", release, codes=(2,)).stderr
        assert "a release already exists there" in again, again
        run(*words, "-o", release, "--force", codes=(0,))
        run("verify", release, codes=(0,))
        data = next(o["Key"] for o in s3.list_objects_v2(Bucket=BUCKET, Prefix="out/first/")["Contents"] if "data" in o["Key"])
        body = s3.get_object(Bucket=BUCKET, Key=data)["Body"].read()
        s3.put_object(Bucket=BUCKET, Key=data, Body=body[:-2])
        run("verify", release, codes=(1,))
        s3.put_object(Bucket=BUCKET, Key=data, Body=body)
        s3.put_object(Bucket=BUCKET, Key="out/first/deep/extra.csv", Body=b"x")
        run("verify", release, codes=(1,))
        print(f"ok: a release is written in {requests} requests, verified, not written over, and refused when it was changed")

        s3.put_object(Bucket=BUCKET, Key="mine/data.csv", Body=b"age\n1\n")
        for force in ([], ["--force"]):
            refused = run(*words, "-o", f"s3://{BUCKET}/mine", *force, codes=(2,)).stderr
            assert "the folder contains something other than a release" in refused, refused
        run(*words, "-o", f"s3://{BUCKET}/out/noted", codes=(0,))
        s3.put_object(Bucket=BUCKET, Key="out/noted/notes.txt", Body=b"mine")
        refused = run(*words, "-o", f"s3://{BUCKET}/out/noted", "--force", codes=(2,)).stderr
        assert "IC615" in refused and "notes.txt is not in the manifest" in refused, refused
        for key in ("mine/data.csv", "out/noted/notes.txt", "out/noted/manifest.json"):
            s3.head_object(Bucket=BUCKET, Key=key)
        refused = run("anonymize", f"s3://{BUCKET}/out/noted/data.csv", "--others", "keep", "--qi", "age", "--k", "2",
                      "-o", f"s3://{BUCKET}/out/noted", "--force", codes=(2,)).stderr
        assert "IC616" in refused, refused
        print("ok: only objects that a manifest lists are deleted, and never the table that is read")

        s3.put_object(Bucket=BUCKET, Key="out/claimed/_incrowd_upload", Body=b"data.csv\nmanifest.json\n")
        s3.put_object(Bucket=BUCKET, Key="out/claimed/data.csv", Body=b"half")
        refused = run(*words, "-o", f"s3://{BUCKET}/out/claimed", codes=(2,)).stderr
        assert "another run is uploading to this folder, or was interrupted" in refused, refused
        run(*words, "-o", f"s3://{BUCKET}/out/claimed", "--force", codes=(0,))
        run("verify", f"s3://{BUCKET}/out/claimed", codes=(0,))
        racing = [subprocess.Popen([incrowd, *words, "-o", f"s3://{BUCKET}/out/raced", "--record", f"raced-{number}"],
                                   cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                  for number in (1, 2)]
        assert sorted(process.wait() for process in racing) == [0, 2], "of two runs to one name, one is refused"
        run("verify", f"s3://{BUCKET}/out/raced", codes=(0,))
        records = [name for name in os.listdir(folder) if name.startswith("raced-")]
        assert len(records) == 1, "and its record is taken back"
        print("ok: of two runs to one name one publishes, and an upload that was cut is replaced only with --force")

        def complete(prefix):
            """Whether the manifest is there and every file of it has its bytes, as this script sees it."""
            objects = {o["Key"][len(prefix):] for o in s3.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])}
            if "manifest.json" not in objects:
                return False
            manifest = json.loads(s3.get_object(Bucket=BUCKET, Key=prefix + "manifest.json")["Body"].read())
            listed = [*manifest["files"], manifest["report"]]
            if "delta" in manifest:
                listed.append({"name": DELTA_LOG, **manifest["delta"]})
            for file in listed:
                if file["name"] not in objects:
                    return False
                body = s3.get_object(Bucket=BUCKET, Key=prefix + file["name"])["Body"].read()
                if hashlib.sha256(body).hexdigest() != file["sha256"]:
                    return False
            # A run that was killed at the very end leaves its claim, which is no part of the release.
            return objects - {"_incrowd_upload"} == {"manifest.json", *(file["name"] for file in listed)}

        def log_names_what_is_there(prefix):
            """Whether a reader of Delta tables sees a whole table, or none."""
            objects = {o["Key"][len(prefix):]: o["Size"] for o in s3.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])}
            if DELTA_LOG not in objects:
                return True
            lines = s3.get_object(Bucket=BUCKET, Key=prefix + DELTA_LOG)["Body"].read().decode().splitlines()
            added = [json.loads(line)["add"] for line in lines if '"add"' in line]
            return all(objects.get(file["path"]) == file["size"] for file in added)

        run(*words, "--output-format", "delta", "-o", f"s3://{BUCKET}/out/delta", codes=(0,))
        run("verify", f"s3://{BUCKET}/out/delta", codes=(0,))
        assert complete("out/delta/") and log_names_what_is_there("out/delta/")
        outcomes = {"no release": 0, "whole": 0}
        for number in range(INTERRUPTIONS):
            # Half of them over a release that is there: what was must not be taken for what is half there.
            prefix = f"out/killed-{number}/" if number % 2 else "out/killed/"
            target = f"s3://{BUCKET}/{prefix[:-1]}"
            server.writes = 0
            by_request = number % 4 < 3
            server.kill_at, server.before = dice.randint(1, requests + 2) if by_request else None, dice.random() < 0.5
            format = ["--output-format", "delta"] if number % 4 < 2 else []
            process = subprocess.Popen([incrowd, *words, *format, "-o", target, "--force"], cwd=folder, env=environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            server.victim = process
            try:
                process.wait(None if by_request and server.kill_at <= requests else dice.uniform(0.3, 1.0) * whole)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
            server.victim = None
            server.settle()
            is_complete = complete(prefix)
            assert log_names_what_is_there(prefix), f"seed {seed}: the log of a Delta table names a file that is not there"
            verified = run("verify", target, codes=(0, 1, 2)).returncode == 0
            assert not verified or is_complete, f"seed {seed}: verify accepted a release that is not complete"
            assert verified or not is_complete, f"seed {seed}: verify refused a release that is complete"
            outcomes["whole" if verified else "no release"] += 1
        print(f"ok: killed {INTERRUPTIONS} times (seed {seed}): {outcomes['no release']} times no release, {outcomes['whole']} times a "
              "whole one, 0 times one that verify accepts and that is not complete")
        run(*words, "-o", f"s3://{BUCKET}/out/killed", "--force", codes=(0,))
        run("verify", f"s3://{BUCKET}/out/killed", codes=(0,))
        print("ok: the next run sweeps what killed ones left")

        run(*words, "-o", f"s3://{BUCKET}/out/unanswered", codes=(0,))
        for number in range(1, requests + 3):
            server.writes, server.unanswered = 0, number
            run(*words, "-o", f"s3://{BUCKET}/out/unanswered", "--force", codes=(0,))
            server.unanswered = None
            run("verify", f"s3://{BUCKET}/out/unanswered", codes=(0,))
        assert not (Path(folder) / "unanswered.internal.before").exists(), "both records were kept, as if nobody knew what is there"
        print(f"ok: the answer to each of {requests + 2} requests that write was lost, and each run published")

        s3.create_bucket(Bucket="bucket")
        for name, key in (("census.parquet", "visits/2025.parquet"), ("census.csv", "visits/2025.csv")):
            s3.upload_file(str(Path(folder) / name), "bucket", key)
        root = Path(__file__).resolve().parents[2]
        page = [root / "tests/python/docs_run.py", incrowd, root / "docs/object-stores.md", "--have", "s3"]
        subprocess.run([sys.executable, *page], env=environment, check=True)


if __name__ == "__main__":
    with_moto()
    main()
