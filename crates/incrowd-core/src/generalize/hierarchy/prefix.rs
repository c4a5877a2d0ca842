//! Codes that say more with each character (postcodes, ICD, NUTS): `43521`, `4352*`, `435**`, …, `*`.
//!
//! Values of different length are compared from the left. Where a prefix length is not shorter than a value, the value
//! stays itself on that level: with lengths 3 and 2, `SW1` is next to `SW1*` (which contains `SW1A`) below `SW**`.

use super::{Hierarchy, HierarchyError};
use crate::Dictionary;
use crate::numbers::to_u32;

impl Hierarchy {
    /// Values below their prefixes of the given lengths, longest first; one level per character when none are given.
    ///
    /// ```
    /// use incrowd_core::{Dictionary, Hierarchy};
    /// let postcodes = Dictionary::of_texts(["43521", "43529", "44100"]);
    /// let hierarchy = Hierarchy::prefix(&postcodes, Some(&[4, 2]))?;
    /// assert_eq!(hierarchy.write(), "43521;4352*;43***;*\n43529;4352*;43***;*\n44100;4410*;44***;*\n");
    /// # Ok::<(), incrowd_core::HierarchyError>(())
    /// ```
    pub fn prefix(dictionary: &Dictionary, lengths: Option<&[usize]>) -> Result<Self, HierarchyError> {
        let label = |index: usize| dictionary.label(to_u32(index));
        let longest = (0..dictionary.values().len()).map(|index| label(index).chars().count()).max().unwrap_or(0);
        let lengths = lengths.map_or_else(|| (1..longest).rev().collect(), <[usize]>::to_vec);
        let mut above = longest;
        for &length in &lengths {
            if length == 0 || length >= above {
                return Err(HierarchyError::BadPrefix { length, longest });
            }
            above = length;
        }
        Self::from_values(dictionary, lengths.len() + 1, |index, line| {
            let value = label(index);
            for &length in &lengths {
                line.push(match value.char_indices().nth(length) {
                    Some((end, _)) => format!("{}{}", &value[..end], "*".repeat(longest - length)),
                    None => value.clone().into_owned(),
                });
            }
        })
    }
}
