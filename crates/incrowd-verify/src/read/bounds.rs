//! How much of a file may be in memory at once. A file that needs more is unreadable; that is found before memory is
//! allocated.

use super::ReadError;

/// The bounds of one verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryBounds {
    /// Bytes of a line of text, and of the header line.
    pub(crate) line: u64,
    pub(crate) header: u64,
    pub(crate) columns: usize,
    /// Bytes that describe data: a footer, or the message before a record batch.
    pub(crate) about: u64,
    /// Bytes of a Parquet page when it is unpacked.
    pub(crate) page: u64,
    /// Bytes of what is read in one piece: a record batch with dictionaries, or a row group.
    pub(crate) piece: u64,
}

impl MemoryBounds {
    /// Bounds for a number of bytes of memory, or for no limit.
    pub(crate) fn new(memory: Option<u64>) -> MemoryBounds {
        const MIB: u64 = 1 << 20;
        let part = |of: u64, least: u64, most: u64| match memory {
            Some(memory) => (memory / of).max(least).min(most),
            None => most,
        };
        MemoryBounds {
            line: part(16, MIB, 16 * MIB),
            header: 4 * MIB,
            columns: 16_384,
            about: part(64, MIB / 2, 64 * MIB),
            page: part(8, 4 * MIB, 256 * MIB),
            piece: part(2, 8 * MIB, u64::MAX),
        }
    }

    /// How many rows of a number of columns are put together.
    pub(crate) fn rows(columns: usize, most: usize) -> usize {
        ((1 << 22) / columns.max(1)).clamp(64, most)
    }
}

pub(crate) fn beyond(what: &str) -> ReadError {
    ReadError::unreadable(format!("{what} needs more memory than allowed"))
}

#[cfg(test)]
mod tests;
