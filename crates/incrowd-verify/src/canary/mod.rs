//! Do values that were removed still stand in the released bytes?
//!
//! File formats keep more than a reader sees: dictionary entries that no row uses, statistics, bytes below a null. The
//! caller gives a sample of removed values, and each place that can hold a text is searched in the way it stores texts:
//!
//! | place | what counts as a match |
//! | --- | --- |
//! | CSV; a dictionary entry, a statistic, a metadata text, a slot below a null | the value, not as part of a longer word |
//! | decompressed Parquet pages, everything between them | the value if it has 6 bytes or more, whatever stands beside it |
//! | the unpacked parts of a workbook, without the places of its cells | the value if it has 6 bytes or more |
//! | labels in a file of Stata or SPSS | the value, not as part of a longer word |
//! | the raw bytes of Parquet, Arrow, workbooks, Stata and SPSS | the value if it has 12 bytes or more, not as part of a longer word |
//!
//! Beside a text in a binary file stand lengths that may look like letters, and short values occur in any compressed
//! bytes by chance; hence the limits. Shorter values are found where texts can be told from other bytes.

mod arrow_buffers;
mod parquet_pages;
mod search;
mod workbook_parts;

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::count::Counter;
use crate::manifest::{Canaries, FileEntry, Format};
use crate::read::{CellEncoder, Lines, ReadError, ReadProgress, TableFile, decoded, guarded, label_texts_of};
use crate::verdict::VerifyError;

use search::CanarySearch;

/// What a search for removed values found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CanaryScan {
    /// Distinct values searched for.
    pub values: u64,
    /// Bytes searched: those of the files, and what Parquet pages decompress to.
    pub bytes: u64,
    /// Values that stand in the bytes though no published cell or column name holds them: a leak.
    pub found: u64,
    /// Values that stand in a published cell or column name, as the whole or a part of its text.
    pub found_in_cells: u64,
}

impl From<CanaryScan> for Canaries {
    fn from(scan: CanaryScan) -> Canaries {
        Canaries { values: scan.values, bytes: scan.bytes, found: scan.found }
    }
}

/// Searches the files of a release for values that should not be in them.
///
/// # Errors
/// A file cannot be read to its end: then nothing can be said about it.
pub fn scan(dir: &Path, files: &[FileEntry], canaries: &[Vec<u8>]) -> Result<CanaryScan, VerifyError> {
    let mut search = search_for(canaries)?;
    for file in files {
        let path = dir.join(&file.name);
        guarded(|| scan_file(&path, file, &mut search)).map_err(|error| failed(&file.name, error))?;
    }
    Ok(found(&search))
}

/// What was met in one file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PlacesInFile {
    bytes: u64,
    places: Vec<u8>,
}

/// Searches one file of a release.
pub(crate) fn scan_one(dir: &Path, file: &FileEntry, canaries: &[Vec<u8>]) -> Result<PlacesInFile, VerifyError> {
    let mut search = search_for(canaries)?;
    let path = dir.join(&file.name);
    guarded(|| scan_file(&path, file, &mut search)).map_err(|error| failed(&file.name, error))?;
    Ok(PlacesInFile { bytes: search.bytes, places: search.places() })
}

/// What was met in all files together.
pub(crate) fn add_up<'p>(
    files: impl Iterator<Item = &'p PlacesInFile>,
    canaries: &[Vec<u8>],
) -> Result<CanaryScan, VerifyError> {
    let mut search = search_for(canaries)?;
    for file in files {
        search.bytes += file.bytes;
        search.add_places(&file.places);
    }
    Ok(found(&search))
}

fn search_for(canaries: &[Vec<u8>]) -> Result<CanarySearch, VerifyError> {
    let distinct: BTreeSet<&[u8]> = canaries.iter().map(Vec::as_slice).filter(|value| !value.is_empty()).collect();
    let search = CanarySearch::new(distinct.into_iter().map(<[u8]>::to_vec).collect());
    search.map_err(|error| failed("the values to search for", error))
}

fn found(search: &CanarySearch) -> CanaryScan {
    let values = search.values() as u64;
    CanaryScan { values, bytes: search.bytes, found: search.leaks(), found_in_cells: search.in_cells() }
}

fn failed(name: &str, error: ReadError) -> VerifyError {
    match error {
        ReadError::Cancelled => VerifyError::Cancelled,
        ReadError::Unreadable(why) => VerifyError::Folder(std::io::Error::other(format!("{name}: {why}"))),
    }
}

fn scan_file(path: &Path, file: &FileEntry, search: &mut CanarySearch) -> Result<(), ReadError> {
    // What was escaped is searched as it stands: an apostrophe is no part of a value's text.
    let table = TableFile::published(path, file);
    let columns = table.columns()?;
    columns.iter().for_each(|column| search.cell(column.name.as_bytes()));
    match file.format {
        Format::Csv => {
            search.file(path, 1)?;
            // In another encoding a value has other bytes.
            if let Some(encoding) = table.encoding {
                search.stream(decoded(path, encoding)?, 1)?;
            }
            if search.needs_cells() {
                csv_cells(&table, search)?;
            }
        }
        Format::Parquet => {
            search.file(path, search::LONG_IN_RAW)?;
            (0..columns.len()).try_for_each(|column| used_texts(&table, column, search))?;
            parquet_pages::scan(path, search)?;
        }
        Format::Arrow => {
            search.file(path, search::LONG_IN_RAW)?;
            (0..columns.len()).try_for_each(|column| used_texts(&table, column, search))?;
            arrow_buffers::scan(path, search)?;
        }
        Format::Xlsx => {
            search.file(path, search::LONG_IN_RAW)?;
            (0..columns.len()).try_for_each(|column| used_texts(&table, column, search))?;
            workbook_parts::scan(path, search)?;
        }
        Format::Dta | Format::Sav => {
            search.file(path, search::LONG_IN_RAW)?;
            (0..columns.len()).try_for_each(|column| used_texts(&table, column, search))?;
            label_texts(path, search)?;
        }
    }
    Ok(())
}

/// Searches the labels of columns in a file of a statistics package. A label of a value that no row has is a fault,
/// whatever its text is.
fn label_texts(path: &Path, search: &mut CanarySearch) -> Result<(), ReadError> {
    let labels = label_texts_of(path)?;
    if labels.has_unused_value {
        return Err(ReadError::unreadable("the file has a label of a value that no row has"));
    }
    labels.of_columns.iter().for_each(|label| search.text(label.as_bytes()));
    Ok(())
}

fn csv_cells(table: &TableFile<'_>, search: &mut CanarySearch) -> Result<(), ReadError> {
    let mut lines = Lines::open(table)?;
    let mut record = csv::ByteRecord::new();
    // The header line is published, too.
    while lines.next(&mut record)? {
        record.iter().for_each(|cell| search.cell(cell));
    }
    Ok(())
}

/// The texts that rows of a column really have: a dictionary may hold others.
fn used_texts(table: &TableFile<'_>, column: usize, search: &mut CanarySearch) -> Result<(), ReadError> {
    let mut counter = Counter::new(vec![CellEncoder::plain()], 1);
    table.count(&[column], &mut counter, &ReadProgress::new(None, None, 0))?;
    let texts = &counter.encoders[0].texts;
    counter.each(|codes, _| {
        if let Some(text) = texts.text(codes[0]) {
            search.cell(text.as_bytes());
        }
    });
    Ok(())
}
