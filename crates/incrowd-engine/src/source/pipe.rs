//! What can be read only once: standard input, named pipes and what a shell puts in their place.
//!
//! A table is read at least twice, so such a one is first copied into the run's private folder, which goes with the
//! run.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::limits::FilePart;
use crate::runtime::platform;
use crate::source::files::{by_magic, by_name};

/// What stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// The most bytes that are copied.
const MOST_BYTES: u64 = 64 << 30;

/// How long to wait for bytes before looking whether the work was stopped.
const PATIENCE: Duration = Duration::from_millis(50);

/// Whether this is to be copied before it is read.
pub(crate) fn reads_once(named: &str) -> bool {
    named == STANDARD_INPUT || platform::is_pipe(Path::new(named))
}

/// Copies all of it into a private file, named so that its format can be known.
pub(crate) fn copied(engine: &Engine, named: &str) -> Result<PathBuf> {
    let label = if named == STANDARD_INPUT { "standard-input" } else { "pipe" };
    let into = engine.private_file(label, label)?;
    // Waiting for the other end cannot be interrupted, so it is done aside.
    let (sender, receiver) = channel();
    let (source, target) = (PathBuf::from(named), into.clone());
    std::thread::spawn(move || {
        let copy = copy(&source, &target);
        // There is no receiver if the work was stopped.
        let _ = sender.send(copy);
    });
    let start = loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(copied) => break copied?,
            Err(RecvTimeoutError::Timeout) => engine.check_cancelled()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(EngineError::io(named, std::io::ErrorKind::BrokenPipe.into()));
            }
        }
    };
    // A name that shows the format is kept; otherwise the first bytes decide.
    let known = Path::new(named).file_name().filter(|_| by_name(Path::new(named)).is_some());
    let name = known.map_or_else(|| format!("{label}.{}", by_magic(&start)).into(), PathBuf::from);
    let path = into.with_file_name(name);
    std::fs::rename(&into, &path).map_err(|error| EngineError::temp(&path, error))?;
    Ok(path)
}

/// Copies it; its first bytes.
fn copy(named: &Path, into: &Path) -> Result<Vec<u8>> {
    let unread = |error| EngineError::io(named, error);
    let unwritten = |error| EngineError::temp(into, error);
    let mut source: Box<dyn Read> = if named == Path::new(STANDARD_INPUT) {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(named).map_err(unread)?)
    };
    let mut target = platform::private(File::options().write(true).create_new(true)).open(into).map_err(unwritten)?;
    let (mut piece, mut start, mut copied) = (vec![0; 1 << 20], Vec::new(), 0u64);
    loop {
        let read = match source.read(&mut piece) {
            Ok(0) => return Ok(start),
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unread(error)),
        };
        start.extend(piece[..read].iter().take(8usize.saturating_sub(start.len())));
        copied += read as u64;
        if copied > MOST_BYTES {
            return Err(EngineError::OverLimit { path: named.into(), part: FilePart::Pipe, most: MOST_BYTES });
        }
        target.write_all(&piece[..read]).map_err(unwritten)?;
    }
}
