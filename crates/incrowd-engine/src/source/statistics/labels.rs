//! Is a column read by its labels? Only when each of its values has a label, and no two of them have the same.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{StatisticsCell, StatisticsValue, StatisticsVariable};

/// More distinct values than this are no categories with labels.
const MOST_VALUES: usize = 1 << 16;

/// The distinct values of each column, as long as they are few.
#[derive(Default)]
pub(super) struct ValuesSeen {
    columns: Vec<Option<BTreeSet<String>>>,
}

impl ValuesSeen {
    pub(super) fn add(&mut self, cells: &[StatisticsCell]) {
        self.columns.resize_with(cells.len().max(self.columns.len()), || Some(BTreeSet::new()));
        for (seen, cell) in self.columns.iter_mut().zip(cells) {
            let (Some(values), Some(value)) = (seen.as_mut(), cell) else { continue };
            values.insert(value.text());
            if values.len() > MOST_VALUES {
                *seen = None;
            }
        }
    }

    /// How the labels of each column are used.
    pub(super) fn uses(&self, variables: &[StatisticsVariable]) -> Vec<LabelUse> {
        let none = Some(BTreeSet::new());
        let seen = |at: usize| self.columns.get(at).unwrap_or(&none).as_ref();
        variables.iter().enumerate().map(|(at, variable)| LabelUse::of(variable, seen(at))).collect()
    }
}

/// The label of each value, if the column is read by them.
pub(super) struct LabelUse {
    labels: Option<BTreeMap<String, String>>,
}

impl LabelUse {
    fn of(variable: &StatisticsVariable, seen: Option<&BTreeSet<String>>) -> LabelUse {
        let labels: BTreeMap<String, String> =
            variable.labels.iter().map(|(value, label)| (value.text(), label.trim().to_owned())).collect();
        let all_have_one = seen.is_some_and(|values| {
            let found: Vec<&String> = values.iter().filter_map(|value| labels.get(value)).collect();
            let distinct: BTreeSet<&String> = found.iter().copied().filter(|label| !label.is_empty()).collect();
            !values.is_empty() && distinct.len() == values.len()
        });
        LabelUse { labels: all_have_one.then_some(labels) }
    }

    pub(super) fn is_by_label(&self) -> bool {
        self.labels.is_some()
    }

    /// The text of a cell.
    pub(super) fn text<'c>(&'c self, cell: &'c StatisticsCell) -> Cow<'c, str> {
        let Some(value) = cell else { return Cow::Borrowed("") };
        match (&self.labels, value) {
            (Some(labels), _) => labels.get(&value.text()).map_or(Cow::Borrowed(""), |label| Cow::Borrowed(label)),
            (None, StatisticsValue::Text(text)) => Cow::Borrowed(text),
            (None, value) => Cow::Owned(value.text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(labels: &[(f64, &str)]) -> StatisticsVariable {
        let labels = labels.iter().map(|&(value, label)| (StatisticsValue::Number(value), label.to_owned()));
        StatisticsVariable { name: "v".into(), labels: labels.collect(), ..StatisticsVariable::default() }
    }

    fn is_by_label(values: &[f64], labels: &[(f64, &str)]) -> bool {
        let mut seen = ValuesSeen::default();
        values.iter().for_each(|&value| seen.add(&[Some(StatisticsValue::Number(value))]));
        seen.add(&[None]);
        seen.uses(&[variable(labels)])[0].is_by_label()
    }

    #[test]
    fn a_column_is_read_by_labels_only_when_each_value_has_one_of_its_own() {
        assert!(is_by_label(&[1.0, 2.0], &[(1.0, "man"), (2.0, "woman"), (3.0, "other")]));
        assert!(!is_by_label(&[34.0, 99.0], &[(99.0, "refused")]), "a number with a special value");
        assert!(!is_by_label(&[1.0, 2.0], &[(1.0, "north"), (2.0, "north")]), "values would be mixed up");
        assert!(!is_by_label(&[1.0], &[(1.0, " ")]), "a label without text");
        assert!(!is_by_label(&[], &[(1.0, "man")]), "nothing but missing values");
    }
}
