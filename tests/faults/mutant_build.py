"""Builds a copy of the repository that has all mutants of the chosen crates, each switched on by a number.

schemata/ rewrites the sources: `a < b` becomes an expression that asks whether mutant 17 is on and then compares with `<=`. One
build has them all. A mutant that does not compile is written in another form, and left out if that does not compile either.
"""

import collections
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What is changed: of each crate the files and folders.
PLACES = {
    "incrowd-verify": ["crates/incrowd-verify/src"],
    "incrowd-core": ["crates/incrowd-core/src/policy", "crates/incrowd-core/src/generalize/recoding.rs"],
    "incrowd-algorithms": ["crates/incrowd-algorithms/src/solver/settle.rs"],
}
# The crates whose tests can notice a mutant of a crate. `incrowd` stands for its test `definitions`, which compares the verifier with core.
NOTICED_BY = {
    "incrowd-verify": ["incrowd-verify", "incrowd"],
    "incrowd-core": ["incrowd-core", "incrowd"],
    "incrowd-algorithms": ["incrowd-algorithms"],
}
# The test programs that are built; of the algorithms only those that call the repair on small tables.
TESTS = {
    "incrowd-verify": ["--lib", "--tests"],
    "incrowd-core": ["--lib", *(word for name in ("alpha_deassociation", "hierarchies", "worked_examples", "definitions") for word in ("--test", name))],
    "incrowd-algorithms": ["--lib", "--test", "local", "--test", "laws"],
}
MEMBERS = ["crates/incrowd-core", "crates/incrowd-algorithms", "crates/incrowd-verify", "crates/incrowd", "testdata"]
# Asked by every mutant. INCROWD_MUTANT is the number of the one that is on; INCROWD_MUTANTS_REACHED a file that gets the numbers of those asked for.
SWITCH = """//! Which mutant is on.
use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
enum Mode { On(u32), Record(std::fs::File, Vec<AtomicBool>) }
static MODE: LazyLock<Mode> = LazyLock::new(|| match std::env::var("INCROWD_MUTANTS_REACHED") {
    Ok(path) => Mode::Record(
        std::fs::OpenOptions::new().append(true).create(true).open(path).expect("a file for the mutants reached"),
        (0..LAST + 1).map(|_| AtomicBool::new(false)).collect(),
    ),
    Err(_) => Mode::On(std::env::var("INCROWD_MUTANT").map_or(0, |text| text.parse().expect("a number"))),
});
pub(crate) fn on(id: u32) -> bool {
    match &*MODE {
        Mode::On(mutant) => *mutant == id,
        Mode::Record(file, seen) => {
            if !seen[id as usize].swap(true, Ordering::Relaxed) {
                (&*file).write_all(format!("{id}\\n").as_bytes()).expect("the file can be written");
            }
            false
        }
    }
}
"""


def name_all(mutants: list[dict]) -> None:
    """Gives each mutant a name that stays when lines move: what is changed in which function, and which one of such changes it is."""
    count: collections.Counter = collections.Counter()
    for one in mutants:
        what = (one["file"], one["in"], one["from"], one["to"])
        count[what] += 1
        one["nth"], one["name"] = count[what], json.dumps([*what, count[what]], ensure_ascii=False)


def environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RUSTC_", "CLIPPY_"))}
    return kept | {"CARGO_TARGET_DIR": str(folder / "target"), "CARGO_INCREMENTAL": "0", "CARGO_NET_OFFLINE": "true"}


def cargo(folder: Path, *words: str) -> tuple[bool, list[dict]]:
    """Whether cargo succeeds in the copy, and its messages."""
    command = ["cargo", *words, "--message-format=json", "--config", "profile.dev.debug=0"]
    done = subprocess.run(command, cwd=folder / "copy", stdout=subprocess.PIPE, env=environment(folder))
    return done.returncode == 0, [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]


def put(folder: Path, files: dict[str, bytes]) -> None:
    """Writes files; one that has not changed keeps its time, so that it is not compiled again."""
    for name, content in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


class Build:
    """The copy, its mutants, and the programs of its tests."""

    def __init__(self, folder: Path, crates: list[str]):
        self.folder, self.crates = folder, crates
        self.forms: dict[str, int] = {}
        self.mutants: list[dict] = []
        folder.mkdir(parents=True, exist_ok=True)
        # The copy is built without the network: whatever its lock file can name is there before.
        subprocess.run(["cargo", "fetch", "--quiet", "--locked"], cwd=ROOT, check=True)
        self.copy_sources()
        self.tool = self.build_tool()

    def copy_sources(self) -> None:
        """Copies what is needed to build the crates and their tests."""
        names = subprocess.run(["git", "ls-files", *MEMBERS, "docs", "Cargo.lock"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
        wanted = {name: (ROOT / name).read_bytes() for name in names if name and (ROOT / name).is_file() and not name.startswith("crates/incrowd/")}
        wanted["crates/incrowd/tests/definitions.rs"] = (ROOT / "crates/incrowd/tests/definitions.rs").read_bytes()
        # All that `definitions` uses of the façade is core.
        wanted["crates/incrowd/src/lib.rs"] = b"pub use incrowd_core as core;\n"
        head = '[package]\nname = "incrowd"\nversion.workspace = true\nedition.workspace = true\nrust-version.workspace = true\n'
        wanted["crates/incrowd/Cargo.toml"] = (head + "[dependencies]\nincrowd-core.workspace = true\nincrowd-verify.workspace = true\nserde_json.workspace = true\n").encode()
        workspace = (ROOT / "Cargo.toml").read_text()
        for key in "members", "default-members":
            workspace = re.sub(rf"^{key} = \[.*?^\]", f"{key} = {json.dumps(MEMBERS)}", workspace, flags=re.M | re.S)
        wanted["Cargo.toml"] = re.sub(r"^exclude = .*$", "", workspace, flags=re.M).encode()
        copy, rewritten = self.folder / "copy", tuple(f"crates/{crate}/src/" for crate in self.crates)
        for path in copy.rglob("*"):
            if path.is_file() and str(path.relative_to(copy)) not in wanted and path.name != "mutant.rs":
                path.unlink()
        # The sources with mutants are written later, and the lock file is pruned by cargo.
        kept = {"Cargo.lock"} if (copy / "Cargo.lock").exists() else set()
        put(copy, {name: content for name, content in wanted.items() if name not in kept and not name.startswith(rewritten)})

    def build_tool(self) -> Path:
        target = self.folder / "tool"
        given = environment(self.folder) | {"CARGO_TARGET_DIR": str(target)}
        subprocess.run(["cargo", "build", "--quiet", "--locked", "--release"], cwd=ROOT / "tests/faults/schemata", env=given, check=True)
        return target / "release/schemata"

    def write(self, only_list: bool = False) -> None:
        """Lists the mutants, and writes them into the copy in the forms that are known to compile."""
        forms, staged = self.folder / "forms.json", self.folder / "staged"
        forms.write_text(json.dumps(self.forms))
        shutil.rmtree(staged, ignore_errors=True)
        self.mutants = []
        for crate in self.crates:
            shutil.copytree(ROOT / f"crates/{crate}/src", staged / f"crates/{crate}/src")
            done = subprocess.run([self.tool, staged, str(len(self.mutants) + 1), forms, *PLACES[crate]], stdout=subprocess.PIPE, check=True)
            self.mutants += [one | {"crate": crate} for one in json.loads(done.stdout)]
        for crate in self.crates:
            # A library's own file declares modules and has no mutants, so that no place moves.
            library = staged / f"crates/{crate}/src/lib.rs"
            library.write_text("#![allow(warnings, arithmetic_overflow, unconditional_panic)]\n" + library.read_text() + "\nmod mutant;\n")
            library.with_name("mutant.rs").write_text(SWITCH.replace("LAST", str(len(self.mutants))))
        name_all(self.mutants)
        if not only_list:
            put(self.folder / "copy", {str(path.relative_to(staged)): path.read_bytes() for path in staged.rglob("*") if path.is_file()})

    def compile(self) -> None:
        """Writes and compiles until what is left compiles."""
        known = self.folder / "unviable.json"
        kept = json.loads(known.read_text()) if known.exists() else {}
        self.write(only_list=True)
        self.forms = {str(one["id"]): kept[one["name"]] for one in self.mutants if one["name"] in kept}
        while True:
            self.write()
            done, messages = cargo(self.folder, "test", "--no-run", "--lib", *self.packages())
            errors = [one["message"] for one in messages if one["reason"] == "compiler-message" and one["message"]["level"] == "error"]
            if done:
                break
            blamed = self.blame(errors)
            print(f"{len(errors)} errors, {len(blamed)} mutants do not compile in this form", flush=True)
            for mutant in blamed:
                self.forms[str(mutant)] = self.forms.get(str(mutant), 0) + 1
        kept |= {one["name"]: self.forms[str(one["id"])] for one in self.mutants if str(one["id"]) in self.forms}
        known.write_text(json.dumps(kept, indent=0, ensure_ascii=False))

    def blame(self, errors: list[dict]) -> set[int]:
        """The mutants that the compiler objects to: of each error the innermost around one of its places."""
        of_file: dict[str, list] = {}
        for mutant in self.mutants:
            if self.forms.get(str(mutant["id"]), 0) < 2:
                of_file.setdefault(mutant["file"], []).extend((end - start, start, end, mutant["id"]) for start, end in mutant["bytes"])
        blamed, lost = set(), []
        for error in errors:
            spans = [span for span in error["spans"]] + [span for child in error["children"] for span in child["spans"]]
            for span in sorted(spans, key=lambda span: not span["is_primary"]):
                around = [one for one in of_file.get(span["file_name"], []) if one[1] <= span["byte_start"] and span["byte_end"] <= one[2]]
                if around:
                    blamed.add(min(around)[3])
                    break
            else:
                lost.append(error.get("rendered"))
        assert blamed, f"errors of no mutant: {lost[:3]}"
        return blamed

    def noticing(self) -> set[str]:
        """The crates whose tests are used."""
        return {crate for mutated in self.crates for crate in NOTICED_BY[mutated]}

    def packages(self) -> list[str]:
        # With what the tests of the verifier ask for where it is built, so that the features of dependencies stay, and with them their built code.
        crates = self.noticing() | ({"incrowd-verify"} if "incrowd" in self.noticing() else set())
        return [word for crate in sorted(crates) for word in ("-p", crate)]

    def unviable(self) -> set[int]:
        return {int(mutant) for mutant, form in self.forms.items() if form >= 2}

    def programs(self) -> list[tuple[str, Path, Path]]:
        """The test programs: their crate, where they run, and themselves."""
        targets = TESTS[self.crates[0]] if len(self.crates) == 1 else ["--lib", "--tests"]
        done, messages = cargo(self.folder, "test", "--no-run", *targets, *self.packages())
        assert done, "".join(one["message"]["rendered"] for one in messages if one["reason"] == "compiler-message" and one["message"]["level"] == "error")
        built = [one for one in messages if one["reason"] == "compiler-artifact" and one["executable"] and one["profile"]["test"]]
        folders = [(Path(one["manifest_path"]).parent, Path(one["executable"])) for one in built]
        return [(folder.name, folder, program) for folder, program in folders if folder.name in self.noticing()]
