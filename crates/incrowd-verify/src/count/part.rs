//! Classes that do not fit into memory are counted in parts.
//!
//! A row belongs to the part that a hash of its published quasi-identifiers names, so all rows of a class are counted
//! in one reading of the files. Texts are hashed, not their codes, which every thread numbers in the order it meets
//! them. The number of parts is estimated from the manifest; a part that turns out too large is counted again in
//! halves.

use std::sync::Arc;

use ahash::RandomState;

use crate::manifest::Manifest;
use crate::read::CellEncoder;

/// The share of the memory that classes may take, in percent.
const SHARE: u64 = 70;
/// Bytes of a class, on both threads and while their counts are put together: keys of 128 bits in maps that may just
/// have doubled, its size, its codes.
const CLASS_BYTES: u64 = 256;
/// Bytes of a class and value, likewise.
const VALUE_BYTES: u64 = 48;
/// More parts are not worth it: the files would be read more often than there are classes in a part.
const MOST_PARTS: u64 = 1 << 12;
/// A part may always have this many classes.
const FEWEST_CLASSES: u64 = 1 << 10;

/// Into how many parts the classes are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassParts {
    count: u64,
    /// A thread that meets more classes in a part has met too many.
    most_classes: u64,
}

impl ClassParts {
    /// The number of parts that the manifest makes expect.
    pub(crate) fn new(manifest: &Manifest, columns: usize, sensitive: usize, memory: Option<u64>) -> ClassParts {
        let Some(memory) = memory else { return ClassParts { count: 1, most_classes: u64::MAX } };
        let room = (memory / 100 * SHARE).max(1);
        let class = CLASS_BYTES + 4 * columns as u64;
        let values = manifest.rows.saturating_mul(VALUE_BYTES * sensitive as u64);
        let count = manifest.classes.saturating_mul(class).saturating_add(values).div_ceil(room);
        ClassParts { count: count.clamp(1, MOST_PARTS), most_classes: (room / class).max(FEWEST_CLASSES) }
    }

    /// How many parts there are.
    pub(crate) fn count(self) -> u64 {
        self.count
    }

    /// Twice as many parts.
    pub(crate) fn halved(self) -> ClassParts {
        ClassParts { count: self.count * 2, ..self }
    }
}

/// Which rows are counted in one reading.
#[derive(Clone)]
pub(crate) struct ClassPart {
    number: u64,
    parts: ClassParts,
    hasher: Arc<RandomState>,
    /// The hashes of the texts of each column, by code.
    hashes: Vec<Vec<u64>>,
    /// Whether there were too many classes.
    pub(super) over: bool,
}

impl ClassPart {
    /// The part with this number, of classes that `columns` columns make. All parts share a hasher.
    pub(crate) fn new(parts: ClassParts, number: u64, columns: usize, hasher: &Arc<RandomState>) -> ClassPart {
        ClassPart { number, parts, hasher: Arc::clone(hasher), hashes: vec![Vec::new(); columns], over: false }
    }

    /// The same part, for another thread.
    pub(super) fn sibling(&self) -> ClassPart {
        ClassPart { hashes: vec![Vec::new(); self.hashes.len()], ..self.clone() }
    }

    /// Whether all rows belong to it.
    pub(super) fn is_all(&self) -> bool {
        self.parts.count == 1
    }

    /// The rows that belong to the part, given column by column.
    pub(super) fn rows(&mut self, encoders: &[CellEncoder], columns: &[Vec<u32>], rows: usize) -> Vec<usize> {
        let mut hashes = vec![0u64; rows];
        for ((known, encoder), column) in self.hashes.iter_mut().zip(encoders).zip(columns) {
            known.extend(encoder.texts.texts_from(known.len()).map(|text| self.hasher.hash_one(text)));
            for (hash, &code) in hashes.iter_mut().zip(column) {
                *hash = hash.rotate_left(23).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ known[code as usize];
            }
        }
        let part = |hash: u64| (u128::from(mixed(hash)) * u128::from(self.parts.count)) >> 64;
        (0..rows).filter(|&row| part(hashes[row]) == u128::from(self.number)).collect()
    }

    /// Takes note of how many classes were met; says whether to go on.
    pub(super) fn goes_on(&mut self, classes: usize) -> bool {
        self.over |= classes as u64 > self.parts.most_classes && self.parts.count < MOST_PARTS;
        !self.over
    }
}

fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (hash ^ hash >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

#[cfg(test)]
impl ClassParts {
    /// This many parts, whatever the memory.
    pub(super) fn of(count: u64, most_classes: u64) -> ClassParts {
        ClassParts { count, most_classes }
    }
}

#[cfg(test)]
mod tests;
