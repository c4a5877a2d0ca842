//! Prices that know the policy: classes whose values are spread along an order nearly as those of the table.
//!
//! t-closeness with the ordered distance asks that the earth mover's distance between the values of a class and those of
//! the table is at most t: the mean over the gaps between places of the difference of shares below.
//!
//! **A bound on the mean price of a class.** Let a(v) be any number for each place v that changes by at most λ·g over g of
//! all gaps (as a share), and F(v) the share of the table. Each row of a class C has the weight 1/|C| ≤ 1/k, so that
//!
//! > mean of y ≤ Σ (y(r) − a(v(r)))⁺ / k + mean of a over the class, and mean of a over the class ≤ Σ F(v)·a(v) + λ·t
//!
//! the second because a price of a place that changes by at most λ over the whole order cannot differ by more than λ
//! times the distance between two distributions (L. Kantorovich and G. Rubinstein, 1958). For the best a and λ this is the
//! largest mean of weights that keep the distance (linear programming duality). It holds for any, so that no search
//! has to be exact.
//!
//! **Prices may be raised** to a(v) where they are below: the first sum stays. A point is raised to the least a(v) of its
//! rows.
//!
//! **The best a for a λ** makes Σ F·a + Σ (y − a)⁺/k least, a sum of convex functions of single places, with neighbours that
//! differ by at most a number. The least sum for the places so far is a convex function of the last a; it is kept as the
//! points at which its slope changes, in two heaps, left and right of its minimum. A step to the next place moves
//! the left ones to the left and the right ones to the right. Places without rows count at the nearest place with rows.

use incrowd_core::OrderLimit;

use super::convex_slopes::ConvexSlopes;
use crate::solver::numbers::{to_usize, whole_part};

/// By what λ grows or falls from one attempt to the next, and how many attempts there are; then a smaller change is tried
/// both ways.
const GROWTH: f64 = 3.0;
const ATTEMPTS: usize = 7;
const LAST: [f64; 2] = [1.6, 0.6];
/// λ begins with the spread of prices, and at least with this share of the record's price and this price.
const LEAST_FACTOR: (f64, f64) = (0.25, 0.05);

/// A limit on the distance, with sums over places.
pub(super) struct OrderedClasses {
    pub(super) limit: OrderLimit,
    /// The sum of place · share of the table up to each place and with it.
    moments: Vec<f64>,
}

/// A row of a record, or several alike: its place, price, and largest weight.
#[derive(Clone, Copy)]
pub(super) struct PlacedRow {
    pub(super) place: usize,
    pub(super) price: f64,
    pub(super) weight: f64,
}

/// The largest mean of a class that was found, and for each place of its rows the price to which prices may be raised.
pub(super) struct OrderBound {
    pub(super) mean: f64,
    /// Places and prices, by place.
    pub(super) raised: Vec<(usize, f64)>,
}

impl OrderedClasses {
    pub(super) fn new(limit: OrderLimit) -> Self {
        let share = |place: usize| limit.below[place] - place.checked_sub(1).map_or(0.0, |before| limit.below[before]);
        let mut sum = 0.0;
        let moment = |place: usize| {
            sum += place as f64 * share(place);
            sum
        };
        let moments = (0..limit.below.len()).map(moment).collect();
        OrderedClasses { limit, moments }
    }

    /// A better bound on the mean price of a class of these rows than the mean of the k largest, if one is found. `price` is
    /// that of the record.
    pub(super) fn bound(&self, rows: &mut [PlacedRow], mean: f64, price: f64) -> Option<OrderBound> {
        rows.sort_unstable_by_key(|row| row.place);
        let prices = || rows.iter().map(|row| row.price);
        let (least, most) = (prices().fold(f64::INFINITY, f64::min), prices().fold(f64::NEG_INFINITY, f64::max));
        let first = (most - least).max(price * LEAST_FACTOR.0).max(LEAST_FACTOR.1);
        if self.limit.below.len() < 2 {
            return None;
        }
        let nodes = self.nodes(rows);
        let mut best: Option<(f64, OrderBound)> = None;
        let mut attempt = |factor: f64| {
            let found = self.with_factor(rows, &nodes, factor, least);
            let is_better = found.mean < best.as_ref().map_or(mean, |best| best.1.mean);
            if is_better {
                best = Some((factor, found));
            }
            (is_better, best.as_ref().map(|best| best.0))
        };
        // The bound is convex in λ: it is best where it grows on both sides.
        let growth = if attempt(first).0 { GROWTH } else { 1.0 / GROWTH };
        let (mut factor, mut best_factor) = (first, None);
        for _ in 1..ATTEMPTS {
            factor *= growth;
            let (is_better, found) = attempt(factor);
            let is_over = !is_better && found.is_some();
            best_factor = found;
            if is_over {
                break;
            }
        }
        if let Some(factor) = best_factor {
            for change in LAST {
                attempt(factor * change);
            }
        }
        best.map(|best| best.1)
    }

    /// The places of the rows, each with where its rows end and the share of the table that is nearest to it.
    fn nodes(&self, rows: &[PlacedRow]) -> Vec<OrderNode> {
        let mut nodes: Vec<OrderNode> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            match nodes.last_mut() {
                Some(last) if last.place == row.place => last.end = at + 1,
                _ => nodes.push(OrderNode { place: row.place, end: at + 1, share: 0.0 }),
            }
        }
        let mut before = 0.0;
        for at in 0..nodes.len() {
            let upto = nodes
                .get(at + 1)
                .map_or(self.limit.below.len() - 1, |next| usize::midpoint(nodes[at].place, next.place));
            nodes[at].share = self.limit.below[upto] - before;
            before = self.limit.below[upto];
        }
        nodes
    }

    /// The bound with prices of places that change by at most `factor` over the whole order.
    fn with_factor(&self, rows: &[PlacedRow], nodes: &[OrderNode], factor: f64, least: f64) -> OrderBound {
        let step = factor / (self.limit.below.len() - 1) as f64;
        let mut slopes = ConvexSlopes::default();
        let mut minima = Vec::with_capacity(nodes.len());
        let (mut start, mut place) = (0, nodes[0].place);
        for node in nodes {
            slopes.widen(step * (node.place - place) as f64);
            slopes.add_rising(least - factor, node.share);
            rows[start..node.end].iter().for_each(|row| slopes.add_falling(row.price, row.weight));
            (start, place) = (node.end, node.place);
            minima.push(slopes.minimum());
        }
        // From the last place back: as near to the minimum of the places up to there as the next one allows.
        for at in (0..nodes.len() - 1).rev() {
            let room = step * (nodes[at + 1].place - nodes[at].place) as f64;
            minima[at] = minima[at].clamp(minima[at + 1] - room, minima[at + 1] + room);
        }
        let (mut start, mut above) = (0, 0.0);
        for (node, &own) in nodes.iter().zip(&minima) {
            above += rows[start..node.end].iter().map(|row| (row.price - own).max(0.0) * row.weight).sum::<f64>();
            start = node.end;
        }
        let mean = above + self.mean_of_table(nodes, &minima, step) + factor * self.limit.most;
        OrderBound { mean, raised: nodes.iter().map(|node| node.place).zip(minima).collect() }
    }

    /// The mean over the table of the lowest prices of places that are these at the nodes and change by at most `step` from
    /// one place to the next.
    fn mean_of_table(&self, nodes: &[OrderNode], prices: &[f64], step: f64) -> f64 {
        // Places of a range whose prices rise or fall by `step` from that of a node.
        let sum = |from: usize, end: usize, node: usize, slope: f64| {
            let upto = |sums: &[f64], end: usize| end.checked_sub(1).map_or(0.0, |last| sums[last]);
            let share = upto(&self.limit.below, end) - upto(&self.limit.below, from);
            let moment = upto(&self.moments, end) - upto(&self.moments, from);
            (prices[node] - slope * nodes[node].place as f64) * share + slope * moment
        };
        let last = nodes.len() - 1;
        let mut mean = sum(0, nodes[0].place, 0, step);
        for at in 0..last {
            let (own, next) = (nodes[at].place, nodes[at + 1].place);
            let middle = (own + next) as f64 / 2.0 + (prices[at] - prices[at + 1]) / (2.0 * step);
            let turn = (to_usize(whole_part(middle)) + 1).clamp(own + 1, next);
            mean += sum(own, turn, at, -step) + sum(turn, next, at + 1, step);
        }
        mean + sum(nodes[last].place, self.limit.below.len(), last, -step)
    }
}

/// A place that has rows.
struct OrderNode {
    place: usize,
    end: usize,
    share: f64,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    /// The largest mean price of a class of at least k of these rows whose distance from the table is at most t.
    fn literally(rows: &[(usize, f64)], below: &[f64], k: usize, t: f64) -> Option<f64> {
        let classes = (1u32..1 << rows.len()).map(|set| {
            let class: Vec<(usize, f64)> = (0..rows.len()).filter(|at| set >> at & 1 == 1).map(|at| rows[at]).collect();
            let size = class.len() as f64;
            let share = |place: usize| class.iter().filter(|row| row.0 <= place).count() as f64 / size;
            let gaps = below.len() - 1;
            let distance = (0..gaps).map(|gap| (share(gap) - below[gap]).abs()).sum::<f64>() / gaps as f64;
            let mean = class.iter().map(|row| row.1).sum::<f64>() / size;
            (class.len() >= k && distance <= t + 1e-12).then_some(mean)
        });
        classes.flatten().reduce(f64::max)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_class_within_the_distance_is_dearer_also_when_prices_are_raised(
            rows in prop::collection::vec((0usize..5, 0u32..8), 1..8),
            table in prop::collection::vec(1u32..6, 2..6),
            k in 1usize..4,
            t in 1u32..10,
        ) {
            let all: u32 = table.iter().sum();
            let below: Vec<f64> =
                table.iter().scan(0, |sum, rows| { *sum += rows; Some(f64::from(*sum) / f64::from(all)) }).collect();
            let rows: Vec<(usize, f64)> =
                rows.iter().map(|row| (row.0 % table.len(), f64::from(row.1) / 4.0)).collect();
            prop_assume!(rows.len() >= k);
            let t = f64::from(t) / 20.0;
            let order = OrderedClasses::new(OrderLimit { attribute: 0, places: (0..5).collect(), below: below.clone(), most: t });
            let mut placed: Vec<PlacedRow> =
                rows.iter().map(|&(place, price)| PlacedRow { place, price, weight: 1.0 / k as f64 }).collect();
            let mut falling: Vec<f64> = rows.iter().map(|row| row.1).collect();
            falling.sort_by(|a, b| b.total_cmp(a));
            let mean = falling[..k].iter().sum::<f64>() / k as f64;
            if let Some(found) = order.bound(&mut placed, mean, 1.0) {
                prop_assert!(found.mean < mean);
                let to = |place: usize| found.raised.iter().find(|raised| raised.0 == place).unwrap().1;
                let raised: Vec<(usize, f64)> = rows.iter().map(|&(place, price)| (place, price.max(to(place)))).collect();
                let most = literally(&raised, &below, k, t).unwrap_or(f64::NEG_INFINITY);
                prop_assert!(most <= found.mean + 1e-9, "{} {}", most, found.mean);
            } else {
                let most = literally(&rows, &below, k, t).unwrap_or(f64::NEG_INFINITY);
                prop_assert!(most <= mean + 1e-9);
            }
        }
    }
}
