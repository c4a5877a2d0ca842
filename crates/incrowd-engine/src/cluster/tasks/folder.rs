//! The folder in which a job and its tasks leave files for each other.

use std::fs::File;
use std::hash::BuildHasher;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::shared_folder::SharedFolder;
use crate::runtime::error::{EngineError, Result};
use crate::source::files::ReadSeek;

/// Random bits of this process. Its number will not do: two processes have the same on two machines, or in two containers.
static PROCESS: LazyLock<u64> = LazyLock::new(|| std::hash::RandomState::new().hash_one(std::process::id()));

/// Numbers the unfinished files of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A folder that all machines see, with what tasks need and what they make.
#[derive(Clone, Copy, Debug)]
pub struct TaskFolder<'a>(pub(super) &'a Arc<SharedFolder>);

impl<'a> TaskFolder<'a> {
    /// What a file is called, for messages.
    pub(super) fn shown(self, name: &str) -> PathBuf {
        self.0.address().join(name)
    }

    /// Where files are until they are complete: on a disk here, if the folder is in an object store.
    pub(super) fn local(self) -> TaskFolder<'a> {
        TaskFolder(self.0.local())
    }

    /// A name that nobody else takes, for what becomes `name` when it is complete.
    pub(super) fn unfinished(self, name: &str) -> PathBuf {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.local().shown(&format!(".{name}.{:016x}-{number}", *PROCESS))
    }

    /// Gives a file its name, in the place of one that a task left before.
    pub(super) fn finish(self, unfinished: &Path, name: &str) -> Result<()> {
        self.0.put(unfinished, name)
    }

    /// Opens a file.
    pub(super) fn open(self, name: &str) -> Result<Box<dyn ReadSeek>> {
        self.0.open_file(name)
    }

    /// Whether there is a file of this name.
    pub(super) fn has(self, name: &str) -> bool {
        self.0.has(name)
    }

    /// A folder of this machine with a copy of a file under another name. It goes with the folder of the task.
    ///
    /// # Errors
    /// The file cannot be read, or not be written here.
    pub fn copied(self, name: &str, to: &str) -> Result<PathBuf> {
        let folder = self.unfinished(name);
        std::fs::create_dir(&folder).map_err(|error| EngineError::io(&folder, error))?;
        self.take(name, &folder.join(to))?;
        Ok(folder)
    }

    /// Removes a file of a disk.
    pub(super) fn remove(self, name: &str) -> std::io::Result<()> {
        std::fs::remove_file(self.shown(name))
    }

    /// Moves a file to a place on this machine; one of an object store is copied.
    pub(super) fn take(self, name: &str, to: &Path) -> Result<()> {
        self.0.take(name, to)
    }

    /// Writes a file, which has its name when it is complete.
    pub(super) fn put(self, name: &str, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
        let unfinished = self.unfinished(name);
        let failed = |error| EngineError::io(self.shown(name), error);
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
        self.put(name, |file| file.write_all(bytes).map_err(|error| EngineError::io(self.shown(name), error)))
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
        let failed = |error| EngineError::io(self.shown(name), error);
        self.put_each_piece(name, pieces.len(), |at, out| out.write_all(&pieces[at]).map_err(failed))
    }

    /// The same for pieces that are made while they are written: first where each begins and ends, then their bytes.
    pub(super) fn put_each_piece(
        self,
        name: &str,
        pieces: usize,
        mut write: impl FnMut(usize, &mut BufWriter<&mut File>) -> Result<()>,
    ) -> Result<()> {
        let failed = |error| EngineError::io(self.shown(name), error);
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
        let (mut file, length) = self.open_piece(name, at)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| EngineError::io(self.shown(name), error))?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(self.damaged(name)) }
    }

    /// A file at the beginning of a piece, and the bytes of the piece.
    pub(super) fn open_piece(self, name: &str, at: usize) -> Result<(Box<dyn Read>, u64)> {
        self.0.open_stretch(name, 8 * at as u64)
    }

    /// Reads the numbers of a piece.
    pub(super) fn piece_words(self, name: &str, at: usize) -> Result<Vec<u64>> {
        self.as_words(name, &self.piece(name, at)?)
    }

    pub(super) fn bytes(self, name: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.open(name)?.read_to_end(&mut bytes);
        read.map_err(|error| EngineError::io(self.shown(name), error))?;
        Ok(bytes)
    }

    /// A file that is not as it was written.
    pub(super) fn damaged(self, name: &str) -> EngineError {
        EngineError::io(self.shown(name), std::io::ErrorKind::InvalidData.into())
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
        let disk = tempfile::tempdir().expect("a folder");
        for address in [disk.path(), Path::new("s3://in-memory/folder")] {
            let shared = SharedFolder::open(address, Some(disk.path())).expect("a folder");
            shared.begin().expect("begun");
            let folder = shared.folder();
            let failed = folder.put("numbers", |_| Err(folder.damaged("numbers")));
            assert!(failed.is_err() && !folder.has("numbers"));
            let unfinished = std::fs::read_dir(folder.local().shown("")).expect("a folder").flatten();
            let unfinished = unfinished.filter(|entry| entry.file_name().to_string_lossy().starts_with(".numbers"));
            assert_eq!(unfinished.count(), 0, "nothing is left of it");
            for numbers in [[1, 2], [3, u64::MAX]] {
                folder.put_words("numbers", numbers.into_iter()).expect("written");
                assert_eq!(folder.words("numbers").expect("read"), numbers);
            }
            folder.put_bytes("numbers", b"short").expect("written");
            assert!(folder.words("numbers").is_err());
            assert!(folder.has("numbers"));
            folder.put_pieces("pieces", &[b"one".to_vec(), Vec::new(), b"three".to_vec()]).expect("written");
            let pieces = [0, 1, 2].map(|at| folder.piece("pieces", at).expect("a piece"));
            assert_eq!(pieces.map(|piece| piece.len()), [3, 0, 5]);
            folder.take("pieces", &disk.path().join("taken")).expect("moved or copied");
            assert_eq!(std::fs::read(disk.path().join("taken")).expect("read").len(), 40);
            std::fs::remove_file(disk.path().join("taken")).expect("removed");
            shared.clear().expect("removed");
            assert_eq!(folder.has("numbers"), address == disk.path());
        }
    }

    #[test]
    fn what_a_task_puts_into_a_store_after_its_run_has_ended_is_not_there() {
        let disk = tempfile::tempdir().expect("a folder");
        let open = |address: &str| SharedFolder::open(Path::new(address), Some(disk.path())).expect("a folder");
        let (run, late) = (open("s3://in-memory/target/run"), open("s3://in-memory/target/run"));
        run.begin().expect("begun");
        late.folder().put_bytes("rows", b"one").expect("the run has not ended");
        // The next run for the target removes what is left of this one.
        open("s3://in-memory/target").clear().expect("removed");
        assert!(!late.folder().has("rows"));
        let put = late.folder().put_bytes("rows", b"two");
        assert!(matches!(put, Err(EngineError::Cancelled)), "{put:?}");
        assert!(!late.folder().has("rows"), "the object is deleted by the one who put it");
    }
}
