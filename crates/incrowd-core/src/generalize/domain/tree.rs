//! The domain of a hierarchy's nodes.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::nodes::{Levels, NestedCells};
use super::shown;
use crate::{Cell, Hierarchy};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TreeDomain {
    nodes: NestedCells,
    pub(super) levels: Levels,
    /// The labels of the leaves; the missing value's is empty.
    pub(super) labels: Vec<Box<str>>,
}

impl TreeDomain {
    pub(super) fn new(hierarchy: &Hierarchy) -> Self {
        let labels = hierarchy.leaf_labels().map(Box::from).collect();
        TreeDomain { nodes: NestedCells::new(hierarchy), levels: Levels::new(hierarchy), labels }
    }

    pub(super) fn leaf_count(&self) -> u32 {
        self.nodes.leaf_count()
    }

    pub(super) fn top_has_a_name(&self) -> bool {
        self.nodes.top_has_a_name()
    }

    #[inline]
    pub(super) fn close(&self, lo: u32, hi: u32) -> Cell {
        self.nodes.close(lo, hi)
    }

    pub(super) fn render(&self, cell: Cell) -> Cow<'_, str> {
        let (lo, hi) = cell.ends();
        Cow::Borrowed(if lo == hi { shown(&self.labels[lo as usize]) } else { self.nodes.label(cell) })
    }
}
