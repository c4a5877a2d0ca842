//! A table that can be scanned: files, columns, and how they are read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::arrow::ArrowFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::prelude::{DataFrame, Expr, SessionContext};

use crate::encode::Coding;
use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::footer::{arrow_footer, parquet_footer};
use crate::header::{Header, check_names};
use crate::locate::{locate, locate_ragged};
use crate::probe::probe;
use crate::source::{Compression, Files, Format, ReadOptions};

/// A table on disk whose columns are known and whose bytes were looked at.
#[derive(Clone, Debug)]
pub struct Source {
    named: String,
    pub(crate) files: Files,
    pub(crate) options: ReadOptions,
    schema: SchemaRef,
    delimiter: Option<u8>,
    can_be_cut: bool,
    rows_expected: Option<u64>,
    row_bytes: u64,
    bytes: u64,
}

impl Source {
    /// Opens what the user named: a file, a folder or a pattern.
    pub fn open(engine: &Engine, named: &str, options: ReadOptions) -> Result<Source> {
        let files = Files::find(named, &options)?;
        let size =
            |path: &PathBuf| path.metadata().map(|file| file.len()).map_err(|error| EngineError::io(path, &error));
        let bytes = files.paths.iter().map(size).sum::<Result<u64>>()?;
        let mut source = Source {
            named: named.into(),
            files,
            options,
            schema: Arc::new(Schema::empty()),
            delimiter: None,
            can_be_cut: true,
            rows_expected: None,
            row_bytes: 0,
            bytes,
        };
        match source.files.format {
            Format::Csv => source.look_at_text(engine)?,
            Format::Parquet | Format::Arrow => source.look_at_schemas(engine)?,
        }
        for (column, _) in &source.options.date_formats {
            source.data_type(column)?;
        }
        Ok(source)
    }

    /// Sniffs, probes and reads the header of every file; all must agree.
    fn look_at_text(&mut self, engine: &Engine) -> Result<()> {
        let compression = self.files.compression;
        let mut agreed: Option<Header> = None;
        let mut rows = 0;
        for path in &self.files.paths {
            let given = self.options.delimiter.or(agreed.as_ref().map(|header| header.delimiter));
            let header = Header::read(path, compression, given)?;
            let shape = probe(path, compression, header.delimiter, &engine.cancel, &*engine.progress)?;
            rows += shape.rows.saturating_sub(1);
            self.can_be_cut &= shape.can_be_cut;
            self.row_bytes = self.row_bytes.max(shape.longest_row);
            match &agreed {
                None => agreed = Some(header),
                Some(first) => self.compare(path, &first.names, &header.names)?,
            }
        }
        let header = agreed.ok_or_else(|| EngineError::NothingToRead(self.named.clone()))?;
        self.delimiter = Some(header.delimiter);
        self.rows_expected = Some(rows);
        // Text first: a column is typed by its distinct values after the scan, so `00501` is never 501.
        let fields: Vec<Field> = header.names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        self.schema = Arc::new(Schema::new(fields));
        Ok(())
    }

    /// Reads the schema of every file; all must agree, or the query engine would fill and cast columns silently.
    fn look_at_schemas(&mut self, engine: &Engine) -> Result<()> {
        let mut agreed: Option<Vec<Field>> = None;
        let mut rows = Some(0);
        for path in &self.files.paths {
            let footer = if self.files.format == Format::Parquet { parquet_footer(path)? } else { arrow_footer(path)? };
            check_names(path, &footer.names)?;
            let fields = self.fields_of(engine, path)?;
            match &agreed {
                None => agreed = Some(fields),
                Some(first) => self.compare(path, first, &fields)?,
            }
            rows = rows.zip(footer.rows).map(|(rows, more)| rows + more);
            self.row_bytes = self.row_bytes.max(footer.row_bytes);
        }
        let fields = agreed.ok_or_else(|| EngineError::NothingToRead(self.named.clone()))?;
        self.schema = Arc::new(Schema::new(fields));
        self.rows_expected = rows;
        Ok(())
    }

    /// The columns of one file, built anew: nothing of the file's metadata is carried along.
    fn fields_of(&self, engine: &Engine, path: &Path) -> Result<Vec<Field>> {
        let url = url_of(path)?;
        let state = engine.context().state();
        let damaged = || EngineError::Damaged { path: path.into(), format: self.files.format.name() };
        let schema = engine.block_on(self.listing().infer_schema(&state, &url)).map_err(|_| damaged())?;
        Ok(schema.fields().iter().map(|field| Field::new(field.name(), field.data_type().clone(), true)).collect())
    }

    fn compare<T: PartialEq>(&self, path: &Path, first: &[T], columns: &[T]) -> Result<()> {
        let differs = (0..first.len().max(columns.len())).find(|&at| first.get(at) != columns.get(at));
        match differs {
            None => Ok(()),
            Some(at) => Err(EngineError::ColumnsDiffer {
                path: path.into(),
                other: self.files.paths[0].clone(),
                position: at + 1,
            }),
        }
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

    /// How the table is stored.
    pub fn format(&self) -> Format {
        self.files.format
    }

    /// The files of the table.
    pub fn files(&self) -> &[PathBuf] {
        &self.files.paths
    }

    /// The delimiter that was taken, for text.
    pub fn delimiter(&self) -> Option<u8> {
        self.delimiter
    }

    /// The size of all files in bytes.
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

    /// The type of a column as the file has it.
    pub(crate) fn data_type(&self, column: &str) -> Result<&DataType> {
        match self.schema.field_with_name(column) {
            Ok(field) => Ok(field.data_type()),
            Err(_) => Err(EngineError::UnknownColumn { name: column.into(), known: self.columns() }),
        }
    }

    /// A plain plan that reads these columns.
    pub(crate) fn read(&self, engine: &Engine, columns: &[String], most_rows: Option<usize>) -> Result<DataFrame> {
        let frame = self.read_with(engine.context(), columns, None)?;
        let frame = if most_rows.is_some() { frame.limit(0, most_rows) } else { Ok(frame) };
        frame.map_err(|error| EngineError::engine("planning the scan", &error))
    }

    /// As [`Source::read`], of another session; of all files, or of the one at this place.
    pub(crate) fn read_with(
        &self,
        context: &SessionContext,
        columns: &[String],
        only: Option<usize>,
    ) -> Result<DataFrame> {
        for column in columns {
            self.data_type(column)?;
        }
        let mut urls = self.urls()?;
        if let Some(only) = only {
            urls = vec![urls.swap_remove(only)];
        }
        let config = ListingTableConfig::new_with_multi_paths(urls)
            .with_listing_options(self.listing())
            .with_schema(self.schema.clone());
        let table = ListingTable::try_new(config).map_err(|error| EngineError::engine("opening the table", &error))?;
        let expressions: Vec<Expr> =
            columns.iter().map(|name| Expr::Column(datafusion::common::Column::from_name(name))).collect();
        let frame = context.read_table(Arc::new(table)).and_then(|frame| frame.select(expressions));
        frame.map_err(|error| EngineError::engine("planning the scan", &error))
    }

    /// The words for a failed scan: a text file is searched for the line that broke it.
    pub(crate) fn explain_failure(
        &self,
        doing: &'static str,
        error: &datafusion::error::DataFusionError,
    ) -> EngineError {
        if let Some(delimiter) = self.delimiter {
            let expected = self.schema.fields().len();
            for path in &self.files.paths {
                if let Some(ragged) = locate_ragged(path, self.files.compression, delimiter, expected) {
                    return ragged;
                }
            }
        }
        EngineError::engine(doing, error)
    }

    /// In a text file, a faulty cell that the scan met is told by its line and column.
    pub(crate) fn locate_fault(&self, error: EngineError) -> EngineError {
        let (EngineError::BadValue { column, fault }, Some(delimiter)) = (&error, self.delimiter) else { return error };
        let Some((column, _)) = self.schema.column_with_name(column) else { return error };
        let located = |path: &PathBuf| locate(path, self.files.compression, delimiter, Some(column), *fault);
        let places = self.files.paths.iter().map(located);
        // A file without such a cell is answered by its first line, where only a header can be.
        let mut places = places.filter(|place| matches!(place, EngineError::BadCell { line, .. } if *line > 1));
        places.next().unwrap_or(error)
    }

    fn urls(&self) -> Result<Vec<ListingTableUrl>> {
        self.files.paths.iter().map(|path| url_of(path)).collect()
    }

    fn listing(&self) -> ListingOptions {
        let format: Arc<dyn FileFormat> = match self.files.format {
            Format::Csv => Arc::new(
                CsvFormat::default()
                    .with_has_header(true)
                    .with_delimiter(self.delimiter.unwrap_or(b','))
                    .with_newlines_in_values(!self.can_be_cut)
                    .with_file_compression_type(match self.files.compression {
                        Compression::None => FileCompressionType::UNCOMPRESSED,
                        Compression::Gzip => FileCompressionType::GZIP,
                        Compression::Zstd => FileCompressionType::ZSTD,
                    }),
            ),
            Format::Parquet => Arc::new(ParquetFormat::default()),
            Format::Arrow => Arc::new(ArrowFormat),
        };
        // An empty extension takes the files as they are named: they were chosen already.
        ListingOptions::new(format).with_file_extension("")
    }
}

fn url_of(path: &Path) -> Result<ListingTableUrl> {
    let url = url::Url::from_file_path(path).map_err(|()| EngineError::NotFound(path.into()))?;
    ListingTableUrl::try_new(url, None).map_err(|error| EngineError::engine("opening the table", &error))
}
