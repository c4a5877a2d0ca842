//! What the public folder of a release says about suppressed rows, for an attacker who subtracts figures.
//!
//! The manifest is read as it stands, and so is the page: an attacker reads texts, not types. Manifests that tell the
//! number of suppressed rows itself have figures over all rows, suppressed ones included; those that tell it coarsely
//! are about the published rows, which depend on nothing else.

use std::path::Path;

use incrowd_core::Kind;
use incrowd_core::query::CellColumn;
use incrowd_risk::attack::subtraction::{ColumnFigures, Printed, PublicFigures};
use incrowd_verify::Manifest;
use serde_json::Value;

use crate::release::LEAST_TOLD;
use crate::texts::{MOST_RECORD_BYTES, text_of};

/// What floating point leaves of a number that was written with all its digits.
const FULL_DIGITS: f64 = 1e-12;

/// What the manifest says; `cells` are the published cells of a column, where they are at hand.
pub(crate) fn figures<'c>(
    manifest: &Manifest,
    classes: Vec<u64>,
    cells: impl Fn(&str) -> Option<&'c CellColumn>,
) -> PublicFigures {
    let (rows, source, withheld) = (manifest.rows, manifest.source_rows, manifest.suppressed_rows);
    let apart = (source.least().saturating_sub(rows), source.most().saturating_sub(rows));
    let of_all = withheld.exact().is_some();
    let full = |value: &Value, key: &str| {
        let value = value.get(key).and_then(Value::as_f64).filter(|_| of_all)?;
        Some(Printed { value, error: value.abs() * FULL_DIGITS })
    };
    let column = |told: &Value| {
        let name = told.get("name").and_then(Value::as_str).unwrap_or_default();
        ColumnFigures {
            losses: ["lm", "distortion_ratio"].iter().filter_map(|key| full(told, key)).collect(),
            unchanged: full(told, "unchanged"),
            all_values: cells(name).is_some_and(are_values),
        }
    };
    // Of two tables, losses are as if they were generalized: no reader sees those cells.
    let told = manifest.loss.get("columns").and_then(Value::as_array).filter(|_| manifest.two_tables.is_none());
    PublicFigures {
        rows,
        suppression: manifest.policy.suppression,
        least_told: LEAST_TOLD,
        withheld: vec![(withheld.least(), withheld.most()), apart],
        shares: Vec::new(),
        classes,
        dm: full(&manifest.loss, "dm"),
        bound: None,
        columns: told.into_iter().flatten().map(column).collect(),
    }
}

/// Adds what the page among the files of a release says.
pub(crate) fn add_page(told: &mut PublicFigures, release: &Path, manifest: &Manifest) {
    let page = manifest.report.as_ref().and_then(|report| text_of(&release.join(&report.name), MOST_RECORD_BYTES).ok());
    if let Some(page) = page {
        read_page(told, &page);
    }
}

fn read_page(told: &mut PublicFigures, page: &str) {
    // Pages of earlier versions say "withheld" and ": 0 is nothing".
    let suppressed = between(page, "<dt>suppressed</dt><dd>", "</dd>");
    let suppressed = suppressed.or_else(|| between(page, "<dt>withheld</dt><dd>", "</dd>"));
    if let Some((count, share)) = suppressed.and_then(|fact| fact.split_once(" rows")) {
        told.withheld.extend(ends(count));
        told.shares.extend(share.strip_prefix(", ").and_then(|share| share.split_once(" of the")).and_then(share_of));
    }
    let strong = |before: &str| between(page, before, "</strong>").and_then(Printed::read);
    told.bound = strong("can lose less than <strong>");
    // A loss over all rows bounds the suppressed share; the page says when it is one of the published rows.
    let of_published =
        ["of the published rows (0", "of the published rows: 0"].iter().any(|words| page.contains(words));
    if let Some(loss) = strong("The loss by LM is <strong>").filter(|_| !of_published) {
        let all_values = !told.columns.is_empty() && told.columns.iter().all(|column| column.all_values);
        told.columns.push(ColumnFigures { losses: vec![loss], unchanged: None, all_values });
    }
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    text.split_once(before)?.1.split_once(after).map(|found| found.0)
}

/// "fewer than 10", "1,200 to 1,299".
fn ends(text: &str) -> Option<(u64, u64)> {
    let number = |text: &str| text.replace(',', "").parse::<u64>().ok();
    match text.strip_prefix("fewer than ") {
        Some(end) => Some((0, number(end)?.checked_sub(1)?)),
        None => text.split_once(" to ").and_then(|(from, to)| Some((number(from)?, number(to)?))),
    }
}

/// "under 1 %", "about 7 %", "21 to 31 %", "at least 99 %", as parts of 1.
fn share_of((text, _): (&str, &str)) -> Option<(f64, f64)> {
    let text = text.strip_suffix(" %")?;
    let part = |text: &str| text.parse::<f64>().ok().map(|percent| percent / 100.0);
    let around = |middle: f64| (middle - 0.01, middle + 0.01);
    if let Some(end) = text.strip_prefix("under ") {
        return Some((0.0, part(end)?));
    }
    if let Some(middle) = text.strip_prefix("about ") {
        return part(middle).map(around);
    }
    if let Some(from) = text.strip_prefix("at least ") {
        return Some((part(from)?, 1.0));
    }
    let (from, to) = text.split_once(" to ")?;
    Some((part(from)?, part(to)?))
}

/// Whether every cell is seen to be a number or a date: then nothing was generalized.
fn are_values(cells: &CellColumn) -> bool {
    matches!(cells.kind(), Kind::Integer | Kind::Number | Kind::Date)
        && (0..).take(cells.len()).all(|code| cells.listed(code).is_some_and(|(leaves, all)| leaves.len() == 1 && all))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_page_is_read_as_a_reader_reads_it() {
        for term in ["suppressed", "withheld"] {
            let page = format!(
                "<dt>{term}</dt><dd>1,200 to 1,299 rows, about 7 % of the original</dd> … The loss by LM is \
                 <strong>0.05</strong> over all quasi-identifiers (0 = … can lose less than <strong>0.031</strong>"
            );
            let mut told = PublicFigures::default();
            read_page(&mut told, &page);
            assert_eq!(
                (&told.withheld[..], &told.shares[..]),
                (&[(1_200, 1_299)][..], &[(0.060000000000000005, 0.08)][..])
            );
            assert_eq!((told.bound.unwrap().value, told.columns[0].losses[0].error), (0.031, 0.005));
        }
        assert_eq!(share_of(("21 to 31 %", "")), Some((0.21, 0.31)));
        assert_eq!((share_of(("under 1 %", "")), share_of(("not shown", ""))), (Some((0.0, 0.01)), None));
        assert_eq!((ends("fewer than 10"), ends("some")), (Some((0, 9)), None));
    }
}
