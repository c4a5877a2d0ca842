//! The data file of a release: blocks of rows are encoded on all threads and appended in order.
//!
//! A block is a row group of a Parquet file, a batch of an Arrow file, some lines of a CSV file or rows of a sheet. The schema is built
//! from names and types alone, so nothing of the source's metadata is inherited. The checksum is taken of the bytes on
//! their way to the disk.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arrow::array::{ArrayRef, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::ipc::writer::FileWriter;
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::csv_text::{self, TextColumn};
use super::labels::ColumnLabels;
use super::sheet_file::{MOST_SHEET_ROWS, SheetFile};
use super::staging::misfit;
use super::statistics_file::{StatisticsFile, Unwritten};
use super::text_dialect::TextDialect;
use crate::publish::table_writer::parquet_options;
use crate::runtime::error::{DialectFault, EngineError, Result, WorkbookFault};
use crate::runtime::limits::FilePart;
use crate::source::decimal_mark::with_comma;
use crate::source::files::Format;
use crate::source::statistics::StatisticsVariable;

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// Its name in the folder.
    pub name: String,
    /// Its format.
    pub format: Format,
    /// Rows in it.
    pub rows: u64,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 in 64 hexadecimal digits.
    pub sha256: String,
    /// How its text is written, if it is CSV.
    pub style: TextStyle,
}

/// How the text of a file is written; only CSV has another than the usual one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextStyle {
    /// Whether texts that a spreadsheet would run have an apostrophe in front.
    pub escape: bool,
    /// The dialect.
    pub dialect: TextDialect,
}

/// A published column.
#[derive(Clone, Debug)]
pub(crate) struct WrittenColumn {
    pub(crate) name: String,
    /// The type of cells that are published unchanged; nothing for labels.
    pub(crate) kept: Option<DataType>,
    /// The column's instants are calendar days.
    pub(crate) days: bool,
    /// What the file of a statistics package said of it.
    pub(crate) statistics: Option<StatisticsVariable>,
}

/// The cells of a published column in some rows.
pub(crate) enum PublishedCells<'a> {
    Labels(ColumnLabels<'a>),
    Kept(ArrayRef),
}

/// Rows in the form of the file.
pub(crate) enum Encoded {
    Text(Vec<u8>),
    RowGroup(Vec<ArrowColumnChunk>),
    Batch(RecordBatch),
}

/// How blocks of rows are encoded, on any thread.
pub(crate) struct Encoding {
    columns: Vec<WrittenColumn>,
    schema: SchemaRef,
    row_groups: Option<ArrowRowGroupWriterFactory>,
    format: Format,
    style: TextStyle,
}

impl Encoding {
    /// The most rows of a block: small enough to be held a few times over; large enough to compress where it is a row
    /// group.
    pub(crate) fn block_rows(&self) -> usize {
        if self.format == Format::Parquet { 1 << 17 } else { 1 << 15 }
    }

    pub(crate) fn encode(&self, cells: Vec<PublishedCells<'_>>, rows: usize) -> Result<Encoded> {
        if matches!(self.format, Format::Csv | Format::Xlsx | Format::Dta | Format::Sav) {
            let texts = cells.into_par_iter().zip(&self.columns).map(|(cells, column)| match cells {
                PublishedCells::Labels(labels) if !self.has_commas(column) => Ok(TextColumn::Labels(labels)),
                PublishedCells::Labels(labels) => self.with_commas(column, labels.texts()),
                PublishedCells::Kept(array) => {
                    let texts = csv_text::texts(&array, column.days)?;
                    match self.has_commas(column) {
                        true => self.with_commas(column, texts.iter()),
                        false => Ok(TextColumn::Texts(texts)),
                    }
                }
            });
            let texts = texts.collect::<Result<Vec<_>>>()?;
            let lines = csv_text::lines(&texts, rows, &self.style)?;
            return self.style.dialect.encoded(lines).map(Encoded::Text).ok_or_else(|| self.lacks_letter(&texts));
        }
        let arrays = cells.into_par_iter().map(|cells| match cells {
            PublishedCells::Labels(labels) if self.row_groups.is_some() => labels.dictionary(),
            PublishedCells::Labels(labels) => labels.plain(),
            PublishedCells::Kept(array) => array,
        });
        let Some(factory) = &self.row_groups else {
            let batch = RecordBatch::try_new(self.schema.clone(), arrays.collect());
            return batch.map(Encoded::Batch).map_err(|_| misfit());
        };
        // The number of a row group matters to encryption only.
        let writers = factory.create_column_writers(0).map_err(|_| misfit())?;
        let chunks = arrays.zip(writers).zip(self.schema.fields().par_iter()).map(|((array, mut writer), field)| {
            for leaf in compute_leaves(field, &array)? {
                writer.write(&leaf)?;
            }
            writer.close()
        });
        let chunks = chunks.collect::<std::result::Result<_, ParquetError>>();
        chunks.map(Encoded::RowGroup).map_err(|_| misfit())
    }

    fn has_commas(&self, column: &WrittenColumn) -> bool {
        self.style.dialect.decimal_commas.contains(&column.name)
    }

    /// The texts of a column whose numbers have a decimal comma.
    fn with_commas<'t>(
        &self,
        column: &WrittenColumn,
        texts: impl Iterator<Item = Option<&'t str>>,
    ) -> Result<TextColumn<'static>> {
        let mut written = StringBuilder::new();
        for text in texts {
            let text = text.map(|text| {
                let fault = DialectFault::CommaLabel;
                with_comma(text).ok_or_else(|| EngineError::NotInDialect { column: column.name.clone(), fault })
            });
            written.append_option(text.transpose()?);
        }
        Ok(TextColumn::Texts(written.finish()))
    }

    /// Names the first column with a letter that the encoding lacks.
    fn lacks_letter(&self, texts: &[TextColumn<'_>]) -> EngineError {
        let lacks = |text: &str| self.style.dialect.encoded(text.into()).is_none();
        let found = texts.iter().zip(&self.columns).find(|(cells, _)| cells.texts().flatten().any(lacks));
        self.style.dialect.lacks_letter(found.map_or("", |(_, column)| &column.name))
    }
}

enum ReleaseSink {
    Text(Out),
    Parquet(Box<SerializedFileWriter<Out>>),
    Arrow(Box<FileWriter<Out>>),
    Sheet(Box<SheetFile>, Out),
    Statistics(Box<StatisticsFile>, Out),
}

/// The file that is being written.
pub(crate) struct ReleaseFile {
    path: PathBuf,
    name: String,
    format: Format,
    style: TextStyle,
    rows: u64,
    sink: ReleaseSink,
    fault: Arc<OnceLock<std::io::ErrorKind>>,
}

impl ReleaseFile {
    /// An empty file in this folder, named after its table, and how its rows are to be encoded.
    /// `style` is that of CSV.
    pub(crate) fn create(
        folder: &Path,
        table: &str,
        format: Format,
        columns: Vec<WrittenColumn>,
        style: TextStyle,
    ) -> Result<(ReleaseFile, Encoding)> {
        let style = if format == Format::Csv { style } else { TextStyle::default() };
        let name = format!("{table}.{}", format.name().to_lowercase());
        let path = folder.join(&name);
        // Never over another file, nor through a link.
        let file = File::create_new(&path).map_err(|error| EngineError::io(&path, error))?;
        let fault = Arc::new(OnceLock::new());
        let mut out = Out { file: BufWriter::with_capacity(1 << 20, file), sum: Sha256::new(), bytes: 0, fault };
        let fault = out.fault.clone();
        let failed = || failure(&path, &fault);
        let labels = if format == Format::Parquet {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        } else {
            DataType::Utf8
        };
        let field =
            |column: &WrittenColumn| Field::new(&column.name, column.kept.as_ref().unwrap_or(&labels).clone(), true);
        let schema: SchemaRef = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let mut row_groups = None;
        let sink = match format {
            Format::Csv => {
                let names = columns.iter().map(|column| column.name.as_str());
                let lacks = |name: &&str| style.dialect.encoded((*name).into()).is_none();
                if let Some(name) = names.clone().find(lacks) {
                    return Err(style.dialect.lacks_letter(name));
                }
                let header = style.dialect.encoded(csv_text::header(names, &style)?).ok_or_else(misfit)?;
                out.write_all(style.dialect.mark()).and_then(|()| out.write_all(&header)).map_err(|_| failed())?;
                ReleaseSink::Text(out)
            }
            Format::Parquet => {
                let writer = ArrowWriter::try_new_with_options(out, schema.clone(), parquet_options());
                let parts = writer.and_then(ArrowWriter::into_serialized_writer).map_err(|_| failed())?;
                row_groups = Some(parts.1);
                ReleaseSink::Parquet(Box::new(parts.0))
            }
            Format::Arrow => ReleaseSink::Arrow(Box::new(FileWriter::try_new(out, &schema).map_err(|_| failed())?)),
            Format::Xlsx => {
                let names = columns.iter().map(|column| column.name.as_str());
                ReleaseSink::Sheet(Box::new(SheetFile::new(folder, names).ok_or_else(failed)?), out)
            }
            Format::Dta | Format::Sav => {
                let file = StatisticsFile::new(folder, format, &columns);
                ReleaseSink::Statistics(Box::new(file.map_err(|why| unwritten(&path, &fault, why))?), out)
            }
        };
        let encoding = Encoding { columns, schema, row_groups, format, style: style.clone() };
        Ok((ReleaseFile { path, name, format, style, rows: 0, sink, fault }, encoding))
    }

    /// Appends rows; returns how many there are now.
    pub(crate) fn append(&mut self, encoded: Encoded, rows: u64) -> Result<u64> {
        if matches!(self.sink, ReleaseSink::Sheet(..)) && self.rows + rows > MOST_SHEET_ROWS {
            let (path, part) = (self.path.clone(), FilePart::SheetRows);
            return Err(EngineError::OverLimit { path, part, most: MOST_SHEET_ROWS });
        }
        let written = match (&mut self.sink, encoded) {
            (ReleaseSink::Text(out), Encoded::Text(text)) => out.write_all(&text).is_ok(),
            (ReleaseSink::Parquet(writer), Encoded::RowGroup(chunks)) => append_row_group(writer, chunks).is_ok(),
            (ReleaseSink::Arrow(writer), Encoded::Batch(batch)) => writer.write(&batch).is_ok(),
            (ReleaseSink::Sheet(sheet, _), Encoded::Text(text)) => sheet.append(&text).is_some(),
            (ReleaseSink::Statistics(file, _), Encoded::Text(text)) => file.append(&text).is_some(),
            _ => false,
        };
        self.rows += rows;
        if let ReleaseSink::Sheet(sheet, _) = &self.sink
            && sheet.has_empty_row
        {
            return Err(EngineError::Workbook { path: self.path.clone(), fault: WorkbookFault::EmptyRow });
        }
        if written { Ok(self.rows) } else { Err(failure(&self.path, &self.fault)) }
    }

    /// Completes the file and waits until it is on the disk.
    pub(crate) fn finish(self) -> Result<WrittenFile> {
        let ReleaseFile { path, name, format, style, rows, sink, fault } = self;
        let out = match sink {
            ReleaseSink::Text(out) => Some(out),
            ReleaseSink::Parquet(writer) => writer.into_inner().ok(),
            ReleaseSink::Arrow(writer) => writer.into_inner().ok(),
            ReleaseSink::Sheet(sheet, mut out) => {
                sheet.finish().filter(|file| out.write_all(file).is_ok()).map(|_| out)
            }
            ReleaseSink::Statistics(file, mut out) => {
                file.finish(&mut out).map_err(|why| unwritten(&path, &fault, why))?;
                Some(out)
            }
        };
        let Out { file, sum, bytes, .. } = out.ok_or_else(|| failure(&path, &fault))?;
        let file = file.into_inner().map_err(|error| EngineError::io(&path, error.into_error()))?;
        file.sync_all().map_err(|error| EngineError::io(&path, error))?;
        let sha256 = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(WrittenFile { name, format, rows, bytes, sha256, style })
    }
}

fn append_row_group(
    writer: &mut SerializedFileWriter<Out>,
    chunks: Vec<ArrowColumnChunk>,
) -> std::result::Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    chunks.into_iter().try_for_each(|chunk| chunk.append_to_row_group(&mut group))?;
    group.close().map(|_| ())
}

/// Why a file of a statistics package was not written.
fn unwritten(path: &Path, fault: &OnceLock<std::io::ErrorKind>, why: Unwritten) -> EngineError {
    match why {
        Unwritten::Fault(fault) => EngineError::Statistics { path: path.into(), fault },
        Unwritten::Failed => failure(path, fault),
    }
}

/// What the system said, which writers of formats wrap into texts of their own.
fn failure(path: &Path, fault: &OnceLock<std::io::ErrorKind>) -> EngineError {
    EngineError::io(path, (*fault.get().unwrap_or(&std::io::ErrorKind::Other)).into())
}

/// A file whose bytes are counted and summed on their way.
struct Out {
    file: BufWriter<File>,
    sum: Sha256,
    bytes: u64,
    fault: Arc<OnceLock<std::io::ErrorKind>>,
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes).inspect_err(|error| note(&self.fault, error))?;
        self.sum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush().inspect_err(|error| note(&self.fault, error))
    }
}

fn note(fault: &OnceLock<std::io::ErrorKind>, error: &std::io::Error) {
    // The first fault is the cause of what follows.
    let _ = fault.set(error.kind());
}
