//! All closed frequent records with their points, and the step that makes any prices allowed.
//!
//! The step is that of the ascent (`ascent.rs`), here over all records that there are: prices y become y'(r) = the
//! least, over the records of r, of max(y(r), τ) + v, with τ the k-th largest y of a record and v the mean amount by
//! which its k largest fall short of its price. Whatever y is, no class is cheaper than its rows at y'; and y' ≥ y if
//! that was so at y.
//!
//! Most records need no more than a look at the largest price of their rows: v is at least the record's price minus
//! that, and when y(r) + v is no less than what another record has allowed each row already, the record changes
//! nothing. Cheap records are looked at first for that reason.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use crate::Budget;
use crate::mining::{ClosedRecords, TopValues};
use crate::solver::clock::did;
use crate::solver::numbers::{from_ordered, ordered, to_u32};

/// Number of points of records between two checks of the deadline.
const STRIDE: usize = 1 << 12;
/// Number of records that a thread looks at together.
const TOGETHER: usize = 1 << 10;

/// The linear programme of all releases of a table.
pub(crate) struct Relaxation<'a> {
    pub(crate) records: &'a ClosedRecords,
    /// The rows of each point.
    pub(super) rows: Vec<f64>,
    /// The fewest rows of a class.
    pub(super) k: u64,
    /// What a price is at most; no more than a row loses.
    pub(super) star: f64,
    /// The records by rising price.
    order: Vec<u32>,
    /// The points of all records together.
    size: u64,
}

/// The largest prices of a record's rows.
#[derive(Clone, Copy)]
pub(super) struct TopPrices {
    /// The smallest of the k largest.
    pub(super) last: f64,
    /// By how much the k largest fall short of the record's price, in the mean.
    pub(super) short: f64,
}

/// What a record allows its points.
pub(super) struct RaisedPrices {
    pub(super) top: TopPrices,
    /// What the price of each of its points may be raised to instead of the smallest of the largest ones; empty when it is
    /// that.
    pub(super) own: Vec<f64>,
}

impl From<TopPrices> for RaisedPrices {
    fn from(top: TopPrices) -> Self {
        RaisedPrices { top, own: Vec::new() }
    }
}

impl<'a> Relaxation<'a> {
    pub(crate) fn new(records: &'a ClosedRecords, k: u64, star: f64) -> Self {
        let rows = records.points().numbers().map(|point| records.points().rows(point) as f64).collect();
        let mut order: Vec<u32> = (0..to_u32(records.len())).collect();
        let price = |record: u32| records.price(record as usize);
        order.par_sort_by(|&a, &b| price(a).total_cmp(&price(b)).then(a.cmp(&b)));
        Relaxation { records, rows, k, star, order, size: records.work() }
    }

    /// The points of all records together: the work of looking at them once.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// What each row has to lose by itself: the price of its cheapest record, or the most that a row loses; none when the
    /// time was over before.
    pub(super) fn cheapest(&self, budget: &Budget) -> Option<Vec<f64>> {
        let least: Vec<AtomicU64> = self.rows.iter().map(|_| AtomicU64::new(ordered(self.star))).collect();
        let is_over = self.each_record(budget, |record, points, _| {
            let price = ordered(self.records.price(record as usize));
            for &point in points {
                let least = &least[point as usize];
                if price < least.load(Ordering::Relaxed) {
                    least.fetch_min(price, Ordering::Relaxed);
                }
            }
        });
        (!is_over).then(|| least.into_iter().map(|bits| from_ordered(bits.into_inner())).collect())
    }

    /// The prices of all rows together.
    pub(super) fn sum(&self, prices: &[f64]) -> f64 {
        prices.iter().zip(&self.rows).map(|(price, rows)| price * rows).sum()
    }

    /// The largest prices of some points, which are a record's.
    pub(super) fn top(&self, top: &mut TopValues, prices: &[f64], points: &[u32], price: f64) -> TopPrices {
        let all = self.records.points();
        let (sum, last) = top.of(points.iter().map(|&point| (prices[point as usize], all.rows(point))), self.k);
        TopPrices { last, short: price - sum / self.k as f64 }
    }

    /// The same prices, changed so that no class is cheaper than its rows; none when the time was over before.
    pub(super) fn mended(&self, prices: &[f64], budget: &Budget) -> Option<Vec<f64>> {
        self.mended_by(prices, budget, |points, price, top, _| Some(self.top(top, prices, points, price).into()))
    }

    /// The same for other classes than those of k rows or more: `raised_of` says to what prices may be raised in a record,
    /// and by how much then; nothing when the record has no class, or when it changes nothing, given what its points
    /// are allowed so far. No mean may be above the largest price.
    pub(super) fn mended_by(
        &self,
        prices: &[f64],
        budget: &Budget,
        raised_of: impl Fn(&[u32], f64, &mut TopValues, &dyn Fn(u32) -> f64) -> Option<RaisedPrices> + Sync,
    ) -> Option<Vec<f64>> {
        let allowed: Vec<AtomicU64> = prices.iter().map(|_| AtomicU64::new(ordered(self.star))).collect();
        let allow = |point: u32| from_ordered(allowed[point as usize].load(Ordering::Relaxed));
        let is_over = self.each_record(budget, |record, points, top| {
            let price = self.records.price(record as usize);
            let most = points.iter().map(|&point| prices[point as usize]).fold(f64::NEG_INFINITY, f64::max);
            let least_room = price - most;
            if points.iter().all(|&point| prices[point as usize] + least_room >= allow(point)) {
                return;
            }
            let Some(RaisedPrices { top: TopPrices { last, short }, own }) = raised_of(points, price, top, &allow)
            else {
                return;
            };
            for (at, &point) in points.iter().enumerate() {
                let last = own.get(at).copied().unwrap_or(last);
                let price = prices[point as usize].max(last) + short;
                if price < allow(point) {
                    allowed[point as usize].fetch_min(ordered(price), Ordering::Relaxed);
                }
            }
        });
        (!is_over).then(|| allowed.into_iter().map(|bits| from_ordered(bits.into_inner())).collect())
    }

    /// The records whose k dearest rows come within `room` of their price, ascending; none when the time was over
    /// before. If prices are allowed and grow by at most this, no other record can object.
    pub(super) fn near(&self, prices: &[f64], room: f64, budget: &Budget) -> Option<Vec<u32>> {
        let marks: Vec<AtomicBool> = (0..self.records.len()).map(|_| AtomicBool::new(false)).collect();
        let is_over = self.each_record(budget, |record, points, top| {
            let price = self.records.price(record as usize);
            if points.iter().any(|&point| prices[point as usize] + room > price)
                && self.top(top, prices, points, price).short < room
            {
                marks[record as usize].store(true, Ordering::Relaxed);
            }
        });
        let marked = (0..).zip(marks).filter(|(_, mark)| mark.load(Ordering::Relaxed)).map(|(record, _)| record);
        (!is_over).then(|| marked.collect())
    }

    /// Shows every record with its points, the cheapest first as far as threads keep to it; whether the time was over.
    fn each_record(&self, budget: &Budget, each: impl Fn(u32, &[u32], &mut TopValues) + Sync) -> bool {
        let over = AtomicBool::new(false);
        self.order.par_chunks(TOGETHER).for_each_init(
            || (TopValues::default(), Vec::new()),
            |(top, points), records| {
                let mut looked = STRIDE;
                for &record in records {
                    if looked >= STRIDE {
                        looked = 0;
                        if over.load(Ordering::Relaxed) || budget.is_over() {
                            over.store(true, Ordering::Relaxed);
                            return;
                        }
                    }
                    points.clear();
                    self.records.for_each_point(record as usize, |point| points.push(point));
                    each(record, points, top);
                    looked += points.len();
                    did(points.len());
                }
            },
        );
        over.into_inner()
    }
}
