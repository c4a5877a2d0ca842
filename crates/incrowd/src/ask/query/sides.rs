//! What a view shows to those who hold releases against their original: published cells and how often they are met.

use std::collections::BTreeMap;

use incrowd_core::query::{CellColumn, Query};
use incrowd_risk::attack::{Published, PublishedClass};

use super::answer::Estimator;
use super::tables::{QueryTables, TableSide};
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

/// The codes of these columns, by tuple.
fn codes_of<'v>(side: &'v TableSide, names: &[&str]) -> Vec<&'v [u32]> {
    names.iter().filter_map(|name| side.position(name)).map(|at| side.codes[at].as_slice()).collect()
}

/// The rows that agree on some cells, ascending, each with its values. Only numbers of tuples are sorted: a large release has
/// hundreds of millions of tuples.
fn classes_of(side: &TableSide, cells: &[&[u32]], values: &[&[u32]]) -> Vec<PublishedClass> {
    let cells_of = |tuple: usize| cells.iter().map(move |codes| codes[tuple]);
    let mut order: Vec<usize> = (0..side.tuples).collect();
    order.sort_unstable_by(|&a, &b| cells_of(a).cmp(cells_of(b)));
    let class = |tuples: &[usize]| {
        let rows = tuples.iter().map(|&tuple| side.rows(tuple)).sum();
        let bag = |codes: &&[u32]| {
            let mut bag: BTreeMap<u32, u64> = BTreeMap::new();
            tuples.iter().for_each(|&tuple| *bag.entry(codes[tuple]).or_default() += side.rows(tuple));
            bag.into_iter().collect()
        };
        PublishedClass {
            cells: cells_of(tuples[0]).collect(),
            people: rows,
            rows,
            bags: values.iter().map(bag).collect(),
        }
    };
    order.chunk_by(|&a, &b| cells_of(a).eq(cells_of(b))).map(class).collect()
}

impl ReleaseView {
    /// The release as its reader sees it: rows that agree on these quasi-identifiers or share a class id, with the values of
    /// these sensitive columns. In a fixed order.
    pub(crate) fn published(&self, quasi_identifiers: &[&str], sensitive: &[&str]) -> Published {
        let (side, cells) = match &self.tables {
            QueryTables::One(side) => (side, codes_of(side, quasi_identifiers)),
            QueryTables::Two(two) => (&two.second, vec![two.second.classes.as_slice()]),
        };
        let classes = classes_of(side, &cells, &codes_of(side, sensitive));
        Published::new(sensitive.iter().map(|&name| name.into()).collect(), classes)
    }

    /// Rows with the same published values of these quasi-identifiers, whatever their class.
    pub(crate) fn crowds(&self, quasi_identifiers: &[&str]) -> Published {
        let side = match &self.tables {
            QueryTables::One(side) => side,
            QueryTables::Two(two) => &two.first,
        };
        Published::new(Vec::new(), classes_of(side, &codes_of(side, quasi_identifiers), &[]))
    }

    /// In two tables: for each combination of quasi-identifiers, the classes of its rows, in the order of classes.
    pub(crate) fn looks(&self, quasi_identifiers: &[&str]) -> Option<BTreeMap<Vec<u32>, Vec<u32>>> {
        let QueryTables::Two(two) = &self.tables else { return None };
        let mut numbers: Vec<u32> = two.second.classes.clone();
        numbers.sort_unstable();
        numbers.dedup();
        let columns: Vec<usize> = quasi_identifiers.iter().filter_map(|name| two.first.position(name)).collect();
        let mut looks: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for tuple in 0..two.first.tuples {
            let look = columns.iter().map(|&at| two.first.codes[at][tuple]).collect();
            let class = numbers.binary_search(&two.first.classes[tuple]).ok();
            if let Some(class) = class.and_then(|class| u32::try_from(class).ok()) {
                looks.entry(look).or_default().push(class);
            }
        }
        looks.values_mut().for_each(|classes| {
            classes.sort_unstable();
            classes.dedup();
        });
        Some(looks)
    }

    /// The published labels of a column; nothing is the missing value.
    pub(crate) fn labels(&self, name: &str) -> Vec<Option<String>> {
        let Some(column) = self.column(name) else { return Vec::new() };
        match column.labels.is_empty() {
            true => column.cells.leaves().iter().map(|leaf| leaf.label().map(Into::into)).collect(),
            false => column.labels.clone(),
        }
    }

    /// What the cells of a column may have been.
    pub(crate) fn cells(&self, name: &str) -> Option<&CellColumn> {
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
        let QueryTables::Two(two) = &self.tables else { return None };
        Some(Sides::Apart { one: by_class(first, one), other: by_class(second, other), sizes: &two.sizes })
    }

    /// The rows of each class: what agrees on these columns, or what has one class id.
    pub(crate) fn class_sizes(&self, quasi_identifiers: &[&str]) -> Vec<u64> {
        let side = match &self.tables {
            QueryTables::Two(two) => return two.sizes.clone(),
            QueryTables::One(side) => side,
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

    fn side_of(&self, name: &str) -> Option<(&TableSide, usize)> {
        self.each_side().find_map(|side| Some((side, side.position(name)?)))
    }
}

fn by_class(side: &TableSide, column: usize) -> ByClass {
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
