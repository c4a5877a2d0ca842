//! A table that can be scanned: where its rows come from, and its columns.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;

use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::source::coding::Coding;
use crate::source::encoding::TextEncoding;
#[cfg(feature = "cluster")]
use crate::source::file_parts::{SourceParts, schema_bytes, schema_of};
use crate::source::file_table::{FileTable, TableShape};
use crate::source::files::{Format, ReadOptions, TableFile, TableFiles};
use crate::source::memory::MemoryTable;
use crate::source::postgres::table::DatabaseTable;
use crate::source::postgres::{self};
use crate::source::projection::RowWindow;
use crate::source::spellings::Spellings;
use crate::source::statistics::{StatisticsFacts, StatisticsKind};
use crate::source::stream::{BatchStream, StreamFault};
use crate::source::workbook::WorkbookFacts;

/// A table whose columns are known and whose origin was inspected.
#[derive(Clone, Debug)]
pub struct Source {
    named: String,
    origin: Origin,
    pub(crate) options: ReadOptions,
    schema: SchemaRef,
    /// The place of each column: a schema is searched from its beginning.
    places: Arc<HashMap<String, usize>>,
    rows_expected: Option<u64>,
    row_bytes: u64,
    bytes: u64,
}

/// Where rows come from. Each origin can be read again and again, in the same stretches and order.
#[derive(Clone, Debug)]
enum Origin {
    /// Files on disk.
    Files(Box<FileTable>),
    /// Arrow batches that the caller holds in memory.
    Memory(MemoryTable),
    /// A table or a query in a database, as one snapshot shows it.
    Database(Box<DatabaseTable>),
}

impl Source {
    /// Opens what the user named: a file, a folder or a pattern, also in an object store; or, after `postgres:`, a
    /// table or a query.
    pub fn open(engine: &Engine, named: &str, options: ReadOptions) -> Result<Source> {
        if let Some(asked) = postgres::after_prefix(named) {
            let (table, shape) = DatabaseTable::open(engine, asked, &options)?;
            return Source::new(named, Origin::Database(Box::new(table)), shape).reading(options);
        }
        let (table, shape) = FileTable::open(engine, named, &options)?;
        Source::new(named, Origin::Files(Box::new(table)), shape).reading(options)
    }

    /// Opens files that are one table, in this order: the parts of a release.
    pub fn open_files(engine: &Engine, files: &[PathBuf], options: ReadOptions) -> Result<Source> {
        let named = files.first().map_or_else(String::new, |file| file.display().to_string());
        let paths = files.iter().cloned().map(TableFile::from).collect();
        let files = TableFiles::of_one_table(engine, &named, paths, &options)?;
        let (table, shape) = FileTable::inspect(engine, &named, files, &options)?;
        Source::new(&named, Origin::Files(Box::new(table)), shape).reading(options)
    }

    /// A table in memory, under the name that messages and records give it.
    ///
    /// Columns are taken as those of an Arrow file: same types, same refusals. Nothing of the schema but names and
    /// types is carried along.
    pub fn of_batches(name: &str, schema: &Schema, batches: Vec<RecordBatch>) -> Result<Source> {
        let (batches, shape) = MemoryTable::new(name, schema, batches)?;
        Ok(Source::new(name, Origin::Memory(batches), shape))
    }

    fn new(named: &str, origin: Origin, shape: TableShape) -> Source {
        let schema = Schema::new(shape.fields);
        let names = schema.fields().iter().enumerate().map(|(place, field)| (field.name().clone(), place));
        // Of two columns of one name the first is meant, as by a schema.
        let places = Arc::new(names.rev().collect());
        Source {
            named: named.into(),
            origin,
            options: ReadOptions::default(),
            schema: Arc::new(schema),
            places,
            rows_expected: shape.rows,
            row_bytes: shape.row_bytes,
            bytes: shape.bytes,
        }
    }

    /// The table with what the user knows better: texts that stand for a missing value, and how columns write dates.
    pub fn reading(mut self, options: ReadOptions) -> Result<Source> {
        for column in options.date_formats.iter().map(|(column, _)| column).chain(&options.decimal_commas) {
            self.data_type(column)?;
        }
        self.options = options;
        Ok(self)
    }

    /// The same table with these spellings read as others.
    pub fn respelled(&self, spellings: Spellings) -> Source {
        let options = ReadOptions { spellings, ..self.options.clone() };
        Source { options, ..self.clone() }
    }

    /// What the user knows better about it.
    pub fn read_options(&self) -> &ReadOptions {
        &self.options
    }

    /// The spellings that are read as others.
    pub fn spellings(&self) -> &Spellings {
        &self.options.spellings
    }

    /// What the user named.
    pub fn name(&self) -> &str {
        &self.named
    }

    /// The names of the columns, in file order.
    pub fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The names of the columns whose values can be grouped: all but lists, structures and bytes.
    pub fn plain_columns(&self) -> Vec<String> {
        let plain = self.schema.fields().iter().filter(|field| Coding::of(field.data_type()).is_some());
        plain.map(|field| field.name().clone()).collect()
    }

    /// The format a release of this table has unless another is requested: that of its files;
    /// Arrow for what is in memory, Parquet for what is in a database.
    pub fn format(&self) -> Format {
        match &self.origin {
            Origin::Files(table) if table.files.workbook.is_some() => Format::Xlsx,
            Origin::Files(table) => table.files.package().map_or(table.files.format, StatisticsKind::format),
            Origin::Memory(_) => Format::Arrow,
            Origin::Database(_) => Format::Parquet,
        }
    }

    /// How the table is stored, in a word.
    pub fn stored(&self) -> &'static str {
        match &self.origin {
            Origin::Files(table) if table.files.workbook.is_some() => "Workbook",
            Origin::Files(table) => table.files.package().map_or(table.files.format.name(), StatisticsKind::name),
            Origin::Memory(_) => "memory",
            Origin::Database(_) => "PostgreSQL",
        }
    }

    /// The files of the table, if it is in files.
    pub fn files(&self) -> Vec<PathBuf> {
        let files = self.file_table().map(|table| table.files.paths.iter());
        files.into_iter().flatten().map(|file| file.to_path_buf()).collect()
    }

    /// What was found in the workbook that the table is a sheet of.
    pub fn workbook(&self) -> Option<&WorkbookFacts> {
        self.file_table()?.files.workbook.as_ref()
    }

    /// What the file of a statistics package says of its columns.
    pub fn statistics(&self) -> Option<&StatisticsFacts> {
        self.file_table()?.files.statistics.as_ref().map(|(_, facts)| facts)
    }

    /// The encoding of a text that is not UTF-8.
    pub fn encoding(&self) -> Option<TextEncoding> {
        self.file_table().and_then(|table| table.files.encoding)
    }

    /// The delimiter that was taken, for text.
    pub fn delimiter(&self) -> Option<u8> {
        self.file_table().filter(|table| !table.files.is_transcribed()).and_then(|table| table.delimiter)
    }

    /// Whether the first line was taken as the names of the columns, for text.
    pub fn has_header(&self) -> Option<bool> {
        self.file_table().filter(|table| table.delimiter.is_some()).map(|table| table.has_header)
    }

    /// The table of a database, if it is one.
    pub(crate) fn database(&self) -> Option<&DatabaseTable> {
        match &self.origin {
            Origin::Database(table) => Some(table),
            Origin::Files(_) | Origin::Memory(_) => None,
        }
    }

    pub(crate) fn file_table(&self) -> Option<&FileTable> {
        match &self.origin {
            Origin::Files(table) => Some(table),
            Origin::Memory(_) | Origin::Database(_) => None,
        }
    }

    /// The size of all files, or of what is in memory, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many rows a scan must meet, when that is known beforehand.
    pub(crate) fn rows_expected(&self) -> Option<u64> {
        self.rows_expected
    }

    /// About how many bytes a row takes in memory: the longest row of a text, else what the file promises.
    pub(crate) fn row_bytes(&self) -> u64 {
        self.row_bytes
    }

    /// The columns and their types.
    #[cfg(feature = "cluster")]
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The table as it is described to executors, cut into this many stretches; nothing when they cannot read it.
    #[cfg(feature = "cluster")]
    pub(crate) fn parts(&self, stretches: usize) -> Result<Option<SourceParts>> {
        let Some(table) = self.file_table().and_then(|table| table.parts(stretches)) else { return Ok(None) };
        Ok(Some(SourceParts {
            named: self.named.clone(),
            table,
            schema: schema_bytes(&self.schema)?,
            row_bytes: self.row_bytes,
            nulls: self.options.nulls.clone(),
            date_formats: self.options.date_formats.clone(),
            decimal_commas: self.options.decimal_commas.clone(),
            comma_labels: self.options.comma_labels.clone(),
            spellings: self.options.spellings.clone(),
        }))
    }

    /// The table that parts describe.
    #[cfg(feature = "cluster")]
    pub(crate) fn of_parts(parts: SourceParts) -> Result<Source> {
        let fields = schema_of(&parts.schema)?.fields().iter().map(|field| field.as_ref().clone()).collect();
        let shape = TableShape { fields, rows: None, row_bytes: parts.row_bytes, bytes: 0 };
        let origin = Origin::Files(Box::new(FileTable::of_parts(parts.table)?));
        let options = ReadOptions {
            nulls: parts.nulls,
            date_formats: parts.date_formats,
            decimal_commas: parts.decimal_commas,
            comma_labels: parts.comma_labels,
            spellings: parts.spellings,
            ..ReadOptions::default()
        };
        Source::new(&parts.named, origin, shape).reading(options)
    }

    /// The rows of each of this many stretches, where the files say so.
    #[cfg(feature = "cluster")]
    pub(crate) fn stretch_rows(&self, stretches: usize) -> Option<Vec<u64>> {
        self.file_table()?.stretch_rows(stretches)
    }

    /// The type of a column as the origin has it.
    pub(crate) fn data_type(&self, column: &str) -> Result<&DataType> {
        match self.places.get(column) {
            Some(&place) => Ok(self.schema.field(place).data_type()),
            None => Err(EngineError::UnknownColumn { name: column.into(), known: self.columns() }),
        }
    }

    /// Streams of these columns: stretches of the input, the same in each scan.
    pub(crate) async fn streams(
        &self,
        engine: &Engine,
        columns: &[String],
        window: RowWindow,
    ) -> Result<Vec<BatchStream>> {
        for column in columns {
            self.data_type(column)?;
        }
        match &self.origin {
            Origin::Files(table) => table.streams(&self.schema, columns, window),
            Origin::Database(table) => table.streams(columns, window, engine.threads).await,
            Origin::Memory(batches) => batches.streams(&self.schema, columns, window, engine.threads),
        }
    }

    /// The words for a failed scan: a text file is searched for the line that broke it.
    pub(crate) fn explain_failure(&self, doing: &'static str, fault: StreamFault) -> EngineError {
        let is_file = matches!(fault, StreamFault::File(_));
        let table = self.file_table().filter(|_| is_file);
        let ragged = table.and_then(|table| table.ragged(self.schema.fields().len()));
        ragged.unwrap_or_else(|| fault.refusal(doing))
    }

    /// The words for a scan whose reader panicked: the file is damaged in a way that the first look did not see.
    pub(crate) fn damaged(&self) -> EngineError {
        EngineError::Damaged { path: self.named.clone().into(), format: self.stored() }
    }

    /// Whether the first cell of a text without a header is behind a byte order mark.
    pub(crate) fn is_marked(&self) -> bool {
        self.file_table().is_some_and(|table| table.is_marked)
    }

    /// In a text file, a faulty cell that the scan met is reported by its line and column.
    pub(crate) fn locate_fault(&self, error: EngineError) -> EngineError {
        match self.file_table() {
            Some(table) => table.locate_fault(&self.schema, error),
            None => error,
        }
    }
}
