//! The sceptical first look at a text file (trust 3).
//!
//! A CSV reader takes most things: UTF-16, a quote that swallows the rest of the file, a `;` file as one column. So
//! the bytes are looked at once, at memory speed, before any is believed: encoding, NUL, quotes and lines. What is
//! learned also decides how the file may be read: only where no line break stands inside quotes can it be cut into
//! ranges that are read in parallel.

use std::io::Read;
use std::path::Path;

use incrowd_core::{Cancel, Progress, Stage};

use crate::error::{CellFault, EngineError, Result};
use crate::locate::locate;
use crate::source::{Compression, open_text};

/// What the bytes of a text file look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Line breaks in the file.
    pub(crate) lines: u64,
    /// Whether a line break stands inside quotes.
    pub(crate) breaks_in_quotes: bool,
}

/// Reads the whole file once and refuses what would be misread.
pub(crate) fn probe(
    path: &Path,
    compression: Compression,
    delimiter: u8,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<Shape> {
    let mut reader = open_text(path, compression)?;
    let mut shape = Shape { lines: 0, breaks_in_quotes: false };
    let mut quotes = Quotes::new(delimiter);
    let mut buffer = vec![0; 1 << 20];
    // The bytes of a character that the last block cut off.
    let mut carried = 0;
    loop {
        if cancel.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let read = fill(&mut *reader, &mut buffer[carried..]).map_err(|error| EngineError::io(path, &error))?;
        let block = &buffer[..carried + read];
        let complete = match simdutf8::compat::from_utf8(block) {
            Ok(_) => block.len(),
            Err(error) if error.error_len().is_none() && read > 0 => error.valid_up_to(),
            Err(_) => return Err(locate(path, compression, delimiter, CellFault::NotUtf8)),
        };
        if memchr::memchr(0, &block[carried..]).is_some() {
            return Err(locate(path, compression, delimiter, CellFault::Nul));
        }
        let fresh = &block[carried..];
        quotes.walk(fresh, shape.lines);
        shape.lines += memchr::memchr_iter(b'\n', fresh).count() as u64;
        if read == 0 {
            break;
        }
        let length = block.len();
        buffer.copy_within(complete..length, 0);
        carried = length - complete;
        progress.update(Stage::Probe, shape.lines, None);
    }
    if let Some(line) = quotes.open_since() {
        return Err(EngineError::OpenQuote { path: path.into(), line });
    }
    shape.breaks_in_quotes = quotes.breaks_inside;
    Ok(shape)
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

/// Follows quotes as RFC 4180 and the CSV reader do: a quote counts only at the start of a cell.
struct Quotes {
    delimiter: u8,
    at: At,
    opened: u64,
    breaks_inside: bool,
}

impl Quotes {
    fn new(delimiter: u8) -> Self {
        Quotes { delimiter, at: At::CellStart, opened: 0, breaks_inside: false }
    }

    fn open_since(&self) -> Option<u64> {
        (self.at == At::Quoted).then_some(self.opened)
    }

    fn walk(&mut self, block: &[u8], lines_before: u64) {
        let Some(&last) = block.last() else { return };
        if memchr::memchr(b'"', block).is_none() {
            if self.at == At::Quoted {
                self.breaks_inside |= memchr::memchr(b'\n', block).is_some();
            } else if last == self.delimiter || last == b'\n' || last == b'\r' {
                self.at = At::CellStart;
            } else {
                self.at = At::Unquoted;
            }
            return;
        }
        let mut line = lines_before + 1;
        for &byte in block {
            line += u64::from(byte == b'\n');
            self.at = match (self.at, byte) {
                (At::CellStart, b'"') => {
                    self.opened = line;
                    At::Quoted
                }
                (At::Quoted, b'"') => At::QuoteInQuoted,
                (At::Quoted, _) => {
                    self.breaks_inside |= byte == b'\n';
                    At::Quoted
                }
                (At::QuoteInQuoted, b'"') => At::Quoted,
                (_, b'\n' | b'\r') => At::CellStart,
                (_, byte) if byte == self.delimiter => At::CellStart,
                _ => At::Unquoted,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(text: &str) -> Quotes {
        let mut quotes = Quotes::new(b',');
        text.as_bytes().chunks(3).fold(0, |lines, block| {
            quotes.walk(block, lines);
            lines + block.iter().filter(|&&byte| byte == b'\n').count() as u64
        });
        quotes
    }

    #[test]
    fn a_doubled_quote_does_not_close_a_cell() {
        assert_eq!(walked("a,b\n\"x\"\"y\",2\n").open_since(), None);
    }

    #[test]
    fn an_open_quote_is_known_by_its_line() {
        assert_eq!(walked("a,b\n1,2\n3,\"4\n5,6\n").open_since(), Some(3));
    }

    #[test]
    fn a_quote_inside_an_unquoted_cell_is_a_plain_character() {
        let quotes = walked("size,n\n5\" pipe,2\n");
        assert_eq!((quotes.open_since(), quotes.breaks_inside), (None, false));
    }

    #[test]
    fn a_line_break_inside_quotes_is_noticed() {
        assert!(walked("a,b\n\"one\ntwo\",2\n").breaks_inside);
    }
}
