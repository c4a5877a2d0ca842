//! The tables that figures are measured on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, QuasiIdentifier, Role};

/// A table with its quasi-identifiers.
pub(crate) type Table = (FrequencyTable, Vec<QuasiIdentifier>);

fn data() -> PathBuf {
    incrowd_testdata::folder()
}

fn read(file: &str, delimiter: u8, names: &[&str], hierarchy: impl Fn(&str) -> PathBuf) -> Table {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_path(data().join(file)).unwrap();
    let headers = reader.headers().unwrap().clone();
    let columns: Vec<usize> =
        names.iter().map(|name| headers.iter().position(|header| header == *name).unwrap()).collect();
    let record = |record: csv::StringRecord| columns.iter().map(|&at| record[at].to_owned()).collect();
    let rows: Vec<Vec<String>> = reader.records().map(|line| record(line.unwrap())).collect();
    let attribute = |(at, name): (usize, &&str)| {
        let values: BTreeSet<&str> = rows.iter().map(|row| row[at].as_str()).collect();
        Attribute::new(*name, Role::QuasiIdentifier, Dictionary::of_texts(values))
    };
    let attributes: Vec<Attribute> = names.iter().enumerate().map(attribute).collect();
    let codes = |row: &Vec<String>| -> Vec<u32> {
        row.iter().zip(&attributes).map(|(value, attribute)| attribute.dictionary.code(value).unwrap()).collect()
    };
    let tuples: Vec<(Vec<u32>, u64)> = rows.iter().map(|row| (codes(row), 1)).collect();
    let quasi = |(at, name): (usize, &&str)| {
        let hierarchy = Hierarchy::read(&fs::read_to_string(hierarchy(name)).unwrap()).unwrap();
        QuasiIdentifier::new(at, &hierarchy, &attributes[at].dictionary).unwrap()
    };
    let quasi = names.iter().enumerate().map(quasi).collect();
    (FrequencyTable::from_tuples(attributes, tuples), quasi)
}

/// ARX's Adult: 30,162 rows, ARX's hierarchies.
pub(crate) fn arx() -> Table {
    let names = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"];
    let hierarchy = |name: &str| data().join(format!("arx/adult_hierarchy_{name}.csv"));
    read("arx/adult.csv", b';', &names, hierarchy)
}

/// Adult with the hierarchies of Kenig and Tassa (DMKD 2012): 45,222 rows.
pub(crate) fn adult() -> Table {
    let names = ["age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex"];
    let folder = data().join("hierarchies/adult_kenig");
    read("adult.csv", b',', &names, |name| Path::new(&folder).join(name).with_extension("csv"))
}
