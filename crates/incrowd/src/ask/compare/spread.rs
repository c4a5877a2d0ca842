//! A release in terms of the original's values: each published cell is spread over the values that it may have been.
//!
//! CellColumn that stand for several values give each of them an equal share of their rows; that is what `query` takes as well.
//! Within a row cells are taken as independent, and in two tables everyone of a class as equally likely to have each
//! of its sensitive values.

use std::borrow::Cow;
use std::collections::BTreeMap;

use incrowd_core::Dictionary;
use incrowd_core::query::{CellColumn, Condition};

use super::joint::Joint;
use crate::ask::query::{ReleaseView, Sides};

/// Values of a column beyond which cells whose values are not listed are not spread: every value would be tried on every
/// cell.
const MOST_TRIED: usize = 2_000;

/// For each published cell, which values of the original it may have been, with the share of each.
type CellShares = Vec<Vec<(u32, f64)>>;

/// A release whose columns are spread over the original's values.
pub(super) struct SpreadRelease<'v> {
    view: &'v ReleaseView,
    columns: BTreeMap<String, SpreadColumn>,
}

struct SpreadColumn {
    shares: CellShares,
    values: usize,
}

impl<'v> SpreadRelease<'v> {
    /// Spreads these columns of the original, whose dictionaries are given. Columns that cannot be are left out.
    pub(super) fn new(view: &'v ReleaseView, columns: &[(&str, &Dictionary)]) -> Self {
        let column = |&(name, dictionary): &(&str, &Dictionary)| {
            let shares = shares(view.cells(name)?, dictionary)?;
            Some((name.to_owned(), SpreadColumn { shares, values: dictionary.len() }))
        };
        SpreadRelease { view, columns: columns.iter().filter_map(column).collect() }
    }

    /// Whether a column could be spread.
    pub(super) fn has(&self, name: &str) -> bool {
        self.columns.contains_key(name)
    }

    /// The rows with each value of a column.
    pub(super) fn marginal(&self, name: &str) -> Option<Vec<f64>> {
        let column = self.columns.get(name)?;
        let mut rows = vec![0.0; column.values];
        for (code, count) in self.view.met(name)? {
            column.shares[code as usize]
                .iter()
                .for_each(|&(value, share)| rows[value as usize] += share * count as f64);
        }
        Some(rows)
    }

    /// The rows with each pair of values of two columns.
    pub(super) fn joint(&self, one: &str, other: &str) -> Option<Joint> {
        let (first, second) = (self.columns.get(one)?, self.columns.get(other)?);
        let mut joint = Joint::new(first.values, second.values);
        for ((a, b), rows) in pairs(self.view, one, other)? {
            for &(row, share) in &first.shares[a as usize] {
                for &(column, other) in &second.shares[b as usize] {
                    joint.add(row as usize, column as usize, rows * share * other);
                }
            }
        }
        Some(joint)
    }
}

/// The rows with each pair of published cells of two columns: counted where they stand in one table, expected where only
/// a class joins them.
fn pairs(view: &ReleaseView, one: &str, other: &str) -> Option<BTreeMap<(u32, u32), f64>> {
    let mut pairs: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    match view.sides(one, other)? {
        Sides::Same { one, other, rows } => {
            for ((&a, &b), rows) in one.iter().zip(other).zip(rows) {
                *pairs.entry((a, b)).or_default() += rows as f64;
            }
        }
        Sides::Apart { one, other, sizes } => {
            let mut at = 0;
            for class in one.chunk_by(|a, b| a.0 == b.0) {
                let number = class[0].0;
                while other.get(at).is_some_and(|next| next.0 < number) {
                    at += 1;
                }
                let end = at + other[at..].iter().take_while(|next| next.0 == number).count();
                let size = sizes[number as usize].max(1) as f64;
                for &(_, a, rows) in class {
                    for &(_, b, others) in &other[at..end] {
                        *pairs.entry((a, b)).or_default() += rows as f64 * others as f64 / size;
                    }
                }
                at = end;
            }
        }
    }
    Some(pairs)
}

fn shares(cells: &CellColumn, dictionary: &Dictionary) -> Option<CellShares> {
    let label = |code: u32| dictionary.text(code).map(Cow::into_owned);
    let labels: Vec<Option<String>> = (0..).take(dictionary.len()).map(label).collect();
    if cells.are_listed() {
        let codes: BTreeMap<&Option<String>, u32> = labels.iter().zip(0..).collect();
        let of_leaf: Vec<Option<u32>> =
            cells.leaves().iter().map(|leaf| codes.get(&leaf.label().map(Cow::into_owned)).copied()).collect();
        let of_cell = |code: u32| {
            let (leaves, _) = cells.listed(code)?;
            let share = 1.0 / leaves.len().max(1) as f64;
            Some(leaves.iter().filter_map(|&leaf| Some((of_leaf[leaf as usize]?, share))).collect())
        };
        return (0..).take(cells.len()).map(of_cell).collect();
    }
    if labels.len() > MOST_TRIED {
        return None;
    }
    let mut shares: CellShares = vec![Vec::new(); cells.len()];
    for (value, label) in (0..).zip(&labels) {
        let condition = Condition::exactly(label.as_deref());
        for (cell, found) in shares.iter_mut().zip(cells.shares(Some(&condition))) {
            if found.share > 0.0 {
                cell.push((value, found.share));
            }
        }
    }
    Some(shares)
}
