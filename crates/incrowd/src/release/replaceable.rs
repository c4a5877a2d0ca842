//! What `--force` may replace: a folder in which incrowd wrote every file, as its manifest or its list of contents
//! proves.
//!
//! A manifest lists the files of a release with their SHA-256 and is sealed. The custodian's record has such a list,
//! too, `contents.json`. A folder that holds anything else, or a file with other bytes, is refused: it may hold somebody's
//! only copy.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use incrowd_verify::{FaultKind, MANIFEST, Manifest, ManifestError, TablesManifest, files_are_whole, tables_are_whole};

use super::contents::{CONTENTS, Contents};
use crate::error::{Error, Result};

/// A folder in which incrowd wrote every file, with the names, sizes and times of the files when that was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Replaceable(Vec<(PathBuf, u64, Option<SystemTime>)>);

impl Replaceable {
    /// A release: the manifest is sealed, every file has the checksum in it, and there is no other file.
    pub(super) fn release(folder: &Path) -> Result<Replaceable> {
        let seen = listing(folder)?;
        let changed = || foreign(folder, "manifest.json is not the manifest of a release, or was changed");
        let faults = match Manifest::read(folder) {
            Ok(manifest) => files_are_whole(folder, &manifest, None)?,
            Err(ManifestError::SeveralTables(_)) => {
                tables_are_whole(folder, &TablesManifest::read(folder).map_err(|_| changed())?, None)?
            }
            Err(ManifestError::Missing) => return Err(Error::Taken(folder.into())),
            Err(_) => return Err(changed()),
        };
        // Of a file that is gone, nothing can be lost.
        match faults.into_iter().find(|fault| fault.kind != FaultKind::MissingFile) {
            Some(fault) => Err(foreign(folder, fault.message)),
            None => Ok(seen),
        }
    }

    /// A custodian's record: every file has the checksum of its list, and there is no other file.
    pub(super) fn record(folder: &Path) -> Result<Replaceable> {
        let seen = listing(folder)?;
        let contents = Contents::read(folder);
        let contents = contents.ok_or_else(|| foreign(folder, format!("it has no {CONTENTS} that lists its files")))?;
        for (name, ..) in &seen.0 {
            if let Some(fault) = contents.fault(folder, name)? {
                return Err(foreign(folder, fault));
            }
        }
        Ok(seen)
    }

    /// Whether the folder, perhaps under another name, still holds the same files.
    pub(super) fn still_holds(&self, folder: &Path) -> Result<bool> {
        Ok(listing(folder)? == *self)
    }
}

/// Writes the list of the files in the folder of a record, with the seal of the manifest in the folder of its release.
pub(super) fn write_contents(folder: &Path, release: &Path) -> Result<()> {
    let listed = listing(folder)?;
    let read = Manifest::read(release).map(|manifest| manifest.seal);
    let read = match read {
        Err(ManifestError::SeveralTables(_)) => TablesManifest::read(release).map(|manifest| manifest.seal),
        read => read,
    };
    let seal = match read {
        Ok(seal) => Some(seal),
        Err(ManifestError::Missing) => None,
        // A record without the seal of its manifest would belong to no release.
        Err(ManifestError::Io(error)) => return Err(Error::file(&release.join(MANIFEST), &error)),
        Err(_) => return Err(foreign(release, format!("its {MANIFEST} is not the one that was written"))),
    };
    Contents::write(folder, listed.0.iter().map(|(name, ..)| name), seal)
}

fn foreign(folder: &Path, fact: impl Into<String>) -> Error {
    Error::ForeignFiles { folder: folder.into(), fact: fact.into() }
}

/// The files below a folder by their names in it, sorted; refused when something is neither a file nor a folder.
fn listing(folder: &Path) -> Result<Replaceable> {
    let (mut files, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(inside) = folders.pop() {
        let path = folder.join(&inside);
        let failed = |error: std::io::Error| Error::file(&path, &error);
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (name, about) = (inside.join(entry.file_name()), entry.metadata().map_err(failed)?);
            if about.is_dir() {
                folders.push(name);
            } else if about.is_file() {
                files.push((name, about.len(), about.modified().ok()));
            } else {
                return Err(foreign(folder, format!("{} is not a plain file", name.display())));
            }
        }
    }
    files.sort();
    Ok(Replaceable(files))
}
