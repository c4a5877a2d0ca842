#!/usr/bin/env python3
"""Checks that each crate asks for no older version of a dependency than the one it is tested with.

    packaging/least_versions.py [--write]

A requirement like `chrono = "0.4"` promises that 0.4.0 will do, which no test has seen. The least version that a manifest
accepts has to be the one in the lock file; --write makes it so, after `cargo update`.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLES = ("dependencies", "dev-dependencies", "build-dependencies")


def locked(folder: Path) -> dict[str, dict[str, list[str]]]:
    """The locked versions of what each package depends on."""
    packages = tomllib.loads((folder / "Cargo.lock").read_text())["package"]
    of_name: dict[str, list[str]] = {}
    for package in packages:
        of_name.setdefault(package["name"], []).append(package["version"])
    found = {}
    for package in packages:
        words = [entry.split() for entry in package.get("dependencies", [])]
        deps = found.setdefault(package["name"], {})
        for name, *version in words:
            deps.setdefault(name, []).extend(version or of_name[name])
    return found


def accepts(requirement: str, version: str) -> bool:
    """Whether a version is one of a caret requirement."""
    asked, numbers = ([int(number) for number in text.split("-")[0].split("+")[0].split(".")] for text in (requirement, version))
    same = next((at + 1 for at, number in enumerate(asked) if number), len(asked))
    return numbers[:same] == asked[:same] and numbers >= asked


def too_low(folder: Path) -> dict[tuple[Path, str, str], str]:
    """The requirements of a workspace that accept an older version than the locked one, and the locked version."""
    top = tomllib.loads((folder / "Cargo.toml").read_text())
    shared = top["workspace"].get("dependencies", {})
    versions, wrong = locked(folder), {}
    for path in [folder / "Cargo.toml"] + [folder / member / "Cargo.toml" for member in top["workspace"].get("members", []) if member != "."]:
        manifest = tomllib.loads(path.read_text())
        tables = [manifest, *manifest.get("target", {}).values()]
        for name, entry in ((name, entry) for table in tables for kind in TABLES for name, entry in table.get(kind, {}).items()):
            is_shared = isinstance(entry, dict) and entry.get("workspace", False)
            entry = shared[name] if is_shared else entry
            entry = entry if isinstance(entry, dict) else {"version": entry}
            if "path" in entry or "version" not in entry:
                continue
            real, asked = entry.get("package", name), entry["version"]
            fits = [one for one in versions[manifest["package"]["name"]].get(real, []) if accepts(asked, one)]
            assert len(fits) == 1, f"{path}: {name} {asked} is {fits} in the lock file"
            least = fits[0].split("+")[0]
            if asked != least:
                wrong[(folder / "Cargo.toml" if is_shared else path, name, asked)] = least
    return wrong


def write(path: Path, name: str, asked: str, least: str) -> None:
    text = path.read_text()
    found = re.subn(rf'^({re.escape(name)} = (?:\{{[^\n]*?version = )?"){re.escape(asked)}"', rf'\g<1>{least}"', text, flags=re.M)
    assert found[1], f"{path}: {name} {asked} was not found"
    path.write_text(found[0])


def main() -> int:
    wrong = {place: least for folder in (ROOT, ROOT / "fuzz", ROOT / "tests/faults/schemata") for place, least in too_low(folder).items()}
    for (path, name, asked), least in wrong.items():
        if "--write" in sys.argv:
            write(path, name, asked, least)
        print(f"{path.relative_to(ROOT)}: {name} {asked} accepts versions older than {least}, with which it is tested")
    return 1 if wrong and "--write" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
