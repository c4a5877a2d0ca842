//! Files that are read on after a signal interrupted a read, as network file systems let it. Libraries that parse files pass the
//! interruption on as an error.

use std::fs::File;
use std::io::{ErrorKind, Read, Result, Seek, SeekFrom};

/// A file whose reads are repeated when they were interrupted.
pub(crate) struct SteadyFile(pub(crate) File);

impl Read for SteadyFile {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        loop {
            match self.0.read(into) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }
}

impl Seek for SteadyFile {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.0.seek(to)
    }
}
