//! Are the files of the manifest there, plain, whole, and the only ones?

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Component, Path};

use super::delta_log;
use crate::manifest::{DELTA_LOG, FileEntry, MANIFEST, Manifest, sha256_of_file};
use crate::verdict::{Fault, FaultKind, VerifyError};

/// What was found out about the files.
pub(crate) struct CheckedFiles<'a> {
    /// Those that may be opened, in the order of the manifest.
    pub(crate) readable: Vec<&'a FileEntry>,
    /// Their bytes.
    pub(crate) bytes: u64,
}

/// Checks the folder against the manifest. A file whose name is no plain one is never opened.
pub(crate) fn check<'a>(
    dir: &Path,
    manifest: &'a Manifest,
    stop: &dyn Fn() -> bool,
    faults: &mut Vec<Fault>,
) -> Result<CheckedFiles<'a>, VerifyError> {
    let mut files = CheckedFiles { readable: Vec::new(), bytes: 0 };
    for file in check_folder(dir, manifest, stop, faults)? {
        if let Some(bytes) = check_data(dir, file, stop, faults)? {
            files.readable.push(file);
            files.bytes += bytes;
        }
    }
    Ok(files)
}

/// The bytes of a file of data, if it may be opened.
pub(crate) fn check_data(
    dir: &Path,
    file: &FileEntry,
    stop: &dyn Fn() -> bool,
    faults: &mut Vec<Fault>,
) -> Result<Option<u64>, VerifyError> {
    check_file(dir, FileClaim { name: &file.name, bytes: file.bytes, sha256: &file.sha256 }, stop, faults)
}

/// Checks the names of the files, the report, and that nothing else is in the folder; gives the files of data whose names
/// may be used.
pub(crate) fn check_folder<'a>(
    dir: &Path,
    manifest: &'a Manifest,
    stop: &dyn Fn() -> bool,
    faults: &mut Vec<Fault>,
) -> Result<Vec<&'a FileEntry>, VerifyError> {
    let mut files = Vec::with_capacity(manifest.files.len());
    let mut names = BTreeSet::from([MANIFEST]);
    if manifest.files.is_empty() {
        faults.push(Fault::new(FaultKind::Manifest, "the manifest lists no file"));
    }
    for file in &manifest.files {
        let name = &file.name;
        if !is_plain(name) {
            faults.push(Fault::new(FaultKind::FileName, "a file name in the manifest is not a plain file name"));
        } else if !names.insert(name) {
            faults.push(Fault::new(FaultKind::FileName, format!("{name} is listed twice or is the manifest itself")));
        } else {
            files.push(file);
        }
    }
    if let Some(report) = &manifest.report {
        let name = report.name.as_str();
        if !is_plain(name) {
            faults.push(Fault::new(
                FaultKind::FileName,
                "the name of the report in the manifest is not a plain file name",
            ));
        } else if !names.insert(name) {
            faults.push(Fault::new(FaultKind::FileName, format!("{name} is listed as the report and as another file")));
        } else {
            // A page is no data: it is held against its checksum and never counted.
            check_file(dir, FileClaim { name, bytes: report.bytes, sha256: &report.sha256 }, stop, faults)?;
        }
    }
    if let Some(delta) = &manifest.delta {
        let claim = FileClaim { name: DELTA_LOG, bytes: delta.bytes, sha256: &delta.sha256 };
        if delta_log::is_alone(dir, faults)? && check_file(dir, claim, stop, faults)?.is_some() {
            delta_log::check(dir, manifest, faults)?;
        }
        names.insert(delta_log::FOLDER);
    }
    for entry in std::fs::read_dir(dir).map_err(VerifyError::Folder)? {
        let name = entry.map_err(VerifyError::Folder)?.file_name();
        let name = name.to_string_lossy();
        if !names.contains(name.as_ref()) {
            faults.push(Fault::new(FaultKind::ExtraFile, format!("{name} is in the folder, but not in the manifest")));
        }
    }
    Ok(files)
}

/// Whether a name is that of a file or a folder in the folder itself, on any system.
pub(crate) fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let one = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name);
    one && !name.contains(['/', '\\', ':', '\0'])
}

/// What the manifest says of a file.
#[derive(Clone, Copy)]
struct FileClaim<'a> {
    name: &'a str,
    bytes: u64,
    sha256: &'a str,
}

/// The bytes of a file, if it may be opened.
fn check_file(
    dir: &Path,
    claim: FileClaim<'_>,
    stop: &dyn Fn() -> bool,
    faults: &mut Vec<Fault>,
) -> Result<Option<u64>, VerifyError> {
    let FileClaim { name, bytes: said, sha256 } = claim;
    let path = &dir.join(name);
    let mut fault = |kind, message| faults.push(Fault::new(kind, message));
    match path.symlink_metadata() {
        Ok(about) if !about.is_file() => {
            fault(FaultKind::FileName, format!("{name} is not a plain file"));
            return Ok(None);
        }
        Ok(about) if about.len() != said => {
            fault(FaultKind::Bytes, format!("{name} has {} bytes, but the manifest says {}", about.len(), said));
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fault(FaultKind::MissingFile, format!("{name} is missing"));
            return Ok(None);
        }
        Err(error) => return Err(VerifyError::Folder(error)),
    }
    let (sum, bytes) = sha256_of_file(path, stop).map_err(VerifyError::Folder)?.ok_or(VerifyError::Cancelled)?;
    if !sum.eq_ignore_ascii_case(sha256) {
        fault(FaultKind::Checksum, format!("{name}: the SHA-256 differs from the manifest"));
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests;
