//! Each promise as a query, so that a reader can check it with an engine of their own.
//!
//! A query runs over a table named `release` and returns no row exactly when the promise holds. It is plain standard
//! SQL: DataFusion, DuckDB and PostgreSQL run it. Load the columns as text.

use serde::Serialize;

use crate::manifest::{Manifest, Role};
use crate::models::questions;

/// One promise as a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelSql {
    /// The name of the model.
    pub model: String,
    /// The sensitive attribute that it protects, if it protects one.
    pub sensitive: Option<String>,
    /// Returns no row exactly when the promise holds.
    pub sql: String,
}

/// A query for each model of the policy and each sensitive attribute. Models that are not known here have none.
pub fn sql(manifest: &Manifest) -> Vec<ModelSql> {
    let published = manifest.columns.iter().filter(|column| column.is_published());
    let quasi_identifiers: Vec<&str> =
        published.filter(|column| column.role == Role::QuasiIdentifier).map(|column| column.name.as_str()).collect();
    let (questions, _) = questions(&manifest.policy);
    questions
        .into_iter()
        .map(|question| ModelSql {
            sql: question.asks.sql(&quasi_identifiers, question.sensitive.as_deref()),
            model: question.model.to_string(),
            sensitive: question.sensitive,
        })
        .collect()
}

/// The columns whose equal cells make a class. There may be none: then the whole table is one class.
pub(crate) struct Classes<'a>(pub(crate) &'a [&'a str]);

impl Classes<'_> {
    pub(crate) fn listed(&self) -> String {
        self.0.iter().map(|name| identifier(name)).collect::<Vec<_>>().join(", ")
    }

    /// The columns in front of something else that is selected.
    pub(crate) fn listed_before(&self) -> String {
        if self.0.is_empty() { String::new() } else { format!("{}, ", self.listed()) }
    }

    pub(crate) fn group_by(&self) -> String {
        if self.0.is_empty() { String::new() } else { format!(" GROUP BY {}", self.listed()) }
    }
}

/// A column name as SQL writes it.
pub(crate) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text as SQL writes it.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A name like `wish` that is none of the `taken` ones; engines differ in whether case tells names apart.
pub(crate) fn unused(wish: &str, taken: &[&str]) -> String {
    let mut name = wish.to_string();
    while taken.iter().any(|other| other.eq_ignore_ascii_case(&name)) {
        name.push('_');
    }
    name
}
