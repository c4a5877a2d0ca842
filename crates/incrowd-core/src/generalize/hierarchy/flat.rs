//! The hierarchy that only knows a value or nothing: every leaf directly below `*`.

use super::{Hierarchy, HierarchyBuilder, HierarchyError, ROOT_LABEL};
use crate::Dictionary;
use crate::numbers::to_u32;

impl Hierarchy {
    /// Every value of the column directly below `*`.
    ///
    /// ```
    /// use incrowd_core::{Dictionary, Hierarchy};
    /// let sex = Hierarchy::flat(&Dictionary::of_texts(["f", "m"]))?;
    /// assert_eq!(sex.write(), "f;*\nm;*\n");
    /// # Ok::<(), incrowd_core::HierarchyError>(())
    /// ```
    pub fn flat(dictionary: &Dictionary) -> Result<Self, HierarchyError> {
        Self::from_values(dictionary, 1, |_, _| {})
    }

    /// A hierarchy over the values of a column: `above` pushes the labels between a value and the root, given the
    /// value's code. A missing value stands directly below the root.
    pub(super) fn from_values(
        dictionary: &Dictionary,
        height: usize,
        mut above: impl FnMut(usize, &mut Vec<String>),
    ) -> Result<Self, HierarchyError> {
        if dictionary.is_empty() {
            return Err(HierarchyError::NoValues);
        }
        let mut builder = HierarchyBuilder::new(height, ROOT_LABEL);
        let mut line = Vec::with_capacity(height);
        for index in 0..dictionary.values().len() {
            line.clear();
            line.push(dictionary.label(to_u32(index)).into_owned());
            above(index, &mut line);
            builder.add(index + 1, &line)?;
        }
        if let Some(missing) = dictionary.missing() {
            builder.add(missing as usize + 1, &vec![""; height])?;
        }
        builder.finish().map_err(|error| match error {
            // Lines of a built hierarchy are in no file.
            HierarchyError::SameLabel { .. } | HierarchyError::SameAsRoot { .. } => HierarchyError::ValueLikeLabel,
            other => other,
        })
    }
}
