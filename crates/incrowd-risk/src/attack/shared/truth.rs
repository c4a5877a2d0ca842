//! The original beside the release: who is in which class, what published cells stand for, and in which order rows
//! stand.

use std::collections::BTreeMap;

use incrowd_core::{Dictionary, Hierarchy};

use super::placement::Placement;

/// What the holder of the original knows about a release.
#[derive(Clone, Debug)]
pub struct Truth {
    /// Who is in which class.
    pub placement: Placement,
    /// The quasi-identifiers as they are published.
    pub columns: Vec<GeneralizedColumn>,
    /// In which order rows stand.
    pub orders: RowOrders,
}

impl Truth {
    /// The children of a published cell's node with the rows of a class below each; nothing when it is a value, or when
    /// the column has no hierarchy.
    pub(in crate::attack) fn children(
        &self,
        column: usize,
        cell: u32,
        members: &[(usize, u64)],
    ) -> Option<Vec<(usize, u64)>> {
        let ColumnNodes { hierarchy, nodes, leaves } = self.columns[column].nodes.as_ref()?;
        let node = (*nodes.get(cell as usize)?)?;
        let is_child = |at: &usize| hierarchy.nodes()[*at].parent().is_some_and(|parent| parent as usize == node);
        let children: Vec<usize> = (0..hierarchy.nodes().len()).filter(is_child).collect();
        if children.is_empty() {
            return None;
        }
        let mut counted: Vec<(usize, u64)> = children.into_iter().map(|child| (child, 0)).collect();
        for &(tuple, rows) in members {
            let leaf = leaves[self.placement.table.code(tuple, column) as usize]?;
            let child = counted.iter_mut().find(|(child, _)| hierarchy.nodes()[*child].leaves().contains(&leaf))?;
            child.1 += rows;
        }
        Some(counted)
    }
}

/// What the cells of a quasi-identifier are published as.
#[derive(Clone, Debug)]
pub struct GeneralizedColumn {
    /// The label of each published cell; nothing is the missing value.
    pub labels: Vec<Option<String>>,
    /// Where they stand in the hierarchy, when the column has one.
    pub nodes: Option<ColumnNodes>,
}

/// Where the cells of a column and the values of the original stand in a hierarchy.
#[derive(Clone, Debug)]
pub struct ColumnNodes {
    hierarchy: Hierarchy,
    /// The node of each published label.
    pub(in crate::attack) nodes: Vec<Option<usize>>,
    /// The leaf of each value of the original.
    leaves: Vec<Option<u32>>,
}

impl ColumnNodes {
    /// The nodes of published labels and the leaves of the original's values.
    pub fn new(hierarchy: Hierarchy, labels: &[Option<String>], dictionary: &Dictionary) -> ColumnNodes {
        let place = |label: &Option<String>| {
            let label = label.as_deref().unwrap_or_default();
            hierarchy.nodes().iter().position(|node| node.label() == label)
        };
        let leaf = |code: u32| match Some(code) == dictionary.missing() {
            true => hierarchy.missing(),
            false => hierarchy.leaf(&dictionary.label(code)),
        };
        let nodes = labels.iter().map(place).collect();
        let leaves = (0..).take(dictionary.len()).map(leaf).collect();
        ColumnNodes { hierarchy, nodes, leaves }
    }
}

/// In which order rows stand.
#[derive(Clone, Debug)]
pub struct RowOrders {
    /// The class of each row of the original; nothing when it has none.
    pub original: Vec<Option<u32>>,
    /// The tuple of each row of the original.
    pub tuples: Vec<Option<usize>>,
    /// The class of each published row, in one table.
    pub published: Option<Vec<u32>>,
}

impl RowOrders {
    /// The orders from the codes of rows, column by column: of the original its quasi-identifiers and sensitive
    /// columns, of the release its quasi-identifiers.
    pub fn new(placement: &Placement, original: &[Vec<u32>], published: Option<&[Vec<u32>]>) -> RowOrders {
        let table = &placement.table;
        let codes = |tuple: usize| -> Vec<u32> { (0..original.len()).map(|at| table.code(tuple, at)).collect() };
        let tuples: BTreeMap<Vec<u32>, usize> = (0..table.tuples()).map(|tuple| (codes(tuple), tuple)).collect();
        let tuples: Vec<Option<usize>> = rows(original).map(|row| tuples.get(&row).copied()).collect();
        let mut left = placement.of_tuple.clone();
        let class_of = |tuple: &Option<usize>| -> Option<u32> {
            let next = left[(*tuple)?].iter_mut().find(|class| class.1 > 0)?;
            next.1 -= 1;
            Some(next.0)
        };
        let original = tuples.iter().map(class_of).collect();
        let classes = placement.published.classes().iter().zip(0..);
        let known: BTreeMap<&[u32], u32> = classes.map(|(class, at)| (&class.cells[..], at)).collect();
        let class = |row: Vec<u32>| known.get(&row[..]).copied();
        RowOrders { original, tuples, published: published.map(|codes| rows(codes).filter_map(class).collect()) }
    }
}

/// Rows that are given column by column.
fn rows(columns: &[Vec<u32>]) -> impl Iterator<Item = Vec<u32>> {
    let count = columns.first().map_or(0, Vec::len);
    (0..count).map(|row| columns.iter().map(|codes| codes[row]).collect())
}
