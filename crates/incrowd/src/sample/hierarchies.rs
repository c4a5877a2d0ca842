//! The hierarchies that go with the sample, as the CSV text a custodian would write.

use super::labels::{DIAGNOSIS, EDUCATION, LabelPath, MARITAL_STATUS, NATIVE_COUNTRY, OCCUPATION, RACE, WORKCLASS};

/// One hierarchy per column of labels: the column's name and its CSV, `leaf;node;…;*`, one line per leaf.
///
/// Numbers, dates and postcodes need none: theirs are built. An empty cell is a missing value and stands in no
/// hierarchy.
pub fn hierarchies() -> Vec<(&'static str, String)> {
    let lists: [(&str, &[LabelPath]); 7] = [
        ("workclass", &WORKCLASS),
        ("education", &EDUCATION),
        ("marital-status", &MARITAL_STATUS),
        ("occupation", &OCCUPATION),
        ("race", &RACE),
        ("native-country", &NATIVE_COUNTRY),
        ("diagnosis", &DIAGNOSIS),
    ];
    lists.into_iter().map(|(column, labels)| (column, labels.iter().map(line).collect())).collect()
}

fn line((leaf, node, above): &LabelPath) -> String {
    let top = if *above == "*" { "" } else { ";*" };
    format!("{leaf};{node};{above}{top}\n")
}
