//! Releases in two tables, from a file to two published files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use incrowd::core::Policy;
use incrowd::{AnonymizeOptions, Error, Format, Publish, VerifyOptions, anonymize, verify};
use serde_json::Value;

use super::golden::{case, options};
use super::support::Desk;

/// The rows of a file without its header.
fn rows(release: &Path, file: &str) -> Rows {
    let text = std::fs::read_to_string(release.join(file)).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(String::from).collect()).collect()
}

/// Rows of cells.
type Rows = Vec<Vec<String>>;

/// For each class the rows of both tables, sorted: what the two tables say, whatever classes are called.
fn classes(first: Rows, second: Rows) -> BTreeSet<(Rows, Rows)> {
    let mut classes: BTreeMap<String, (Rows, Rows)> = BTreeMap::new();
    for mut row in first {
        let class = row.pop().unwrap();
        classes.entry(class).or_default().0.push(row);
    }
    for mut row in second {
        let class = row.remove(0);
        classes.entry(class).or_default().1.push(row);
    }
    for (first, second) in classes.values_mut() {
        first.sort();
        second.sort();
    }
    classes.into_values().collect()
}

fn told(case: &Value, table: &str, columns: &[&str]) -> Rows {
    let row = |row: &Value| columns.iter().map(|&column| row[column].as_str().unwrap().to_owned()).collect();
    case["expected"][table].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn top_down_publishes_tables_5_and_6_of_the_paper() {
    let (desk, case) = (Desk::new(), case("lossy_join_tables1_7"));
    let options =
        AnonymizeOptions { algorithm: "top-down".into(), publish: Publish::TwoTables, ..options(&desk, &case) };
    let made = anonymize(&desk.engine, &desk.source("case.csv"), &options, &desk.path("release")).unwrap();
    assert_eq!((made.classes, made.smallest_class), (3, 2));
    let release = desk.path("release");
    let found = classes(rows(&release, "quasi_identifiers.csv"), rows(&release, "sensitive.csv"));
    let first = told(&case, "table5_nss", &["Job", "Birth", "Postcode", "ClassID"]);
    let second = told(&case, "table6_ss", &["ClassID", "Illness"]);
    assert_eq!(found, classes(first, second));
    let joined: usize = found.iter().map(|(first, second)| first.len() * second.len()).sum();
    assert_eq!(joined, case["expected"]["table7_join"].as_array().unwrap().len(), "the join is lossy");
}

#[test]
fn every_solver_and_format_makes_two_tables_that_verify_and_are_true() {
    let desk = Desk::new();
    let solvers = ["anatomy", "top-down", "mondrian", "incognito", "auto"].map(|solver| (solver, Format::Csv));
    for (solver, format) in solvers.into_iter().chain([("anatomy", Format::Parquet), ("anatomy", Format::Arrow)]) {
        let name = format!("{solver}-{format:?}");
        let options = AnonymizeOptions {
            algorithm: solver.into(),
            publish: Publish::TwoTables,
            time: Some(std::time::Duration::from_secs(1)),
            format,
            ..desk.options()
        };
        let made = anonymize(&desk.engine, &desk.source("patients.csv"), &options, &desk.path(&name)).unwrap();
        assert_eq!((made.rows, made.attacks.len()), (240, 1), "{name}");
        let against = VerifyOptions { against: Some(desk.path("patients.csv")), ..VerifyOptions::default() };
        let verdict = verify(&desk.path(&name), &against).unwrap();
        assert!(verdict.verified, "{name}: {:?}", verdict.faults);
        assert_eq!((verdict.rows, verdict.classes), (240, made.classes), "{name}");
    }
}

#[test]
fn what_two_tables_do_not_hide_stands_in_the_manifest_and_the_attack_only_in_the_record() {
    let desk = Desk::new();
    let options = AnonymizeOptions { publish: Publish::TwoTables, algorithm: "anatomy".into(), ..desk.options() };
    let made = anonymize(&desk.engine, &desk.source("patients.csv"), &options, &desk.path("release")).unwrap();
    let manifest = std::fs::read_to_string(desk.path("release/manifest.json")).unwrap();
    assert!(manifest.contains("do not hide who is in the table"));
    assert!(!manifest.contains("learning") && !manifest.contains("\"attacks\""));
    let record = std::fs::read_to_string(desk.path("release.internal/record.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["attacks"][0]["attack"], "learning");
    assert_eq!(record["attacks"][0]["success"], made.attacks[0].success);
}

#[test]
fn two_tables_without_a_rule_about_secrets_are_refused() {
    let desk = Desk::new();
    let options = AnonymizeOptions { publish: Publish::TwoTables, policy: Policy::k_anonymity(3), ..desk.options() };
    let refused = anonymize(&desk.engine, &desk.source("patients.csv"), &options, &desk.path("release"));
    assert!(matches!(refused, Err(Error::NothingBlurred)));
    assert!(!desk.path("release").exists());
}

#[test]
fn the_class_column_takes_a_name_that_no_column_has() {
    let desk = Desk::new();
    let text = std::fs::read_to_string(desk.path("patients.csv")).unwrap();
    std::fs::write(desk.path("patients.csv"), text.replacen("visits", "Class", 1)).unwrap();
    let mut options = AnonymizeOptions { publish: Publish::TwoTables, algorithm: "anatomy".into(), ..desk.options() };
    options.declared.insensitive = vec!["Class".into()];
    options.keep_identifying = vec!["Class".into()];
    anonymize(&desk.engine, &desk.source("patients.csv"), &options, &desk.path("release")).unwrap();
    let first = std::fs::read_to_string(desk.path("release/quasi_identifiers.csv")).unwrap();
    assert!(first.starts_with("age,town,Class,class_2\n"), "{}", first.lines().next().unwrap_or_default());
}
