"""Runs the tests of a build with mutants: first without one, to see what each test reaches, then with each mutant."""

import os
import re
import resource
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from mutant_build import NOTICED_BY, Build

# A test that takes this many times as long as without a mutant, and some seconds more, does not end.
TIMES, SECONDS = 10, 6
# What a mutant may take of the machine before it counts as noticed.
MEMORY, FILE = 6 << 30, 1 << 30


@dataclass
class Test:
    crate: str
    folder: Path
    program: Path
    name: str
    seconds: float = 0.0
    kills: int = 0


class Runs:
    """The tests of a build, and which mutants each of them reaches."""

    def __init__(self, build: Build):
        self.build, self.lock = build, threading.Lock()
        self.tests: list[Test] = []
        self.reached_by: dict[int, list[Test]] = {}
        self.temporary = build.folder / "tmp"
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir()
        programs = build.programs()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for crate, folder, program in programs:
            listed = [self.names(folder, program, *more) for more in ((), ("--ignored",))]
            self.tests += [Test(crate, folder, program, name) for name in listed[0] if name not in listed[1]]

    @staticmethod
    def names(folder: Path, program: Path, *more: str) -> list[str]:
        text = subprocess.run([program, "--list", "--format", "terse", *more], cwd=folder, capture_output=True, text=True, check=True).stdout
        return re.findall(r"^(.*): test$", text, re.M)

    def run(self, test: Test, limit: float, **switch: str) -> str:
        """`passed`, `failed` or `timeout`."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RUST")}
        # A test of generated cases does not look for the smallest one, and keeps none for the next mutant.
        given = kept | {"TMPDIR": str(self.temporary), "PROPTEST_MAX_SHRINK_ITERS": "0", "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1", "CARGO_MANIFEST_DIR": str(test.folder)}
        with subprocess.Popen([test.program, "--exact", test.name], cwd=test.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=given | switch) as process:
            try:
                return "passed" if process.wait(timeout=limit) == 0 else "failed"
            except subprocess.TimeoutExpired:
                process.kill()
                return "timeout"

    def measure(self, jobs: int, slowest: float) -> None:
        """Runs every test without a mutant: how long it takes, and what it reaches. A test that is too slow is not used."""

        def one(test: Test) -> None:
            reached = self.build.folder / f"reached-{threading.get_ident()}"
            reached.unlink(missing_ok=True)
            begun = time.monotonic()
            said = self.run(test, 600, INCROWD_MUTANTS_REACHED=str(reached))
            test.seconds = time.monotonic() - begun
            if said != "passed":
                print(f"not used, because it fails without a mutant: {test.name}", flush=True)
                return
            if test.seconds > slowest:
                print(f"not used, because it takes {test.seconds:.1f} s: {test.name}", flush=True)
                return
            with self.lock:
                for line in set(reached.read_text().split()) if reached.exists() else ():
                    self.reached_by.setdefault(int(line), []).append(test)

        in_parallel(self.tests, jobs, one)

    def judge(self, mutant: dict) -> tuple[str, str]:
        """What the tests say of a mutant (caught, timeout or missed), and which test said it."""
        crates = NOTICED_BY[mutant["crate"]]
        tests = [test for test in self.reached_by.get(mutant["id"], []) if test.crate in crates]
        # The tests of its own crate first; of these the quick ones and those that noticed others.
        tests.sort(key=lambda test: (crates.index(test.crate), test.seconds / (1 + test.kills)))
        for test in tests:
            said = self.run(test, TIMES * test.seconds + SECONDS, INCROWD_MUTANT=str(mutant["id"]))
            if said != "passed":
                test.kills += 1
                return "caught" if said == "failed" else "timeout", f"{test.crate} {test.name}"
        return "missed", f"reached by {len(tests)} tests"


def in_parallel(work: list, jobs: int, one) -> None:
    """Calls a function with each item, in a few threads."""
    left, lock = iter(work), threading.Lock()

    def worker() -> None:
        while True:
            with lock:
                item = next(left, None)
            if item is None:
                return
            one(item)

    workers = [threading.Thread(target=worker) for _ in range(jobs)]
    for thread in workers:
        thread.start()
    for thread in workers:
        thread.join()
