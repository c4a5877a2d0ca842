//! The class sizes of more columns than a tuple holds: rows are distinguished by a keyed hash of 124 bits.
//!
//! The key is drawn anew for each scan, so nobody can make a table whose rows collide; two rows that differ are taken
//! for equal with a probability of about 2⁻⁶⁴, as people are. Values are hashed as they are written: where a type has
//! several ways to write one value, rows are distinguished more often, and no class is overstated.

use std::sync::Arc;

use ahash::RandomState;
use arrow::array::ArrayRef;
use incrowd_core::ClassSizes;

use crate::count::collect::{Collector, CountedTuples, TupleRoom};
use crate::count::encode::PersonHasher;
use crate::count::parts::{CodedRows, PARTS};
use crate::count::spill::Spills;
use crate::runtime::error::Result;

/// A hash is counted as this many columns of codes.
const PIECES: usize = 4;
/// The bits of each of them: a code is smaller than the largest number of 32 bits.
const PIECE_BITS: u32 = 31;

/// The keys of one scan's hashes.
#[derive(Clone)]
pub(crate) struct RowKeys {
    cells: PersonHasher,
    parts: [u64; 4],
}

impl RowKeys {
    pub(crate) fn new(nulls: &[String]) -> Self {
        let random = RandomState::new();
        RowKeys { cells: PersonHasher::new(nulls, None), parts: [0u8, 1, 2, 3].map(|part| random.hash_one(part) | 1) }
    }

    /// What a value of the column at this place adds to the hash of its row.
    fn part(&self, place: usize, value: u64) -> u128 {
        let [a, b, c, d] = self.parts;
        let value = value ^ (place as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        u128::from(folded(value ^ a, b)) << 64 | u128::from(folded(value ^ c, d))
    }
}

/// The two halves of a product, added up.
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a).wrapping_mul(u128::from(b));
    // A second round: the lower half of one product depends on the lower bits of a value only.
    let once = (product >> 64) as u64 ^ product as u64;
    let product = u128::from(once ^ b.rotate_left(32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (product >> 64) as u64 ^ product as u64
}

/// Counts the classes of rows that one thread meets.
pub(crate) struct HashedRowClasses {
    keys: RowKeys,
    sums: Vec<u128>,
    cells: Vec<u64>,
    pieces: Vec<Vec<u32>>,
    collector: Collector,
    incomplete: Option<usize>,
}

impl HashedRowClasses {
    pub(crate) fn new(keys: RowKeys, subject: bool, room: Arc<TupleRoom>, spills: Arc<Spills>) -> Self {
        let collector = Collector::new(PIECES, PIECES, subject, room, spills);
        let pieces = vec![Vec::new(); PIECES];
        HashedRowClasses { keys, sums: Vec::new(), cells: Vec::new(), pieces, collector, incomplete: None }
    }

    /// Starts with a batch of this many rows.
    pub(crate) fn start(&mut self, rows: usize) {
        self.sums.clear();
        self.sums.resize(rows, 0);
    }

    /// Adds the codes of the column at this place.
    pub(crate) fn add_codes(&mut self, place: usize, codes: &[u32]) {
        if codes.len() < self.sums.len() {
            self.incomplete = Some(place);
        }
        for (sum, &code) in self.sums.iter_mut().zip(codes) {
            *sum = sum.wrapping_add(self.keys.part(place, u64::from(code)));
        }
    }

    /// Adds the cells of the column at this place.
    pub(crate) fn add_cells(&mut self, place: usize, array: &ArrayRef) {
        self.cells.clear();
        self.keys.cells.hash(array, &mut self.cells);
        for (sum, &cell) in self.sums.iter_mut().zip(&self.cells) {
            *sum = sum.wrapping_add(self.keys.part(place, cell));
        }
    }

    /// Counts the rows of the batch.
    pub(crate) fn count(&mut self, people: Option<&[u64]>) -> Result<()> {
        for (piece, codes) in self.pieces.iter_mut().enumerate() {
            let shift = piece as u32 * PIECE_BITS;
            codes.clear();
            codes.extend(self.sums.iter().map(|sum| (sum >> shift) as u32 & (u32::MAX >> 1)));
        }
        let rows = CodedRows { codes: &self.pieces, people };
        self.collector.add(&rows, self.sums.len())
    }

    /// The place of a column that has a row without a code, if there is one: rows that differ there would be treated as
    /// equal.
    pub(crate) fn incomplete(&self) -> Option<usize> {
        self.incomplete
    }

    pub(crate) fn finish(self) -> CountedTuples {
        self.collector.finish()
    }
}

/// The class sizes of what all threads counted: of people, when there is a subject.
pub(crate) fn class_sizes(mut counted: Vec<CountedTuples>, subject: bool) -> Result<ClassSizes> {
    let mut sizes = ClassSizes::default();
    for part in 0..PARTS {
        let mut rows: Vec<(u128, u64, u64)> = Vec::new();
        for thread in &mut counted {
            thread.drain(part, &mut |layout, key, count| {
                let (pieces, person) = layout.fields().split_at(PIECES);
                let hash = pieces.iter().rev().fold(0, |hash, piece| hash << PIECE_BITS | u128::from(piece.get(key)));
                rows.push((hash, person.first().map_or(0, |person| person.get(key)), count));
            })?;
        }
        rows.sort_unstable();
        let size = |class: &[(u128, u64, u64)]| match subject {
            true => class.chunk_by(|a, b| a.1 == b.1).count() as u64,
            false => class.iter().map(|&(_, _, count)| count).sum(),
        };
        sizes = sizes.merge(&ClassSizes::from_sizes(rows.chunk_by(|a, b| a.0 == b.0).map(size)));
    }
    Ok(sizes)
}
