#!/usr/bin/env python3
"""Replays what a run did to the disk up to every call, as a power loss may leave it.

    crash_replay.py INCROWD [--drawn 40] [--json FILE]

A run that replaces an old release is recorded with strace. After each of its calls, some changes are surely on the disk: those of a file or
a folder that was synced since. Of all others, any part may be there: a write without one before it, half of a write, a name without its
content, a rename without an older one. Rebuilt are the states with all of them and with none, with one alone and without one, without all
writes and without all names, all parts of up to six changes, and drawn parts of more. Only what happens to one name keeps its order, and a
rename is done or not.

In each state, what bears the name of the release has to be accepted by `verify` or be the old release. What is found missing
has to come back, or be replaced, at the next run. The model after: Pillai et al., All File Systems Are Not Created Equal: On the
Complexity of Crafting Crash-Consistent Applications, 2014.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from failing_calls import digest
from random_kills import ROLES, WHOLE

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
    """Files and folders below one folder, as the run sees them and as they surely are on the disk.

    A node is a folder (its names, each with a node) or a file (its bytes). A step is what takes effect as a whole: one change, or the two of a
    rename. A change is a node with a name and what it names, or with bytes and their place, or with a size.
    """

    def __init__(self, top: Path):
        self.top = top
        self.nodes, self.kept, self.pending, self.open = {0: {}}, {0: {}}, [], {}
        self.load(top, 0)

    def new(self, content):
        node = len(self.nodes)
        self.nodes[node], self.kept[node] = content, type(content)()
        return node

    def load(self, place: Path, node: int):
        """What was there before is on the disk."""
        for path in place.iterdir():
            made = self.new({} if path.is_dir() else path.read_bytes())
            self.nodes[node][path.name] = made
            if path.is_dir():
                self.load(path, made)
            else:
                self.kept[made] = self.nodes[made]
        self.kept[node] = dict(self.nodes[node])

    def do(self, *step):
        apply(self.nodes, step)
        self.pending.append(step)

    def write_at(self, node: int, at: int, data: bytes):
        """Half of it may be lost."""
        half = len(data) // 2
        for piece in [(at, data[:half]), (at + half, data[half:])]:
            if piece[1]:
                self.do((node, *piece))

    def sync(self, node: int):
        """All steps of the node are on the disk, with what they follow."""
        chosen = self.closed({at for at, step in enumerate(self.pending) if any(change[0] == node for change in step)})
        for at in sorted(chosen):
            apply(self.kept, self.pending[at])
        self.pending = [step for at, step in enumerate(self.pending) if at not in chosen]

    def closed(self, chosen: set[int]) -> set[int]:
        """With each step those before it that change the same name, or the size of the same file."""
        chosen = set(chosen)
        for at in sorted(chosen, reverse=True):
            self.follow(at, chosen)
        return chosen

    def follow(self, at: int, chosen: set[int]):
        for before in range(at):
            if before not in chosen and any(orders(one, other) for one in self.pending[before] for other in self.pending[at]):
                chosen.add(before)
                self.follow(before, chosen)

    def losses(self, drawn: int, draw: random.Random):
        """Which of the pending steps are on the disk after a power loss."""
        steps = set(range(len(self.pending)))
        if len(steps) <= 6:
            yield from ({at for at in steps if part >> at & 1} for part in range(1 << len(steps)))
            return
        names = {at for at in steps if isinstance(self.pending[at][0][1], str)}
        yield from (steps, set(), names, steps - names)
        for at in steps:
            yield {at}
            yield steps - {at}
        for _ in range(drawn):
            share = draw.random()
            yield {at for at in steps if draw.random() < share}

    def after(self, chosen: set[int]) -> dict:
        """The nodes when these pending steps are on the disk."""
        nodes = {node: dict(content) if isinstance(content, dict) else content for node, content in self.kept.items()}
        for at in sorted(self.closed(chosen)):
            apply(nodes, self.pending[at])
        return nodes

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


def apply(nodes: dict, step):
    for node, where, *what in step:
        if isinstance(where, str):
            nodes[node].pop(where, None)
            if what[0] is not None:
                nodes[node][where] = what[0]
        elif what:
            now = nodes[node].ljust(where, b"\0")
            nodes[node] = now[:where] + what[0] + now[where + len(what[0]) :]
        else:
            nodes[node] = nodes[node][:where].ljust(where, b"\0")


def orders(one, other) -> bool:
    """Whether two changes cannot change places: of one name, or of one file if one of them sets its size."""
    named = isinstance(one[1], str)
    return one[0] == other[0] and (one[1] == other[1] if named else len(one) == 2 or len(other) == 2)


def rebuild(nodes: dict, target: Path, node: int = 0):
    for name, child in nodes[node].items():
        if isinstance(nodes[child], dict):
            (target / name).mkdir()
            rebuild(nodes, target / name, child)
        else:
            (target / name).write_bytes(nodes[child])


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
                node = disk.new(b"")
                disk.do((place[0], place[1], node))
                yield "create"
            elif node is not None and "O_TRUNC" in given:
                disk.do((node, 0))
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
                    disk.sync(node)
                    yield "sync"
            elif call in ("write", "pwrite64"):
                state = disk.open[number]
                data = text(DATA.search(given, numbered.end())[1])[:result]
                at = int(given.rsplit(", ", 1)[1]) if call == "pwrite64" else state[1]
                disk.write_at(state[0], at, data)
                state[1] = at + len(data) if call == "write" else state[1]
                yield "write"
            elif call == "lseek":
                disk.open[number][1] = result
            elif call == "ftruncate":
                size = int(given.rsplit(", ", 1)[1])
                disk.do((disk.open[number][0], size))
                yield "truncate"
            elif call in ("writev", "copy_file_range", "sendfile", "dup"):
                raise SystemExit(f"{call} is not modelled")
        elif call.startswith("rename"):
            old, new = (text(one).decode() for one in DATA.findall(given)[:2])
            source, target = disk.at(old), disk.at(new)
            if source and target:
                disk.do((source[0], source[1], None), (*target, disk.nodes[source[0]][source[1]]))
                yield "rename"
        elif call.startswith("mkdir") and named and (place := disk.at(text(named[1]).decode())):
            disk.do((*place, disk.new({})))
            yield "mkdir"
        elif call in ("unlink", "rmdir", "unlinkat"):
            if call == "unlinkat" and numbered:
                path = f"{text(numbered[2]).decode()}/{text(DATA.search(given, numbered.end())[1]).decode()}"
            else:
                path = text(named[1]).decode()
            if place := disk.at(path):
                disk.do((*place, None))
                yield "remove"
        elif call.startswith("link"):
            raise SystemExit(f"{call} is not modelled")


def words(k: int) -> list[str]:
    return ["anonymize", "table.csv", *ROLES, "--k", str(k), "-o", "release", "--force"]


def judge(binary: str, folder: Path, old: str) -> str | None:
    """What is wrong with a state."""
    def run(*given):
        return subprocess.run([binary, *given], cwd=folder, capture_output=True, text=True)

    release = folder / "release"
    aside = [one for one in folder.glob(".release.partial*/old") if digest(one.parent, {"old"}) == digest(folder.parent, {"old"})]
    if not release.exists() and not aside:
        return "the old release is lost, and there is no new one"
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
    asked.add_argument("--drawn", type=int, default=40, help="drawn parts of the pending changes after each call")
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
        shutil.copytree(folder / "release", top / "old")
        # One thread, so that the calls have one order.
        recorded = ["strace", "-f", "-y", "-xx", "-s", "100000000", "-e", f"trace={CALLS}", "-o", log]
        subprocess.run([*recorded, binary, *words(4), "--threads", "1"], cwd=folder, capture_output=True, check=True)
        states, faults, seen, calls, draw = 0, [], set(), {}, random.Random(1)
        for at, call in enumerate(changes(log.read_text(), disk)):
            calls[call] = calls.get(call, 0) + 1
            if at % given.every:
                continue
            for chosen in disk.losses(given.drawn, draw):
                target = top / "state"
                target.mkdir()
                rebuild(disk.after(chosen), target)
                state = digest(target, {path.name for path in target.iterdir()})
                if state not in seen:
                    seen.add(state)
                    states += 1
                    if fault := judge(binary, target, old):
                        lost = [disk.pending[one] for one in sorted(set(range(len(disk.pending))) - disk.closed(chosen))]
                        brief = [[(change[0], change[1], *[len(one) if isinstance(one, bytes) else one for one in change[2:]]) for change in step]
                                 for step in lost]
                        faults.append(f"after change {at + 1} ({call}), lost: {brief or 'nothing'}: {fault}")
                        print(f"FAULT {faults[-1]}", file=sys.stderr, flush=True)
                shutil.rmtree(target)
        end = digest(folder, WHOLE)
        replayed = top / "replayed"
        replayed.mkdir()
        rebuild(disk.nodes, replayed)
        assert digest(replayed, WHOLE) == end, "the replay of all calls differs from what the run left"
    result = {"changes": calls, "states": states, "faults": faults}
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1) + "\n")
    print(f"{sum(calls.values())} changes, {states} different states, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
