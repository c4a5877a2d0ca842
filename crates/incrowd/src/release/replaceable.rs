//! What `--force` may replace: a folder in which incrowd wrote every file, as its manifest or its list of contents
//! proves.
//!
//! A manifest lists the files of a release with their SHA-256 and is sealed. The custodian's record has such a list,
//! too, [`CONTENTS`]. A folder that holds anything else, or a file with other bytes, is refused: it may hold somebody's
//! only copy.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use incrowd_verify::{FaultKind, Manifest, ManifestError, files_are_whole};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Staging;
use crate::error::{Error, Result};

/// The file that lists what a record holds.
pub(super) const CONTENTS: &str = "contents.json";

/// The list of the files of a record.
#[derive(Serialize, Deserialize)]
struct Contents {
    /// The version of this form. Always 1.
    incrowd_record: u32,
    files: Vec<Content>,
}

/// A file of a record.
#[derive(Serialize, Deserialize)]
struct Content {
    name: String,
    sha256: String,
}

/// A folder in which incrowd wrote every file, with the names, sizes and times of the files when that was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Replaceable(Vec<(PathBuf, u64, Option<SystemTime>)>);

impl Replaceable {
    /// A release: the manifest is sealed, every file has the checksum in it, and there is no other file.
    pub(super) fn release(folder: &Path) -> Result<Replaceable> {
        let seen = listing(folder)?;
        let manifest = Manifest::read(folder).map_err(|error| match error {
            ManifestError::Missing => Error::Taken(folder.into()),
            _ => foreign(folder, "manifest.json is not the manifest of a release, or was changed"),
        })?;
        let faults = files_are_whole(folder, &manifest, None)?;
        // Of a file that is gone, nothing can be lost.
        match faults.into_iter().find(|fault| fault.kind != FaultKind::MissingFile) {
            Some(fault) => Err(foreign(folder, fault.message)),
            None => Ok(seen),
        }
    }

    /// A custodian's record: every file has the checksum of its list, and there is no other file.
    pub(super) fn record(folder: &Path) -> Result<Replaceable> {
        let seen = listing(folder)?;
        let text = std::fs::read_to_string(folder.join(CONTENTS)).unwrap_or_default();
        let contents: Option<Contents> = serde_json::from_str(&text).ok();
        let contents = contents.filter(|contents| contents.incrowd_record == 1);
        let contents = contents.ok_or_else(|| foreign(folder, format!("it has no {CONTENTS} that lists its files")))?;
        for (name, ..) in &seen.0 {
            let listed = contents.files.iter().find(|file| Path::new(&file.name) == name);
            let shown = name.display();
            match listed {
                _ if name == Path::new(CONTENTS) => {}
                None => return Err(foreign(folder, format!("{shown} is in the folder and not in {CONTENTS}"))),
                Some(file) if checksum(&folder.join(name))? != file.sha256 => {
                    return Err(foreign(folder, format!("{shown} was changed: its SHA-256 is not that of {CONTENTS}")));
                }
                Some(_) => {}
            }
        }
        Ok(seen)
    }

    /// Whether the folder, perhaps under another name, still holds the same files.
    pub(super) fn still_holds(&self, folder: &Path) -> Result<bool> {
        Ok(listing(folder)? == *self)
    }
}

/// Writes the list of the files in the folder of a record.
pub(super) fn write_contents(folder: &Path) -> Result<()> {
    let mut files = Vec::new();
    for (name, ..) in listing(folder)?.0 {
        if name != Path::new(CONTENTS) {
            let sha256 = checksum(&folder.join(&name))?;
            files.push(Content { name: name.to_string_lossy().into_owned(), sha256 });
        }
    }
    let text = serde_json::to_string_pretty(&Contents { incrowd_record: 1, files }).unwrap_or_default() + "\n";
    Staging::write(&folder.join(CONTENTS), &text)
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

fn checksum(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|error| Error::file(path, &error))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
