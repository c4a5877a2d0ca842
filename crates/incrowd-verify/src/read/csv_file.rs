//! CSV: a header line, then one line per row. A cell without content is a missing value, quoted or not. An original may be
//! packed (`.gz`, `.zst`).

use std::borrow::Cow;
use std::cell::Cell;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use std::rc::Rc;

use csv::{ByteRecord, Reader, ReaderBuilder};
use encoding_rs::Encoding;
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::read::MultiGzDecoder;

use super::texts::MISSING;
use super::{
    FileColumn, MemoryBounds, ReadError, ReadProgress, RowSink, TableFile, beyond, sheet_as_csv, statistics_as_csv,
};
use crate::manifest::Format;

/// Rows that are added together.
const ROWS: usize = 1 << 14;

/// What is read ahead of the line that is taken apart.
const AHEAD: usize = 1 << 20;

/// A file that is read as far as the next line may go.
struct Fed {
    file: Box<dyn Read>,
    left: Rc<Cell<u64>>,
}

impl Read for Fed {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let most = into.len().min(usize::try_from(self.left.get()).unwrap_or(usize::MAX));
        if most == 0 && !into.is_empty() {
            return Err(std::io::ErrorKind::OutOfMemory.into());
        }
        let read = loop {
            match self.file.read(&mut into[..most]) {
                // The CSV reader would take an interruption for an error.
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                done => break done?,
            }
        };
        self.left.set(self.left.get() - read as u64);
        Ok(read)
    }
}

/// The lines of a file, none longer than it may be.
pub(crate) struct Lines {
    reader: Reader<Fed>,
    left: Rc<Cell<u64>>,
    most: u64,
}

impl Lines {
    /// The lines of a file; the first may be shorter.
    pub(crate) fn open(table: &TableFile<'_>) -> Result<Lines, ReadError> {
        let TableFile { delimiter, encoding, bounds, .. } = table;
        let sheet = match (&table.sheet, table.format) {
            (None, Format::Xlsx) => Some(sheet_as_csv(table.path, None, None)?),
            (None, Format::Dta | Format::Sav) => Some(statistics_as_csv(table.path, None)?),
            (sheet, _) => sheet.clone(),
        };
        let file: Box<dyn Read> = match (sheet, encoding) {
            (Some(sheet), _) => Box::new(Cursor::new(sheet)),
            (None, None) => opened(table.path)?,
            // A letter that cannot be decoded becomes one that no release has, and so a fault.
            (None, Some(encoding)) => Box::new(decoded(table.path, encoding)?),
        };
        let left = Rc::new(Cell::new(bounds.header + AHEAD as u64));
        let mut builder = ReaderBuilder::new();
        let builder = builder.delimiter(*delimiter).buffer_capacity(AHEAD).has_headers(false);
        let reader = builder.from_reader(Fed { file, left: Rc::clone(&left) });
        Ok(Lines { reader, left, most: bounds.line + AHEAD as u64 })
    }

    /// The next line; whether there was one.
    pub(crate) fn next(&mut self, record: &mut ByteRecord) -> Result<bool, ReadError> {
        let more = self.reader.read_byte_record(record).map_err(|error| match error.kind() {
            csv::ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::OutOfMemory => beyond("a line"),
            _ => broken(error.position()),
        })?;
        self.left.set(self.most);
        Ok(more)
    }
}

/// The text of a file in another encoding, as UTF-8.
pub(crate) fn decoded(path: &Path, encoding: &'static Encoding) -> Result<impl Read + use<>, ReadError> {
    Ok(DecodeReaderBytesBuilder::new().encoding(Some(encoding)).build(opened(path)?))
}

/// The bytes of a file, unpacked if its name says that they are packed. No release has such a file, but an original may be one.
fn opened(path: &Path) -> Result<Box<dyn Read>, ReadError> {
    let failed = |_| ReadError::unreadable("it cannot be opened");
    let file = File::open(path).map_err(failed)?;
    Ok(match path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).as_deref() {
        Some("gz") => Box::new(MultiGzDecoder::new(file)),
        Some("zst") => Box::new(zstd::stream::read::Decoder::new(file).map_err(failed)?),
        _ => Box::new(file),
    })
}

/// A cell with a decimal point where it is a number with a decimal comma.
fn with_point(cell: &str) -> Cow<'_, str> {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let parts: Vec<&str> = digits.split(',').collect();
    let is_digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() == 2 && parts.iter().all(is_digits) {
        Cow::Owned(cell.replace(',', "."))
    } else {
        Cow::Borrowed(cell)
    }
}

/// The value of a cell whose formulas were escaped: one apostrophe less, where it keeps a spreadsheet from running it.
pub(crate) fn unescaped(cell: &str) -> &str {
    let runs = |text: &str| text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r']);
    cell.strip_prefix('\'').filter(|rest| runs(rest)).unwrap_or(cell)
}

pub(super) fn columns(table: &TableFile<'_>) -> Result<Vec<FileColumn>, ReadError> {
    let mut header = ByteRecord::new();
    Lines::open(table)?.next(&mut header)?;
    if header.len() > table.bounds.columns {
        return Err(beyond("the list of its columns"));
    }
    let name = |(at, cell): (usize, &[u8])| {
        let name = std::str::from_utf8(cell).map_err(|_| ReadError::unreadable("its header line is broken"))?;
        let name = if table.escaped { unescaped(name) } else { name };
        let name = if table.header { name.to_string() } else { format!("column_{}", at + 1) };
        Ok(FileColumn { name, is_float: false, is_instant: false })
    };
    header.iter().enumerate().map(name).collect()
}

pub(super) fn read<R: RowSink>(
    table: &TableFile<'_>,
    wanted: &[usize],
    into: &mut R,
    progress: &ReadProgress<'_>,
) -> Result<(), ReadError> {
    let mut lines = Lines::open(table)?;
    let together = MemoryBounds::rows(wanted.len(), ROWS);
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); wanted.len()];
    let mut commas = vec![false; wanted.len()];
    if !table.decimal_commas.is_empty() {
        let names = self::columns(table)?;
        let has_comma = |at: &usize| names.get(*at).is_some_and(|column| table.decimal_commas.contains(&column.name));
        commas = wanted.iter().map(has_comma).collect();
    }
    let mut record = ByteRecord::new();
    if table.header {
        lines.next(&mut record)?;
    }
    let mut rows = 0;
    loop {
        let more = lines.next(&mut record)?;
        if more {
            rows += 1;
            for (((column, encoder), &at), &comma) in columns.iter_mut().zip(into.encoders()).zip(wanted).zip(&commas) {
                // Every record has as many cells as the header, or it would have been refused.
                let cell = record.get(at).unwrap_or_default();
                column.push(match std::str::from_utf8(cell) {
                    Ok("") => MISSING,
                    Ok(text) => {
                        let text = if table.escaped { unescaped(text) } else { text };
                        if comma { encoder.code(&with_point(text)) } else { encoder.code(text) }
                    }
                    Err(_) => return Err(broken(record.position())),
                });
            }
        }
        if rows == together || !more {
            into.add(&columns, rows);
            progress.step(rows)?;
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

#[cfg(test)]
mod tests;
