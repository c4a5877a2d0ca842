#!/usr/bin/env python3
"""Builds the fuzzing program, starts corpora from real files, runs targets, and keeps what counts.

    fuzz/run.py build [PACKAGE …]         # incrowd-fuzz-verifier is built much faster than incrowd-fuzz
    fuzz/run.py seed INCROWD              # files that the program itself writes, and hand-written ones
    fuzz/run.py fuzz [TARGET …] --seconds 1800
    fuzz/run.py minimize [TARGET …]
    fuzz/run.py blind TEST [TARGET …] --seconds 60

`build` needs a C++ compiler and the stable toolchain: instrument.sh switches the instrumentation on by flags of the code
generator, and cargo-fuzz is not needed. `blind` is for targets that
are not built here: TEST is the built test `cli` of incrowd-cli, which changes files of the corpora at random. `fuzz` runs one target after the other and adds to results.json how long each took in CPU time, how
many runs it made, and what it found. `minimize` keeps those files in corpus/ that together reach most.

The files that are worked on are in $INCROWD_FUZZ_WORK (default: fuzz/work), built code in $CARGO_TARGET_DIR.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORK = Path(os.environ.get("INCROWD_FUZZ_WORK", HERE / "work"))
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", HERE / "target"))
RESULTS = HERE / "results.json"
# Longest input in bytes, hang in seconds, and memory in MiB.
LIMITS = ["-max_len=65536", "-timeout=10", "-rss_limit_mb=4096", "-detect_leaks=0"]
# The bytes that are committed, in all.
MOST_BYTES = 5_000_000
# A file of the committed corpora has at most this many bytes, and a target this many files.
LARGEST, MOST_FILES = 20_000, 150


def targets() -> list[str]:
    return re.findall(r'^    \("([a-z-]+)", ', (HERE / "targets/mod.rs").read_text(), re.MULTILINE)


def program(target: str) -> Path:
    """The smaller of the two programs that have the target."""
    light = f'"{target}"' in (HERE / "verifier/src/main.rs").read_text()
    return TARGET / "debug" / ("incrowd-fuzz-verifier" if light else "incrowd-fuzz")


def build(packages: list[str]):
    # Features are those of the whole workspace, also for one program.
    words = ["--workspace", *(word for package in packages for word in ("--bin", package))]
    # Dependencies that are built already stay as they are; the wrapper instruments our crates and the readers of files.
    environment = os.environ | {"RUSTC_WRAPPER": str(HERE / "instrument.sh"), "CARGO_INCREMENTAL": "0"}
    for name in ["RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS"]:
        environment.pop(name, None)
    subprocess.run(["cargo", "build", "--locked", *words], cwd=HERE, env=environment, check=True)


def keep(folder: Path, content: bytes, before: str = ""):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / (before + hashlib.sha1(content).hexdigest())).write_bytes(content)


def begin(target: str):
    """The folder that is worked in, with the committed files."""
    folder = WORK / target
    folder.mkdir(parents=True, exist_ok=True)
    for path in (HERE / "corpus" / target).glob("*"):
        shutil.copy(path, folder / path.name)
    return folder


def fuzz(names: list[str], seconds: int):
    for name in names:
        folder, found = begin(name), HERE / "artifacts" / name
        found.mkdir(parents=True, exist_ok=True)
        words = [program(name), folder, *LIMITS, f"-max_total_time={seconds}", f"-artifact_prefix={found}/", "-print_final_stats=1"]
        words += [f"-dict={HERE / 'words.dict'}"] if (HERE / "words.dict").exists() else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryFile() as log:
            done = subprocess.run(words, env=os.environ | {"INCROWD_FUZZ": name}, stdout=log, stderr=log)
            log.seek(0)
            said = log.read().decode(errors="replace")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        runs = re.search(r"stat::number_of_executed_units: (\d+)", said) or re.search(r"(?s:.*)#(\d+)\s", said)
        reached = re.findall(r"cov: (\d+)", said)
        known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        entry = known.setdefault(name, {"cpu_minutes": 0.0, "runs": 0, "edges": 0, "ended_by_a_fault": 0})
        entry["cpu_minutes"] = round(entry["cpu_minutes"] + spent / 60, 2)
        entry["runs"] += int(runs[1]) if runs else 0
        entry["edges"] = max([entry["edges"], *map(int, reached)])
        # On a busy machine ten seconds may pass without any work: a hang is one only if it takes so much CPU time.
        idle = [path for path in found.glob("timeout-*") if spent_by([program(name), path], env=os.environ | {"INCROWD_FUZZ": name}, timeout=600)[0] < 10]
        for path in idle:
            path.unlink()
        entry["ended_by_a_fault"] += done.returncode != 0 and not idle
        RESULTS.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
        print(f"{name}: {spent / 60:.1f} CPU minutes, {runs[1] if runs else '?'} runs, exit {done.returncode}", flush=True)
        if done.returncode != 0:
            print(said[-6000:], flush=True)


def spent_by(words, **more) -> tuple[float, subprocess.CompletedProcess]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def blind(test: Path, names: list[str], seconds: int):
    for name in names:
        known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        entry = known.setdefault(name, {"cpu_minutes": 0.0, "runs": 0, "edges": 0, "ended_by_a_fault": 0})
        found = HERE / "artifacts" / name
        found.mkdir(parents=True, exist_ok=True)
        chosen = {"INCROWD_FUZZ": name, "INCROWD_FUZZ_SECONDS": str(seconds), "INCROWD_FUZZ_FOUND": str(found)}
        # Another seed each time, so that other files are made.
        chosen["INCROWD_FUZZ_SEED"] = str(entry.get("blind_runs", 0) + 1)
        words = [test, "--ignored", "--exact", "cli::fuzz_corpus::no_changed_file_of_the_corpora_of_the_fuzzer_makes_a_fault", "--nocapture"]
        spent, done = spent_by(words, env=os.environ | chosen, cwd=HERE.parent / "crates/incrowd-cli")
        tried = re.search(rf"^{name} (\d+)$", done.stdout + done.stderr, re.MULTILINE)
        entry["blind_cpu_minutes"] = round(entry.get("blind_cpu_minutes", 0.0) + spent / 60, 2)
        entry["blind_runs"] = entry.get("blind_runs", 0) + (int(tried[1]) if tried else 0)
        entry["ended_by_a_fault"] += done.returncode != 0
        RESULTS.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
        print(f"{name}, blind: {spent / 60:.1f} CPU minutes, {tried[1] if tried else '?'} runs, exit {done.returncode}", flush=True)
        if done.returncode != 0:
            print((done.stdout + done.stderr)[-6000:], flush=True)


def minimize(names: list[str]):
    for name in names:
        folder, kept = begin(name), HERE / "corpus" / name
        with tempfile.TemporaryDirectory() as scratch:
            smallest, control = Path(scratch) / "smallest", Path(scratch) / "control"
            smallest.mkdir()
            words = [program(name), "-merge=1", f"-merge_control_file={control}", *LIMITS, smallest, folder]
            subprocess.run(words, env=os.environ | {"INCROWD_FUZZ": name}, capture_output=True, check=True)
            merged = {path.name for path in smallest.glob("*") if path.stat().st_size <= LARGEST}
            chosen = [path.read_bytes() for path in reaching_most(control, merged)]
        # Cases of mended faults, and seeds, have names and stay.
        for path in kept.glob("*"):
            if re.fullmatch("[0-9a-f]{40}", path.name):
                path.unlink()
        for content in chosen:
            keep(kept, content)
        print(f"{name}: {len(list(kept.glob('*')))} files, {sum(path.stat().st_size for path in kept.glob('*'))} bytes", flush=True)
    total = sum(path.stat().st_size for path in (HERE / "corpus").rglob("*") if path.is_file())
    assert total <= MOST_BYTES, f"the corpora have {total} bytes"


def reaching_most(control: Path, merged: set[str]) -> list[Path]:
    """Of the files that a merge kept, those that together reach the most: each is the one that adds most to those before it.

    The control file of a merge has the number of files, the number of those that were known before, the files, and for each a line
    `FT` with its number and the features of the code that it reaches.
    """
    lines = control.read_text().splitlines()
    paths = [Path(line) for line in lines[2 : 2 + int(lines[0])]]
    left = {}
    for line in lines[2 + len(paths) :]:
        kind, number, *features = line.split()
        path = paths[int(number)]
        if kind == "FT" and hashlib.sha1(path.read_bytes()).hexdigest() in merged:
            left[path] = set(map(int, features))
    chosen = []
    while left and len(chosen) < MOST_FILES:
        best = min(left, key=lambda path: (-len(left[path]), path.stat().st_size, path.name))
        reached = left.pop(best)
        if not reached:
            break
        chosen.append(best)
        for features in left.values():
            features -= reached
    return chosen


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("action", choices=["build", "seed", "fuzz", "minimize", "blind"])
    words.add_argument("names", nargs="*")
    words.add_argument("--seconds", type=int, default=1800)
    given = words.parse_args()
    if given.action == "build":
        build(given.names)
    elif given.action == "seed":
        import seeds

        # They have names that stay when the corpora are minimized: well-formed files lead deepest.
        for old in (HERE / "corpus").glob("*/seed-*"):
            old.unlink()
        for target, content in seeds.files(Path(given.names[0]).resolve()):
            keep(HERE / "corpus" / target, content, "seed-")
    elif given.action == "blind":
        blind(Path(given.names[0]).resolve(), given.names[1:] or targets(), given.seconds)
    else:
        names = given.names or targets()
        assert set(names) <= set(targets()), f"targets: {targets()}"
        fuzz(names, given.seconds) if given.action == "fuzz" else minimize(names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
