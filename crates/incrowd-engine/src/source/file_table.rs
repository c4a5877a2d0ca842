//! A table in files: how they are inspected before they are believed, and which reader reads them.

use std::path::Path;

use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::limits::{FilePart, ReadLimits};
use crate::source::arrow_file::{self, ArrowParts};
use crate::source::delta;
#[cfg(feature = "cluster")]
use crate::source::file_parts::{FileTableParts, SharedFile};
use crate::source::files::{Format, ReadOptions, TableFile, TableFiles};
use crate::source::header::{Header, check_names};
use crate::source::locate::{locate, locate_ragged};
use crate::source::parquet_file;
use crate::source::probe::probe;
use crate::source::projection::RowWindow;
use crate::source::stream::BatchStream;
#[cfg(feature = "cluster")]
use crate::source::stretches::{FileParts, stretches};
use crate::source::text_read::{self, TextForm};
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};

/// Files of one format, and how they are cut into rows and cells.
#[derive(Clone, Debug)]
pub(crate) struct FileTable {
    pub(crate) files: TableFiles,
    pub(crate) delimiter: Option<u8>,
    /// Whether text can be cut at any line feed.
    pub(crate) can_be_cut: bool,
    /// Whether the first line of each text file names the columns.
    pub(crate) has_header: bool,
    /// A text file without a header begins with a byte order mark, which is no part of its first cell.
    pub(crate) is_marked: bool,
    /// How many threads may read at once, as memory allows.
    readers: usize,
    /// How each Arrow file can be cut.
    arrow: Vec<ArrowParts>,
    /// The rows of the row groups of each Parquet file.
    parquet: Vec<Vec<u64>>,
    limits: ReadLimits,
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
        let files = match delta::find(named, &ReadLimits::of(engine))? {
            Some(files) => TableFiles::of_one_table(engine, named, files, options)?,
            None => TableFiles::find(engine, named, options)?,
        };
        FileTable::inspect(engine, named, files, options)
    }

    /// Looks at each of these files.
    pub(crate) fn inspect(
        engine: &Engine,
        named: &str,
        files: TableFiles,
        options: &ReadOptions,
    ) -> Result<(FileTable, TableShape)> {
        let bytes = files.paths.iter().map(TableFile::size).sum::<Result<u64>>()?;
        let mut table = FileTable {
            files,
            delimiter: None,
            can_be_cut: true,
            has_header: true,
            is_marked: false,
            readers: engine.threads,
            arrow: Vec::new(),
            parquet: Vec::new(),
            limits: ReadLimits::of(engine),
        };
        let shape = match table.files.format {
            // Workbooks and files of statistics packages were written as text.
            Format::Csv | Format::Xlsx | Format::Dta | Format::Sav => table.look_at_text(engine, named, options)?,
            Format::Parquet | Format::Arrow => table.look_at_schemas(engine, named)?,
        };
        Ok((table, TableShape { bytes, ..shape }))
    }

    /// Sniffs, probes and reads the header of every file; all must agree.
    fn look_at_text(&mut self, engine: &Engine, named: &str, options: &ReadOptions) -> Result<TableShape> {
        let compression = self.files.compression;
        let mut agreed: Option<Header> = None;
        let (mut rows, mut row_bytes) = (0, 0);
        let limits = self.limits;
        for path in &self.files.paths {
            let agreed_on = options.delimiter.or(agreed.as_ref().map(|header| header.delimiter));
            // Such a text was written by us, and a statistics package has names of columns in any case.
            let given = if self.files.is_transcribed() { Some(b',') } else { agreed_on };
            let named = if self.files.statistics.is_some() { Some(true) } else { options.header };
            let header = Header::read(path, compression, given, named, &limits)?;
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

    /// Reads the schema of every file; all must agree.
    fn look_at_schemas(&mut self, engine: &Engine, named: &str) -> Result<TableShape> {
        let mut agreed: Option<Vec<Field>> = None;
        let (mut rows, mut row_bytes, limits) = (0u64, 0, self.limits);
        for path in &self.files.paths.clone() {
            engine.check_cancelled()?;
            let (schema, part, held, more) = if self.files.format == Format::Parquet {
                let checked = parquet_file::check(path, &limits)?;
                row_bytes = checked.row_bytes.max(row_bytes);
                let more = checked.groups.iter().sum();
                self.parquet.push(checked.groups);
                (checked.schema, FilePart::RowGroup, checked.held, more)
            } else {
                let checked = arrow_file::check(path, &limits)?;
                self.arrow.push(checked.parts);
                (checked.schema, FilePart::Batch, checked.held, checked.rows)
            };
            check_names(path, &schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>())?;
            let fields = bare(schema.fields());
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

    /// The files as they are described to executors, cut into this many stretches; nothing for files that executors do
    /// not see.
    #[cfg(feature = "cluster")]
    pub(super) fn parts(&self, count: usize) -> Option<FileTableParts> {
        Some(FileTableParts {
            files: self.files.paths.iter().map(SharedFile::of).collect::<Option<_>>()?,
            format: self.files.format,
            compression: self.files.compression,
            delimiter: self.delimiter,
            can_be_cut: self.can_be_cut,
            has_header: self.has_header,
            is_marked: self.is_marked,
            stretches: count,
            arrow: self.arrow.clone(),
            parquet: self.parquet.clone(),
            limits: self.limits,
        })
    }

    /// The files that parts describe.
    #[cfg(feature = "cluster")]
    pub(super) fn of_parts(parts: FileTableParts) -> Result<FileTable> {
        Ok(FileTable {
            files: TableFiles {
                paths: parts.files.into_iter().map(SharedFile::open).collect::<Result<_>>()?,
                format: parts.format,
                compression: parts.compression,
                encoding: None,
                workbook: None,
                statistics: None,
            },
            delimiter: parts.delimiter,
            can_be_cut: parts.can_be_cut,
            has_header: parts.has_header,
            is_marked: parts.is_marked,
            readers: parts.stretches,
            arrow: parts.arrow,
            parquet: parts.parquet,
            limits: parts.limits,
        })
    }

    /// The rows of each of this many stretches, where the files say so.
    #[cfg(feature = "cluster")]
    pub(super) fn stretch_rows(&self, count: usize) -> Option<Vec<u64>> {
        if self.files.format != Format::Parquet {
            return None;
        }
        let rows = |parts: FileParts| -> u64 { self.parquet[parts.file][parts.first..][..parts.parts].iter().sum() };
        let cut = stretches(&self.parquet, count);
        Some(cut.into_iter().map(|stretch| stretch.into_iter().map(rows).sum()).collect())
    }

    /// Streams of these columns: stretches of the files, the same in every scan.
    pub(crate) fn streams(
        &self,
        schema: &SchemaRef,
        columns: &[String],
        window: RowWindow,
    ) -> Result<Vec<BatchStream>> {
        let files = || self.files.paths.iter().cloned();
        match self.files.format {
            Format::Csv | Format::Xlsx | Format::Dta | Format::Sav => {
                let form = TextForm {
                    delimiter: self.delimiter.unwrap_or(b','),
                    has_header: self.has_header,
                    compression: self.files.compression,
                    can_be_cut: self.can_be_cut,
                    limits: self.limits,
                };
                text_read::streams(&self.files.paths, form, schema, columns, window, self.readers)
            }
            Format::Parquet => {
                let files: Vec<_> = files().zip(self.parquet.iter().cloned()).collect();
                parquet_file::streams(&files, schema, columns, window, self.readers)
            }
            Format::Arrow => {
                let files: Vec<_> = files().zip(self.arrow.iter().copied()).collect();
                arrow_file::streams(&files, schema, columns, window, self.readers)
            }
        }
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
}

/// Columns built anew: nothing of a file's metadata is carried along.
fn bare(fields: &Fields) -> Vec<Field> {
    fields.iter().map(|field| Field::new(field.name(), field.data_type().clone(), true)).collect()
}
