//! The header line of a CSV file: the delimiter it speaks of, and the names it gives.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};

use crate::runtime::error::{EngineError, Result};
use crate::runtime::limits::{FilePart, MOST_HEADER_BYTES, ReadLimits, check_columns};
use crate::source::encoding;
use crate::source::files::{Compression, TableFile, open_text_within, read_error};
use crate::source::first_line::signs_of_a_row;

/// The delimiters that are searched for, the most common first.
const DELIMITERS: [u8; 4] = *b",;\t|";

/// How much of a file is inspected to find its delimiter.
const SNIFFED_BYTES: u64 = 64 << 10;

/// The byte order mark of UTF-8.
pub(crate) const MARK: &str = "\u{feff}";

/// How many rows are compared with the first line.
const ROWS_COMPARED: usize = 200;

/// The delimiter and the column names of a CSV file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) delimiter: u8,
    pub(crate) names: Vec<String>,
    /// Whether the first line gives the names; otherwise columns are numbered.
    pub(crate) is_there: bool,
}

impl Header {
    /// Reads the header, sniffing the delimiter unless it is given. A first line that looks like a row is refused
    /// unless it was said what it is.
    pub(crate) fn read(
        file: &TableFile,
        compression: Compression,
        delimiter: Option<u8>,
        said: Option<bool>,
        limits: &ReadLimits,
    ) -> Result<Header> {
        let (mut start, path): (_, &Path) = (Vec::new(), file);
        let reader = open_text_within(file, compression, limits)?;
        let failed = |error| read_error(path, compression, limits, error);
        reader.take(SNIFFED_BYTES).read_to_end(&mut start).map_err(failed)?;
        if looks_like_utf16(&start) {
            return Err(EngineError::Utf16(path.into()));
        }
        let text = start.strip_prefix(MARK.as_bytes()).unwrap_or(&start);
        if text.iter().all(u8::is_ascii_whitespace) {
            return Err(EngineError::Empty(path.display().to_string()));
        }
        let delimiter = delimiter.unwrap_or_else(|| sniff(text, path));
        // Read anew from the file: a header may be longer than the bytes read for detection.
        let whole = open_text_within(file, compression, limits)?.take(MOST_HEADER_BYTES);
        let mut reader = ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(whole);
        let mut record = ByteRecord::new();
        reader.read_byte_record(&mut record).map_err(|error| failed(error.into()))?;
        if reader.position().byte() >= MOST_HEADER_BYTES {
            return Err(EngineError::OverLimit { path: path.into(), part: FilePart::Header, most: MOST_HEADER_BYTES });
        }
        check_columns(path, record.len())?;
        if said == Some(false) {
            // Only one mark is no part of the first cell; of two, the second would be taken off as well.
            if text.starts_with(MARK.as_bytes()) {
                return Err(EngineError::MarkedColumn { path: path.into(), position: 1 });
            }
            let names = (1..=record.len()).map(|at| format!("column_{at}")).collect();
            return Ok(Header { delimiter, names, is_there: false });
        }
        let mut names = Vec::with_capacity(record.len());
        for (index, cell) in record.iter().enumerate() {
            let bad = |_| {
                let fault = encoding::not_utf8(file, compression, limits);
                EngineError::BadCell { path: path.into(), line: 1, column: index + 1, fault }
            };
            names.push(std::str::from_utf8(cell).map_err(bad)?.trim().to_string());
        }
        if said.is_none()
            && let Some(signs) =
                signs_of_a_row(&names, &first_records(text, delimiter, start.len() as u64 == SNIFFED_BYTES))
        {
            return Err(EngineError::NoHeader { path: path.into(), signs });
        }
        check_names(path, &names)?;
        Ok(Header { delimiter, names, is_there: true })
    }
}

/// Refuses empty and repeated names: by them columns would be confused or lost.
pub(crate) fn check_names(path: &Path, names: &[String]) -> Result<()> {
    check_columns(path, names.len())?;
    let mut met = HashMap::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(EngineError::UnnamedColumn { path: path.into(), position: index + 1 });
        }
        if name.starts_with(MARK) {
            return Err(EngineError::MarkedColumn { path: path.into(), position: index + 1 });
        }
        if let Some(first) = met.insert(name, index) {
            let (first, second) = (first + 1, index + 1);
            return Err(EngineError::DuplicateColumn { path: path.into(), first, second });
        }
    }
    Ok(())
}

/// A byte-order mark, or every second byte of the start a NUL.
fn looks_like_utf16(start: &[u8]) -> bool {
    let start = &start[..start.len().min(1024)];
    let marked = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    let nuls = |parity: usize| start.iter().skip(parity).step_by(2).filter(|&&byte| byte == 0).count();
    marked || (start.len() >= 4 && nuls(0).max(nuls(1)) * 10 >= start.len() * 4)
}

/// The delimiter that cuts the first lines most evenly into most cells; a tab when the name says so, else a comma.
fn sniff(text: &[u8], path: &Path) -> u8 {
    let named_tsv = path.to_string_lossy().to_lowercase().contains(".tsv");
    let fallback = if named_tsv { b'\t' } else { b',' };
    let score = |delimiter: u8| {
        let records = records(text, delimiter, 20);
        let cells = records.first().map_or(0, ByteRecord::len);
        let even = records.iter().filter(|record| record.len() == cells).count();
        // Evenness first: a comma inside German decimals cuts many cells, but not the same number on each line.
        (cells > 1).then_some((even * 100 / records.len().max(1), cells, delimiter == fallback))
    };
    DELIMITERS
        .into_iter()
        .filter_map(|delimiter| score(delimiter).map(|score| (score, delimiter)))
        .max_by_key(|best| best.0)
        .map_or(fallback, |best| best.1)
}

/// The records that show whether the first is a row; the last is left out when the text may end inside it.
fn first_records(text: &[u8], delimiter: u8, is_cut: bool) -> Vec<ByteRecord> {
    let mut reader = ReaderBuilder::new().delimiter(delimiter).flexible(true).has_headers(false).from_reader(text);
    let mut records: Vec<ByteRecord> =
        reader.byte_records().take(ROWS_COMPARED + 1).filter_map(std::result::Result::ok).collect();
    if is_cut && records.len() > 1 && records.len() <= ROWS_COMPARED {
        records.pop();
    }
    records
}

/// The first records of a text, cut by a delimiter. The last is left out when the text may end inside it.
fn records(text: &[u8], delimiter: u8, most: usize) -> Vec<ByteRecord> {
    let mut reader = ReaderBuilder::new().delimiter(delimiter).flexible(true).has_headers(false).from_reader(text);
    let mut records: Vec<ByteRecord> =
        reader.byte_records().take(most + 1).filter_map(std::result::Result::ok).collect();
    if records.len() > 1 {
        records.pop();
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semicolons_win_over_decimal_commas() {
        let text = "name;weight;height\na;70,5;1,80\nb;81,0;1,75\nc;66,2;1,62\n";
        assert_eq!(sniff(text.as_bytes(), Path::new("x.csv")), b';');
    }

    #[test]
    fn a_single_column_falls_back_to_the_comma() {
        assert_eq!(sniff(b"age\n1\n2\n", Path::new("x.csv")), b',');
    }

    #[test]
    fn utf16_is_seen_with_and_without_its_mark() {
        assert!(looks_like_utf16(b"\xff\xfea\0g\0e\0"));
        assert!(looks_like_utf16(b"a\0g\0e\0,\0s\0e\0x\0"));
        assert!(!looks_like_utf16(b"age,sex\n1,m\n"));
    }
}
