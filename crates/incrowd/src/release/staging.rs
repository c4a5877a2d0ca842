//! Crash-safe publishing: a release bears its name only when it is complete.
//!
//! Everything is written into a hidden folder next to the target, which is locked while its run lives:
//!
//! ```text
//! .adult.partial-4711-0/       closed to others
//!   public/                    becomes adult/
//!   internal/                  becomes adult.internal/
//!   old/, old-internal/        the release that is replaced and its record, until the new ones are in place
//! ```
//!
//! Files are on the disk before the manifest is written, the manifest before the folder is renamed. A run that dies in
//! between leaves a hidden folder whose lock is free; the next run for the same target sweeps it, and first puts an old
//! release and its record back if the new one never took its place (`staging_folder.rs`).
//!
//! The names are given under a lock, after it was checked again that they are free, or, to be replaced, that incrowd
//! wrote everything that stands there (`replaceable.rs`). If a step fails, those before it are undone.
//!
//! The order of the steps: the data files are written, flushed to the disk and verified by reading them again; the
//! manifest is written last; both folders are flushed; an old release is set aside; the record is renamed, then the release,
//! so that no release exists without its record. A file system may bring the names of a folder to the disk in any order until
//! the folder is flushed, so it is flushed between these steps and after the last. Symbolic links are neither followed nor
//! replaced.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use incrowd_engine::{Leftover, PublishOutcome, platform};

use super::replaceable::{Replaceable, write_contents};
use super::staging_folder::{
    INTERNAL, OLD, OLD_INTERNAL, PUBLIC, ParentLock, SCRATCH, is_link, keep_beside, make, parts, remove, roll_back,
    sweep, sync_parent,
};
use crate::error::{Error, Result};

/// A release in the making. Dropped before [`StagedRelease::publish`], it leaves nothing.
#[derive(Debug)]
pub(crate) struct StagedRelease {
    /// The folder of the release; nothing when it goes elsewhere and only its record stays here.
    target: Option<PathBuf>,
    record: PathBuf,
    partial: PathBuf,
    force: bool,
    /// What was found replaceable when the run began: the release and the record.
    found: [Option<Replaceable>; 2],
    /// The hidden folder holds the only copy of something and is left for the next run, which puts it back.
    keep: bool,
    // Held for its lock.
    _lock: File,
    // The hidden folder is removed also when a signal ends the process.
    leftover: Option<Leftover>,
}

impl StagedRelease {
    /// Sweeps what dead runs left, refuses a target that is taken, and makes the hidden folder.
    pub(crate) fn begin(target: &Path, force: bool) -> Result<StagedRelease> {
        StagedRelease::make(Some(target.into()), internal_of(target), target, force)
    }

    /// The same for a release that goes elsewhere: only the custodian's record stays here.
    pub(crate) fn begin_apart(record: &Path, force: bool) -> Result<StagedRelease> {
        StagedRelease::make(None, record.into(), record, force)
    }

    fn make(target: Option<PathBuf>, record: PathBuf, named: &Path, force: bool) -> Result<StagedRelease> {
        let (parent, name) = parts(named)?;
        if !parent.is_dir() {
            return Err(Error::file(&parent, &std::io::ErrorKind::NotFound.into()));
        }
        let lock = ParentLock::take(named)?;
        sweep(&parent, &name, target.as_deref(), &record)?;
        check_free(target.as_deref(), &record, force)?;
        let made = make(&parent, &name).map_err(|error| Error::file(&parent, &error))?;
        drop(lock);
        let (partial, lock, leftover) = made;
        let leftover = Some(leftover);
        let mut staging =
            StagedRelease { target, record, partial, force, found: [None, None], keep: false, _lock: lock, leftover };
        for folder in [staging.public(), staging.internal()] {
            std::fs::create_dir(&folder).map_err(|error| Error::file(&folder, &error))?;
        }
        platform::close(&staging.internal()).map_err(|error| Error::file(&staging.internal(), &error))?;
        // Before any work is done: whatever is refused later is refused now.
        let target = staging.target.as_deref().filter(|target| target.exists());
        staging.found = [
            target.map(Replaceable::release).transpose()?,
            Some(&staging.record)
                .filter(|record| record.exists())
                .map(|record| Replaceable::record(record))
                .transpose()?,
        ];
        Ok(staging)
    }

    /// What will be published.
    pub(crate) fn public(&self) -> PathBuf {
        self.partial.join(PUBLIC)
    }

    /// What stays with the custodian.
    pub(crate) fn internal(&self) -> PathBuf {
        self.partial.join(INTERNAL)
    }

    /// What is neither published nor kept.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.partial.join(SCRATCH)
    }

    /// Where the custodian's record will stand.
    pub(crate) fn record(&self) -> &Path {
        &self.record
    }

    /// Writes a file and sees it on the disk.
    pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
        let written = || {
            let mut file = File::create(path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        written().map_err(|error| Error::file(path, &error))
    }

    /// As [`StagedRelease::write`], closed to others.
    pub(crate) fn write_private(path: &Path, text: &str) -> Result<()> {
        let mut options = File::options();
        platform::private(options.write(true).create(true).truncate(true));
        let written = || {
            let mut file = options.open(path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        written().map_err(|error| Error::file(path, &error))
    }

    /// Gives the release and its record their names, both or neither: the record first, so that no release stands
    /// without it.
    pub(crate) fn publish(mut self) -> Result<()> {
        self.give_names()
    }

    /// As [`StagedRelease::publish`] for a release that goes elsewhere, by what is done there last. If that fails, the record goes
    /// too, and the one before comes back. If nobody knows whether it failed, both records stay.
    pub(crate) fn publish_apart(mut self, last: impl FnOnce() -> Result<PublishOutcome>) -> Result<()> {
        self.give_names()?;
        let outcome = last();
        // Without the lock if it cannot be had: what was replaced must come back.
        let _lock = ParentLock::take(&self.record);
        match outcome {
            Ok(PublishOutcome::Published) => Ok(()),
            Ok(PublishOutcome::Unknown) => Err(self.keep_both_records()),
            Err(failed) => Err(self.undo(failed)),
        }
    }

    /// Keeps the record that was set aside beside the new one: either may be that of the release that is there.
    fn keep_both_records(&mut self) -> Error {
        let old = self.partial.join(OLD_INTERNAL);
        let before = old.exists().then(|| {
            keep_beside(&old, &self.record).unwrap_or_else(|_| {
                self.keep = true;
                drop(self.leftover.take());
                old
            })
        });
        Error::OutcomeUnknown { record: self.record.clone(), before }
    }

    /// Lists the files of one of several tables in its record, and sees both folders on the disk. They get their names with
    /// those of the whole release.
    pub(crate) fn seal_table(internal: &Path, public: &Path) -> Result<()> {
        write_contents(internal, public)?;
        for folder in [public, internal] {
            platform::sync_folder(folder).map_err(|error| Error::file(folder, &error))?;
        }
        Ok(())
    }

    fn give_names(&mut self) -> Result<()> {
        write_contents(&self.internal(), &self.public())?;
        for folder in [self.public(), self.internal()] {
            platform::sync_folder(&folder).map_err(|error| Error::file(&folder, &error))?;
        }
        let _lock = ParentLock::take(&self.record)?;
        // Another run may have published since this one began.
        check_free(self.target.as_deref(), &self.record, self.force)?;
        self.rename_all().map_err(|failed| self.undo(failed))
    }

    /// Sets the old record and release aside, looks at them once more, and puts the new ones in their places.
    fn rename_all(&self) -> Result<()> {
        let target = self.target.as_deref();
        let places = [(target, OLD), (Some(self.record.as_path()), OLD_INTERNAL)];
        let is_taken = |place: &&Path| place.exists();
        let replaces = places.iter().any(|(place, _)| place.filter(is_taken).is_some());
        if replaces {
            // Nothing is moved into a folder that a power loss could leave without a name.
            sync_parent(&self.partial)?;
        }
        for ((place, old), found) in places.iter().zip(&self.found).rev() {
            let Some(place) = place.filter(is_taken) else { continue };
            let old = self.partial.join(old);
            rename(place, &old)?;
            // Once moved aside, where nothing is added to it, it is inspected as a whole; again only if it changed.
            if !found.as_ref().map_or(Ok(false), |found| found.still_holds(&old))? {
                let is_release = Some(place) == target;
                let checked = if is_release { Replaceable::release(&old) } else { Replaceable::record(&old) };
                checked.map_err(|error| in_place(error, place))?;
            }
        }
        if replaces {
            platform::sync_folder(&self.partial).map_err(|error| Error::file(&self.partial, &error))?;
            sync_parent(&self.record)?;
        }
        rename(&self.internal(), &self.record)?;
        let Some(target) = target else { return sync_parent(&self.record) };
        sync_parent(&self.record)?;
        rename(&self.public(), target)?;
        sync_parent(&self.record).inspect_err(|_| {
            // The names may not be on the disk: the release is taken back, so that all can be undone.
            let _ = std::fs::rename(target, self.public());
        })
    }

    /// Undoes what was done so far; the error that is then to be told.
    fn undo(&mut self, failed: Error) -> Error {
        // A release elsewhere has no folder here: its name stays free.
        let nowhere = self.partial.join("nowhere");
        let undone = roll_back(&self.partial, self.target.as_deref().unwrap_or(&nowhere), &self.record);
        if undone.is_ok() {
            return failed;
        }
        self.keep = true;
        drop(self.leftover.take());
        Error::NotPutBack(self.partial.clone())
    }
}

/// Refuses places that are taken, unless they may be replaced.
fn check_free(target: Option<&Path>, record: &Path, force: bool) -> Result<()> {
    // A link is neither replaced nor followed: it, and what it points to, may be somebody else's.
    if let Some(link) = target.into_iter().chain([record]).find(|place| is_link(place)) {
        return Err(Error::Link(link.into()));
    }
    if force {
        return Ok(());
    }
    match target.filter(|target| target.exists()) {
        Some(target) if target.join(MANIFEST).is_file() => Err(Error::ReleaseExists(target.into())),
        Some(target) => Err(Error::Taken(target.into())),
        None if record.exists() => Err(Error::RecordExists(record.into())),
        None => Ok(()),
    }
}

/// An error about a folder that was set aside, told of its place.
fn in_place(error: Error, place: &Path) -> Error {
    match error {
        Error::ForeignFiles { fact, .. } => Error::ForeignFiles { folder: place.into(), fact },
        Error::Taken(_) => Error::Taken(place.into()),
        other => other,
    }
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    #[cfg(test)]
    if let Some(kind) = tests::failure(to) {
        return Err(Error::file(to, &kind.into()));
    }
    std::fs::rename(from, to).map_err(|error| Error::file(to, &error))
}

impl Drop for StagedRelease {
    fn drop(&mut self) {
        if !self.keep {
            // Nothing can be done about a failure here; the next run sweeps.
            let _ = remove(&self.partial);
        }
    }
}

/// The file that makes a folder a release.
pub(crate) const MANIFEST: &str = "manifest.json";

/// Where the custodian's record of a release stands.
pub(crate) fn internal_of(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(".internal");
    target.with_file_name(name)
}
