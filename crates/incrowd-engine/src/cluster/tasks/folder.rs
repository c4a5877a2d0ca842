//! The folder in which a job and its tasks leave files for each other.

use std::fs::File;
use std::hash::BuildHasher;
use std::io::{BufWriter, Read, Seek, SeekFrom, Take, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::runtime::cluster_session::TaskJob;
use crate::runtime::error::{EngineError, Result};

/// Random bits of this process. Its number will not do: two processes have the same on two machines, or in two containers.
static PROCESS: LazyLock<u64> = LazyLock::new(|| std::hash::RandomState::new().hash_one(std::process::id()));

/// Numbers the unfinished files of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A folder that all machines see, with what tasks need and what they make.
#[derive(Clone, Copy, Debug)]
pub struct TaskFolder<'a>(pub(super) &'a Path);

impl<'a> TaskFolder<'a> {
    /// The folder of a job.
    pub fn of(job: &'a TaskJob) -> TaskFolder<'a> {
        TaskFolder(&job.folder)
    }

    pub(super) fn file(self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A name that nobody else takes, for what becomes `name` when it is complete.
    pub(super) fn unfinished(self, name: &str) -> PathBuf {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.file(&format!(".{name}.{:016x}-{number}", *PROCESS))
    }

    /// Gives a file its name, in the place of one that a task left before.
    pub(super) fn finish(self, unfinished: &Path, name: &str) -> Result<()> {
        let path = self.file(name);
        std::fs::rename(unfinished, &path).map_err(|error| EngineError::io(&path, error))
    }

    /// Writes a file, which has its name when it is complete.
    pub(super) fn put(self, name: &str, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
        let unfinished = self.unfinished(name);
        let failed = |error| EngineError::io(self.file(name), error);
        let mut file = File::create_new(&unfinished).map_err(failed)?;
        match write(&mut file).and_then(|()| file.flush().map_err(failed)) {
            Ok(()) => self.finish(&unfinished, name),
            Err(error) => {
                // Room for those that still work; the folder is removed as a whole later.
                let _ = std::fs::remove_file(&unfinished);
                Err(error)
            }
        }
    }

    /// Writes bytes.
    pub(super) fn put_bytes(self, name: &str, bytes: &[u8]) -> Result<()> {
        self.put(name, |file| file.write_all(bytes).map_err(|error| EngineError::io(self.file(name), error)))
    }

    /// Writes plain data, which has its name when it is complete.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put_json(self, name: &str, what: &impl Serialize) -> Result<()> {
        let text = serde_json::to_vec(what).map_err(|_| self.damaged(name))?;
        self.put_bytes(name, &text)
    }

    /// Reads plain data.
    ///
    /// # Errors
    /// The file cannot be read, or is something else.
    pub fn json<T: DeserializeOwned>(self, name: &str) -> Result<T> {
        serde_json::from_slice(&self.bytes(name)?).map_err(|_| self.damaged(name))
    }

    /// Writes numbers.
    pub(super) fn put_words(self, name: &str, words: impl Iterator<Item = u64>) -> Result<()> {
        self.put_bytes(name, &words.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
    }

    pub(super) fn words(self, name: &str) -> Result<Vec<u64>> {
        self.as_words(name, &self.bytes(name)?)
    }

    fn as_words(self, name: &str, bytes: &[u8]) -> Result<Vec<u64>> {
        let (words, rest) = bytes.as_chunks::<8>();
        if rest.is_empty() {
            Ok(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
        } else {
            Err(self.damaged(name))
        }
    }

    /// Writes pieces of bytes into one file, each of which can be read by itself.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put_pieces(self, name: &str, pieces: &[Vec<u8>]) -> Result<()> {
        let failed = |error| EngineError::io(self.file(name), error);
        self.put_each_piece(name, pieces.len(), |at, out| out.write_all(&pieces[at]).map_err(failed))
    }

    /// The same for pieces that are made while they are written: first where each begins and ends, then their bytes.
    pub(super) fn put_each_piece(
        self,
        name: &str,
        pieces: usize,
        mut write: impl FnMut(usize, &mut BufWriter<&mut File>) -> Result<()>,
    ) -> Result<()> {
        let failed = |error| EngineError::io(self.file(name), error);
        self.put(name, |file| {
            let mut out = BufWriter::with_capacity(1 << 18, file);
            let mut places = vec![8 * (pieces as u64 + 1)];
            out.seek(SeekFrom::Start(places[0])).map_err(failed)?;
            for at in 0..pieces {
                write(at, &mut out)?;
                places.push(out.stream_position().map_err(failed)?);
            }
            let places: Vec<u8> = places.into_iter().flat_map(u64::to_le_bytes).collect();
            let written = out.seek(SeekFrom::Start(0)).and_then(|_| out.write_all(&places));
            written.and_then(|()| out.flush()).map_err(failed)
        })
    }

    /// Reads one piece of a file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn piece(self, name: &str, at: usize) -> Result<Vec<u8>> {
        let path = self.file(name);
        let failed = |error| EngineError::io(&path, error);
        let (mut file, length) = self.open_piece(name, at)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(self.damaged(name)) }
    }

    /// A file at the beginning of a piece, and the bytes of the piece.
    pub(super) fn open_piece(self, name: &str, at: usize) -> Result<(Take<File>, u64)> {
        let path = self.file(name);
        let failed = |error| EngineError::io(&path, error);
        let mut file = File::open(&path).map_err(failed)?;
        let mut place = [0; 16];
        file.seek(SeekFrom::Start(8 * at as u64)).and_then(|_| file.read_exact(&mut place)).map_err(failed)?;
        let (places, _) = place.as_chunks::<8>();
        let [start, end] = [places[0], places[1]].map(u64::from_le_bytes);
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let length = end.checked_sub(start).ok_or_else(|| self.damaged(name))?;
        Ok((file.take(length), length))
    }

    /// Reads the numbers of a piece.
    pub(super) fn piece_words(self, name: &str, at: usize) -> Result<Vec<u64>> {
        self.as_words(name, &self.piece(name, at)?)
    }

    pub(super) fn bytes(self, name: &str) -> Result<Vec<u8>> {
        let path = self.file(name);
        std::fs::read(&path).map_err(|error| EngineError::io(&path, error))
    }

    /// A file that is not as it was written.
    pub(super) fn damaged(self, name: &str) -> EngineError {
        EngineError::io(self.file(name), std::io::ErrorKind::InvalidData.into())
    }
}

/// The file of a task, by its job and its number.
pub fn of_task(job: &str, task: usize) -> String {
    format!("{job}-{task}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_name_when_it_is_complete_and_a_second_one_takes_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = TaskFolder(folder.path());
        let failed = folder.put("numbers", |_| Err(folder.damaged("numbers")));
        assert!(failed.is_err() && !folder.file("numbers").exists());
        assert_eq!(std::fs::read_dir(folder.0).map(Iterator::count).ok(), Some(0), "nothing is left of it");
        for numbers in [[1, 2], [3, u64::MAX]] {
            folder.put_words("numbers", numbers.into_iter()).expect("written");
            assert_eq!(folder.words("numbers").expect("read"), numbers);
        }
        folder.put_bytes("numbers", b"short").expect("written");
        assert!(folder.words("numbers").is_err());
    }
}
