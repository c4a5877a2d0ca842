//! Crash-safe publishing: a release bears its name only when it is complete (trust 4).
//!
//! Everything is written into a hidden folder beside the target, which is locked while its run lives:
//!
//! ```text
//! .adult.partial-4711-0/       closed to others
//!   public/                    becomes adult/
//!   internal/                  becomes adult.internal/
//!   old/, old-internal/        the release that is written over and its record, until the new one stands
//! ```
//!
//! Files are on the disk before the manifest is written, the manifest before the folder is renamed. A run that dies in
//! between leaves a hidden folder whose lock is free; the next run for the same target sweeps it, and first puts an old
//! release and its record back if the new one never took its place.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A release in the making. Dropped before [`Staging::publish`], it leaves nothing.
#[derive(Debug)]
pub(crate) struct Staging {
    /// The folder of the release; nothing when it goes elsewhere and only its record stays here.
    target: Option<PathBuf>,
    record: PathBuf,
    partial: PathBuf,
    // Held for its lock.
    _lock: File,
}

impl Staging {
    /// Sweeps what dead runs left, refuses a target that is taken, and makes the hidden folder.
    pub(crate) fn begin(target: &Path, force: bool) -> Result<Staging> {
        let record = internal_of(target);
        let (parent, name) = swept(target, Some(target), &record)?;
        if target.exists() && !force {
            return Err(Error::ReleaseExists(target.into()));
        }
        if target.exists() && !(target.join(MANIFEST).is_file()) {
            return Err(Error::NotARelease(target.into()));
        }
        Staging::make(Some(target.into()), record, &parent, &name)
    }

    /// The same for a release that goes elsewhere: only the custodian's record stays here.
    pub(crate) fn begin_apart(record: &Path, force: bool) -> Result<Staging> {
        let (parent, name) = swept(record, None, record)?;
        if record.exists() && !force {
            return Err(Error::ReleaseExists(record.into()));
        }
        Staging::make(None, record.into(), &parent, &name)
    }

    fn make(target: Option<PathBuf>, record: PathBuf, parent: &Path, name: &OsString) -> Result<Staging> {
        let made = make(parent, name).map_err(|error| Error::file(parent, &error))?;
        let staging = Staging { target, record, partial: made.0, _lock: made.1 };
        for folder in [staging.public(), staging.internal()] {
            std::fs::create_dir(&folder).map_err(|error| Error::file(&folder, &error))?;
        }
        close(&staging.internal()).map_err(|error| Error::file(&staging.internal(), &error))?;
        Ok(staging)
    }

    /// What will be published.
    pub(crate) fn public(&self) -> PathBuf {
        self.partial.join(PUBLIC)
    }

    /// What stays with the custodian.
    pub(crate) fn internal(&self) -> PathBuf {
        self.partial.join("internal")
    }

    /// What is neither published nor kept.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.partial.join("scratch")
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

    /// As [`Staging::write`], closed to others.
    pub(crate) fn write_private(path: &Path, text: &str) -> Result<()> {
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = || {
            let mut file = options.open(path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        written().map_err(|error| Error::file(path, &error))
    }

    /// Gives the release its name: the custodian's record first, so that no release stands without it.
    pub(crate) fn publish(self) -> Result<()> {
        self.publish_record()?;
        let Some(target) = &self.target else { return Ok(()) };
        if target.exists() {
            rename(target, &self.partial.join(OLD))?;
        }
        rename(&self.public(), target)?;
        sync_parent(target)
    }

    /// As [`Staging::publish`] for a release that goes elsewhere, by what is done there last. If that fails, the record goes
    /// too, and the one before comes back.
    pub(crate) fn publish_apart(self, last: impl FnOnce() -> Result<()>) -> Result<()> {
        self.publish_record()?;
        sync_parent(&self.record)?;
        last().inspect_err(|_| {
            // Nothing more can be done about a failure while giving up.
            let _ = std::fs::rename(&self.record, self.internal());
            let _ = std::fs::rename(self.partial.join(OLD_INTERNAL), &self.record);
        })
    }

    fn publish_record(&self) -> Result<()> {
        for folder in [self.public(), self.internal()] {
            sync(&folder).map_err(|error| Error::file(&folder, &error))?;
        }
        if self.record.exists() {
            rename(&self.record, &self.partial.join(OLD_INTERNAL))?;
        }
        rename(&self.internal(), &self.record)
    }
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::rename(from, to).map_err(|error| Error::file(to, &error))
}

fn sync_parent(path: &Path) -> Result<()> {
    let (parent, _) = parts(path)?;
    sync(&parent).map_err(|error| Error::file(&parent, &error))
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Nothing can be done about a failure here; the next run sweeps.
        let _ = std::fs::remove_dir_all(&self.partial);
    }
}

/// The file that makes a folder a release.
pub(crate) const MANIFEST: &str = "manifest.json";
const OLD: &str = "old";
const OLD_INTERNAL: &str = "old-internal";
const PUBLIC: &str = "public";

/// Where the custodian's record of a release stands.
pub(crate) fn internal_of(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(".internal");
    target.with_file_name(name)
}

/// The folder a target stands in, and its name.
fn parts(target: &Path) -> Result<(PathBuf, OsString)> {
    let name = target.file_name().ok_or_else(|| Error::NotARelease(target.into()))?;
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((parent.into(), name.into()))
}

fn prefix(name: &OsString) -> String {
    format!(".{}.partial-", name.to_string_lossy())
}

fn make(parent: &Path, name: &OsString) -> std::io::Result<(PathBuf, File)> {
    for attempt in 0u32.. {
        let path = parent.join(format!("{}{}-{attempt}", prefix(name), std::process::id()));
        match std::fs::create_dir(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            made => made?,
        }
        close(&path)?;
        let lock = File::open(&path)?;
        lock.lock()?;
        return Ok((path, lock));
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
}

/// The folder and the name of what is to be written, once the hidden folders of dead runs are gone.
fn swept(named: &Path, target: Option<&Path>, record: &Path) -> Result<(PathBuf, OsString)> {
    let (parent, name) = parts(named)?;
    if !parent.is_dir() {
        return Err(Error::file(&parent, &std::io::ErrorKind::NotFound.into()));
    }
    sweep(&parent, &name, target, record).map_err(|error| Error::file(&parent, &error))?;
    Ok((parent, name))
}

/// Removes the hidden folders of runs that no longer live.
fn sweep(parent: &Path, name: &OsString, target: Option<&Path>, record: &Path) -> std::io::Result<()> {
    let prefix = prefix(name);
    for entry in std::fs::read_dir(parent)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(&prefix) || !entry.file_type()?.is_dir() {
            continue;
        }
        let path = entry.path();
        let lock = File::open(&path)?;
        if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            continue;
        }
        let (old, old_record) = (path.join(OLD), path.join(OLD_INTERNAL));
        // The new release never took its name, but its record already had. Of a release that went elsewhere nobody here
        // knows whether it is there: its record stays.
        if old_record.exists() && path.join(PUBLIC).exists() && (target.is_some() || !record.exists()) {
            if record.exists() {
                std::fs::remove_dir_all(record)?;
            }
            std::fs::rename(&old_record, record)?;
        }
        if let Some(target) = target.filter(|target| old.exists() && !target.exists()) {
            std::fs::rename(&old, target)?;
        }
        std::fs::remove_dir_all(&path)?;
    }
    Ok(())
}

fn sync(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(unix)]
fn close(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn close(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn staged(target: &Path, text: &str, force: bool) -> Staging {
        let staging = Staging::begin(target, force).expect("begun");
        Staging::write(&staging.public().join(MANIFEST), text).expect("written");
        staging
    }

    #[test]
    fn a_release_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("adult");
        drop(staged(&target, "1", false));
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 0, "given up, nothing is left");
        staged(&target, "1", false).publish().expect("published");
        assert!(target.join(MANIFEST).is_file() && internal_of(&target).is_dir());
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 2);
    }

    #[test]
    fn a_release_is_written_over_only_when_told_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("adult");
        staged(&target, "1", false).publish().expect("published");
        assert!(matches!(Staging::begin(&target, false), Err(Error::ReleaseExists(_))));
        staged(&target, "2", true).publish().expect("published");
        assert_eq!(std::fs::read_to_string(target.join(MANIFEST)).expect("read"), "2");
        let other = folder.path().join("photos");
        std::fs::create_dir(&other).expect("made");
        assert!(matches!(Staging::begin(&other, true), Err(Error::NotARelease(_))), "never over what is no release");
    }

    #[test]
    fn what_a_dead_run_left_is_swept_and_an_old_release_put_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("adult");
        let dead = folder.path().join(".adult.partial-1-0");
        std::fs::create_dir_all(dead.join(OLD)).expect("made");
        std::fs::write(dead.join(OLD).join(MANIFEST), "old").expect("written");
        for (folder, text) in
            [(dead.join(OLD_INTERNAL), "old"), (dead.join(PUBLIC), "new"), (internal_of(&target), "new")]
        {
            std::fs::create_dir(&folder).expect("made");
            std::fs::write(folder.join("record.json"), text).expect("written");
        }
        assert!(matches!(Staging::begin(&target, false), Err(Error::ReleaseExists(_))));
        assert!(!dead.exists());
        assert_eq!(std::fs::read_to_string(target.join(MANIFEST)).expect("read"), "old");
        assert_eq!(std::fs::read_to_string(internal_of(&target).join("record.json")).expect("read"), "old");
    }
}
