//! The Adult table with the roles of the experiments (section 4) of Truta, Campan and Meyer, "Generating microdata with
//! p-sensitive k-anonymity property", SDM 2007.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use incrowd_core::{
    Attribute, Dictionary, FrequencyTable, Hierarchy, Parameters, Policy, QuasiIdentifier, Role, Values,
};

const QUASI: [&str; 6] = ["age", "workclass", "marital-status", "race", "sex", "native-country"];
pub(crate) const SENSITIVE: [&str; 3] = ["education-num", "education", "occupation"];

fn data() -> PathBuf {
    incrowd_testdata::folder()
}

/// At most so many rows of a file: the age as free intervals, the other quasi-identifiers along their hierarchies.
pub(crate) fn adult(file: &str, most: usize) -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let mut reader = csv::Reader::from_path(data().join(file)).unwrap();
    let headers = reader.headers().unwrap().clone();
    let names: Vec<&str> = QUASI.iter().chain(&SENSITIVE).copied().collect();
    let columns: Vec<usize> =
        names.iter().map(|name| headers.iter().position(|header| header == *name).unwrap()).collect();
    let cells = |record: csv::StringRecord| columns.iter().map(|&column| record[column].to_owned()).collect();
    let rows: Vec<Vec<String>> = reader.records().take(most).map(|record| cells(record.unwrap())).collect();
    let attribute = |(at, name): (usize, &&str)| {
        let values: BTreeSet<&str> = rows.iter().map(|row| row[at].as_str()).collect();
        let role = if at < QUASI.len() { Role::QuasiIdentifier } else { Role::Sensitive };
        let dictionary = match at {
            0 => Dictionary::new(Values::Integers(values.iter().map(|age| age.parse().unwrap()).collect()), false),
            _ => Dictionary::of_texts(values),
        };
        Attribute::new(*name, role, dictionary)
    };
    let attributes: Vec<Attribute> = names.iter().enumerate().map(attribute).collect();
    let codes = |row: &Vec<String>| -> Vec<u32> {
        row.iter().zip(&attributes).map(|(value, attribute)| attribute.dictionary.code(value).unwrap()).collect()
    };
    let tuples: Vec<(Vec<u32>, u64)> = rows.iter().map(|row| (codes(row), 1)).collect();
    let quasi = (0..QUASI.len()).map(|at| match at {
        0 => QuasiIdentifier::intervals(at, &attributes[at].dictionary).unwrap(),
        _ => {
            let file = data().join("hierarchies/adult_wong").join(QUASI[at]).with_extension("csv");
            let hierarchy = Hierarchy::read(&fs::read_to_string(file).unwrap()).unwrap();
            QuasiIdentifier::new(at, &hierarchy, &attributes[at].dictionary).unwrap()
        }
    });
    let quasi = quasi.collect();
    (FrequencyTable::from_tuples(attributes, tuples), quasi)
}

/// p-sensitive k-anonymity for the three sensitive attributes.
pub(crate) fn policy(p: u64, k: u64) -> Policy {
    Policy::k_anonymity(k).asking("p-sensitive", Parameters::from_iter([("p", p)]), &SENSITIVE)
}
