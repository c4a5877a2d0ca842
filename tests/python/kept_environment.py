#!/usr/bin/env python3
"""Virtual environments with pinned packages, kept for the next run.

    kept_environment.py pandas==3.1.1 polars==2.1.0    # prints the folder

Installing packages takes longer than most tests that use them. An environment is known by its packages and its Python, so a
change of either makes another one.
"""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "incrowd" / "environments"


def environment(*packages: str) -> Path:
    """The folder of an environment with these packages; what pip says is raised when they cannot be installed."""
    digest = hashlib.sha256("\n".join([sys.version, *sorted(packages)]).encode()).hexdigest()[:16]
    folder = CACHE / digest
    # Written at the end, so that an installation that was interrupted is made again.
    complete = folder / "complete"
    if not complete.exists():
        venv.create(folder, clear=True, with_pip=True)
        pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        subprocess.run(pip, check=True, capture_output=True, text=True, timeout=900)
        complete.touch()
    return folder


if __name__ == "__main__":
    try:
        print(environment(*sys.argv[1:]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"{', '.join(sys.argv[1:])} cannot be installed:\n{error.stderr}")
