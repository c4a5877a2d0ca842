//! Prices that know the policy: classes in which the shares of sensitive values are limited.
//!
//! A policy such as α, frequency ℓ-diversity, t-closeness or β-likeness limits the share of each value (or of a set of
//! values) among the rows of a class. So not every k rows of a record are a class. The mean price of the rows of a class
//! is Σ w·y with weights w of 1/|C| ≤ 1/k for each row, which sum to 1, and of which those of a value sum to at most its
//! limit. The largest such sum over the rows of a record is found by taking rows in the order of falling price, each with
//! the weight 1/k, until its value or the whole is full: weights of this kind are a polymatroid, for which that is best
//! (J. Edmonds, "Submodular functions, matroids, and certain polyhedra", 1970). With no limits it is the mean of the k
//! largest prices.
//!
//! A policy may also want a number of distinct values (`distinct_rows.rs`).
//!
//! **A record whose values cannot be mixed well enough has no class at all**, and says nothing about prices.
//!
//! **Mending.** With M the largest mean, τ the smallest price that has a weight and v the record's price minus M, the
//! prices v + max(y, τ) are allowed in the record: raising prices to τ changes no mean beyond M, because the weight above τ
//! is what it was and all weights sum to 1. Prices that are allowed for k rows are allowed here; from these the search
//! begins, so that the bound is never below that of k alone.

use incrowd_core::{ShareLimits, Variety};

use super::PriceSearch;
use super::distinct_rows::DistinctRows;
use super::relaxation::TopPrices;
use crate::mining::{ClosedRecords, TopValues};
use crate::solver::effort::WorkCounter;
use crate::solver::numbers::to_usize;
use crate::{Budget, Problem};

/// Maximum number of passes over all records.
const PASSES: usize = 40;
/// The search ends when a pass gains less than this share.
const LEAST_GAIN: f64 = 1e-4;
/// Work units of a point in a pass: points are sorted.
const UNITS: u64 = 8;
/// A record has no class when its weights sum to less than 1 by more than this.
const SHORT: f64 = 1e-6;

/// The limits of a policy, by points.
pub(crate) struct LimitedShares {
    /// Attribute by attribute, or model by model.
    families: Vec<LimitFamily>,
    varieties: Vec<DistinctRows>,
    k: f64,
}

/// Limits on groups of values of which each row has one.
struct LimitFamily {
    most: Vec<f64>,
    /// For each point its rows by group.
    rows: Vec<Vec<(usize, f64)>>,
}

impl LimitedShares {
    /// The limits that hold for the classes of all rows of a problem; none when there are none.
    pub(crate) fn new(
        problem: &Problem<'_>,
        records: &ClosedRecords,
        members: &[(usize, u64)],
        k: u64,
    ) -> Option<Self> {
        if problem.table.counts_people() || k == 0 {
            return None;
        }
        let points = records.points();
        // For each point its rows by the group that the value of an attribute is in.
        let rows_by_group = |attribute: usize, groups: usize, group: &dyn Fn(u32) -> usize| -> Vec<Vec<(usize, f64)>> {
            let rows = |point: u32| {
                let mut rows = vec![0.0; groups];
                for &place in points.members(point) {
                    let (tuple, more) = members[place as usize];
                    rows[group(problem.table.code(tuple, attribute))] += more as f64;
                }
                rows.into_iter().enumerate().filter(|(_, rows)| *rows > 0.0).collect()
            };
            points.numbers().map(rows).collect()
        };
        let family = |limits: ShareLimits| {
            let rows = rows_by_group(limits.attribute, limits.most.len(), &|code| limits.groups[code as usize]);
            LimitFamily { rows, most: limits.most }
        };
        let variety = |asked: Variety| {
            let rows = rows_by_group(asked.column, asked.things.len(), &|code| asked.things[code as usize] as usize);
            DistinctRows { least: to_usize(asked.least), rows }
        };
        // When rows may be suppressed, it is not known what a class is compared with.
        let limits = problem.policy.share_limits().into_iter().filter(|it| !it.compares || problem.budget == 0);
        let families: Vec<LimitFamily> = limits.map(family).collect();
        let asked = problem.policy.varieties().into_iter().filter(|asked| asked.least > 1);
        let varieties: Vec<DistinctRows> = asked.map(variety).collect();
        let is_limited = !families.is_empty() || !varieties.is_empty();
        is_limited.then_some(LimitedShares { families, varieties, k: k as f64 })
    }

    /// The largest mean price of a class among some points, and the smallest price that counts; none when they have no
    /// class.
    fn top(&self, prices: &[f64], points: &[u32], price: f64) -> Option<TopPrices> {
        let mut order = points.to_vec();
        order.sort_unstable_by(|&a, &b| prices[b as usize].total_cmp(&prices[a as usize]).then(a.cmp(&b)));
        let shares = self.families.iter().map(|family| self.largest_mean(family, prices, &order));
        let distinct = self.varieties.iter().map(|variety| variety.largest_mean(self.k, prices, &order));
        let mut best: Option<(f64, f64)> = None;
        for found in shares.chain(distinct) {
            let (mean, last) = found?;
            best = Some(best.filter(|best| best.0 <= mean).unwrap_or((mean, last)));
        }
        best.map(|(mean, last)| TopPrices { last, short: price - mean })
    }

    fn largest_mean(&self, family: &LimitFamily, prices: &[f64], order: &[u32]) -> Option<(f64, f64)> {
        let mut room = family.most.clone();
        let (mut left, mut mean) = (1.0, 0.0);
        for &point in order {
            let price = prices[point as usize];
            for &(group, rows) in &family.rows[point as usize] {
                let weight = (rows / self.k).min(room[group]).min(left);
                room[group] -= weight;
                left -= weight;
                mean += weight * price;
            }
            if left <= 0.0 {
                return Some((mean, price));
            }
        }
        // What rounding left counts as the dearest row, and no price is raised.
        let most = order.first().map_or(0.0, |&point| prices[point as usize]);
        (left <= SHORT).then_some((mean + left * most, f64::NEG_INFINITY))
    }
}

impl PriceSearch<'_, '_> {
    /// Raises the prices as far as the limits allow, until little is gained, the effort is spent or the time is over;
    /// tells each better sum. Afterwards they are allowed for classes within the limits alone.
    pub(crate) fn raise(&mut self, limits: &LimitedShares, budget: &Budget, mut tell: impl FnMut(f64)) {
        let mut work = WorkCounter::new(budget);
        for _ in 0..PASSES {
            work.spend(self.relaxation.size() * UNITS);
            if work.is_over() {
                break;
            }
            let before = self.best.0;
            let prices = &self.best.1;
            let top = |points: &[u32], price: f64, _: &mut TopValues| limits.top(prices, points, price);
            let Some(mended) = self.relaxation.mended_by(prices, budget, top) else { break };
            self.offer(mended);
            tell(self.best.0);
            if self.best.0 <= before * (1.0 + LEAST_GAIN) {
                break;
            }
        }
    }
}
