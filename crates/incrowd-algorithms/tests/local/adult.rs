//! The Adult table of the test data, with the hierarchies of Wong, Li, Fu and Wang (KDD 2006).

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, QuasiIdentifier, Role};

pub(crate) const QUASI: [&str; 8] =
    ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"];
pub(crate) const SENSITIVE: &str = "salary-class";

pub(crate) fn data() -> PathBuf {
    incrowd_testdata::folder()
}

/// The 45,222 rows and their eight quasi-identifiers.
pub(crate) fn adult() -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let mut reader = csv::Reader::from_path(data().join("adult.csv")).unwrap();
    let headers = reader.headers().unwrap().clone();
    let columns: Vec<usize> = QUASI
        .iter()
        .chain([&SENSITIVE])
        .map(|name| headers.iter().position(|header| header == *name).unwrap())
        .collect();
    let rows: Vec<Vec<String>> = reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            columns.iter().map(|&column| record[column].to_owned()).collect()
        })
        .collect();
    let dictionary = |at: usize| {
        let values: BTreeSet<&str> = rows.iter().map(|row| row[at].as_str()).collect();
        Dictionary::of_texts(values)
    };
    let attribute = |(at, name): (usize, &&str)| {
        let role = if *name == SENSITIVE { Role::Sensitive } else { Role::QuasiIdentifier };
        Attribute::new(*name, role, dictionary(at))
    };
    let attributes: Vec<Attribute> = QUASI.iter().chain([&SENSITIVE]).enumerate().map(attribute).collect();
    let codes = |row: &Vec<String>| -> Vec<u32> {
        row.iter().zip(&attributes).map(|(value, attribute)| attribute.dictionary.code(value).unwrap()).collect()
    };
    let tuples: Vec<(Vec<u32>, u64)> = rows.iter().map(|row| (codes(row), 1)).collect();
    let quasi = (0..QUASI.len()).map(|at| {
        let file = data().join("hierarchies/adult_wong").join(QUASI[at]).with_extension("csv");
        let hierarchy = Hierarchy::read(&fs::read_to_string(file).unwrap()).unwrap();
        QuasiIdentifier::new(at, &hierarchy, &attributes[at].dictionary).unwrap()
    });
    let quasi = quasi.collect();
    (FrequencyTable::from_tuples(attributes, tuples), quasi)
}
