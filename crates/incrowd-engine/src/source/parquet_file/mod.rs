//! What a Parquet file says about itself, held against the file before a reader makes room for it.
//!
//! Every page is inspected by its header: a page that declares more than it may, or a column with another number of
//! values than rows, is refused. Then row groups are read in stretches (`read.rs`).

mod delta;
mod pages;
mod read;
mod thrift;

use std::fs::File;
use std::io::SeekFrom;
use std::path::Path;

use arrow::datatypes::Schema;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use crate::runtime::error::Result;
use crate::runtime::guard::guarded;
use crate::runtime::limits::{FilePart, ReadLimits};
use crate::source::file_fault::FileFault;
use crate::source::files::{Format, ReadSeek, TableFile};

use thrift::Thrift;

pub(crate) use read::streams;

/// What is known of a Parquet file before it is read.
pub(crate) struct CheckedParquet {
    /// The columns as they will be read.
    pub(crate) schema: Schema,
    /// The rows of each row group.
    pub(crate) groups: Vec<u64>,
    /// The most bytes that a row takes in memory, on the average of a row group.
    pub(crate) row_bytes: u64,
    /// The bytes that a thread holds while it reads a row group.
    pub(crate) held: u64,
}

/// Looks at the footer and at the headers of all pages.
pub(crate) fn check(file: &TableFile, limits: &ReadLimits) -> Result<CheckedParquet> {
    let path: &Path = file;
    let checked = guarded(|| checked(file, limits)).unwrap_or(Err(FileFault::Damaged));
    checked.map_err(|fault| fault.of(path, Format::Parquet))
}

fn checked(file: &TableFile, limits: &ReadLimits) -> std::result::Result<CheckedParquet, FileFault> {
    // A few rows behind a large dictionary do not make the rows large.
    const FEWEST: u64 = 64;
    let mut reader = file.open()?;
    let length = reader.seek(SeekFrom::End(0))?;
    let data_end = footer(&mut *reader, length, limits)?;
    let metadata = metadata(file)?;
    let positive = |number: i64| u64::try_from(number).map_err(|_| FileFault::Damaged);
    let (mut groups, mut row_bytes, mut held) = (Vec::new(), 0, 0);
    for group in metadata.row_groups() {
        let group_rows = positive(group.num_rows())?;
        groups.push(group_rows);
        row_bytes = row_bytes.max(positive(group.total_byte_size())? / group_rows.max(FEWEST));
    }
    let rows = groups.iter().try_fold(0u64, |rows, &more| rows.checked_add(more));
    if rows != Some(positive(metadata.file_metadata().num_rows())?) {
        return Err(FileFault::Damaged);
    }
    let columns_end = pages::disjoint(&metadata, length, limits.piece / 2)?;
    refuse_two_files(&mut *reader, columns_end, data_end)?;
    for group in 0..metadata.num_row_groups() {
        held = held.max(pages::check(file, &mut *reader, &metadata, group, limits)?);
    }
    let schema = read::columns(metadata).map_err(|_| FileFault::Damaged)?;
    Ok(CheckedParquet { schema, groups, row_bytes, held })
}

/// Where the footer begins. One with lists or texts that are longer than itself is refused: a parser would make room
/// for them first.
fn footer(reader: &mut dyn ReadSeek, length: u64, limits: &ReadLimits) -> std::result::Result<u64, FileFault> {
    let mut end = [0; 8];
    reader.seek(SeekFrom::Start(length.checked_sub(12).ok_or(FileFault::Damaged)? + 4))?;
    reader.read_exact(&mut end)?;
    let [a, b, c, d, magic @ ..] = end;
    let size = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start = (length - 8).checked_sub(size).filter(|&start| start >= 4).ok_or(FileFault::Damaged)?;
    if magic != *b"PAR1" {
        return Err(FileFault::Damaged);
    }
    if size > limits.metadata {
        return Err(FileFault::Over(FilePart::Metadata, limits.metadata));
    }
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| FileFault::Damaged)?];
    reader.seek(SeekFrom::Start(start))?;
    reader.read_exact(&mut bytes)?;
    match Thrift::new(&bytes).columns_of_footer().ok_or(FileFault::Damaged)? {
        // Groups of columns are in the same list.
        columns if columns > 4 * crate::runtime::limits::MOST_COLUMNS => {
            Err(FileFault::Over(FilePart::Columns(columns), crate::runtime::limits::MOST_COLUMNS as u64))
        }
        _ => Ok(start),
    }
}

/// Refuses two files in one: the footer of the second would be read with the columns of the first. Behind the columns
/// of a file there are indexes and filters, and never the end of one file before the start of another.
fn refuse_two_files(reader: &mut dyn ReadSeek, from: u64, to: u64) -> std::result::Result<(), FileFault> {
    const SEAM: &[u8] = b"PAR1PAR1";
    let (mut at, mut piece) = (from, vec![0; 1 << 20]);
    while to.saturating_sub(at) >= SEAM.len() as u64 {
        let size = (to - at).min(piece.len() as u64) as usize;
        reader.seek(SeekFrom::Start(at))?;
        reader.read_exact(&mut piece[..size])?;
        if memchr::memmem::find(&piece[..size], SEAM).is_some() {
            return Err(FileFault::Trailing);
        }
        // The seam may stand across two pieces.
        at += (size - SEAM.len() + 1) as u64;
    }
    Ok(())
}

fn metadata(file: &TableFile) -> std::result::Result<ParquetMetaData, FileFault> {
    let path: &Path = file;
    let reader = ParquetMetaDataReader::new();
    let metadata = match file.elsewhere() {
        Some(remote) => reader.parse_and_finish(remote),
        None => reader.parse_and_finish(&File::open(path)?),
    };
    metadata.map_err(|_| FileFault::Damaged)
}
