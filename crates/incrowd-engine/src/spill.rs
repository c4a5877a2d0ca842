//! Counted tuples that outgrow memory: sorted runs of codes on disk.
//!
//! What is written is codes and counts, not values: without the dictionaries, which stay in memory, a run tells nobody
//! who is in the table. Runs live in the run's private folder and go with it.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use incrowd_core::Layout;

use crate::error::{EngineError, Result};

/// Where runs are written, and how much was.
#[derive(Debug)]
pub(crate) struct Spills {
    folder: PathBuf,
    runs: AtomicU64,
    bytes: AtomicU64,
}

impl Spills {
    pub(crate) fn new(folder: &Path) -> Self {
        Spills { folder: folder.into(), runs: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    /// Bytes written so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Starts a run whose keys have this layout.
    pub(crate) fn start(&self, layout: Layout) -> Result<RunWriter<'_>> {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("tuples-{number}"));
        let file = File::options().read(true).write(true).create_new(true).open(&path);
        let file = file.map_err(|error| temp_error(&path, &error))?;
        Ok(RunWriter {
            spills: self,
            path,
            layout,
            file: BufWriter::with_capacity(1 << 20, file),
            starts: Vec::new(),
            written: 0,
        })
    }
}

fn temp_error(path: &Path, error: &std::io::Error) -> EngineError {
    EngineError::Temp { path: path.parent().unwrap_or(path).into(), kind: error.kind() }
}

/// A run that is being written, part by part.
pub(crate) struct RunWriter<'a> {
    spills: &'a Spills,
    path: PathBuf,
    layout: Layout,
    file: BufWriter<File>,
    /// Where each part starts, in bytes.
    starts: Vec<u64>,
    written: u64,
}

impl RunWriter<'_> {
    pub(crate) fn begin_part(&mut self) {
        self.starts.push(self.written);
    }

    pub(crate) fn write(&mut self, key: &[u64], count: u64) -> Result<()> {
        for word in key.iter().copied().chain([count]) {
            self.file.write_all(&word.to_le_bytes()).map_err(|error| temp_error(&self.path, &error))?;
            self.written += 8;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Run> {
        self.starts.push(self.written);
        self.spills.bytes.fetch_add(self.written, Ordering::Relaxed);
        let file = self.file.into_inner().map_err(|error| temp_error(&self.path, error.error()))?;
        Ok(Run { path: self.path, layout: self.layout, file, starts: self.starts })
    }
}

/// A finished run.
pub(crate) struct Run {
    path: PathBuf,
    layout: Layout,
    file: File,
    starts: Vec<u64>,
}

impl Run {
    /// Hands out the entries of one part.
    pub(crate) fn read(&mut self, part: usize, take: &mut dyn FnMut(&Layout, &[u64], u64)) -> Result<()> {
        let (start, end) = (self.starts[part], self.starts[part + 1]);
        let wrap = |error: std::io::Error| temp_error(&self.path, &error);
        self.file.seek(SeekFrom::Start(start)).map_err(wrap)?;
        let words = self.layout.words();
        let mut reader = BufReader::with_capacity(1 << 18, &self.file);
        let mut entry = vec![0; (words + 1) * 8];
        let mut key = vec![0; words + 1];
        for _ in 0..(end - start) / entry.len() as u64 {
            reader.read_exact(&mut entry).map_err(wrap)?;
            for (word, bytes) in key.iter_mut().zip(entry.chunks_exact(8)) {
                *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            }
            take(&self.layout, &key[..words], key[words]);
        }
        Ok(())
    }
}
