//! Extended p-sensitivity: every class has values of at least p different kinds, where the values of a protected group are
//! of one kind, and every other value, the missing one included, is of its own.

use std::collections::BTreeSet;

use super::shared::exact::{lists, whole};
use super::{Attribute, Class, Entry, Model, Parameters, RowsSay};
use crate::sql::different;

pub(super) const ENTRY: Entry = Entry {
    name: "extended-p-sensitive",
    protects_sensitive: true,
    parameters: &["p", "groups"],
    rows_say: RowsSay::Values,
    read: ExtendedPSensitive::read,
};

struct ExtendedPSensitive {
    p: u64,
    groups: Vec<Vec<String>>,
}

impl ExtendedPSensitive {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let groups = parameters.get("groups").and_then(lists).ok_or("groups is not a list of lists of values")?;
        let distinct: BTreeSet<&String> = groups.iter().flatten().collect();
        if distinct.len() < groups.iter().map(Vec::len).sum() {
            return Err("a value is in groups twice".to_string());
        }
        Ok(Box::new(ExtendedPSensitive { p: whole(parameters, "p")?, groups }))
    }
}

impl ExtendedPSensitive {
    /// For each code the number of its kind. A group has a number above all codes, so that it is no single value.
    fn kinds(&self, attribute: &Attribute) -> Vec<usize> {
        let labels = attribute.labels.as_slice();
        let kind = |(code, label): (usize, &Option<std::sync::Arc<str>>)| {
            let holds = |group: &Vec<String>| group.iter().any(|value| Some(value.as_str()) == label.as_deref());
            self.groups.iter().position(holds).map_or(code, |group| labels.len() + group)
        };
        labels.iter().enumerate().map(kind).collect()
    }
}

impl Model for ExtendedPSensitive {
    fn promise(&self, sensitive: Option<&str>) -> String {
        let of = sensitive.unwrap_or_default();
        format!(
            "Each class has at least {} different values of {of}, where all values of a protected group count as one.",
            self.p
        )
    }

    fn one_each(&self, attribute: &Attribute) -> Option<Vec<usize>> {
        Some(self.kinds(attribute))
    }

    fn sql(&self, quasi_identifiers: &[&str], sensitive: Option<&str>) -> String {
        different(quasi_identifiers, sensitive.unwrap_or_default(), &self.groups, self.p)
    }

    fn bind<'a>(&'a self, attribute: Option<&'a Attribute>) -> Box<dyn Fn(&Class<'_>) -> bool + 'a> {
        let kinds = attribute.map(|attribute| self.kinds(attribute)).unwrap_or_default();
        Box::new(move |class| {
            let met: BTreeSet<usize> = class.histogram().map(|(code, _)| kinds[code]).collect();
            met.len() as u64 >= self.p
        })
    }

    fn note(&self, attribute: Option<&Attribute>) -> Option<String> {
        let attribute = attribute?;
        let published = |value: &String| attribute.published().any(|label| label == value.as_str());
        let absent = self.groups.iter().filter(|group| !group.iter().any(published)).count();
        let (count, name) = (self.groups.len(), &attribute.name);
        (absent > 0).then(|| format!("{absent} of {count} protected groups of {name} have no published value"))
    }
}
