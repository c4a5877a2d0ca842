//! Delta tables: folders of Parquet files with a log that says which of them are the table.
//!
//! A file stays in its folder when its rows were changed or deleted, so a folder with a log must not be read as a folder of
//! files: removed people would come back. The log is read by the protocol of Delta Lake (protocol.md of its project,
//! readers of version 1, and of later versions if what they added is not used): the last checkpoint, then the commits
//! after it, one JSON action for each line. `TABLE@v7` is the table as version 7 has it.
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

const LOG: &str = "_delta_log";
/// The longest line of a log that is read: one action.
const MOST_LINE: u64 = 64 << 20;

/// The files of a Delta table, if that is what was named.
pub(crate) fn find(named: &str, limits: &ReadLimits) -> Result<Option<Vec<TableFile>>> {
    let whole = Path::new(named);
    let (folder, version) = match named.rsplit_once("@v").map(|(folder, version)| (folder, version.parse::<u64>())) {
        Some((folder, Ok(version))) if !whole.exists() => (Path::new(folder), Some(version)),
        _ => (whole, None),
    };
    if !folder.is_dir() {
        return Ok(None);
    }
    if folder.join(LOG).is_dir() {
        let files = DeltaLog::list(folder)?.files(version, limits)?;
        return Ok(Some(files.into_iter().map(TableFile::from).collect()));
    }
    if is_iceberg(folder) || folder.ends_with("data") && folder.parent().is_some_and(is_iceberg) {
        return Err(refused(folder, LakehouseFault::Iceberg));
    }
    Ok(None)
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
struct DeltaLog<'a> {
    folder: &'a Path,
    commits: BTreeSet<u64>,
    /// Complete checkpoints.
    checkpoints: BTreeMap<u64, Vec<PathBuf>>,
}

impl DeltaLog<'_> {
    fn list(folder: &Path) -> Result<DeltaLog<'_>> {
        let log = folder.join(LOG);
        let failed = |error| EngineError::io(&log, error);
        let (mut commits, mut parts): (_, BTreeMap<(u64, u64), Vec<PathBuf>>) = Default::default();
        for entry in std::fs::read_dir(&log).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let words: Vec<&str> = name.split('.').collect();
            let Some(version) = words.first().filter(|word| word.len() == 20).and_then(|word| word.parse().ok()) else {
                continue;
            };
            match words[1..] {
                ["json"] => {
                    BTreeSet::insert(&mut commits, version);
                }
                ["checkpoint", "parquet"] => parts.entry((version, 1)).or_default().push(path),
                ["checkpoint", part, of, "parquet"] if part.len() == 10 => {
                    parts.entry((version, of.parse().unwrap_or(u64::MAX))).or_default().push(path);
                }
                _ => {}
            }
        }
        let complete = parts.into_iter().filter(|((_, of), files)| files.len() as u64 == *of);
        Ok(DeltaLog { folder, commits, checkpoints: complete.map(|((version, _), files)| (version, files)).collect() })
    }

    /// The files of the table as a version has it, or the last one.
    fn files(&self, asked: Option<u64>, limits: &ReadLimits) -> Result<Vec<PathBuf>> {
        let known = self.commits.iter().chain(self.checkpoints.keys()).copied();
        let last = known.max().ok_or_else(|| refused(self.folder, LakehouseFault::Damaged))?;
        let version = asked.unwrap_or(last);
        let from = self.checkpoints.range(..=version).next_back();
        let first = from.map_or(0, |(checkpoint, _)| checkpoint.saturating_add(1));
        // A log whose first commits were removed has the versions from its first checkpoint on.
        if version > last || (first..=version).any(|commit| !self.commits.contains(&commit)) {
            return Err(refused(self.folder, LakehouseFault::NoVersion { version, last }));
        }
        let folder = self.folder.canonicalize().map_err(|error| EngineError::io(self.folder, error))?;
        let elsewhere = || refused(self.folder, LakehouseFault::FilesElsewhere);
        let mut state = DeltaState::new(Url::from_directory_path(&folder).map_err(|()| elsewhere())?);
        for file in from.map(|(_, files)| files).into_iter().flatten() {
            let damaged = || refused(self.folder, LakehouseFault::Damaged);
            let actions = checkpoint::read(file, limits)?.ok_or_else(damaged)?;
            state.commit(actions).map_err(|fault| refused(self.folder, fault))?;
        }
        for commit in first..=version {
            self.read_commit(commit, &mut state)?;
        }
        let addresses = state.files().map_err(|fault| refused(self.folder, fault))?;
        let path = |address: &Url| address.to_file_path().ok().filter(|path| path.starts_with(&folder));
        let mut files = addresses.iter().map(path).collect::<Option<Vec<_>>>().ok_or_else(elsewhere)?;
        files.sort();
        Ok(files)
    }

    fn read_commit(&self, commit: u64, state: &mut DeltaState) -> Result<()> {
        let path = self.folder.join(LOG).join(format!("{commit:020}.json"));
        let failed = |error| EngineError::io(&path, error);
        let mut lines = BufReader::new(File::open(&path).map_err(failed)?);
        let (mut line, mut actions) = (Vec::new(), Vec::new());
        while std::io::Read::take(&mut lines, MOST_LINE).read_until(b'\n', &mut line).map_err(failed)? > 0 {
            if !line.trim_ascii().is_empty() {
                let action: Action =
                    serde_json::from_slice(&line).map_err(|_| refused(self.folder, LakehouseFault::Damaged))?;
                actions.push(action);
            }
            line.clear();
        }
        state.commit(actions).map_err(|fault| refused(self.folder, fault))
    }
}

#[cfg(test)]
mod tests;
