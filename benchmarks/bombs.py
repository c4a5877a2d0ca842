#!/usr/bin/env python3
"""Files that ask for more memory than they are large, through every command that reads them, with --memory 256MiB.

Usage: python3 benchmarks/bombs.py [--bin target/release/incrowd] [--only WORD]

Writes bombs.md beside this file. The bar for each run: at most --memory and 128 MiB besides as resident memory at its peak
(what the system counted for the process), and 10 seconds. A run may refuse the file or read it; it may not be killed.
"""
import argparse
import datetime
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import bomb_files  # noqa: E402  (beside this file)

MEMORY, SPARE, SECONDS = 256, 128, 10
TABLE = "age,town,illness\n" + "".join(f"{20 + at % 3},{['Ulm', 'Bonn'][at % 2]},{['flu', 'cold'][at % 2]}\n" for at in range(60))


def measured(command, folder):
    """Exit status, seconds, the most memory in MiB, and the first line it said to the error stream."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as said:
        run = subprocess.Popen([str(word) for word in command], cwd=folder, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        words = said.read(400).decode(errors="replace").strip().splitlines() or [""]
    return run.returncode, time.monotonic() - started, used.ru_maxrss / 1024, words[0]


def commands(binary, kind, path, folder):
    """Every command that reads such a file."""
    limit = ["--memory", f"{MEMORY}MiB", "--quiet"]
    if kind.startswith("table"):
        yield "check", [binary, "check", path, *limit]
        if kind == "table":
            # A release of the others would be as large as what they promise.
            yield "anonymize", [binary, "anonymize", path, "--qi", "town", "--others", "remove", "--k", "2", "-o", "out", "--force", *limit]
        if not path.name.endswith((".gz", ".zst")):
            yield "verify --against", [binary, "verify", "release", "--against", path, *limit]
    elif kind == "hierarchy":
        yield "hierarchy check", [binary, "hierarchy", "check", path, "--ragged", "--memory", f"{MEMORY}MiB"]
        yield "anonymize", [binary, "anonymize", "small.csv", "--qi", "town", "--sensitive", "illness", "--insensitive", "age",
                            "--hierarchy", f"town={path}", "--k", "2", "-o", "out", "--force", *limit]
        yield "verify --against", [binary, "verify", "release", "--against", "small.csv", "--hierarchy", f"town={path}", *limit]
    elif kind == "plan":
        yield "check", [binary, "check", path, *limit]
        yield "confirm", [binary, "confirm", path]
    else:
        bomb = folder / "bomb-release"
        shutil.rmtree(bomb, ignore_errors=True)
        bomb.mkdir()
        shutil.copy(path, bomb / "manifest.json")
        yield "verify", [binary, "verify", bomb, *limit]
        yield "query", [binary, "query", bomb, "SELECT COUNT(*)", *limit]
        yield "report", [binary, "report", bomb, "-o", "page.html", "--quiet"]


def made_aside(folder, seed, only):
    """The files one by one, made by a process of its own: a child counts what its parent holds when it starts."""
    ours, theirs = multiprocessing.Pipe()

    def make():
        for what, kind, path in bomb_files.corpus(folder, seed, only):
            theirs.send((what, kind, path))
            theirs.recv()
        theirs.send(None)

    maker = multiprocessing.get_context("fork").Process(target=make)
    maker.start()
    # So that a maker that fails is noticed.
    theirs.close()
    while (file := ours.recv()) is not None:
        yield file
        ours.send(True)
    maker.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="target/release/incrowd")
    parser.add_argument("--only", default="", help="files whose description has this word")
    args = parser.parse_args()
    binary = pathlib.Path(args.bin).resolve()
    rows, over = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "small.csv").write_text(TABLE)
        for form in ("arrow", "csv"):
            made = [binary, "anonymize", "small.csv", "--qi", "age,town", "--sensitive", "illness", "--k", "2", "--quiet",
                    "--output-format", form, "-o", "release", "--force"]
            subprocess.run([str(word) for word in made], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            if form == "arrow":
                seed = (folder / "release" / "data.arrow").read_bytes()
        files = 0
        for what, kind, path in made_aside(folder, seed, args.only):
            files += 1
            size = path.stat().st_size
            for word, command in commands(binary, kind, path, folder):
                code, seconds, peak, said = measured(command, folder)
                bad = peak > MEMORY + SPARE or seconds > SECONDS or code < 0
                over += bad
                refused = said[said.find("[") + 1:said.find("]")] if said.startswith("error[") else ""
                rows.append((what, size, word, code, refused, seconds, peak, bad))
                print(f"{'OVER' if bad else 'ok':5}{peak:7.0f} MiB {seconds:6.1f} s  exit {code:3} {refused:6} {word:18} {what}", flush=True)
            path.unlink()
    worst, longest = max(row[6] for row in rows), max(row[5] for row in rows)
    lines = [
        "# Files that ask for much memory", "",
        f"Written by `python3 benchmarks/bombs.py`. {datetime.date.today()}, 2 shared cores, Linux x86_64.", "",
        f"{files} files, made on the fly by `bomb_files.py`, each through every command that reads such a file with `--memory {MEMORY}MiB`: "
        f"{len(rows)} runs. The bar: {MEMORY} MiB and {SPARE} MiB besides, and {SECONDS} seconds. **{over} runs are over it**; the most memory "
        f"was {worst:.0f} MiB, the longest run {longest:.1f} s. No run was killed or ended by a signal." if not any(row[3] < 0 for row in rows) else "",
        "", "| file | bytes | command | exit | code | s | MiB |", "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for what, size, word, code, refused, seconds, peak, bad in rows:
        mark = " **over**" if bad else ""
        lines.append(f"| {what} | {size:,} | {word} | {code} | {refused} | {seconds:.1f} | {peak:.0f}{mark} |")
    if not args.only:
        (HERE / "bombs.md").write_text("\n".join(lines) + "\n")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
