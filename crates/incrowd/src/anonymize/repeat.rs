//! Repeating a release with the key of its record.
//!
//! A key that is used twice must give the same bytes twice. Two different releases in the same order could be joined
//! row by row, and anyone who has both would learn more than from either. So the written files are compared with the
//! recorded checksums before anything is published, and what differs is refused.

use std::path::Path;

use incrowd_engine::{Applied, Engine};
use incrowd_report::dossier::Repeatability;
use incrowd_verify::FileEntry;

use super::AnonymizeOptions;
use super::prepare::Prepared;
use super::randomness::Randomness;
use crate::error::{Error, NotRepeatable, Result};
use crate::release::{MANIFEST, Record, RecordedFile, record_of};

/// What the names of files begin with of which a table has several.
const PART: &str = "data-";

/// The release that is repeated.
pub(super) struct Repeat {
    release: String,
    files: Vec<RecordedFile>,
}

/// What a run draws from: the system's randomness, or the record of the release that is repeated.
pub(super) fn randomness(engine: &Engine, options: &AnonymizeOptions) -> Result<(Randomness, Option<Repeat>)> {
    let Some(path) = &options.repeat else { return Ok((Randomness::fresh(options.seed)?, None)) };
    let refused = |why| Error::NotRepeatable { path: path.clone(), why };
    // The folder of the release itself is understood, too: its record stands beside it.
    let found = Record::read(folder_of(path))?;
    let found = match found {
        Some(record) => Some(record),
        None if path.join(MANIFEST).is_file() => Record::of(path)?,
        None => Record::read(&record_of(path, None))?,
    };
    let record = found.ok_or_else(|| Error::NoRecord(path.clone()))?;
    match record.randomness.repeatability {
        Some(Repeatability::Exact) if !record.files.is_empty() => {}
        Some(Repeatability::TimeLimit) => return Err(refused(NotRepeatable::TimeLimit)),
        Some(Repeatability::Cluster) => return Err(refused(NotRepeatable::Cluster)),
        Some(Repeatability::SeveralTables) => return Err(refused(NotRepeatable::SeveralTables)),
        _ => return Err(refused(NotRepeatable::EarlierVersion)),
    }
    if !engine.is_on_cluster() && record.files.iter().any(|file| file.name.starts_with(PART)) {
        return Err(refused(NotRepeatable::InParts));
    }
    let randomness = Randomness::repeated(&record.randomness)?.ok_or_else(|| Error::DamagedRecord(path.clone()))?;
    Ok((randomness, Some(Repeat { release: record.release, files: record.files })))
}

/// Whether a second run gives the same bytes.
pub(super) fn repeatability(run: &Prepared<'_>, applied: &Applied, stopped_by_clock: bool) -> Repeatability {
    match (applied.in_known_order, stopped_by_clock) {
        (false, _) => Repeatability::Cluster,
        (true, _) if run.randomness.is_linked() => Repeatability::SeveralTables,
        (true, true) => Repeatability::TimeLimit,
        (true, false) => Repeatability::Exact,
    }
}

/// The files as they are recorded.
pub(super) fn recorded(files: &[FileEntry]) -> Vec<RecordedFile> {
    files.iter().map(|file| RecordedFile { name: file.name.clone(), sha256: file.sha256.clone() }).collect()
}

impl Repeat {
    /// Whether each table of the release is one file.
    pub(super) fn is_one_file(&self) -> bool {
        !self.files.iter().any(|file| file.name.starts_with(PART))
    }

    /// The id of the release that is repeated, when the written files are the recorded ones; refused otherwise.
    pub(super) fn check(&self, written: &[FileEntry]) -> Result<String> {
        let differ = recorded(written) != self.files;
        if differ { Err(Error::RepeatDiffers { release: self.release.clone() }) } else { Ok(self.release.clone()) }
    }
}

/// The folder of a record: itself, or that of its file.
fn folder_of(path: &Path) -> &Path {
    if path.is_dir() { path } else { path.parent().unwrap_or(path) }
}
