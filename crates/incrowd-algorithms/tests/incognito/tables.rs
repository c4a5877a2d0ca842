//! Tables for the tests.

use std::collections::HashMap;
use std::path::PathBuf;

use incrowd_algorithms::{AlgorithmEntry, Budget, Problem, Solution, Unsolved};
use incrowd_core::{Attribute, Dictionary, Distortion, FrequencyTable, Hierarchy, Policy, QuasiIdentifier, Role};

pub(crate) fn data(file: &str) -> PathBuf {
    incrowd_testdata::file(file)
}

pub(crate) fn json(file: &str) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(data(file)).unwrap()).unwrap()
}

/// A table of text columns, quasi-identifiers with their hierarchies first, then one sensitive column.
pub(crate) fn table_of(
    names: &[&str],
    hierarchies: &[Hierarchy],
    rows: &[Vec<String>],
) -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let column = |(at, &name): (usize, &&str)| {
        let role = if at < hierarchies.len() { Role::QuasiIdentifier } else { Role::Sensitive };
        Attribute::new(name, role, Dictionary::of_texts(rows.iter().map(|row| row[at].as_str())))
    };
    let attributes: Vec<Attribute> = names.iter().enumerate().map(column).collect();
    let codes = |attribute: &Attribute| -> HashMap<String, u32> {
        let dictionary = &attribute.dictionary;
        (0..dictionary.len() as u32).map(|code| (dictionary.label(code).into_owned(), code)).collect()
    };
    let codes: Vec<HashMap<String, u32>> = attributes.iter().map(codes).collect();
    let tuple = |row: &Vec<String>| -> Vec<u32> { row.iter().zip(&codes).map(|(text, codes)| codes[text]).collect() };
    let quasi = |(at, hierarchy)| QuasiIdentifier::new(at, hierarchy, &attributes[at].dictionary).unwrap();
    let quasi_identifiers = hierarchies.iter().enumerate().map(quasi).collect();
    (FrequencyTable::from_tuples(attributes, rows.iter().map(|row| (tuple(row), 1))), quasi_identifiers)
}

/// Columns of Adult, the last of them sensitive, with the hierarchies whose heights the paper gives.
pub(crate) fn adult(names: &[&str]) -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let mut reader = csv::Reader::from_path(data("adult.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let wanted: Vec<usize> =
        names.iter().map(|name| header.iter().position(|column| column == *name).unwrap()).collect();
    let row = |record: csv::StringRecord| wanted.iter().map(|&at| record[at].to_owned()).collect();
    let rows: Vec<Vec<String>> = reader.records().map(|record| row(record.unwrap())).collect();
    let read = |name: &&str| {
        let file = data(&format!("hierarchies/adult_wong/{name}.csv"));
        Hierarchy::read(&std::fs::read_to_string(file).unwrap()).unwrap()
    };
    let hierarchies: Vec<Hierarchy> = names[..names.len() - 1].iter().map(read).collect();
    table_of(names, &hierarchies, &rows)
}

/// Solves with the measure of the paper.
pub(crate) fn solve(
    table: &FrequencyTable,
    quasi_identifiers: &[QuasiIdentifier],
    policy: &Policy,
    budget: &Budget,
) -> Result<Solution, Unsolved> {
    let problem = Problem::new(table, quasi_identifiers, policy, &Distortion, 0).unwrap();
    (AlgorithmEntry::find("incognito").unwrap().new)().solve(&problem, budget)
}
