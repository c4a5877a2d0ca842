#!/usr/bin/env python3
"""Replays what a run did to the disk up to every call, as a power loss may leave it.

    crash_replay.py INCROWD [--json FILE]

A run that replaces an old release is recorded with strace. For every prefix of its calls, the folder is rebuilt in four ways:

- all calls up to there took effect (a kill);
- names did, but of each file only what was synced before (later writes are lost: the file is shorter or empty);
- contents did, but of each folder only the names that were there when it was last synced;
- both are lost.

In each state, what bears the name of the release has to be accepted by `verify` or be the old release. What is found missing
has to come back, or be replaced, at the next run. The model after: Pillai et al., All File Systems Are Not Created Equal: On the
Complexity of Crafting Crash-Consistent Applications, 2014. States in which single writes are reordered are not tried.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from failing_calls import digest
from random_kills import WHOLE, words

CALLS = "openat,open,creat,write,pwrite64,writev,rename,renameat,renameat2,mkdir,mkdirat,unlink,unlinkat,rmdir,fsync,fdatasync,ftruncate,close,dup,lseek,fchmod,copy_file_range,sendfile,link,linkat"
LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+)")
NAME = re.compile(r'^(?:AT_FDCWD(?:<[^>]*>)?, )?"((?:\\x[0-9a-f]{2})*)"')
FD = re.compile(r"^(\d+)<((?:\\x[0-9a-f]{2})*)>")
DATA = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


def text(escaped: str) -> bytes:
    return bytes.fromhex(escaped.replace("\\x", ""))


def whole_lines(log: str):
    """Calls that another thread interrupted stand on two lines."""
    begun = {}
    for line in log.splitlines():
        if line.endswith("<unfinished ...>"):
            begun[line.split()[0]] = line.removesuffix("<unfinished ...>").rstrip()
        elif found := re.match(r"^(\d+) +<\.\.\. \w+ resumed>(.*)", line):
            yield begun.pop(found[1], found[1] + " none(") + found[2]
        else:
            yield line


class Disk:
    """Files and folders below one folder, with what is surely on the disk."""

    def __init__(self, top: Path):
        self.top = top
        self.next = 1
        # Of each node: for a folder its names, for a file its bytes; and the same when it was synced.
        self.nodes, self.synced = {0: {}}, {0: {}}
        self.open = {}
        self.load(top, 0)

    def new(self, content):
        self.next += 1
        self.nodes[self.next], self.synced[self.next] = content, type(content)()
        return self.next

    def load(self, place: Path, node: int):
        """What was there before is on the disk."""
        for path in place.iterdir():
            made = self.new({} if path.is_dir() else path.read_bytes())
            self.nodes[node][path.name] = made
            if path.is_dir():
                self.load(path, made)
            else:
                self.synced[made] = self.nodes[made]
        self.synced[node] = dict(self.nodes[node])

    def parts(self, path: str):
        full = os.path.normpath(os.path.join(self.top, path))
        return None if not full.startswith(f"{self.top}/") else full[len(str(self.top)) + 1 :].split("/")

    def at(self, path: str):
        """The folder and name of a path; nothing outside."""
        parts = self.parts(path)
        if parts is None:
            return None
        node = 0
        for part in parts[:-1]:
            node = self.nodes[node].get(part)
            if node is None:
                return None
        return node, parts[-1]

    def find(self, path: str):
        if os.path.normpath(os.path.join(self.top, path)) == str(self.top):
            return 0
        place = self.at(path)
        return place and self.nodes[place[0]].get(place[1])

    def write(self, target: Path, contents: bool, names: bool, node: int = 0):
        """The folder as it is after a loss: `contents` and `names` say whether what was not synced is there."""
        for name, child in (self.nodes if names else self.synced)[node].items():
            now = self.nodes.get(child)
            if isinstance(now, dict):
                (target / name).mkdir()
                self.write(target / name, contents, names, child)
            else:
                (target / name).write_bytes(now if contents else self.synced[child])


def changes(log: str, disk: Disk):
    """Applies call by call; after each that changed something below the folder, its name."""
    for line in whole_lines(log):
        found = LINE.match(line)
        if not found or int(found[4]) < 0:
            continue
        call, given, result = found[2], found[3], int(found[4])
        named, numbered = NAME.match(given), FD.match(given)
        if call in ("openat", "open", "creat"):
            path = text(named[1]).decode() if named else None
            place = path and disk.at(path)
            if place is None:
                continue
            node = disk.nodes[place[0]].get(place[1])
            if node is None and "O_CREAT" in given:
                node = disk.nodes[place[0]][place[1]] = disk.new(b"")
                yield "create"
            elif node is not None and "O_TRUNC" in given:
                disk.nodes[node] = b""
                yield "truncate"
            if node is not None:
                disk.open[result] = [node, 0]
        elif numbered and int(numbered[1]) in disk.open or call in ("fsync", "fdatasync"):
            number = int(numbered[1]) if numbered else -1
            if call == "close":
                disk.open.pop(number, None)
            elif call in ("fsync", "fdatasync"):
                node = disk.open.get(number, [disk.find(text(numbered[2]).decode()), 0])[0] if numbered else None
                if node is not None:
                    now = disk.nodes[node]
                    disk.synced[node] = dict(now) if isinstance(now, dict) else now
                    yield "sync"
            elif call in ("write", "pwrite64"):
                state = disk.open[number]
                data = text(DATA.search(given, numbered.end())[1])[:result]
                at = int(given.rsplit(", ", 1)[1]) if call == "pwrite64" else state[1]
                now = disk.nodes[state[0]].ljust(at, b"\0")
                disk.nodes[state[0]] = now[:at] + data + now[at + len(data) :]
                state[1] = at + len(data) if call == "write" else state[1]
                yield "write"
            elif call == "lseek":
                disk.open[number][1] = result
            elif call == "ftruncate":
                size = int(given.rsplit(", ", 1)[1])
                disk.nodes[disk.open[number][0]] = disk.nodes[disk.open[number][0]][:size].ljust(size, b"\0")
                yield "truncate"
            elif call in ("writev", "copy_file_range", "sendfile", "dup"):
                raise SystemExit(f"{call} is not modelled")
        elif call.startswith("rename"):
            old, new = (text(one).decode() for one in DATA.findall(given)[:2])
            source, target = disk.at(old), disk.at(new)
            if source and target:
                disk.nodes[target[0]][target[1]] = disk.nodes[source[0]].pop(source[1])
                yield "rename"
        elif call.startswith("mkdir") and named and (place := disk.at(text(named[1]).decode())):
            disk.nodes[place[0]][place[1]] = disk.new({})
            yield "mkdir"
        elif call in ("unlink", "rmdir", "unlinkat"):
            if call == "unlinkat" and numbered:
                path = f"{text(numbered[2]).decode()}/{text(DATA.search(given, numbered.end())[1]).decode()}"
            else:
                path = text(named[1]).decode()
            if place := disk.at(path):
                disk.nodes[place[0]].pop(place[1], None)
                yield "remove"
        elif call.startswith("link"):
            raise SystemExit(f"{call} is not modelled")


def judge(binary: str, folder: Path, old: str) -> str | None:
    """What is wrong with a state."""
    def run(*given):
        return subprocess.run([binary, *given], cwd=folder, capture_output=True, text=True)

    release = folder / "release"
    if digest(folder, {"release"}) != old and release.exists():
        verdict = run("verify", "release", "--against", "table.csv")
        if verdict.returncode != 0:
            # A folder without a manifest is not a release: nobody takes it for one.
            if (release / "manifest.json").exists() and (release / "manifest.json").stat().st_size:
                return f"a release that is not accepted bears the name: {(verdict.stdout + verdict.stderr)[-200:]}"
            return "the name is taken by a folder that is not a release"
    done = run(*words(5))
    if done.returncode != 0:
        return f"the next run failed: {done.stderr[-200:]}"
    verdict = run("verify", "release", "--against", "table.csv")
    left = {path.name for path in folder.iterdir()} - WHOLE - {"table.csv"}
    return f"left behind: {sorted(left)}" if left else None if verdict.returncode == 0 else verdict.stdout[-200:]


def main() -> int:
    asked = argparse.ArgumentParser()
    asked.add_argument("incrowd")
    asked.add_argument("--every", type=int, default=1)
    asked.add_argument("--json")
    given = asked.parse_args()
    binary = str(Path(given.incrowd).resolve())
    with tempfile.TemporaryDirectory() as top:
        top = Path(top).resolve()
        folder, log = top / "work", top / "log"
        folder.mkdir()
        subprocess.run([binary, "sample", "--rows", "100", "-o", "table.csv"], cwd=folder, capture_output=True, check=True)
        subprocess.run([binary, *words(3)], cwd=folder, capture_output=True, check=True)
        old, disk = digest(folder, {"release"}), Disk(folder)
        # One thread, so that the calls have one order.
        recorded = ["strace", "-f", "-y", "-xx", "-s", "100000000", "-e", f"trace={CALLS}", "-o", log]
        subprocess.run([*recorded, binary, *words(4), "--threads", "1"], cwd=folder, capture_output=True, check=True)
        states, faults, seen, calls = 0, [], set(), {}
        for at, call in enumerate(changes(log.read_text(), disk)):
            calls[call] = calls.get(call, 0) + 1
            if at % given.every:
                continue
            for contents, names in [(True, True), (False, True), (True, False), (False, False)]:
                target = top / "state"
                target.mkdir()
                disk.write(target, contents, names)
                state = digest(target, {path.name for path in target.iterdir()})
                if state not in seen:
                    seen.add(state)
                    states += 1
                    if fault := judge(binary, target, old):
                        lost = [word for word, kept in [("contents", contents), ("names", names)] if not kept]
                        faults.append(f"after change {at + 1} ({call}), lost: {lost or 'nothing'}: {fault}")
                        print(f"FAULT {faults[-1]}", file=sys.stderr, flush=True)
                shutil.rmtree(target)
        end = digest(folder, WHOLE)
        replayed = top / "replayed"
        replayed.mkdir()
        disk.write(replayed, True, True)
        assert digest(replayed, WHOLE) == end, "the replay of all calls differs from what the run left"
    result = {"changes": calls, "states": states, "faults": faults}
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1) + "\n")
    print(f"{sum(calls.values())} changes, {states} different states, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
