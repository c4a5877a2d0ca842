//! The ledger: what a custodian has released, so that the same people are not released twice without a word.
//!
//! Each release may be safe alone, and two of the same people may identify them together. For every release the
//! ledger keeps who was in it as a sketch: the least hashes of the quasi-identifier tuples under a key that only the
//! ledger has. Two sketches tell which share of people two tables have in common (bottom-k sketches, Broder 1997),
//! without saying who. The file holds a key, so it belongs to the custodian like the internal record.
//!
//! The ledger is read and written under a lock on its folder, as releases are named.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use incrowd_core::FrequencyTable;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::StagedRelease;
use super::staging_folder::{ParentLock, is_link, make, parts, sweep_file, sync_parent};
use crate::error::{Error, Result};
use crate::texts::{MOST_RECORD_BYTES, json_of, text_of};

/// The name of a ledger that is being written, in a hidden folder.
const LEDGER: &str = "ledger";
/// This many hashes are kept of each release: the share in common is known to about 3 %.
const HASHES: usize = 1024;
/// Below this share nothing is said: tables of different people have some tuples in common.
const WORTH_SAYING: f64 = 0.05;

/// The file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// The version of this form. Always 1.
    incrowd_ledger: u32,
    /// The key of the hashes, in hexadecimal digits.
    key: String,
    /// What was released, oldest first.
    releases: Vec<LedgerEntry>,
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the key: anyone who has it can try people against the sketches.
        f.debug_struct("Ledger").field("releases", &self.releases.len()).finish_non_exhaustive()
    }
}

/// One release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// Its id.
    pub release: String,
    /// When it was made.
    pub created: String,
    /// The table it was made from.
    pub source: String,
    /// The quasi-identifiers, sorted.
    pub columns: Vec<String>,
    /// Rows of the table.
    pub rows: u64,
    /// The least hashes of its tuples, sorted.
    sketch: Vec<u64>,
}

/// A release of people who are released again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReleasedBefore {
    /// Its id.
    pub release: String,
    /// When it was made.
    pub created: String,
    /// The estimated share of this table's quasi-identifier tuples that stand in that one too; nothing when the
    /// quasi-identifiers differ, so that only the table's name tells.
    pub share: Option<f64>,
}

impl Ledger {
    /// Reads a ledger, or begins one. What is begun is written at once, so that runs at the same time have one key.
    pub fn open(path: &Path) -> Result<Ledger> {
        let _lock = ParentLock::take(path)?;
        if let Some(ledger) = Ledger::read(path)? {
            return Ok(ledger);
        }
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|_| Error::NoRandomness)?;
        let key = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let ledger = Ledger { incrowd_ledger: 1, key, releases: Vec::new() };
        ledger.write(path)?;
        Ok(ledger)
    }

    /// The ledger of a file; nothing when there is no file.
    fn read(path: &Path) -> Result<Option<Ledger>> {
        let text = match text_of(path, MOST_RECORD_BYTES) {
            Err(Error::File { kind: std::io::ErrorKind::NotFound, .. }) => return Ok(None),
            read => read?,
        };
        let ledger: Option<Ledger> = serde_json::from_str(&text).ok();
        ledger.filter(|ledger| ledger.incrowd_ledger == 1).map(Some).ok_or_else(|| Error::DamagedRecord(path.into()))
    }

    /// The same key without a release: what others need to make an entry, and no more.
    #[cfg(feature = "cluster")]
    pub(crate) fn without_releases(&self) -> Ledger {
        Ledger { releases: Vec::new(), ..self.clone() }
    }

    /// What a table of these quasi-identifiers looks like to the ledger. The release's id is filled in later.
    pub fn entry(&self, table: &FrequencyTable, quasi_identifiers: &[String], source: &str) -> LedgerEntry {
        let mut columns = quasi_identifiers.to_vec();
        columns.sort();
        let at: Vec<usize> = columns.iter().filter_map(|name| table.position(name)).collect();
        let hash = |tuple: usize| {
            let mut sum = Sha256::new_with_prefix(self.key.as_bytes());
            for &column in &at {
                let code = table.code(tuple, column);
                sum.update(table.attributes()[column].dictionary.label(code).as_bytes());
                sum.update([0]);
            }
            let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = sum.finalize().into();
            u64::from_le_bytes([a, b, c, d, e, f, g, h])
        };
        let keep = |mut least: BTreeSet<u64>, hash: u64| {
            if least.len() < HASHES || least.last().is_some_and(|last| hash < *last) {
                least.insert(hash);
                if least.len() > HASHES {
                    least.pop_last();
                }
            }
            least
        };
        let merge = |one: BTreeSet<u64>, other: BTreeSet<u64>| other.into_iter().fold(one, keep);
        let least =
            (0..table.tuples()).into_par_iter().map(hash).fold(BTreeSet::new, keep).reduce(BTreeSet::new, merge);
        LedgerEntry {
            release: String::new(),
            created: String::new(),
            source: source.into(),
            columns,
            rows: table.rows(),
            sketch: least.into_iter().collect(),
        }
    }

    /// The releases that hold some of the same people, most recent first.
    pub fn released_before(&self, entry: &LedgerEntry) -> Vec<ReleasedBefore> {
        let before = |other: &LedgerEntry| {
            let share = (other.columns == entry.columns).then(|| entry.share_in(other));
            let same = share.map_or(other.source == entry.source, |share| share >= WORTH_SAYING);
            let (release, created) = (other.release.clone(), other.created.clone());
            same.then_some(ReleasedBefore { release, created, share })
        };
        self.releases.iter().rev().filter_map(before).collect()
    }

    /// Adds a release to what the file holds by now, and gives the releases of the same people before it. Runs at the
    /// same time do so one after the other: no entry is lost.
    pub fn add(self, path: &Path, entry: LedgerEntry) -> Result<Vec<ReleasedBefore>> {
        let _lock = ParentLock::take(path)?;
        let mut ledger = Ledger::read(path)?
            .filter(|ledger| ledger.key == self.key)
            .ok_or_else(|| Error::LedgerReplaced(path.into()))?;
        let before = ledger.released_before(&entry);
        ledger.releases.push(entry);
        ledger.write(path)?;
        Ok(before)
    }

    /// Writes the file anew, completely or not.
    fn write(&self, path: &Path) -> Result<()> {
        let text = json_of(self, path)?;
        // A link stays a link to the ledger.
        let path =
            &if is_link(path) { path.canonicalize().map_err(|_| Error::Link(path.into()))? } else { path.into() };
        let (parent, name) = parts(path)?;
        let failed = |error: std::io::Error| Error::file(path, &error);
        sweep_file(&parent, &name, LEDGER).map_err(failed)?;
        let (hidden, lock, _leftover) = make(&parent, &name).map_err(failed)?;
        let partial = hidden.join(LEDGER);
        let written = StagedRelease::write_private(&partial, &text)
            .and_then(|()| std::fs::rename(&partial, path).map_err(failed))
            .and_then(|()| sync_parent(path));
        // After a failure the file is there; nothing can be done about a failure to remove it.
        let _ = std::fs::remove_file(&partial);
        let _ = std::fs::remove_dir(&hidden);
        drop(lock);
        written
    }
}

impl LedgerEntry {
    /// Takes over another part of the same table: the least hashes of both are those of the whole.
    pub fn merge(&mut self, other: LedgerEntry) {
        let both: BTreeSet<u64> = self.sketch.iter().copied().chain(other.sketch).collect();
        self.sketch = both.into_iter().take(HASHES).collect();
        self.rows += other.rows;
        (self.source, self.columns) = (other.source, other.columns);
    }

    /// The estimated share of this entry's tuples that stand in another.
    fn share_in(&self, other: &LedgerEntry) -> f64 {
        let (mine, theirs): (BTreeSet<u64>, BTreeSet<u64>) =
            (self.sketch.iter().copied().collect(), other.sketch.iter().copied().collect());
        // Up to the lesser of the two last hashes both sketches are complete.
        let complete =
            |sketch: &BTreeSet<u64>| if sketch.len() < HASHES { u64::MAX } else { sketch.last().copied().unwrap_or(0) };
        let limit = complete(&mine).min(complete(&theirs));
        let seen = mine.range(..=limit).count();
        let both = mine.range(..=limit).filter(|hash| theirs.contains(hash)).count();
        both as f64 / seen.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Attribute, Dictionary, Role, Values};

    use super::*;

    fn table(ages: std::ops::Range<i64>) -> FrequencyTable {
        let values: Vec<i64> = ages.collect();
        let tuples: Vec<([u32; 1], u64)> = (0..values.len() as u32).map(|code| ([code], 1)).collect();
        let age = Attribute::new("age", Role::QuasiIdentifier, Dictionary::new(Values::Integers(values), false));
        FrequencyTable::from_tuples(vec![age], tuples)
    }

    fn released(ledger: &Ledger, ages: std::ops::Range<i64>) -> LedgerEntry {
        ledger.entry(&table(ages), &["age".to_string()], "people.csv")
    }

    #[test]
    fn parts_of_a_table_are_entered_as_the_table() {
        let ledger = Ledger::open(&tempfile::tempdir().unwrap().path().join("ledger.json")).unwrap();
        let mut parts = LedgerEntry::default();
        parts.merge(released(&ledger, 0..700));
        parts.merge(released(&ledger, 700..3_000));
        assert_eq!(parts, released(&ledger, 0..3_000));
    }

    #[test]
    fn what_a_dead_run_left_of_a_ledger_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["ledger.json.partial-1-0", "ledger.json.partial-2-0", "other.json.partial-1-0"];
        let [dead, foreign, other] = names.map(|name| folder.path().join(format!(".{name}")));
        for path in [&dead, &foreign, &other] {
            std::fs::create_dir(path).unwrap();
            std::fs::write(path.join(LEDGER), "{}").unwrap();
        }
        std::fs::write(foreign.join("notes.txt"), "mine").unwrap();
        let path = folder.path().join("ledger.json");
        Ledger::open(&path).unwrap();
        assert!(!dead.exists() && foreign.join("notes.txt").exists() && other.join(LEDGER).exists());
    }

    #[test]
    fn the_share_of_the_same_people_is_estimated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.json");
        let ledger = Ledger::open(&path).unwrap();
        let first = LedgerEntry { release: "one".into(), ..released(&ledger, 0..20_000) };
        ledger.add(&path, first).unwrap();
        let ledger = Ledger::open(&path).unwrap();
        let before = ledger.released_before(&released(&ledger, 10_000..30_000));
        let share = before[0].share.unwrap();
        assert!((share - 0.5).abs() < 0.1, "{share}");
        assert_eq!(ledger.released_before(&released(&ledger, 50_000..60_000)), []);
        let all = ledger.released_before(&released(&ledger, 0..500));
        assert_eq!(all[0].share, Some(1.0), "a small table within a large one");
    }

    #[test]
    fn with_other_quasi_identifiers_only_the_name_of_the_table_is_compared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.json");
        let ledger = Ledger::open(&path).unwrap();
        let other = LedgerEntry { columns: vec!["town".into()], release: "one".into(), ..released(&ledger, 0..50) };
        ledger.add(&path, other).unwrap();
        let ledger = Ledger::open(&path).unwrap();
        let entry = released(&ledger, 0..50);
        assert_eq!(ledger.released_before(&entry)[0].share, None);
        assert_eq!(ledger.released_before(&LedgerEntry { source: "x.csv".into(), ..entry }), []);
    }

    #[test]
    fn of_releases_at_the_same_time_every_one_is_entered_and_the_later_know_of_the_earlier() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.json");
        let barrier = std::sync::Barrier::new(8);
        let mut known: Vec<usize> = std::thread::scope(|scope| {
            let (path, barrier) = (&path, &barrier);
            let run = move |number: usize| {
                barrier.wait();
                let ledger = Ledger::open(path).unwrap();
                let entry = LedgerEntry { release: number.to_string(), ..released(&ledger, 0..50) };
                barrier.wait();
                ledger.add(path, entry).unwrap().len()
            };
            let runs: Vec<_> = (0..8).map(|number| scope.spawn(move || run(number))).collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        known.sort_unstable();
        assert_eq!(known, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(Ledger::open(&path).unwrap().releases.len(), 8);
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "neither a lock nor a half-written file is left"
        );
    }

    #[test]
    fn an_entry_under_another_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.json");
        let ledger = Ledger::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let entry = released(&ledger, 0..50);
        assert!(matches!(ledger.clone().add(&path, entry.clone()), Err(Error::LedgerReplaced(_))));
        Ledger::open(&path).unwrap();
        assert!(matches!(ledger.add(&path, entry), Err(Error::LedgerReplaced(_))));
    }

    #[test]
    fn a_damaged_ledger_is_refused_and_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.json");
        std::fs::write(&path, "{").unwrap();
        assert!(matches!(Ledger::open(&path), Err(Error::DamagedRecord(_))));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{");
    }
}
