//! What the bound on the loss knows about classes that are within t of the whole.
//!
//! **By levels** (hierarchical; equal with one level). The distance is the mean over the L levels below the root of the
//! total variation of the nodes of the level: what nodes have too much, in sum. Nodes below a node have at least as much
//! too much together as it has, so the total variation does not fall towards the leaves. With the level l counted from
//! the leaves, which are 0, the l + 1 levels up to it have at least its total variation v, so that (l + 1)·v ≤ L·t. Hence
//! all nodes of level l together have at most L·t/(l + 1) more than their shares of the whole.
//!
//! **Ordered.** The distance is passed on as it is ([`OrderLimit`]).
//!
//! **Rows.** The share of a node in a class of n rows is a multiple of 1/n. Each node has at best what it should have,
//! rounded down, and one row more where rounding leaves the most, as long as there are rows: then what the rows leave of
//! the shares of the whole is least, and that is the total variation.

use super::earth_movers_distance::{DistributionForm, WholeDistribution, fewest_possible};
use super::model::{OrderLimit, ShareLimits};
use crate::Ratio;
use crate::numbers::at_most;

impl WholeDistribution {
    /// The shares of values in a class that is within t, level by level; none for an order.
    pub(crate) fn share_limits(&self, t: Ratio) -> Vec<ShareLimits> {
        let DistributionForm::Levels(levels) = &self.form else { return Vec::new() };
        let (total, budget) = (self.total.max(1) as f64, t.to_f64() * levels.len() as f64);
        let limits = |(level, (nodes, rows)): (usize, &(Vec<u32>, Vec<u64>))| {
            let shares = rows.iter().map(|&rows| rows as f64 / total);
            let groups = nodes.iter().map(|&node| node as usize).collect();
            ShareLimits::near(self.at, groups, shares, budget / (level + 1) as f64)
        };
        levels.iter().enumerate().map(limits).collect()
    }

    /// The distance of a class along the order from the whole; none for levels.
    pub(crate) fn order_limit(&self, t: Ratio) -> Option<OrderLimit> {
        let DistributionForm::Order { places, below, .. } = &self.form else { return None };
        let total = self.total.max(1) as f64;
        // No class has a value that the whole does not have, so any place is right for it.
        let last = below.len().checked_sub(1)?;
        let places = places.iter().map(|&place| (place as usize).min(last)).collect();
        let below = below.iter().map(|&rows| rows as f64 / total).collect();
        Some(OrderLimit::new(self.at, places, below, t.to_f64()))
    }

    /// A class of fewer rows is farther than t from the whole, whatever its values.
    pub(crate) fn fewest_rows(&self, t: Ratio) -> u64 {
        let DistributionForm::Levels(levels) = &self.form else { return self.least_rows(t) };
        let total = u128::from(self.total);
        let is_possible = |rows: u64| {
            let left: u128 = levels.iter().map(|level| uncovered(&level.1, rows, total)).sum();
            let whole = u128::from(t.numerator()) * levels.len() as u128;
            at_most(left, u128::from(t.denominator()), whole, u128::from(rows) * total)
        };
        let nodes: usize = levels.iter().map(|level| level.1.len()).sum();
        fewest_possible(self.total, nodes, is_possible)
    }
}

/// What a class of some rows leaves at least of the shares of nodes in the whole, times its rows and those of the whole.
fn uncovered(nodes: &[u64], rows: u64, total: u128) -> u128 {
    let due = |node: &u64| u128::from(*node) * u128::from(rows);
    let mut parts: Vec<u128> = nodes.iter().map(|node| due(node) % total).collect();
    parts.sort_unstable_by(|a, b| b.cmp(a));
    let whole: u128 = nodes.iter().map(|node| due(node) / total).sum();
    let rest = usize::try_from(u128::from(rows).saturating_sub(whole)).unwrap_or(usize::MAX);
    parts.iter().skip(rest).sum()
}
