//! Holds the role guesses against the right roles of several hundred real column names in four languages.
//!
//! A false negative is a column that identifies people (an identifier, the subject, free text, a code or weight that
//! few rows share, an exact amount, or a quasi-identifier) and that is guessed to be published unchanged. Needless
//! caution is the opposite: a column that may be published unchanged is guessed to be removed or generalized.

use incrowd_core::Role;
use incrowd_risk::roles::guess;

use super::values::{ROWS, profile};

/// The largest share of publishable columns that may be guessed as not publishable.
const MOST_CAUTION: f64 = 0.05;

/// The fewest columns the corpus may have.
const FEWEST_COLUMNS: usize = 300;

struct Case {
    name: String,
    values: String,
    role: Role,
}

fn corpus() -> Vec<Case> {
    let mut reader = csv::Reader::from_reader(include_str!("corpus.csv").as_bytes());
    let case = |record: csv::StringRecord| Case {
        name: record[0].to_owned(),
        values: record[2].to_owned(),
        role: serde_json::from_value(record[3].into()).unwrap(),
    };
    reader.records().map(|record| case(record.unwrap())).collect()
}

fn is_published_unchanged(role: Role) -> bool {
    matches!(role, Role::Sensitive | Role::Insensitive)
}

/// The guess for a column that stands alone in its table.
fn guessed(case: &Case, rows: usize) -> (Role, String) {
    let guess = guess(&[profile(&case.name, &case.values, rows)]).remove(0);
    (guess.role, guess.reason)
}

#[test]
fn no_identifying_column_of_the_corpus_is_guessed_publishable() {
    let cases = corpus();
    assert!(cases.len() >= FEWEST_COLUMNS, "{} columns", cases.len());
    let mut false_negatives = Vec::new();
    for rows in [200, ROWS, 2_000] {
        for case in cases.iter().filter(|case| !is_published_unchanged(case.role)) {
            let (role, reason) = guessed(case, rows);
            if is_published_unchanged(role) {
                false_negatives.push(format!("{} ({}, {rows} rows): {role}: {reason}", case.name, case.values));
            }
        }
    }
    println!("false negatives: {} of {} columns", false_negatives.len(), cases.len());
    assert!(false_negatives.is_empty(), "{}", false_negatives.join("\n"));
}

#[test]
fn few_publishable_columns_of_the_corpus_are_guessed_otherwise() {
    let cases: Vec<Case> = corpus().into_iter().filter(|case| is_published_unchanged(case.role)).collect();
    let needless = cases.iter().filter_map(|case| {
        let (role, reason) = guessed(case, ROWS);
        (!is_published_unchanged(role)).then(|| format!("{} ({}): {role}: {reason}", case.name, case.values))
    });
    let needless: Vec<String> = needless.collect();
    let share = needless.len() as f64 / cases.len() as f64;
    println!("needless caution: {} of {} publishable columns ({:.1} %)", needless.len(), cases.len(), 100.0 * share);
    assert!(share <= MOST_CAUTION, "{share:.3} is more than {MOST_CAUTION}:\n{}", needless.join("\n"));
}

#[test]
fn most_identifying_columns_of_the_corpus_get_their_very_role() {
    let cases: Vec<Case> = corpus().into_iter().filter(|case| !is_published_unchanged(case.role)).collect();
    let other: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let (role, reason) = guessed(case, ROWS);
            (role != case.role).then(|| format!("{} ({}): {role}: {reason}", case.name, case.values))
        })
        .collect();
    let share = other.len() as f64 / cases.len() as f64;
    println!("another role than the right one: {} of {} ({:.1} %)", other.len(), cases.len(), 100.0 * share);
    assert!(share <= 0.20, "{}", other.join("\n"));
}
