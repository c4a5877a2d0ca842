//! What is answered.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use incrowd_core::query::Leaf;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::reading::ColumnReading;

/// How an answer is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// One table: a row counts by the share of its cells' values that satisfy the conditions.
    Uniform,
    /// One table: a row counts when each of its cells may satisfy the conditions.
    Overlap,
    /// Two tables: in each class, the rows that match in the one times the share that matches in the other.
    Expected,
    /// Two tables, as the paper on the lossy join prints it (`two_tables.rs`): every matching row of the second whose
    /// class has a match in the first.
    Printed,
}

impl Estimator {
    /// All of them.
    pub const ALL: [Estimator; 4] = [Estimator::Uniform, Estimator::Overlap, Estimator::Expected, Estimator::Printed];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Estimator::Uniform => "uniform",
            Estimator::Overlap => "overlap",
            Estimator::Expected => "expected",
            Estimator::Printed => "printed",
        }
    }
}

impl fmt::Display for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct QueryFigure {
    /// What the original is estimated to answer; nothing for the mean of no rows.
    pub estimate: Option<f64>,
    /// The original certainly answers no less; nothing when that cannot be said.
    pub lower: Option<f64>,
    /// The original certainly answers no more; nothing when that cannot be said.
    pub upper: Option<f64>,
    /// What the original does answer, when it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<Option<f64>>,
    /// How far the estimate is from it, as a share of it; nothing when it is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_error: Option<Option<f64>>,
}

impl QueryFigure {
    fn compare(&mut self, actual: Option<f64>) {
        let error = self.estimate.zip(actual.filter(|actual| *actual != 0.0));
        self.actual = Some(actual);
        self.relative_error = Some(error.map(|(estimate, actual)| (estimate - actual).abs() / actual.abs()));
    }
}

/// A figure under its name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedFigure {
    /// The aggregate, or its alias.
    pub name: String,
    /// The figure.
    #[serde(flatten)]
    pub figure: QueryFigure,
}

/// Columns with their values.
type GroupKey = Vec<(String, Option<String>)>;

/// The figures of the rows that agree on the columns of GROUP BY.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueryGroup {
    /// The columns with their values; a missing value is nothing.
    #[serde(serialize_with = "as_map")]
    pub key: GroupKey,
    /// The figure, when one is requested.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub figure: Option<QueryFigure>,
    /// The figures, when several are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<NamedFigure>>,
    /// The values, for their order.
    #[serde(skip)]
    leaves: Vec<Leaf>,
}

fn as_map<S: Serializer>(key: &[(String, Option<String>)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(key.len()))?;
    for (name, value) in key {
        map.serialize_entry(name, value)?;
    }
    map.end()
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answered {
    /// How it was estimated.
    pub estimator: Estimator,
    /// Published rows.
    pub rows: u64,
    /// The most rows of the original that were suppressed.
    pub suppressed_rows: u64,
    /// The figure, when one is requested and not by groups.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub figure: Option<QueryFigure>,
    /// The figures, when several are requested and not by groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<NamedFigure>>,
    /// The groups, sorted by their values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<QueryGroup>>,
    /// How the cells of each column were read.
    pub columns: Vec<ColumnReading>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// Whether groups are values of the columns, and not published labels.
    #[serde(skip)]
    pub(super) by_value: bool,
    /// What each aggregate answers when there are no rows.
    #[serde(skip)]
    pub(super) of_no_rows: Vec<Option<f64>>,
}

/// The figures of one group, before they are put into their form.
pub(super) struct GroupFigures {
    pub(super) key: Vec<Leaf>,
    pub(super) figures: Vec<QueryFigure>,
}

/// One figure is given alone, several as a list.
pub(super) fn formed(
    names: &[String],
    mut figures: Vec<QueryFigure>,
) -> (Option<QueryFigure>, Option<Vec<NamedFigure>>) {
    if names.len() == 1 {
        return (figures.pop(), None);
    }
    let named = |(name, figure): (&String, QueryFigure)| NamedFigure { name: name.clone(), figure };
    (None, Some(names.iter().zip(figures).map(named).collect()))
}

impl QueryGroup {
    pub(super) fn new(columns: &[String], names: &[String], found: GroupFigures) -> Self {
        let (figure, answers) = formed(names, found.figures);
        let value = |leaf: &Leaf| leaf.label().map(std::borrow::Cow::into_owned);
        let key = columns.iter().cloned().zip(found.key.iter().map(value)).collect();
        QueryGroup { key, figure, answers, leaves: found.key }
    }

    /// The same group with estimates of no rows: it stands in the original only.
    fn emptied(&self, of_no_rows: &[Option<f64>]) -> QueryGroup {
        let mut group = self.clone();
        let figures = group.figure.iter_mut().chain(group.answers.iter_mut().flatten().map(|one| &mut one.figure));
        for (figure, &estimate) in figures.zip(of_no_rows) {
            *figure = QueryFigure { estimate, ..QueryFigure::default() };
        }
        group
    }

    fn figures(&self) -> impl Iterator<Item = &QueryFigure> {
        self.figure.iter().chain(self.answers.iter().flatten().map(|one| &one.figure))
    }

    fn order(&self, other: &QueryGroup) -> std::cmp::Ordering {
        let orders = self.leaves.iter().zip(&other.leaves).map(|(one, two)| one.order(two));
        orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    }
}

impl Answered {
    /// Puts what the original answers next to the estimates. Groups by published labels have no counterpart in it.
    pub(super) fn compare(&mut self, truth: &Answered) {
        let known = truth.figure.iter().chain(truth.answers.iter().flatten().map(|one| &one.figure));
        let figures = self.figure.iter_mut().chain(self.answers.iter_mut().flatten().map(|one| &mut one.figure));
        figures.zip(known).for_each(|(figure, truth)| figure.compare(truth.estimate));
        let (Some(groups), Some(actual)) = (&mut self.groups, &truth.groups) else { return };
        if !self.by_value {
            self.notes.push("groups by published labels have no counterpart in the original".into());
            return;
        }
        let by_key: BTreeMap<&GroupKey, &QueryGroup> = actual.iter().map(|group| (&group.key, group)).collect();
        let known: BTreeSet<GroupKey> = groups.iter().map(|group| group.key.clone()).collect();
        let others = actual.iter().filter(|group| !known.contains(&group.key));
        groups.extend(others.map(|group| group.emptied(&self.of_no_rows)));
        groups.sort_by(QueryGroup::order);
        for group in groups {
            let truth: Vec<Option<f64>> = match by_key.get(&group.key) {
                Some(truth) => truth.figures().map(|figure| figure.estimate).collect(),
                None => self.of_no_rows.clone(),
            };
            let figures = group.figure.iter_mut().chain(group.answers.iter_mut().flatten().map(|one| &mut one.figure));
            figures.zip(truth).for_each(|(figure, truth)| figure.compare(truth));
        }
    }
}
