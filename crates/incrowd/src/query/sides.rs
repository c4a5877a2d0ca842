//! What a view shows to those who hold releases against their original: published cells and how often they are met.

use std::collections::BTreeMap;

use incrowd_core::query::{Cells, Query};

use super::answer::Estimator;
use super::tables::{Side, Tables};
use super::view::ReleaseView;
use crate::error::Result;

/// Rows of a class with a published cell: class, code, rows.
pub(crate) type ByClass = Vec<(u32, u32, u64)>;

/// Where two columns of a release stand.
pub(crate) enum Sides<'v> {
    /// In the same table: the code of each tuple in both, and its rows.
    Same { one: &'v [u32], other: &'v [u32], rows: Vec<u64> },
    /// In different tables: rows of each class with each cell, sorted, and the sizes of classes.
    Apart { one: ByClass, other: ByClass, sizes: &'v [u64] },
}

impl ReleaseView {
    /// What the cells of a column may have been.
    pub(crate) fn cells(&self, name: &str) -> Option<&Cells> {
        self.column(name).map(|column| &column.cells)
    }

    /// The codes of a column with the rows of each tuple.
    pub(crate) fn met(&self, name: &str) -> Option<impl Iterator<Item = (u32, u64)>> {
        let (side, at) = self.side_of(name)?;
        Some(side.codes[at].iter().copied().zip((0..side.tuples).map(|tuple| side.rows(tuple))))
    }

    /// Where two columns stand.
    pub(crate) fn sides(&self, one: &str, other: &str) -> Option<Sides<'_>> {
        let ((first, one), (second, other)) = (self.side_of(one)?, self.side_of(other)?);
        if std::ptr::eq(first, second) {
            return Some(Sides::Same {
                one: &first.codes[one],
                other: &first.codes[other],
                rows: (0..first.tuples).map(|tuple| first.rows(tuple)).collect(),
            });
        }
        let Tables::Two(two) = &self.tables else { return None };
        Some(Sides::Apart { one: by_class(first, one), other: by_class(second, other), sizes: &two.sizes })
    }

    /// The rows of each class: what agrees on these columns, or what has one class id.
    pub(crate) fn class_sizes(&self, quasi_identifiers: &[&str]) -> Vec<u64> {
        let side = match &self.tables {
            Tables::Two(two) => return two.sizes.clone(),
            Tables::One(side) => side,
        };
        let columns: Vec<&Vec<u32>> =
            quasi_identifiers.iter().filter_map(|name| side.position(name)).map(|at| &side.codes[at]).collect();
        let mut sizes: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for tuple in 0..side.tuples {
            *sizes.entry(columns.iter().map(|codes| codes[tuple]).collect()).or_default() += side.rows(tuple);
        }
        sizes.into_values().collect()
    }

    /// The estimate of a question that counts; 0 when there is none.
    pub(crate) fn estimate(&self, query: &Query, estimator: Estimator) -> Result<f64> {
        let figure = self.answer(query, Some(estimator))?.figure;
        Ok(figure.and_then(|figure| figure.estimate).unwrap_or_default())
    }

    fn side_of(&self, name: &str) -> Option<(&Side, usize)> {
        self.each_side().find_map(|side| Some((side, side.position(name)?)))
    }
}

fn by_class(side: &Side, column: usize) -> ByClass {
    let tuples = side.classes.iter().zip(&side.codes[column]).enumerate();
    let mut rows: ByClass = tuples.map(|(tuple, (&class, &code))| (class, code, side.rows(tuple))).collect();
    rows.sort_unstable();
    rows.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        kept.2 += if same { next.2 } else { 0 };
        same
    });
    rows
}
