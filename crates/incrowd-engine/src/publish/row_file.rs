//! Waiting rows of one thread that do not fit in memory: one file in the run's private folder.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::CompressionType;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::{IpcWriteOptions, StreamWriter};
use arrow::record_batch::RecordBatch;

use crate::count::spill::{Spills, temp_error};
use crate::runtime::error::{EngineError, Result};

/// Streams of rows, one behind the other. Removed when dropped.
pub(crate) struct RowFile {
    path: PathBuf,
    file: File,
    /// Where the streams of each bucket start, and their bytes.
    streams: Vec<Vec<(u64, u64)>>,
    end: u64,
}

impl Drop for RowFile {
    fn drop(&mut self) {
        // Nothing can be done about a failure here; the run's folder is removed as a whole later.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl RowFile {
    pub(crate) fn create(spills: &Spills) -> Result<RowFile> {
        let (path, file) = spills.create("rows")?;
        Ok(RowFile { path, file, streams: Vec::new(), end: 0 })
    }

    /// Appends rows of a bucket.
    pub(crate) fn append(
        &mut self,
        bucket: usize,
        schema: &SchemaRef,
        batches: &[RecordBatch],
        spills: &Spills,
    ) -> Result<()> {
        let start = self.end;
        self.end = self.write(schema, batches).map_err(|error| self.failed(error))?;
        if self.streams.len() <= bucket {
            self.streams.resize(bucket + 1, Vec::new());
        }
        self.streams[bucket].push((start, self.end - start));
        spills.add(self.end - start);
        Ok(())
    }

    fn write(&self, schema: &SchemaRef, batches: &[RecordBatch]) -> std::result::Result<u64, ArrowError> {
        // The random bits of a row cannot be compressed, and stay as they are; cells that are published unchanged repeat.
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD))?;
        let file = BufWriter::with_capacity(1 << 18, &self.file);
        let mut writer = StreamWriter::try_new_with_options(file, schema, options)?;
        batches.iter().try_for_each(|batch| writer.write(batch))?;
        let mut file = writer.into_inner()?;
        file.flush()?;
        Ok((&self.file).stream_position()?)
    }

    /// The rows of a bucket. Read through a handle of its own, since several buckets are read at once.
    pub(crate) fn read(&self, bucket: usize) -> Result<Vec<RecordBatch>> {
        let mut batches = Vec::new();
        for &(start, bytes) in self.streams.get(bucket).into_iter().flatten() {
            self.read_stream(start, bytes, &mut batches).map_err(|error| self.failed(error))?;
        }
        Ok(batches)
    }

    fn read_stream(
        &self,
        start: u64,
        bytes: u64,
        batches: &mut Vec<RecordBatch>,
    ) -> std::result::Result<(), ArrowError> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(start))?;
        let stream = BufReader::with_capacity(bytes.min(1 << 18) as usize, file.take(bytes));
        for batch in StreamReader::try_new(stream, None)? {
            batches.push(batch?);
        }
        Ok(())
    }

    fn failed(&self, error: ArrowError) -> EngineError {
        match error {
            ArrowError::IoError(_, error) => temp_error(&self.path, error),
            _ => temp_error(&self.path, std::io::ErrorKind::InvalidData.into()),
        }
    }
}
