//! The private place for files that hold people's data while a run lasts.
//!
//! One folder for each user id, closed to others (mode 0700) and refused when it belongs to somebody else; in it one
//! folder per run, which holds a locked file while its run lives. A run removes its folder when it ends, also by an
//! error or Ctrl-C; what a killed run left behind is known by its lock being free, and is swept at the next start.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::runtime::error::{EngineError, Result};
use crate::runtime::leftovers::Leftover;
use crate::runtime::platform;

const LOCK: &str = "lock";
const STARTING: &str = ".starting";
const RUN_PREFIX: &str = "run-";

/// A run's own folder. Removed when dropped.
#[derive(Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
    // Held for its lock.
    _lock: File,
    // Removed also when a signal ends the process.
    _leftover: Leftover,
}

impl RunFolder {
    /// Sweeps what dead runs left in the root, then makes a folder for this run.
    pub(crate) fn create(root: Option<&Path>) -> Result<RunFolder> {
        // A folder of our own inside the one named: others may use that one, so it is not ours to close.
        let parent = root.map_or_else(std::env::temp_dir, Path::to_path_buf);
        // Looked at before anything in it is swept: somebody else's folder, or a link to one, is not touched.
        let root = platform::user_folder(&parent).map_err(|error| EngineError::temp(&parent, error))?;
        Self::create_in(&root).map_err(|error| EngineError::temp(&root, error))
    }

    fn create_in(root: &Path) -> std::io::Result<RunFolder> {
        make_private(root)?;
        // One start at a time: a sweep must not meet a folder whose lock is made but not yet held.
        let starting = File::options().write(true).create(true).truncate(false).open(root.join(STARTING))?;
        starting.lock()?;
        sweep(root)?;
        for attempt in 0u32.. {
            let path = root.join(format!("{RUN_PREFIX}{}-{attempt}", std::process::id()));
            let leftover = match Leftover::create(&path, platform::create_private_folder) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                made => made?.1,
            };
            // A root that somebody else made for us to use is refused: they could read along.
            if !platform::same_owner(root, &path)? {
                return Err(std::io::ErrorKind::PermissionDenied.into());
            }
            let lock = File::create_new(path.join(LOCK))?;
            lock.lock()?;
            return Ok(RunFolder { path, _lock: lock, _leftover: leftover });
        }
        Err(std::io::ErrorKind::AlreadyExists.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // Nothing can be done about a failure here; the next start sweeps.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Removes the folders of runs that no longer live.
fn sweep(root: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(root)? {
        let path = entry?.path();
        let is_run = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(RUN_PREFIX));
        if !is_run {
            continue;
        }
        let dead = match File::open(path.join(LOCK)) {
            Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
            // Starts happen one at a time, so a folder without a lock belongs to a run that died in between.
            Err(_) => true,
        };
        if dead {
            // Another run may sweep at the same moment.
            let _ = std::fs::remove_dir_all(&path);
        }
    }
    Ok(())
}

/// Makes the root and its parents; an existing root is closed to others again.
fn make_private(root: &Path) -> std::io::Result<()> {
    if let Some(parent) = root.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match platform::create_private_folder(root) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => platform::close(root),
        made => made,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_run_is_kept_and_a_dead_one_is_swept() {
        let root = tempfile::tempdir().expect("a folder");
        let living = RunFolder::create(Some(root.path())).expect("a run folder");
        let dead = platform::user_folder(root.path()).expect("a root").join("run-0-0");
        std::fs::create_dir(&dead).expect("made");
        std::fs::write(dead.join(LOCK), "").expect("written");
        std::fs::write(dead.join("spill"), "raw").expect("written");
        let next = RunFolder::create(Some(root.path())).expect("a second run folder");
        assert!(!dead.exists(), "the dead run's folder is gone");
        assert!(living.path().exists() && next.path().exists());
        let path = living.path().to_path_buf();
        drop(living);
        assert!(!path.exists(), "a run that ends leaves nothing");
    }

    #[cfg(unix)]
    #[test]
    fn the_root_is_named_by_the_user_id_whatever_the_environment_says() {
        use std::os::unix::fs::MetadataExt;
        let parent = tempfile::tempdir().expect("a folder");
        let user = std::fs::metadata(parent.path()).expect("there").uid();
        let run = RunFolder::create(Some(parent.path())).expect("a run folder");
        assert_eq!(run.path().parent(), Some(&*parent.path().join(format!("incrowd-{user}"))));
        let left = std::fs::read_dir(parent.path()).expect("a folder").count();
        assert_eq!(left, 1, "nothing else is left in the folder that was named");
    }

    #[cfg(unix)]
    #[test]
    fn a_root_that_is_a_link_is_refused() {
        let parent = tempfile::tempdir().expect("a folder");
        let other = tempfile::tempdir().expect("another folder");
        std::os::unix::fs::symlink(other.path(), platform::user_folder(parent.path()).expect("a root"))
            .expect("a link");
        assert!(matches!(RunFolder::create(Some(parent.path())), Err(EngineError::Temp { .. })));
        assert_eq!(std::fs::read_dir(other.path()).expect("a folder").count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn the_root_is_closed_to_others() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().expect("a folder");
        let inner = root.path().join("private");
        let run = RunFolder::create(Some(&inner)).expect("a run folder");
        for path in [&platform::user_folder(&inner).expect("a root"), run.path()] {
            assert_eq!(std::fs::metadata(path).expect("there").permissions().mode() & 0o777, 0o700);
        }
    }
}
