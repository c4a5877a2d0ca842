//! Prices that are changed so that no class is cheaper than its rows, without records in memory.
//!
//! The step is that of the linear programme (`bounds/lower_bound/linear_programme/relaxation.rs`); here each record is
//! looked at when it is met, and forgotten.

use std::sync::atomic::{AtomicU64, Ordering};

use incrowd_core::Stopped;

use super::points::DistinctPoints;
use super::tree::CellTree;
use super::walk::{RecordVisitor, RecordWalk};
use super::{MiningInput, MiningLimits, TopValues, Unmined, price};
use crate::solver::numbers::{from_ordered, ordered};
use crate::{Budget, Problem};

/// The points of a table, whose records are met one by one.
pub(crate) struct PassingRecords {
    input: MiningInput,
    k: u64,
    /// What a price is at most; no more than a row loses.
    most: f64,
}

impl PassingRecords {
    pub(crate) fn new(problem: &Problem<'_>, rows: &[(usize, u64)], k: u64, most: f64) -> Self {
        PassingRecords { input: MiningInput::new(problem, rows), k, most }
    }

    /// The points.
    pub(crate) fn points(&self) -> &DistinctPoints {
        &self.input.points
    }

    /// The same prices of points, changed so that no class is cheaper than its rows, and the work units it took; none
    /// when the deadline came or the effort was spent before all records were seen.
    pub(crate) fn mended(&self, prices: &[f64], budget: &Budget) -> Result<Option<(Vec<f64>, u64)>, Stopped> {
        let MiningInput { points, trees, order } = &self.input;
        let allowed: Vec<AtomicU64> = prices.iter().map(|_| AtomicU64::new(ordered(self.most))).collect();
        let limits = MiningLimits { records: usize::MAX, bytes: 0, work: budget.effort.unwrap_or(u64::MAX) };
        let walk = RecordWalk::new((points, trees, order), self.k, limits, budget);
        let top = TopValues::default();
        let mut visitor = MendingVisitor { points, trees, prices, allowed: &allowed, k: self.k, top };
        let cut_short = match walk.run(&mut visitor) {
            Ok(cut_short) => cut_short,
            Err(Unmined::Stopped(stopped)) => return Err(stopped),
            Err(Unmined::TooMany) => true,
        };
        let mended = || allowed.iter().map(|bits| from_ordered(bits.load(Ordering::Relaxed))).collect();
        Ok((!cut_short && points.all_rows() >= self.k).then(|| (mended(), walk.work())))
    }
}

struct MendingVisitor<'a> {
    points: &'a DistinctPoints,
    trees: &'a [CellTree],
    prices: &'a [f64],
    allowed: &'a [AtomicU64],
    k: u64,
    top: TopValues,
}

impl RecordVisitor for MendingVisitor<'_> {
    fn record(&mut self, cells: &[u32], _: u64, points: &[u32]) {
        let price = price(self.trees, cells);
        let allow = |point: u32| from_ordered(self.allowed[point as usize].load(Ordering::Relaxed));
        let own = |point: u32| self.prices[point as usize];
        let room = price - points.iter().map(|&point| own(point)).fold(f64::NEG_INFINITY, f64::max);
        if points.iter().all(|&point| own(point) + room >= allow(point)) {
            return;
        }
        let (sum, last) = self.top.of(points.iter().map(|&point| (own(point), self.points.rows(point))), self.k);
        let short = price - sum / self.k as f64;
        for &point in points {
            let price = own(point).max(last) + short;
            if price < allow(point) {
                self.allowed[point as usize].fetch_min(ordered(price), Ordering::Relaxed);
            }
        }
    }

    fn part(&self) -> Self {
        MendingVisitor { top: TopValues::default(), ..*self }
    }

    fn join(&mut self, _: Self) {}
}
