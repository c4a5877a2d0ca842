//! Systems without modes and owners, such as Windows: what a user makes is closed to others by where it is.
//!
//! A folder cannot be opened as a file there: it is locked by a file in it, and the system itself sees to names.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Makes a folder, which inherits who may use it.
pub fn create_private_folder(path: &Path) -> Result<()> {
    std::fs::create_dir(path)
}

/// The options unchanged: a file inherits who may use it.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Only sees that it is a folder, and no link.
pub fn close(folder: &Path) -> Result<()> {
    match std::fs::symlink_metadata(folder)?.is_dir() {
        true => Ok(()),
        false => Err(ErrorKind::NotADirectory.into()),
    }
}

/// Not known.
pub(crate) fn is_open_to_others(_: &Metadata) -> bool {
    false
}

/// Not known: only that both are there.
pub(crate) fn same_owner(one: &Path, other: &Path) -> Result<bool> {
    std::fs::metadata(one).and(std::fs::metadata(other)).map(|_| true)
}

/// A pipe is no file there.
pub(crate) fn is_pipe(_: &Path) -> bool {
    false
}

/// Waits for the lock of a folder, which is held until the file is dropped. The locked file stays in the folder: if it
/// were removed, two could hold a lock on two files of its name.
pub fn lock_folder(folder: &Path) -> Result<File> {
    let file = File::options().write(true).create(true).truncate(false).open(folder.join(".incrowd-lock"))?;
    file.lock()?;
    Ok(file)
}

/// Nothing to do: names are seen to by the system.
pub fn sync_folder(_: &Path) -> Result<()> {
    Ok(())
}

/// The name of a folder of the user who runs this.
pub(crate) fn user_folder(parent: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(parent)?;
    let user = std::env::var("USERNAME").unwrap_or_default();
    let plain: String = user.chars().filter(char::is_ascii_alphanumeric).collect();
    Ok(parent.join(format!("incrowd-{plain}")))
}
