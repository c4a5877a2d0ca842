//! Writing a table, chunk by chunk, in any of the formats that are read.
//!
//! Rows go to a file with a temporary name next to the target, which takes its name only when it is complete.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::types::Int32Type;
use arrow::array::{ArrayRef, Date32Array, DictionaryArray, Int32Array, Int64Array, StringArray};
use arrow::compute::cast;
use arrow::csv;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::ipc::writer::FileWriter;
use arrow::record_batch::RecordBatch;
use incrowd_core::{Chunk, ChunkColumn};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression as ParquetCompression;
use parquet::file::properties::WriterProperties;

use crate::runtime::error::{EngineError, Result};
use crate::runtime::leftovers::Leftover;
use crate::source::files::{Compression, Format, by_name};

/// A file to be written, its format known by its name.
#[derive(Clone, Debug)]
pub struct Target {
    path: PathBuf,
    format: Format,
    compression: Compression,
}

impl Target {
    /// A target by its name: `.csv`, `.tsv` (both also with `.gz` or `.zst`), `.parquet` or `.arrow`.
    pub fn new(path: &Path) -> Result<Target> {
        let (format, compression) = by_name(path).ok_or_else(|| EngineError::UnknownFormat(path.into()))?;
        Ok(Target { path: path.into(), format, compression })
    }

    /// A new file next to the target, under a new name.
    fn create_partial(&self) -> Result<(PathBuf, File, Leftover)> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        for attempt in 0u32.. {
            let partial = self.path.with_file_name(format!(".{name}.partial-{}-{attempt}", std::process::id()));
            match Leftover::create(&partial, |path| File::create_new(path)) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(EngineError::io(&partial, error)),
                Ok((file, leftover)) => return Ok((partial, file, leftover)),
            }
        }
        Err(EngineError::io(&self.path, std::io::ErrorKind::AlreadyExists.into()))
    }
}

enum TableSink {
    Csv(Box<csv::Writer<Text>>),
    Parquet(Box<ArrowWriter<BufWriter<File>>>),
    Arrow(Box<FileWriter<BufWriter<File>>>),
}

/// A text file, compressed on the way. Ended by hand: an encoder that is merely dropped swallows a full disk.
enum Text {
    Plain(BufWriter<File>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
}

impl Text {
    fn finish(self) -> std::io::Result<BufWriter<File>> {
        match self {
            Text::Plain(file) => Ok(file),
            Text::Gzip(encoder) => encoder.finish(),
            Text::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Text::Plain(file) => file.write(bytes),
            Text::Gzip(encoder) => encoder.write(bytes),
            Text::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Text::Plain(file) => file.flush(),
            Text::Gzip(encoder) => encoder.flush(),
            Text::Zstd(encoder) => encoder.flush(),
        }
    }
}

/// Writes chunks to a [`Target`]. Dropped before [`TableWriter::finish`], it leaves no file.
pub struct TableWriter {
    target: Target,
    sink: Option<TableSink>,
    /// The file that is written, once there is a sink.
    partial: PathBuf,
    _leftover: Option<Leftover>,
}

impl std::fmt::Debug for TableWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableWriter").field("target", &self.target).finish_non_exhaustive()
    }
}

impl TableWriter {
    /// A writer that creates its file with the first chunk.
    pub fn new(target: Target) -> Self {
        TableWriter { target, sink: None, partial: PathBuf::new(), _leftover: None }
    }

    /// Appends the rows of a chunk.
    pub fn write(&mut self, chunk: &Chunk) -> Result<()> {
        let batch = self.batch(chunk)?;
        if self.sink.is_none() {
            let (partial, file, leftover) = self.target.create_partial()?;
            (self.partial, self._leftover) = (partial, Some(leftover));
            self.sink = match self.open(file, &batch.schema()) {
                Err(error) => {
                    let _ = std::fs::remove_file(&self.partial);
                    return Err(error);
                }
                opened => Some(opened?),
            };
        }
        match self.sink.as_mut() {
            Some(TableSink::Csv(writer)) => writer.write(&batch).map_err(|_| self.failed()),
            Some(TableSink::Parquet(writer)) => writer.write(&batch).map_err(|_| self.failed()),
            Some(TableSink::Arrow(writer)) => writer.write(&batch).map_err(|_| self.failed()),
            None => Ok(()),
        }
    }

    /// Completes the file and gives it its name.
    pub fn finish(mut self) -> Result<()> {
        let Some(sink) = self.sink.take() else {
            return Err(EngineError::Empty(self.target.path.display().to_string()));
        };
        let partial = std::mem::take(&mut self.partial);
        let file = match sink {
            TableSink::Csv(writer) => {
                writer.into_inner().finish().map_err(|error| EngineError::io(&self.target.path, error))
            }
            TableSink::Parquet(writer) => writer.into_inner().map_err(|_| self.failed()),
            TableSink::Arrow(writer) => writer.into_inner().map_err(|_| self.failed()),
        };
        let on_disk =
            |file: BufWriter<File>| file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all();
        let closed = file.and_then(|file| on_disk(file).map_err(|error| EngineError::io(&self.target.path, error)));
        if let Err(error) = closed {
            // Nothing can be done about a failure while giving up.
            let _ = std::fs::remove_file(&partial);
            return Err(error);
        }
        std::fs::rename(&partial, &self.target.path).map_err(|error| {
            let _ = std::fs::remove_file(&partial);
            EngineError::io(&self.target.path, error)
        })
    }

    fn failed(&self) -> EngineError {
        EngineError::io(&self.target.path, std::io::ErrorKind::WriteZero.into())
    }

    fn open(&self, file: File, schema: &SchemaRef) -> Result<TableSink> {
        let file = BufWriter::with_capacity(1 << 20, file);
        Ok(match self.target.format {
            Format::Csv => {
                let compressed = match self.target.compression {
                    Compression::None => Text::Plain(file),
                    Compression::Gzip => {
                        Text::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default()))
                    }
                    Compression::Zstd => {
                        let encoder = zstd::stream::write::Encoder::new(file, 3);
                        Text::Zstd(encoder.map_err(|error| EngineError::io(&self.partial, error))?)
                    }
                };
                let tabs = self.target.path.to_string_lossy().to_lowercase().contains(".tsv");
                let builder =
                    csv::WriterBuilder::new().with_header(true).with_delimiter(if tabs { b'\t' } else { b',' });
                TableSink::Csv(Box::new(builder.build(compressed)))
            }
            Format::Parquet => {
                let writer = ArrowWriter::try_new_with_options(file, schema.clone(), parquet_options())
                    .map_err(|_| self.failed())?;
                TableSink::Parquet(Box::new(writer))
            }
            Format::Arrow => TableSink::Arrow(Box::new(FileWriter::try_new(file, schema).map_err(|_| self.failed())?)),
            // No target has it: a name that ends so is refused.
            Format::Xlsx | Format::Dta | Format::Sav => return Err(self.failed()),
        })
    }

    /// The chunk as arrow arrays. Labels are dictionaries only for Parquet, whose writer makes use of them.
    fn batch(&self, chunk: &Chunk) -> Result<RecordBatch> {
        let arrays: Vec<ArrayRef> = chunk
            .columns
            .iter()
            .map(|(_, cells)| {
                let array = array_of(cells);
                let keep = self.target.format == Format::Parquet || !matches!(cells, ChunkColumn::Labels { .. });
                if keep { Ok(array) } else { cast(&array, &DataType::Utf8).map_err(|_| self.failed()) }
            })
            .collect::<Result<_>>()?;
        let fields = chunk
            .columns
            .iter()
            .zip(&arrays)
            .map(|((name, _), array)| Field::new(name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        RecordBatch::try_new(schema, arrays).map_err(|_| self.failed())
    }
}

impl Drop for TableWriter {
    fn drop(&mut self) {
        if self.sink.take().is_some() {
            // Nothing can be done about a failure while giving up.
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

/// How Parquet files are written.
pub(crate) fn parquet_options() -> ArrowWriterOptions {
    let properties = WriterProperties::builder().set_compression(ParquetCompression::SNAPPY).build();
    // Without arrow's own schema the file says "text", whatever the arrays in memory were.
    ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true)
}

/// ChunkColumn as an arrow array; an empty text or label is a missing cell.
fn array_of(cells: &ChunkColumn) -> ArrayRef {
    match cells {
        ChunkColumn::Integers(cells) => Arc::new(Int64Array::from_iter_values(cells.iter().copied())),
        ChunkColumn::Dates(cells) => Arc::new(Date32Array::from_iter_values(cells.iter().copied())),
        ChunkColumn::Texts(cells) => {
            Arc::new(StringArray::from_iter(cells.iter().map(|text| Some(text).filter(|text| !text.is_empty()))))
        }
        ChunkColumn::Labels { codes, labels } => {
            let present = |&code: &u32| Some(code as i32).filter(|_| !labels[code as usize].is_empty());
            let keys = Int32Array::from_iter(codes.iter().map(present));
            let values = StringArray::from_iter_values(labels.iter());
            Arc::new(DictionaryArray::<Int32Type>::new(keys, Arc::new(values)))
        }
    }
}
