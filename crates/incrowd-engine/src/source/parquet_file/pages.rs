//! The pages of a row group, inspected by their headers.

use std::io::{Read, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::Page;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;

use super::ReadLimits;
use super::delta::{Wanted, packed};
use super::thrift::{PageHeader, Thrift};
use crate::runtime::limits::FilePart;
use crate::source::file_fault::FileFault;
use crate::source::files::{ReadSeek, TableFile};

/// Encodings by their numbers in a file.
const DELTA: std::ops::RangeInclusive<i64> = 5..=7;

/// Where the last column ends. Columns that stand outside of the file or in each other's place are refused.
pub(super) fn disjoint(metadata: &ParquetMetaData, length: u64, most: u64) -> Result<u64, FileFault> {
    let mut places: Vec<(u64, u64)> = Vec::new();
    for chunk in metadata.row_groups().iter().flat_map(RowGroupMetaData::columns) {
        let (start, bytes) = place(chunk)?;
        places.push((start, start.checked_add(bytes).filter(|&end| end <= length).ok_or(FileFault::Damaged)?));
    }
    if !indexes_fit(metadata, length, most) {
        return Err(FileFault::Damaged);
    }
    places.sort_unstable();
    let apart = places.windows(2).all(|pair| pair[0].1 <= pair[1].0 || pair[1].0 == pair[1].1);
    let end = places.iter().map(|place| place.1).max().unwrap_or(4);
    if apart { Ok(end) } else { Err(FileFault::Damaged) }
}

/// Whether the indexes of all columns are in the file, and close enough to be read together in this many bytes: that is
/// how readers read them.
fn indexes_fit(metadata: &ParquetMetaData, length: u64, most: u64) -> bool {
    let chunks = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let mut all: Option<(u64, u64)> = None;
    for chunk in chunks {
        let indexes = [
            (chunk.column_index_offset(), chunk.column_index_length()),
            (chunk.offset_index_offset(), chunk.offset_index_length()),
            (chunk.bloom_filter_offset(), chunk.bloom_filter_length().or(Some(0))),
        ];
        for (at, place) in indexes.into_iter().enumerate() {
            let (Some(offset), Some(size)) = place else { continue };
            let (Ok(start), Ok(size)) = (u64::try_from(offset), u64::try_from(size)) else { return false };
            let Some(end) = start.checked_add(size).filter(|&end| end <= length) else { return false };
            if at < 2 {
                all = Some(all.map_or((start, end), |(first, last)| (first.min(start), last.max(end))));
            }
        }
    }
    all.is_none_or(|(first, last)| last - first <= most)
}

/// Where a column begins, and its bytes.
fn place(chunk: &ColumnChunkMetaData) -> Result<(u64, u64), FileFault> {
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let positive = |number: i64| u64::try_from(number).map_err(|_| FileFault::Damaged);
    Ok((positive(start)?, positive(chunk.compressed_size())?))
}

/// Looks at all pages of a row group; the bytes that a thread holds while it reads them.
pub(super) fn check(
    file: &TableFile,
    reader: &mut dyn ReadSeek,
    metadata: &ParquetMetaData,
    group: usize,
    limits: &ReadLimits,
) -> Result<u64, FileFault> {
    let about = metadata.row_group(group);
    let rows = u64::try_from(about.num_rows()).map_err(|_| FileFault::Damaged)?;
    let mut held = 0u64;
    for chunk in about.columns() {
        let values = u64::try_from(chunk.num_values()).map_err(|_| FileFault::Damaged)?;
        if chunk.column_descr().max_rep_level() == 0 && values != rows {
            return Err(FileFault::Damaged);
        }
        let (start, bytes) = place(chunk)?;
        let end = start + bytes;
        let mut walk = ColumnChunk { reader: &mut *reader, chunk, limits, at: start, end, held: bytes, delta: false };
        walk.pages(values)?;
        let delta = walk.delta;
        held = held.saturating_add(walk.held);
        if delta {
            held = held.saturating_add(deltas(file, chunk, rows, limits)?);
        }
        if held > limits.piece {
            return Err(FileFault::Over(FilePart::RowGroup, limits.piece));
        }
    }
    Ok(held)
}

/// The pages of one column of a row group.
struct ColumnChunk<'a> {
    reader: &'a mut dyn ReadSeek,
    chunk: &'a ColumnChunkMetaData,
    limits: &'a ReadLimits,
    at: u64,
    end: u64,
    /// Bytes that are held at once: the column as it is stored, its dictionary, and its largest page.
    held: u64,
    /// A page is encoded by differences.
    delta: bool,
}

impl ColumnChunk<'_> {
    fn pages(&mut self, values: u64) -> Result<(), FileFault> {
        let (mut met, mut largest) = (0u64, 0);
        while met < values {
            let header = self.header()?;
            let positive = |number: i64| u64::try_from(number).map_err(|_| FileFault::Damaged);
            let (compressed, decompressed) = (positive(header.compressed)?, positive(header.decompressed)?);
            let body = self.at + header.length as u64;
            self.at = body.checked_add(compressed).filter(|&at| at <= self.end).ok_or(FileFault::Damaged)?;
            if decompressed > self.limits.page {
                return Err(FileFault::Over(FilePart::Page, self.limits.page));
            }
            self.true_to_size(&header, body, compressed, decompressed)?;
            let count = positive(header.values)?;
            match header.kind {
                PageHeader::DICTIONARY => {
                    if count > decompressed / self.narrowest() {
                        return Err(FileFault::Damaged);
                    }
                    // An entry takes 16 bytes in memory besides its text.
                    self.held = self.held.saturating_add(decompressed).saturating_add(count.saturating_mul(16));
                }
                PageHeader::DATA | PageHeader::DATA_V2 => {
                    met = met.saturating_add(count);
                    largest = decompressed.max(largest);
                    self.delta |= DELTA.contains(&header.encoding);
                }
                // An index page.
                1 => {}
                _ => return Err(FileFault::Damaged),
            }
        }
        self.held = self.held.saturating_add(largest);
        if met == values { Ok(()) } else { Err(FileFault::Damaged) }
    }

    /// The header of the page at this place. Statistics in it may be long.
    fn header(&mut self) -> Result<PageHeader, FileFault> {
        let room = (self.end - self.at).min(self.limits.metadata);
        let mut size = room.min(512);
        loop {
            let mut bytes = vec![0; usize::try_from(size).map_err(|_| FileFault::Damaged)?];
            self.reader.seek(SeekFrom::Start(self.at))?;
            self.reader.read_exact(&mut bytes)?;
            if let Some(header) = Thrift::page_header(&bytes) {
                return Ok(header);
            }
            if size == room {
                return Err(FileFault::Damaged);
            }
            size = (size * 16).min(room);
        }
    }

    /// A page has to become as long as it declares: some decoders write until their input ends.
    fn true_to_size(&mut self, header: &PageHeader, at: u64, compressed: u64, declared: u64) -> Result<(), FileFault> {
        let levels = u64::try_from(header.level_bytes).map_err(|_| FileFault::Damaged)?;
        let (Some(stored), Some(expected)) = (compressed.checked_sub(levels), declared.checked_sub(levels)) else {
            return Err(FileFault::Damaged);
        };
        if header.is_plain || stored == 0 {
            return Ok(());
        }
        let grown = |decoder: &mut dyn Read| -> Result<(), FileFault> {
            let copied = std::io::copy(&mut decoder.take(expected + 1), &mut std::io::sink());
            if copied.is_ok_and(|copied| copied == expected) { Ok(()) } else { Err(FileFault::Damaged) }
        };
        self.reader.seek(SeekFrom::Start(at + levels))?;
        let input = (&mut *self.reader).take(stored);
        match self.chunk.compression() {
            Compression::UNCOMPRESSED if compressed != declared => Err(FileFault::Damaged),
            Compression::GZIP(_) => grown(&mut flate2::read::MultiGzDecoder::new(input)),
            Compression::BROTLI(_) => grown(&mut brotli::Decompressor::new(input, 4096)),
            // The others are given as much room as was declared, and fail when it does not do.
            _ => Ok(()),
        }
    }

    /// The fewest bytes that an entry of a dictionary takes.
    fn narrowest(&self) -> u64 {
        match self.chunk.column_type() {
            Type::BYTE_ARRAY | Type::INT32 | Type::FLOAT => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            Type::FIXED_LEN_BYTE_ARRAY => u64::try_from(self.chunk.column_descr().type_length()).unwrap_or(1).max(1),
            Type::BOOLEAN => 1,
        }
    }
}

/// The most bytes that a page of a column becomes whose values are encoded by differences.
fn deltas(file: &TableFile, chunk: &ColumnChunkMetaData, rows: u64, limits: &ReadLimits) -> Result<u64, FileFault> {
    let path: &Path = file;
    match file.elsewhere() {
        Some(remote) => deltas_in(Arc::new(remote.clone()), chunk, rows, limits),
        None => deltas_in(Arc::new(std::fs::File::open(path)?), chunk, rows, limits),
    }
}

fn deltas_in<R: ChunkReader>(
    reader: Arc<R>,
    chunk: &ColumnChunkMetaData,
    rows: u64,
    limits: &ReadLimits,
) -> Result<u64, FileFault> {
    let rows = usize::try_from(rows).map_err(|_| FileFault::Damaged)?;
    let pages = SerializedPageReader::new(reader, chunk, rows, None).map_err(|_| FileFault::Damaged)?;
    let mut largest = 0;
    for page in pages {
        let page = page.map_err(|_| FileFault::Damaged)?;
        if page.is_dictionary_page() {
            continue;
        }
        let (most, values) = (u64::from(page.num_values()), values_of(&page, chunk).ok_or(FileFault::Damaged)?);
        let grown = match page.encoding() {
            Encoding::DELTA_BINARY_PACKED => packed(values, most, Wanted::Count).map(|_| 0),
            Encoding::DELTA_LENGTH_BYTE_ARRAY => {
                packed(values, most, Wanted::Count).map(|lengths| lengths.count.saturating_mul(4))
            }
            Encoding::DELTA_BYTE_ARRAY => packed(values, most, Wanted::Sum).and_then(|prefixes| {
                let suffixes = packed(prefixes.rest, most, Wanted::Sum)?;
                Some(prefixes.sum.saturating_add(suffixes.sum))
            }),
            _ => Some(0),
        };
        largest = grown.ok_or(FileFault::Damaged)?.max(largest);
        if largest > limits.page {
            return Err(FileFault::Over(FilePart::Page, limits.page));
        }
    }
    Ok(largest)
}

/// The values of a data page, behind the levels that say which are missing.
fn values_of<'a>(page: &'a Page, chunk: &ColumnChunkMetaData) -> Option<&'a [u8]> {
    let column = chunk.column_descr();
    match page {
        Page::DataPage { buf, num_values, def_level_encoding, rep_level_encoding, .. } => {
            let mut rest: &[u8] = buf;
            let levels = [(column.max_rep_level(), rep_level_encoding), (column.max_def_level(), def_level_encoding)];
            for (deepest, encoding) in levels.into_iter().filter(|(deepest, _)| *deepest > 0) {
                rest = if *encoding == Encoding::RLE {
                    let (length, behind) = rest.split_first_chunk::<4>()?;
                    behind.get(u32::from_le_bytes(*length) as usize..)?
                } else {
                    let width = u64::from(u16::BITS - deepest.unsigned_abs().leading_zeros());
                    rest.get(usize::try_from((u64::from(*num_values) * width).div_ceil(8)).ok()?..)?
                };
            }
            Some(rest)
        }
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            buf.get((*def_levels_byte_len as usize).checked_add(*rep_levels_byte_len as usize)?..)
        }
        Page::DictionaryPage { .. } => None,
    }
}
