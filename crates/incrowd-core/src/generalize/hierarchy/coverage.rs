//! Which values of a column are leaves of a hierarchy, and which leaves never occur.

use std::borrow::Cow;

use ahash::AHashMap;
use chrono::NaiveDate;

use super::Hierarchy;
use crate::numbers::to_u32;
use crate::{Dictionary, Kind};

/// How a hierarchy and a column fit. Holds codes and counts; the values themselves are shown only on request.
///
/// ```
/// use incrowd_core::{Coverage, Dictionary, Hierarchy};
/// let hierarchy = Hierarchy::read("Ulm;Germany;*\nBonn;Germany;*\n")?;
/// let towns = Dictionary::of_texts(["Ulm", "Wien"]);
/// let coverage = Coverage::of(&hierarchy, &towns);
/// assert!(!coverage.is_complete());
/// assert_eq!(coverage.covered(), 1);
/// assert_eq!(coverage.show_uncovered(&towns).collect::<Vec<_>>(), ["Wien"]);
/// assert_eq!(coverage.unused_labels(&hierarchy).collect::<Vec<_>>(), ["Bonn"]);
/// # Ok::<(), incrowd_core::HierarchyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    covered: usize,
    uncovered: Vec<u32>,
    unused: Vec<u32>,
    missing_unlisted: bool,
}

impl Coverage {
    /// Holds the values of a column against the leaves of a hierarchy.
    ///
    /// Numbers and days are compared as such: `0.5` is the leaf of `0.50`.
    pub fn of(hierarchy: &Hierarchy, dictionary: &Dictionary) -> Self {
        let leaves = leaves_of(dictionary, hierarchy.leaf_labels().map(Cow::Borrowed), hierarchy.missing());
        let missing = dictionary.missing();
        let without = |code: &u32| leaves[*code as usize].is_none();
        let uncovered = (0..to_u32(leaves.len())).filter(|code| Some(*code) != missing).filter(without).collect();
        let mut used = vec![false; hierarchy.leaf_count() as usize];
        leaves.iter().flatten().for_each(|&leaf| used[leaf as usize] = true);
        let unused = (0..hierarchy.leaf_count()).filter(|&leaf| !used[leaf as usize]).collect();
        let covered = leaves.iter().flatten().count();
        Coverage { covered, uncovered, unused, missing_unlisted: missing.as_ref().is_some_and(without) }
    }

    /// Whether every value that is present has a leaf. A missing value needs none: it is then below the root.
    pub fn is_complete(&self) -> bool {
        self.uncovered.is_empty()
    }

    /// How many values have a leaf, the missing value included if it is listed.
    pub fn covered(&self) -> usize {
        self.covered
    }

    /// The codes of the values that have no leaf.
    pub fn uncovered(&self) -> &[u32] {
        &self.uncovered
    }

    /// The leaf codes that no value of the column has.
    pub fn unused(&self) -> &[u32] {
        &self.unused
    }

    /// Whether the column has missing values for which the hierarchy has no leaf.
    pub fn missing_unlisted(&self) -> bool {
        self.missing_unlisted
    }

    /// How many rows have a value without a leaf, given the rows of each code.
    pub fn uncovered_rows(&self, counts: &[u64]) -> u64 {
        self.uncovered.iter().map(|&code| counts[code as usize]).sum()
    }

    /// The values without a leaf. They are people's: show them to the custodian only, never in a log.
    pub fn show_uncovered<'a>(&'a self, dictionary: &'a Dictionary) -> impl Iterator<Item = Cow<'a, str>> {
        self.uncovered.iter().map(|&code| dictionary.label(code))
    }

    /// The labels of the leaves that no value has.
    pub fn unused_labels<'a>(&'a self, hierarchy: &'a Hierarchy) -> impl Iterator<Item = &'a str> {
        self.unused.iter().map(|&leaf| hierarchy.at_level(leaf, 0).label())
    }
}

/// The leaf of each code of a dictionary, among leaves with these labels.
pub(crate) fn leaves_of<'a>(
    dictionary: &Dictionary,
    labels: impl Iterator<Item = Cow<'a, str>>,
    missing: Option<u32>,
) -> Vec<Option<u32>> {
    let kind = dictionary.kind();
    let mut by_label = AHashMap::new();
    let mut by_value = AHashMap::new();
    for (leaf, label) in (0..).zip(labels).filter(|&(leaf, _)| Some(leaf) != missing) {
        if let Some(value) = value(kind, &label) {
            by_value.entry(value).or_insert(leaf);
        }
        by_label.insert(label, leaf);
    }
    let codes = 0..to_u32(dictionary.len());
    let leaf = |code: u32| {
        if Some(code) == dictionary.missing() {
            return missing;
        }
        let label = dictionary.label(code);
        let same_value = || value(kind, &label).and_then(|value| by_value.get(&value));
        by_label.get(label.as_ref()).or_else(same_value).copied()
    };
    codes.map(leaf).collect()
}

/// What a label means to a column that is not text, in any form that distinguishes values.
fn value(kind: Kind, label: &str) -> Option<u64> {
    match kind {
        Kind::Integer => label.parse::<i64>().ok().map(i64::cast_unsigned),
        // Adding 0 makes −0 the 0 that dictionaries hold.
        Kind::Number => label.parse::<f64>().ok().map(|number| (number + 0.0).to_bits()),
        Kind::Date => {
            NaiveDate::parse_from_str(label, "%Y-%m-%d").ok().map(|day| i64::from(day.to_epoch_days()).cast_unsigned())
        }
        Kind::Text => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Values;

    fn read(text: &str) -> Hierarchy {
        Hierarchy::read(text).expect("a hierarchy")
    }

    #[test]
    fn numbers_and_days_are_found_however_they_are_written() {
        let numbers = Dictionary::new(Values::Numbers { values: vec![0.0, 0.5], scale: Some(2) }, false);
        assert!(Coverage::of(&read("-0;*\n.5;*\n"), &numbers).is_complete());
        let integers = Dictionary::new(Values::Integers(vec![7]), false);
        assert!(Coverage::of(&read("007;*\n"), &integers).is_complete());
        let days = Dictionary::new(Values::Dates(vec![0]), false);
        assert!(Coverage::of(&read("1970-1-1;*\n"), &days).is_complete());
    }

    #[test]
    fn texts_are_compared_byte_for_byte() {
        assert!(!Coverage::of(&read("Ulm ;*\n"), &Dictionary::of_texts(["Ulm"])).is_complete());
    }

    #[test]
    fn a_missing_value_is_covered_by_the_line_with_an_empty_first_cell() {
        let ages = Dictionary::new(Values::Integers(vec![1, 2, 3]), true);
        let coverage = Coverage::of(&read("1;*\n;*\n"), &ages);
        assert_eq!((coverage.covered(), coverage.uncovered(), coverage.missing_unlisted()), (2, &[1, 2][..], false));
        assert_eq!(coverage.uncovered_rows(&[10, 4, 5, 9]), 9);
        let coverage = Coverage::of(&read("1;*\n2;*\n3;*\n4;*\n"), &ages);
        assert!(coverage.is_complete() && coverage.missing_unlisted());
        assert_eq!(coverage.unused(), [3]);
    }
}
