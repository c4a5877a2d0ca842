//! Rows of a few classes, put together to be parted anew: every generalized record that enough of them share.
//!
//! A pool is small, so sets of its points are bitmaps, and all records are found by going through the cells of one
//! quasi-identifier after the other, with the points that are left in each.

use super::classes::RefineContext;
use super::space::CellNumber;
use crate::Budget;
use crate::solver::PointRows;
use crate::solver::clock::did;

/// A pool with more records than this is mined again for cheaper ones only.
const MOST_RECORDS: usize = 1 << 14;

/// A pool of more points than this is not parted: it takes the square of their number.
const MOST_POINTS: usize = 1 << 14;

/// The deadline is checked once for this many cells that are compared with all points.
const LOOK_CELLS: usize = 16;

/// By which factor the limit of the price is then lower.
const CHEAPER: f64 = 0.8;

/// Some points, each with rows.
pub(super) struct PointPool {
    pub(super) members: Vec<PointRows>,
    /// How many words a set of points takes.
    pub(super) words: usize,
    axes: Vec<Vec<SharedCell>>,
}

/// A cell that some points share.
struct SharedCell {
    price: f64,
    points: Vec<u64>,
}

/// Generalized records by rising price, each with the points it holds.
#[derive(Default)]
pub(super) struct PoolRecords {
    pub(super) prices: Vec<f64>,
    points: Vec<u64>,
    /// How much work it was to find them.
    pub(super) work: u64,
    /// The work at which the clock is looked at next; none after the time was over.
    look_at: Option<u64>,
}

/// The deadline is checked once for this much work.
const LOOK: u64 = 1 << 16;

impl PoolRecords {
    /// The points that a record holds.
    #[inline]
    pub(super) fn points(&self, record: usize, words: usize) -> &[u64] {
        &self.points[record * words..][..words]
    }
}

impl PointPool {
    /// The pool of some rows; none when they are too many, or when the time is over.
    pub(super) fn new(context: &RefineContext<'_, '_>, members: Vec<PointRows>, budget: &Budget) -> Option<Self> {
        if members.len() > MOST_POINTS {
            return None;
        }
        let words = members.len().div_ceil(64);
        let axis = |at: usize| {
            let leaf = |member: &PointRows| context.points.leaves(member.0)[at];
            let mut leaves: Vec<CellNumber> = members.iter().map(leaf).collect();
            leaves.sort_unstable();
            leaves.dedup();
            let mut cells = leaves.clone();
            if context.space.is_tree(at) {
                // Leaves are numbered in their order, so that every node is the join of two that are neighbours.
                leaves.sort_unstable_by_key(|&leaf| context.space.leaf_code(at, leaf));
                cells.extend(leaves.windows(2).map(|pair| context.space.join(at, pair[0], pair[1])));
            } else {
                let pairs = leaves.iter().flat_map(|&a| leaves.iter().map(move |&b| (a, b)));
                cells.extend(pairs.map(|(a, b)| context.space.join(at, a, b)));
                cells.extend(leaves.iter().copied().reduce(|a, b| context.space.join(at, a, b)));
            }
            cells.sort_unstable();
            cells.dedup();
            let shared = |(number, cell): (usize, CellNumber)| {
                did(members.len());
                if number % LOOK_CELLS == 0 && budget.is_over() {
                    return None;
                }
                let mut points = vec![0; words];
                for (place, member) in members.iter().enumerate() {
                    let inside = context.space.join(at, cell, leaf(member)) == cell;
                    points[place / 64] |= u64::from(inside) << (place % 64);
                }
                Some(SharedCell { price: context.space.price(at, cell), points })
            };
            let mut axis: Vec<SharedCell> = cells.into_iter().enumerate().map(shared).collect::<Option<_>>()?;
            axis.sort_by(|a, b| a.price.total_cmp(&b.price));
            Some(axis)
        };
        let mut axes: Vec<Vec<SharedCell>> = (0..context.space.width()).map(axis).collect::<Option<_>>()?;
        axes.sort_by_key(|axis| usize::MAX - axis.len());
        Some(PointPool { members, words, axes })
    }

    /// The set of all points.
    pub(super) fn all(&self) -> Vec<u64> {
        let mut all = vec![u64::MAX; self.words];
        (self.members.len()..self.words * 64).for_each(|place| all[place / 64] &= !(1 << (place % 64)));
        all
    }

    /// The rows of some points.
    #[inline]
    pub(super) fn rows(&self, points: &[u64]) -> u64 {
        let mut rows = 0;
        each_bit(points, |place| rows += self.members[place].1);
        rows
    }

    /// All records of at least `least` rows whose price is below a limit, or below the highest lower limit with which
    /// they are few enough.
    /// When the time is over, those that were found until then.
    pub(super) fn mine(&self, least: u64, mut limit: f64, budget: &Budget) -> PoolRecords {
        let mut work = 0;
        loop {
            let mut found = PoolRecords { work, look_at: Some(work), ..PoolRecords::default() };
            self.mine_from(0, &self.all(), 0.0, (least, limit), (&mut found, budget));
            // Records that cost nothing stay, however low the limit; a pool has at most one for each of its points.
            if found.prices.len() < MOST_RECORDS || limit < f64::MIN_POSITIVE || found.look_at.is_none() {
                return found;
            }
            work = found.work;
            limit *= CHEAPER;
        }
    }

    fn mine_from(
        &self,
        at: usize,
        points: &[u64],
        price: f64,
        bounds: (u64, f64),
        (found, budget): (&mut PoolRecords, &Budget),
    ) {
        let Some(look_at) = found.look_at.filter(|_| found.prices.len() < MOST_RECORDS) else { return };
        if found.work >= look_at {
            did(1);
            found.look_at = if budget.is_over() { None } else { Some(found.work + LOOK) };
        }
        let Some(axis) = self.axes.get(at) else {
            found.prices.push(price);
            found.points.extend_from_slice(points);
            return;
        };
        let mut tried: Vec<u64> = Vec::with_capacity(axis.len() * self.words);
        for shared in axis {
            if price + shared.price >= bounds.1 {
                break;
            }
            let before = tried.len();
            found.work += (before + self.words) as u64;
            tried.extend(points.iter().zip(&shared.points).map(|(a, b)| a & b));
            let (earlier, left) = tried.split_at(before);
            // The same points in a cheaper cell make a better record.
            if earlier.chunks_exact(self.words).any(|other| other == left) || self.rows(left) < bounds.0 {
                tried.truncate(before);
                continue;
            }
            self.mine_from(at + 1, left, price + shared.price, bounds, (&mut *found, budget));
        }
    }
}

/// Hands out the places of the bits that are set.
#[inline]
pub(super) fn each_bit(words: &[u64], mut each: impl FnMut(usize)) {
    for (at, &word) in words.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            each(at * 64 + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}
