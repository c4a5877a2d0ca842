//! How many classes there can be at most when every class needs p distinct values of a sensitive attribute.
//!
//! Truta, Campan and Meyer, "Generating microdata with p-sensitive k-anonymity property", SDM 2007, section 2.2,
//! gives two necessary conditions. The first: the table has p distinct values. The second: of the rows that have
//! none of the p − i most frequent values every class needs at least i, for every i from 1 to p. With n rows, of
//! which cf(j) have one of the j most frequent values:
//!
//! > maxClusters = min over i = 1 … p of ⌊(n − cf(p − i)) / i⌋
//!
//! For one attribute, and with k = 1, this number of classes can be made. For several attributes each has its own
//! number, the least of which counts; that is a bound which is not always reached (figure 1 there). No class has fewer
//! than k rows, so ⌊n/k⌋ bounds it too, often far below. Rows are counted also where the table has a subject column: a
//! class of k people has at least k rows, and a person may be in several classes, so people bound nothing.

use crate::solver::numbers::to_usize;
use std::fmt;

use incrowd_core::{FrequencyTable, Members, ModelError, Policy, Variety, counted, thousands};

/// The most classes that rows of values with these frequencies can make when each needs p distinct values, and the
/// least i for which the second condition says so; nothing when there are fewer than p values. Of the order of
/// `frequencies` nothing is asked.
///
/// ```
/// use incrowd_algorithms::max_clusters;
/// assert_eq!(max_clusters(&[2, 2], 2), Some((2, 1)));
/// assert_eq!(max_clusters(&[2, 2, 2, 2, 1], 3), Some((3, 2)));
/// assert_eq!(max_clusters(&[7, 2], 3), None);
/// ```
pub fn max_clusters(frequencies: &[u64], p: u64) -> Option<(u64, u64)> {
    let mut descending: Vec<u64> = frequencies.iter().copied().filter(|&rows| rows > 0).collect();
    descending.sort_unstable_by(|a, b| b.cmp(a));
    let p = p.max(1);
    if (descending.len() as u64) < p {
        return None;
    }
    let rows: u64 = descending.iter().sum();
    let frequent = |values: u64| descending[..to_usize(values)].iter().sum::<u64>();
    (1..=p).map(|i| ((rows - frequent(p - i)) / i, i)).min()
}

/// What the second condition says of one sensitive attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeBound {
    /// Its name.
    pub name: String,
    /// How many distinct values it has, a protected group being one: p can be no more.
    pub values: u64,
    /// Whether some values count as one, so that kinds of values are counted.
    pub kinds: bool,
    /// How many a class needs.
    pub p: u64,
    /// The most classes; 0 when there are fewer than p values.
    pub classes: u64,
    /// The most classes if each had all values there are, which is the largest p.
    pub classes_of_all: u64,
}

/// How many classes there can be at most, and what follows for measures that count classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassBound {
    /// How many rows there are.
    pub rows: u64,
    /// The fewest rows of a class.
    pub k: u64,
    /// For each sensitive attribute that p values are wanted of.
    pub attributes: Vec<AttributeBound>,
}

impl ClassBound {
    /// The bound for a table when nothing is suppressed. Refused when the policy does not fit the table.
    pub fn new(table: &FrequencyTable, policy: &Policy) -> Result<ClassBound, ModelError> {
        ClassBound::of(table, policy, &Members::whole(table))
    }

    /// The bound for these rows of a table, those that are published. Refused when the policy does not fit the table.
    pub fn of(table: &FrequencyTable, policy: &Policy, rows: &Members<'_>) -> Result<ClassBound, ModelError> {
        let bound = |variety: &Variety| {
            let frequencies: Vec<u64> = variety.frequencies(rows).iter().map(|count| count.1).collect();
            let classes = |p: u64| max_clusters(&frequencies, p).map_or(0, |(classes, _)| classes);
            AttributeBound {
                name: table.attributes()[variety.column].name.clone(),
                values: frequencies.len() as u64,
                kinds: (0..).zip(&variety.things).any(|(code, &thing)| code != thing),
                p: variety.least,
                classes: classes(variety.least),
                classes_of_all: classes(frequencies.len() as u64),
            }
        };
        let attributes = policy.bind(table)?.varieties().iter().map(bound).collect();
        Ok(ClassBound { rows: rows.rows(), k: policy.k(), attributes })
    }

    /// The most classes that the sensitive attributes leave, whatever k is; nothing when no variety is asked for.
    pub fn max_clusters(&self) -> Option<u64> {
        self.attributes.iter().map(|attribute| attribute.classes).min()
    }

    /// The most classes. 0 when the policy cannot be kept.
    pub fn classes(&self) -> u64 {
        let of_k = self.rows / self.k.max(1);
        self.max_clusters().map_or(of_k, |most| most.min(of_k))
    }

    /// The least AVG, the mean class size divided by k; nothing when the policy cannot be kept.
    pub fn avg(&self) -> Option<f64> {
        let classes = self.classes();
        (classes > 0).then(|| self.rows as f64 / (classes as f64 * self.k.max(1) as f64))
    }

    /// The least DM, the sum of squared class sizes, which as many and as even classes as there can be have; nothing
    /// when the policy cannot be kept.
    pub fn dm(&self) -> Option<u64> {
        let each = self.rows.checked_div(self.classes())?;
        let larger = self.rows % self.classes();
        Some(larger * (each + 1).pow(2) + (self.classes() - larger) * each.pow(2))
    }
}

/// In words, attribute by attribute: how large p can be, and how many classes there can be for the p that is asked for.
impl fmt::Display for ClassBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_k = self.rows / self.k.max(1);
        if self.attributes.is_empty() || of_k == 0 {
            return write!(f, "with k = {}, at most {}", thousands(self.k), counted(of_k, "class", "classes"));
        }
        for (at, attribute) in self.attributes.iter().enumerate() {
            let AttributeBound { name, values, kinds, p, classes, .. } = attribute;
            let before = if at > 0 { "; " } else { "" };
            let words = if *kinds { ("category of values", "categories of values") } else { ("value", "values") };
            let values = counted(*values, words.0, words.1);
            write!(f, "{before}“{name}” has {values}, so p can be at most {}", thousands(attribute.values))?;
            if *classes > 0 {
                let classes = counted((*classes).min(of_k), "class", "classes");
                write!(f, "; with k = {} and p = {}, at most {classes}", thousands(self.k), thousands(*p))?;
            } else {
                write!(f, ", less than p = {}", thousands(*p))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The most classes that rows of these values make, each with p different ones: the largest number m for which
    /// every value gives at most one row to each of m classes and m·p rows come together.
    fn by_dealing(frequencies: &[u64], p: u64) -> u64 {
        let dealt = |classes: u64| frequencies.iter().map(|&rows| rows.min(classes)).sum::<u64>();
        let rows: u64 = frequencies.iter().sum();
        (0..=rows).rev().find(|&classes| dealt(classes) >= classes * p).unwrap_or(0)
    }

    proptest! {
        #[test]
        fn one_attribute_makes_as_many_classes_as_the_second_condition_says(
            frequencies in prop::collection::vec(1u64..12, 0..7),
            p in 1u64..8,
        ) {
            let found = max_clusters(&frequencies, p).map_or(0, |found| found.0);
            prop_assert_eq!(found, by_dealing(&frequencies, p));
        }
    }
}
