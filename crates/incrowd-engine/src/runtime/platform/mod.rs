//! What differs between operating systems: private files and folders, folders as files, pipes.
//!
//! The only place with such differences, but for signals, which are those of a program and not of a library. Every
//! function is there twice: for Unix, and for all other systems in plain `std` (`elsewhere.rs`). Tests on Unix compile and
//! run both.

#[cfg(any(not(unix), test))]
#[cfg_attr(unix, allow(unreachable_pub))] // Only tests see it there.
mod elsewhere;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use elsewhere as system;
#[cfg(unix)]
use unix as system;

pub use system::{close, create_private_folder, lock_folder, private, sync_folder};
pub(crate) use system::{is_open_to_others, is_pipe, same_owner, user_folder};

/// Sees a file that is complete on the disk.
pub fn sync_file(path: &std::path::Path) -> std::io::Result<()> {
    // Some systems sync only what is open for writing.
    std::fs::File::options().write(true).open(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// What holds on every system.
    macro_rules! holds {
        ($system:ident) => {{
            let folder = tempfile::tempdir().expect("a folder");
            let inner = folder.path().join("inner");
            $system::create_private_folder(&inner).expect("made");
            $system::create_private_folder(&inner).expect_err("it is there");
            $system::close(&inner).expect("closed");
            $system::sync_folder(&inner).expect("synced");
            let file = inner.join("secret");
            let opened = $system::private(std::fs::File::options().write(true).create_new(true)).open(&file);
            opened.expect("a new file").lock().expect("locked");
            assert!($system::same_owner(&inner, &file).expect("there"));
            sync_file(&file).expect("synced");
            assert!(!$system::is_open_to_others(&file.metadata().expect("there")));
            $system::close(&file).expect_err("not a folder");
            let lock = $system::lock_folder(&inner).expect("locked");
            drop(lock);
            let own = $system::user_folder(folder.path()).expect("a folder of the user");
            assert!(own.starts_with(folder.path()) && own != folder.path() && !own.exists());
            assert!(!$system::is_pipe(&file) && !$system::is_pipe(Path::new("not there")));
        }};
    }

    #[test]
    fn private_places_are_made_and_locked_here_and_elsewhere() {
        holds!(elsewhere);
        #[cfg(unix)]
        holds!(unix);
    }

    #[test]
    fn a_folder_is_locked_by_one_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        for lock in [elsewhere::lock_folder, lock_folder] {
            let held = lock(folder.path()).expect("locked");
            let (sender, receiver) = std::sync::mpsc::channel();
            let path = folder.path().to_path_buf();
            let other = std::thread::spawn(move || {
                let other = lock(&path).expect("locked");
                sender.send(()).expect("received");
                drop(other);
            });
            assert!(receiver.try_recv().is_err(), "the lock is held");
            drop(held);
            receiver.recv().expect("the other holds it now");
            other.join().expect("ended");
        }
    }
}
