//! The worked tables of the (α, k)-anonymity paper, from a file to a published file.

use std::path::Path;

use incrowd::core::{Policy, Ratio};
use incrowd::{AnonymizeOptions, Anonymized, Declared, HierarchyChoice, anonymize};
use serde_json::Value;

use super::support::Desk;

pub(super) fn case(name: &str) -> Value {
    let path = incrowd_testdata::file(&format!("golden/{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Writes the table and the hierarchies of a case, and anonymizes it.
fn solved(desk: &Desk, case: &Value, algorithm: &str, name: &str) -> Anonymized {
    let options = AnonymizeOptions { algorithm: algorithm.into(), ..options(desk, case) };
    anonymize(&desk.engine, &desk.source("case.csv"), &options, &desk.path(name)).unwrap()
}

/// Writes the table and the hierarchies of a case, and says what it asks for.
pub(super) fn options(desk: &Desk, case: &Value) -> AnonymizeOptions {
    let parameters = &case["parameters"];
    let quasi = texts(&parameters["quasi_identifier"]);
    let sensitive = parameters["sensitive"].as_str().unwrap();
    // Without a value the rule is about every one.
    let values: Vec<&str> = parameters["sensitive_value"].as_str().into_iter().collect();
    let columns: Vec<&str> = quasi.iter().map(String::as_str).chain([sensitive]).collect();
    let row = |row: &Value| columns.iter().map(|&column| row[column].as_str().unwrap()).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = case["input"].as_array().unwrap().iter().map(row).collect();
    std::fs::write(desk.path("case.csv"), format!("{}\n{}\n", columns.join(","), rows.join("\n"))).unwrap();
    let mut hierarchies = std::collections::BTreeMap::new();
    for column in &quasi {
        let lines = case["hierarchies"][column].as_object().unwrap().values();
        let lines: Vec<String> = lines.map(|line| texts(line).join(";")).collect();
        std::fs::write(desk.path(&format!("{column}.csv")), lines.join("\n")).unwrap();
        let plan = incrowd::request::HierarchyPlan::File(format!("{column}.csv"));
        hierarchies.insert(column.clone(), HierarchyChoice { plan, folder: desk.path("") });
    }
    let alpha = Ratio::new((parameters["alpha"].as_f64().unwrap() * 100.0).round() as u64, 100).unwrap();
    AnonymizeOptions {
        declared: Declared { quasi_identifiers: quasi, sensitive: vec![sensitive.into()], ..Declared::default() },
        policy: Policy::k_anonymity(parameters["k"].as_u64().unwrap()).deassociating(sensitive, alpha, &values, false),
        hierarchies,
        seed: Some(1),
        ..AnonymizeOptions::default()
    }
}

/// The rows of a release, sorted.
fn rows(release: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(release.join("data.csv")).unwrap();
    let mut rows: Vec<String> = text.lines().skip(1).map(|line| line.replace('"', "")).collect();
    rows.sort();
    rows
}

fn expected(case: &Value, table: &str, columns: &[&str]) -> Vec<String> {
    let row = |row: &Value| columns.iter().map(|&column| row[column].as_str().unwrap()).collect::<Vec<_>>().join(",");
    let mut rows: Vec<String> = case["expected"][table].as_array().unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn progressive_publishes_table_9() {
    let (desk, case) = (Desk::new(), case("alpha_k_table8_9_progressive"));
    let made = solved(&desk, &case, "progressive", "release");
    let columns = ["Gender", "Birth", "Postcode", "Sens"];
    assert_eq!(rows(&desk.path("release")), expected(&case, "progressive_table9c", &columns));
    assert_eq!(made.loss.distortion_ratio, 6.0 / 28.0);
}

#[test]
fn incognito_publishes_table_8() {
    let (desk, case) = (Desk::new(), case("alpha_k_table8_9_progressive"));
    let made = solved(&desk, &case, "incognito", "release");
    let columns = ["Gender", "Birth", "Postcode", "Sens"];
    assert_eq!(rows(&desk.path("release")), expected(&case, "full_domain_table8b", &columns));
    assert_eq!((made.levels, made.loss.distortion_ratio), (Some(vec![0, 1, 1]), 8.0 / 28.0));
}

#[test]
fn progressive_publishes_table_10() {
    let (desk, case) = (Desk::new(), case("alpha_k_table10_further_removal"));
    solved(&desk, &case, "progressive", "release");
    let columns = ["Gender", "Birth", "Postcode", "Sens"];
    assert_eq!(rows(&desk.path("release")), expected(&case, "final", &columns));
}

#[test]
fn top_down_publishes_table_11() {
    let (desk, case) = (Desk::new(), case("alpha_k_table11_topdown_single_attribute"));
    solved(&desk, &case, "top-down", "release");
    let published = rows(&desk.path("release"));
    // Any of the three rows of 4351 may go back to 435*, but not the only protected one with both others left.
    let count = |postcode: &str| published.iter().filter(|row| row.starts_with(postcode)).count();
    assert_eq!((count("4351,"), count("435*,")), (2, 2), "{published:?}");
}

#[test]
fn the_row_that_would_be_stranded_is_taken_in() {
    let (desk, case) = (Desk::new(), case("alpha_k_progressive_leftover"));
    for algorithm in ["progressive", "top-down", "incognito"] {
        let made = solved(&desk, &case, algorithm, algorithm);
        assert_eq!(made.classes, 1, "{algorithm}");
        assert_eq!(rows(&desk.path(algorithm)), expected(&case, "only_solution", &["A", "s"]), "{algorithm}");
    }
}

#[test]
fn a_clique_is_suppressed_as_a_whole() {
    let (desk, case) = (Desk::new(), case("alpha_k_theorem1_one_clique"));
    for algorithm in ["progressive", "top-down", "incognito"] {
        solved(&desk, &case, algorithm, algorithm);
        let stars = rows(&desk.path(algorithm)).iter().map(|row| row.matches('*').count()).sum::<usize>();
        assert_eq!(stars, 48, "{algorithm}");
    }
}
