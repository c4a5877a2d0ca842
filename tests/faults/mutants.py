#!/usr/bin/env python3
"""Changes the verifier in small ways and looks whether a test notices.

    mutants.py [--count 20] [--seed 1] [--folder FOLDER] [--jobs 2] [--seconds 600] [--json FILE]

A mutant is one operator or word of a line that is not part of a test, replaced by another: `<` by `<=`, `==` by `!=`, `&&` by
`||`, `+` by `-`, `true` by `false`, `any` by `all` and so on. A sample is drawn with a seed. For each, the unit tests and the test
`verify` of incrowd-verify are built and run until one fails, the slow ones last; then the file is put back. Changes of texts and
comments are no mutants.

Each job has a copy of the repository, so that the sources stay as they are, and built code of its own beside it. Needs cargo-nextest.
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
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SWAPS = [
    (r"(?<=[\w)\]]) < (?=[\w(*&])", " <= "), (r" <= ", " < "), (r"(?<=[\w)\]]) > (?=[\w(*&])", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r"(?<=[\w)\]]) \+ (?=[\w(])", " - "), (r"(?<=[\w)\]]) - (?=[\w(])", " + "), (r"(?<=[\w)\]]) \* (?=[\w(])", " + "), (r"(?<=[\w)\]]) / (?=[\w(])", " * "),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\.any\(", ".all("), (r"\.all\(", ".any("), (r"\.min\(", ".max("), (r"\.max\(", ".min("),
    (r"\bif !", "if "),
]
# A test that does not end is noticed, too.
LONGEST = 300
# What takes seconds, as a filter of nextest.
SLOW = "test(orders::) | test(memory::) | test(chance::) | test(released_rows_are_judged) | test(noise::)"


def mutants(folder: Path):
    for path in sorted((ROOT / folder).rglob("*.rs")):
        text = path.read_text()
        # Unit tests stand at the end of a file, or in a file of that name.
        end = text.find("#[cfg(test)]")
        # The texts of SQL queries go over several lines.
        if path.name in ("tests.rs", "queries.rs", "sql.rs") or "/tests/" in str(path):
            continue
        for number, line in enumerate(text[: end if end >= 0 else len(text)].splitlines()):
            code = re.sub(r"//.*", "", line)
            code = re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: " " * len(found[0]), code)
            if re.match(r"\s*(#|use |pub use |mod |pub\(.*\) mod )", code):
                continue
            for pattern, put in SWAPS:
                for found in re.finditer(pattern, code):
                    yield path.relative_to(ROOT), number, found.start(), found.end(), put


class Job:
    """A copy of the repository, in which one mutant after the other is built and tested."""

    def __init__(self, folder: Path, number: int):
        self.copy, self.target = folder / f"copy-{number}", folder / f"target-{number}"
        shutil.copytree(ROOT, self.copy, ignore=shutil.ignore_patterns("target", ".git", "node_modules"))

    def run(self, *more: str) -> int:
        words = ["cargo", "nextest", "run", "--locked", "-p", "incrowd-verify", "-p", "incrowd-features", "--lib", "--test", "verify", "--offline"]
        words += ["--config", "profile.dev.debug=0", "--config", "profile.dev.package.incrowd-verify.opt-level=0", *more]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("RUSTC_", "CLIPPY_"))}
        environment |= {"CARGO_TARGET_DIR": str(self.target), "CARGO_BUILD_JOBS": "1"}
        try:
            return subprocess.run(words, cwd=self.copy, capture_output=True, timeout=LONGEST, env=environment).returncode
        except subprocess.TimeoutExpired:
            return -1

    def tests(self) -> str:
        """What the tests say: caught, missed, unviable or timeout."""
        if self.run("--no-run") != 0:
            return "unviable"
        for chosen in f"not ({SLOW})", SLOW:
            code = self.run("--fail-fast", "-E", chosen)
            if code != 0:
                return "timeout" if code == -1 else "caught"
        return "missed"

    def mutate(self, path: Path, number: int, start: int, end: int, put: str) -> tuple[str, str]:
        """What the tests say of a mutant, and its name."""
        original = (ROOT / path).read_text()
        lines = original.split("\n")
        before = lines[number]
        lines[number] = before[:start] + put + before[end:]
        (self.copy / path).write_text("\n".join(lines))
        said = self.tests()
        (self.copy / path).write_text(original)
        return said, f"{path}:{number + 1}: `{before.strip()}` with `{put.strip() or 'if'}` at {start}"


def main() -> int:
    words = argparse.ArgumentParser()
    words.add_argument("--count", type=int, default=20)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--folder", default="crates/incrowd-verify/src/models")
    words.add_argument("--seconds", type=float, default=1e9, help="start no mutant after this time")
    words.add_argument("--jobs", type=int, default=2)
    words.add_argument("--json")
    given = words.parse_args()
    everything = list(mutants(Path(given.folder)))
    drawn = random.Random(given.seed).sample(everything, min(given.count, len(everything)))
    result = {"scope": f"`{given.folder}`", "all": len(everything), "tried": 0, "sample": f"drawn with seed {given.seed}", "caught": 0, "missed": 0, "timeout": 0, "unviable": 0, "survivors": []}
    print(f"{len(everything)} mutants, {len(drawn)} drawn", flush=True)
    begun, left, lock = time.monotonic(), iter(drawn), threading.Lock()
    with tempfile.TemporaryDirectory() as folder:
        first = Job(Path(folder), 0)
        assert first.tests() == "missed", "without a mutant the tests succeed"
        jobs = [first, *(Job(Path(folder), number) for number in range(1, given.jobs))]
        # Dependencies are built once.
        for job in jobs[1:]:
            shutil.copytree(first.target, job.target, symlinks=True, copy_function=shutil.copy2)

        def work(job: Job) -> None:
            while time.monotonic() - begun < given.seconds:
                with lock:
                    mutant = next(left, None)
                if mutant is None:
                    return
                said, name = job.mutate(*mutant)
                with lock:
                    result["tried"] += 1
                    result[said] += 1
                    print(f"{said:9} {name}", flush=True)
                    if said == "missed":
                        result["survivors"].append({"mutant": name, "now": "open"})
                    if given.json:
                        Path(given.json).write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")

        workers = [threading.Thread(target=work, args=(job,)) for job in jobs]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
