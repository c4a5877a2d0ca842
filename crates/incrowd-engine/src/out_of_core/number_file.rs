//! Files of numbers in the run's private folder, removed with the value that holds them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::count::spill::{Spills, temp_error};
use crate::runtime::error::Result;

/// A file that is written from its start to its end, and removed when dropped.
#[derive(Debug)]
pub(crate) struct NumberFile {
    path: PathBuf,
    file: File,
    end: u64,
}

impl Drop for NumberFile {
    fn drop(&mut self) {
        // Nothing can be done about a failure here; the run's folder is removed as a whole later.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl NumberFile {
    pub(crate) fn create(spills: &Spills, kind: &str) -> Result<Self> {
        let (path, file) = spills.create(kind)?;
        Ok(NumberFile { path, file, end: 0 })
    }

    /// How many bytes were written.
    pub(crate) fn bytes(&self) -> u64 {
        self.end
    }

    /// Appends some bytes; returns where they start.
    pub(crate) fn append(&mut self, bytes: &[u8], spills: &Spills) -> Result<u64> {
        self.file.write_all(bytes).map_err(|error| temp_error(&self.path, error))?;
        let start = self.end;
        self.end += bytes.len() as u64;
        spills.add(bytes.len() as u64);
        Ok(start)
    }

    /// A reader with a place of its own in the file.
    pub(crate) fn open(&self) -> Result<NumberReader> {
        let file = File::open(&self.path).map_err(|error| temp_error(&self.path, error))?;
        Ok(NumberReader { path: self.path.clone(), file, bytes: Vec::new() })
    }
}

/// Reads stretches of a file of numbers.
#[derive(Debug)]
pub(crate) struct NumberReader {
    path: PathBuf,
    file: File,
    bytes: Vec<u8>,
}

impl NumberReader {
    /// This many bytes from a place on.
    pub(crate) fn read(&mut self, start: u64, bytes: usize) -> Result<&[u8]> {
        self.bytes.resize(bytes, 0);
        let mut read = || {
            self.file.seek(SeekFrom::Start(start))?;
            self.file.read_exact(&mut self.bytes)
        };
        read().map_err(|error| temp_error(&self.path, error))?;
        Ok(&self.bytes)
    }

    /// The same as words.
    pub(crate) fn words(&mut self, start: u64, count: usize, words: &mut Vec<u64>) -> Result<()> {
        words.clear();
        words.extend(self.read(start, count * 8)?.chunks_exact(8).map(word));
        Ok(())
    }
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// Appends numbers to bytes, in the order in which files have them.
pub(crate) fn put_words(words: &[u64], bytes: &mut Vec<u8>) {
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}
