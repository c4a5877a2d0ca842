#!/usr/bin/env python3
"""What is linked, what runs while it is built, and whether a second build gives the same bytes.

    packaging/supply_chain.py --binary INCROWD [--builds FOLDER FOLDER …] [--json FILE]

- Every dependency of the command line with a build script, C or assembler code stands in native_code.json with its reason,
  and nothing else does.
- The list of components (name, version, checksum of the registry) is compared with the crates whose symbols are in INCROWD, a
  build that was not stripped: a crate that is linked and not listed is a fault. Crates of which every function was inlined or
  left out have no symbol; they are counted.
- Two folders of built code (CARGO_TARGET_DIR) are compared library by library: dependencies with one name were built from the
  same sources with the same settings, and their bytes have to agree. Those that were copied from one folder to the other,
  which their times show, are left out.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLATFORM = "x86_64-unknown-linux-gnu"
NATIVE = (".c", ".cc", ".cpp", ".s", ".S", ".asm")
# Crates of the compiler's own library.
STANDARD = {"std", "core", "alloc", "addr2line", "gimli", "object", "miniz_oxide", "rustc_demangle", "hashbrown", "memchr", "adler2",
            "panic_unwind", "std_detect", "cfg_if", "compiler_builtins", "unwind", "test", "getopts", "proc_macro", "panic_abort"}


def packages() -> dict:
    words = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", PLATFORM]
    found = json.loads(subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    return {(one["name"], one["version"]): one for one in found["packages"]}


def tree(kinds: str) -> set:
    """The names and versions of what the command line needs, with the features that the workspace is built with."""
    ours = ["-p", "incrowd-cli", "-p", "incrowd-features"]
    words = ["cargo", "tree", "--locked", "-e", kinds, "--target", PLATFORM, *ours, "--prefix", "none", "-f", "{p}"]
    said = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {(line.split()[0], line.split()[1].removeprefix("v")) for line in said.splitlines() if line}


def native(known: dict) -> tuple[dict, list]:
    reasons = json.loads((ROOT / "packaging/native_code.json").read_text())
    listed = {name: kind for kind, names in reasons.items() for name in names}
    found, faults = {}, []
    for name, version in sorted(tree("normal,build")):
        package = known[name, version]
        if package["source"] is None:
            continue
        script = any("custom-build" in target["kind"] for target in package["targets"])
        files = sum(file.endswith(NATIVE) for _, _, names in os.walk(Path(package["manifest_path"]).parent) for file in names)
        if script or files:
            found[name] = {"version": version, "build_script": script, "native_files": files, "kind": listed.get(name)}
            if name not in listed:
                faults.append(f"{name} has {'a build script' if script else 'native code'} and is not in native_code.json")
    faults += [f"{name} is in native_code.json and needs no reason any more" for name in sorted(set(listed) - set(found))]
    return found, faults


def components(known: dict) -> list[dict]:
    """The list of components, with the checksums of the lock file."""
    lock = (ROOT / "Cargo.lock").read_text()
    sums = {(name, version): digest for name, version, digest in re.findall(r'name = "(.*)"\nversion = "(.*)"\nsource = .*\nchecksum = "(\w+)"', lock)}
    listed = []
    for name, version in sorted(tree("normal")):
        package = known[name, version]
        listed.append({"name": name, "version": version, "licence": package["license"], "sha256": sums.get((name, version)),
                       "ours": package["source"] is None})
    return listed


def linked(binary: Path) -> set:
    """Crates that have a symbol in the binary."""
    said = subprocess.run(["nm", "--format=just-symbols", binary], capture_output=True, text=True, check=True).stdout
    crates = set()
    for name in said.splitlines():
        # `_ZN` and the length of the first part, which is a crate or, in an implementation, a bracket.
        for length, rest in re.findall(r"(?:_ZN|\.\.|\$LT\$|\$u20\$as\$u20\$|\$RF\$)(\d*)([a-z][a-z0-9_]*)(?=\.\.|\d|E|$)", name)[:1]:
            crates.add(rest[: int(length)] if length else rest)
        # The newer way: C, a disambiguator, and the length of the crate's name.
        crates |= {rest[: int(length)] for length, rest in re.findall(r"C(?:s[0-9A-Za-z]*_)(\d+)([a-z_][a-z0-9_]*)", name)}
    return crates


def compared(folders: list[Path]) -> dict:
    """Libraries that were built twice: how many agree byte by byte."""
    same, differ = [], []
    sides = [{path.name: path for path in (folder / "debug/deps").glob("*.rlib")} for folder in folders]
    # One that was copied was not built twice. Ours may have been changed in between.
    both = {name for name in set(sides[0]) & set(sides[1]) if abs(sides[0][name].stat().st_mtime - sides[1][name].stat().st_mtime) > 1}
    both = {name for name in both if not name.startswith("libincrowd")}
    for name in sorted(both):
        sums = [hashlib.sha256(side[name].read_bytes()).hexdigest() for side in sides]
        crate = re.sub(r"^lib(.*)-[0-9a-f]{16}\.rlib$", r"\1", name)
        if sums[0] == sums[1]:
            same.append(crate)
        else:
            differ.append(crate)
    return {"libraries": len(both), "same_bytes": len(same), "differ": sorted(differ)}


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--binary", type=Path)
    words.add_argument("--builds", nargs=2, type=Path)
    words.add_argument("--json")
    given = words.parse_args()
    known = packages()
    found, faults = native(known)
    listed = components(known)
    faults += [f"{one['name']} has no checksum" for one in listed if not one["ours"] and not one["sha256"]]
    # Licences and checksums are in Cargo.lock and in the licences of the packages; here is the list.
    result = {"native": found, "components": [f"{one['name']} {one['version']}" for one in listed]}
    print(f"{len(found)} dependencies with a build script or native code; {len(listed)} components")
    if given.binary:
        crates = linked(given.binary)
        names = {one["name"].replace("-", "_") for one in listed}
        # A library may have another name than its package.
        names |= {target["name"].replace("-", "_") for one in listed for target in known[one["name"], one["version"]]["targets"] if "lib" in target["kind"] or "rlib" in target["kind"]}
        everything = {name.replace("-", "_") for name, _ in known}
        unlisted = sorted((crates & everything) - names - STANDARD)
        faults += [f"{name} is linked and is no component" for name in unlisted]
        without = sorted(one["name"] for one in listed if one["name"].replace("-", "_") not in crates)
        result["linked"] = {"components_with_symbols": len(listed) - len(without), "without_symbols": without, "unlisted": unlisted}
        print(f"{len(listed) - len(without)} components have symbols in the binary, {len(without)} have none, {len(unlisted)} are linked and not listed")
    if given.builds:
        result["built_twice"] = compared(given.builds)
        print(f"built twice: {result['built_twice']}")
    result["faults"] = faults
    for fault in faults:
        print(f"FAULT {fault}")
    if given.json:
        Path(given.json).write_text(json.dumps(result, indent=1) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
