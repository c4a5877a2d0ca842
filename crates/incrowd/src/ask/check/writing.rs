//! How cells are written where that keeps them from being read as what they mean: decimal commas, and texts that stand
//! for a missing value; and what a workbook holds besides the cells.
//!
//! All distinct values of a column are looked at, or nothing is said: a sample could be contradicted by a later row. A
//! finding names a marker only from the list below, never another value.

use incrowd_core::{ColumnProfile, Finding, Kind, codes, counted, number_with_comma};
use incrowd_engine::Source;

/// Texts that exports write for a missing value.
const MARKERS: [&str; 27] = [
    "NA",
    "N/A",
    "n/a",
    "na",
    "#N/A",
    "#NV",
    "NULL",
    "null",
    "NaN",
    "nan",
    "None",
    "?",
    ".",
    "-",
    "--",
    "k. A.",
    "k.A.",
    "keine Angabe",
    "unbekannt",
    "unknown",
    "Unknown",
    "missing",
    "inconnu",
    "desconocido",
    "sconosciuto",
    "-999",
    "-9999",
];

/// Whole numbers that surveys write for a missing value, where all others are at least 0.
const NEGATIVE_MARKERS: [&str; 6] = ["-1", "-9", "-99", "-999", "-9999", "-99999"];

/// The findings about how the cells of a column are written.
pub(super) fn writing_findings(profile: &ColumnProfile) -> Vec<Finding> {
    let found = [decimal_commas(profile), markers(profile)];
    found.into_iter().flatten().map(|finding| finding.about([&profile.name])).collect()
}

/// What a workbook holds besides the rows of the table.
pub(in crate::ask) fn workbook_finding(source: &Source) -> Option<Finding> {
    let facts = source.workbook()?;
    let count = |number: u64, one: &str, more: &str| (number > 0).then(|| counted(number, one, more));
    let found: Vec<String> = [
        facts.is_hidden.then(|| "the sheet is hidden".to_owned()),
        count(facts.hidden_sheets, "hidden sheet that was not read", "hidden sheets that were not read"),
        count(facts.formulas, "cell with a formula", "cells with a formula"),
        count(facts.errors, "cell with an error", "cells with an error"),
        count(facts.empty_rows, "empty row that was left out", "empty rows that were left out"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let message = format!("sheet “{}” of the workbook: {}", facts.sheet, found.join(", "));
    (!found.is_empty()).then(|| Finding::new(&codes::WORKBOOK, message))
}

/// What the file of a statistics package declares that a reader of the numbers may not expect.
pub(in crate::ask) fn labels_finding(source: &Source) -> Option<Finding> {
    let facts = source.statistics()?;
    let partly = facts.variables.iter().filter(|variable| !variable.by_label && !variable.labels.is_empty());
    let names: Vec<&str> = partly.map(|variable| variable.name.as_str()).collect();
    let mut found = Vec::new();
    if facts.declared_missing > 0 {
        let values = counted(facts.declared_missing, "value", "values");
        found.push(format!("{values} that the file declares missing were read as missing"));
    }
    if !names.is_empty() {
        let columns = counted(names.len() as u64, "column has", "columns have");
        found.push(format!("{columns} labels for some of the values only, and were read as numbers"));
    }
    (!found.is_empty()).then(|| Finding::new(&codes::LABELS, found.join("; ")).about(names))
}

fn decimal_commas(profile: &ColumnProfile) -> Option<Finding> {
    if !profile.exact || profile.dictionary.kind() != Kind::Text {
        return None;
    }
    let mut commas = false;
    let fit = labels(profile).all(|(label, _)| {
        commas |= label.contains(',');
        is_marker(&label) || number_with_comma(&label).is_some()
    });
    let message =
        format!("column `{}`: the values are numbers with a decimal comma and were read as text", profile.name);
    (fit && commas).then(|| Finding::new(&codes::DECIMAL_COMMAS, message))
}

fn markers(profile: &ColumnProfile) -> Option<Finding> {
    if !profile.exact {
        return None;
    }
    let is_one: fn(&str) -> bool = match profile.dictionary.kind() {
        Kind::Text => is_marker,
        Kind::Integer | Kind::Number if only_markers_are_negative(profile) => is_negative_marker,
        _ => return None,
    };
    let found: Vec<(String, u64)> = labels(profile).filter(|(label, _)| is_one(label)).collect();
    // A column of nothing else has no value that the marker could be told apart from.
    if found.is_empty() || found.len() as u64 == profile.distinct() {
        return None;
    }
    let rows: u64 = found.iter().map(|(_, rows)| rows).sum();
    let names: Vec<String> = found.into_iter().map(|(label, _)| format!("“{label}”")).collect();
    let message = format!(
        "column `{}`: {} in {} may mean a missing value",
        profile.name,
        names.join(", "),
        counted(rows, "row", "rows")
    );
    Some(Finding::new(&codes::LOOKS_LIKE_MISSING, message).counting(rows, profile.rows))
}

fn is_marker(label: &str) -> bool {
    MARKERS.contains(&label)
}

fn is_negative_marker(label: &str) -> bool {
    NEGATIVE_MARKERS.contains(&label)
}

fn only_markers_are_negative(profile: &ColumnProfile) -> bool {
    labels(profile).all(|(label, _)| !label.starts_with('-') || is_negative_marker(&label))
}

/// The distinct values as texts, with their rows.
fn labels(profile: &ColumnProfile) -> impl Iterator<Item = (String, u64)> + '_ {
    let values = u32::try_from(profile.dictionary.values().len()).unwrap_or(u32::MAX);
    (0..values).map(|rank| {
        let rows = profile.counts.get(rank as usize).copied().unwrap_or(0);
        (profile.dictionary.label(rank).into_owned(), rows)
    })
}

#[cfg(test)]
mod tests {
    use incrowd_core::{Dictionary, Values};

    use super::*;

    fn codes_of(values: &[&str]) -> Vec<&'static str> {
        let mut texts: Vec<&str> = values.to_vec();
        texts.sort_unstable();
        found(Dictionary::of_texts(texts.iter().copied()), values.len())
    }

    fn found(dictionary: Dictionary, values: usize) -> Vec<&'static str> {
        let counts = vec![3; values];
        let rows = 3 * values as u64;
        let profile =
            ColumnProfile { name: "x".into(), rows, missing: 0, rows_counted: rows, exact: true, dictionary, counts };
        writing_findings(&profile).iter().map(|finding| finding.code.code).collect()
    }

    #[test]
    fn decimal_commas_are_found_when_all_values_have_them_or_are_missing() {
        assert_eq!(codes_of(&["70,5", "1.234,00", "12"]), ["IC205"]);
        assert_eq!(codes_of(&["70,5", "1.234,00", "n/a"]), ["IC205", "IC206"]);
        assert!(codes_of(&["70,5", "Smith, John"]).is_empty());
        assert!(codes_of(&["1.234", "5.678"]).is_empty(), "points alone may be decimal points");
    }

    #[test]
    fn markers_of_missing_values_are_found_among_values_of_their_kind() {
        assert_eq!(codes_of(&["red", "NA"]), ["IC206"]);
        assert!(codes_of(&["NA"]).is_empty(), "there is no other value");
        assert!(codes_of(&["red", "green"]).is_empty());
        let whole = |numbers: &[i64]| found(Dictionary::new(Values::Integers(numbers.to_vec()), false), numbers.len());
        assert_eq!(whole(&[-99, 18, 71]), ["IC206"]);
        assert!(whole(&[-99, -20, 18]).is_empty(), "temperatures are no markers");
        assert!(whole(&[1, 2]).is_empty());
    }
}
