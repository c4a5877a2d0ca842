#!/usr/bin/env python3
"""A release on a cluster of this machine: beside bare Ballista, and row for row beside the local one.

Usage: python3 benchmarks/scale/cluster.py [--rows 10000000] [--files 64] [--executors 2] [--cores 4] [--runs 3] [--folder DIR]
       [--at-once 50000] [--profile release] [--no-build]

A scheduler and executors run as processes of their own on loopback (`incrowd cluster up`). `incrowd anonymize --cluster` is
measured beside the example `bare` of incrowd-cluster, which runs the same plans (scan + group, join + sort + write) in the
same session and decides nothing. Bar: at most 1.5 times. The release is compared, row for row after sorting, with the one
of a local run with the same seed. Bar: equal. What the scheduler says of the jobs of the last run shows how many tasks each stage
had, and how long the longest took beside the median. Bars: 32 tasks, 4 times. A second release is solved in shards (`--at-once`), on the
cluster and locally, and compared in the same way. Bytes in work directories, and in the private folder next to the release, are sampled while
each runs, and the bytes over loopback are those of the interface, which counts other work on it too.

Writes cluster.md beside this file.
"""
import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import statistics
import threading
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Behind the library: a module of ours has the name of one of its.
sys.path += [str(HERE.parent), str(HERE.parent / "papers")]
import plots  # noqa: E402
from run import EIGHT, measure  # noqa: E402

KEPT = "diagnosis,salary-class"
FEATURES = ["-p", "incrowd-cli", "-p", "incrowd-cluster", "--features", "incrowd-cli/cluster"]


class Sampler(threading.Thread):
    """The most bytes in work directories and in hidden folders next to the release, looked at a few times a second, and the bytes
    over loopback meanwhile."""

    def __init__(self, work, folder):
        super().__init__(daemon=True)
        self.work, self.folder, self.most, self.going, self.before = work, folder, [0, 0], True, loopback()

    def run(self):
        while self.going:
            seen = [bytes_below(self.work), sum(bytes_below(hidden) for hidden in self.folder.glob(".*"))]
            self.most = [max(pair) for pair in zip(self.most, seen)]
            time.sleep(0.2)

    def end(self):
        self.going = False
        self.join()
        return {"disk": self.most[0] / 2**20, "shared": self.most[1] / 2**20, "wire": (loopback() - self.before) / 2**20}


def bytes_below(folder):
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.path.getsize(os.path.join(path, name))
            except OSError:
                pass  # Executors remove files while we look.
    return total


def loopback():
    lines = Path("/proc/net/dev").read_text().splitlines()
    return next(int(line.split(":")[1].split()[0]) for line in lines if line.strip().startswith("lo:"))


def sorted_rows(incrowd_release):
    """A digest of a release's rows, sorted: equal when the rows are equal, row for row."""
    import duckdb

    con = duckdb.connect()
    file = f"{incrowd_release}/data*.parquet"
    columns = [row[0] for row in con.execute(f"DESCRIBE SELECT * FROM '{file}'").fetchall()]
    cells = ", ".join(f"coalesce(\"{name}\"::VARCHAR, chr(1))" for name in columns)
    digest, rows = hashlib.sha256(), 0
    result = con.execute(f"SELECT concat_ws(chr(0), {cells}) AS row FROM '{file}' ORDER BY row")
    while batch := result.fetchmany(100_000):
        rows += len(batch)
        digest.update("\n".join(row[0] for row in batch).encode())
        digest.update(b"\n")
    return rows, digest.hexdigest()


# Made-up people are drawn file by file: with its own number as seed, this file has a person of file 8 once more, and the table is refused.
OTHER_SEEDS = {(100_000_000, 62): 1062}


def table_of(incrowd, folder, rows, files):
    """A census-like table in many files, made once."""
    table = folder / f"census-{rows}-{files}"
    table.mkdir(exist_ok=True)
    for file in range(files):
        path = table / f"{file:03}.parquet"
        if not path.exists():
            seed = OTHER_SEEDS.get((rows, file), file)
            measure([incrowd, "sample", "--rows", str((rows + file) // files), "--seed", str(seed), "-o", str(path), "-q"])
    return table


def release(incrowd, table, out, *more):
    """Makes a release, in the place of the last one."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.rmtree(f"{out}.internal", ignore_errors=True)
    algorithm = [] if "--algorithm" in more else ["--algorithm", "mondrian"]
    return measure([incrowd, "anonymize", str(table), "-o", str(out), "--qi", EIGHT, "--insensitive", KEPT, "--keep-identifying", KEPT, "--others", "remove",
                    "--k", "10", *algorithm, "--seed", "1", "--no-bound", "--output-format", "parquet", "--format", "json", "-q", *more])


class Cluster:
    def __init__(self, incrowd, executors, cores, folder):
        self.work = folder / "work"
        command = [incrowd, "cluster", "up", "--executors", str(executors), "--cores", str(cores), "--work-dir", str(self.work)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        self.processes = [int(self.process.stdout.readline().split()[-1]) for _ in range(executors + 1)]

    def asked(self, path):
        with urllib.request.urlopen(self.url.replace("df://", "http://") + path) as answer:
            return json.load(answer)

    def jobs(self, since):
        """The stages of the jobs that began after a time: name of the job, seconds of each task."""
        jobs = [job for job in self.asked("/api/jobs") if job["start_time"] >= since * 1000]
        for job in sorted(jobs, key=lambda job: job["start_time"]):
            for stage in self.asked(f"/api/job/{job['job_id']}/stages")["stages"]:
                yield job["job_name"], [task["exec_duration"] / 1000 for task in stage["tasks"] if task]

    def cpu(self, processes=None):
        """CPU seconds of all its processes until now, or of some of them; the first is the scheduler."""
        ticks = 0
        for process in processes or self.processes:
            fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def peak(self):
        """The most memory an executor had, in MiB, as the kernel counted it."""
        told = [Path(f"/proc/{process}/status").read_text() for process in self.processes[1:]]
        return max(int(text.split("VmHWM:")[1].split()[0]) / 1024 for text in told)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--files", type=int, default=64)
    parser.add_argument("--executors", type=int, default=2)
    parser.add_argument("--cores", type=int, default=4, help="of each executor")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--algorithm", default="mondrian")
    parser.add_argument("--at-once", type=int, default=50_000, help="the tuples of a shard of the second release")
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "incrowd-cluster-bench"))
    parser.add_argument("--profile", default="release", choices=["release", "debug"])
    parser.add_argument("--no-build", action="store_true")
    arguments = parser.parse_args()
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / arguments.profile
    if not arguments.no_build:
        profile = ["--release"] if arguments.profile == "release" else []
        subprocess.run(["cargo", "build", "--locked", *profile, *FEATURES, "--bins", "--examples"], cwd=ROOT, check=True)
    incrowd, bare = str(target / "incrowd"), str(target / "examples" / "bare")
    table = table_of(incrowd, folder, arguments.rows, arguments.files)
    lines = []

    def say(line=""):
        print(line, flush=True)
        lines.append(line)

    def anonymize(name, *more):
        return release(incrowd, table, folder / name, "--algorithm", arguments.algorithm, *more)

    cluster = Cluster(incrowd, arguments.executors, arguments.cores, folder)
    try:
        measured = {"bare": [], "incrowd": []}
        for run in range(arguments.runs):
            for name in ("bare", "incrowd") if run % 2 == 0 else ("incrowd", "bare"):
                sampler, before = Sampler(cluster.work, folder), cluster.cpu()
                sampler.start()
                if name == "bare":
                    got = measure([bare, cluster.url, str(table), EIGHT, KEPT, str(folder)])
                    answer = json.loads(got["output"])
                    seconds = {"group": answer["group"], "write": answer["write"], "solve": 0.0}
                else:
                    since = time.time()
                    got = anonymize("remote", "--cluster", cluster.url)
                    stages = list(cluster.jobs(since))
                    answer = json.loads(got["output"])
                    assert answer["verified"]
                    seconds = {"solve": answer["solve_seconds"]}
                measured[name].append({**got, **seconds, **sampler.end(), "cluster_cpu": cluster.cpu() - before})
        peak = cluster.peak()
        local = anonymize("local")
        same = sorted_rows(folder / "local"), sorted_rows(folder / "remote")
        shards, sharded = ["--at-once", str(arguments.at_once)], {}
        sampler, before, since = Sampler(cluster.work, folder), cluster.cpu(), time.time()
        sampler.start()
        got = anonymize("remote", "--cluster", cluster.url, *shards)
        sharded = {**got, **sampler.end(), "cluster_cpu": cluster.cpu() - before, "peak": cluster.peak(), "stages": list(cluster.jobs(since))}
        sharded["local"] = anonymize("local", *shards)
        sharded["same"] = sorted_rows(folder / "local"), sorted_rows(folder / "remote")
    finally:
        cluster.end()
    left = [str(path) for path in cluster.work.rglob("*") if path.is_file() and path.stat().st_size > 0]

    def best(name, key):
        return min(run[key] for run in measured[name])

    say("# A release on a cluster\n")
    say("Written by `python3 benchmarks/scale/cluster.py`. " + plots.machine())
    say(f"\n{arguments.rows:,} census-like rows in {arguments.files} Parquet files, 8 quasi-identifiers, 2 kept columns, k = 10, {arguments.algorithm}, seed 1; "
        f"a scheduler and {arguments.executors} executors with {arguments.cores} slots each on loopback, {arguments.profile} build; the best of {arguments.runs} runs. "
        "CPU seconds are those of client and cluster together.\n")
    say("| | wall s | of these solving | CPU s | most MiB in work directories | most MiB next to the release | MiB over loopback |")
    say("| --- | --- | --- | --- | --- | --- | --- |")
    for name, title in (("bare", "bare Ballista: group, join, sort, write"), ("incrowd", "`incrowd anonymize --cluster`")):
        cpu = min(run["cpu"] + run["cluster_cpu"] for run in measured[name])
        say(f"| {title} | {best(name, 'wall'):.1f} | {best(name, 'solve'):.1f} | {cpu:.1f} | {best(name, 'disk'):.0f} | {best(name, 'shared'):.0f} | {best(name, 'wire'):.0f} |")
    say(f"| `incrowd anonymize`, local | {local['wall']:.1f} | {json.loads(local['output'])['solve_seconds']:.1f} | {local['cpu']:.1f} | – | – | – |")
    cpus = {name: min(run["cpu"] + run["cluster_cpu"] for run in measured[name]) for name in measured}
    without = min(run["wall"] - run["solve"] for run in measured["incrowd"])
    say(f"\nCPU seconds: **{cpus['incrowd'] / cpus['bare']:.2f}×** bare Ballista (bar: 1.5), which neither solves nor verifies, and "
        f"**{cpus['incrowd'] / local['cpu']:.2f}×** the local run (bar: 2). Wall time without the solver: {without / best('bare', 'wall'):.2f}× bare Ballista.")
    bare_bytes, our_bytes = (best(name, "wire") * 2**20 / arguments.rows for name in ("bare", "incrowd"))
    say(f"\nOver loopback went {our_bytes:.0f} bytes a row ({bare_bytes:.0f} of bare Ballista). An executor had at most {peak:,.0f} MiB.")
    equal = same[0] == same[1]
    say(f"\nThe release beside the local one with the same seed, row for row after sorting: **{'equal' if equal else 'NOT EQUAL'}** "
        f"({same[0][0]:,} rows). Files with content in work directories at the end: {len(left)}.")

    def say_stages(stages):
        say("\n| job | tasks | median s | longest s | longest / median |")
        say("| --- | ---: | ---: | ---: | ---: |")
        for name, seconds in stages:
            middle, longest = statistics.median(seconds), max(seconds)
            say(f"| {name} | {len(seconds)} | {middle:.2f} | {longest:.2f} | {longest / middle if middle else 1:.1f} |")

    say("\nThe stages of the last run, by the scheduler's own data:")
    say_stages(stages)
    answers = [json.loads(run["output"]) for run in (sharded, sharded["local"])]
    equal_shards = sharded["same"][0] == sharded["same"][1]
    say(f"\n## In shards\n\nThe same with `--at-once {arguments.at_once}`, one run: {answers[0]['shards']} shards on the cluster and {answers[1]['shards']} locally; "
        f"rows **{'equal' if equal_shards else 'NOT EQUAL'}** ({sharded['same'][0][0]:,}). {sharded['wall']:.1f} s of wall time and "
        f"{sharded['cpu'] + sharded['cluster_cpu']:.1f} CPU seconds, {(sharded['cpu'] + sharded['cluster_cpu']) / sharded['local']['cpu']:.2f}× those of the local run "
        f"({sharded['local']['wall']:.1f} s, {sharded['local']['cpu']:.1f} CPU seconds). At most {sharded['shared']:,.0f} MiB next to the release, "
        f"{sharded['wire'] * 2**20 / arguments.rows:.0f} bytes a row over loopback; an executor had at most {sharded['peak']:,.0f} MiB.")
    say_stages(sharded["stages"])
    equal = equal and equal_shards
    (HERE / "cluster.md").write_text("\n".join(lines) + "\n")
    sys.exit(0 if equal and not left else 1)


if __name__ == "__main__":
    main()
