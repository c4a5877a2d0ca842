//! From a column's codes, which are sorted ranks, to the leaf codes of a domain.

use std::borrow::Cow;

use super::{Domain, DomainShape};
use crate::generalize::hierarchy::leaves_of;
use crate::numbers::to_u32;
use crate::{Dictionary, HierarchyError};

impl Domain {
    /// The leaf code of each code of a column. Numbers and days are found however the domain's labels write them.
    ///
    /// Refused when values have no leaf; [`Coverage`](crate::Coverage) says which.
    ///
    /// ```
    /// use incrowd_core::{Dictionary, Domain, Hierarchy};
    /// let towns = Domain::tree(&Hierarchy::read("Wien;Austria;*\nUlm;Germany;*\nBonn;Germany;*\n")?);
    /// assert_eq!(towns.bind(&Dictionary::of_texts(["Bonn", "Wien"]))?, [2, 0]);
    /// # Ok::<(), incrowd_core::HierarchyError>(())
    /// ```
    pub fn bind(&self, dictionary: &Dictionary) -> Result<Vec<u32>, HierarchyError> {
        let missing = self.missing();
        let leaves = match &self.0 {
            DomainShape::Ordered(ordered) if ordered.dictionary == *dictionary => {
                return Ok((0..self.leaf_count()).collect());
            }
            DomainShape::Ordered(ordered) => {
                let labels = (0..self.leaf_count()).map(|code| ordered.dictionary.label(code));
                leaves_of(dictionary, labels, missing)
            }
            DomainShape::Tree(tree) => leaves_of(dictionary, borrowed(&tree.labels), missing),
            DomainShape::Set(set) => leaves_of(dictionary, borrowed(&set.labels), missing),
        };
        let uncovered = leaves.iter().filter(|leaf| leaf.is_none()).count();
        let values = leaves.len();
        leaves.into_iter().collect::<Option<_>>().ok_or(HierarchyError::Uncovered { uncovered, values })
    }

    /// The leaf code of the missing value, if the domain has one.
    pub fn missing(&self) -> Option<u32> {
        let empty = |labels: &[Box<str>]| labels.iter().position(|label| label.is_empty()).map(to_u32);
        match &self.0 {
            DomainShape::Tree(tree) => empty(&tree.labels),
            DomainShape::Set(set) => empty(&set.labels),
            DomainShape::Ordered(ordered) => ordered.dictionary.missing(),
        }
    }
}

fn borrowed(labels: &[Box<str>]) -> impl Iterator<Item = Cow<'_, str>> {
    labels.iter().map(|label| Cow::Borrowed(label.as_ref()))
}
