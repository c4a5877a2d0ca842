//! Does a Parquet file promise more than it has? Its footer and the headers of its pages are read for their numbers
//! alone, before the reader of the format makes room for what they promise.
//!
//! Both are written in Thrift's compact protocol (`thrift`). Every list, text and page has to fit into the bytes there
//! are.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::Page;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::serialized_reader::SerializedPageReader;

use super::ReadError;
use super::bounds::{MemoryBounds, beyond};
use super::thrift::{FieldKey, ThriftNumbers, varint, zigzag};

fn broken() -> ReadError {
    ReadError::unreadable("it is not a complete Parquet file")
}

/// Refuses a footer that cannot be as long as it says.
pub(super) fn check_footer(file: &mut File, bounds: &MemoryBounds) -> Result<(), ReadError> {
    let length = file.seek(SeekFrom::End(0)).map_err(|_| broken())?;
    let tail = length.checked_sub(8).ok_or_else(broken)?;
    let end = bytes_at(file, tail, 8)?;
    let size = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    let start = tail.checked_sub(size).filter(|start| *start >= 4 && end[4..] == *b"PAR1").ok_or_else(broken)?;
    if size > bounds.about {
        return Err(beyond("the description of its data"));
    }
    let footer = bytes_at(file, start, size)?;
    let numbers = ThriftNumbers::read(&footer).ok_or_else(broken)?;
    // The list of columns, with those that hold others.
    if numbers.second_list > 4 * bounds.columns { Err(beyond("the list of its columns")) } else { Ok(()) }
}

/// Refuses pages that promise too much, and columns with another number of values than rows.
pub(super) fn check_pages(path: &Path, about: &ParquetMetaData, bounds: &MemoryBounds) -> Result<(), ReadError> {
    let mut file = File::open(path).map_err(|_| ReadError::unreadable("it cannot be opened"))?;
    let length = file.seek(SeekFrom::End(0)).map_err(|_| broken())?;
    let said = about.file_metadata().num_rows();
    let mut rows = 0i64;
    let mut taken: Vec<(u64, u64)> = Vec::new();
    for group in about.row_groups() {
        rows = rows.checked_add(group.num_rows()).filter(|_| group.num_rows() >= 0).ok_or_else(broken)?;
        let mut held = 0u64;
        for chunk in group.columns() {
            if chunk.column_descr().max_rep_level() == 0 && chunk.num_values() != group.num_rows() {
                return Err(broken());
            }
            let (start, end) = place(chunk, length)?;
            taken.push((start, end));
            held = held.saturating_add(check_chunk(&mut file, path, chunk, (start, end), bounds)?);
            if held > bounds.piece {
                return Err(beyond("a row group"));
            }
        }
    }
    taken.retain(|(start, end)| start < end);
    taken.sort_unstable();
    let apart = taken.windows(2).all(|two| two[0].1 <= two[1].0);
    if rows == said && apart { Ok(()) } else { Err(broken()) }
}

fn place(chunk: &ColumnChunkMetaData, length: u64) -> Result<(u64, u64), ReadError> {
    let first = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let place = u64::try_from(first).ok().zip(u64::try_from(chunk.compressed_size()).ok());
    let place = place.and_then(|(start, size)| Some((start, start.checked_add(size)?)));
    place.filter(|(_, end)| *end <= length).ok_or_else(broken)
}

/// The bytes that are held while a column of a row group is read.
fn check_chunk(
    file: &mut File,
    path: &Path,
    chunk: &ColumnChunkMetaData,
    (mut at, end): (u64, u64),
    bounds: &MemoryBounds,
) -> Result<u64, ReadError> {
    let (mut met, mut held, mut largest, mut by_differences) = (0i64, end - at, 0, false);
    while met < chunk.num_values() {
        let page = header_at(file, at, end, bounds)?;
        let number = |key| page.get(key).unwrap_or(0);
        let size = |key| u64::try_from(number(key)).map_err(|_| broken());
        let (unpacked, packed) = (size(UNPACKED)?, size(PACKED)?);
        let body = at + page.bytes as u64;
        at = body.checked_add(packed).filter(|at| *at <= end).ok_or_else(broken)?;
        if unpacked > bounds.page {
            return Err(beyond("a page"));
        }
        match number(KIND) {
            0 | 3 => {
                let (values, encoding) = if number(KIND) == 0 { (DATA, 2) } else { (DATA_V2, 4) };
                met = met.checked_add(number((values, 1))).filter(|_| number((values, 1)) >= 0).ok_or_else(broken)?;
                by_differences |= (5..=7).contains(&number((values, encoding)));
                largest = unpacked.max(largest);
            }
            2 => {
                let entries = size((DICTIONARY, 1))?;
                let narrow = match chunk.column_type() {
                    Type::INT64 | Type::DOUBLE => 8,
                    Type::BOOLEAN | Type::FIXED_LEN_BYTE_ARRAY => 1,
                    _ => 4,
                };
                if entries > unpacked / narrow {
                    return Err(broken());
                }
                held = held.saturating_add(unpacked).saturating_add(entries.saturating_mul(16));
            }
            1 => {}
            _ => return Err(broken()),
        }
        let levels = size((DATA_V2, 5))?.saturating_add(size((DATA_V2, 6))?);
        // In a structure `false` is a value of its own.
        let is_packed = page.get((DATA_V2, 7)) != Some(0);
        if is_packed {
            check_growth(file, chunk, (body, packed), unpacked, levels)?;
        }
    }
    if met != chunk.num_values() {
        return Err(broken());
    }
    if by_differences {
        held = held.saturating_add(differences(path, chunk, bounds)?);
    }
    Ok(held.saturating_add(largest))
}

/// Some decoders write until their input ends, whatever was promised: what they write is counted first.
fn check_growth(
    file: &mut File,
    chunk: &ColumnChunkMetaData,
    (at, packed): (u64, u64),
    unpacked: u64,
    levels: u64,
) -> Result<(), ReadError> {
    let (input, output) = (packed.checked_sub(levels), unpacked.checked_sub(levels));
    let (Some(input), Some(output)) = (input, output) else { return Err(broken()) };
    match chunk.compression() {
        Compression::UNCOMPRESSED if packed != unpacked => Err(broken()),
        Compression::BROTLI(_) if input > 0 => {
            Err(ReadError::unreadable("it is compressed with Brotli, which is not supported"))
        }
        Compression::GZIP(_) if input > 0 => {
            file.seek(SeekFrom::Start(at + levels)).map_err(|_| broken())?;
            let decoder = flate2::read::MultiGzDecoder::new(file.take(input));
            let grown = std::io::copy(&mut decoder.take(output.saturating_add(1)), &mut std::io::sink());
            if grown.is_ok_and(|grown| grown == output) { Ok(()) } else { Err(broken()) }
        }
        _ => Ok(()),
    }
}

/// The most bytes of a page whose texts are told by their differences: few bytes can stand for long texts.
fn differences(path: &Path, chunk: &ColumnChunkMetaData, bounds: &MemoryBounds) -> Result<u64, ReadError> {
    let file = Arc::new(File::open(path).map_err(|_| broken())?);
    let rows = usize::try_from(chunk.num_values()).map_err(|_| broken())?;
    let mut most = 0;
    for page in SerializedPageReader::new(file, chunk, rows, None).map_err(|_| broken())? {
        let page = page.map_err(|_| broken())?;
        if page.is_dictionary_page() {
            continue;
        }
        let (texts, rest) = (u64::from(page.num_values()), behind_levels(&page, chunk).ok_or_else(broken)?);
        let bytes = match page.encoding() {
            Encoding::DELTA_BINARY_PACKED | Encoding::DELTA_LENGTH_BYTE_ARRAY => {
                let mut rest = rest;
                packed_sum(&mut rest, texts, false)
            }
            Encoding::DELTA_BYTE_ARRAY => {
                let mut rest = rest;
                let prefixes = packed_sum(&mut rest, texts, true);
                prefixes.and_then(|sum| Some(sum.saturating_add(packed_sum(&mut rest, texts, true)?)))
            }
            _ => Some(0),
        };
        most = bytes.ok_or_else(broken)?.max(most);
        if most > bounds.page {
            return Err(beyond("a page"));
        }
    }
    Ok(most)
}

/// What follows the levels of a data page, which say what is missing.
fn behind_levels<'a>(page: &'a Page, chunk: &ColumnChunkMetaData) -> Option<&'a [u8]> {
    match page {
        Page::DataPage { buf, .. } => {
            let depths = [chunk.column_descr().max_rep_level(), chunk.column_descr().max_def_level()];
            depths.into_iter().filter(|depth| *depth > 0).try_fold(&buf[..], |rest, _| {
                let (size, rest) = rest.split_first_chunk::<4>()?;
                rest.get(u32::from_le_bytes(*size) as usize..)
            })
        }
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            buf.get(*def_levels_byte_len as usize..)?.get(*rep_levels_byte_len as usize..)
        }
        Page::DictionaryPage { .. } => None,
    }
}

/// Passes over numbers that are packed by their differences, at most `most` of them; their sum, if it is wanted.
fn packed_sum(bytes: &mut &[u8], most: u64, wanted: bool) -> Option<u64> {
    let (block, parts, count) = (varint(bytes)?, varint(bytes)?, varint(bytes)?);
    let mut number = zigzag(bytes)?;
    let part = block.checked_div(parts).filter(|part| *part > 0 && part % 32 == 0 && part * parts == block)?;
    if count > most || block > 1 << 24 {
        return None;
    }
    let mut sum = if count > 0 { u64::try_from(number).unwrap_or(u64::MAX) } else { 0 };
    let mut done = 1;
    while done < count {
        let least = zigzag(bytes)?;
        let (widths, rest) = bytes.split_at_checked(usize::try_from(parts).ok()?)?;
        *bytes = rest;
        for width in widths {
            if done >= count {
                break;
            }
            let width = u64::from(*width);
            let size = usize::try_from(part * width / 8).ok().filter(|_| width <= 64)?;
            let here = part.min(count - done);
            for at in (0..here).filter(|_| wanted) {
                let bit = |bit: u64| Some(u64::from(bytes.get(usize::try_from(bit / 8).ok()?)? >> (bit % 8) & 1));
                let more = (0..width).try_fold(0u64, |more, place| Some(more | bit(at * width + place)? << place))?;
                number = number.wrapping_add(least).wrapping_add(more.cast_signed());
                sum = sum.saturating_add(u64::try_from(number).unwrap_or(u64::MAX));
            }
            *bytes = bytes.get(size..).unwrap_or_default();
            done += here;
        }
    }
    Some(if wanted { sum } else { count.saturating_mul(4) })
}

// The fields of a page's header.
const KIND: FieldKey = (1, 0);
const UNPACKED: FieldKey = (2, 0);
const PACKED: FieldKey = (3, 0);
const DATA: i16 = 5;
const DICTIONARY: i16 = 7;
const DATA_V2: i16 = 8;

/// The numbers in the header of a page.
fn header_at(file: &mut File, at: u64, end: u64, bounds: &MemoryBounds) -> Result<ThriftNumbers, ReadError> {
    let all = end.saturating_sub(at).min(bounds.about);
    let mut size = 256.min(all);
    loop {
        let bytes = bytes_at(file, at, size)?;
        if let Some(numbers) = ThriftNumbers::read(&bytes) {
            return Ok(numbers);
        }
        if size == all {
            return Err(broken());
        }
        // Statistics in a header may be long.
        size = size.saturating_mul(32).min(all);
    }
}

fn bytes_at(file: &mut File, at: u64, size: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| broken())?];
    file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes)).map_err(|_| broken())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
