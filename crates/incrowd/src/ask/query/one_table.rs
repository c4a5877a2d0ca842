//! Estimates on one generalized table.
//!
//! A row counts as the product, over the columns of the condition, of the share of its cell's values that satisfy it: the
//! expectation when every cell was drawn from its values, uniformly and independently. It certainly counts when all of
//! them do, and may count when any does; that gives the interval, whatever was drawn.

use incrowd_core::query::{Aggregate, CellShare, CellSpread, Leaf, Query};

use super::answer::{Estimator, GroupFigures};
use super::groups::{AnswerGroups, WithheldRows};
use super::tables::TableSide;
use crate::error::Result;

/// A column that only has to satisfy a condition.
struct ConditionColumn<'a> {
    codes: &'a [u32],
    shares: Vec<CellShare>,
}

/// A column that splits the answer.
struct Split<'a> {
    codes: &'a [u32],
    /// For each cell the groups that it may be in, with its share in each.
    groups: Vec<Vec<(u32, f64)>>,
    /// Whether a cell is certainly in its only group.
    sure: Vec<bool>,
}

/// A column of numbers that are added up.
struct Summed<'a> {
    codes: &'a [u32],
    spreads: Vec<CellSpread>,
    /// The same column splits the answer, by value: the group is the number.
    split: Option<(usize, Vec<f64>)>,
}

/// How many rows satisfy the conditions: the estimate, those that certainly do, and those that may.
pub(super) fn count(side: &TableSide, query: &Query, estimator: Estimator) -> (f64, u64, u64) {
    let asked = asked(side, query, &Aggregate::Count);
    let (mut estimate, mut least, mut most) = (0.0, 0, 0);
    for row in 0..side.tuples {
        if let Some((weight, sure)) = weigh(&asked, row) {
            let rows = side.rows(row);
            estimate += weight * rows as f64;
            most += rows;
            least += if sure { rows } else { 0 };
        }
    }
    (if estimator == Estimator::Overlap { most as f64 } else { estimate }, least, most)
}

/// The columns that are neither split by nor added up.
fn asked<'a>(side: &'a TableSide, query: &Query, aggregate: &Aggregate) -> Vec<ConditionColumn<'a>> {
    let mut asked = Vec::new();
    for (column, codes) in side.columns.iter().zip(&side.codes) {
        let other = query.group_by.contains(&column.name) || aggregate.column() == Some(&column.name);
        if let Some(condition) = query.condition(&column.name).filter(|_| !other) {
            asked.push(ConditionColumn { codes, shares: column.cells.shares(Some(condition)) });
        }
    }
    // The most demanding first: most rows are then done with after one look.
    let weight = |asked: &ConditionColumn<'_>| {
        asked.shares.iter().map(|share| share.share).sum::<f64>() / asked.shares.len() as f64
    };
    asked.sort_by(|a, b| weight(a).total_cmp(&weight(b)));
    asked
}

/// The share of a tuple that satisfies all conditions, and whether it certainly does; nothing when it certainly does not.
#[inline]
fn weigh(asked: &[ConditionColumn<'_>], row: usize) -> Option<(f64, bool)> {
    let (mut weight, mut sure) = (1.0, true);
    for column in asked {
        let share = &column.shares[column.codes[row] as usize];
        if !share.any {
            return None;
        }
        weight *= share.share;
        sure &= share.all;
    }
    Some((weight, sure))
}

/// The figures of every group.
pub(super) fn answer(
    side: &TableSide,
    query: &Query,
    estimator: Estimator,
    withheld: &[WithheldRows],
) -> Result<Vec<GroupFigures>> {
    let by_value = side.splits_by_value(query);
    let mut groups = AnswerGroups::new(query);
    let mut key = vec![0; query.group_by.len()];
    for (at, selected) in query.select.iter().enumerate() {
        let asked = asked(side, query, &selected.aggregate);
        let splits = splits(side, query, &selected.aggregate, by_value);
        let summed = summed(side, query, &selected.aggregate, by_value);
        for row in 0..side.tuples {
            let Some((weight, sure)) = weigh(&asked, row) else { continue };
            let rows = side.rows(row);
            each_group(&splits, row, &mut key, 0, (weight, sure), &mut |key, weight, sure| {
                let weight = if estimator == Estimator::Overlap { 1.0 } else { weight } * rows as f64;
                let Some(summed) = &summed else {
                    let tally = groups.tally(key, at)?;
                    tally.estimate += weight;
                    tally.most += rows;
                    tally.least += if sure { rows } else { 0 };
                    return Ok(());
                };
                let Some((moment, share, all, bounds)) = summed.of(row, key, estimator) else { return Ok(()) };
                let tally = groups.tally(key, at)?;
                tally.estimate += weight * moment;
                tally.rows += weight * share;
                tally.choose(rows, sure && all, bounds);
                Ok(())
            })?;
        }
    }
    let leaf = |at: usize, value: u32| -> Leaf {
        match side.column(&query.group_by[at]) {
            Some(column) if by_value => column.cells.leaves()[value as usize].clone(),
            Some(column) => column.label(value),
            None => Leaf::Missing,
        }
    };
    Ok(groups.finish(leaf, withheld, by_value))
}

fn splits<'a>(side: &'a TableSide, query: &Query, aggregate: &Aggregate, by_value: bool) -> Vec<Split<'a>> {
    let split = |name: &String| {
        let at = side.position(name)?;
        let (column, codes) = (&side.columns[at], &side.codes[at]);
        let condition = column.condition(query, aggregate);
        let shares = column.cells.shares(condition.as_ref());
        let holds = |leaf: u32| {
            condition.as_ref().is_none_or(|condition| condition.holds(column.cells.leaves()[leaf as usize].value()))
        };
        let in_sum = aggregate.column() == Some(name);
        let cell = |code: u32| match column.cells.listed(code).filter(|_| by_value) {
            Some((leaves, closed)) => {
                let (share, sure) = (1.0 / leaves.len() as f64, closed && leaves.len() == 1);
                (leaves.into_iter().filter(|&leaf| holds(leaf)).map(|leaf| (leaf, share)).collect(), sure)
            }
            // A column that is added up brings its own share.
            None if in_sum => (vec![(code, 1.0)], true),
            None => {
                let share = shares[code as usize];
                (if share.any { vec![(code, share.share)] } else { Vec::new() }, share.all)
            }
        };
        let (groups, sure) = (0..).take(column.cells.len()).map(cell).unzip();
        Some(Split { codes, groups, sure })
    };
    query.group_by.iter().filter_map(split).collect()
}

fn summed<'a>(side: &'a TableSide, query: &Query, aggregate: &Aggregate, by_value: bool) -> Option<Summed<'a>> {
    let name = aggregate.column()?;
    let at = side.position(name)?;
    let column = &side.columns[at];
    let spreads = column.cells.spreads(column.condition(query, aggregate).as_ref());
    let split = query.group_by.iter().position(|other| other == name).filter(|_| by_value);
    let numbers = || column.cells.leaves().iter().map(|leaf| leaf.value().number().unwrap_or(f64::NAN)).collect();
    Some(Summed { codes: &side.codes[at], spreads, split: split.map(|at| (at, numbers())) })
}

impl Summed<'_> {
    /// What a tuple brings to a sum and to its rows, whether it certainly does, and between which numbers. Nothing when it
    /// certainly brings nothing.
    fn of(&self, row: usize, key: &[u32], estimator: Estimator) -> Option<(f64, f64, bool, (f64, f64))> {
        if let Some((at, numbers)) = &self.split {
            let number = numbers[key[*at] as usize];
            return Some((number, 1.0, true, (number, number)));
        }
        let spread = &self.spreads[self.codes[row] as usize];
        let share = spread.share;
        let (moment, weight) = match estimator {
            Estimator::Overlap if share.share > 0.0 => (spread.moment / share.share, 1.0),
            _ => (spread.moment, share.share),
        };
        share.any.then_some((moment, weight, share.all, (spread.low, spread.high)))
    }
}

/// Goes through the groups that a tuple may be in.
fn each_group(
    splits: &[Split<'_>],
    row: usize,
    key: &mut Vec<u32>,
    at: usize,
    (weight, sure): (f64, bool),
    take: &mut impl FnMut(&[u32], f64, bool) -> Result<()>,
) -> Result<()> {
    let Some(split) = splits.get(at) else { return take(key, weight, sure) };
    let code = split.codes[row] as usize;
    for &(group, share) in &split.groups[code] {
        key[at] = group;
        each_group(splits, row, key, at + 1, (weight * share, sure && split.sure[code]), take)?;
    }
    Ok(())
}
