//! The first look at a text file, which trusts nothing.
//!
//! A CSV reader takes most things: UTF-16, a quote that swallows the rest of the file, a `;` file as one column. So
//! the bytes are inspected once, at memory speed, before any is believed: encoding, NUL, quotes and lines. What is
//! learned also decides how the file may be read: only where no line break stands inside quotes can it be cut into
//! ranges that are read in parallel.

use std::io::Read;
use std::path::Path;

use incrowd_core::{Stage, Watch};

use crate::runtime::error::{CellFault, EngineError, Result};
use crate::runtime::limits::{FilePart, MOST_COLUMNS, ReadLimits, grows_too_much};
use crate::source::encoding;
use crate::source::files::{Compression, TableFile, open_text_within, read_error};
use crate::source::header::MARK;
use crate::source::locate::locate_within;

/// Delimiters of a long row, those inside quotes among them, beyond which it is no row.
const MOST_CELLS: u64 = 4 << 20;

/// What the bytes of a text file look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextShape {
    /// Rows, the header among them; a line without a character is none.
    pub(crate) rows: u64,
    /// Whether the file can be cut at any line feed: none stands inside quotes, and lines end with nothing else.
    pub(crate) can_be_cut: bool,
    /// The bytes of the longest row.
    pub(crate) longest_row: u64,
    /// The file begins with a byte order mark.
    pub(crate) is_marked: bool,
}

/// Reads the whole file once and refuses what would be misread.
pub(crate) fn probe(
    file: &TableFile,
    compression: Compression,
    delimiter: u8,
    limits: &ReadLimits,
    watch: &Watch,
) -> Result<TextShape> {
    let path: &Path = file;
    let stored = if compression == Compression::None { u64::MAX } else { file.size()? };
    let mut reader = open_text_within(file, compression, limits)?;
    let mut walk = TextWalk::new(delimiter);
    let mut buffer = vec![0; 1 << 20];
    // The bytes of a character that the last block cut off.
    let mut carried = 0;
    loop {
        if watch.cancel.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let read =
            fill(&mut *reader, &mut buffer[carried..]).map_err(|error| read_error(path, compression, limits, error))?;
        let block = &buffer[..carried + read];
        let complete = match simdutf8::compat::from_utf8(block) {
            Ok(_) => block.len(),
            Err(error) if error.error_len().is_none() && read > 0 => error.valid_up_to(),
            Err(_) => {
                let fault = encoding::not_utf8(file, compression, limits);
                return Err(walk.located(file, compression, block, fault));
            }
        };
        let fresh = &block[carried..];
        if memchr::memchr(0, fresh).is_some() {
            return Err(walk.located(file, compression, block, CellFault::Nul));
        }
        walk.over(fresh);
        walk.refuse_what_is_long(path, limits)?;
        if grows_too_much(stored, walk.offset) {
            return Err(EngineError::OverLimit { path: path.into(), part: FilePart::Expansion, most: walk.offset });
        }
        if read == 0 {
            break;
        }
        let length = block.len();
        buffer.copy_within(complete..length, 0);
        carried = length - complete;
        watch.progress.update(Stage::Probe, walk.lines, None);
    }
    walk.finish(path)
}

/// Reads until the buffer is full or the file ends.
fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Where a cell stands while the bytes go by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    CellStart,
    Unquoted,
    Quoted,
    QuoteInQuoted,
}

/// Follows quotes and rows as RFC 4180 and the CSV reader do: a quote counts only at the start of a cell.
struct TextWalk {
    delimiter: u8,
    at: At,
    /// Bytes walked over.
    offset: u64,
    lines: u64,
    /// The line on which the quote that is open was opened.
    opened: u64,
    breaks_in_quotes: bool,
    /// The last byte was a carriage return.
    after_return: bool,
    /// A carriage return ended a line alone.
    bare_return: bool,
    row_started: u64,
    rows: u64,
    longest_row: u64,
    is_marked: bool,
    /// At least how many cells the row has that filled the last blocks.
    cells: u64,
}

impl TextWalk {
    fn new(delimiter: u8) -> Self {
        TextWalk {
            delimiter,
            at: At::CellStart,
            offset: 0,
            lines: 0,
            opened: 0,
            breaks_in_quotes: false,
            after_return: false,
            bare_return: false,
            row_started: 0,
            rows: 0,
            longest_row: 0,
            is_marked: false,
            cells: 0,
        }
    }

    fn over(&mut self, block: &[u8]) {
        // A byte-order mark is no part of the first cell.
        let bare = block.strip_prefix(MARK.as_bytes()).filter(|_| self.offset == 0);
        self.is_marked |= bare.is_some();
        let block = bare.unwrap_or(block);
        let Some((&first, &last)) = block.first().zip(block.last()) else { return };
        if self.after_return && first != b'\n' {
            self.line_ended_by_return();
        }
        self.after_return = last == b'\r';
        if memchr::memchr(b'"', block).is_none() {
            self.over_plain(block, last);
        } else {
            self.over_quotes(block);
        }
        // Blocks that a row fills are counted through for its cells.
        let fills = self.row_started <= self.offset && memchr::memchr2(b'\n', b'\r', block).is_none();
        self.cells = if fills { self.cells + memchr::memchr_iter(self.delimiter, block).count() as u64 } else { 0 };
        self.offset += block.len() as u64;
    }

    /// A block without a quote: only where lines end matters.
    fn over_plain(&mut self, block: &[u8], last: u8) {
        for end in memchr::memchr2_iter(b'\n', b'\r', block) {
            self.line_may_end(block, end);
        }
        if self.at != At::Quoted {
            let ended = last == self.delimiter || last == b'\n' || last == b'\r';
            self.at = if ended { At::CellStart } else { At::Unquoted };
        }
    }

    fn over_quotes(&mut self, block: &[u8]) {
        for (index, &byte) in block.iter().enumerate() {
            if byte == b'\n' || byte == b'\r' {
                self.line_may_end(block, index);
            }
            self.at = match (self.at, byte) {
                (At::CellStart, b'"') => {
                    self.opened = self.lines + 1;
                    At::Quoted
                }
                (At::Quoted, b'"') => At::QuoteInQuoted,
                (At::Quoted, _) => At::Quoted,
                (At::QuoteInQuoted, b'"') => At::Quoted,
                (_, b'\n' | b'\r') => At::CellStart,
                (_, byte) if byte == self.delimiter => At::CellStart,
                _ => At::Unquoted,
            };
        }
    }

    /// A line feed or a carriage return at this place of the block.
    fn line_may_end(&mut self, block: &[u8], index: usize) {
        if block[index] == b'\n' {
            self.lines += 1;
            self.breaks_in_quotes |= self.at == At::Quoted;
        } else if block.get(index + 1).is_some_and(|&next| next != b'\n') {
            self.line_ended_by_return();
        }
        if self.at != At::Quoted {
            self.row_ends(self.offset + index as u64);
        }
    }

    fn row_ends(&mut self, here: u64) {
        let length = here - self.row_started;
        self.rows += u64::from(length > 0);
        self.longest_row = self.longest_row.max(length);
        self.row_started = here + 1;
    }

    fn line_ended_by_return(&mut self) {
        self.lines += 1;
        self.bare_return = true;
    }

    /// The place of a fault in a block that was not walked over yet.
    fn located(&self, file: &TableFile, compression: Compression, block: &[u8], fault: CellFault) -> EngineError {
        let end = self.offset + block.len() as u64 + MARK.len() as u64;
        locate_within(file, compression, self.delimiter, None, fault, end)
    }

    /// A row over the limit, known before the file is read to its end.
    fn refuse_what_is_long(&self, path: &Path, limits: &ReadLimits) -> Result<()> {
        if self.cells > MOST_CELLS {
            let (part, most) = (FilePart::Columns(self.cells as usize), MOST_COLUMNS as u64);
            return Err(EngineError::OverLimit { path: path.into(), part, most });
        }
        if self.longest_row.max(self.offset.saturating_sub(self.row_started)) <= limits.line {
            return Ok(());
        }
        // The line on which the row began, as far as that is known.
        let line = if self.at == At::Quoted { self.opened } else { self.lines + 1 };
        Err(EngineError::OverLimit { path: path.into(), part: FilePart::Line(line), most: limits.line })
    }

    fn finish(mut self, path: &Path) -> Result<TextShape> {
        if self.at == At::Quoted {
            return Err(EngineError::OpenQuote { path: path.into(), line: self.opened });
        }
        self.row_ends(self.offset);
        let can_be_cut = !self.breaks_in_quotes && !self.bare_return;
        Ok(TextShape { rows: self.rows, can_be_cut, longest_row: self.longest_row, is_marked: self.is_marked })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks in steps of three bytes, so that every state meets the end of a block.
    fn walked(text: &str) -> Result<TextShape> {
        let mut walk = TextWalk::new(b',');
        text.as_bytes().chunks(3).for_each(|block| walk.over(block));
        walk.finish(Path::new("x.csv"))
    }

    fn can_be_cut(text: &str) -> bool {
        walked(text).expect("quotes are closed").can_be_cut
    }

    #[test]
    fn a_doubled_quote_does_not_close_a_cell() {
        assert!(can_be_cut("a,b\n\"x\"\"y\",2\n"));
    }

    #[test]
    fn an_open_quote_is_known_by_its_line() {
        for text in ["a,b\n1,2\n3,\"4\n5,6\n", "a,b\r\n1,2\r\n3,\"4\r\n5,6\r\n", "a,b\r1,2\r3,\"4\r5,6\r"] {
            let error = walked(text).expect_err("a quote is open");
            assert!(matches!(error, EngineError::OpenQuote { line: 3, .. }), "{error} in {text:?}");
        }
    }

    #[test]
    fn a_quote_inside_an_unquoted_cell_is_a_plain_character() {
        assert!(can_be_cut("size,n\n5\" pipe,2\n"));
    }

    #[test]
    fn a_line_break_inside_quotes_forbids_to_cut_the_file() {
        assert!(!can_be_cut("a,b\n\"one\ntwo\",2\n"));
        assert!(!can_be_cut("\u{feff}\"a\nb\",c\n1,2\n"), "also behind a byte-order mark");
    }

    #[test]
    fn lines_that_end_with_a_carriage_return_alone_forbid_to_cut_the_file() {
        assert!(!can_be_cut("a,b\r1,2\r3,4\r"));
        assert!(can_be_cut("a,b\r\n1,2\r\n3,4\r\n"));
    }

    #[test]
    fn the_longest_row_counts_line_breaks_inside_quotes() {
        let shape = walked("a,b\n\"one\ntwo\",2\n").expect("fine");
        assert_eq!((shape.rows, shape.longest_row), (2, 11));
        assert_eq!(walked("a,b\n1,22222").expect("fine").longest_row, 7);
    }

    #[test]
    fn rows_are_counted_as_the_reader_counts_them() {
        for (text, rows) in [
            ("a,b\n1,2", 2),
            ("a,b\n1,2\n", 2),
            ("a,b\r\n\r\n1,2\r\n\r\n", 2),
            ("a\r1\r2", 3),
            ("a\n\"\"\n \n", 3),
            ("\n\na\n\"x\n\ny\"\n", 2),
        ] {
            assert_eq!(walked(text).expect("fine").rows, rows, "{text:?}");
            let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            assert_eq!(reader.byte_records().count() as u64, rows, "{text:?}");
        }
    }
}
