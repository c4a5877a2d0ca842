//! The definitions, literally, on the texts of a published file.

use std::collections::BTreeMap;
use std::path::Path;

use incrowd::core::KnownRows;

/// The published rows of each pseudonym: age and town as one text each.
pub(crate) fn published(file: &Path) -> Vec<Vec<String>> {
    let mut people: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in csv::Reader::from_path(file).unwrap().records() {
        let row = row.unwrap();
        people.entry(row[0].to_string()).or_default().push(format!("{}|{}", &row[1], &row[2]));
    }
    people.into_values().collect()
}

/// How often a history has a row.
fn times(history: &[String], row: &String) -> u64 {
    history.iter().filter(|other| *other == row).count() as u64
}

/// The fewest people with the same rows as one of them, each counted up to the number of known rows.
pub(crate) fn fewest_alike(people: &[Vec<String>], known: KnownRows) -> u64 {
    let most = match known {
        KnownRows::AtMost(most) => most,
        KnownRows::All => u64::MAX,
    };
    let counts_alike = |one: &[String], other: &[String]| {
        one.iter().chain(other).all(|row| times(one, row).min(most) == times(other, row).min(most))
    };
    let alike = |one: &Vec<String>| people.iter().filter(|other| counts_alike(one, other)).count() as u64;
    people.iter().map(alike).min().unwrap_or(0)
}

/// The fewest people who have rows that are known of one of them, for every choice of known rows.
pub(crate) fn fewest_matches(people: &[Vec<String>], known: KnownRows) -> u64 {
    let mut fewest = u64::MAX;
    for history in people {
        for chosen in 1u32..1 << history.len() {
            if let KnownRows::AtMost(most) = known
                && u64::from(chosen.count_ones()) > most
            {
                continue;
            }
            let rows: Vec<String> =
                (0..history.len()).filter(|at| chosen >> at & 1 == 1).map(|at| history[at].clone()).collect();
            let has = |other: &&Vec<String>| rows.iter().all(|row| times(&rows, row) <= times(other, row));
            fewest = fewest.min(people.iter().filter(has).count() as u64);
        }
    }
    fewest
}
