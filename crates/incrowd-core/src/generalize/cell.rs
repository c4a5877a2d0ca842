//! A generalized value in 64 bits.
//!
//! A leaf, a node, an interval and `*` have one representation, so that joining two cells, testing whether one contains
//! the other and counting the leaves of a cell are integer operations.

use serde::{Deserialize, Serialize};

/// One generalized value: a leaf, a node of a hierarchy, an interval, a set or `*`.
///
/// The bits alone mean nothing: only the [`Domain`](crate::Domain) that made a cell can join, count or show
/// it. Two cells of one domain are equal exactly when they stand for the same leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cell(u64);

impl Cell {
    /// The cell with these bits, as [`Cell::bits`] gave them. They must come from a cell of the same domain.
    pub const fn from_bits(bits: u64) -> Self {
        Cell(bits)
    }

    /// The bits, to be packed, hashed or sorted.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// A range of leaf codes, both ends included. The low end is in the high bits, so that cells sort by it.
    pub(crate) const fn range(lo: u32, hi: u32) -> Self {
        Cell((lo as u64) << 32 | hi as u64)
    }

    /// The ends of a range of leaf codes: the upper and the lower half of the bits.
    #[allow(clippy::cast_possible_truncation)]
    pub(crate) const fn ends(self) -> (u32, u32) {
        ((self.0 >> 32) as u32, self.0 as u32)
    }
}
