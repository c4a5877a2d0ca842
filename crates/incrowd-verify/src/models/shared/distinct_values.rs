//! A minimum number of distinct values in every class: the definition of p-sensitivity and of distinct ℓ-diversity.
//!
//! A missing value is a value. The values of a protected group, where there are some, count as one.

use std::collections::BTreeSet;

use super::super::{ClassTest, Model};
use super::SensitiveAttribute;
use super::sql::fewer_distinct_values;

/// Every class has at least `least` distinct values.
pub(crate) struct DistinctValues {
    pub(crate) least: u64,
    /// Values that count as one; no value is in two groups.
    pub(crate) groups: Vec<Vec<String>>,
}

impl DistinctValues {
    /// For each code the number of what it counts as. A group has a number above all codes, so that it is no single
    /// value.
    fn kinds(&self, attribute: &SensitiveAttribute) -> Vec<usize> {
        let labels = attribute.labels.as_slice();
        let kind = |(code, label): (usize, &Option<std::sync::Arc<str>>)| {
            let holds = |group: &Vec<String>| group.iter().any(|value| Some(value.as_str()) == label.as_deref());
            self.groups.iter().position(holds).map_or(code, |group| labels.len() + group)
        };
        labels.iter().enumerate().map(kind).collect()
    }
}

impl Model for DistinctValues {
    fn promise(&self, of: &str) -> String {
        let groups = if self.groups.is_empty() { "" } else { ", where all values of a protected group count as one" };
        format!("Each class has at least {} distinct values of {of}{groups}.", self.least)
    }

    fn one_each(&self, attribute: &SensitiveAttribute) -> Option<Vec<usize>> {
        Some(self.kinds(attribute))
    }

    fn sql(&self, quasi_identifiers: &[&str], of: &str) -> String {
        fewer_distinct_values(quasi_identifiers, of, &self.groups, self.least)
    }

    fn bind<'a>(&'a self, attribute: &'a SensitiveAttribute) -> ClassTest<'a> {
        if self.groups.is_empty() {
            return Box::new(|class| class.histogram().count() as u64 >= self.least);
        }
        let kinds = self.kinds(attribute);
        Box::new(move |class| {
            let met: BTreeSet<usize> = class.histogram().map(|(code, _)| kinds[code]).collect();
            met.len() as u64 >= self.least
        })
    }

    fn note(&self, attribute: &SensitiveAttribute) -> Option<String> {
        let published = |value: &String| attribute.published().any(|label| label == value.as_str());
        let absent = self.groups.iter().filter(|group| !group.iter().any(published)).count();
        let (count, name) = (self.groups.len(), &attribute.name);
        (absent > 0).then(|| format!("{absent} of {count} protected groups of {name} have no published value"))
    }
}
