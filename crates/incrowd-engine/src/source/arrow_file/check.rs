//! The first look at an Arrow file or stream: every message, before a reader makes room for one.
//!
//! Lengths are held against the file. A stream has to end with its end-of-stream marker and nothing behind it; a file
//! has to list in its footer exactly the messages that it holds. So no batch is lost and none is read twice.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use arrow::datatypes::Schema;
use arrow::ipc::convert::fb_to_schema;
use arrow::ipc::{Block, CompressionType, MessageHeader, RecordBatch, root_as_footer, root_as_message};

use super::{ArrowParts, lz4_frame};
use crate::runtime::error::Result;
use crate::runtime::guard::guarded;
use crate::runtime::limits::{FilePart, MOST_COLUMNS, ReadLimits};
use crate::source::file_fault::FileFault;
use crate::source::files::{Format, TableFile};

const MAGIC: &[u8; 6] = b"ARROW1";
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Rows that a batch may have although it has no bytes for them.
const ROWS_WITHOUT_BYTES: u64 = 1 << 16;

/// A byte of zstd becomes at most this many: the shortest block has 4 bytes and becomes 128 KiB (RFC 8878).
const MOST_BY_ZSTD: u64 = 1 << 15;

/// How far the first message may be from the front of a file.
const FRONT: u64 = 72;

/// What the first look at an Arrow file found.
#[derive(Debug)]
pub(crate) struct CheckedArrow {
    pub(crate) schema: Schema,
    pub(crate) parts: ArrowParts,
    pub(crate) rows: u64,
    /// The bytes that a thread holds while it reads: the largest batch and all dictionaries.
    pub(crate) held: u64,
}

/// Looks at all messages of a file.
pub(crate) fn check(file: &TableFile, limits: &ReadLimits) -> Result<CheckedArrow> {
    let path: &Path = file;
    let length = file.size()?;
    let looked = guarded(|| {
        let reader = BufReader::new(file.open()?);
        MessageWalk { reader, length, at: 0, limits, found: FoundMessages::default() }.whole()
    });
    looked.unwrap_or(Err(FileFault::Damaged)).map_err(|fault| fault.of(path, Format::Arrow))
}

/// What the walk has met.
#[derive(Default)]
struct FoundMessages {
    schema: Option<Schema>,
    /// Where the batches and the dictionaries stand: offset, length of the message, length of the body.
    batches: Vec<[i64; 3]>,
    dictionaries: Vec<[i64; 3]>,
    rows: u64,
    largest_batch: u64,
    dictionary_bytes: u64,
}

struct MessageWalk<'a, R> {
    reader: R,
    length: u64,
    at: u64,
    limits: &'a ReadLimits,
    found: FoundMessages,
}

/// What a step of the walk met.
enum ArrowStep {
    Message,
    /// The end-of-stream marker.
    End,
    /// The end of what is to be read, without a marker.
    Nothing,
}

impl<R: Read + Seek> MessageWalk<'_, R> {
    fn whole(mut self) -> std::result::Result<CheckedArrow, FileFault> {
        let mut start = [0; 6];
        let has_footer = self.length >= 6 && self.reader.read_exact(&mut start).is_ok() && start == *MAGIC;
        if has_footer {
            self.in_file()?;
        } else {
            self.seek(0)?;
            loop {
                match self.step(self.length)? {
                    ArrowStep::Message => {}
                    ArrowStep::End if self.at == self.length => break,
                    ArrowStep::End => return Err(FileFault::Trailing),
                    ArrowStep::Nothing => return Err(FileFault::Cut),
                }
            }
        }
        let found = self.found;
        let schema = found.schema.ok_or(FileFault::Damaged)?;
        let held = found.largest_batch.saturating_add(found.dictionary_bytes);
        let parts = ArrowParts { has_footer, batches: found.batches.len() };
        Ok(CheckedArrow { schema, parts, rows: found.rows, held })
    }

    /// The messages of a file have to be those of its footer, in order.
    fn in_file(&mut self) -> std::result::Result<(), FileFault> {
        let mut end = [0; 10];
        self.seek(self.length.checked_sub(10).ok_or(FileFault::Damaged)?)?;
        self.reader.read_exact(&mut end)?;
        let [a, b, c, d, magic @ ..] = end;
        let size = u64::try_from(i32::from_le_bytes([a, b, c, d])).map_err(|_| FileFault::Damaged)?;
        if magic != *MAGIC {
            return Err(FileFault::Damaged);
        }
        let start = (self.length - 10).checked_sub(size).filter(|&start| start >= 8).ok_or(FileFault::Damaged)?;
        let bytes = self.metadata(start, size)?;
        let footer = root_as_footer(&bytes).map_err(|_| FileFault::Damaged)?;
        // The letters at the front are padded to eight bytes, or to more.
        let mut front = vec![0; start.min(FRONT) as usize];
        self.seek(0)?;
        self.reader.read_exact(&mut front)?;
        let first = front.iter().skip(MAGIC.len()).position(|&byte| byte != 0).ok_or(FileFault::Damaged)? + MAGIC.len();
        self.seek(first as u64 / 8 * 8)?;
        let ended = loop {
            match self.step(start)? {
                ArrowStep::Message => {}
                ArrowStep::End => break true,
                ArrowStep::Nothing => break false,
            }
        };
        // Behind the marker there may be nothing but padding.
        let mut rest =
            vec![0; usize::try_from(start - self.at).ok().filter(|&rest| rest <= 64).ok_or(FileFault::Trailing)?];
        self.reader.read_exact(&mut rest)?;
        if rest.iter().any(|&byte| byte != 0) || (!ended && !rest.is_empty()) {
            return Err(FileFault::Trailing);
        }
        let batches: Vec<[i64; 3]> = footer.recordBatches().into_iter().flatten().map(place).collect();
        let dictionaries: Vec<[i64; 3]> = footer.dictionaries().into_iter().flatten().map(place).collect();
        let schema = footer.schema().map(fb_to_schema);
        let found = &self.found;
        let agrees = batches == found.batches && dictionaries == found.dictionaries && schema == found.schema;
        if agrees { Ok(()) } else { Err(FileFault::Damaged) }
    }

    /// The next message before this place.
    fn step(&mut self, end: u64) -> std::result::Result<ArrowStep, FileFault> {
        let start = self.at;
        let mut size = [0; 4];
        match end - self.at {
            0 => return Ok(ArrowStep::Nothing),
            1..4 => return Err(FileFault::Damaged),
            _ => self.read(&mut size)?,
        }
        if size == CONTINUATION {
            if end - self.at < 4 {
                return Err(FileFault::Damaged);
            }
            self.read(&mut size)?;
        }
        let size = u64::try_from(i32::from_le_bytes(size)).map_err(|_| FileFault::Damaged)?;
        if size == 0 {
            return Ok(ArrowStep::End);
        }
        let body_at = self.at.checked_add(size).filter(|&at| at <= end).ok_or(FileFault::Damaged)?;
        let bytes = self.metadata(self.at, size)?;
        let message = root_as_message(&bytes).map_err(|_| FileFault::Damaged)?;
        let body = u64::try_from(message.bodyLength()).map_err(|_| FileFault::Damaged)?;
        let next = body_at.checked_add(body).filter(|&at| at <= end).ok_or(FileFault::Damaged)?;
        // Numbers below the length of a file are far from the largest i64.
        let place = [start as i64, (body_at - start) as i64, body as i64];
        match message.header_type() {
            MessageHeader::Schema if self.found.schema.is_none() && body == 0 => {
                let schema = message.header_as_schema().ok_or(FileFault::Damaged)?;
                let columns = schema.fields().map_or(0, |fields| fields.len());
                if columns > MOST_COLUMNS {
                    return Err(FileFault::Over(FilePart::Columns(columns), MOST_COLUMNS as u64));
                }
                self.found.schema = Some(fb_to_schema(schema));
            }
            MessageHeader::RecordBatch if self.found.schema.is_some() => {
                let batch = message.header_as_record_batch().ok_or(FileFault::Damaged)?;
                let (rows, held) = self.batch(&batch, body_at, body)?;
                self.found.rows = self.found.rows.checked_add(rows).ok_or(FileFault::Damaged)?;
                self.found.largest_batch = self.found.largest_batch.max(held);
                self.found.batches.push(place);
            }
            MessageHeader::DictionaryBatch if self.found.schema.is_some() => {
                let dictionary = message.header_as_dictionary_batch().ok_or(FileFault::Damaged)?;
                let (_, held) = self.batch(&dictionary.data().ok_or(FileFault::Damaged)?, body_at, body)?;
                self.found.dictionary_bytes = self.found.dictionary_bytes.saturating_add(held);
                self.found.dictionaries.push(place);
            }
            _ => return Err(FileFault::Damaged),
        }
        self.seek(next)?;
        Ok(ArrowStep::Message)
    }

    /// The rows of a batch and the bytes it takes in memory, after its buffers were found to be inside its body.
    fn batch(&mut self, batch: &RecordBatch<'_>, at: u64, body: u64) -> std::result::Result<(u64, u64), FileFault> {
        let rows = u64::try_from(batch.length()).map_err(|_| FileFault::Damaged)?;
        let compression = batch.compression().map(|compression| compression.codec());
        let mut held = body;
        for buffer in batch.buffers().into_iter().flatten() {
            let offset = u64::try_from(buffer.offset()).map_err(|_| FileFault::Damaged)?;
            let length = u64::try_from(buffer.length()).map_err(|_| FileFault::Damaged)?;
            if offset.checked_add(length).is_none_or(|end| end > body) {
                return Err(FileFault::Damaged);
            }
            if let Some(codec) = compression.filter(|_| length > 0) {
                held = held.saturating_add(self.decompressed(codec, at + offset, length)?);
            }
        }
        // A cell of any column takes at least a bit, but for columns of nothing.
        let most_rows = held.saturating_mul(8).max(ROWS_WITHOUT_BYTES);
        for node in batch.nodes().into_iter().flatten() {
            let (Ok(length), Ok(nulls)) = (u64::try_from(node.length()), u64::try_from(node.null_count())) else {
                return Err(FileFault::Damaged);
            };
            if nulls > length || length > most_rows {
                return Err(FileFault::Damaged);
            }
        }
        if rows > most_rows {
            return Err(FileFault::Damaged);
        }
        if held > self.limits.piece {
            return Err(FileFault::Over(FilePart::Batch, self.limits.piece));
        }
        Ok((rows, held))
    }

    /// The bytes that a compressed buffer becomes.
    fn decompressed(&mut self, codec: CompressionType, at: u64, length: u64) -> std::result::Result<u64, FileFault> {
        let mut declared = [0; 8];
        let rest = length.checked_sub(8).ok_or(FileFault::Damaged)?;
        self.seek(at)?;
        self.reader.read_exact(&mut declared)?;
        let declared = match i64::from_le_bytes(declared) {
            -1 => return Ok(rest),
            declared => u64::try_from(declared).map_err(|_| FileFault::Damaged)?,
        };
        if codec == CompressionType::LZ4_FRAME && declared > 0 {
            lz4_frame::check(&mut self.reader, rest, declared)?;
        }
        if codec == CompressionType::ZSTD && declared > rest.saturating_mul(MOST_BY_ZSTD) {
            return Err(FileFault::Damaged);
        }
        if declared > self.limits.piece {
            return Err(FileFault::Over(FilePart::Batch, self.limits.piece));
        }
        Ok(declared)
    }

    /// A description of some data.
    fn metadata(&mut self, at: u64, size: u64) -> std::result::Result<Vec<u8>, FileFault> {
        if size > self.limits.metadata {
            return Err(FileFault::Over(FilePart::Metadata, self.limits.metadata));
        }
        self.seek(at)?;
        let mut bytes = vec![0; usize::try_from(size).map_err(|_| FileFault::Damaged)?];
        self.read(&mut bytes)?;
        Ok(bytes)
    }

    fn read(&mut self, into: &mut [u8]) -> std::result::Result<(), FileFault> {
        self.reader.read_exact(into)?;
        self.at += into.len() as u64;
        Ok(())
    }

    fn seek(&mut self, at: u64) -> std::result::Result<(), FileFault> {
        self.at = self.reader.seek(SeekFrom::Start(at))?;
        Ok(())
    }
}

fn place(block: &Block) -> [i64; 3] {
    [block.offset(), block.metaDataLength().into(), block.bodyLength()]
}
