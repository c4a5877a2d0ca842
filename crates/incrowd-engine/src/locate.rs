//! Finding the place of a fault, by line and column, after something went wrong.
//!
//! Slow and plain on purpose: it runs only when a file is about to be refused.

use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};

use crate::error::{CellFault, EngineError};
use crate::source::{Compression, open_text};

/// The error for the first cell that has the fault; by file alone if the fault is in no cell.
pub(crate) fn locate(path: &Path, compression: Compression, delimiter: u8, fault: CellFault) -> EngineError {
    let has_fault = |cell: &[u8]| match fault {
        CellFault::NotUtf8 => simdutf8::basic::from_utf8(cell).is_err(),
        CellFault::Nul => cell.contains(&0),
        CellFault::TooLong => cell.len() > crate::MAX_CELL_BYTES,
    };
    let found = first(path, compression, delimiter, |record| record.iter().position(has_fault));
    match found {
        Some((line, column)) => EngineError::BadCell { path: path.into(), line, column: column + 1, fault },
        None => EngineError::BadCell { path: path.into(), line: 1, column: 1, fault },
    }
}

/// The error for the first line whose cells are not as many as the header's, if there is one.
pub(crate) fn locate_ragged(
    path: &Path,
    compression: Compression,
    delimiter: u8,
    expected: usize,
) -> Option<EngineError> {
    let uneven = |record: &ByteRecord| (record.len() != expected).then_some(record.len());
    let (line, found) = first(path, compression, delimiter, uneven)?;
    Some(EngineError::Ragged { path: path.into(), line, found, expected })
}

/// The first line at which `fault` finds something, header included.
fn first<T>(
    path: &Path,
    compression: Compression,
    delimiter: u8,
    fault: impl Fn(&ByteRecord) -> Option<T>,
) -> Option<(u64, T)> {
    let reader = open_text(path, compression).ok()?;
    let mut reader = ReaderBuilder::new().delimiter(delimiter).flexible(true).has_headers(false).from_reader(reader);
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).ok()? {
        if let Some(found) = fault(&record) {
            return Some((record.position().map_or(1, csv::Position::line), found));
        }
    }
    None
}
