//! The domain of sets of values, one bit for each.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::shown;
use crate::numbers::to_u32;
use crate::{Cell, HierarchyError};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SetDomain {
    /// The labels of the leaves; the missing value's is empty.
    pub(super) labels: Vec<Box<str>>,
}

impl SetDomain {
    pub(super) fn new(labels: Vec<Box<str>>) -> Result<Self, HierarchyError> {
        if labels.len() > 64 {
            return Err(HierarchyError::TooManyForSets { leaves: labels.len() });
        }
        for (line, label) in labels.iter().enumerate() {
            if let Some(first) = labels[..line].iter().position(|other| other == label) {
                return Err(HierarchyError::DuplicateLeaf { line: line + 1, first: first + 1 });
            }
        }
        if labels.is_empty() { Err(HierarchyError::NoValues) } else { Ok(SetDomain { labels }) }
    }

    pub(super) fn leaf_count(&self) -> u32 {
        to_u32(self.labels.len())
    }

    pub(super) fn render(&self, cell: Cell) -> Cow<'_, str> {
        let held = |leaf: &usize| cell.bits() >> leaf & 1 == 1;
        let mut labels = (0..self.labels.len()).filter(held).map(|leaf| shown(&self.labels[leaf]));
        match (labels.next(), labels.next()) {
            (Some(only), None) => Cow::Borrowed(only),
            (first, second) => {
                let all: Vec<&str> = first.into_iter().chain(second).chain(labels).collect();
                Cow::Owned(format!("{{{}}}", all.join(", ")))
            }
        }
    }
}
