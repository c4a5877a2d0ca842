//! What a report says of loss: per column and overall, levels, query error.

use incrowd_core::dossier::{ColumnUtility, LevelShare, Queries, QueryError, Rounded, Utility};
use incrowd_verify::Manifest;
use serde_json::Value;

use super::LEAST_TOLD;
use crate::compare::Compared;
use crate::release::Record;

/// Questions that are asked for the query error of a report.
pub(super) const QUERIES: usize = 200;

/// What readers lose and keep, from the manifest, the record and the comparison with the original.
pub(super) fn utility(manifest: &Manifest, record: Option<&Record>, compared: Option<&Compared>) -> Utility {
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_f64);
    let found = compared.and_then(|compared| compared.releases.first());
    let column = |value: &Value| {
        let name = value.get("name").and_then(Value::as_str).unwrap_or_default();
        let why = record.and_then(|record| record.why.iter().find(|why| why.name == name));
        let levels = why.map(|why| {
            let height = why.levels.iter().map(|level| level.level).max().unwrap_or(0);
            let mut rows = vec![0; height + 1];
            why.levels
                .iter()
                .for_each(|level| rows[level.level] += (level.share * manifest.rows as f64).round() as u64);
            LevelShare::of(&rows, LEAST_TOLD)
        });
        let marginal = found.and_then(|found| found.marginals.iter().find(|marginal| marginal.column == name));
        ColumnUtility {
            loss: number(value, "lm").map(Rounded::of),
            levels: levels.unwrap_or_default(),
            marginal_distance: marginal.map(|marginal| Rounded::of(marginal.distance)),
            ..ColumnUtility::new(name)
        }
    };
    let columns = manifest.loss.get("columns").and_then(Value::as_array).into_iter().flatten().map(column).collect();
    let queries = found.map(|found| Queries {
        asked: QUERIES as u64,
        about: "random counts over quasi-identifiers and a sensitive column".into(),
        errors: found
            .queries
            .iter()
            .map(|one| QueryError {
                estimator: one.estimator.into(),
                mean: Rounded::of(one.errors.mean),
                median: Rounded::of(one.errors.median),
            })
            .collect(),
    });
    Utility {
        measure: "LM".into(),
        loss: number(&manifest.loss, "lm").map(Rounded::of),
        columns,
        marginal_distance: found.map(|found| Rounded::of(found.marginal_distance)),
        dependence_difference: found.map(|found| Rounded::of(found.dependence_difference)),
        queries,
        k: manifest.policy.models.iter().find_map(|rule| rule.parameters.get("k")?.as_u64()),
        ..Utility::default()
    }
}
