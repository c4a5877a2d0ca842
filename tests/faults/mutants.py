#!/usr/bin/env python3
"""Changes the verifier in small ways and looks whether a test notices.

    mutants.py [--count 20] [--seed 1] [--folder models] [--seconds 600] [--json FILE]

A mutant is one operator or word of a line that is not part of a test, replaced by another: `<` by `<=`, `==` by `!=`, `&&` by
`||`, `+` by `-`, `true` by `false`, `any` by `all` and so on. A sample is drawn with a seed. For each, the unit tests and the test
`verify` of incrowd-verify are built and run; then the file is put back. Changes of texts and comments are no mutants.

The folder is copied first, so that the sources stay as they are. Built code is in $CARGO_TARGET_DIR.
"""

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
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
LONGEST = 900


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


def tests(copy: Path, clean: bool) -> str:
    """What the tests say: caught, missed, unviable or timeout."""
    words = ["cargo", "test", "--locked", "--quiet", "-p", "incrowd-verify", "-p", "incrowd-features", "--lib", "--test", "verify"]
    words += ["--config", "profile.dev.debug=0", "--config", "profile.dev.package.incrowd-verify.opt-level=0"]
    built = subprocess.run([*words, "--no-run"], cwd=copy, capture_output=True, text=True)
    if built.returncode != 0:
        assert not clean, built.stderr[-2000:]
        return "unviable"
    try:
        return "missed" if subprocess.run(words, cwd=copy, capture_output=True, timeout=LONGEST).returncode == 0 else "caught"
    except subprocess.TimeoutExpired:
        return "timeout"


def main() -> int:
    words = argparse.ArgumentParser()
    words.add_argument("--count", type=int, default=20)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--folder", default="crates/incrowd-verify/src/models")
    words.add_argument("--seconds", type=float, default=1e9, help="start no mutant after this time")
    words.add_argument("--json")
    given = words.parse_args()
    everything = list(mutants(Path(given.folder)))
    drawn = random.Random(given.seed).sample(everything, min(given.count, len(everything)))
    result = {"scope": f"`{given.folder}`", "all": len(everything), "tried": 0, "sample": f"drawn with seed {given.seed}", "caught": 0, "missed": 0, "timeout": 0, "unviable": 0, "survivors": []}
    print(f"{len(everything)} mutants, {len(drawn)} drawn", flush=True)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("target", ".git", "node_modules"))
        assert tests(copy, True) == "missed", "without a mutant the tests succeed"
        for path, number, start, end, put in drawn:
            if time.monotonic() - begun > given.seconds:
                break
            file = copy / path
            lines = (ROOT / path).read_text().split("\n")
            before = lines[number]
            lines[number] = before[:start] + put + before[end:]
            file.write_text("\n".join(lines))
            said = tests(copy, False)
            file.write_text((ROOT / path).read_text())
            result["tried"] += 1
            result[said] += 1
            name = f"{path}:{number + 1}: `{before.strip()}` with `{put.strip() or 'if'}` at {start}"
            print(f"{said:9} {name}", flush=True)
            if said == "missed":
                result["survivors"].append({"mutant": name, "now": "open"})
            if given.json:
                Path(given.json).write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
