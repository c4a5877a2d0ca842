//! Special uniques: rows that are unique on few columns already.

use incrowd_core::{ColumnSet, FrequencyTable, Watch};
use incrowd_risk::population::SpecialUniques;
use serde::Serialize;

use crate::error::{Error, Result};

/// A row that is unique on few columns, by its values. Only for those who may see the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpecialRow {
    /// The values of the quasi-identifiers.
    pub values: Vec<String>,
    /// The sum of the scores of its minimal sample uniques.
    pub score: f64,
    /// Its DIS score, if the sampling fraction is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dis: Option<f64>,
    /// The smallest column sets on which it is unique.
    pub minimal_sets: Vec<Vec<String>>,
}

/// The special uniques of a table, and those with the highest scores by their values.
pub(super) fn found(
    table: &FrequencyTable,
    columns: ColumnSet,
    depth: usize,
    fraction: Option<f64>,
    values: usize,
    watch: &Watch,
) -> Result<(SpecialUniques, Vec<SpecialRow>)> {
    let found = SpecialUniques::of(table, columns, depth, fraction, watch);
    let found = found.map_err(|error| Error::TooManySets { columns: error.columns })??;
    let mut tuples: Vec<usize> = (0..table.tuples()).filter(|&tuple| found.scores[tuple] > 0.0).collect();
    tuples.sort_by(|&a, &b| found.scores[b].total_cmp(&found.scores[a]));
    let label = |tuple: usize, column: usize| {
        table.attributes()[column].dictionary.label(table.code(tuple, column)).into_owned()
    };
    let named = |&tuple: &usize| SpecialRow {
        values: columns.iter().map(|column| label(tuple, column)).collect(),
        score: found.scores[tuple],
        dis: found.dis_score(found.scores[tuple]),
        minimal_sets: found.sets_of(tuple).into_iter().map(|set| table.names(set)).collect(),
    };
    let rows = tuples.iter().take(values).map(named).collect();
    Ok((found, rows))
}
