//! Does an Arrow file promise more bytes than it has? Asked before its reader makes room for them.
//!
//! The reader of the format takes the lengths in a file at their word and asks for so much memory at once; a length
//! of some exabytes ends the process instead of the reading. So every length is held against the file first.

use std::io::{Read, Seek, SeekFrom};

use arrow::ipc::{root_as_footer, root_as_message};

/// What stands before the length of a message, since version 0.15 of the format.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The letters at both ends of a file.
pub(super) const MAGIC: &[u8; 6] = b"ARROW1";

/// Whether all blocks that the footer of a file names stand in it.
pub(super) fn file_fits(file: &mut (impl Read + Seek)) -> Option<bool> {
    let length = file.seek(SeekFrom::End(0)).ok()?;
    let mut end = [0; 10];
    file.seek(SeekFrom::Start(length.checked_sub(10)?)).ok()?;
    file.read_exact(&mut end).ok()?;
    let [a, b, c, d, ..] = end;
    let footer = u64::try_from(i32::from_le_bytes([a, b, c, d])).ok()?;
    file.seek(SeekFrom::Start(length.checked_sub(10)?.checked_sub(footer)?)).ok()?;
    let mut bytes = vec![0; usize::try_from(footer).ok()?];
    file.read_exact(&mut bytes).ok()?;
    let footer = root_as_footer(&bytes).ok()?;
    let blocks = [footer.dictionaries(), footer.recordBatches()];
    let fits = |block: &arrow::ipc::Block| {
        let parts = [block.offset(), block.metaDataLength().into(), block.bodyLength()].map(u64::try_from);
        let end = parts.into_iter().try_fold(0u64, |end, part| end.checked_add(part.ok()?));
        end.is_some_and(|end| end <= length)
    };
    Some(blocks.into_iter().flatten().flatten().all(fits))
}

/// Whether all messages of a stream stand in it.
pub(super) fn stream_fits(stream: &mut (impl Read + Seek)) -> Option<bool> {
    let length = stream.seek(SeekFrom::End(0)).ok()?;
    let mut at = stream.seek(SeekFrom::Start(0)).ok()?;
    loop {
        let mut size = [0; 4];
        let read = |stream: &mut dyn Read, size: &mut [u8; 4]| stream.read_exact(size).is_ok();
        if !read(stream, &mut size) {
            // A stream may end without the mark of its end.
            return Some(at == length);
        }
        at += 4;
        if size == CONTINUATION {
            stream.read_exact(&mut size).ok()?;
            at += 4;
        }
        let size = u64::try_from(i32::from_le_bytes(size)).ok()?;
        if size == 0 {
            return Some(true);
        }
        at = at.checked_add(size).filter(|&at| at <= length)?;
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        stream.read_exact(&mut bytes).ok()?;
        let body = u64::try_from(root_as_message(&bytes).ok()?.bodyLength()).ok()?;
        at = at.checked_add(body).filter(|&at| at <= length)?;
        stream.seek(SeekFrom::Start(at)).ok()?;
    }
}
