//! Counted tuples that do not fit in memory: sorted runs of codes on disk.
//!
//! What is written is codes and counts, not values: without the dictionaries, which stay in memory, a run reveals to
//! nobody who is in the table. Runs live in the run's private folder and go with it.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use incrowd_core::Layout;

use crate::runtime::error::{EngineError, Result};

/// Where runs are written, and how much was.
#[derive(Debug)]
pub(crate) struct Spills {
    folder: PathBuf,
    files: AtomicU64,
    bytes: AtomicU64,
}

impl Spills {
    pub(crate) fn new(folder: &Path) -> Self {
        Spills { folder: folder.into(), files: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    /// Bytes written so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// A file for the runs of one thread.
    pub(crate) fn file(&self) -> Result<RunFile> {
        let (path, file) = self.create("tuples")?;
        Ok(RunFile { path, file, runs: Vec::new(), end: 0 })
    }

    /// An empty file of this kind.
    pub(crate) fn create(&self, kind: &str) -> Result<(PathBuf, File)> {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("{kind}-{number}"));
        let file = File::options().read(true).write(true).create_new(true).open(&path);
        let file = file.map_err(|error| temp_error(&path, error))?;
        Ok((path, file))
    }

    /// This many more bytes were written.
    pub(crate) fn add(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// An error about a file of the run's private folder, which is what the user can do something about.
pub(crate) fn temp_error(path: &Path, error: std::io::Error) -> EngineError {
    EngineError::temp(path.parent().unwrap_or(path), error)
}

/// The runs of one thread, one behind the other in one file: a scan that spills a thousand times must not hold a
/// thousand open files. Removed when dropped.
pub(crate) struct RunFile {
    path: PathBuf,
    file: File,
    runs: Vec<SortedRun>,
    end: u64,
}

/// A finished run.
struct SortedRun {
    layout: Layout,
    /// Where each part starts, and where the last one ends, in bytes.
    starts: Vec<u64>,
}

impl Drop for RunFile {
    fn drop(&mut self) {
        // Nothing can be done about a failure here; the run's folder is removed as a whole later.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl RunFile {
    /// Starts a run whose keys have this layout.
    pub(crate) fn start(&mut self, layout: Layout) -> Result<RunWriter<'_>> {
        let (end, path) = (self.end, self.path.clone());
        self.file.seek(SeekFrom::Start(end)).map_err(|error| temp_error(&path, error))?;
        let file = BufWriter::with_capacity(1 << 18, &self.file);
        Ok(RunWriter { path, layout, file, starts: Vec::new(), end, runs: &mut self.runs, file_end: &mut self.end })
    }

    /// Hands out the entries of one part of every run.
    pub(crate) fn read(&mut self, part: usize, take: &mut dyn FnMut(&Layout, &[u64], u64)) -> Result<()> {
        for run in &self.runs {
            let (start, end) = (run.starts[part], run.starts[part + 1]);
            self.read_run(run, start, end, take).map_err(|error| temp_error(&self.path, error))?;
        }
        Ok(())
    }

    fn read_run(
        &self,
        run: &SortedRun,
        start: u64,
        end: u64,
        take: &mut dyn FnMut(&Layout, &[u64], u64),
    ) -> std::io::Result<()> {
        (&self.file).seek(SeekFrom::Start(start))?;
        let words = run.layout.words();
        let mut reader = BufReader::with_capacity((end - start).min(1 << 18) as usize, &self.file);
        let mut entry = vec![0; (words + 1) * 8];
        let mut key = vec![0; words + 1];
        for _ in 0..(end - start) / entry.len() as u64 {
            reader.read_exact(&mut entry)?;
            for (word, bytes) in key.iter_mut().zip(entry.chunks_exact(8)) {
                *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            }
            take(&run.layout, &key[..words], key[words]);
        }
        Ok(())
    }
}

/// A run that is being written, part by part.
pub(crate) struct RunWriter<'a> {
    path: PathBuf,
    layout: Layout,
    file: BufWriter<&'a File>,
    starts: Vec<u64>,
    end: u64,
    runs: &'a mut Vec<SortedRun>,
    file_end: &'a mut u64,
}

impl RunWriter<'_> {
    pub(crate) fn begin_part(&mut self) {
        self.starts.push(self.end);
    }

    pub(crate) fn write(&mut self, key: &[u64], count: u64) -> Result<()> {
        for word in key.iter().copied().chain([count]) {
            self.file.write_all(&word.to_le_bytes()).map_err(|error| temp_error(&self.path, error))?;
            self.end += 8;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self, spills: &Spills) -> Result<()> {
        self.file.flush().map_err(|error| temp_error(&self.path, error))?;
        spills.add(self.end - *self.file_end);
        self.starts.push(self.end);
        *self.file_end = self.end;
        self.runs.push(SortedRun { layout: self.layout, starts: self.starts });
        Ok(())
    }
}
