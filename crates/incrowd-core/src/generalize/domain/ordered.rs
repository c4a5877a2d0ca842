//! The domain of intervals over a column's sorted values, free or nested.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::nodes::{Levels, NestedCells};
use super::{Domain, DomainShape};
use crate::generalize::hierarchy::{HierarchyBuilder, leaves_of};
use crate::numbers::to_u32;
use crate::{Cell, Dictionary, Hierarchy, HierarchyError, Node, Values};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct OrderedDomain {
    pub(super) dictionary: Dictionary,
    /// The nested intervals, if only these may be taken.
    nodes: Option<NestedCells>,
    pub(super) levels: Option<Levels>,
}

impl OrderedDomain {
    pub(super) fn new(dictionary: &Dictionary) -> Self {
        OrderedDomain { dictionary: dictionary.clone(), nodes: None, levels: None }
    }

    pub(super) fn nested(dictionary: &Dictionary, hierarchy: &Hierarchy) -> Result<Self, HierarchyError> {
        let hierarchy = in_order(dictionary, hierarchy)?;
        let (nodes, levels) = (NestedCells::new(&hierarchy), Levels::new(&hierarchy));
        Ok(OrderedDomain { dictionary: dictionary.clone(), nodes: Some(nodes), levels: Some(levels) })
    }

    pub(super) fn leaf_count(&self) -> u32 {
        to_u32(self.dictionary.len())
    }

    pub(super) fn top_has_a_name(&self) -> bool {
        self.nodes.as_ref().is_some_and(NestedCells::top_has_a_name)
    }

    #[inline]
    pub(super) fn close(&self, lo: u32, hi: u32) -> Cell {
        match &self.nodes {
            Some(nodes) => nodes.close(lo, hi),
            None if lo != hi && Some(hi) == self.dictionary.missing() => Cell::range(0, hi),
            None => Cell::range(lo, hi),
        }
    }

    pub(super) fn render(&self, cell: Cell) -> Cow<'_, str> {
        let (lo, hi) = cell.ends();
        match &self.nodes {
            _ if lo == hi => self.dictionary.label(lo),
            Some(nodes) => Cow::Borrowed(nodes.label(cell)),
            None => Cow::Owned(format!("[{}, {}]", self.dictionary.label(lo), self.dictionary.label(hi))),
        }
    }
}

impl Domain {
    /// Positions of the leaves of an ordered domain on a line that begins with 0: numbers and days as far apart as they
    /// are, texts each one step from the next. The missing value has no place. Nothing for trees and sets.
    pub fn positions(&self) -> Option<Vec<f64>> {
        let DomainShape::Ordered(ordered) = &self.0 else { return None };
        Some(match ordered.dictionary.values() {
            // Integers are subtracted as such: large ones have no exact floating-point form.
            Values::Integers(values) => {
                values.iter().map(|&value| (i128::from(value) - i128::from(values[0])) as f64).collect()
            }
            // Halved, so that the largest numbers there are do not end in infinity.
            Values::Numbers { values, .. } => values.iter().map(|value| value / 2.0 - values[0] / 2.0).collect(),
            Values::Dates(values) => values.iter().map(|&value| f64::from(value) - f64::from(values[0])).collect(),
            Values::Texts(values) => (0..values.len()).map(|rank| rank as f64).collect(),
        })
    }
}

/// The hierarchy over just the values of the column, its leaves in the column's order.
fn in_order(dictionary: &Dictionary, hierarchy: &Hierarchy) -> Result<Hierarchy, HierarchyError> {
    let hierarchy = match dictionary.missing() {
        Some(_) => Cow::Owned(hierarchy.clone().with_missing()),
        None => Cow::Borrowed(hierarchy),
    };
    let leaves = leaves_of(dictionary, hierarchy.leaf_labels().map(Cow::Borrowed), hierarchy.missing());
    let uncovered = leaves.iter().filter(|leaf| leaf.is_none()).count();
    if uncovered > 0 {
        return Err(HierarchyError::Uncovered { uncovered, values: leaves.len() });
    }
    // Different codes have different leaves, so a code can stand for its leaf's label, written as no label is.
    let name = |code: u32| if Some(code) == dictionary.missing() { String::new() } else { format!("\0{code}") };
    let mut builder = HierarchyBuilder::new(hierarchy.height(), hierarchy.nodes()[0].label());
    for (code, leaf) in leaves.into_iter().flatten().enumerate() {
        let own = name(to_u32(code));
        let above = hierarchy.path(leaf).take(hierarchy.height()).skip(1).map(Node::label);
        let line: Vec<&str> = std::iter::once(own.as_str()).chain(above).collect();
        builder.add(code + 1, &line)?;
    }
    let hierarchy = builder.finish()?;
    let sorted = hierarchy.leaf_labels().zip(0..).all(|(label, code)| label == name(code));
    if sorted { Ok(hierarchy) } else { Err(HierarchyError::NotIntervals) }
}
