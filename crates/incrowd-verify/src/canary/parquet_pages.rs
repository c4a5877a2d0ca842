//! Parquet: every page with its dictionary entries, statistics, metadata, and what stands between.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::{ConvertedType, Encoding, LogicalType, Type};
use parquet::column::page::Page;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescriptor;

use super::search::CanarySearch;
use crate::read::{MemoryBounds, ReadError, check_parquet};

fn broken(_: impl std::error::Error) -> ReadError {
    ReadError::unreadable("it is not a complete Parquet file")
}

/// How a column stores what has a text of its own.
#[derive(Clone, Copy)]
enum StoredKind {
    Text,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Float,
    Double,
    /// A date is stored as a number of days, which would be taken for a number that it is not.
    Other,
}

impl StoredKind {
    fn of(column: &ColumnDescriptor) -> StoredKind {
        // Whether it can be below zero; nothing where it is no whole number.
        let is_signed = match column.logical_type_ref() {
            // Older writers state a converted type only.
            None => match column.converted_type() {
                ConvertedType::NONE
                | ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64 => Some(true),
                ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => {
                    Some(false)
                }
                _ => None,
            },
            Some(LogicalType::Integer(whole)) => Some(whole.is_signed),
            Some(_) => None,
        };
        match (column.physical_type(), is_signed) {
            (Type::BYTE_ARRAY, _) => StoredKind::Text,
            (Type::INT32, Some(true)) => StoredKind::Int32,
            (Type::INT32, Some(false)) => StoredKind::UInt32,
            (Type::INT64, Some(true)) => StoredKind::Int64,
            (Type::INT64, Some(false)) => StoredKind::UInt64,
            (Type::FLOAT, _) => StoredKind::Float,
            (Type::DOUBLE, _) => StoredKind::Double,
            _ => StoredKind::Other,
        }
    }
}

pub(super) fn scan(path: &Path, search: &mut CanarySearch) -> Result<(), ReadError> {
    check_parquet(path, &MemoryBounds::new(None))?;
    let reader = SerializedFileReader::new(File::open(path).map_err(broken)?).map_err(broken)?;
    let about = reader.metadata();
    search.known(about.file_metadata().created_by().unwrap_or_default().as_bytes());
    search.known(about.file_metadata().schema().name().as_bytes());
    metadata(path, search)?;

    let mut chunks = Vec::new();
    for (at, group) in about.row_groups().iter().enumerate() {
        let pages = reader.get_row_group(at).map_err(broken)?;
        for (column, chunk) in group.columns().iter().enumerate() {
            chunks.push(chunk.byte_range());
            let kind = StoredKind::of(chunk.column_descr());
            statistics(chunk.statistics(), kind, search);
            for page in pages.get_column_page_reader(column).map_err(broken)? {
                scan_page(&page.map_err(broken)?, kind, search);
            }
        }
    }
    between(path, chunks, search).map_err(broken)
}

/// The texts that a writer left beside the data.
fn metadata(path: &Path, search: &mut CanarySearch) -> Result<(), ReadError> {
    let file = File::open(path).map_err(broken)?;
    // Here the Arrow schema is not passed over: it may carry texts of its own.
    let about = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).map_err(broken)?;
    let stored = about.metadata().file_metadata().key_value_metadata().map(Vec::as_slice).unwrap_or_default();
    for entry in stored.iter().filter(|entry| entry.key != parquet::arrow::ARROW_SCHEMA_META_KEY) {
        search.text(entry.key.as_bytes());
        search.text(entry.value.as_deref().unwrap_or_default().as_bytes());
    }
    super::arrow_buffers::metadata(about.schema(), search);
    Ok(())
}

fn scan_page(page: &Page, of: StoredKind, search: &mut CanarySearch) {
    let bytes = page.buffer();
    search.bytes += bytes.len() as u64;
    statistics(page.statistics(), of, search);
    // Here texts stand one behind the other without anything between, and two could make a third by chance. As cells
    // they were searched already.
    let is_run_together = matches!(page.encoding(), Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY);
    if !is_run_together {
        search.loose(bytes);
    }
    if page.is_dictionary_page() {
        entries(bytes, of, search);
    }
}

/// Every entry of a dictionary, whether a row uses it or not.
fn entries(mut bytes: &[u8], of: StoredKind, search: &mut CanarySearch) {
    match of {
        StoredKind::Text => {
            while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
                let Some((text, rest)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize) else { break };
                search.text(text);
                bytes = rest;
            }
        }
        StoredKind::Int32 => numbers(bytes, i32::from_le_bytes, search),
        StoredKind::UInt32 => numbers(bytes, u32::from_le_bytes, search),
        StoredKind::Int64 => numbers(bytes, i64::from_le_bytes, search),
        StoredKind::UInt64 => numbers(bytes, u64::from_le_bytes, search),
        StoredKind::Float => numbers(bytes, f32::from_le_bytes, search),
        StoredKind::Double => numbers(bytes, f64::from_le_bytes, search),
        StoredKind::Other => {}
    }
}

fn numbers<const WIDTH: usize, N: ToString>(bytes: &[u8], read: fn([u8; WIDTH]) -> N, search: &mut CanarySearch) {
    for number in bytes.as_chunks().0 {
        search.text(read(*number).to_string().as_bytes());
    }
}

fn statistics(statistics: Option<&Statistics>, of: StoredKind, search: &mut CanarySearch) {
    let Some(statistics) = statistics else { return };
    for bound in [statistics.min_bytes_opt(), statistics.max_bytes_opt()].into_iter().flatten() {
        match of {
            StoredKind::Text => search.text(bound),
            _ => entries(bound, of, search),
        }
    }
}

/// What stands outside of the columns: the footer, indexes, and gaps.
fn between(path: &Path, mut chunks: Vec<(u64, u64)>, search: &mut CanarySearch) -> std::io::Result<()> {
    let mut file = File::open(path)?;
    let end = file.metadata()?.len();
    chunks.sort_unstable();
    chunks.push((end, 0));
    let mut from = 0u64;
    for (start, length) in chunks {
        if start > from {
            file.seek(SeekFrom::Start(from))?;
            let mut gap = Vec::new();
            file.by_ref().take(start.min(end) - from.min(end)).read_to_end(&mut gap)?;
            search.loose(&gap);
        }
        from = from.max(start.saturating_add(length));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
