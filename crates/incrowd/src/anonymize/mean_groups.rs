//! Microaggregation: the groups of near numbers whose means are published.
//!
//! The distinct numbers of a column are counted in memory before anything is solved, within the limit of the engine, and
//! grouped optimally (Hansen and Mukherjee) so that equal numbers stay together. A group has rows of the whole table. When
//! rows are suppressed, fewer than k of a group may be published: the staged rows are counted, such groups are merged with a
//! neighbour, and the rows are written again.

use std::collections::HashMap;
use std::sync::Arc;

use incrowd_algorithms::microaggregation::optimal_value_groups;
use incrowd_core::{Decimal, MeanGroups, Treatment, ValueGroups, distinct_numbers};
use incrowd_engine::{Engine, EngineError, Question, Source};

use super::columns::{ColumnGroups, Columns};
use crate::error::{Error, Result, TreatmentFault};
use crate::exposure::PublishedRows;

/// Counts the numbers of each column that is to be microaggregated, and groups them.
pub(super) fn group(engine: &Engine, source: &Source, columns: &Columns) -> Result<ColumnGroups> {
    let mut groups = ColumnGroups::new();
    for (column, treatment, k, base) in microaggregated(columns) {
        let question = Question { quasi_identifiers: vec![column.clone()], ..Question::default() };
        let counted = source.count_here(engine, &question)?.into_table(engine)?;
        let untreatable = |kind: &str| {
            let (column, treatment) = (column.clone(), treatment.to_string());
            Error::from(EngineError::Untreatable { column, treatment, kind: kind.into() })
        };
        let numbers = distinct_numbers(&counted).ok_or_else(|| untreatable("a cell that is not a number"))?;
        let rows: u64 = numbers.iter().map(|(_, rows)| rows).sum();
        if (1..k).contains(&rows) {
            return Err(too_few(column, treatment));
        }
        let near: Vec<(f64, u64)> = numbers.iter().map(|(number, rows)| (number.approximate(), *rows)).collect();
        let found = MeanGroups::new(&numbers, &optimal_value_groups(&near, k), base);
        let found = found.ok_or_else(|| untreatable("numbers with too many digits"))?;
        groups.insert(column, Arc::new(ValueGroups::Means(found)));
    }
    Ok(groups)
}

/// The groups after those were merged of which fewer than k rows are published; nothing of columns where there are none such.
pub(super) fn merged(
    engine: &Engine,
    columns: &Columns,
    groups: &ColumnGroups,
    rows: &PublishedRows,
) -> Result<ColumnGroups> {
    let mut changed = ColumnGroups::new();
    for (column, treatment, k, _) in microaggregated(columns) {
        let Some(ValueGroups::Means(before)) = groups.get(&column).map(|groups| &**groups) else { continue };
        let published = rows.tuples(engine, [&column])?.and_then(|counted| distinct_numbers(&counted));
        let Some(published) = published else { return Err(too_few(column, treatment)) };
        if published.iter().all(|(_, rows)| *rows >= k) {
            continue;
        }
        let published: HashMap<String, u64> =
            published.into_iter().map(|(mean, rows)| (mean.to_string(), rows)).collect();
        let rows_of = |mean: Decimal| published.get(&mean.to_string()).copied().unwrap_or(0);
        let merged = before.merged(k, rows_of).filter(|merged| merged != before);
        let merged = merged.ok_or_else(|| too_few(column.clone(), treatment))?;
        changed.insert(column, Arc::new(ValueGroups::Means(merged)));
    }
    Ok(changed)
}

fn too_few(column: String, treatment: &Treatment) -> Error {
    Error::TreatmentRefused { column, treatment: treatment.to_string(), why: TreatmentFault::TooFewRows }
}

/// The columns that are microaggregated, with their treatment and its parameters.
fn microaggregated(columns: &Columns) -> impl Iterator<Item = (String, &Treatment, u64, Decimal)> {
    let names = columns.treated(|treatment| matches!(treatment, Treatment::Microaggregate { .. }));
    names.into_iter().filter_map(move |column| match columns.treatment(&column)? {
        treatment @ Treatment::Microaggregate { k, base } => Some((column, treatment, u64::from(*k), *base)),
        _ => None,
    })
}
