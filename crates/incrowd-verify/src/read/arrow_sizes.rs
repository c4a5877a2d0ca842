//! Does an Arrow file promise more bytes than it has? Asked before its reader makes room for them.
//!
//! The reader of the format takes the lengths in a file at their word and asks for so much memory at once; a length
//! of some exabytes ends the process instead of the reading. So every length is held against the file first. The reader
//! also takes a stream that was cut off for a whole one; here a stream has to say that it ends, and to end there.

use std::io::{Read, Seek, SeekFrom};

use arrow::ipc::{CompressionType, MessageHeader, RecordBatch, root_as_footer, root_as_message};

use super::ReadError;
use super::bounds::{MemoryBounds, beyond};

/// What stands before the length of a message, since version 0.15 of the format.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The letters at both ends of a file.
pub(super) const MAGIC: &[u8; 6] = b"ARROW1";

/// Rows of nothing but missing values need no bytes.
const ROWS_OF_NOTHING: u64 = 1 << 16;

/// A byte of zstd becomes at most this many: the shortest block has 4 bytes and becomes 128 KiB.
const MOST_BY_ZSTD: u64 = 1 << 15;

/// A message: where it begins, the bytes before its body, and those of its body.
type MessagePlace = (i64, i64, i64);

/// What stands in a file.
struct ArrowMessages {
    batches: Vec<MessagePlace>,
    dictionaries: Vec<MessagePlace>,
    end: u64,
    is_marked: bool,
}

fn cut() -> ReadError {
    ReadError::unreadable("it is truncated: the stream has no end-of-stream marker")
}

fn behind() -> ReadError {
    ReadError::unreadable("there is data after its end")
}

fn broken() -> ReadError {
    ReadError::unreadable("it is not a complete Arrow file, or its compression is not supported")
}

/// Refuses a file whose footer does not list the messages that stand in it.
pub(super) fn check_file(file: &mut (impl Read + Seek), bounds: &MemoryBounds) -> Result<(), ReadError> {
    let length = file.seek(SeekFrom::End(0)).map_err(|_| broken())?;
    let tail = length.checked_sub(10).ok_or_else(broken)?;
    let end: [u8; 10] = bytes_at(file, tail, 10, bounds)?.try_into().map_err(|_| broken())?;
    let [a, b, c, d, letters @ ..] = end;
    let footer_bytes = u64::try_from(i32::from_le_bytes([a, b, c, d])).map_err(|_| broken())?;
    let start = tail.checked_sub(footer_bytes).filter(|start| *start >= 8 && letters == *MAGIC).ok_or_else(broken)?;
    let footer = bytes_at(file, start, footer_bytes, bounds)?;
    let footer = root_as_footer(&footer).map_err(|_| broken())?;
    // What follows the letters at the front is padding, of two bytes or more.
    let front = bytes_at(file, 6, start.min(72) - 6, bounds)?;
    let padding = front.iter().take_while(|byte| **byte == 0).count() as u64;
    let met = messages(file, (6 + padding) / 8 * 8, start, bounds)?;
    let gap = start - met.end;
    // Messages without a mark of their end go on to the footer: then there is no gap.
    if gap > 64 || bytes_at(file, met.end, gap, bounds)?.iter().any(|byte| *byte != 0) {
        return Err(behind());
    }
    let place = |block: &arrow::ipc::Block| (block.offset(), i64::from(block.metaDataLength()), block.bodyLength());
    let batches = footer.recordBatches().into_iter().flatten().map(place);
    let dictionaries = footer.dictionaries().into_iter().flatten().map(place);
    if batches.eq(met.batches) && dictionaries.eq(met.dictionaries) { Ok(()) } else { Err(broken()) }
}

/// Refuses a stream that does not end where it says that it ends.
pub(super) fn check_stream(stream: &mut (impl Read + Seek), bounds: &MemoryBounds) -> Result<(), ReadError> {
    let length = stream.seek(SeekFrom::End(0)).map_err(|_| broken())?;
    let met = messages(stream, 0, length, bounds)?;
    match (met.is_marked, met.end == length) {
        (true, true) => Ok(()),
        (true, false) => Err(behind()),
        (false, _) => Err(cut()),
    }
}

/// All messages from one place to another, or to the end-of-stream marker.
fn messages(
    file: &mut (impl Read + Seek),
    from: u64,
    to: u64,
    bounds: &MemoryBounds,
) -> Result<ArrowMessages, ReadError> {
    let mut met = ArrowMessages { batches: Vec::new(), dictionaries: Vec::new(), end: from, is_marked: false };
    let (mut has_schema, mut largest, mut kept) = (false, 0u64, 0u64);
    while met.end < to {
        let start = met.end;
        let word = |file: &mut _, at: u64| -> Result<[u8; 4], ReadError> {
            if to - at < 4 {
                return Err(broken());
            }
            bytes_at(file, at, 4, bounds)?.try_into().map_err(|_| broken())
        };
        let (mut size, mut at) = (word(file, start)?, start + 4);
        if size == CONTINUATION {
            (size, at) = (word(file, at)?, at + 4);
        }
        let size = u64::try_from(i32::from_le_bytes(size)).map_err(|_| broken())?;
        if size == 0 {
            (met.end, met.is_marked) = (at, true);
            break;
        }
        let body_at = at.checked_add(size).filter(|at| *at <= to).ok_or_else(broken)?;
        let about = bytes_at(file, at, size, bounds)?;
        let message = root_as_message(&about).map_err(|_| broken())?;
        let body = u64::try_from(message.bodyLength()).map_err(|_| broken())?;
        met.end = body_at.checked_add(body).filter(|at| *at <= to).ok_or_else(broken)?;
        let signed = |place: u64| i64::try_from(place).map_err(|_| broken());
        let place = (signed(start)?, signed(body_at - start)?, signed(body)?);
        match message.header_type() {
            MessageHeader::Schema if !has_schema => {
                let fields = message.header_as_schema().and_then(|schema| schema.fields()).map_or(0, |all| all.len());
                if fields > bounds.columns {
                    return Err(beyond("the list of its columns"));
                }
                has_schema = true;
            }
            MessageHeader::RecordBatch if has_schema => {
                let batch = message.header_as_record_batch().ok_or_else(broken)?;
                largest = unpacked(file, &batch, body_at, body, bounds)?.max(largest);
                met.batches.push(place);
            }
            MessageHeader::DictionaryBatch if has_schema => {
                let batch = message.header_as_dictionary_batch().and_then(|batch| batch.data()).ok_or_else(broken)?;
                kept = kept.saturating_add(unpacked(file, &batch, body_at, body, bounds)?);
                met.dictionaries.push(place);
            }
            _ => return Err(broken()),
        }
        if largest.saturating_add(kept) > bounds.piece {
            return Err(beyond("a record batch"));
        }
    }
    if has_schema { Ok(met) } else { Err(broken()) }
}

/// The bytes that a batch takes in memory. Its buffers have to stand in its body, and its rows in its buffers.
fn unpacked(
    file: &mut (impl Read + Seek),
    batch: &RecordBatch<'_>,
    body_at: u64,
    body: u64,
    bounds: &MemoryBounds,
) -> Result<u64, ReadError> {
    let mut bytes = body;
    let codec = batch.compression().map(|compression| compression.codec());
    for buffer in batch.buffers().into_iter().flatten() {
        let (offset, length) = (u64::try_from(buffer.offset()), u64::try_from(buffer.length()));
        let (Ok(offset), Ok(length)) = (offset, length) else { return Err(broken()) };
        if offset.checked_add(length).is_none_or(|end| end > body) {
            return Err(broken());
        }
        let Some(codec) = codec.filter(|_| length > 0) else { continue };
        let prefix: [u8; 8] = bytes_at(file, body_at + offset, 8, bounds)?.try_into().map_err(|_| broken())?;
        let packed = length.checked_sub(8).ok_or_else(broken)?;
        let becomes = match i64::from_le_bytes(prefix) {
            -1 => packed,
            said => u64::try_from(said).map_err(|_| broken())?,
        };
        if codec == CompressionType::LZ4_FRAME && becomes > 0 && i64::from_le_bytes(prefix) != -1 {
            let most = frame_holds(file, body_at + offset + 8, packed, bounds)?;
            // A frame holds as much as was said, and its last block may be short.
            if becomes > most || most > becomes.saturating_add(4 << 20) {
                return Err(broken());
            }
        }
        if codec == CompressionType::ZSTD && becomes > packed.saturating_mul(MOST_BY_ZSTD) {
            return Err(broken());
        }
        bytes = bytes.saturating_add(becomes);
    }
    let most_rows = bytes.saturating_mul(8).max(ROWS_OF_NOTHING);
    let fits = |rows: i64| u64::try_from(rows).is_ok_and(|rows| rows <= most_rows);
    let nodes = batch.nodes().into_iter().flatten();
    let whole = fits(batch.length())
        && nodes.into_iter().all(|node| fits(node.length()) && (0..=node.length()).contains(&node.null_count()));
    if whole { Ok(bytes) } else { Err(broken()) }
}

/// The most bytes that the blocks of an LZ4 frame become.
fn frame_holds(file: &mut (impl Read + Seek), at: u64, length: u64, bounds: &MemoryBounds) -> Result<u64, ReadError> {
    let end = at + length;
    let piece = |file: &mut _, at: u64, size: u64| {
        if at.checked_add(size).is_none_or(|to| to > end) { Err(broken()) } else { bytes_at(file, at, size, bounds) }
    };
    let head = piece(file, at, 6)?;
    if head[..4] != [0x04, 0x22, 0x4d, 0x18] {
        return Err(broken());
    }
    let block = match head[5] >> 4 & 7 {
        4 => 64u64 << 10,
        5 => 256 << 10,
        6 => 1 << 20,
        7 => 4 << 20,
        _ => return Err(broken()),
    };
    let flag = |bit: u8, bytes: u64| if head[4] & 1 << bit == 0 { 0 } else { bytes };
    let mut at = at + 7 + flag(3, 8) + flag(0, 4);
    let mut holds = 0u64;
    loop {
        let word: [u8; 4] = piece(file, at, 4)?.try_into().map_err(|_| broken())?;
        let word = u32::from_le_bytes(word);
        if word == 0 {
            return Ok(holds);
        }
        let size = u64::from(word & 0x7fff_ffff);
        holds = holds.saturating_add(if word >> 31 == 1 { size } else { block });
        // A block that does not fit leaves no place for the next word.
        at = at.saturating_add(4 + size + flag(4, 4));
    }
}

fn bytes_at(file: &mut (impl Read + Seek), at: u64, size: u64, bounds: &MemoryBounds) -> Result<Vec<u8>, ReadError> {
    if size > bounds.about {
        return Err(beyond("the description of its data"));
    }
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| broken())?];
    file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes)).map_err(|_| broken())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
