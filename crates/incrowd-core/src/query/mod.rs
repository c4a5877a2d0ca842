//! Counting questions about a table: what is asked, of which rows, and what a published cell may have been.
//!
//! A [`Query`] is plain data: aggregates, a [`Condition`] for each column that is asked about, and the columns that split
//! the answer. Conditions are judged on single values ([`Condition::holds`]); a cell that stands for several values
//! ([`CellColumn`]) is judged by the share of them that satisfy the condition, and by whether all or any of them do.
//!
//! The SQL parser of the engine makes a [`Query`]. What a label stands for is taken from a hierarchy, or from the label
//! itself (`reading.rs`). When a release is made, `describe.rs` checks with that same reading code whether the labels
//! of a column describe themselves; the manifest declares the result.

mod cells;
mod condition;
mod describe;
mod label;
mod pattern;
mod range;
mod reading;
mod tally;
mod value;

use std::fmt;

pub use cells::CellColumn;
pub use condition::{Comparison, Condition, Misfit};
pub(crate) use describe::SelfDescribingNodes;
pub use describe::describe_themselves;
pub use label::named_members;
pub use pattern::Pattern;
pub use tally::{CellShare, CellSpread};
pub use value::{Leaf, Literal, Value};

/// A question about rows.
///
/// ```
/// use incrowd_core::query::{Aggregate, Condition, Literal, Query, Value};
/// let older = Condition::between(Literal::new("30"), Literal::new("40"));
/// let query = Query::count([("age", older)]);
/// assert_eq!(query.columns(), ["age"]);
/// assert!(query.conditions[0].1.holds(Value::Integer(40)));
/// assert!(!query.conditions[0].1.holds(Value::Missing));
/// assert_eq!(query.select[0].name, "COUNT(*)");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// What is asked of the rows, at least one.
    pub select: Vec<Selected>,
    /// What rows must satisfy, one condition for each column.
    pub conditions: Vec<(String, Condition)>,
    /// The columns whose values split the answer.
    pub group_by: Vec<String>,
}

/// An aggregate under its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// What is asked.
    pub aggregate: Aggregate,
    /// The name of the answer: an alias, or the aggregate as it is written.
    pub name: String,
}

/// What is asked of the rows that satisfy the conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// How many there are.
    Count,
    /// The sum of a column of numbers; missing values add nothing.
    Sum(String),
    /// The mean of a column of numbers, missing values left out.
    Mean(String),
}

impl Aggregate {
    /// The column it is about.
    pub fn column(&self) -> Option<&str> {
        match self {
            Aggregate::Count => None,
            Aggregate::Sum(column) | Aggregate::Mean(column) => Some(column),
        }
    }

    /// The same under its own name.
    pub fn named(self) -> Selected {
        let name = self.to_string();
        Selected { aggregate: self, name }
    }
}

impl fmt::Display for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aggregate::Count => write!(f, "COUNT(*)"),
            Aggregate::Sum(column) => write!(f, "SUM({column})"),
            Aggregate::Mean(column) => write!(f, "AVG({column})"),
        }
    }
}

impl Query {
    /// How many rows satisfy these conditions?
    pub fn count<N: Into<String>>(conditions: impl IntoIterator<Item = (N, Condition)>) -> Self {
        let conditions = conditions.into_iter().map(|(name, condition)| (name.into(), condition)).collect();
        Query { select: vec![Aggregate::Count.named()], conditions, group_by: Vec::new() }
    }

    /// Every column it names, once, in the order in which they are first named.
    pub fn columns(&self) -> Vec<&str> {
        let asked = self.select.iter().filter_map(|selected| selected.aggregate.column());
        let split = self.group_by.iter().map(String::as_str);
        let mut names: Vec<&str> = Vec::new();
        for name in self.conditions.iter().map(|(name, _)| name.as_str()).chain(split).chain(asked) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The condition on a column.
    pub fn condition(&self, column: &str) -> Option<&Condition> {
        self.conditions.iter().find(|(name, _)| name == column).map(|(_, condition)| condition)
    }
}

/// Why a query is refused, and what to do instead. Never holds a value of a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct QueryError {
    /// What cannot be taken.
    pub what: String,
    /// What to do instead.
    pub remedy: String,
}

impl QueryError {
    /// A refusal with its remedy.
    pub fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        QueryError { what: what.into(), remedy: remedy.into() }
    }
}
