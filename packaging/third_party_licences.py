#!/usr/bin/env python3
"""Collects the licences of everything that is compiled into the wheel and the binary, into one file.

    packaging/third_party_licences.py --output THIRD-PARTY-LICENSES [--package incrowd-python]

Asks `cargo metadata` for the packages that are linked in (not those that only build or test), and takes the licence
texts from their sources. A text that several packages share stands once. No path of the machine is written, and the
same lock file gives the same bytes. A package that states no licence is refused.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXTS = re.compile(r"^(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)


def metadata() -> dict:
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def linked(told: dict, package: str) -> list[dict]:
    """The packages of others that are linked into ours, sorted by name and version."""
    packages = {one["id"]: one for one in told["packages"]}
    nodes = {node["id"]: node for node in told["resolve"]["nodes"]}
    start = next(one["id"] for one in told["packages"] if one["name"] == package)
    met, waiting = {start}, [start]
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if normal and dependency["pkg"] not in met:
                met.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    others = [packages[one] for one in met if packages[one]["source"] is not None]
    return sorted(others, key=lambda one: (one["name"], one["version"]))


def texts(package: dict) -> list[str]:
    """The licence texts in the source of a package."""
    folder = Path(package["manifest_path"]).parent
    named = [folder / package["license_file"]] if package.get("license_file") else []
    found = sorted(path for path in folder.iterdir() if path.is_file() and TEXTS.match(path.name))
    read = [path.read_text(encoding="utf-8", errors="replace").strip() for path in dict.fromkeys(named + found)]
    return [text.replace("\r\n", "\n") for text in read if text]


def main() -> None:
    parser = argparse.ArgumentParser(description="Collects the licences of dependencies into one file.")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--package", default="incrowd-python")
    words = parser.parse_args()
    packages = linked(metadata(), words.package)
    bare = [one["name"] for one in packages if not one.get("license") and not one.get("license_file")]
    if bare:
        sys.exit(f"no licence is stated by: {', '.join(bare)}")
    shared: dict[str, list[str]] = {}
    lines = ["Licences of the packages that are compiled into incrowd.", ""]
    for one in packages:
        name = f"{one['name']} {one['version']}"
        lines.append(f"{name}: {one.get('license') or 'see its text below'}")
        for text in texts(one):
            shared.setdefault(text, []).append(name)
    for text, names in shared.items():
        lines += ["", "=" * 100, ", ".join(names), "-" * 100, text]
    written = "\n".join(lines) + "\n"
    if str(Path.home()) in written or str(ROOT) in written:
        sys.exit("a path of this machine stands in the licences")
    words.output.write_text(written, encoding="utf-8")
    silent = [one["name"] for one in packages if not texts(one)]
    print(f"{len(packages)} packages, {len(shared)} different texts, {len(written):,} letters; "
          f"{len(silent)} packages state a licence and bring no text")


if __name__ == "__main__":
    main()
