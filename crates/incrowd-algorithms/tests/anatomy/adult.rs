//! The 45,222 rows of Adult: age as free intervals and five more quasi-identifiers as sets of their values; occupation
//! and salary class sensitive.

use std::collections::HashMap;

use incrowd_core::{Attribute, Dictionary, FrequencyTable, QuasiIdentifier, Role, Values};

const QUASI: [&str; 6] = ["age", "workclass", "education", "marital-status", "race", "sex"];
pub(crate) const SENSITIVE: [&str; 2] = ["occupation", "salary-class"];

pub(crate) fn adult() -> (FrequencyTable, Vec<QuasiIdentifier>) {
    let mut reader = csv::Reader::from_path(incrowd_testdata::file("adult.csv")).unwrap();
    let headers = reader.headers().unwrap().clone();
    let names: Vec<&str> = QUASI.into_iter().chain(SENSITIVE).collect();
    let columns: Vec<usize> =
        names.iter().map(|name| headers.iter().position(|header| header == *name).unwrap()).collect();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let attribute = |(at, name): (usize, &&str)| {
        let texts = Dictionary::of_texts(records.iter().map(|record| &record[columns[at]]));
        let role = if at < QUASI.len() { Role::QuasiIdentifier } else { Role::Sensitive };
        let number = |code: usize| texts.label(code as u32).parse().unwrap();
        match at {
            0 => {
                let ages = Values::Integers((0..texts.len()).map(number).collect());
                Attribute::new(*name, role, Dictionary::new(ages, false))
            }
            _ => Attribute::new(*name, role, texts),
        }
    };
    let attributes: Vec<Attribute> = names.iter().enumerate().map(attribute).collect();
    let codes = |attribute: &Attribute| {
        let dictionary = &attribute.dictionary;
        (0..dictionary.len() as u32).map(|code| (dictionary.label(code).into_owned(), code)).collect()
    };
    let codes: Vec<HashMap<String, u32>> = attributes.iter().map(codes).collect();
    let tuple = |record: &csv::StringRecord| -> (Vec<u32>, u64) {
        (columns.iter().zip(&codes).map(|(&column, codes)| codes[&record[column]]).collect(), 1)
    };
    let tuples: Vec<(Vec<u32>, u64)> = records.iter().map(tuple).collect();
    let quasi = (0..QUASI.len()).map(|at| match at {
        0 => QuasiIdentifier::intervals(at, &attributes[at].dictionary).unwrap(),
        _ => QuasiIdentifier::sets(at, &attributes[at].dictionary).unwrap(),
    });
    let quasi = quasi.collect();
    (FrequencyTable::from_tuples(attributes, tuples), quasi)
}
