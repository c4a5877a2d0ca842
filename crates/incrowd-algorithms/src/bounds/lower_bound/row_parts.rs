//! The bound for rows whose records are too many to be held, or that are parts of a table: prices from parts of the rows.
//!
//! **Parts.** The sum of the optima of parts is no bound: a class of rows from several parts may be cheaper than any
//! within one. But such a class has a price. Parts are made by cuts: all rows of a part are in one cell c of a
//! quasi-identifier, and rows in different children of c become different parts. The join of two rows that a cut has
//! divided has the cell c, so that any record that holds both loses at least price(c). Let m(P) be the least price of the
//! cuts that led to the part P, and let no row of P have a price above m(P). *Then prices at which no class within a part
//! is cheaper than its rows are such prices for the table:* a class C with rows of several parts publishes a record R. Each
//! row r of C was divided by some cut from another row of C, so that price(R) ≥ m(P(r)) ≥ y(r); hence the prices of its
//! rows sum to at most |C|·price(R). Classes within a part are those of the part's own linear programme. A part of fewer
//! than k rows has no class within, and its rows have the price m(P). Where a cut divides the cell of all values of a
//! quasi-identifier, its price is that of a `*`, which few rows reach.
//!
//! Nothing changes for models about sensitive values: classes within a part keep them as any class does, and of other
//! classes nothing is asked but their price.
//!
//! **The whole.** Then prices are raised as far as all records of the table allow, which are met one after the other and
//! not held (`mining/mending.rs`). There no price is limited by a cut. Prices that are allowed do not fall in this step.

use incrowd_core::Stopped;

use super::linear_programme::{LimitedShares, PriceSearch, Relaxation};
use super::{ROUNDING, cells_of, stored_records};
use crate::mining::{self, CheapestPrices, PassingRecords};
use crate::solver::numbers::to_u32;
use crate::{Budget, LowerBound, Problem};

/// Maximum number of tuples of a part.
pub(super) const TUPLES: usize = 1 << 16;
/// Maximum number of passes over all records of the table.
const PASSES: usize = 8;
/// A pass that gains less than this share is the last.
const LEAST_GAIN: f64 = 2e-3;
/// Work units of a point in a pass.
const PASS_UNITS: u64 = 2;

/// Some rows of a table, as places in a list of rows, and what a class of them and others loses at least.
struct RowPart {
    members: Vec<u32>,
    crossing: f64,
}

/// The prices of some rows, each at most a number.
struct PartPrices {
    /// What each row has to lose by itself, in sum.
    row_by_row: f64,
    /// The price of a row of each member.
    prices: Vec<f64>,
}

/// How parts are made.
#[derive(Clone, Copy)]
pub(super) struct PartLimits {
    /// Maximum number of tuples of a part.
    pub(super) tuples: usize,
    /// What a price is at most; no more than a row loses.
    pub(super) most: f64,
}

/// The bound by parts of a table. Rows for which the effort was spent or the time over have the price 0; none when all
/// have.
pub(super) fn by_parts(
    problem: &Problem<'_>,
    rows: &[(usize, u64)],
    k: u64,
    limits: PartLimits,
    budget: &Budget,
) -> Result<Option<LowerBound>, Stopped> {
    let half = budget.share_of_effort(1, 2);
    let mut todo = vec![RowPart { members: (0..to_u32(rows.len())).collect(), crossing: limits.most }];
    let (mut prices, mut row_by_row) = (vec![0.0; rows.len()], 0.0);
    while let Some(part) = todo.pop() {
        if budget.is_over() {
            break;
        }
        if part.members.len() > limits.tuples
            && let Some(parts) = part.cut(problem, rows)
        {
            todo.extend(parts);
            continue;
        }
        let own: Vec<(usize, u64)> = part.members.iter().map(|&member| rows[member as usize]).collect();
        let share = half.share_of_effort(own.len() as u64, rows.len() as u64);
        let found = match prices_of_part(problem, &own, k, part.crossing, &share)? {
            Some(found) => found,
            None => match part.cut(problem, rows) {
                Some(parts) => {
                    todo.extend(parts);
                    continue;
                }
                None => prices_row_by_row(problem, &own, k, part.crossing, &share)?,
            },
        };
        row_by_row += found.row_by_row;
        part.members.iter().zip(found.prices).for_each(|(&member, price)| prices[member as usize] = price);
    }
    let cells = cells_of(problem);
    let sum: f64 = rows.iter().zip(&prices).map(|(member, price)| member.1 as f64 * price).sum();
    budget.watch.progress.found_bound(sum * (1.0 - ROUNDING) / cells);
    let passing = PassingRecords::new(problem, rows, k, limits.most);
    // A cut divides no point, so that all members of a point have one price.
    let first = |point: u32| passing.points().members(point).first().map_or(0.0, |&member| prices[member as usize]);
    let of_points: Vec<f64> = passing.points().numbers().map(first).collect();
    let best = raised_on_the_whole(problem, &passing, (sum, of_points), &half)?;
    let best = (best * (1.0 - ROUNDING)).max(row_by_row);
    Ok((best > 0.0).then_some(LowerBound { row_by_row: row_by_row / cells, best: best / cells }))
}

impl RowPart {
    /// The parts of the dearest cut; of several, the one with the smallest largest part. None when all rows are alike.
    fn cut(&self, problem: &Problem<'_>, rows: &[(usize, u64)]) -> Option<Vec<RowPart>> {
        let mut best: Option<(f64, usize, Vec<Vec<u32>>)> = None;
        for quasi in 0..problem.quasi_identifiers.len() {
            let leaf = |member: u32| problem.leaf(rows[member as usize].0, quasi);
            let Some((price, groups)) = self.children(problem, quasi, leaf) else { continue };
            if best.as_ref().is_some_and(|best| price < best.0) {
                continue;
            }
            let mut parts: Vec<Vec<u32>> = Vec::new();
            for &member in &self.members {
                let group = groups[leaf(member) as usize] as usize;
                parts.resize_with(parts.len().max(group + 1), Vec::new);
                parts[group].push(member);
            }
            let largest = parts.iter().map(Vec::len).max().unwrap_or(0);
            if best.as_ref().is_none_or(|best| price > best.0 || largest < best.1) {
                best = Some((price, largest, parts));
            }
        }
        let (price, _, parts) = best?;
        let crossing = self.crossing.min(price);
        let parts = parts.into_iter().filter(|members| !members.is_empty());
        Some(parts.map(|members| RowPart { members, crossing }).collect())
    }

    /// The price of the smallest cell of a quasi-identifier that holds all rows, and the number of the child of it that each
    /// leaf is in; none when all rows have one leaf.
    fn children(&self, problem: &Problem<'_>, quasi: usize, leaf: impl Fn(u32) -> u32) -> Option<(f64, Vec<u32>)> {
        let domain = &problem.quasi_identifiers[quasi].domain;
        let first = leaf(*self.members.first()?);
        let holds_all = |level: usize| {
            let cell = domain.at_level(first, level);
            self.members.iter().all(|&member| domain.at_level(leaf(member), level) == cell)
        };
        let level = (0..=domain.height()).find(|&level| holds_all(level)).filter(|level| *level > 0)?;
        let price = problem.prices.price(quasi, domain.at_level(first, level));
        let mut groups: Vec<u32> = Vec::with_capacity(domain.leaf_count() as usize);
        for leaf in 0..domain.leaf_count() {
            // The leaves of a cell are neighbours.
            let before = leaf.checked_sub(1).map(|before| (before, groups[before as usize]));
            groups.push(before.map_or(0, |(before, group)| {
                group + u32::from(domain.at_level(before, level - 1) != domain.at_level(leaf, level - 1))
            }));
        }
        Some((price, groups))
    }
}

/// The best prices of the rows of a part; none when its records are too many, or the effort was spent or the time over
/// before.
fn prices_of_part(
    problem: &Problem<'_>,
    rows: &[(usize, u64)],
    k: u64,
    most: f64,
    budget: &Budget,
) -> Result<Option<PartPrices>, Stopped> {
    let all: u64 = rows.iter().map(|member| member.1).sum();
    if all < k {
        return Ok(Some(PartPrices { row_by_row: most * all as f64, prices: vec![most; rows.len()] }));
    }
    let Some(records) = stored_records(problem, rows, k, &budget.share_of_effort(1, 2))? else { return Ok(None) };
    let left = Budget { effort: budget.effort.map(|effort| effort.saturating_sub(records.work())), ..budget.clone() };
    let relaxation = Relaxation::new(&records, k, most);
    let Some(mut search) = PriceSearch::new(&relaxation, &left) else { return Ok(None) };
    search.run(&left, |_| false);
    if let Some(limits) = LimitedShares::new(problem, &records, rows, k) {
        search.raise(&limits, &left, |_| ());
    }
    let mut prices = vec![0.0; rows.len()];
    for (point, &price) in records.points().numbers().zip(search.prices()) {
        records.points().members(point).iter().for_each(|&member| prices[member as usize] = price);
    }
    Ok(Some(PartPrices { row_by_row: search.row_by_row(), prices }))
}

/// The prices of the cheapest records of the rows of a part, which are not held; 0 when there was no time for them.
fn prices_row_by_row(
    problem: &Problem<'_>,
    rows: &[(usize, u64)],
    k: u64,
    most: f64,
    budget: &Budget,
) -> Result<PartPrices, Stopped> {
    let passing = PassingRecords::new(problem, rows, k, most);
    let mut prices = vec![0.0; rows.len()];
    if let Some(CheapestPrices { points, .. }) = mining::cheapest(problem, rows, k, budget)? {
        for (point, (_, price)) in passing.points().numbers().zip(points) {
            passing.points().members(point).iter().for_each(|&member| prices[member as usize] = price.min(most));
        }
    }
    let row_by_row = rows.iter().zip(&prices).map(|(member, price)| member.1 as f64 * price).sum();
    Ok(PartPrices { row_by_row, prices })
}

/// The largest sum of prices after some passes over all records, given a sum and the prices of a row of each point.
pub(super) fn raised_on_the_whole(
    problem: &Problem<'_>,
    passing: &PassingRecords,
    (sum, mut prices): (f64, Vec<f64>),
    budget: &Budget,
) -> Result<f64, Stopped> {
    let points = passing.points();
    let (mut best, mut left) = (sum, budget.clone());
    for _ in 0..PASSES {
        if budget.is_over() {
            break;
        }
        let Some((mended, work)) = passing.mended(&prices, &left)? else { break };
        left.effort = left.effort.map(|effort| effort.saturating_sub(work * PASS_UNITS));
        prices = mended;
        let before = best;
        let sum = points.numbers().zip(&prices).map(|(point, price)| points.rows(point) as f64 * price).sum();
        best = best.max(sum);
        budget.watch.progress.found_bound(best * (1.0 - ROUNDING) / cells_of(problem));
        if best < before * (1.0 + LEAST_GAIN) {
            break;
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Lm, Policy};
    use proptest::prelude::*;

    use super::super::small_optimum::{optimum, small_table};
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_release_loses_less_than_the_bound_by_parts_of_any_size(
            rows in prop::collection::vec([0u32..6, 0u32..6, 0u32..4], 2..8),
            k in 2usize..4,
        ) {
            let (table, quasi) = small_table(&rows);
            let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(k as u64), &Lm, 1).unwrap();
            let rows = problem.all_rows();
            let Some(least) = optimum(&problem, k) else { return Ok(()) };
            for tuples in 1..rows.len() {
                let limits = PartLimits { tuples, most: problem.star_price() };
                let found = by_parts(&problem, &rows, k as u64, limits, &Budget::default()).unwrap();
                prop_assert!(found.is_some() || least < 1e-12);
                if let Some(bound) = found {
                    prop_assert!(bound.row_by_row <= bound.best && bound.best <= least + 1e-12, "{:?} {}", bound, least);
                }
            }
        }
    }
}
