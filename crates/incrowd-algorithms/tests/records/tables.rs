//! Tables for the tests: text columns with the hierarchies that the figures were measured with.

use std::collections::HashMap;

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, QuasiIdentifier, Role};

pub(crate) type Table = (FrequencyTable, Vec<QuasiIdentifier>);

pub(crate) const ADULT: [&str; 8] =
    ["age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex"];
const NURSERY: [&str; 8] = ["parents", "has_nurs", "form", "children", "housing", "finance", "social", "health"];
const ARX: [&str; 8] =
    ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"];

pub(crate) fn adult(names: &[&str]) -> Table {
    table("adult.csv", b',', names, "hierarchies/adult_kenig/")
}

pub(crate) fn nursery() -> Table {
    table("nursery.csv", b',', &NURSERY, "hierarchies/nursery_kenig/")
}

/// Adult as ARX ships it.
pub(crate) fn arx() -> Table {
    table("arx/adult.csv", b';', &ARX, "arx/adult_hierarchy_")
}

pub(crate) fn table(file: &str, delimiter: u8, names: &[&str], hierarchies: &str) -> Table {
    let data = incrowd_testdata::file;
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_path(data(file)).unwrap();
    let header = reader.headers().unwrap().clone();
    let places: Vec<usize> = names.iter().map(|name| header.iter().position(|other| other == *name).unwrap()).collect();
    let row = |record: csv::StringRecord| places.iter().map(|&at| record[at].to_owned()).collect();
    let rows: Vec<Vec<String>> = reader.records().map(|record| row(record.unwrap())).collect();
    let attribute = |(at, name): (usize, &&str)| {
        let dictionary = Dictionary::of_texts(rows.iter().map(|row| row[at].as_str()));
        Attribute::new(*name, Role::QuasiIdentifier, dictionary)
    };
    let attributes: Vec<Attribute> = names.iter().enumerate().map(attribute).collect();
    let quasi = |(at, name): (usize, &&str)| {
        let lines = std::fs::read_to_string(data(&format!("{hierarchies}{name}.csv"))).unwrap();
        QuasiIdentifier::new(at, &Hierarchy::read(&lines).unwrap(), &attributes[at].dictionary).unwrap()
    };
    let quasi_identifiers = names.iter().enumerate().map(quasi).collect();
    let codes = |attribute: &Attribute| -> HashMap<String, u32> {
        let dictionary = &attribute.dictionary;
        (0..dictionary.len() as u32).map(|code| (dictionary.label(code).into_owned(), code)).collect()
    };
    let codes: Vec<HashMap<String, u32>> = attributes.iter().map(codes).collect();
    let tuple = |row: &Vec<String>| -> Vec<u32> { row.iter().zip(&codes).map(|(text, codes)| codes[text]).collect() };
    let tuples: Vec<(Vec<u32>, u64)> = rows.iter().map(|row| (tuple(row), 1)).collect();
    (FrequencyTable::from_tuples(attributes, tuples), quasi_identifiers)
}

/// The figures for which there is time: code that is not optimized is given the larger k only.
pub(crate) fn in_time<T: Copy>(figures: &[(u64, T)], unoptimized: u64) -> Vec<(u64, T)> {
    figures.iter().filter(|figure| !cfg!(debug_assertions) || figure.0 >= unoptimized).copied().collect()
}
