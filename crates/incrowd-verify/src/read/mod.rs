//! The verifier's own plain readers: from the bytes of a file to rows of codes.
//!
//! A reader gives the columns of a file, and hands its rows to a [`RowSink`]: column by column, each cell as the code
//! of its text ([`CellEncoder`]). Before the reader of a format makes room for anything, every length in the file is
//! compared with the bytes there are ([`MemoryBounds`], `arrow_sizes`, `parquet_sizes`). A reader that panics on a
//! broken file has found it unreadable ([`guarded`]).

mod arrow_file;
mod arrow_sizes;
mod bounds;
mod csv_file;
mod encode;
pub(crate) mod instants;
mod parquet_file;
mod parquet_sizes;
mod progress;
mod statistics;
#[cfg(test)]
mod test_sink;
mod texts;
mod thrift;
mod workbook;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use encoding_rs::Encoding;

use crate::manifest::{FileDialect, FileEntry, Format};

pub(crate) use arrow_file::batches;
pub(crate) use bounds::{MemoryBounds, beyond};
pub(crate) use csv_file::{Lines, decoded};
pub(crate) use encode::{CellEncoder, CellRules, TextRewrite};
pub(crate) use parquet_file::check as check_parquet;
pub(crate) use progress::{ReadError, ReadProgress};
pub(crate) use statistics::{is_statistics, label_texts_of, statistics_as_csv};
pub(crate) use texts::{ColumnTexts, MISSING};
pub(crate) use workbook::{is_workbook, sheet_as_csv};

/// What rows are read into.
pub(crate) trait RowSink {
    /// What gives each cell its code, column by column.
    fn encoders(&mut self) -> &mut [CellEncoder];

    /// Adds rows, given column by column in the order of the encoders.
    fn add(&mut self, columns: &[Vec<u32>], rows: usize);

    /// All rows that were added.
    fn rows(&self) -> u64;
}

/// Rows that several threads read apart and put together at the end.
pub(crate) trait MergeableSink: RowSink + Send + Sized {
    /// An empty sink that reads cells in the same way, for another thread.
    fn sibling(&self) -> Self;

    /// Takes over the rows of a sibling.
    fn merge(&mut self, sibling: Self);
}

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileColumn {
    pub(crate) name: String,
    /// Whether its cells are floating-point numbers, which have more than one text.
    pub(crate) is_float: bool,
    /// Whether its cells are instants.
    pub(crate) is_instant: bool,
}

/// A table in a file.
pub(crate) struct TableFile<'a> {
    pub(crate) path: &'a Path,
    pub(crate) format: Format,
    /// What separates the cells of a CSV file.
    pub(crate) delimiter: u8,
    /// The encoding of a CSV file, unless it is UTF-8.
    pub(crate) encoding: Option<&'static Encoding>,
    /// Whether texts of a CSV file that a spreadsheet would run have one apostrophe more than the value.
    pub(crate) escaped: bool,
    /// Columns of a CSV file whose numbers have a decimal comma; other texts in them are labels.
    pub(crate) decimal_commas: Vec<String>,
    /// Whether the first line of a CSV file names the columns.
    pub(crate) header: bool,
    /// The sheet of a workbook, or the rows of a file of a statistics package, as CSV.
    pub(crate) sheet: Option<Arc<[u8]>>,
    /// How much of it may be in memory.
    pub(crate) bounds: MemoryBounds,
}

impl<'a> TableFile<'a> {
    /// A file of a release, in the dialect that the manifest says. What is no dialect is a fault of the manifest.
    pub(crate) fn published(path: &'a Path, file: &FileEntry) -> TableFile<'a> {
        let dialect = file.dialect.as_ref();
        TableFile {
            path,
            format: file.format,
            delimiter: dialect.and_then(FileDialect::separator).unwrap_or(b','),
            encoding: dialect.and_then(|dialect| dialect.decoder().ok().flatten()),
            escaped: false,
            decimal_commas: dialect.map(|dialect| dialect.decimal_comma.clone()).unwrap_or_default(),
            header: true,
            sheet: None,
            bounds: MemoryBounds::new(None),
        }
    }
}

impl TableFile<'_> {
    /// The columns in their order.
    pub(crate) fn columns(&self) -> Result<Vec<FileColumn>, ReadError> {
        guarded(|| match self.format {
            Format::Csv | Format::Xlsx | Format::Dta | Format::Sav => csv_file::columns(self),
            Format::Parquet => parquet_file::columns(self.path, &self.bounds),
            Format::Arrow => arrow_file::columns(self.path, &self.bounds),
        })
    }

    /// Reads all rows of the columns at `wanted`, which stand in the order of the sink's, in any order of the rows.
    pub(crate) fn count<R: MergeableSink>(
        &self,
        wanted: &[usize],
        into: &mut R,
        progress: &ReadProgress<'_>,
    ) -> Result<(), ReadError> {
        guarded(|| match self.format {
            Format::Csv | Format::Xlsx | Format::Dta | Format::Sav => csv_file::read(self, wanted, into, progress),
            Format::Parquet => parquet_file::read_in_parallel(self, wanted, into, progress),
            Format::Arrow => arrow_file::read(self, wanted, into, progress),
        })
    }

    /// The same, row after row as they stand in the file.
    pub(crate) fn read<R: RowSink>(
        &self,
        wanted: &[usize],
        into: &mut R,
        progress: &ReadProgress<'_>,
    ) -> Result<(), ReadError> {
        guarded(|| match self.format {
            Format::Csv | Format::Xlsx | Format::Dta | Format::Sav => csv_file::read(self, wanted, into, progress),
            Format::Parquet => parquet_file::read(self, wanted, into, progress),
            Format::Arrow => arrow_file::read(self, wanted, into, progress),
        })
    }
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread is caught and makes a file unreadable.
pub fn panic_is_caught() -> bool {
    GUARDED.get()
}

/// A reader that panics on a broken file has found it unreadable.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, ReadError>) -> Result<T, ReadError> {
    let before = GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(before);
    done.unwrap_or_else(|_| Err(ReadError::unreadable("its content is broken")))
}

/// Where each wanted column stands among the wanted ones in the order of the file.
fn places(wanted: &[usize]) -> Vec<usize> {
    let mut sorted = wanted.to_vec();
    sorted.sort_unstable();
    // A column may be wanted twice.
    sorted.dedup();
    wanted.iter().map(|column| sorted.partition_point(|other| other < column)).collect()
}

/// Encodes the columns of a batch that stand in the order of the file, and adds its rows.
fn add_batch<R: RowSink>(
    batch: &arrow::record_batch::RecordBatch,
    places: &[usize],
    into: &mut R,
    columns: &mut [Vec<u32>],
) -> Result<(), ReadError> {
    for ((encoder, &place), column) in into.encoders().iter_mut().zip(places).zip(columns.iter_mut()) {
        column.clear();
        encoder.encode(batch.column(place), column)?;
    }
    into.add(columns, batch.num_rows());
    Ok(())
}

#[cfg(test)]
mod tests;
