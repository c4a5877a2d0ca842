//! Each promise as a query, so that a reader can check it with an engine of their own.
//!
//! A query runs over a table named `release` and returns no row exactly when the promise holds. It is plain standard
//! SQL: PostgreSQL, DuckDB and others run it. Load the columns as text.
//!
//! Of two tables `release` is the second, the one with the sensitive columns, and a class is what shares a class id. No
//! query asks whether the first has the same ids, each as often: count both and compare.
//!
//! When the release counts people, rows do not say whose they are. Then the query for k counts rows, of which a class
//! has at least as many as people, and a promise about shares of people has no query. Neither has a promise about a
//! population: labels and values are compared along hierarchies, which no table of the release holds.

use serde::Serialize;

use crate::manifest::{Counts, Manifest, Role};
use crate::models::{RowsSay, questions};

/// One promise as a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelSql {
    /// The name of the model.
    pub model: String,
    /// The sensitive attribute that it protects, if it protects one.
    pub sensitive: Option<String>,
    /// Returns no row exactly when the promise holds; when `only_rows`, when it holds for rows in place of people.
    pub sql: String,
    /// Whether the promise is about people and the query counts rows: rows that it returns break the promise, none
    /// prove nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_rows: bool,
}

/// A query for each model of the policy and each sensitive attribute. Models that are not known here have none, and
/// neither have promises about people that rows do not decide, and about a population.
pub fn sql(manifest: &Manifest) -> Vec<ModelSql> {
    let published = manifest.columns.iter().filter(|column| column.is_published());
    let quasi_identifiers: Vec<&str> = match &manifest.two_tables {
        Some(two) => vec![&two.class_column],
        None => {
            published.filter(|column| column.role == Role::QuasiIdentifier).map(|column| column.name.as_str()).collect()
        }
    };
    let (questions, _) = questions(&manifest.policy);
    let people = manifest.counts == Counts::People;
    questions
        .into_iter()
        .filter(|question| !question.of_population && (!people || question.rows_say != RowsSay::Nothing))
        .map(|question| ModelSql {
            sql: question.asks.sql(&quasi_identifiers, question.of()),
            only_rows: people && question.rows_say == RowsSay::Necessary,
            model: question.model.to_string(),
            sensitive: question.sensitive,
        })
        .collect()
}

#[cfg(test)]
mod tests;
