//! Small tables of one number and some sensitive attributes.

use std::collections::BTreeSet;

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Parameters, Policy, QuasiIdentifier, Role, Values};

/// A table of rows, each with its number and a value of each sensitive attribute; the number is published as an
/// interval.
pub(crate) fn table(names: &[&str], rows: &[(i64, Vec<String>)]) -> (FrequencyTable, [QuasiIdentifier; 1]) {
    let numbers: BTreeSet<i64> = rows.iter().map(|row| row.0).collect();
    let numbers = Dictionary::new(Values::Integers(numbers.into_iter().collect()), false);
    let quasi = [QuasiIdentifier::intervals(0, &numbers).unwrap()];
    let mut attributes = vec![Attribute::new("q", Role::QuasiIdentifier, numbers)];
    for (at, name) in names.iter().enumerate() {
        let values: BTreeSet<&str> = rows.iter().map(|row| row.1[at].as_str()).collect();
        attributes.push(Attribute::new(*name, Role::Sensitive, Dictionary::of_texts(values)));
    }
    let codes = |row: &(i64, Vec<String>)| -> Vec<u32> {
        let texts = std::iter::once(row.0.to_string()).chain(row.1.iter().cloned());
        texts.zip(&attributes).map(|(text, attribute)| attribute.dictionary.code(&text).unwrap()).collect()
    };
    let tuples: Vec<(Vec<u32>, u64)> = rows.iter().map(|row| (codes(row), 1)).collect();
    (FrequencyTable::from_tuples(attributes, tuples), quasi)
}

/// The table of a golden case, its p-sensitive k-anonymity, and what is expected.
pub(crate) fn golden(case: &str) -> (FrequencyTable, [QuasiIdentifier; 1], Policy, serde_json::Value) {
    let file = incrowd_testdata::file(&format!("golden/p_sensitive_{case}.json"));
    let text = std::fs::read_to_string(file).unwrap();
    let case: serde_json::Value = serde_json::from_str(&text).unwrap();
    let (input, parameters) = (case["input"].as_array().unwrap(), &case["parameters"]);
    let sensitive = parameters["sensitive"].as_array().unwrap();
    let sensitive: Vec<&str> = sensitive.iter().map(|name| name.as_str().unwrap()).collect();
    // A case that has no quasi-identifier gets the number of the row.
    let number = |at: usize, row: &serde_json::Value| row["q"].as_str().map_or(at as i64, |q| q.parse().unwrap());
    let values = |row: &serde_json::Value| sensitive.iter().map(|&name| row[name].as_str().unwrap().into()).collect();
    let rows: Vec<(i64, Vec<String>)> =
        input.iter().enumerate().map(|(at, row)| (number(at, row), values(row))).collect();
    let (table, quasi) = table(&sensitive, &rows);
    let (p, k) = (parameters["p"].as_u64().unwrap(), parameters["k"].as_u64().unwrap());
    (table, quasi, policy(p, k, &sensitive), case["expected"].clone())
}

pub(crate) fn policy(p: u64, k: u64, sensitive: &[&str]) -> Policy {
    Policy::k_anonymity(k).asking("p-sensitive", Parameters::from_iter([("p", p)]), sensitive)
}
