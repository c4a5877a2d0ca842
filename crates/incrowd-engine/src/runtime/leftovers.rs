//! Files and folders that must not outlive the process, so that a process that is ended by a signal can remove them.
//!
//! Every owner removes its files when it is dropped. A process that has to end while its threads are busy drops
//! nothing; it calls [`remove_leftovers`] instead and then ends at once.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the removal of a folder is tried: threads that are still at work may add files to it.
const TRIES: usize = 20;

static REGISTERED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn registered() -> MutexGuard<'static, Vec<PathBuf>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A registered file or folder; no longer registered once this is dropped.
#[derive(Debug)]
pub struct Leftover(PathBuf);

impl Leftover {
    /// Creates a file or folder and registers it. No signal comes between the two.
    pub fn create<T>(path: &Path, create: impl FnOnce(&Path) -> std::io::Result<T>) -> std::io::Result<(T, Leftover)> {
        let mut registered = registered();
        let made = create(path)?;
        // The working directory may change; what is removed may not.
        let path = std::path::absolute(path)?;
        registered.push(path.clone());
        Ok((made, Leftover(path)))
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        let mut registered = registered();
        if let Some(at) = registered.iter().position(|path| *path == self.0) {
            registered.swap_remove(at);
        }
    }
}

/// Removes everything that is registered. Afterwards nothing can be registered any more, and threads that try wait for
/// the end of the process: the caller has to end it.
pub fn remove_leftovers() {
    let registered = registered();
    for path in registered.iter() {
        remove(path);
    }
    std::mem::forget(registered);
}

fn remove(path: &Path) {
    for _ in 0..TRIES {
        let removed = match std::fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
            Ok(_) => std::fs::remove_file(path),
            Err(_) => return,
        };
        if removed.is_ok() {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_registered_is_removed_although_threads_add_to_it_and_nothing_else_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let (_, _kept) = Leftover::create(&path("run"), |path| std::fs::create_dir(path)).expect("made");
        let (_, done) = Leftover::create(&path("done"), |path| std::fs::write(path, "")).expect("made");
        drop(done);
        assert!(Leftover::create(&path("run"), |path| std::fs::create_dir(path)).is_err(), "not ours");
        let busy = path("run");
        let adding = std::thread::spawn(move || {
            (0..2000).for_each(|file| drop(std::fs::write(busy.join(file.to_string()), "")));
        });
        let is_registered = |name: &str| registered().contains(&path(name));
        assert!(is_registered("run") && !is_registered("done"));
        remove(&path("run"));
        adding.join().expect("ended");
        assert!(!path("run").exists() && path("done").exists());
    }
}
