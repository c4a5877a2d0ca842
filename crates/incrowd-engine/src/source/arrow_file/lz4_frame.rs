//! How much an LZ4 frame can become, read off the sizes of its blocks: the decoder writes until the frame ends,
//! whatever length was declared next to it.

use std::io::{Read, Seek, SeekFrom};

use crate::source::file_fault::FileFault;

const MAGIC: [u8; 4] = 0x184D_2204u32.to_le_bytes();

/// Refuses a frame of this many bytes whose blocks can hold a block more than what was declared, or cannot hold what was
/// declared: room is made for it before the frame is read.
pub(super) fn check(reader: &mut (impl Read + Seek), length: u64, declared: u64) -> Result<(), FileFault> {
    let mut left = length;
    let head: [u8; 6] = take(reader, &mut left)?;
    let [a, b, c, d, flags, block] = head;
    let largest = match block >> 4 & 7 {
        size @ 4..=7 => 1u64 << (8 + 2 * u64::from(size)),
        _ => return Err(FileFault::Damaged),
    };
    if [a, b, c, d] != MAGIC {
        return Err(FileFault::Damaged);
    }
    let has = |bit: u8| u64::from(flags >> bit & 1);
    // The size of the content, the number of a dictionary, and a checksum of the header.
    skip(reader, &mut left, has(3) * 8 + has(0) * 4 + 1)?;
    let mut most = 0u64;
    loop {
        let size = u32::from_le_bytes(take(reader, &mut left)?);
        if size == 0 {
            break;
        }
        let (stored, bytes) = (size >> 31 == 1, u64::from(size & 0x7fff_ffff));
        most = most.saturating_add(if stored { bytes } else { largest });
        skip(reader, &mut left, bytes + has(4) * 4)?;
    }
    if most < declared || most > declared.saturating_add(largest) { Err(FileFault::Damaged) } else { Ok(()) }
}

fn take<const N: usize>(reader: &mut impl Read, left: &mut u64) -> Result<[u8; N], FileFault> {
    *left = left.checked_sub(N as u64).ok_or(FileFault::Damaged)?;
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn skip(reader: &mut impl Seek, left: &mut u64, bytes: u64) -> Result<(), FileFault> {
    *left = left.checked_sub(bytes).ok_or(FileFault::Damaged)?;
    // What is skipped is shorter than the file.
    reader.seek(SeekFrom::Current(bytes as i64))?;
    Ok(())
}
