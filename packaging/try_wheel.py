#!/usr/bin/env python3
"""Installs a wheel with each of several Pythons and uses it as a new user would: check, anonymize, verify.

    packaging/try_wheel.py python/dist/incrowd-0.1.0-*.whl /usr/bin/python3.9 /usr/bin/python3.13

Nothing but the wheel is installed, without a package index. Then `uvx` and `pipx run` start the command line from the
wheel, if they are installed. Prints the size of the wheel and what `import incrowd` costs beside an empty interpreter:
the median CPU time of 31 pairs, which run in turn. Ends with "wheel: N passed, 0 failed".
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LARGEST = 25_000_000
SLOWEST_IMPORT = 0.060

USE = """
import incrowd
found = incrowd.check(incrowd.sample(rows=500))
made = incrowd.anonymize(incrowd.sample(rows=500), qi=["age", "sex", "education"], others="remove", k=5,
                         algorithm="mondrian", output="release")
verdict = incrowd.verify("release")
assert verdict, verdict
print(made)
"""


def run(*command, cwd=None, code=0):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode != code:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def import_cost(python: Path) -> float:
    """The median of what an import takes more than an empty interpreter."""

    def seconds(text: str) -> float:
        process = subprocess.Popen([python, "-c", text])
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, text
        return usage.ru_utime + usage.ru_stime

    seconds("import incrowd")
    return statistics.median(seconds("import incrowd") - seconds("pass") for _ in range(31))


def use_with(python: str, wheel: Path, work: Path) -> str:
    version = run(python, "-c", "import platform; print(platform.python_version())").strip()
    folder = work / version
    run(python, "-m", "venv", folder)
    inside = folder / "bin" / "python"
    run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", wheel)
    print(run(inside, "-c", USE, cwd=folder).strip())
    command = folder / "bin" / "incrowd"
    run(command, "sample", "--rows", "500", cwd=folder)
    # The sample is not safe to publish: check says so by its exit code.
    run(command, "check", "census.csv", cwd=folder, code=1)
    run(command, "verify", "release", cwd=folder)
    cost = import_cost(inside)
    print(f"passed: Python {version}; `import incrowd` takes {1000 * cost:.0f} ms of CPU time more than an empty interpreter")
    return f"import with Python {version}: {1000 * cost:.0f} ms" if cost > SLOWEST_IMPORT else ""


def main() -> int:
    wheel, pythons = Path(sys.argv[1]).resolve(), sys.argv[2:] or [sys.executable]
    faults, passed = [], 0
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    if wheel.stat().st_size > LARGEST:
        faults.append("the wheel is larger than 25 MB")
    with tempfile.TemporaryDirectory() as folder:
        for python in pythons:
            faults += filter(None, [use_with(python, wheel, Path(folder))])
            passed += 1
        run(sys.executable, "-c", "pass")
        for tool, words in {"uvx": ["uvx", "--offline", "--from", wheel], "pipx": ["pipx", "run", "--spec", wheel]}.items():
            if not shutil.which(tool):
                print(f"SKIPPED: {tool} is not installed")
                continue
            run(*words, "incrowd", "sample", "--rows", "500", "--force", cwd=folder)
            run(*words, "incrowd", "check", "census.csv", cwd=folder, code=1)
            print(f"passed: {tool}")
            passed += 1
    for fault in faults:
        print(f"FAILED: {fault}")
    print(f"wheel: {passed} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
