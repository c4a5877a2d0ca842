//! Delta tables: folders of Parquet files with a log that says which of them are the table.
//!
//! A file stays in its folder when its rows were changed or deleted, so a folder with a log must not be read as a folder of
//! files: removed people would come back. The log is read by the protocol of Delta Lake (protocol.md of its project,
//! readers of version 1, and of later versions if what they added is not used): the last checkpoint, then the commits
//! after it, one JSON action for each line. `TABLE@v7` is the table as version 7 has it. Of a table in an object store, these
//! files of the log are fetched first (`stores/delta_table.rs`).
//!
//! By hand: the crate `deltalake-core` would bring a second HTTP client and a second TLS library into every build. What is
//! not understood is refused: deletion vectors, mapped columns, partitions.
//!
//! Iceberg tables are recognized, and refused: the crate `iceberg` needs an older version of Arrow.

mod actions;
mod checkpoint;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use url::Url;

use self::actions::{Action, DeltaState};
use crate::runtime::error::{EngineError, LakehouseFault, Result};
use crate::runtime::limits::ReadLimits;
use crate::source::files::TableFile;

/// The folder of the log.
pub(crate) const LOG: &str = "_delta_log";
/// The longest line of a log that is read: one action.
const MOST_LINE: u64 = 64 << 20;

/// The files of a Delta table, if that is what was named.
pub(crate) fn find(named: &str, limits: &ReadLimits) -> Result<Option<Vec<TableFile>>> {
    let whole = Path::new(named);
    let (folder, version) = match named_version(named) {
        Some((folder, version)) if !whole.exists() => (Path::new(folder), Some(version)),
        _ => (whole, None),
    };
    if !folder.is_dir() {
        return Ok(None);
    }
    if folder.join(LOG).is_dir() {
        let steps = DeltaLog::of(names_in(&folder.join(LOG))?).steps(folder, version)?;
        let files = steps.files(folder, folder, limits)?;
        return Ok(Some(files.into_iter().map(|(whole, _)| TableFile::from(whole)).collect()));
    }
    if is_iceberg(folder) || folder.ends_with("data") && folder.parent().is_some_and(is_iceberg) {
        return Err(refused(folder, LakehouseFault::Iceberg));
    }
    Ok(None)
}

/// The name of a table and the version of it that is asked for: `table@v7`.
pub(crate) fn named_version(named: &str) -> Option<(&str, u64)> {
    let (folder, version) = named.rsplit_once("@v")?;
    Some((folder, version.parse().ok()?))
}

fn names_in(log: &Path) -> Result<Vec<String>> {
    let failed = |error| EngineError::io(log, error);
    let entries = std::fs::read_dir(log).map_err(failed)?;
    entries.map(|entry| Ok(entry.map_err(failed)?.file_name().to_string_lossy().into_owned())).collect()
}

/// Whether a folder holds the metadata of an Iceberg table.
fn is_iceberg(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder.join("metadata")) else { return false };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().ends_with(".metadata.json"))
}

fn refused(folder: &Path, fault: LakehouseFault) -> EngineError {
    EngineError::Lakehouse { path: folder.into(), fault }
}

/// The files of a log, by the versions that they make.
pub(crate) struct DeltaLog {
    commits: BTreeSet<u64>,
    /// Complete checkpoints.
    checkpoints: BTreeMap<u64, Vec<String>>,
}

impl DeltaLog {
    /// A log with files of these names.
    pub(crate) fn of(names: impl IntoIterator<Item = String>) -> DeltaLog {
        let (mut commits, mut parts): (_, BTreeMap<(u64, u64), Vec<String>>) = Default::default();
        for name in names {
            let words: Vec<&str> = name.split('.').collect();
            let Some(version) = words.first().filter(|word| word.len() == 20).and_then(|word| word.parse().ok()) else {
                continue;
            };
            match words[1..] {
                ["json"] => {
                    BTreeSet::insert(&mut commits, version);
                }
                ["checkpoint", "parquet"] => parts.entry((version, 1)).or_default().push(name),
                ["checkpoint", part, of, "parquet"] if part.len() == 10 => {
                    parts.entry((version, of.parse().unwrap_or(u64::MAX))).or_default().push(name);
                }
                _ => {}
            }
        }
        let complete = parts.into_iter().filter(|((_, of), files)| files.len() as u64 == *of);
        DeltaLog { commits, checkpoints: complete.map(|((version, _), files)| (version, files)).collect() }
    }

    /// What makes a version of the table that was named, or the last one.
    pub(crate) fn steps(&self, named: &Path, asked: Option<u64>) -> Result<LogSteps> {
        let known = self.commits.iter().chain(self.checkpoints.keys()).copied();
        let last = known.max().ok_or_else(|| refused(named, LakehouseFault::Damaged))?;
        let version = asked.unwrap_or(last);
        let from = self.checkpoints.range(..=version).next_back();
        let first = from.map_or(0, |(checkpoint, _)| checkpoint.saturating_add(1));
        // A log whose first commits were removed has the versions from its first checkpoint on.
        if version > last || (first..=version).any(|commit| !self.commits.contains(&commit)) {
            return Err(refused(named, LakehouseFault::NoVersion { version, last }));
        }
        let commits = (first..=version).map(|commit| format!("{commit:020}.json")).collect();
        Ok(LogSteps { checkpoint: from.map(|(_, files)| files.clone()).unwrap_or_default(), commits })
    }
}

/// The files of a log that make a version, in their order.
pub(crate) struct LogSteps {
    checkpoint: Vec<String>,
    commits: Vec<String>,
}

impl LogSteps {
    /// Their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.checkpoint.iter().chain(&self.commits).map(String::as_str)
    }

    /// The files of the table, sorted, if these steps are in the log of a folder: as files of the folder, and by their names in
    /// it. Messages are about what was named.
    pub(crate) fn files(&self, folder: &Path, named: &Path, limits: &ReadLimits) -> Result<Vec<(PathBuf, PathBuf)>> {
        let folder = folder.canonicalize().map_err(|error| EngineError::io(named, error))?;
        let elsewhere = || refused(named, LakehouseFault::FilesElsewhere);
        let mut state = DeltaState::new(Url::from_directory_path(&folder).map_err(|()| elsewhere())?);
        for name in &self.checkpoint {
            let damaged = || refused(named, LakehouseFault::Damaged);
            let actions = checkpoint::read(&folder.join(LOG).join(name), limits)?.ok_or_else(damaged)?;
            state.commit(actions).map_err(|fault| refused(named, fault))?;
        }
        for name in &self.commits {
            let actions = read_commit(&folder.join(LOG).join(name), named)?;
            state.commit(actions).map_err(|fault| refused(named, fault))?;
        }
        let addresses = state.files().map_err(|fault| refused(named, fault))?;
        let both = |address: &Url| {
            let path = address.to_file_path().ok()?;
            let inside = path.strip_prefix(&folder).ok()?.to_path_buf();
            Some((path, inside))
        };
        let mut files = addresses.iter().map(both).collect::<Option<Vec<_>>>().ok_or_else(elsewhere)?;
        files.sort();
        Ok(files)
    }
}

/// The actions of a commit.
fn read_commit(path: &Path, named: &Path) -> Result<Vec<Action>> {
    let failed = |error| EngineError::io(path, error);
    let mut lines = BufReader::new(File::open(path).map_err(failed)?);
    let (mut line, mut actions) = (Vec::new(), Vec::new());
    while std::io::Read::take(&mut lines, MOST_LINE).read_until(b'\n', &mut line).map_err(failed)? > 0 {
        if !line.trim_ascii().is_empty() {
            let action: Action = serde_json::from_slice(&line).map_err(|_| refused(named, LakehouseFault::Damaged))?;
            actions.push(action);
        }
        line.clear();
    }
    Ok(actions)
}

#[cfg(test)]
mod tests;
