//! Which classes hold a point, or nearly do.
//!
//! For every leaf of every quasi-identifier a bitmap of the classes whose cell holds it. The classes that hold a point
//! are the intersection of a bitmap for each quasi-identifier; those that miss it in one or two of them are found in
//! the same pass, by counting misses in two bits.

use super::points::ClassPoints;
use super::space::{CellNumber, CellSpace};
use crate::solver::numbers::to_u32;

/// Leaves of a quasi-identifier with more than this many share bitmaps: the index then finds a few classes too many.
const MOST_MAPS: usize = 1 << 8;

/// The bitmaps.
pub(super) struct ClassIndex {
    words: usize,
    /// For each quasi-identifier where its bitmaps begin, counted in bitmaps, and how many there are.
    axes: Vec<(usize, usize)>,
    bits: Vec<u64>,
    /// Point by point its bitmap of each quasi-identifier.
    maps: Vec<u32>,
}

impl ClassIndex {
    /// An index without classes, with room for `room` of them.
    pub(super) fn new(space: &CellSpace<'_, '_>, points: &ClassPoints, room: usize) -> Self {
        let mut axes = Vec::new();
        let mut next = 0;
        for at in 0..space.width() {
            axes.push((next, space.leaf_count(at).min(MOST_MAPS)));
            next += axes[at].1;
        }
        let words = room.div_ceil(64);
        let mut index = ClassIndex { words, axes, bits: vec![0; next * words], maps: Vec::new() };
        for point in 0..to_u32(points.len()) {
            let leaves = points.leaves(point).iter().enumerate();
            let maps: Vec<u32> =
                leaves.map(|(at, &leaf)| to_u32(index.map(space, at, space.leaf_code(at, leaf)))).collect();
            index.maps.extend(maps);
        }
        index
    }

    /// How many classes there is room for.
    pub(super) fn room(&self) -> usize {
        self.words * 64
    }

    fn map(&self, space: &CellSpace<'_, '_>, at: usize, leaf: usize) -> usize {
        let (first, count) = self.axes[at];
        first + leaf * count / space.leaf_count(at)
    }

    /// Enters or removes a class with its cells.
    pub(super) fn put(&mut self, space: &CellSpace<'_, '_>, class: usize, nodes: &[CellNumber], inside: bool) {
        let (word, bit) = (class / 64, 1u64 << (class % 64));
        for (at, &node) in nodes.iter().enumerate() {
            space.each_range(at, node, |first, last| {
                // Each bitmap has leaves, so those of a range are all between those of its ends.
                for map in self.map(space, at, first)..=self.map(space, at, last) {
                    let place = map * self.words + word;
                    if inside { self.bits[place] |= bit } else { self.bits[place] &= !bit }
                }
            });
        }
    }

    /// Hands out, ascending, the classes that hold a point in all but `misses` quasi-identifiers, at most two. A class
    /// that is not there may be among them when there are no more quasi-identifiers than that.
    #[inline]
    pub(super) fn near(&self, point: u32, misses: usize, mut each: impl FnMut(usize)) {
        let width = self.axes.len();
        let maps = &self.maps[point as usize * width..][..width];
        for word in 0..self.words {
            let (mut once, mut twice, mut often) = (0u64, 0u64, 0u64);
            for &map in maps {
                let miss = !self.bits[map as usize * self.words + word];
                often |= twice & miss;
                twice |= once & miss;
                once |= miss;
            }
            let mut found = !match misses {
                0 => once,
                1 => twice,
                _ => often,
            };
            while found != 0 {
                each(word * 64 + found.trailing_zeros() as usize);
                found &= found - 1;
            }
        }
    }
}
