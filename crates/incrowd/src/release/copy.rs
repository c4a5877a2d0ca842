//! A release under another name, as crash-safe as it was made: copied into a hidden folder, verified there, renamed.

use std::path::Path;

use incrowd_engine::platform;
use incrowd_verify::Verdict;

use super::{MANIFEST, OpenedRelease, StagedRelease};
use crate::error::{Error, Result};

/// Copies a release and, if there is one, the custodian's record next to it. The copy is verified before it gets
/// the name of `target`; a release that does not keep its promises is refused.
pub fn copy_release(release: &Path, target: &Path, force: bool) -> Result<Verdict> {
    let opened = OpenedRelease::open(release, None)?;
    let manifest = opened.manifest();
    let files = manifest.listed_files().map(|(name, _)| name);
    let staging = StagedRelease::begin(target, force)?;
    // The manifest last: a folder without it is no release.
    for name in files.chain([MANIFEST]) {
        let to = staging.public().join(name);
        let folder = to.parent().unwrap_or(&to);
        std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, &error))?;
        copy(&release.join(name), &to)?;
        platform::sync_folder(folder).map_err(|error| Error::file(folder, &error))?;
    }
    if let Some(record) = opened.record() {
        copy_folder(&record.folder, &staging.internal())?;
    }
    let verdict = incrowd_verify::verify(&staging.public(), &incrowd_verify::Options::default())?;
    if !verdict.verified {
        return Err(Error::Unverified(verdict.faults));
    }
    staging.publish()?;
    Ok(verdict)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let failed = |error: std::io::Error| Error::file(from, &error);
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().map_err(failed)?.is_dir() {
            std::fs::create_dir(&copied).map_err(|error| Error::file(&copied, &error))?;
            copy_folder(&path, &copied)?;
        } else {
            copy(&path, &copied)?;
        }
    }
    Ok(())
}

/// Copies a file and sees it on the disk.
fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).map_err(|error| Error::file(from, &error))?;
    platform::sync_file(to).map_err(|error| Error::file(to, &error))
}
