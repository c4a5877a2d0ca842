//! Sets of values as they are written in cells: `{a, b}`.
//!
//! The writer of sets has to refuse values with a brace or with a comma before a space, so a label comes apart in one
//! way only. A set has two values or more; a single one is written as itself, and all of them as `*`.

use std::collections::HashMap;

use ahash::RandomState;

use super::interval::decimal;

/// How a missing value is written inside a set.
const MISSING: &str = "(missing)";

type LabelsByText = HashMap<String, Vec<u32>, RandomState>;

/// For each value, the published sets that hold it.
#[derive(Default)]
pub(super) struct PublishedSets {
    by_value: LabelsByText,
    /// The value `0.50` is found in the set of `0.5`.
    by_number: LabelsByText,
    missing: Vec<u32>,
}

impl PublishedSets {
    /// Takes these labels apart; those that are no sets are left out.
    pub(super) fn new<'a>(labels: impl Iterator<Item = (u32, &'a str)>) -> PublishedSets {
        let mut sets = PublishedSets::default();
        for (code, values) in labels.filter_map(|(code, label)| Some((code, values(label)?))) {
            for value in values {
                if value == MISSING {
                    sets.missing.push(code);
                    continue;
                }
                if let Some(number) = decimal(value) {
                    sets.by_number.entry(number).or_default().push(code);
                }
                sets.by_value.entry(value.to_string()).or_default().push(code);
            }
        }
        sets
    }

    /// The codes of the labels that hold a value; nothing is the missing value.
    pub(super) fn labels(&self, value: Option<&str>) -> &[u32] {
        let Some(text) = value else { return &self.missing };
        let number = || self.by_number.get(&decimal(text)?);
        self.by_value.get(text).or_else(number).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The values of a set, if the label is one.
fn values(label: &str) -> Option<Vec<&str>> {
    let inner = label.strip_prefix('{')?.strip_suffix('}')?;
    let values: Vec<&str> = inner.split(", ").collect();
    let is_set = values.len() > 1 && values.iter().all(|value| !value.is_empty() && !value.contains(['{', '}']));
    is_set.then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_its_values_and_no_others() {
        let sets =
            PublishedSets::new([(1, "{f, x}"), (2, "{m, x, (missing)}"), (3, "f"), (4, "{f}"), (5, "*")].into_iter());
        assert_eq!([sets.labels(Some("f")), sets.labels(Some("x")), sets.labels(Some("m"))], [&[1][..], &[1, 2], &[2]]);
        assert_eq!(sets.labels(None), [2]);
        assert!(["(missing)", "f, x", "{f, x}", "", "F"].iter().all(|value| sets.labels(Some(value)).is_empty()));
    }

    #[test]
    fn a_number_is_found_however_it_is_written_unless_it_stands_there_itself() {
        let sets = PublishedSets::new([(1, "{0.5, 2}"), (2, "{007, 8}"), (3, "{7, 9}")].into_iter());
        assert_eq!([sets.labels(Some("0.50")), sets.labels(Some("2.0"))], [[1], [1]]);
        assert_eq!([sets.labels(Some("007")), sets.labels(Some("7"))], [[2], [3]]);
    }

    #[test]
    fn what_is_written_almost_like_a_set_is_none() {
        for label in ["{}", "{a}", "{a, b", "a, b}", "{a, }", "{a, {b, c}}", "{, a}", "{a,b}"] {
            assert_eq!(values(label), None, "{label}");
        }
        assert_eq!(values("{a,b, c}"), Some(vec!["a,b", "c"]));
    }
}
