#!/usr/bin/env python3
"""Tables of hostile shapes, and runs in hostile surroundings.

    hostile_shapes.py INCROWD [WORD …] [--json FILE]

Every run has to end within two minutes, without a panic, in one of two ways: it makes a release that `verify` accepts, or it
refuses with a code and leaves nothing. WORD chooses the trials whose names contain it. Prints a line per trial.

Some surroundings need rights that not every machine gives (mount); those are reported as not run.
"""

import argparse
import contextlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 120
# Shows a clock that goes back by an hour at every third look. Only the time of day: the other clock never goes back.
JUMPING_CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t which, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    static int looks;
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int done = real(which, at);
    if (which == CLOCK_REALTIME && ++looks % 3 == 0) at->tv_sec -= 3600;
    return done;
}
"""


def rows(count, cells):
    return "".join(",".join(map(str, cells(at))) + "\n" for at in range(count))


TABLE = "age,sex,diagnosis\n" + rows(60, lambda at: (20 + at % 3, "fm"[at % 2], ["flu", "cold"][at % 5 % 2]))
RELEASE = ["anonymize", "table.csv", "--qi", "age,sex", "--sensitive", "diagnosis", "--k", "3", "--time", "10s", "-o", "release"]
WIDE = ["anonymize", "table.csv", "--qi", "c1", "--others", "remove", "--k", "2", "-o", "release"]
ONE = ["anonymize", "table.csv", "--qi", "v", "--others", "remove", "--k", "2", "--time", "10s", "-o", "release"]


def shapes():
    """Of each: its name, the files, the command, and which exits are right."""
    for columns in (2_000, 100_000):
        head = ",".join(f"c{at}" for at in range(1, columns + 1)) + "\n"
        table = head + rows(4, lambda at: [at // 2] * columns)
        yield f"{columns:,} columns, check", {"table.csv": table}, ["check", "table.csv"], (0, 1, 2)
        yield f"{columns:,} columns, release", {"table.csv": table}, WIDE, (0, 1, 2)
    # A little more than there are rows: values that the table does not have are in the tree all the same.
    tree = "".join(f"v{at};g{at // 100};h{at // 10_000};*\n" for at in range(1_000_000))
    table = "v\n" + rows(2_000, lambda at: [f"v{at * 7}"])
    yield "1,000,000 hierarchy lines, check", {"tree.csv": tree}, ["hierarchy", "check", "tree.csv"], (0, 1, 2)
    files = {"table.csv": table, "tree.csv": tree}
    yield "1,000,000 hierarchy lines, release", files, [*ONE, "--hierarchy", "v=tree.csv"], (0, 1, 2)
    for levels in (60, 1_000):
        tree = "".join(f"v{at};" + "".join(f"l{level}-{at >> level};" for level in range(1, levels)) + "*\n" for at in range(64))
        files = {"table.csv": "v\n" + rows(64, lambda at: [f"v{at}"]), "tree.csv": tree}
        yield f"{levels:,} levels", files, [*ONE, "--hierarchy", "v=tree.csv"], (0, 1, 2)
    yield "no row", {"table.csv": "v\n"}, ONE, (1, 2)
    yield "an empty file", {"table.csv": ""}, ONE, (1, 2)
    yield "one row", {"table.csv": "v\n1\n"}, ONE, (1, 2)
    yield "one row, k = 1", {"table.csv": "v\n1\n"}, [*ONE[:-5], "1", "-o", "release"], (0, 1, 2)
    yield "one class", {"table.csv": "v\n" + "1\n" * 50_000}, ONE, (0,)
    yield "all unique numbers", {"table.csv": "v\n" + rows(50_000, lambda at: [at])}, ONE, (0, 1, 2)
    yield "all unique texts", {"table.csv": "v\n" + rows(20_000, lambda at: [f"x{at * 7919 % 20_011}y"])}, ONE, (0, 1, 2)
    yield "all missing", {"table.csv": "v,w\n" + ",\n" * 1_000}, ONE, (0, 1, 2)
    yield "numbers at the ends of their range", {"table.csv": "v\n" + "9223372036854775807\n-9223372036854775808\n1e308\n-1e308\n5e-324\n" * 4}, ONE, (0, 1, 2)
    yield "dates at the ends of their range", {"table.csv": "v\n" + "0001-01-01\n9999-12-31\n2024-02-29\n" * 4}, ONE, (0, 1, 2)
    yield "a name of 100,000 letters", {"table.csv": "v," + "n" * 100_000 + "\n" + "1,2\n" * 9}, ONE, (0, 1, 2)
    yield "200 columns of one name", {"table.csv": ",".join(["v"] * 200) + "\n" + ",".join(["1"] * 200) + "\n"}, ONE, (1, 2)
    wide = {"table.csv": ",".join(f"c{at}" for at in range(60)) + "\n" + rows(300, lambda at: [(at >> (bit % 8)) & 1 for bit in range(60)])}
    every = ["anonymize", "table.csv", "--qi", ",".join(f"c{at}" for at in range(60)), "--k", "5", "--time", "10s", "-o", "release"]
    yield "60 quasi-identifiers", wide, every, (0, 1, 2)


@contextlib.contextmanager
def mounted(path: Path, options: str):
    """A file system of its own; nothing when it cannot be had."""
    path.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path], capture_output=True)
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", path], check=True)


def surroundings(folder: Path):
    """Of each: its name, words before the command, the environment instead of ours, which exits are right, a limit."""
    plain = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "TMPDIR": str(folder / "temp")}

    def files(most):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    def address_space(mib):
        return lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20))

    yield "32 open files", [], plain, (0, 2), files(32)
    yield "12 open files", [], plain, (0, 2), files(12)
    # In steps of 64 MiB: where allocators take nearly all of it, and around what a run on two cores asks for.
    for mib in (512, *range(1024, 1345, 64), *range(1984, 2305, 64)):
        yield f"{mib:,} MiB of address space", [], plain, (0, 2), address_space(mib)
    yield "files of at most 4 KiB", [], plain, (2,), lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    yield "no core dump, no locked memory", [], plain, (0,), lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    yield "no environment", [], {}, (0,), None
    yield "no locale", [], plain | {"LC_ALL": "", "LANG": "", "LANGUAGE": ""}, (0,), None
    yield "an unknown locale and time zone", [], plain | {"LC_ALL": "xx_YY.UTF-99", "TZ": "No/Where"}, (0,), None
    yield "a home that does not exist", [], plain | {"HOME": "/nowhere/at/all"}, (0,), None
    yield "a home that cannot be written", [], plain | {"HOME": "/proc/self"}, (0,), None
    yield "a folder for temporary files that does not exist", [], plain | {"TMPDIR": "/nowhere/at/all"}, (0, 2), None
    yield "a folder for temporary files that cannot be written", [], plain | {"TMPDIR": "/proc/self"}, (2,), None
    yield "one core", ["taskset", "-c", "0"], plain, (0,), None
    yield "a stack of 256 KiB", [], plain, (0, 2), lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 18, 1 << 18))
    yield "no standard output", ["sh", "-c", 'exec "$@" >&- 2>&- <&-', "sh"], plain, (0, 2), None
    yield "a full device as standard output", ["sh", "-c", 'exec "$@" >/dev/full', "sh"], plain, (0, 2), None
    yield "a clock that jumps back", [], plain | {"LD_PRELOAD": str(folder / "clock.so")}, (0,), None
    for name, options in [("temporary files on noexec", "noexec,nosuid,nodev"), ("a read-only home", "ro")]:
        place = folder / name.replace(" ", "-")
        with mounted(place, options) as there:
            variable = "TMPDIR" if "noexec" in options else "HOME"
            yield name, [] if there else None, plain | {variable: str(place)}, (0,), None


def run(binary, folder, name, before, words, environment, right, limit):
    """What is wrong after the run; and what it took."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([*before, binary, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=out, preexec_fn=limit)
        deadline = time.monotonic() + SECONDS
        while True:
            pid, status, used = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                child.kill()
                os.wait4(child.pid, 0)
                return f"did not end within {SECONDS} s", None, {}
            time.sleep(0.01)
        child.returncode = code = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read().decode(errors="replace")
    figures = {"seconds": round(time.monotonic() - started, 2), "mib": used.ru_maxrss // 1024, "exit": code}
    found = re.search(r"error\[(IC\d+)\]", said)
    figures["code"] = found[1] if found else ""
    if "panicked" in said or code not in right:
        return f"exit {code}: {said[-300:]}", said, figures
    if code in (1, 2) and not found and words[0] == "anonymize" and "standard output" not in name:
        return f"failed without a code: {said[-300:]}", said, figures
    release = folder / "release"
    if release.exists():
        verdict = subprocess.run([binary, "verify", "release", "--against", "table.csv"], cwd=folder, capture_output=True, text=True)
        if verdict.returncode != 0:
            return f"the release is not accepted: {(verdict.stdout + verdict.stderr)[-300:]}", said, figures
    elif words[0] == "anonymize" and code == 0:
        return "success without a release", said, figures
    left = [path.name for path in folder.iterdir() if ".partial" in path.name]
    left += [path.name for path in (folder / "temp").rglob("*") if path.is_file() and path.name != ".starting"]
    return (f"left behind: {left}" if left else None), said, figures


def trials(binary, chosen):
    for name, files, words, right in shapes():
        if not chosen or any(word in name for word in chosen):
            with tempfile.TemporaryDirectory() as top:
                folder = Path(top)
                (folder / "temp").mkdir()
                for file, text in files.items():
                    (folder / file).write_text(text)
                environment = os.environ | {"TMPDIR": str(folder / "temp"), "NO_COLOR": "1"}
                yield "shape", name, run(binary, folder, name, [], words, environment, right, None)
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top)
        (folder / "clock.c").write_text(JUMPING_CLOCK)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "clock.so", folder / "clock.c", "-ldl"], check=True)
        for name, before, environment, right, limit in surroundings(folder):
            if chosen and not any(word in name for word in chosen):
                continue
            for kept in ("temp", "home", "release", "release.internal"):
                shutil.rmtree(folder / kept, ignore_errors=True)
            (folder / "temp").mkdir()
            (folder / "home").mkdir()
            (folder / "table.csv").write_text(TABLE)
            if before is None:
                yield "surroundings", name, (None, None, None)
            else:
                yield "surroundings", name, run(binary, folder, name, before, RELEASE, environment, right, limit)


def main() -> int:
    words = argparse.ArgumentParser()
    words.add_argument("incrowd")
    words.add_argument("chosen", nargs="*")
    words.add_argument("--json")
    given = words.parse_args()
    results = []
    for kind, name, (fault, _, figures) in trials(str(Path(given.incrowd).resolve()), given.chosen):
        entry = {"kind": kind, "trial": name, "fault": fault, "run": figures is not None} | (figures or {})
        results.append(entry)
        print(f"{kind:12} {name:52} " + (f"FAULT {fault}" if fault else "not run" if figures is None else f"{figures}"), flush=True)
    faults = sum(one["fault"] is not None for one in results)
    if given.json:
        Path(given.json).write_text(json.dumps(results, indent=1) + "\n")
    print(f"{len(results)} trials, {faults} faults, {sum(not one['run'] for one in results)} not run")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
