//! Unix: modes, owners, and folders that can be opened.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{ErrorKind, Result};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Makes a folder that is closed to others.
pub fn create_private_folder(path: &Path) -> Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// A file that is made with these options is closed to others.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Closes a folder to others; not what a link points to.
pub fn close(folder: &Path) -> Result<()> {
    let about = std::fs::symlink_metadata(folder)?;
    if !about.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    if about.permissions().mode() & 0o777 != 0o700 {
        std::fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Whether others than the owner can use a file.
pub(crate) fn is_open_to_others(about: &Metadata) -> bool {
    about.mode() & 0o077 != 0
}

/// Whether two files or folders belong to the same user.
pub(crate) fn same_owner(one: &Path, other: &Path) -> Result<bool> {
    Ok(std::fs::metadata(one)?.uid() == std::fs::metadata(other)?.uid())
}

/// Whether this is a pipe, or standard input under its path, which may be a terminal.
pub(crate) fn is_pipe(path: &Path) -> bool {
    let is_input = path == Path::new("/dev/stdin");
    path.metadata().is_ok_and(|about| about.file_type().is_fifo() || is_input && about.file_type().is_char_device())
}

/// Waits for the lock of a folder, which is held until the file is dropped. The lock is on the folder itself, so that no
/// file is left.
pub fn lock_folder(folder: &Path) -> Result<File> {
    let folder = File::open(folder)?;
    folder.lock()?;
    Ok(folder)
}

/// Sees the names in a folder on the disk.
pub fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder)?.sync_all()
}

/// The name of a folder of the user who runs this, by user id: a name in the environment may be missing, or another
/// user's. Refused when somebody else's folder, or a link, has this name.
pub(crate) fn user_folder(parent: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(parent)?;
    let user = own_id(parent)?;
    let root = parent.join(format!("incrowd-{user}"));
    match std::fs::symlink_metadata(&root) {
        Ok(about) if !about.is_dir() || about.uid() != user => Err(ErrorKind::PermissionDenied.into()),
        _ => Ok(root),
    }
}

/// The id of the user: what a process makes belongs to its user.
fn own_id(parent: &Path) -> Result<u32> {
    for attempt in 0u32..100 {
        let path = parent.join(format!("incrowd-start-{}-{attempt}", std::process::id()));
        match create_private_folder(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            made => made?,
        }
        let user = std::fs::symlink_metadata(&path).map(|about| about.uid());
        std::fs::remove_dir(&path)?;
        return user;
    }
    Err(ErrorKind::AlreadyExists.into())
}
