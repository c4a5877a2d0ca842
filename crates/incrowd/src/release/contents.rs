//! The list of the files of a custodian's record, with their checksums and the seal of the manifest they were written
//! with: `contents.json`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::StagedRelease;
use crate::error::{Error, Result};
use crate::texts::json_of;

/// The file that lists what a record holds.
pub(super) const CONTENTS: &str = "contents.json";

/// A list that is larger is not one.
const MOST_BYTES: u64 = 16 << 20;

/// The list of the files of a record.
#[derive(Serialize, Deserialize)]
pub(super) struct Contents {
    /// The version of this form. Always 1.
    incrowd_record: u32,
    /// The seal of the manifest of the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) manifest_seal: Option<String>,
    files: Vec<Content>,
}

/// A file of a record.
#[derive(Serialize, Deserialize)]
struct Content {
    name: String,
    sha256: String,
}

impl Contents {
    /// Reads the list; nothing when the folder has none that can be read.
    pub(super) fn read(folder: &Path) -> Option<Contents> {
        let path = folder.join(CONTENTS);
        path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
        let mut text = String::new();
        File::open(path).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
        serde_json::from_str(&text).ok().filter(|contents: &Contents| contents.incrowd_record == 1)
    }

    /// Writes the list of these files of a record.
    pub(super) fn write<'a>(
        folder: &Path,
        names: impl Iterator<Item = &'a PathBuf>,
        manifest_seal: Option<String>,
    ) -> Result<()> {
        let mut files = Vec::new();
        for name in names.filter(|name| *name != Path::new(CONTENTS)) {
            let sha256 = checksum(&folder.join(name))?;
            files.push(Content { name: name.to_string_lossy().into_owned(), sha256 });
        }
        let contents = Contents { incrowd_record: 1, manifest_seal, files };
        let path = folder.join(CONTENTS);
        StagedRelease::write(&path, &json_of(&contents, &path)?)
    }

    /// What is wrong with a file of the folder, if anything: it is not listed, or has other bytes.
    pub(super) fn fault(&self, folder: &Path, name: &Path) -> Result<Option<String>> {
        let shown = name.display();
        Ok(match self.files.iter().find(|file| Path::new(&file.name) == name) {
            _ if name == Path::new(CONTENTS) => None,
            None => Some(format!("{shown} is in the folder, but not in {CONTENTS}")),
            Some(file) if checksum(&folder.join(name))? != file.sha256 => {
                Some(format!("{shown} was changed: its SHA-256 differs from {CONTENTS}"))
            }
            Some(_) => None,
        })
    }

    /// The first listed file that is not a plain file of the folder with the listed bytes, in words.
    pub(super) fn first_fault(&self, folder: &Path) -> Result<Option<String>> {
        for file in &self.files {
            let name = Path::new(&file.name);
            let inside = name.components().all(|part| matches!(part, std::path::Component::Normal(_)));
            if !inside || file.name.is_empty() {
                return Ok(Some(format!("{CONTENTS} lists a file that is not in the folder")));
            }
            match folder.join(name).symlink_metadata() {
                Ok(about) if !about.is_file() => return Ok(Some(format!("{} is not a plain file", name.display()))),
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    return Ok(Some(format!("{} is missing", name.display())));
                }
                Err(error) => return Err(Error::file(&folder.join(name), &error)),
            }
            if let Some(fault) = self.fault(folder, name)? {
                return Ok(Some(fault));
            }
        }
        Ok(None)
    }

    /// The names of the listed files.
    pub(super) fn names(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| PathBuf::from(&file.name)).collect()
    }

    /// Whether a file is listed.
    pub(super) fn lists(&self, name: &Path) -> bool {
        self.files.iter().any(|file| Path::new(&file.name) == name)
    }
}

fn checksum(path: &Path) -> Result<String> {
    let failed = |error: std::io::Error| Error::file(path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let (mut sum, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            Ok(read) => sum.update(&buffer[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
}
