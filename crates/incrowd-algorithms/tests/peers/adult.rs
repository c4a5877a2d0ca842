//! The Adult table of the test data, with the hierarchies of the experiments of Kenig and Tassa (DMKD 2012).

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, QuasiIdentifier, Role};

const QUASI: [&str; 8] =
    ["age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex"];

pub(crate) const SENSITIVE: &str = "salary-class";

fn data() -> PathBuf {
    incrowd_testdata::folder()
}

/// At most so many rows of a file and their eight quasi-identifiers, with the salary as sensitive attribute if it is
/// asked for. The domains are the leaves of the hierarchies.
pub(crate) fn adult(file: &str, most: usize, salary: bool) -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let mut reader = csv::Reader::from_path(data().join(file)).unwrap();
    let headers = reader.headers().unwrap().clone();
    let place = |name: &&str| headers.iter().position(|header| header == *name).unwrap();
    let names = || QUASI.iter().chain(salary.then_some(&SENSITIVE));
    let columns: Vec<usize> = names().map(place).collect();
    let cells = |record: csv::StringRecord| columns.iter().map(|&column| record[column].to_owned()).collect();
    let rows: Vec<Vec<String>> = reader.records().take(most).map(|record| cells(record.unwrap())).collect();
    let attribute = |(at, name): (usize, &&str)| {
        let values: BTreeSet<&str> = rows.iter().map(|row| row[at].as_str()).collect();
        let role = if *name == SENSITIVE { Role::Sensitive } else { Role::QuasiIdentifier };
        Attribute::new(*name, role, Dictionary::of_texts(values))
    };
    let attributes: Vec<Attribute> = names().enumerate().map(attribute).collect();
    let codes = |row: &Vec<String>| -> Vec<u32> {
        row.iter().zip(&attributes).map(|(value, attribute)| attribute.dictionary.code(value).unwrap()).collect()
    };
    let tuples: Vec<(Vec<u32>, u64)> = rows.iter().map(|row| (codes(row), 1)).collect();
    let quasi = (0..QUASI.len()).map(|at| {
        let file = data().join("hierarchies/adult_kenig").join(QUASI[at]).with_extension("csv");
        let hierarchy = Hierarchy::read(&fs::read_to_string(file).unwrap()).unwrap();
        QuasiIdentifier::new(at, &hierarchy, &attributes[at].dictionary).unwrap()
    });
    let quasi = quasi.collect();
    (FrequencyTable::from_tuples(attributes, tuples), quasi)
}
