//! The only way to read a release: its manifest is sealed, its files are those the manifest lists, and its record, if
//! there is one, was written with it.
//!
//! Every command that reads a release takes an [`OpenedRelease`]. A test walks the sources: nothing else reads a
//! manifest or a record.
//!
//! The record belongs to the release when its `contents.json` names the seal of the manifest.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use incrowd_core::Stopped;
use incrowd_engine::Engine;
use incrowd_verify::{FileEntry, Manifest, ManifestError, VerifyError, files_are_whole};

use super::Record;
use crate::error::{Error, Result};

/// A release on this machine, as it was published: every file has the checksum of the sealed manifest, there is no
/// other file, and the record that is at hand belongs to it and is unchanged.
#[derive(Clone, Debug)]
pub struct OpenedRelease {
    folder: PathBuf,
    manifest: Manifest,
    record: Option<Record>,
}

impl OpenedRelease {
    /// Checks a release and the record next to it, or in the given folder, and opens both. Refused if anything was
    /// changed after the release was made.
    pub fn open(release: &Path, record: Option<&Path>) -> Result<OpenedRelease> {
        OpenedRelease::check(release, record, None)
    }

    /// Whether a folder looks like a release: it has a manifest, which is not read.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(super::MANIFEST).is_file()
    }

    /// As [`OpenedRelease::open`]; ends soon after the engine's work was cancelled.
    pub fn open_with(engine: &Engine, release: &Path, record: Option<&Path>) -> Result<OpenedRelease> {
        OpenedRelease::check(release, record, Some(&engine.watch().cancel.flag()))
    }

    fn check(release: &Path, record: Option<&Path>, cancel: Option<&AtomicBool>) -> Result<OpenedRelease> {
        let manifest = sealed_manifest(release)?;
        let faults = files_are_whole(release, &manifest, cancel).map_err(|error| match error {
            VerifyError::Cancelled => Error::from(Stopped),
            VerifyError::Folder(error) => Error::file(release, &error),
            other => Error::from(other),
        })?;
        if let Some(fault) = faults.into_iter().next() {
            return Err(changed(release, fault.message));
        }
        let record = Record::of_manifest(release, &manifest, record)?;
        Ok(OpenedRelease { folder: release.into(), manifest, record })
    }

    /// The folder of the release.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The custodian's record; nothing when it is not at hand.
    pub fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    /// The record where there is no answer without it.
    pub fn required_record(&self) -> Result<&Record> {
        self.record().ok_or_else(|| Error::NoRecord(self.folder.clone()))
    }

    /// Where a file of data is.
    pub fn path(&self, file: &FileEntry) -> PathBuf {
        self.folder.join(&file.name)
    }
}

/// The manifest of a release, whose seal holds.
pub(super) fn sealed_manifest(release: &Path) -> Result<Manifest> {
    if !release.is_dir() {
        return Err(Error::NotARelease(release.into()));
    }
    Manifest::read(release).map_err(|error| match error {
        ManifestError::Missing => Error::NotARelease(release.into()),
        ManifestError::SeveralTables(tables) => Error::SeveralTables { release: release.into(), tables },
        other => changed(release, other.to_string()),
    })
}

/// The seal of a manifest that was just written as this text.
pub(crate) fn seal_of(sealed: &str) -> Option<String> {
    Manifest::from_sealed_json(sealed).ok().map(|sealed| sealed.seal)
}

fn changed(release: &Path, fact: impl Into<String>) -> Error {
    Error::ReleaseChanged { release: release.into(), fact: fact.into() }
}
