//! Prices that know the policy: classes in which the shares of sensitive values are limited.
//!
//! A policy such as α, frequency ℓ-diversity, t-closeness or β-likeness limits the share of each value (or of a set of
//! values) among the rows of a class. So not every k rows of a record are a class. The mean price of the rows of a class
//! is Σ w·y with weights w of 1/|C| ≤ 1/k for each row, which sum to 1, and of which those of a value sum to at most its
//! limit; or to more by an amount that all values share, as in t-closeness with equal distances. The largest such sum over the rows of a record is found by taking rows in the order of falling price, each with
//! the weight 1/k, until its value or the whole is full: weights of this kind are a polymatroid, for which that is best
//! (J. Edmonds, "Submodular functions, matroids, and certain polyhedra", 1970). With no limits it is the mean of the k
//! largest prices.
//!
//! A policy may also limit the distance of a class from the table along an order (`order_prices.rs`), or want a number of
//! distinct values (`distinct_rows.rs`).
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
use super::order_prices::{OrderBound, OrderedClasses, PlacedRow};
use super::relaxation::{RaisedPrices, TopPrices};
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
    /// For each attribute that is limited its position and the rows of its values.
    values: Vec<(usize, PointValues)>,
    groups: Vec<ShareLimits>,
    orders: Vec<OrderedClasses>,
    varieties: Vec<DistinctRows>,
    k: f64,
}

/// For each point its rows by the code of an attribute.
struct PointValues {
    ends: Vec<usize>,
    rows: Vec<(u32, f64)>,
}

impl PointValues {
    fn new(problem: &Problem<'_>, records: &ClosedRecords, members: &[(usize, u64)], attribute: usize) -> Self {
        let points = records.points();
        let mut values = PointValues { ends: Vec::with_capacity(points.len()), rows: Vec::new() };
        let mut own: Vec<(u32, u64)> = Vec::new();
        for point in points.numbers() {
            let rows = points.members(point).iter().map(|&place| members[place as usize]);
            own.clear();
            own.extend(rows.map(|(tuple, rows)| (problem.table.code(tuple, attribute), rows)));
            own.sort_unstable();
            let alike = own.chunk_by(|a, b| a.0 == b.0);
            values.rows.extend(alike.map(|alike| (alike[0].0, alike.iter().map(|one| one.1).sum::<u64>() as f64)));
            values.ends.push(values.rows.len());
        }
        values
    }

    fn of(&self, point: u32) -> &[(u32, f64)] {
        let start = (point as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.rows[start..self.ends[point as usize]]
    }
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
        // When rows may be suppressed, it is not known what a class is compared with.
        let all_rows = problem.budget == 0;
        let groups: Vec<ShareLimits> =
            problem.policy.share_limits().into_iter().filter(|limits| !limits.compares || all_rows).collect();
        let orders = if all_rows { problem.policy.order_limits() } else { Vec::new() };
        let orders: Vec<OrderedClasses> = orders.into_iter().map(OrderedClasses::new).collect();
        let asked = problem.policy.varieties().into_iter().filter(|asked| asked.least > 1);
        let varieties: Vec<DistinctRows> = asked.map(|asked| variety(problem, records, members, &asked)).collect();
        if groups.is_empty() && orders.is_empty() && varieties.is_empty() {
            return None;
        }
        let mut attributes: Vec<usize> = groups.iter().map(|limits| limits.attribute).collect();
        attributes.extend(orders.iter().map(|order| order.limit.attribute));
        attributes.sort_unstable();
        attributes.dedup();
        let of_points = |at: usize| (at, PointValues::new(problem, records, members, at));
        let values = attributes.into_iter().map(of_points).collect();
        Some(LimitedShares { values, groups, orders, varieties, k: k as f64 })
    }

    /// The rows of the values of an attribute that is limited.
    fn values(&self, attribute: usize) -> Option<&PointValues> {
        self.values.iter().find(|values| values.0 == attribute).map(|values| &values.1)
    }

    /// The largest mean price of a class among some points, and what prices may be raised to; none when they have no class.
    /// `top` are the k largest prices.
    fn raised(&self, prices: &[f64], points: &[u32], price: f64, top: TopPrices) -> Option<RaisedPrices> {
        let mut order = points.to_vec();
        order.sort_unstable_by(|&a, &b| prices[b as usize].total_cmp(&prices[a as usize]).then(a.cmp(&b)));
        let groups = self.groups.iter().map(|limits| {
            let (mut room, mut excess) = (limits.most.clone(), limits.excess);
            self.largest_mean(limits.attribute, prices, &order, |code, wanted| {
                let room = &mut room[limits.groups[code as usize]];
                let own = wanted.min(*room);
                let more = (wanted - own).min(excess);
                *room -= own;
                excess -= more;
                own + more
            })
        });
        let distinct = self.varieties.iter().map(|variety| variety.largest_mean(self.k, prices, &order));
        let mut best = (price - top.short, top.last);
        for found in groups.chain(distinct) {
            best = Some(found?).filter(|found| found.0 < best.0).unwrap_or(best);
        }
        let mut raised = RaisedPrices::from(TopPrices { last: best.1, short: price - best.0 });
        for order in &self.orders {
            self.raise_along(order, prices, points, price, &mut raised);
        }
        Some(raised)
    }

    /// Replaces what prices may be raised to if the limit on a distance along an order leaves more.
    fn raise_along(
        &self,
        order: &OrderedClasses,
        prices: &[f64],
        points: &[u32],
        price: f64,
        raised: &mut RaisedPrices,
    ) {
        let Some(values) = self.values(order.limit.attribute) else { return };
        let place = |code: u32| order.limit.places[code as usize];
        let of_point = |&point: &u32| {
            let row = move |&(code, rows): &(u32, f64)| PlacedRow {
                place: place(code),
                price: prices[point as usize],
                weight: rows / self.k,
            };
            values.of(point).iter().map(row)
        };
        let mut rows: Vec<PlacedRow> = points.iter().flat_map(of_point).collect();
        if let Some(OrderBound { mean, raised: to }) = order.bound(&mut rows, price - raised.top.short, price) {
            let at = |code: u32| {
                to.binary_search_by_key(&place(code), |found| found.0).map_or(f64::NEG_INFINITY, |at| to[at].1)
            };
            let least = |&point: &u32| values.of(point).iter().map(|row| at(row.0)).fold(f64::INFINITY, f64::min);
            raised.top.short = price - mean;
            raised.own = points.iter().map(least).collect();
        }
    }

    /// The largest mean when rows are taken in order; `take` takes at most a weight of a value, and says how much.
    fn largest_mean(
        &self,
        attribute: usize,
        prices: &[f64],
        order: &[u32],
        mut take: impl FnMut(u32, f64) -> f64,
    ) -> Option<(f64, f64)> {
        let values = self.values(attribute)?;
        let (mut left, mut mean) = (1.0, 0.0);
        for &point in order {
            let price = prices[point as usize];
            for &(code, rows) in values.of(point) {
                let weight = take(code, (rows / self.k).min(left));
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

/// The points of a problem by the values of which a class needs a number.
fn variety(problem: &Problem<'_>, records: &ClosedRecords, members: &[(usize, u64)], asked: &Variety) -> DistinctRows {
    let points = records.points();
    let rows = |point: u32| {
        let mut rows = vec![0.0; asked.things.len()];
        for &place in points.members(point) {
            let (tuple, more) = members[place as usize];
            rows[asked.things[problem.table.code(tuple, asked.column) as usize] as usize] += more as f64;
        }
        rows.into_iter().enumerate().filter(|(_, rows)| *rows > 0.0).collect()
    };
    DistinctRows { least: to_usize(asked.least), rows: points.numbers().map(rows).collect() }
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
            let raised = |points: &[u32], price: f64, top: &mut TopValues, allowed: &dyn Fn(u32) -> f64| {
                // A class of the policy is no dearer than the k dearest rows, so that each price may be raised by what
                // these leave at least.
                let top = self.relaxation.top(top, prices, points, price);
                let is_allowed = |&point: &u32| prices[point as usize] + top.short >= allowed(point);
                if points.iter().all(is_allowed) { None } else { limits.raised(prices, points, price, top) }
            };
            let Some(mended) = self.relaxation.mended_by(prices, budget, raised) else { break };
            self.offer(mended);
            tell(self.sum());
            if self.best.0 <= before * (1.0 + LEAST_GAIN) {
                break;
            }
        }
    }
}
