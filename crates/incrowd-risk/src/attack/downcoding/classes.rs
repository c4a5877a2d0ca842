//! Classes as those see them who undo their generalization.

use std::collections::BTreeSet;

use incrowd_core::query::named_members;
use incrowd_core::{Cell, FrequencyTable, QuasiIdentifier, Recoding};

use super::super::shared::{GeneralizedColumn, PublishedClass, Truth, named, spread};

/// A class of a release with the columns in which it is generalized.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoarseClass {
    /// How many rows are in the class.
    pub rows: u64,
    /// For each generalized column all children of its node.
    pub columns: Vec<Vec<NodeChild>>,
    /// For each column that is published as a set or an interval without a hierarchy: the values that its label names
    /// as those of a person in the class, each with the rows that have it, for scoring only.
    pub members: Vec<Vec<u64>>,
}

/// A child of a generalized cell's node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeChild {
    /// Whether the release has a class that differs from this one by this child only.
    pub taken: bool,
    /// How many rows of the class belong to it, for scoring only.
    pub truth: u64,
}

impl CoarseClass {
    /// The classes of a release that was recoded along hierarchies, or by sets and intervals. Classes that publish
    /// alike must have been merged, as solvers do.
    pub fn of_recoding(
        table: &FrequencyTable,
        quasi_identifiers: &[QuasiIdentifier],
        recoding: &Recoding,
    ) -> Vec<Self> {
        let published: BTreeSet<&[Cell]> = (0..).take(recoding.classes()).map(|class| recoding.cells(class)).collect();
        let mut classes = vec![CoarseClass::default(); recoding.classes()];
        for tuple in 0..table.tuples() {
            let kept = recoding.targets(tuple).iter().filter(|&&(class, _)| class != Recoding::WITHHELD);
            kept.for_each(|&(class, rows)| classes[class as usize].rows += rows);
        }
        for at in 0..quasi_identifiers.len() {
            for (class, members) in named(table, quasi_identifiers, recoding, at) {
                classes[class as usize].members.push(members);
            }
            for (class, children) in (0..).zip(spread(table, quasi_identifiers, recoding, at)) {
                let child = |(cell, truth): (Cell, u64)| {
                    let mut neighbour = recoding.cells(class).to_vec();
                    neighbour[at] = cell;
                    NodeChild { taken: published.contains(neighbour.as_slice()), truth }
                };
                let children = children.map(|children| children.into_iter().map(child).collect());
                classes[class as usize].columns.extend(children);
            }
        }
        classes
    }

    /// The classes of a release as seen by an attacker who knows what each published cell stands for.
    pub(super) fn of_truth(truth: &Truth) -> Vec<Self> {
        let known: BTreeSet<&[u32]> =
            truth.placement.published.classes().iter().map(|class| class.cells.as_slice()).collect();
        let coarse = |(class, members): (&PublishedClass, &[(usize, u64)])| {
            let columns = (0..truth.columns.len()).filter_map(|column| {
                let children = truth.children(column, class.cells[column], members)?;
                let child = |(node, rows): (usize, u64)| {
                    let taken = cell_of(&truth.columns[column], node).is_some_and(|cell| {
                        let mut finer = class.cells.clone();
                        finer[column] = cell;
                        known.contains(finer.as_slice())
                    });
                    NodeChild { taken, truth: rows }
                };
                Some(children.into_iter().map(child).collect())
            });
            let columns = columns.collect();
            // Columns without a hierarchy are sets, or intervals from the least to the greatest value of a class.
            let plain = (0..truth.columns.len()).filter(|&column| truth.columns[column].nodes.is_none());
            let named = plain.map(|column| named_rows(truth, column, class.cells[column], members));
            CoarseClass { rows: class.rows, columns, members: named.filter(|rows| !rows.is_empty()).collect() }
        };
        truth.placement.whole().map(coarse).collect()
    }
}

/// The published cell that stands for a node of the hierarchy.
fn cell_of(column: &GeneralizedColumn, node: usize) -> Option<u32> {
    let nodes = &column.nodes.as_ref()?.nodes;
    (0..).zip(nodes).find(|(_, other)| **other == Some(node)).map(|(cell, _)| cell)
}

/// The rows of a class that have each value which its label names as that of a person in it.
fn named_rows(truth: &Truth, column: usize, cell: u32, members: &[(usize, u64)]) -> Vec<u64> {
    let table = &truth.placement.table;
    let dictionary = &table.attributes()[column].dictionary;
    let code = |value: &Option<&str>| match value {
        Some(value) => dictionary.code(value),
        None => dictionary.missing(),
    };
    let rows = |code: Option<u32>| {
        let has = |(tuple, _): &&(usize, u64)| Some(table.code(*tuple, column)) == code;
        members.iter().filter(has).map(|member| member.1).sum()
    };
    let label = truth.columns[column].labels[cell as usize].as_deref().unwrap_or_default();
    named_members(label).iter().map(code).map(rows).collect()
}
