//! How much of a file is read into memory at once, decided before anything is allocated.
//!
//! A small file can ask for a large allocation: by compression, by a length that it declares, or by a line without an
//! end. Each limit is a share of the memory limit where one is given, and has an absolute bound where one makes sense.
//!
//! The limits of the program, those of other modules included, with the reason for each:
//!
//! | limit | number | reason |
//! | --- | --- | --- |
//! | columns in one question | 128, without the subject | a set of columns is 128 bits (see below) |
//! | bits of a tuple | 1,024; a subject takes 64 of them | a key has at most sixteen words |
//! | bytes of a cell | 1 MiB | a longer text is a document, not a value |
//! | bytes of a line | 1/16 of the memory limit, at least 1 MiB, at most 16 MiB | a line is held as a whole |
//! | columns of a table | 16,384 | a small file can declare many |
//! | distinct values of a column | 2³² − 2 | codes have 32 bits |
//! | bytes of all dictionaries | a fifth of the memory limit | they stay in memory |
//! | distinct values that a profile counts | 2¹⁸ | a column with more is known to be nearly unique |
//! | columns of which all sets are measured | 20 | a million sets |
//! | leaves of a set domain | 64 | one bit each |
//! | least memory limit | 16 MiB | buffers need some |
//!
//! `check` and the diagnosis of column sets take any number of columns: they combine as many as a tuple holds, and
//! count the classes of all columns by a keyed hash of each row (`count/row_classes.rs`).

use std::path::Path;

use incrowd_core::{size, thousands};

use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};

/// The most columns of a table.
pub const MOST_COLUMNS: usize = 16_384;

/// Longer texts are refused: they are documents, not values.
pub const MAX_CELL_BYTES: usize = 1 << 20;

/// The longest line of a text file when memory does not bound it further.
pub const MOST_LINE_BYTES: u64 = 16 << 20;

/// The longest header line.
pub(crate) const MOST_HEADER_BYTES: u64 = 4 << 20;

/// A compressed text may grow to this many bytes whatever its ratio.
const FREE_EXPANSION: u64 = 128 << 20;

/// Beyond that, the most bytes that one compressed byte may become.
const MOST_EXPANSION: u64 = 400;

/// The limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cluster", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ReadLimits {
    /// Bytes of a line of text.
    pub(crate) line: u64,
    /// Bytes of what a typed file says about itself: a footer, or the description of one record batch.
    pub(crate) metadata: u64,
    /// Decompressed bytes of a Parquet page.
    pub(crate) page: u64,
    /// Bytes that one thread may hold of a file: a record batch with its dictionaries, or a row group.
    pub(crate) piece: u64,
}

impl ReadLimits {
    pub(crate) fn of(engine: &Engine) -> ReadLimits {
        ReadLimits::within(engine.memory)
    }

    pub(crate) fn within(memory: Option<u64>) -> ReadLimits {
        let share = |part: u64, least: u64, most: u64| memory.map_or(most, |memory| (memory / part).clamp(least, most));
        ReadLimits {
            line: share(16, 1 << 20, MOST_LINE_BYTES),
            metadata: share(64, 512 << 10, 64 << 20),
            page: share(8, 4 << 20, 256 << 20),
            // The writers in use make row groups of tens of MiB: a small memory is exceeded by one of them.
            piece: share(2, 64 << 20, u64::MAX),
        }
    }

    /// The window of a zstd file, a power of two of at most 128 MiB.
    pub(crate) fn window(&self) -> u64 {
        1 << (self.piece / 2).clamp(1 << 20, 128 << 20).ilog2()
    }

    /// How many threads may hold pieces of this size at once; refused when one cannot.
    pub(crate) fn readers(&self, path: &Path, part: FilePart, piece: u64, threads: usize) -> Result<usize> {
        match self.piece / piece.max(1) {
            0 => Err(EngineError::OverLimit { path: path.into(), part, most: self.piece }),
            readers => Ok(usize::try_from(readers).unwrap_or(usize::MAX).min(threads)),
        }
    }
}

/// Whether a compressed text grows more than a table does.
pub(crate) fn grows_too_much(compressed: u64, decompressed: u64) -> bool {
    decompressed > FREE_EXPANSION && decompressed / MOST_EXPANSION > compressed
}

/// Refuses a file of more columns than are read.
pub(crate) fn check_columns(path: &Path, columns: usize) -> Result<()> {
    if columns <= MOST_COLUMNS {
        return Ok(());
    }
    Err(EngineError::OverLimit { path: path.into(), part: FilePart::Columns(columns), most: MOST_COLUMNS as u64 })
}

/// The part of a file that is over its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePart {
    /// A line of a text file, counted from 1.
    Line(u64),
    /// The header line of a text file.
    Header,
    /// The number of columns.
    Columns(usize),
    /// A compressed text that is much larger than the file.
    Expansion,
    /// The window that a zstd file asks for.
    Window,
    /// A footer, or the description of a record batch.
    Metadata,
    /// A record batch of an Arrow file, with its dictionaries.
    Batch,
    /// A row group of a Parquet file.
    RowGroup,
    /// A page of a Parquet file.
    Page,
    /// The texts of a workbook.
    Sheet,
    /// The rows of a sheet that is written.
    SheetRows,
    /// All that comes through a pipe.
    Pipe,
}

impl FilePart {
    /// What is over the limit.
    pub(crate) fn words(self, most: u64) -> String {
        match self {
            FilePart::Line(line) => format!("line {line} is longer than {}", size(most)),
            FilePart::Header => format!("the header line is longer than {}", size(most)),
            FilePart::Columns(columns) => {
                format!("the table has {} columns, but the limit is {}", thousands(columns as u64), thousands(most))
            }
            FilePart::Expansion => {
                format!("the decompressed text is more than {MOST_EXPANSION} times as large as the file")
            }
            FilePart::Window => format!("decompressing the file needs more than {}", size(most)),
            FilePart::Metadata => format!("the metadata of the file needs more than {}", size(most)),
            FilePart::Batch => format!("a record batch with its dictionaries needs more than {}", size(most)),
            FilePart::RowGroup => format!("a row group needs more than {}", size(most)),
            FilePart::Page => format!("a decompressed page needs more than {}", size(most)),
            FilePart::Sheet => format!("the texts of the workbook need more than {}", size(most)),
            FilePart::SheetRows => format!("a sheet of a workbook has at most {} rows", thousands(most)),
            FilePart::Pipe => format!("the pipe contained more than {}", size(most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_shares_of_the_memory_with_a_floor_and_an_absolute_bound() {
        let small = ReadLimits::within(Some(256 << 20));
        assert_eq!((small.line, small.metadata), (16 << 20, 4 << 20));
        assert_eq!((small.page, small.piece), (32 << 20, 128 << 20));
        assert_eq!(ReadLimits::within(Some(1)).line, 1 << 20);
        assert_eq!(ReadLimits::within(None).line, MOST_LINE_BYTES);
    }

    #[test]
    fn a_piece_that_fits_for_one_thread_is_read_by_one() {
        let limits = ReadLimits::within(Some(256 << 20));
        let readers = |piece: u64| limits.readers(Path::new("t"), FilePart::Batch, piece, 8).ok();
        assert_eq!([1 << 20, 40 << 20, 100 << 20, 129 << 20].map(readers), [Some(8), Some(3), Some(1), None]);
    }

    #[test]
    fn a_text_may_grow_much_while_it_is_small_and_little_when_it_is_large() {
        assert!(!grows_too_much(1, 128 << 20));
        assert!(grows_too_much(1 << 20, 512 << 20));
        assert!(!grows_too_much(100 << 20, 2 << 30));
    }
}
