//! Records that bind prices of rows: what a better bound than the row-by-row one has to look at.
//!
//! Each row is given a price, at most its *cap*. A record asks that no k of its rows have a mean price above its own.
//! When not even the caps break that, no prices can, and the record need not be held. Most records are dear and hold
//! many cheap rows, so few are left of millions.

use std::sync::atomic::{AtomicUsize, Ordering};

use incrowd_core::Stopped;

use super::points::DistinctPoints;
use super::tree::CellTree;
use super::walk::{RecordVisitor, RecordWalk};
use super::{MiningInput, MiningLimits, Unmined, price};
use crate::{Budget, Problem};

/// Records that some prices within the caps break, each with its points.
pub(crate) struct BindingRecords {
    /// The rows of each point.
    pub(crate) rows: Vec<u64>,
    /// The cap of each point.
    pub(crate) caps: Vec<f64>,
    prices: Vec<f64>,
    /// Where the points of each record end.
    ends: Vec<usize>,
    points: Vec<u32>,
    /// The work units of finding them.
    pub(crate) work: u64,
}

impl BindingRecords {
    /// The points of all records together.
    pub(crate) fn size(&self) -> usize {
        self.points.len()
    }

    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.prices.len()
    }

    /// What a row loses in a record.
    #[inline]
    pub(crate) fn price(&self, record: usize) -> f64 {
        self.prices[record]
    }

    /// The points of a record.
    #[inline]
    pub(crate) fn points(&self, record: usize) -> &[u32] {
        let start = record.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.points[start..self.ends[record]]
    }
}

/// The records in which k rows may have a mean cap above the record's price. `caps` has a cap for each point, in the
/// order of [`cheapest`](super::cheapest). None when the deadline came or the effort was spent first, or when they have
/// more than `most` points together.
pub(crate) fn binding_records(
    problem: &Problem<'_>,
    rows: &[(usize, u64)],
    k: u64,
    caps: Vec<f64>,
    most: usize,
    budget: &Budget,
) -> Result<Option<BindingRecords>, Stopped> {
    let MiningInput { points, trees, order } = MiningInput::new(problem, rows);
    let left = AtomicUsize::new(most);
    let limits = MiningLimits { records: usize::MAX, bytes: 0, work: budget.effort.unwrap_or(u64::MAX) };
    let mut seen =
        BindingVisitor { all: &points, trees: &trees, caps: &caps, k, left: &left, found: CollectedRecords::default() };
    let walk = RecordWalk::new((&points, &trees, &order), k, limits, budget);
    let cut_short = match walk.run(&mut seen) {
        Ok(cut_short) => cut_short,
        Err(Unmined::Stopped(stopped)) => return Err(stopped),
        Err(Unmined::TooMany) => true,
    };
    if cut_short || left.load(Ordering::Relaxed) == 0 {
        return Ok(None);
    }
    let CollectedRecords { prices, ends, points: inside, .. } = seen.found;
    let rows = points.numbers().map(|point| points.rows(point)).collect();
    Ok(Some(BindingRecords { rows, caps, prices, ends, points: inside, work: walk.work() }))
}

/// Keeps the records that caps can break.
struct BindingVisitor<'a> {
    all: &'a DistinctPoints,
    trees: &'a [CellTree],
    caps: &'a [f64],
    k: u64,
    /// How many more points may be held, by all parts together; none once there were too many.
    left: &'a AtomicUsize,
    found: CollectedRecords,
}

#[derive(Default)]
struct CollectedRecords {
    prices: Vec<f64>,
    ends: Vec<usize>,
    points: Vec<u32>,
    top: TopValues,
}

impl RecordVisitor for BindingVisitor<'_> {
    fn record(&mut self, cells: &[u32], _: u64, points: &[u32]) {
        let price = price(self.trees, cells);
        // Nearly always the dearest row is cheaper already.
        if points.iter().all(|&point| self.caps[point as usize] <= price) || self.left.load(Ordering::Relaxed) == 0 {
            return;
        }
        let caps = points.iter().map(|&point| (self.caps[point as usize], self.all.rows(point)));
        if self.found.top.of(caps, self.k).0 <= self.k as f64 * price {
            return;
        }
        let rest = |left: usize| Some(left.saturating_sub(points.len()));
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        self.found.points.extend_from_slice(points);
        self.found.prices.push(price);
        self.found.ends.push(self.found.points.len());
    }

    fn part(&self) -> Self {
        BindingVisitor { found: CollectedRecords::default(), ..*self }
    }

    fn join(&mut self, later: Self) {
        let before = self.found.points.len();
        self.found.points.extend(later.found.points);
        self.found.prices.extend(later.found.prices);
        self.found.ends.extend(later.found.ends.iter().map(|end| before + end));
    }
}

/// Finds the k largest of some values that rows have. Its memory is used again.
#[derive(Default)]
pub(crate) struct TopValues {
    values: Vec<(f64, u64)>,
}

impl TopValues {
    /// The sum of the k largest, and the smallest of them. Values come with the rows that have them, k or more in all.
    pub(crate) fn of(&mut self, values: impl Iterator<Item = (f64, u64)>, k: u64) -> (f64, f64) {
        let larger = |a: &(f64, u64), b: &(f64, u64)| b.0.total_cmp(&a.0);
        self.values.clear();
        self.values.extend(values);
        let most = usize::try_from(k).unwrap_or(usize::MAX);
        if most < self.values.len() {
            self.values.select_nth_unstable_by(most, larger);
            self.values.truncate(most);
        }
        self.values.sort_unstable_by(larger);
        let (mut sum, mut left, mut last) = (0.0, k, f64::NEG_INFINITY);
        for &(value, rows) in &self.values {
            let taken = rows.min(left);
            (sum, left, last) = (sum + taken as f64 * value, left - taken, value);
            if left == 0 {
                break;
            }
        }
        (sum, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_values_are_counted_by_rows() {
        let values = [(1.0, 5), (4.0, 1), (3.0, 2), (2.0, 9)];
        let mut top = TopValues::default();
        assert_eq!(top.of(values.into_iter(), 1), (4.0, 4.0));
        assert_eq!(top.of(values.into_iter(), 3), (10.0, 3.0));
        assert_eq!(top.of(values.into_iter(), 5), (14.0, 2.0));
        assert_eq!(top.of(values.into_iter(), 17), (33.0, 1.0));
    }
}
