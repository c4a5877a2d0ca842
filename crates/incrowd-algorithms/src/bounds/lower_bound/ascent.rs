//! Prices of rows that no release undercuts: the dual of the linear programme of all releases.
//!
//! Choose classes C with k rows or more, each row in exactly one, so that Σ |C|·price(C) is least: a set-partitioning
//! problem. The dual of its relaxation gives each row r a price y(r) so that Σ_{r ∈ C} y(r) ≤ |C|·price(C) for every
//! possible class; then Σ y(r) is at most the loss of any release, because every row is in a class. (Prices may have
//! any sign; ours are not negative.)
//!
//! **One condition for each record.** The join of a class is a closed frequent record R with price(C) = price(R), and C
//! is in its support. The mean of y over any k rows or more is at most the mean over the k rows of R with the largest
//! y. So prices are allowed when for each R the k largest y in its support sum to at most k·price(R). The row-by-row
//! bound, y(r) = the cheapest record of r, is allowed: no row of R has more than price(R).
//!
//! **Making any prices allowed** ([`Ascent::mended`]). For prices y and a record R let τ be its k-th largest y and v
//! the mean amount by which the k largest fall short of price(R), negative when they exceed it. The prices y'(r) = min
//! over the records of r of max(y(r), τ) + v are allowed: the i-th largest y' in R, i ≤ k, is at most the i-th largest
//! y plus v, so the k largest sum to at most k·price(R). If y was allowed then y' ≥ y: slack is shared out.
//!
//! **Going up.** Where the sum of y' grows when y(r) does is known: it falls by 1/k for each row whose tightest record
//! has r among its k dearest, and rises by one with r itself. Steps along that, shorter and shorter, from the mended
//! prices, and the best mended prices so far are the bound. Whatever the steps do, mended prices are allowed; so the
//! bound holds wherever it is stopped.

use std::time::Instant;

use incrowd_core::Stage;
use rayon::prelude::*;

use crate::Budget;
use crate::mining::{BindingRecords, TopValues};
use crate::solver::effort::WorkCounter;

/// Maximum number of steps.
const STEPS: usize = 60;
/// The ascent ends when this number of steps together gains less than this share.
const CALM: (usize, f64) = (10, 1e-3);
/// The work units of a step for each point of a record.
const STEP: u64 = 8;
/// The first step would raise the sum by this part if nothing stood in the way.
const STRIDE: f64 = 0.05;
/// Number of steps after which a step is half as long.
const HALF: f64 = 15.0;
/// The share of the last direction in the next.
const MOMENTUM: f64 = 0.7;

/// Prices on their way up.
pub(super) struct Ascent<'a> {
    records: &'a BindingRecords,
    k: u64,
}

/// What a record leaves to its rows.
#[derive(Clone, Copy)]
struct RecordSlack {
    /// The smallest of the k largest prices.
    last: f64,
    /// By how much these fall short of the record's price, in the mean.
    short: f64,
}

impl<'a> Ascent<'a> {
    pub(super) fn new(records: &'a BindingRecords, k: u64) -> Self {
        Ascent { records, k }
    }

    /// The best prices that were found from some prices, by point, and the work units it took. They are allowed.
    pub(super) fn climb(&self, from: &[f64], budget: &Budget) -> (Vec<f64>, u64) {
        let began = Instant::now();
        let (mut prices, mut best) = (from.to_vec(), (f64::NEG_INFINITY, from.to_vec()));
        let mut direction = vec![0.0; prices.len()];
        let mut sums: Vec<f64> = Vec::new();
        let mut work = WorkCounter::new(budget);
        for step in 0..STEPS {
            budget.tell_spent(Stage::Bound, work.spent(), began);
            work.spend(self.records.size() as u64 * STEP);
            let rooms = self.rooms(&prices);
            if work.is_late() {
                break;
            }
            let (mended, tightest) = self.mended(&prices, &rooms);
            let sum = self.sum(&mended);
            if sum > best.0 {
                best = (sum, mended.clone());
            }
            sums.push(best.0);
            let calm = sums.len().checked_sub(CALM.0 + 1).is_some_and(|at| best.0 < sums[at] * (1.0 + CALM.1));
            if calm || work.is_over() {
                break;
            }
            let slope = self.slope(&prices, &rooms, &tightest);
            let norm: f64 =
                slope.iter().zip(&self.records.rows).map(|(slope, &rows)| slope * slope * rows as f64).sum();
            if norm == 0.0 {
                break;
            }
            let length = STRIDE * best.0 / norm / (1.0 + step as f64 / HALF);
            for (point, price) in prices.iter_mut().enumerate() {
                direction[point] = MOMENTUM * direction[point] + slope[point];
                *price = (mended[point] + length * direction[point]).clamp(0.0, self.records.caps[point]);
            }
        }
        (best.1, work.spent())
    }

    /// The prices of all rows together.
    pub(super) fn sum(&self, prices: &[f64]) -> f64 {
        prices.iter().zip(&self.records.rows).map(|(price, &rows)| price * rows as f64).sum()
    }

    /// What each record leaves.
    fn rooms(&self, prices: &[f64]) -> Vec<RecordSlack> {
        let room = |top: &mut TopValues, record: usize| {
            let points = self.records.points(record).iter().map(|&point| point as usize);
            let (sum, last) = top.of(points.map(|point| (prices[point], self.records.rows[point])), self.k);
            RecordSlack { last, short: self.records.price(record) - sum / self.k as f64 }
        };
        (0..self.records.len()).into_par_iter().map_init(TopValues::default, room).collect()
    }

    /// The same prices, changed so that they are allowed, and for each point the record that says how far; none where
    /// its cap does.
    fn mended(&self, prices: &[f64], rooms: &[RecordSlack]) -> (Vec<f64>, Vec<Option<u32>>) {
        let mut mended = self.records.caps.clone();
        let mut tightest = vec![None; mended.len()];
        for (record, room) in (0..).zip(rooms) {
            for &point in self.records.points(record as usize) {
                let price = prices[point as usize].max(room.last) + room.short;
                if price < mended[point as usize] {
                    (mended[point as usize], tightest[point as usize]) = (price, Some(record));
                }
            }
        }
        (mended, tightest)
    }

    /// How the sum of the mended prices changes with the price of a row of each point.
    fn slope(&self, prices: &[f64], rooms: &[RecordSlack], tightest: &[Option<u32>]) -> Vec<f64> {
        let rows = |point: usize| self.records.rows[point] as f64;
        let mut slope = vec![0.0; prices.len()];
        let mut ruled = vec![0.0; rooms.len()];
        for (point, record) in tightest.iter().enumerate() {
            if let Some(record) = *record {
                slope[point] = 1.0;
                ruled[record as usize] += rows(point);
            }
        }
        for (record, &ruled) in ruled.iter().enumerate().filter(|(_, ruled)| **ruled > 0.0) {
            let (points, last) = (self.records.points(record), rooms[record].last);
            let count = |is: fn(&f64, &f64) -> bool| -> f64 {
                let like = points.iter().filter(|&&point| is(&prices[point as usize], &last));
                like.map(|&point| rows(point as usize)).sum()
            };
            // Of the rows that have just the k-th largest price, as many as are needed count, each in part.
            let (above, at) = (count(f64::gt), count(f64::eq));
            let part = (self.k as f64 - above) / at;
            for &point in points {
                let price = prices[point as usize];
                let share = if price > last { 1.0 } else { f64::from(price == last) * part };
                slope[point as usize] -= share * ruled / self.k as f64;
            }
        }
        slope
    }
}
