//! Other people's files, whatever is asked: every command with every option that writes, in a folder full of them.
//!
//! `INCROWD_FOREIGN_CASES` sets how many combinations of command, target and `--force` are tried; all when it is `all`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::Desk;

/// Combinations that the gate tries.
const CASES: usize = 90;

/// A command with the option that writes; its target is added.
pub(super) struct Writer {
    pub(super) words: &'static [&'static str],
    pub(super) option: &'static str,
    /// Whether `--force` is an option of it.
    force: bool,
    /// Whether a plain file that is named with `--force` is replaced.
    replaces_files: bool,
}

const fn writer(words: &'static [&'static str], option: &'static str, force: bool, replaces_files: bool) -> Writer {
    Writer { words, option, force, replaces_files }
}

const RELEASE: &[&str] = &[
    "anonymize",
    "people.csv",
    "--qi",
    "age,sex",
    "--sensitive",
    "illness",
    "--rows-are-people",
    "--k",
    "2",
    "--no-bound",
    "--no-report",
    "-q",
];

/// A release into a place of its own, for options that write beside it.
const ASIDE: &[&str] = &[
    "anonymize",
    "people.csv",
    "--qi",
    "age,sex",
    "--sensitive",
    "illness",
    "--rows-are-people",
    "--k",
    "2",
    "--no-bound",
    "--no-report",
    "-q",
    "-o",
    "fresh-release",
];

pub(super) const WRITERS: &[Writer] = &[
    writer(RELEASE, "--output", true, false),
    writer(ASIDE, "--ledger", false, false),
    writer(ASIDE, "--temp", false, false),
    writer(ASIDE, "--events", false, false),
    writer(ASIDE, "--lineage", false, false),
    writer(&["init", "people.csv", "-q"], "--output", true, true),
    writer(&["hierarchy", "build", "people.csv", "--column", "age", "-q"], "--output", true, true),
    writer(&["sample", "--rows", "3", "-q"], "--output", true, true),
    writer(&["sample", "--rows", "3", "-q", "-o", "fresh.csv"], "--hierarchies", true, false),
    writer(&["confirm"], "", false, false),
];

/// What stands at a path.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    File { bytes: Vec<u8>, mode: u32, modified: (i64, i64), links: u64 },
    Link { to: PathBuf, modified: (i64, i64) },
    Folder { mode: u32 },
}

fn snapshot(folder: &Path, found: &mut BTreeMap<PathBuf, Found>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let about = path.symlink_metadata().unwrap();
        let modified = (about.mtime(), about.mtime_nsec());
        let what = if about.is_symlink() {
            Found::Link { to: std::fs::read_link(&path).unwrap(), modified }
        } else if about.is_dir() {
            snapshot(&path, found);
            Found::Folder { mode: about.mode() }
        } else {
            let bytes = std::fs::read(&path).unwrap();
            Found::File { bytes, mode: about.mode(), modified, links: about.nlink() }
        };
        found.insert(path, what);
    }
}

/// A folder full of other people's files, and another one on another file system where there is one.
struct ForeignFiles {
    desk: Desk,
    outside: tempfile::TempDir,
}

impl ForeignFiles {
    fn new() -> ForeignFiles {
        let desk = Desk::new();
        let shared = Path::new("/dev/shm");
        let outside = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() }.unwrap();
        let people: String = (0..12).map(|row| format!("{},{},flu\n", 20 + row / 2, ["f", "m"][row % 2])).collect();
        desk.write("people.csv", format!("age,sex,illness\n{people}"));
        desk.write("notes.txt", "mine");
        desk.write("manifest.json", "{\"name\": \"my app\"}");
        desk.write("app/manifest.json", "{\"name\": \"my app\"}");
        desk.write("app/data.csv", "precious");
        desk.write("app.internal/record.json", "precious");
        desk.write("fresh.internal/notes.txt", "precious");
        desk.write("locked.csv", "read-only");
        desk.write("plans/incrowd.toml", "[tool]\nname = 'not a plan'\n");
        desk.write("hierarchies/age.csv", "my;own;*\n");
        desk.write(".fresh.partial-1-0/precious.txt", "precious");
        desk.write(".fresh.partial-backup/public/data.csv", "precious");
        desk.write(".fresh.csv.partial", "precious");
        desk.write("ledger.json.partial", "precious");
        desk.write("-o", "a dash");
        desk.write("--force", "two dashes");
        desk.write("new\nline.csv", "two lines");
        desk.write("..hidden", "dots");
        let folder = desk.folder();
        std::fs::write(folder.join(OsStr::from_bytes(b"\xff\xfe.csv")), "no text").unwrap();
        std::fs::write(folder.join("l".repeat(255)), "long").unwrap();
        std::fs::write(outside.path().join("notes.csv"), "elsewhere").unwrap();
        std::fs::create_dir(outside.path().join("folder")).unwrap();
        std::fs::write(outside.path().join("folder/data.csv"), "elsewhere").unwrap();
        symlink("nowhere", folder.join("dangling")).unwrap();
        symlink(outside.path().join("notes.csv"), folder.join("link.csv")).unwrap();
        symlink(outside.path().join("folder"), folder.join("linked")).unwrap();
        std::fs::hard_link(folder.join("notes.txt"), folder.join("same-notes.txt")).unwrap();
        std::fs::set_permissions(folder.join("locked.csv"), PermissionsExt::from_mode(0o444)).unwrap();
        std::fs::create_dir(folder.join("closed")).unwrap();
        std::fs::write(folder.join("closed/notes.txt"), "closed").unwrap();
        std::fs::set_permissions(folder.join("closed"), PermissionsExt::from_mode(0o555)).unwrap();
        ForeignFiles { desk, outside }
    }

    /// What an option is pointed at.
    fn targets(&self) -> Vec<OsString> {
        let plain = [
            "fresh",
            "fresh.csv",
            "notes.txt",
            "same-notes.txt",
            "people.csv",
            "manifest.json",
            "app",
            "app/data.csv",
            "app/new",
            "app.internal",
            "locked.csv",
            "plans/incrowd.toml",
            "hierarchies",
            "dangling",
            "dangling/x",
            "link.csv",
            "linked",
            "linked/",
            "linked/new.csv",
            "closed/new.csv",
            "new\nline.csv",
            "..hidden",
            ".",
            "..",
            "./../desk-not-there/x",
            "",
            "/",
            "app/../notes.txt",
            "notes.txt/x",
            "-o",
            "./-o",
            "ledger.json",
        ];
        let mut targets: Vec<OsString> = plain.iter().map(OsString::from).collect();
        targets.push(OsStr::from_bytes(b"\xff\xfe.csv").into());
        targets.push(OsStr::from_bytes(b"\xff\xfd.csv").into());
        targets.push("l".repeat(255).into());
        targets.push("m".repeat(255).into());
        targets.push("n".repeat(5_000).into());
        targets.push(self.outside.path().join("notes.csv").into());
        targets.push(self.outside.path().join("folder").into());
        targets.push(self.outside.path().join("fresh.csv").into());
        targets
    }

    fn snapshot(&self) -> BTreeMap<PathBuf, Found> {
        let mut found = BTreeMap::new();
        snapshot(&self.desk.folder(), &mut found);
        snapshot(self.outside.path(), &mut found);
        found
    }

    /// Runs one command, and finds everything as it was: apart from what is new, and from a file that was named to be
    /// replaced.
    fn holds(&self, before: &BTreeMap<PathBuf, Found>, writer: &Writer, target: &OsStr, force: bool) {
        let mut command: Command = self.desk.command(writer.words);
        match writer.option {
            "" => command.arg("--").arg(target),
            option => {
                let mut word = OsString::from(option);
                word.push("=");
                word.push(target);
                command.arg(word)
            }
        };
        if force {
            command.arg("--force");
        }
        let output = command.output().unwrap();
        let said = format!("{:?} {target:?} force={force}: {output:?}", writer.words);
        assert!(matches!(output.status.code(), Some(0..=2)), "{said}");
        let after = self.snapshot();
        let named = self.desk.folder().join(target);
        let is_named = |path: &Path| named.canonicalize().is_ok_and(|named| named == path);
        let replaced = |path: &Path, found: &Found| {
            let writable = matches!(found, Found::File { mode, .. } if mode & 0o222 != 0);
            let is_source = path.ends_with("people.csv") && writer.words.contains(&"people.csv");
            force && writer.replaces_files && writable && is_named(path) && !is_source
        };
        for (path, found) in before {
            // The other name of a file that was replaced has one link less.
            let same = match (found, after.get(path)) {
                (
                    Found::File { bytes, mode, modified, .. },
                    Some(Found::File { bytes: b, mode: m, modified: t, .. }),
                ) => (bytes, mode, modified) == (b, m, t),
                (found, after) => Some(found) == after,
            };
            assert!(same || replaced(path, found), "{} was changed by {said}", path.display());
        }
        let new: Vec<&PathBuf> = after.keys().filter(|path| !before.contains_key(*path)).collect();
        let temporary = |path: &PathBuf| path.to_string_lossy().contains("/incrowd-");
        if !output.status.success() {
            // A ledger is begun before the release, and the folder of hierarchies before the table.
            let may_stay = |path: &PathBuf| {
                temporary(path) || ["--ledger", "--hierarchies", "--temp"].contains(&writer.option) && is_named(path)
            };
            let left: Vec<_> = new.iter().filter(|path| !may_stay(path)).collect();
            assert!(left.is_empty(), "{left:?} was left by {said}");
        }
        for path in new.into_iter().rev() {
            let about = path.symlink_metadata();
            match about {
                Ok(about) if about.is_dir() => drop(std::fs::remove_dir_all(path)),
                Ok(_) => std::fs::remove_file(path).unwrap(),
                Err(_) => {}
            }
        }
    }
}

#[test]
fn no_command_touches_the_files_of_others() {
    let files = ForeignFiles::new();
    let targets = files.targets();
    let mut cases: Vec<(&Writer, &OsString, bool)> = Vec::new();
    for writer in WRITERS {
        for target in &targets {
            cases.extend(
                [false, true].into_iter().filter(|force| writer.force || !force).map(|force| (writer, target, force)),
            );
        }
    }
    let asked = std::env::var("INCROWD_FOREIGN_CASES").unwrap_or_default();
    let count = if asked == "all" { cases.len() } else { asked.parse().unwrap_or(CASES).min(cases.len()) };
    let before = files.snapshot();
    let step = cases.len() as f64 / count as f64;
    for at in 0..count {
        let (writer, target, force) = cases[(at as f64 * step) as usize];
        // What is replaced on purpose is replaced in a folder of its own.
        if force && writer.replaces_files {
            let files = ForeignFiles::new();
            let target = files.targets()[targets.iter().position(|one| one == target).unwrap()].clone();
            files.holds(&files.snapshot(), writer, &target, force);
        } else {
            files.holds(&before, writer, target, force);
        }
    }
}

impl Drop for ForeignFiles {
    fn drop(&mut self) {
        // So that the folder can be removed.
        let _ = std::fs::set_permissions(self.desk.path("closed"), PermissionsExt::from_mode(0o755));
    }
}
