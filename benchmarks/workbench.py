#!/usr/bin/env python3
"""The workbench on a large table: first findings beside `check`, changes of roles, memory.

Usage: python3 benchmarks/workbench.py --binary target/release/incrowd [--rows 1000000] [--turns 3] [--table FILE]

Makes a table, then in turns runs `incrowd check` on it and opens it in a new server of the workbench until the first findings
are answered. Then roles of columns are changed one after the other, and the time is taken until the new findings are answered.
Prints the ratio, the times of the changes and the largest memory of the server, and writes workbench.md beside this file
unless --table is given.
"""
import argparse
import datetime
import http.client
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# Each change is another set of quasi-identifiers.
CHANGES = [
    ("sex", "insensitive"), ("age", "insensitive"), ("race", "sensitive"), ("education", "insensitive"),
    ("sex", "quasi-identifier"), ("postcode", "insensitive"), ("age", "quasi-identifier"), ("workclass", "insensitive"),
    ("postcode", "quasi-identifier"), ("education", "quasi-identifier"),
]


class Workbench:
    """A server, and the session of one browser."""

    def __init__(self, binary, table):
        command = [binary, "open", "--no-browser", "--folder", table.parent]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port, token = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\w+)", self.process.stdout.readline()).groups()
        self.cookie = ""
        answer = self.ask("GET", f"/?token={token}", raw=True)
        self.cookie = answer.getheader("Set-Cookie").split(";")[0]

    def ask(self, method, path, body=None, etag=None, raw=False):
        connection = http.client.HTTPConnection("127.0.0.1", int(self.port))
        headers = {"Cookie": self.cookie, "Origin": f"http://127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-origin"}
        headers["Content-Type"] = "application/json"
        headers |= {"If-Match": etag} if etag else {}
        connection.request(method, path, None if method == "GET" else json.dumps(body or {}), headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status < 400, (path, answer.status, text)
        return answer if raw else json.loads(text or "null")

    def findings(self):
        """The findings, as soon as they are ready."""
        while not (found := self.ask("GET", "/api/risk"))["ready"]:
            time.sleep(0.005)
        return found

    def opened(self, name):
        """Opens a table; the time until its first findings."""
        began = time.monotonic()
        job = self.ask("POST", "/api/open", {"path": name})["job"]
        while (state := self.ask("GET", f"/api/jobs/{job}"))["state"] == "running":
            time.sleep(0.01)
        assert state["state"] == "done", state
        self.findings()
        return time.monotonic() - began

    def changed(self, column, role):
        """Changes a role; the time until the findings for it."""
        began = time.monotonic()
        now = self.ask("GET", "/api/plan")
        for entry in now["plan"]["column"]:
            if entry["name"] == column:
                entry["role"] = role
                entry["hierarchy"] = None if role != "quasi-identifier" else {"build": "flat"}
        self.ask("PUT", "/api/plan", {"plan": now["plan"]}, now["etag"])
        self.findings()
        return time.monotonic() - began

    def memory(self):
        """The largest resident memory so far, in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def end(self):
        self.process.terminate()
        self.process.wait()


def seconds_of(command):
    began = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="target/release/incrowd")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--table", help="a table of your own with the columns of the sample")
    given = parser.parse_args()
    binary = str(pathlib.Path(given.binary).resolve())
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(given.table or f"{folder}/people.csv").resolve()
        if not given.table:
            sample = [binary, "sample", "--rows", str(given.rows), "-o", table, "--quiet"]
            subprocess.run(sample, check=True, stdout=subprocess.DEVNULL)
        checks, opens, changes, memory = [], [], [], 0.0
        for turn in range(given.turns):
            checks.append(seconds_of([binary, "check", str(table)]))
            workbench = Workbench(binary, table)
            opens.append(workbench.opened(table.name))
            changes += [(turn, column, role, workbench.changed(column, role)) for column, role in CHANGES]
            memory = max(memory, workbench.memory())
            workbench.end()
    first = [taken for turn, *_, taken in changes if turn == 0]
    ratio = statistics.median(opens) / statistics.median(checks)
    lines = [
        f"| `check` | {statistics.median(checks):.2f} s (median of {given.turns}) |",
        f"| first findings in the workbench | {statistics.median(opens):.2f} s, **{ratio:.2f} times** `check` |",
        f"| a change of role until its findings | median {1000 * statistics.median(t for *_, t in changes):.0f} ms, "
        f"**longest {1000 * max(t for *_, t in changes):.0f} ms** of {len(changes)}; in the first turn "
        f"{', '.join(f'{1000 * t:.0f}' for t in first)} ms |",
        f"| largest memory of the server | **{memory:.0f} MiB** |",
    ]
    text = "\n".join(["| | |", "| --- | --- |", *lines])
    print(text)
    if not given.table:
        when = datetime.date.today().isoformat()
        command = f"python3 benchmarks/workbench.py --binary target/release/incrowd --rows {given.rows} --turns {given.turns}"
        conditions = f"Measured {when} on {platform.machine()} with {os.cpu_count()} shared cores by\n`{command}`."
        head = f"# The workbench on {given.rows:,} rows\n\n{conditions}\n\n"
        (HERE / "workbench.md").write_text(head + text + "\n")


if __name__ == "__main__":
    main()
