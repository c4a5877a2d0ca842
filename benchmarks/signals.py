#!/usr/bin/env python3
"""Signals at random moments of every long command: how soon it ends, with which status, and what is left behind.

Usage: python3 benchmarks/signals.py [--binary target/debug/incrowd] [--moments 50] [--rows 20000]

Sends SIGINT, SIGTERM, SIGHUP and SIGPIPE to every command that reads or makes a table, each at so many random moments of its
run, and writes signals.md beside this file. A run is right when it ends with 128 plus the number of the signal, without an
answer and with no file or folder more than before, or when it was done before: then its answer and what it made are complete,
and an exit status of 0 or 1 says so. Ends with status 1 when a run is not right.
"""
import argparse
import datetime
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE]
ROLES = ["--qi", "age,sex,education,postcode", "--sensitive", "occupation", "--others", "remove", "--k", "5"]
MADE = ["made", "made.internal", "pages", "made.toml", "made.csv"]
COMMANDS = {
    "check": ["check", "people.csv"],
    "diagnose": ["diagnose", "people.csv", "--qi", "age,sex,education,postcode", "--k", "5"],
    "init": ["init", "people.csv", "-o", "made.toml"],
    "anonymize": ["anonymize", "people.csv", *ROLES, "--effort", "0.01", "-o", "made"],
    "anonymize, shards": ["anonymize", "people.csv", *ROLES, "--at-once", "2000", "--effort", "0.01", "-o", "made"],
    "anonymize, flat values": ["anonymize", "flat.csv", "--qi", "v", "--hierarchy", "v=flat", "--sensitive", "s", "--k", "5",
                               "--effort", "0.01", "-o", "made"],
    "verify": ["verify", "published", "--against", "people.csv"],
    "attack": ["attack", "published", "--against", "people.csv"],
    "compare": ["compare", "people.csv", "published", "--queries", "20"],
    "report": ["report", "published", "--against", "people.csv", "-o", "pages"],
    "query": ["query", "published", "SELECT COUNT(*) WHERE age >= 30"],
    "sample": ["sample", "--rows", "300000", "-o", "made.csv"],
}


def entries(folder):
    """All files and folders, but for the lock that all runs share."""
    found = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    return {name for name in found if not name.endswith(".starting") and not pathlib.Path(name).name.startswith("incrowd-")}


def heed_signals():
    """A shell ignores SIGINT for what it starts in the background, and nohup SIGHUP: a child would inherit that."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def start(binary, words, folder):
    return subprocess.Popen([binary, *words], cwd=folder / "desk", env=dict(os.environ, TMPDIR=str(folder / "temp")),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_signals)


def clean(folder):
    for name in MADE:
        path = folder / "desk" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def one(binary, words, folder, full, number):
    """Sends one signal; what was wrong, the seconds until the end, and whether the run was done before."""
    before = entries(folder)
    child = start(binary, words, folder)
    time.sleep(random.random() * full)
    child.send_signal(number)
    sent = time.monotonic()
    try:
        stdout, stderr = child.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return "hangs", 60.0, False
    seconds = time.monotonic() - sent
    code, after, said = child.returncode, entries(folder), stderr.decode()
    wrong = []
    done = code in (0, 1)
    if done:
        if any(".partial" in name or "run-" in name for name in after - before):
            wrong.append("left something behind")
        if (folder / "desk" / "made").exists() and subprocess.run(
                [binary, "verify", "made"], cwd=folder / "desk", capture_output=True).returncode != 0:
            wrong.append("the release is not complete")
    elif code == -number:
        # Before the handlers were installed the signal ends the process as it does every other.
        if after != before:
            wrong.append("left something behind")
    elif code != 128 + number:
        wrong.append(f"exit status {code}: {said.splitlines()[:1]}")
    else:
        if after != before:
            wrong.append(f"left {sorted(after - before)[:3]}")
        if stdout:
            wrong.append("printed an answer")
        if said.startswith("error[IC412]") == (number == signal.SIGPIPE):
            wrong.append(f"said {said.splitlines()[:1]}")
    clean(folder)
    return "; ".join(wrong), seconds, done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(HERE.parent / "target" / "debug" / "incrowd"))
    parser.add_argument("--moments", type=int, default=50, help="moments for each command and signal [default: 50]")
    parser.add_argument("--rows", type=int, default=20_000, help="rows of the table [default: 20000]")
    args = parser.parse_args()
    random.seed(1)
    rows, faults = [], []
    with tempfile.TemporaryDirectory() as root:
        folder = pathlib.Path(root)
        (folder / "desk").mkdir(), (folder / "temp").mkdir()
        prepare = [["sample", "--rows", str(args.rows), "-o", "people.csv"],
                   ["anonymize", "people.csv", *ROLES, "--algorithm", "top-down", "-o", "published"]]
        for words in prepare:
            subprocess.run([args.binary, *words], cwd=folder / "desk", check=True, capture_output=True)
        flat = "".join(f"v{at * 7919 % 1000003},{at % 3}\n" for at in range(5 * args.rows))
        (folder / "desk" / "flat.csv").write_text("v,s\n" + flat)
        for name, words in COMMANDS.items():
            started = time.monotonic()
            child = start(args.binary, words, folder)
            try:
                child.communicate(timeout=20)
                assert child.returncode in (0, 1), f"{name}: {child.returncode}"
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGTERM)
                child.communicate()
            full = time.monotonic() - started
            clean(folder)
            for number in SIGNALS:
                taken, done = [], 0
                for _ in range(args.moments):
                    wrong, seconds, was_done = one(args.binary, words, folder, full, number)
                    if wrong:
                        faults.append(f"{name}, {number.name}: {wrong}")
                    taken.append(seconds)
                    done += was_done
                taken.sort()
                rows.append((name, number.name, full, len(taken), done, taken[len(taken) // 2], taken[-1],
                             sum(fault.startswith(f"{name}, {number.name}:") for fault in faults)))
                print(*rows[-1], file=sys.stderr)
    slow = sum(row[6] > 1.0 for row in rows)
    lines = [
        "# Signals", "",
        f"Written by `python3 benchmarks/signals.py --moments {args.moments} --rows {args.rows}`. {datetime.date.today()}, 2 shared "
        f"cores, Linux x86_64, {'a debug' if 'debug' in args.binary else 'a release'} build.", "",
        f"Each command got each signal at {args.moments} random moments of its run. *full* is how long the command takes without a signal",
        "(at most 20 s are waited for), *done* the runs that had ended or published before the signal: their answer is complete.",
        "All other runs end with 128 plus the number of the signal, or by the signal itself in the first milliseconds, with no",
        "answer and no file or folder more than before. *median* and *longest* are the seconds from the signal to the end of the",
        "process, by the clock of the wall; the cores are shared with other work.", "",
        f"{sum(row[3] for row in rows)} signals, {len(faults)} runs that were not right, {slow} rows with a run of more than 1 s.", "",
        "| command | signal | full s | signals | done | median s | longest s | not right |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [f"| {name} | {number} | {full:.1f} | {count} | {done} | {median:.2f} | {longest:.2f} | {wrong} |"
              for name, number, full, count, done, median, longest, wrong in rows]
    if faults:
        lines += ["", "What was not right:", ""] + [f"- {fault}" for fault in faults[:20]]
    (HERE / "signals.md").write_text("\n".join(lines) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
