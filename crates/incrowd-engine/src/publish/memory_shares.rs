//! How much memory each part of applying a recoding may take.
//!
//! With a limit, what is left besides the tuples is shared out: rows that wait in memory, rows of each thread that are
//! not yet sorted into buckets, and buckets that are being written. Without one, rows beyond a sane amount go through
//! the disk all the same.

use incrowd_core::{FrequencyTable, Recoding};

use super::row_assignment::RowAssignments;
use crate::count::lookup::Lookup;
use crate::runtime::engine::{Engine, share};
use crate::runtime::error::{EngineError, Result};

/// Rows that wait in memory when no limit was given.
const DEFAULT_HELD: u64 = 2 << 30;

/// The usual bytes of a bucket, and of the rows that a thread sorts into buckets at once.
const USUAL: u64 = 32 << 20;

/// What a bucket needs while it is written, as a multiple of its bytes: its rows, their order, and blocks of it.
const WRITING: u64 = 4;

/// What a block needs while it is encoded, and again until it is written.
const BLOCK: u64 = 24 << 20;

/// Bytes for each part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryShares {
    /// Rows of all threads that are held in memory.
    pub(crate) held: u64,
    /// Rows of one thread that are not yet sorted into buckets.
    pub(crate) unsorted: u64,
    /// One bucket, when one is written on each thread.
    pub(crate) bucket: u64,
    /// How many blocks are encoded at once.
    pub(crate) blocks: usize,
}

impl MemoryShares {
    pub(crate) fn new(
        engine: &Engine,
        table: &FrequencyTable,
        recoding: &Recoding,
        width: usize,
    ) -> Result<MemoryShares> {
        let tuples = table.tuples() as u64;
        let cells = (recoding.classes() * width * size_of::<u64>()) as u64;
        let keys = table.layout().words() as u64 * 8;
        let beside = Lookup::ENTRY_BYTES + RowAssignments::ENTRY_BYTES + keys + TARGET_BYTES;
        Self::beside(engine, table.bytes() + cells + tuples * beside, tuples)
    }

    /// The shares besides this many bytes for this many tuples or classes.
    pub(crate) fn beside(engine: &Engine, needed: u64, tuples: u64) -> Result<MemoryShares> {
        let Some(limit) = engine.memory else {
            return Ok(MemoryShares { held: DEFAULT_HELD, unsorted: USUAL, bucket: USUAL, blocks: engine.threads });
        };
        if needed > share(limit, 80) {
            return Err(EngineError::TooManyTuples { tuples, needed, limit });
        }
        let (spare, threads) = (limit - needed, engine.threads as u64);
        Ok(MemoryShares {
            held: share(spare, 30),
            unsorted: USUAL.min(share(spare, 10) / threads),
            bucket: USUAL.min(share(spare, 25) / threads / WRITING),
            blocks: (share(spare, 20) / BLOCK).clamp(1, threads) as usize,
        })
    }
}

impl MemoryShares {
    /// Half the rows may wait: two tables do.
    pub(crate) fn halved(self) -> MemoryShares {
        MemoryShares { held: self.held / 2, unsorted: self.unsorted / 2, bucket: self.bucket / 2, ..self }
    }
}

/// The bytes of a recoding for each tuple that goes to one class.
const TARGET_BYTES: u64 = 24;
