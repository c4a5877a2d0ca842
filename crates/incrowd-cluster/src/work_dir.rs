//! Where an executor puts rows between stages: raw values, so it is closed to others, and emptied at every start and
//! end.
//!
//! A file marks the directory as ours. Without it a directory that is not empty is refused: what is emptied must never
//! be somebody's data. The mark is locked while its executor lives, so nobody's files are swept from under them; a
//! killed process lets go of the lock, and the next start sweeps.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use incrowd_engine::platform;

use crate::error::{ClusterError, Result};

const MARK: &str = ".incrowd-executor";
const SHUFFLE: &str = "shuffle";
const TASKS: &str = "tasks";

/// A work directory that is ours while this lives.
pub(crate) struct WorkDir {
    path: PathBuf,
    // Held for its lock.
    _mark: File,
}

impl WorkDir {
    /// Takes a directory, made if need be, and empties it.
    pub(crate) fn take(path: &Path) -> Result<WorkDir> {
        let failed = |source: std::io::Error| ClusterError::WorkDir { path: path.into(), source };
        std::fs::create_dir_all(path).map_err(failed)?;
        let mark = path.join(MARK);
        if !mark.exists() && std::fs::read_dir(path).map_err(failed)?.next().is_some() {
            return Err(ClusterError::NotOurs(path.into()));
        }
        let mark = File::options().create(true).append(true).open(mark).map_err(failed)?;
        match mark.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ClusterError::InUse(path.into())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        platform::close(path).map_err(failed)?;
        let dir = WorkDir { path: path.into(), _mark: mark };
        dir.sweep().map_err(failed)?;
        std::fs::create_dir(dir.shuffle()).map_err(failed)?;
        std::fs::create_dir(dir.tasks()).map_err(failed)?;
        Ok(dir)
    }

    /// Where Ballista writes.
    pub(crate) fn shuffle(&self) -> PathBuf {
        self.path.join(SHUFFLE)
    }

    /// Where tasks of ours put what they do not hold in memory.
    pub(crate) fn tasks(&self) -> PathBuf {
        self.path.join(TASKS)
    }

    /// Removes everything but the mark.
    fn sweep(&self) -> std::io::Result<()> {
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_name() == MARK {
                continue;
            }
            if entry.file_type()?.is_dir() {
                std::fs::remove_dir_all(entry.path())?;
            } else {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

impl Drop for WorkDir {
    fn drop(&mut self) {
        // The next start repairs a failure.
        let _ = self.sweep();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_executor_left_is_swept_by_the_next_and_never_from_under_a_living_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("executor");
        let living = WorkDir::take(&path).expect("taken");
        std::fs::write(living.shuffle().join("rows"), "raw").expect("written");
        assert!(matches!(WorkDir::take(&path), Err(ClusterError::InUse(_))));
        // A killed process runs no destructor; its lock is let go with its files.
        let killed = std::mem::ManuallyDrop::new(living);
        killed._mark.unlock().expect("let go");
        let next = WorkDir::take(&path).expect("taken again");
        assert!(!next.shuffle().join("rows").exists());
        std::fs::write(next.shuffle().join("rows"), "raw").expect("written");
        drop(next);
        assert!(!path.join(SHUFFLE).exists(), "an executor that ends leaves nothing");
    }

    #[test]
    fn a_directory_with_other_files_is_refused_and_not_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("thesis.txt"), "mine").expect("written");
        assert!(matches!(WorkDir::take(folder.path()), Err(ClusterError::NotOurs(_))));
        assert!(folder.path().join("thesis.txt").exists());
    }
}
