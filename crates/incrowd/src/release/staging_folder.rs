//! The hidden folders in which releases are made, and the lock under which they are made and renamed.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use incrowd_engine::{Leftover, platform};

use super::replaceable::Replaceable;
use crate::error::{Error, Result};

pub(super) const PUBLIC: &str = "public";
pub(super) const INTERNAL: &str = "internal";
/// The release that is replaced, and its record, until the new ones are in place.
pub(super) const OLD: &str = "old";
pub(super) const OLD_INTERNAL: &str = "old-internal";
/// What is neither published nor kept.
pub(super) const SCRATCH: &str = "scratch";
/// What the executors of a cluster are given and leave, next to the folder that is written.
const OF_EXECUTORS: [&str; 2] = [".public.executors", ".scratch.executors"];
/// All that a hidden folder may hold.
const PARTS: [&str; 7] = [PUBLIC, INTERNAL, SCRATCH, OLD, OLD_INTERNAL, OF_EXECUTORS[0], OF_EXECUTORS[1]];

/// An exclusive lock on the folder that a file or folder is in, held while names in it are checked and changed: two
/// runs that publish under one name, or write to one ledger, do so one after the other.
///
/// Only incrowd asks for it; what others do is caught
/// by the renaming, which never replaces a folder that holds anything.
#[derive(Debug)]
pub(super) struct ParentLock {
    // Held for its lock.
    _lock: File,
}

impl ParentLock {
    /// Waits for the lock. It is held for as long as some renames, or the removal of a dead run's files, take.
    pub(super) fn take(path: &Path) -> Result<ParentLock> {
        let (parent, _) = parts(path)?;
        let lock = platform::lock_folder(&parent).map_err(|error| Error::file(&parent, &error))?;
        Ok(ParentLock { _lock: lock })
    }
}

/// The folder a target is in, and its name.
pub(super) fn parts(target: &Path) -> Result<(PathBuf, OsString)> {
    let name = target.file_name().ok_or_else(|| Error::NotARelease(target.into()))?;
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((parent.into(), name.into()))
}

fn prefix(name: &OsString) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".partial-");
    prefix
}

/// Makes a hidden folder for a target, closed to others and locked while its run lives.
pub(super) fn make(parent: &Path, name: &OsString) -> std::io::Result<(PathBuf, File, Leftover)> {
    for attempt in 0u32.. {
        let mut hidden = prefix(name);
        hidden.push(format!("{}-{attempt}", std::process::id()));
        let path = parent.join(hidden);
        let leftover = match Leftover::create(&path, |path| std::fs::create_dir(path)) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            made => made?.1,
        };
        let closed_and_locked = || {
            platform::close(&path)?;
            let lock = File::open(&path)?;
            lock.lock().map(|()| lock)
        };
        return match closed_and_locked() {
            Ok(lock) => Ok((path, lock, leftover)),
            Err(error) => {
                // Nothing can be done about a failure to remove it: the next run sweeps.
                let _ = std::fs::remove_dir(&path);
                Err(error)
            }
        };
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
}

/// Removes the hidden folders of runs that no longer live, after what such a run had begun to publish is rolled back.
/// Under the lock of the parent.
pub(super) fn sweep(parent: &Path, name: &OsString, target: Option<&Path>, record: &Path) -> Result<()> {
    let failed = |error: std::io::Error| Error::file(parent, &error);
    for entry in std::fs::read_dir(parent).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let is_hidden = is_hidden_name(&entry.file_name(), name) && entry.file_type().map_err(failed)?.is_dir();
        if !is_hidden || !holds_only_ours(&path).map_err(failed)? {
            continue;
        }
        let lock = File::open(&path).map_err(failed)?;
        if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            continue;
        }
        match target {
            Some(target) => roll_back(&path, target, record)?,
            // Nobody here knows whether a release that went elsewhere is there: its record stays, if it is in place.
            None if path.join(OLD_INTERNAL).exists() && record.exists() => {
                keep_beside(&path.join(OLD_INTERNAL), record)?;
            }
            None if path.join(OLD_INTERNAL).exists() => {
                std::fs::rename(path.join(OLD_INTERNAL), record).map_err(failed)?;
            }
            None => {}
        }
        remove(&path).map_err(failed)?;
    }
    Ok(())
}

/// Removes the hidden folders in which runs that no longer live wrote a file. Under the lock of the parent. Anything else in
/// them stays, and so does the folder.
pub(super) fn sweep_file(parent: &Path, name: &OsString, file: &str) -> std::io::Result<()> {
    for entry in std::fs::read_dir(parent)? {
        let entry = entry?;
        if !is_hidden_name(&entry.file_name(), name) || !entry.file_type()?.is_dir() {
            continue;
        }
        let path = entry.path();
        let lock = File::open(&path)?;
        if !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            let _ = std::fs::remove_file(path.join(file));
            let _ = std::fs::remove_dir(&path);
        }
    }
    Ok(())
}

/// Whether a name is one that [`make`] gives to hidden folders of this target, compared byte for byte.
fn is_hidden_name(hidden: &OsStr, name: &OsString) -> bool {
    let rest = hidden.as_encoded_bytes().strip_prefix(prefix(name).as_encoded_bytes());
    let parts = rest.and_then(|rest| std::str::from_utf8(rest).ok()).and_then(|rest| rest.split_once('-'));
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    parts.is_some_and(|(process, attempt)| number(process) && number(attempt))
}

/// Whether a hidden folder holds nothing but the folders that runs make in it.
fn holds_only_ours(hidden: &Path) -> std::io::Result<bool> {
    for entry in std::fs::read_dir(hidden)? {
        let entry = entry?;
        let is_known = PARTS.iter().any(|part| entry.file_name() == *part);
        if !is_known || !entry.file_type()?.is_dir() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Removes a hidden folder with the folders that runs make in it. Anything else in it stays, and so does the folder.
pub(super) fn remove(hidden: &Path) -> std::io::Result<()> {
    for part in PARTS {
        match std::fs::remove_dir_all(hidden.join(part)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    std::fs::remove_dir(hidden)
}

/// Whether a symbolic link bears the name of a path, whatever it points to.
pub(super) fn is_link(path: &Path) -> bool {
    // A slash at the end would have the link followed.
    let link = path.file_name().map_or(path.into(), |name| path.with_file_name(name));
    link.symlink_metadata().is_ok_and(|about| about.is_symlink())
}

/// Undoes what a run had begun to publish from its hidden folder, unless the new release is in place: the old release
/// and the old record get their names back.
pub(super) fn roll_back(partial: &Path, target: &Path, record: &Path) -> Result<()> {
    let rename = |from: &Path, to: &Path| std::fs::rename(from, to).map_err(|error| Error::file(to, &error));
    if !partial.join(PUBLIC).exists() {
        // The new release has its name, so it is whole and so is its record.
        return Ok(());
    }
    let internal = partial.join(INTERNAL);
    if !internal.exists() && record.exists() {
        // The record in place is that of the release that never got its name.
        Replaceable::record(record)?;
        rename(record, &internal)?;
    }
    for (old, place) in [(OLD_INTERNAL, record), (OLD, target)] {
        let old = partial.join(old);
        if old.exists() && !place.exists() {
            rename(&old, place)?;
        }
    }
    // What comes next removes the hidden folder: an old release must not go with it at a power loss. If the disk cannot say
    // that the names are on it, they still are where they belong.
    let _ = platform::sync_folder(partial);
    let _ = sync_parent(record);
    Ok(())
}

/// Gives a record that was set aside the first of the names `RECORD.before`, `RECORD.before-2`, … that is free, where it stays
/// until somebody who knows which release is there removes it.
pub(super) fn keep_beside(old: &Path, record: &Path) -> Result<PathBuf> {
    for number in 1u32.. {
        let mut name = record.file_name().unwrap_or_default().to_os_string();
        name.push(if number == 1 { ".before".into() } else { format!(".before-{number}") });
        let place = record.with_file_name(name);
        if place.symlink_metadata().is_err() {
            std::fs::rename(old, &place).map_err(|error| Error::file(&place, &error))?;
            // If the disk cannot say that the new name is on it, the record is still there under it.
            let _ = sync_parent(&place);
            return Ok(place);
        }
    }
    Err(Error::RecordExists(record.into()))
}

/// Sees the names in the folder of a path on the disk.
pub(super) fn sync_parent(path: &Path) -> Result<()> {
    let (parent, _) = parts(path)?;
    platform::sync_folder(&parent).map_err(|error| Error::file(&parent, &error))
}
