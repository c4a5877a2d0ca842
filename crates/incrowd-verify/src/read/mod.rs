//! The verifier's own plain readers. A reader tells the columns of a file, and counts its rows into a [`Counter`] or
//! tells them in their order to any [`Rows`].

mod arrow_file;
mod arrow_sizes;
mod bounds;
mod csv_file;
mod encode;
pub(crate) mod instants;
mod parquet_file;
mod parquet_sizes;
mod texts;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::count::Counter;
use crate::manifest::Format;

pub(crate) use arrow_file::batches;
pub(crate) use bounds::{Bounds, beyond};
pub(crate) use encode::{Encoder, Reading};
pub(crate) use parquet_file::check as check_parquet;
pub(crate) use texts::{MISSING, Texts};

/// Why a file was not read. No text of the readers is passed on, because it may quote cells.
#[derive(Debug)]
pub(crate) enum ReadError {
    Cancelled,
    Unreadable(String),
}

impl ReadError {
    pub(crate) fn unreadable(why: impl Into<String>) -> ReadError {
        ReadError::Unreadable(why.into())
    }
}

/// Who watches the reading.
pub(crate) struct Watch<'a> {
    cancel: Option<&'a AtomicBool>,
    progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    done: AtomicU64,
    total: u64,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        cancel: Option<&'a AtomicBool>,
        progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
        total: u64,
    ) -> Watch<'a> {
        Watch { cancel, progress, done: AtomicU64::new(0), total }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    /// Some rows were read; says whether to go on.
    pub(crate) fn step(&self, rows: usize) -> Result<(), ReadError> {
        let done = self.done.fetch_add(rows as u64, Ordering::Relaxed) + rows as u64;
        if let Some(progress) = self.progress {
            progress(done, self.total);
        }
        if self.is_cancelled() { Err(ReadError::Cancelled) } else { Ok(()) }
    }
}

/// What rows are read into.
pub(crate) trait Rows {
    /// What gives each cell its code, column by column.
    fn encoders(&mut self) -> &mut [Encoder];

    /// Adds rows, given column by column in the order of the encoders.
    fn add(&mut self, columns: &[Vec<u32>], rows: usize);

    /// All rows that were added.
    fn rows(&self) -> u64;
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
    /// Whether texts of a CSV file that a spreadsheet would run have one apostrophe more than the value.
    pub(crate) escaped: bool,
    /// Whether the first line of a CSV file names the columns.
    pub(crate) header: bool,
    /// How much of it may be in memory.
    pub(crate) bounds: Bounds,
}

impl TableFile<'_> {
    /// The columns in their order.
    pub(crate) fn columns(&self) -> Result<Vec<FileColumn>, ReadError> {
        guarded(|| match self.format {
            Format::Csv => csv_file::columns(self),
            Format::Parquet => parquet_file::columns(self.path, &self.bounds),
            Format::Arrow => arrow_file::columns(self.path, &self.bounds),
        })
    }

    /// Counts all rows by the columns at `wanted`, which stand in the order of the counter's.
    pub(crate) fn count(&self, wanted: &[usize], counter: &mut Counter, watch: &Watch<'_>) -> Result<(), ReadError> {
        guarded(|| match self.format {
            Format::Csv => csv_file::read(self, wanted, counter, watch),
            Format::Parquet => parquet_file::count(self, wanted, counter, watch),
            Format::Arrow => arrow_file::read(self, wanted, counter, watch),
        })
    }

    /// The same, row after row as they stand in the file.
    pub(crate) fn read<R: Rows>(&self, wanted: &[usize], into: &mut R, watch: &Watch<'_>) -> Result<(), ReadError> {
        guarded(|| match self.format {
            Format::Csv => csv_file::read(self, wanted, into, watch),
            Format::Parquet => parquet_file::read(self, wanted, into, watch),
            Format::Arrow => arrow_file::read(self, wanted, into, watch),
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
    wanted.iter().map(|column| sorted.partition_point(|other| other < column)).collect()
}

/// Encodes the columns of a batch that stand in the order of the file, and adds its rows.
fn add_batch<R: Rows>(
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
