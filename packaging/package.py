#!/usr/bin/env python3
"""Packs a built binary as a tarball and as a Debian package, with man pages, completions and all licences.

    cargo build --locked --release --bin incrowd
    packaging/package.py target/release/incrowd --output dist

The same binary gives the same bytes: files carry the time of the last commit (or SOURCE_DATE_EPOCH) and belong to root.
The Debian package needs `dpkg-deb` and `dpkg-shlibdeps`; without them only the tarball is written.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/incrowd",
    "zsh": "usr/share/zsh/vendor-completions/_incrowd",
    "fish": "usr/share/fish/vendor_completions.d/incrowd.fish",
}
DESCRIPTION = """anonymize tables about people and prove the result
 incrowd reports which columns of a table together identify people, recodes the
 table with little information loss so that it satisfies k-anonymity and related
 models, verifies the written files independently, attacks the release, and
 writes the report that a data protection officer signs."""


def output(*command: str | Path, cwd: Path = ROOT) -> str:
    return subprocess.run([str(part) for part in command], cwd=cwd, check=True, capture_output=True, text=True).stdout


def time_of_sources() -> int:
    """When the sources were last changed, so that a package can be reproduced."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))


def write(path: Path, text: str | bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)


def commands(binary: Path) -> list[str]:
    """The subcommands, from the program's own completions."""
    listed = re.search(r'opts="([^"]*)"', output(binary, "completions", "bash").split("incrowd)", 1)[1])
    words = listed.group(1).split() if listed else []
    return [word for word in words if not word.startswith("-") and word != "help"]


def lay_out(binary: Path, root: Path) -> None:
    """The installed files below `root`."""
    write(root / "usr/bin/incrowd", binary.read_bytes(), 0o755)
    documents = root / "usr/share/doc/incrowd"
    for name in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]:
        write(documents / name, (ROOT / name).read_bytes())
    write(documents / "changelog.gz", gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), 9, mtime=0))
    third_party = [sys.executable, ROOT / "packaging/third_party_licences.py", "--package", "incrowd-cli"]
    output(*third_party, "--output", documents / "THIRD-PARTY-LICENSES")
    write(documents / "copyright", "incrowd is licensed under MIT or Apache-2.0, at your choice: LICENSE-MIT, LICENSE-APACHE.\n"
          "The licences of the libraries it contains are in THIRD-PARTY-LICENSES.\n")
    for shell, place in COMPLETIONS.items():
        write(root / place, output(binary, "completions", shell))
    for command in [None, *commands(binary)]:
        page = output(binary, "man", *([command] if command else []))
        name = f"incrowd-{command}" if command else "incrowd"
        write(root / f"usr/share/man/man1/{name}.1.gz", gzip.compress(page.encode(), 9, mtime=0))


def tarball(root: Path, name: str, when: int, into: Path) -> Path:
    """The same files in one folder, for systems without dpkg."""
    def as_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = when
        return entry

    path = into / f"{name}.tar.gz"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=when) as packed:
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for one in sorted((root / "usr").rglob("*")):
                archive.add(one, f"{name}/{one.relative_to(root / 'usr')}", recursive=False, filter=as_root)
    return path


def depends(binary: Path) -> str:
    """The packages whose libraries the binary loads, by dpkg-shlibdeps."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "debian/control", "Source: incrowd\n\nPackage: incrowd\nArchitecture: any\n")
        told = output("dpkg-shlibdeps", "-O", "--ignore-missing-info", binary.resolve(), cwd=Path(folder))
    return told.strip().removeprefix("shlibs:Depends=")


def debian(binary: Path, root: Path, version: str, when: int, into: Path) -> Path:
    architecture = output("dpkg", "--print-architecture").strip()
    size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file()) // 1024
    fields = {
        "Package": "incrowd",
        "Version": version,
        "Architecture": architecture,
        "Maintainer": "The incrowd contributors <incrowd@localhost>",
        "Installed-Size": str(size),
        "Depends": depends(binary),
        "Section": "science",
        "Priority": "optional",
        "Description": DESCRIPTION,
    }
    write(root / "DEBIAN/control", "".join(f"{field}: {text}\n" for field, text in fields.items()))
    for path in [root, *root.rglob("*")]:
        os.utime(path, (when, when))
        if path.is_dir():
            path.chmod(0o755)
    path = into / f"incrowd_{version}_{architecture}.deb"
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(when)}
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(path)],
                   check=True, env=environment, stdout=subprocess.DEVNULL)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("binary", type=Path, help="the built program")
    parser.add_argument("--output", type=Path, required=True, help="the folder for the packages")
    given = parser.parse_args()
    binary = given.binary.resolve()
    version = output(binary, "--version").split()[1]
    machine = os.uname()
    given.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        root, when = Path(folder) / "root", time_of_sources()
        lay_out(binary, root)
        written = [tarball(root, f"incrowd-{version}-{machine.sysname.lower()}-{machine.machine}", when, given.output)]
        if shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"):
            written.append(debian(binary, root, version, when, given.output))
        else:
            print("SKIPPED: dpkg-deb or dpkg-shlibdeps is not installed; no Debian package was written.")
    for path in written:
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
