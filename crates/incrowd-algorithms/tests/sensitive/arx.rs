//! ARX's copy of Adult with its own hierarchies: 30,162 rows, seven quasi-identifiers, occupation sensitive.

use std::collections::BTreeSet;
use std::path::PathBuf;

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, QuasiIdentifier, Role};

const QUASI: [&str; 7] = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"];
pub(crate) const SENSITIVE: &str = "occupation";

fn data() -> PathBuf {
    incrowd_testdata::folder().join("arx")
}

pub(crate) fn adult() -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let text = std::fs::read_to_string(data().join("adult.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let names: Vec<&str> = QUASI.into_iter().chain([SENSITIVE]).collect();
    let columns: Vec<usize> =
        names.iter().map(|name| header.iter().position(|column| column == name).unwrap()).collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| columns.iter().map(|&column| line[column]).collect()).collect();
    let attribute = |(at, name): (usize, &&str)| {
        let values: BTreeSet<&str> = rows.iter().map(|row| row[at]).collect();
        let role = if *name == SENSITIVE { Role::Sensitive } else { Role::QuasiIdentifier };
        Attribute::new(*name, role, Dictionary::of_texts(values))
    };
    let attributes: Vec<Attribute> = names.iter().enumerate().map(attribute).collect();
    let codes = |row: &Vec<&str>| -> Vec<u32> {
        row.iter().zip(&attributes).map(|(value, attribute)| attribute.dictionary.code(value).unwrap()).collect()
    };
    let tuples: Vec<(Vec<u32>, u64)> = rows.iter().map(|row| (codes(row), 1)).collect();
    let quasi = (0..QUASI.len()).map(|at| {
        let file = data().join(format!("adult_hierarchy_{}.csv", QUASI[at]));
        let hierarchy = Hierarchy::read(&std::fs::read_to_string(file).unwrap()).unwrap();
        QuasiIdentifier::new(at, &hierarchy, &attributes[at].dictionary).unwrap()
    });
    let quasi = quasi.collect();
    (FrequencyTable::from_tuples(attributes, tuples), quasi)
}
