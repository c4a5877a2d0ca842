//! A table in files: how they are inspected before they are believed, and the plan that reads them.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::config::{ParquetOptions, TableParquetOptions};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::arrow::ArrowFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use datafusion::prelude::{DataFrame, Expr, SessionContext};

use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::guard::guarded;
use crate::runtime::limits::{FilePart, ReadLimits};
use crate::source::arrow_file;
use crate::source::files::{Compression, Format, ReadOptions, TableFile, TableFiles};
use crate::source::header::{Header, check_names};
use crate::source::locate::{locate, locate_ragged};
use crate::source::parquet_file;
use crate::source::probe::probe;

/// Files of one format, and how they are cut into rows and cells.
#[derive(Clone, Debug)]
pub(crate) struct FileTable {
    pub(crate) files: TableFiles,
    pub(crate) delimiter: Option<u8>,
    can_be_cut: bool,
    /// Whether the first line of each text file names the columns.
    pub(crate) has_header: bool,
    /// A text file without a header begins with a byte order mark, which is no part of its first cell.
    pub(crate) is_marked: bool,
    /// How many threads may read at once, as memory allows.
    readers: usize,
    /// For each Arrow file, whether it has a footer, and its batches.
    arrow: Vec<(bool, usize)>,
}

/// What the first look at a table found.
#[derive(Debug, Default)]
pub(crate) struct TableShape {
    /// The columns, built anew: nothing of a file's metadata is carried along.
    pub(crate) fields: Vec<Field>,
    /// How many rows a scan must meet, when that is known beforehand.
    pub(crate) rows: Option<u64>,
    /// About how many bytes a row takes in memory: the longest row of a text, else what the file promises.
    pub(crate) row_bytes: u64,
    /// The size of the whole.
    pub(crate) bytes: u64,
}

impl FileTable {
    /// Finds the files of a table and looks at each of them.
    pub(crate) fn open(engine: &Engine, named: &str, options: &ReadOptions) -> Result<(FileTable, TableShape)> {
        let files = TableFiles::find(engine, named, options)?;
        let bytes = files.paths.iter().map(TableFile::size).sum::<Result<u64>>()?;
        let mut table = FileTable {
            files,
            delimiter: None,
            can_be_cut: true,
            has_header: true,
            is_marked: false,
            readers: engine.threads,
            arrow: Vec::new(),
        };
        let shape = match table.files.format {
            Format::Csv => table.look_at_text(engine, named, options)?,
            Format::Parquet | Format::Arrow => table.look_at_schemas(engine, named)?,
        };
        Ok((table, TableShape { bytes, ..shape }))
    }

    /// Sniffs, probes and reads the header of every file; all must agree.
    fn look_at_text(&mut self, engine: &Engine, named: &str, options: &ReadOptions) -> Result<TableShape> {
        let compression = self.files.compression;
        let mut agreed: Option<Header> = None;
        let (mut rows, mut row_bytes) = (0, 0);
        let limits = ReadLimits::of(engine);
        for path in &self.files.paths {
            let given = options.delimiter.or(agreed.as_ref().map(|header| header.delimiter));
            let header = Header::read(path, compression, given, options.header, &limits)?;
            let shape = probe(path, compression, header.delimiter, &limits, &engine.watch())?;
            rows += shape.rows.saturating_sub(u64::from(header.is_there));
            self.can_be_cut &= shape.can_be_cut;
            self.is_marked |= shape.is_marked && !header.is_there;
            // A cell has a place in memory besides its text.
            row_bytes = (shape.longest_row + 16 * header.names.len() as u64).max(row_bytes);
            match &agreed {
                None => agreed = Some(header),
                Some(first) => self.compare(path, &first.names, &header.names)?,
            }
        }
        let header = agreed.ok_or_else(|| EngineError::NothingToRead(named.into()))?;
        (self.delimiter, self.has_header) = (Some(header.delimiter), header.is_there);
        // Text first: a column is typed by its distinct values after the scan, so `00501` is never 501.
        let fields = header.names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        Ok(TableShape { fields, rows: Some(rows), row_bytes, bytes: 0 })
    }

    /// Reads the schema of every file; all must agree, or the query engine would fill and cast columns silently.
    fn look_at_schemas(&mut self, engine: &Engine, named: &str) -> Result<TableShape> {
        let mut agreed: Option<Vec<Field>> = None;
        let (mut rows, mut row_bytes, limits) = (0u64, 0, ReadLimits::of(engine));
        for path in &self.files.paths.clone() {
            engine.check_cancelled()?;
            let (fields, part, held, more) = if self.files.format == Format::Parquet {
                let checked = parquet_file::check(path, &limits)?;
                check_names(path, &checked.names)?;
                row_bytes = checked.row_bytes.max(row_bytes);
                (self.fields_of(engine, path)?, FilePart::RowGroup, checked.held, checked.rows)
            } else {
                let checked = arrow_file::check(path, &limits)?;
                self.arrow.push((checked.has_footer, checked.batches));
                let fields = checked.schema.fields();
                check_names(path, &fields.iter().map(|field| field.name().clone()).collect::<Vec<_>>())?;
                (bare(fields), FilePart::Batch, checked.held, checked.rows)
            };
            self.readers = limits.readers(path, part, held, self.readers)?;
            match &agreed {
                None => agreed = Some(fields),
                Some(first) => self.compare(path, first, &fields)?,
            }
            rows = rows.saturating_add(more);
        }
        let fields = agreed.ok_or_else(|| EngineError::NothingToRead(named.into()))?;
        Ok(TableShape { fields, rows: Some(rows), row_bytes, bytes: 0 })
    }

    /// The columns of one file as the query engine sees them.
    fn fields_of(&self, engine: &Engine, path: &TableFile) -> Result<Vec<Field>> {
        let url = url_of(path)?;
        let state = engine.context().state();
        let damaged = || EngineError::Damaged { path: path.to_path_buf(), format: self.files.format.name() };
        let schema = guarded(|| engine.block_on(self.listing().infer_schema(&state, &url)));
        let schema = schema.map_err(|_| damaged())?.map_err(|_| damaged())?;
        Ok(bare(schema.fields()))
    }

    /// Streams of these columns, for a format that is read without the query engine.
    pub(crate) fn own_streams(
        &self,
        schema: &SchemaRef,
        columns: &[String],
        rows: (Option<usize>, usize),
    ) -> Option<Result<Vec<SendableRecordBatchStream>>> {
        let about = |(file, &(has_footer, batches)): (&TableFile, &(bool, usize))| (file.clone(), has_footer, batches);
        let files: Vec<_> = self.files.paths.iter().zip(&self.arrow).map(about).collect();
        let is_arrow = self.files.format == Format::Arrow;
        is_arrow.then(|| arrow_file::streams(&files, schema, columns, rows, self.readers))
    }

    /// How many threads may read at once, as memory allows.
    pub(crate) fn readers(&self) -> usize {
        self.readers
    }

    fn compare<T: PartialEq>(&self, path: &Path, first: &[T], columns: &[T]) -> Result<()> {
        let differs = (0..first.len().max(columns.len())).find(|&at| first.get(at) != columns.get(at));
        match differs {
            None => Ok(()),
            Some(at) => Err(EngineError::ColumnsDiffer {
                path: path.into(),
                other: self.files.paths[0].to_path_buf(),
                position: at + 1,
            }),
        }
    }

    /// Whether all files are on a file system, and none in an object store.
    pub(crate) fn is_on_a_file_system(&self) -> bool {
        self.files.paths.iter().all(|file| file.elsewhere().is_none())
    }

    /// A plain plan that reads these columns, of all files or of the one at this place.
    pub(crate) fn read(
        &self,
        context: &SessionContext,
        schema: &SchemaRef,
        columns: &[String],
        only: Option<usize>,
    ) -> Result<DataFrame> {
        let table = self.provider(schema, only)?;
        let expressions: Vec<Expr> =
            columns.iter().map(|name| Expr::Column(datafusion::common::Column::from_name(name))).collect();
        let frame = context.read_table(Arc::new(table)).and_then(|frame| frame.select(expressions));
        frame.map_err(|error| EngineError::engine("planning the scan", &error))
    }

    /// A plan that reads the columns at these places, which are ascending, of at most this many rows. It is made
    /// without the query planner, whose time grows with the square of the number of columns.
    pub(crate) async fn plan_of_many(
        &self,
        context: &SessionContext,
        schema: &SchemaRef,
        places: &Vec<usize>,
        most_rows: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let planning = |error| EngineError::engine("planning the scan", &error);
        let (table, state) = (self.provider(schema, None)?, context.state());
        let plan = table.scan(&state, Some(places), &[], most_rows).await.map_err(planning)?;
        if let Some(most) = most_rows {
            let many = plan.output_partitioning().partition_count() > 1;
            let plan = if many { Arc::new(CoalescePartitionsExec::new(plan)) as Arc<dyn ExecutionPlan> } else { plan };
            return Ok(Arc::new(GlobalLimitExec::new(plan, 0, Some(most))));
        }
        let split = plan.repartitioned(state.config().target_partitions(), state.config_options()).map_err(planning)?;
        Ok(split.unwrap_or(plan))
    }

    /// The files, or the one at this place, as the query engine reads them.
    fn provider(&self, schema: &SchemaRef, only: Option<usize>) -> Result<ListingTable> {
        let mut urls = self.urls()?;
        if let Some(only) = only {
            urls = vec![urls.swap_remove(only)];
        }
        let config = ListingTableConfig::new_with_multi_paths(urls)
            .with_listing_options(self.listing())
            .with_schema(schema.clone());
        ListingTable::try_new(config).map_err(|error| EngineError::engine("opening the table", &error))
    }

    /// The line that broke a scan, if a text file has one.
    pub(crate) fn ragged(&self, columns: usize) -> Option<EngineError> {
        let delimiter = self.delimiter?;
        let ragged = |path: &TableFile| locate_ragged(path, self.files.compression, delimiter, columns);
        self.files.paths.iter().find_map(ragged)
    }

    /// In a text file, a faulty cell that the scan met is reported by its line and column.
    pub(crate) fn locate_fault(&self, schema: &Schema, error: EngineError) -> EngineError {
        let (EngineError::BadValue { column, fault }, Some(delimiter)) = (&error, self.delimiter) else { return error };
        let Some((column, _)) = schema.column_with_name(column) else { return error };
        let located = |path: &TableFile| locate(path, self.files.compression, delimiter, Some(column), *fault);
        let places = self.files.paths.iter().map(located);
        // A file without such a cell is answered by its first line, where only a header can be.
        let header = u64::from(self.has_header);
        let mut places = places.filter(|place| matches!(place, EngineError::BadCell { line, .. } if *line > header));
        places.next().unwrap_or(error)
    }

    fn urls(&self) -> Result<Vec<ListingTableUrl>> {
        self.files.paths.iter().map(url_of).collect()
    }

    fn listing(&self) -> ListingOptions {
        let format: Arc<dyn FileFormat> = match self.files.format {
            Format::Csv => Arc::new(
                CsvFormat::default()
                    .with_has_header(self.has_header)
                    .with_delimiter(self.delimiter.unwrap_or(b','))
                    .with_newlines_in_values(!self.can_be_cut)
                    .with_file_compression_type(match self.files.compression {
                        Compression::None => FileCompressionType::UNCOMPRESSED,
                        Compression::Gzip => FileCompressionType::GZIP,
                        Compression::Zstd => FileCompressionType::ZSTD,
                    }),
            ),
            Format::Parquet => Arc::new(ParquetFormat::default().with_options(parquet_options())),
            Format::Arrow => Arc::new(ArrowFormat),
        };
        // An empty extension takes the files as they are named: they were chosen already.
        ListingOptions::new(format).with_file_extension("")
    }
}

/// Pages are read one behind the other, as they were checked, and not by an index of theirs.
fn parquet_options() -> TableParquetOptions {
    let global = ParquetOptions { enable_page_index: false, pruning: false, ..ParquetOptions::default() };
    TableParquetOptions { global, ..TableParquetOptions::default() }
}

/// Columns built anew: nothing of a file's metadata is carried along.
fn bare(fields: &Fields) -> Vec<Field> {
    fields.iter().map(|field| Field::new(field.name(), field.data_type().clone(), true)).collect()
}

fn url_of(file: &TableFile) -> Result<ListingTableUrl> {
    ListingTableUrl::try_new(file.url()?, None).map_err(|error| EngineError::engine("opening the table", &error))
}
