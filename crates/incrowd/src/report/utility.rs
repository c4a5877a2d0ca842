//! What a report says of loss: per column and overall, levels, query error.

use incrowd_report::dossier::{ColumnUtility, EstimatorErrors, LevelShare, Queries, Rounded, Share, Utility};
use incrowd_verify::Manifest;
use serde_json::Value;

use super::LEAST_TOLD;
use crate::ask::compare::{ComparedRelease, Errors};
use crate::release::{ColumnWhy, small_counts};

/// Questions that are asked for the query error of a report.
pub(crate) const QUERIES: usize = 200;

/// What readers lose and keep, by the manifest and by what the columns became.
pub(crate) fn utility(manifest: &Manifest, why: &[ColumnWhy]) -> Utility {
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_f64);
    let column = |value: &Value| {
        let name = value.get("name").and_then(Value::as_str).unwrap_or_default();
        let levels = why.iter().find(|why| why.name == name).map(|why| {
            let height = why.levels.iter().map(|level| level.level).max().unwrap_or(0);
            let mut rows = vec![0; height + 1];
            why.levels.iter().for_each(|level| rows[level.level] += rows_of(level.share, manifest.rows));
            LevelShare::of(&rows, LEAST_TOLD)
        });
        // Of the published rows; in older manifests, and where nothing may be suppressed, of all rows.
        let of = manifest.source_rows.exact().unwrap_or(manifest.rows);
        let unchanged = number(value, "unchanged").map(|share| rows_of(share, of));
        let generalized = manifest.two_tables.is_none();
        ColumnUtility {
            loss: number(value, "lm").filter(|_| generalized).map(Rounded::of),
            unchanged: unchanged.filter(|_| generalized).map(|rows| Share::of(rows, manifest.rows, LEAST_TOLD)),
            levels: levels.unwrap_or_default(),
            ..ColumnUtility::new(name)
        }
    };
    let columns = manifest.loss.get("columns").and_then(Value::as_array).into_iter().flatten().map(column).collect();
    let keeps = match &manifest.two_tables {
        Some(_) => vec![
            "Every statistic of quasi-identifiers alone, and of sensitive columns alone, is exact on the published rows."
                .to_owned(),
            "The relation between quasi-identifiers and sensitive columns is known only by class.".to_owned(),
        ],
        None => vec![
            "Every statistic of columns that are retained is exact on the published rows.".to_owned(),
            "Generalized columns can be counted by their published labels exactly; more detailed queries are \
             estimates, with bounds from `incrowd query`."
                .to_owned(),
        ],
    };
    Utility {
        measure: "LM".into(),
        loss: number(&manifest.loss, "lm").filter(|_| manifest.two_tables.is_none()).map(Rounded::of),
        of_published: small_counts::most_withheld(manifest) > 0,
        columns,
        k: manifest.policy.models.iter().find_map(|rule| rule.parameters.get("k")?.as_u64()),
        keeps,
        ..Utility::default()
    }
}

/// The rows that a share stands for. Negative shares are none, and none is above all: the cast saturates.
fn rows_of(share: f64, rows: u64) -> u64 {
    (share * rows as f64).round() as u64
}

/// Fills in what the original tells when the release is held against it.
pub(super) fn held_against(utility: &mut Utility, found: &ComparedRelease) {
    for column in &mut utility.columns {
        let marginal = found.marginals.iter().find(|marginal| marginal.column == column.column);
        column.marginal_distance = marginal.map(|marginal| Rounded::of(marginal.distance));
    }
    utility.marginal_distance = Some(Rounded::of(found.marginal_distance));
    utility.dependence_difference = Some(Rounded::of(found.dependence_difference));
    let errors = found.queries.iter().map(|one| (one.estimator, one.errors));
    utility.queries = Some(queries(QUERIES, errors));
}

/// How far answers are off, by estimator.
pub(crate) fn queries<'a>(asked: usize, errors: impl IntoIterator<Item = (&'a str, Errors)>) -> Queries {
    let error = |(estimator, errors): (&str, Errors)| EstimatorErrors {
        estimator: estimator.into(),
        mean: Rounded::of(errors.mean),
        median: Rounded::of(errors.median),
    };
    Queries {
        asked: asked as u64,
        about: "They count rows by several quasi-identifiers and, if there is one, a sensitive column.".into(),
        errors: errors.into_iter().map(error).collect(),
    }
}
