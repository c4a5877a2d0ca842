//! Tables for the tests.

use std::collections::HashMap;
use std::path::PathBuf;

use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role};

pub(crate) const ADULT: [&str; 8] =
    ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"];

pub(crate) fn data(file: &str) -> PathBuf {
    incrowd_testdata::file(file)
}

pub(crate) fn json(file: &str) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(data(file)).unwrap()).unwrap()
}

/// A table of text columns, all quasi-identifiers.
pub(crate) fn table_of(names: &[&str], rows: &[Vec<String>]) -> FrequencyTable {
    let column = |at: usize| Dictionary::of_texts(rows.iter().map(|row| row[at].as_str()));
    let attributes: Vec<Attribute> =
        names.iter().enumerate().map(|(at, &name)| Attribute::new(name, Role::QuasiIdentifier, column(at))).collect();
    let codes: Vec<HashMap<String, u32>> = attributes
        .iter()
        .map(|attribute| {
            (0..attribute.dictionary.len() as u32)
                .map(|code| (attribute.dictionary.label(code).into_owned(), code))
                .collect()
        })
        .collect();
    let tuples: Vec<(Vec<u32>, u64)> =
        rows.iter().map(|row| (row.iter().zip(&codes).map(|(text, codes)| codes[text]).collect(), 1)).collect();
    FrequencyTable::from_tuples(attributes, tuples)
}

pub(crate) fn adult_train() -> FrequencyTable {
    let mut reader = csv::Reader::from_path(data("adult_train.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let wanted: Vec<usize> =
        ADULT.iter().map(|name| header.iter().position(|column| column == *name).unwrap()).collect();
    let row = |record: csv::StringRecord| wanted.iter().map(|&at| record[at].to_owned()).collect();
    let rows: Vec<Vec<String>> = reader.records().map(|record| row(record.unwrap())).collect();
    table_of(&ADULT, &rows)
}

/// A set of columns written as `age+sex`.
pub(crate) fn set(table: &FrequencyTable, names: &str) -> ColumnSet {
    names.split('+').map(|name| table.position(name).unwrap()).collect()
}

/// Sets of columns as they are written.
pub(crate) fn written(table: &FrequencyTable, sets: &[ColumnSet]) -> Vec<String> {
    sets.iter().map(|&set| table.names(set).join("+")).collect()
}
