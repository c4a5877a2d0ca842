//! The rows of checked text files, in stretches that are the same in every scan.
//!
//! A large file whose lines all end with a line feed, none of them inside quotes, is cut into stretches of bytes. A
//! line belongs to the stretch that its first byte is in. Other files are read by one thread from their beginning.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use arrow::csv::ReaderBuilder;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use crate::runtime::error::Result;
use crate::runtime::limits::ReadLimits;
use crate::source::files::{Compression, TableFile, open_text_within};
use crate::source::projection::{Projection, RowWindow};
use crate::source::stream::{BatchResult, BatchStream, StreamFault, stream};
use crate::source::stretches::{FileParts, stretches};

/// A smaller table is not cut: starting a reader costs more than it saves.
const LEAST_CUT: u64 = 10 << 20;
/// How much is read from the file at once.
const BUFFER: usize = 256 << 10;

/// How the bytes of text files are understood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextForm {
    pub(crate) delimiter: u8,
    pub(crate) has_header: bool,
    pub(crate) compression: Compression,
    /// Whether the files can be cut at any line feed.
    pub(crate) can_be_cut: bool,
    pub(crate) limits: ReadLimits,
}

/// Some bytes of a file; all of it where there are none.
type FilePiece = (TableFile, Option<Range<u64>>);

/// Streams of these columns, as many streams as readers or fewer.
pub(crate) fn streams(
    files: &[TableFile],
    form: TextForm,
    schema: &SchemaRef,
    columns: &[String],
    window: RowWindow,
    readers: usize,
) -> Result<Vec<BatchStream>> {
    let projection = Projection::new(schema, columns)?;
    let one = |pieces: Vec<FilePiece>| {
        let (schema, places) = (schema.clone(), projection.places().to_vec());
        let read = move |(file, range): FilePiece| rows(&file, range, form, &schema, &places, window.batch_rows);
        stream(pieces.into_iter().flat_map(read), window.most_rows)
    };
    Ok(pieces(files, form, window.readers(readers), LEAST_CUT)?.into_iter().map(one).collect())
}

/// What each reader reads.
fn pieces(files: &[TableFile], form: TextForm, readers: usize, least_cut: u64) -> Result<Vec<Vec<FilePiece>>> {
    let sizes: Vec<u64> = files.iter().map(TableFile::size).collect::<Result<_>>()?;
    let all: u64 = sizes.iter().sum();
    if readers == 1 || all < least_cut || !form.can_be_cut || form.compression != Compression::None {
        let weights: Vec<Vec<u64>> = sizes.iter().map(|&size| vec![size]).collect();
        let whole =
            |stretch: Vec<FileParts>| stretch.into_iter().map(|part| (files[part.file].clone(), None)).collect();
        return Ok(stretches(&weights, readers).into_iter().map(whole).collect());
    }
    let border = |at: usize| (u128::from(all) * at as u128 / readers as u128) as u64;
    let stretch = |at: usize| {
        let (from, to, mut before, mut pieces) = (border(at), border(at + 1), 0, Vec::new());
        for (file, &size) in files.iter().zip(&sizes) {
            let range = from.saturating_sub(before).min(size)..to.saturating_sub(before).min(size);
            before += size;
            if !range.is_empty() {
                pieces.push((file.clone(), Some(range)));
            }
        }
        pieces
    };
    Ok((0..readers).map(stretch).collect())
}

/// The rows of one piece, in batches.
fn rows(
    file: &TableFile,
    range: Option<Range<u64>>,
    form: TextForm,
    schema: &SchemaRef,
    places: &[usize],
    batch_rows: usize,
) -> Box<dyn Iterator<Item = BatchResult> + Send> {
    let is_first = range.as_ref().is_none_or(|range| range.start == 0);
    let opened = || -> std::result::Result<Box<dyn BufRead + Send>, ArrowError> {
        Ok(match range {
            Some(range) => Box::new(Lines::of(BufReader::with_capacity(BUFFER, file.open()?), range)?),
            None => {
                let text = open_text_within(file, form.compression, &form.limits);
                let text = text.map_err(|_| std::io::Error::from(std::io::ErrorKind::NotFound))?;
                Box::new(BufReader::with_capacity(BUFFER, text))
            }
        })
    };
    let batches = opened().and_then(|text| {
        ReaderBuilder::new(Arc::clone(schema))
            .with_header(form.has_header && is_first)
            .with_delimiter(form.delimiter)
            .with_projection(places.to_vec())
            .with_batch_size(batch_rows.max(1))
            .build_buffered(text)
    });
    match batches {
        Ok(batches) => Box::new(batches.map(|batch| batch.map_err(StreamFault::from))),
        Err(error) => Box::new(std::iter::once(Err(error.into()))),
    }
}

/// The lines of a text whose first byte is in a range.
struct Lines<R> {
    text: R,
    /// The place of the next byte.
    at: u64,
    /// The last line ends with the first line feed from here on.
    last: u64,
    /// The end of the last line, once it was seen.
    end: Option<u64>,
}

impl<R: BufRead + Seek> Lines<R> {
    fn of(mut text: R, range: Range<u64>) -> std::io::Result<Self> {
        let (mut at, last) = (range.start, range.end.saturating_sub(1));
        if at > 0 {
            // The line that begins before the range belongs to the stretch before.
            text.seek(SeekFrom::Start(at - 1))?;
            at = at - 1 + text.skip_until(b'\n')? as u64;
        }
        Ok(Lines { text, at, last, end: (at >= range.end).then_some(at) })
    }
}

impl<R: BufRead> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.end == Some(self.at) {
            return Ok(&[]);
        }
        let buffer = self.text.fill_buf()?;
        if self.end.is_none() {
            let from = usize::try_from(self.last.saturating_sub(self.at)).unwrap_or(usize::MAX);
            let rest = buffer.get(from..).unwrap_or_default();
            self.end = memchr::memchr(b'\n', rest).map(|found| self.at + (from + found) as u64 + 1);
        }
        let length = self.end.map_or(buffer.len(), |end| buffer.len().min((end - self.at) as usize));
        Ok(&buffer[..length])
    }

    fn consume(&mut self, amount: usize) {
        self.at += amount as u64;
        self.text.consume(amount);
    }
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let mut buffer = self.fill_buf()?;
        let read = buffer.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn every_line_is_in_one_stretch_wherever_the_borders_are() {
        for text in ["a\nbb\n\nccc\n", "a\r\nbb\r\nc", "one long line without an end", "\n\n\n", "x\n"] {
            let size = text.len() as u64;
            for first in 0..=size {
                for second in first..=size {
                    let mut joined = String::new();
                    for range in [0..first, first..second, second..size].into_iter().filter(|range| !range.is_empty()) {
                        // A small buffer, so that line feeds are met at its ends.
                        let mut lines = Lines::of(BufReader::with_capacity(2, Cursor::new(text)), range).expect("read");
                        lines.read_to_string(&mut joined).expect("text");
                    }
                    assert_eq!(joined, text, "cut at {first} and {second}");
                }
            }
        }
    }

    #[test]
    fn pieces_cover_all_files_and_only_text_that_can_be_cut_is_cut() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |at: usize| {
            let path: PathBuf = folder.path().join(format!("{at}.csv"));
            std::fs::write(&path, "a\n1\n2\n3\n".repeat(at)).expect("written");
            TableFile::from(path)
        };
        let files: Vec<TableFile> = [1, 0, 3].map(file).into();
        let limits = ReadLimits::within(None);
        let form =
            TextForm { delimiter: b',', has_header: true, compression: Compression::None, can_be_cut: true, limits };
        for readers in 2..9 {
            let cut = pieces(&files, form, readers, 1).expect("sizes");
            let taken: u64 = cut.iter().flatten().filter_map(|(_, range)| range.clone()).map(|r| r.end - r.start).sum();
            assert_eq!((cut.len(), taken), (readers, 32));
            for uncut in [
                pieces(&files, form, readers, 33).expect("sizes"),
                pieces(&files, TextForm { can_be_cut: false, ..form }, readers, 1).expect("sizes"),
                pieces(&files, TextForm { compression: Compression::Gzip, ..form }, readers, 1).expect("sizes"),
            ] {
                assert!(uncut.iter().flatten().map(|(file, _)| &**file).eq(files.iter().map(|file| &**file)));
                assert!(uncut.iter().flatten().all(|(_, range)| range.is_none()));
            }
        }
    }
}
