//! CSV: a header line, then one line per row. A cell without content is a missing value, quoted or not.

use std::fs::File;
use std::path::Path;

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::{FileColumn, ReadError, Rows, TableFile, Watch};
use crate::texts::MISSING;

/// Rows that are added together.
const ROWS: usize = 1 << 14;

fn open(path: &Path, delimiter: u8) -> Result<Reader<File>, ReadError> {
    let file = File::open(path).map_err(|_| ReadError::unreadable("it cannot be opened"))?;
    Ok(ReaderBuilder::new().delimiter(delimiter).buffer_capacity(1 << 20).from_reader(file))
}

/// The value of a cell whose formulas were escaped: one apostrophe less, where it keeps a spreadsheet from running it.
pub(crate) fn unescaped(cell: &str) -> &str {
    let runs = |text: &str| text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r']);
    cell.strip_prefix('\'').filter(|rest| runs(rest)).unwrap_or(cell)
}

pub(super) fn columns(path: &Path, delimiter: u8, escaped: bool) -> Result<Vec<FileColumn>, ReadError> {
    let mut reader = open(path, delimiter)?;
    let header = reader.headers().map_err(|_| ReadError::unreadable("its header line is broken"))?;
    let value = |name| if escaped { unescaped(name) } else { name };
    Ok(header.iter().map(|name| FileColumn { name: value(name).to_string(), is_float: false }).collect())
}

pub(super) fn read<R: Rows>(
    table: &TableFile<'_>,
    wanted: &[usize],
    into: &mut R,
    watch: &Watch<'_>,
) -> Result<(), ReadError> {
    let mut reader = open(table.path, table.delimiter)?;
    let mut columns: Vec<Vec<u32>> = vec![Vec::with_capacity(ROWS); wanted.len()];
    let mut record = ByteRecord::new();
    let mut rows = 0;
    loop {
        let more = reader.read_byte_record(&mut record).map_err(|error| broken(error.position()))?;
        if more {
            rows += 1;
            for ((column, encoder), &at) in columns.iter_mut().zip(into.encoders()).zip(wanted) {
                // Every record has as many cells as the header, or it would have been refused.
                let cell = record.get(at).unwrap_or_default();
                column.push(match std::str::from_utf8(cell) {
                    Ok("") => MISSING,
                    Ok(text) if table.escaped => encoder.code(unescaped(text)),
                    Ok(text) => encoder.code(text),
                    Err(_) => return Err(broken(record.position())),
                });
            }
        }
        if rows == ROWS || !more {
            into.add(&columns, rows);
            watch.step(rows)?;
            columns.iter_mut().for_each(Vec::clear);
            rows = 0;
        }
        if !more {
            return Ok(());
        }
    }
}

fn broken(position: Option<&csv::Position>) -> ReadError {
    match position {
        Some(position) => ReadError::unreadable(format!("line {} is broken", position.line())),
        None => ReadError::unreadable("it cannot be read"),
    }
}
