#!/usr/bin/env python3
"""Runs the command and asks the workbench thousands of times, and looks whether anything grows.

    soak.py INCROWD [--runs 10000] [--answers 10000] [--json FILE]

The runs: check, anonymize, verify and a query of one small table, in turns. The largest memory of a run is the kernel's figure
(ru_maxrss). The workbench is one server: a table is opened, roles are changed, and findings are asked for. Its memory,
descriptors and threads are read from /proc. Compared are the medians of the first tenth, after the first hundredth, and of the last
tenth. A fault is: more than a tenth of memory, one descriptor or one thread more, a file for temporary data that stays, or a
run that does not end as the first one of its kind did.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from workbench import CHANGES, Workbench  # noqa: E402

ROLES = ["--qi", "age,sex,education", "--sensitive", "diagnosis", "--others", "remove"]
KINDS = [
    ["check", "table.csv"],
    ["anonymize", "table.csv", *ROLES, "--k", "3", "--seed", "1", "--algorithm", "mondrian", "-o", "release", "--force"],
    ["verify", "release", "--against", "table.csv"],
    ["query", "release", "SELECT COUNT(*)"],
]
EXPECTED = {"table.csv", "release", "release.internal", "temp"}


def run(binary: str, words: list[str], folder: Path) -> tuple[int, int]:
    """The exit code and the largest memory in KiB."""
    child = os.posix_spawn(
        binary, [binary, *words], os.environ | {"TMPDIR": str(folder / "temp"), "NO_COLOR": "1", "PWD": str(folder)},
        file_actions=[(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in (0, 1, 2)])
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used.ru_maxrss


def left(folder: Path) -> list[str]:
    """Files that no run may leave."""
    temporary = [str(path.relative_to(folder)) for path in (folder / "temp").rglob("*") if path.is_file() and path.name != ".starting"]
    return temporary + sorted({path.name for path in folder.iterdir()} - EXPECTED)


def grown(series: list[float]) -> tuple[float, float]:
    """The medians of the first tenth, after the first hundredth, and of the last tenth."""
    tenth = max(1, len(series) // 10)
    begin = len(series) // 100
    return statistics.median(series[begin:begin + tenth]), statistics.median(series[-tenth:])


def of_command(binary: str, runs: int) -> dict:
    faults, memory, codes = [], [[] for _ in KINDS], {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "temp").mkdir()
        # A child has the folder of its parent.
        os.chdir(folder)
        run(binary, ["sample", "--rows", "300", "-o", "table.csv"], folder)
        for at in range(runs):
            kind = at % len(KINDS)
            code, used = run(binary, KINDS[kind], folder)
            memory[kind].append(used)
            if code != codes.setdefault(kind, code):
                faults.append(f"run {at}: {KINDS[kind][0]} ended with {code} instead of {codes[kind]}")
            if at % 100 == 99 and (stay := left(folder)):
                faults.append(f"run {at}: left {stay}")
                break
        os.chdir(ROOT)
    result = {}
    for words, series in zip(KINDS, memory):
        first, last = grown(series)
        result[words[0]] = {"runs": len(series), "KiB at first": round(first), "KiB at last": round(last)}
        if last > first * 1.1:
            faults.append(f"{words[0]}: {first:.0f} KiB became {last:.0f}")
    return {"runs": sum(map(len, memory)), "kinds": result, "faults": faults}


def of_workbench(binary: str, answers: int) -> dict:
    faults, series = [], {"KiB": [], "descriptors": [], "threads": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "temp").mkdir()
        os.chdir(folder)
        run(binary, ["sample", "--rows", "300", "-o", "table.csv"], folder)
        os.environ["TMPDIR"] = str(folder / "temp")
        bench = Workbench(binary, folder / "table.csv")
        process, asked = Path(f"/proc/{bench.process.pid}"), 0
        plain = bench.ask

        def counted(*words, **more):
            nonlocal asked
            asked += 1
            return plain(*words, **more)

        bench.ask = counted
        while asked < answers:
            bench.opened("table.csv")
            for column, role in CHANGES:
                bench.changed(column, role)
            status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
            series["KiB"].append(int(status["VmRSS"].split()[0]))
            series["threads"].append(int(status["Threads"]))
            series["descriptors"].append(len(os.listdir(process / "fd")))
        bench.end()
        os.chdir(ROOT)
        if stay := left(folder):
            faults.append(f"left {stay}")
    result = {}
    for what, values in series.items():
        first, last = grown(values)
        result[what] = {"at first": first, "at last": last}
        if last > first * 1.1 if what == "KiB" else last > first:
            faults.append(f"{first} {what} became {last}")
    return {"answers": asked, "turns": len(series["KiB"]), "figures": result, "faults": faults}


def main() -> int:
    asked = argparse.ArgumentParser()
    asked.add_argument("incrowd")
    asked.add_argument("--runs", type=int, default=10_000)
    asked.add_argument("--answers", type=int, default=10_000)
    asked.add_argument("--json")
    given = asked.parse_args()
    binary = str(Path(given.incrowd).resolve())
    result = {"command": of_command(binary, given.runs), "workbench": of_workbench(binary, given.answers)}
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1) + "\n")
    faults = result["command"]["faults"] + result["workbench"]["faults"]
    print(json.dumps(result, indent=1))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
