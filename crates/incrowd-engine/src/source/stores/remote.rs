//! A file in an object store, read by ranges as if it were local, so that the same checks apply to it.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use object_store::ObjectStore;
use object_store::path::Path;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use tokio::runtime::Handle;

use super::wait;

/// This much is requested at once.
const PIECE: u64 = 8 << 20;

/// An object of known size.
#[derive(Clone, Debug)]
pub(crate) struct RemoteFile {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) location: Path,
    pub(crate) size: u64,
    /// The state of the object when it was first looked at: another one is another file.
    pub(crate) version: Option<String>,
    pub(crate) runtime: Handle,
}

impl RemoteFile {
    /// Some bytes of it.
    fn bytes(&self, range: Range<u64>) -> std::io::Result<Bytes> {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let options = object_store::GetOptions {
            range: Some(object_store::GetRange::Bounded(range.clone())),
            if_match: self.version.clone(),
            ..object_store::GetOptions::default()
        };
        let asked = async { self.store.get_opts(&self.location, options).await?.bytes().await };
        match wait(&self.runtime, asked) {
            Some(Ok(bytes)) if bytes.len() as u64 == range.end - range.start => Ok(bytes),
            Some(Err(object_store::Error::NotFound { .. })) => Err(std::io::ErrorKind::NotFound.into()),
            Some(Err(object_store::Error::PermissionDenied { .. })) => Err(std::io::ErrorKind::PermissionDenied.into()),
            // Without its words, which may hold an address with a signature.
            _ => Err(std::io::ErrorKind::ConnectionAborted.into()),
        }
    }

    /// A reader from the beginning.
    pub(crate) fn open(&self) -> RemoteReader {
        RemoteReader { file: self.clone(), at: 0, piece: Bytes::new(), piece_at: 0 }
    }
}

/// Reads a file in an object store from some place on.
pub(crate) struct RemoteReader {
    file: RemoteFile,
    at: u64,
    piece: Bytes,
    piece_at: u64,
}

impl Read for RemoteReader {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let inside = self.at >= self.piece_at && self.at < self.piece_at + self.piece.len() as u64;
        if !inside {
            self.piece = self.file.bytes(self.at..(self.at + PIECE).min(self.file.size.max(self.at)))?;
            self.piece_at = self.at;
        }
        let rest = &self.piece[(self.at - self.piece_at) as usize..];
        let taken = rest.len().min(into.len());
        into[..taken].copy_from_slice(&rest[..taken]);
        self.at += taken as u64;
        Ok(taken)
    }
}

impl Seek for RemoteReader {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.file.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(std::io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

impl Length for RemoteFile {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for RemoteFile {
    type T = RemoteReader;

    fn get_read(&self, start: u64) -> Result<RemoteReader, ParquetError> {
        Ok(RemoteReader { at: start, ..self.open() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.bytes(start..start + length as u64).map_err(|error| ParquetError::External(Box::new(error)))
    }
}

#[cfg(test)]
mod tests {
    use object_store::ObjectStoreExt;
    use object_store::memory::InMemory;

    use super::*;

    #[test]
    fn a_remote_file_reads_and_seeks_as_one_that_is_here() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        let text: Vec<u8> = (0..(PIECE as u32 + 77)).map(|at| (at % 251) as u8).collect();
        let (store, location) = (Arc::new(InMemory::new()), Path::from("a/b.csv"));
        runtime.block_on(store.put(&location, text.clone().into())).expect("put");
        let size = text.len() as u64;
        let file = RemoteFile { store, location, size, version: None, runtime: runtime.handle().clone() };
        let mut read = Vec::new();
        file.open().read_to_end(&mut read).expect("read");
        assert!(read == text);
        let mut reader = file.open();
        reader.seek(SeekFrom::End(-5)).expect("there");
        let mut end = Vec::new();
        reader.read_to_end(&mut end).expect("read");
        assert_eq!(end, text[text.len() - 5..]);
        assert_eq!(file.get_bytes(3, 4).expect("bytes"), text[3..7]);
        assert!(file.get_bytes(size - 1, 2).is_err(), "beyond the end");
        // Also from inside the runtime, where a scan looks for the line that broke it.
        let inside = runtime.block_on(async { file.get_bytes(0, 2).expect("bytes") });
        assert_eq!(inside, text[..2]);
    }
}
