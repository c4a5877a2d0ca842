//! Finding the place of a fault, by line and column, after something went wrong.
//!
//! Slow and plain on purpose: it runs only when a file is about to be refused.

use std::io::{BufReader, Read};

use csv::{ByteRecord, ReaderBuilder};

use crate::runtime::error::{CellFault, EngineError};
use crate::source::files::{Compression, TableFile, open_text};

/// The error for the first cell that has the fault, in one column or in any; by the first line if no cell has it.
pub(crate) fn locate(
    file: &TableFile,
    compression: Compression,
    delimiter: u8,
    column: Option<usize>,
    fault: CellFault,
) -> EngineError {
    locate_within(file, compression, delimiter, column, fault, u64::MAX)
}

/// As [`locate`], in the first bytes of a file: what follows them was not inspected yet and may have any length.
pub(crate) fn locate_within(
    file: &TableFile,
    compression: Compression,
    delimiter: u8,
    column: Option<usize>,
    fault: CellFault,
    bytes: u64,
) -> EngineError {
    let has_fault = |cell: &[u8]| match fault {
        CellFault::NotUtf8 | CellFault::Encoded(_) => simdutf8::basic::from_utf8(cell).is_err(),
        CellFault::Nul => cell.contains(&0),
        CellFault::TooLong => cell.len() > crate::runtime::limits::MAX_CELL_BYTES,
        CellFault::Infinite => false,
    };
    let found = first(file, compression, delimiter, bytes, |record| {
        record.iter().enumerate().position(|(at, cell)| column.is_none_or(|column| column == at) && has_fault(cell))
    });
    let (line, column) = found.unwrap_or((1, column.unwrap_or(0)));
    EngineError::BadCell { path: file.to_path_buf(), line, column: column + 1, fault }
}

/// The error for the first line whose cells are not as many as the header's, if there is one.
pub(crate) fn locate_ragged(
    file: &TableFile,
    compression: Compression,
    delimiter: u8,
    expected: usize,
) -> Option<EngineError> {
    let uneven = |record: &ByteRecord| (record.len() != expected).then_some(record.len());
    let (line, found) = first(file, compression, delimiter, u64::MAX, uneven)?;
    Some(EngineError::Ragged { path: file.to_path_buf(), line, found, expected })
}

/// The first line at which `fault` finds something, header included.
fn first<T>(
    file: &TableFile,
    compression: Compression,
    delimiter: u8,
    bytes: u64,
    fault: impl Fn(&ByteRecord) -> Option<T>,
) -> Option<(u64, T)> {
    let reader = open_text(file, compression).ok()?.take(bytes);
    let mut reader = ReaderBuilder::new().delimiter(delimiter).flexible(true).has_headers(false).from_reader(reader);
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).ok()? {
        if let Some(found) = fault(&record) {
            let byte = record.position().map_or(0, csv::Position::byte);
            return Some((line_of(file, compression, byte)?, found));
        }
    }
    None
}

/// The line on which the row stands that the CSV reader found from this byte on.
///
/// Counted here because the reader's own count does not know lines that end with a carriage return, and its rows
/// begin before the line breaks that they skip.
fn line_of(file: &TableFile, compression: Compression, byte: u64) -> Option<u64> {
    let mut lines = 1;
    let mut previous = 0;
    for (at, next) in BufReader::new(open_text(file, compression).ok()?).bytes().enumerate() {
        let next = next.ok()?;
        if previous == b'\n' || (previous == b'\r' && next != b'\n') {
            lines += 1;
        }
        if at as u64 >= byte && next != b'\n' && next != b'\r' {
            break;
        }
        previous = next;
    }
    Some(lines)
}
