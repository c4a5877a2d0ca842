//! Draws cases, releases them, puts each release before an adversary, and counts.

use std::path::{Path, PathBuf};

use incrowd::{AnonymizeOptions, Anonymized, Engine, Error, ReadOptions, Settings, Source, anonymize};
use tempfile::TempDir;

use super::case::{Case, Wanted};
use super::published::Published;
use super::table::TOWNS;

/// Cases of each claim when the environment does not say how many.
const CASES: u64 = 100;

/// A folder for one case after the other.
pub(crate) struct Desk {
    folder: TempDir,
    pub(crate) engine: Engine,
}

/// A release that was published, with everything about it.
pub(crate) struct Released<'a> {
    pub(crate) case: &'a Case,
    pub(crate) answer: Anonymized,
    /// The public folder.
    pub(crate) folder: PathBuf,
    pub(crate) published: Published,
}

/// What an adversary found: whether the claim was made at all, or a counterexample.
pub(crate) type Found = Result<bool, String>;

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { temp: Some(folder.path().join("temp")), threads: Some(1), ..Settings::default() };
        std::fs::write(folder.path().join("towns.csv"), TOWNS).unwrap();
        Desk { engine: Engine::new(&settings).unwrap(), folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn source(&self) -> Source {
        let path = self.path("table.csv");
        Source::open(&self.engine, path.to_str().unwrap(), ReadOptions::default()).unwrap()
    }

    pub(crate) fn release(&self, options: &AnonymizeOptions, name: &str) -> incrowd::Result<Anonymized> {
        anonymize(&self.engine, &self.source(), options, &self.path(name))
    }

    /// Every name in the folder beyond those of the table and the releases.
    fn left_behind(&self, releases: &[&str]) -> Vec<String> {
        let names = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.retain(|name| !["table.csv", "towns.csv", "temp"].contains(&name.as_str()));
        names.retain(|name| !releases.iter().any(|release| name == release || *name == format!("{release}.internal")));
        names
    }

    fn clear(&self) {
        for entry in std::fs::read_dir(self.folder.path()).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() && entry.file_name() != "temp" {
                std::fs::remove_dir_all(entry.path()).unwrap();
            }
        }
    }
}

/// Draws cases, publishes each, and fails with the first counterexample that `adversary` finds.
///
/// Every refusal is looked at too: it says no cell of the table, and it leaves nothing behind.
pub(crate) fn refute(claim: &str, wanted: Wanted, adversary: impl Fn(&Desk, &Released<'_>) -> Found) {
    let cases = std::env::var("INCROWD_REFUTE_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(CASES);
    let first = claim.bytes().fold(0u64, |number, byte| number.wrapping_mul(131).wrapping_add(u64::from(byte)));
    let desk = Desk::new();
    let (mut released, mut met) = (0u64, 0u64);
    for number in (0..cases).map(|number| first.wrapping_add(number)) {
        let case = Case::draw(number, wanted, desk.folder.path());
        std::fs::write(desk.path("table.csv"), case.table.csv()).unwrap();
        let found = match desk.release(&case.options, "release") {
            Ok(answer) => {
                released += 1;
                let folder = desk.path("release");
                let published = Published::read(&folder);
                let release = Released { case: &case, answer, folder, published };
                adversary(&desk, &release)
            }
            Err(error) => refused(&desk, &case, &error),
        };
        match found {
            Ok(claimed) => met += u64::from(claimed),
            Err(counterexample) => panic!("{claim}: case {number} is a counterexample: {counterexample}"),
        }
        desk.clear();
    }
    println!("{claim:28} {cases:>8} cases {released:>8} released {met:>8} with the claim made, 0 refuted");
    assert!(met * 10 >= cases, "{claim}: the claim was made in {met} of {cases} cases, too few to mean anything");
}

/// A refusal prints no cell of the table and leaves nothing behind; a fault of the program's own is no refusal.
fn refused(desk: &Desk, case: &Case, error: &Error) -> Found {
    let said = error.to_string();
    if matches!(error, Error::Unverified(_) | Error::Leak { .. }) {
        return Err(format!("the program refused its own release: {said}"));
    }
    let telling = |cell: &&String| cell.len() >= 6 && !cell.starts_with(|letter: char| letter.is_ascii_digit());
    if let Some(cell) = case.table.rows.iter().flatten().flatten().filter(telling).find(|cell| said.contains(*cell)) {
        return Err(format!("a refusal quotes the cell {cell}: {said}"));
    }
    nothing_left(desk, &[])?;
    Ok(false)
}

/// Nothing stands beside the table and its releases.
pub(crate) fn nothing_left(desk: &Desk, releases: &[&str]) -> Result<(), String> {
    let left = desk.left_behind(releases);
    if left.is_empty() { Ok(()) } else { Err(format!("left behind: {}", left.join(", "))) }
}

/// The public folder of a release as a recipient gets it: without the custodian's record beside it.
pub(crate) fn handed_over(desk: &Desk, release: &Path) -> PathBuf {
    let target = desk.path("handed-over");
    std::fs::create_dir(&target).unwrap();
    for entry in std::fs::read_dir(release).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), target.join(entry.file_name())).unwrap();
    }
    target
}
