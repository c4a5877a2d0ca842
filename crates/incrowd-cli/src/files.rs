//! Files that a command writes: existing ones are overwritten only on request, and each is complete or absent.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use incrowd::{Leftover, Source};

use crate::printer::Failure;
use crate::signals;

/// Refuses to overwrite a file without `force`, to write through a link, and to write into a missing folder.
pub(crate) fn refuse_to_overwrite(path: &Path, force: bool) -> Result<(), Failure> {
    let elsewhere = "use -o FILE to write elsewhere";
    match path.symlink_metadata() {
        Ok(about) if about.is_symlink() => return Err(incrowd::Error::Link(path.into()).into()),
        Ok(_) if !force => return Err(incrowd::Error::FileExists(path.into()).into()),
        Ok(about) if !about.is_file() => {
            return Err(Failure::new(format!("{} exists and is not a file", path.display()), elsewhere));
        }
        Ok(about) if about.permissions().readonly() => {
            return Err(Failure::new(format!("{} is read-only", path.display()), elsewhere));
        }
        _ => {}
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(Failure::new(format!("{}: no such folder", folder.display()), "create the folder first"))
        }
        _ => Ok(()),
    }
}

/// Opens a file to which lines are appended that begin like this. A file that holds something else is refused, as is a
/// link.
pub(crate) fn open_lines(path: &Path, beginning: &str) -> Result<File, Failure> {
    if let Ok(about) = path.symlink_metadata() {
        if about.is_symlink() {
            return Err(incrowd::Error::Link(path.into()).into());
        }
        let first = |file: File| {
            let mut first = Vec::new();
            file.take(beginning.len() as u64).read_to_end(&mut first).map(|_| first)
        };
        let is_ours = |first: Vec<u8>| first.is_empty() || first == beginning.as_bytes();
        if !about.is_file() || !File::open(path).and_then(first).is_ok_and(is_ours) {
            return Err(incrowd::Error::FileExists(path.into()).into());
        }
    }
    OpenOptions::new().create(true).append(true).open(path).map_err(|error| Failure::io(path, &error))
}

/// Refuses to write over a file that is read.
pub(crate) fn refuse_to_overwrite_source(path: &Path, source: &Source) -> Result<(), Failure> {
    let real = |path: &Path| path.canonicalize().ok();
    match real(path).filter(|written| source.files().iter().any(|file| real(file).as_ref() == Some(written))) {
        Some(_) => {
            let what = format!("{} is the source table", path.display());
            Err(Failure::new(what, "use -o FILE to write elsewhere"))
        }
        None => Ok(()),
    }
}

/// Writes a text file. A file that is there stays until the new one is complete, and is replaced as a whole: what else
/// links to it is not changed.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: &std::io::Error| Failure::io(path, error);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for attempt in 0u32.. {
        let partial = path.with_file_name(format!(".{name}.partial-{}-{attempt}", std::process::id()));
        let (mut file, _leftover) = match Leftover::create(&partial, |path| File::create_new(path)) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            created => created.map_err(|error| failed(&error))?,
        };
        let before = path.metadata().map(|about| about.permissions()).ok();
        let written = before
            .map_or(Ok(()), |before| file.set_permissions(before))
            .and_then(|()| file.write_all(text.as_bytes()))
            .and_then(|()| file.sync_all())
            .map_err(|error| failed(&error))
            .and_then(|()| signals::commit(|| std::fs::rename(&partial, path).map_err(|error| failed(&error))));
        return written.inspect_err(|_| {
            let _ = std::fs::remove_file(&partial);
        });
    }
    Ok(())
}
