//! Generated tables of the same people: patients, visits and prescriptions, and the literal definition over all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use incrowd::core::{KnownRows, Policy, Treatment};
use incrowd::{AnonymizeOptions, Declared, Engine, LinkedTable, ReadOptions, Source};

use super::case::Numbers;

const TOWNS: [&str; 4] = ["4351", "4352", "4361", "5000"];
const DRUGS: [&str; 3] = ["A10", "A11", "B01"];

/// Tables with what is asked of their release.
pub(crate) struct LinkedCase {
    tables: Vec<(&'static str, String, Vec<&'static str>)>,
    pub(crate) k: u64,
    pub(crate) known: KnownRows,
    suppression: f64,
}

/// The published rows of each pseudonym: the name of the table and its quasi-identifiers as one text each.
pub(crate) type LinkedHistories = Vec<Vec<(String, String)>>;

impl LinkedCase {
    /// The case with this number: two or three tables, in which not everybody has rows.
    pub(crate) fn draw(number: u64) -> LinkedCase {
        let mut numbers = Numbers(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 77);
        let (people, ages) = (5 + numbers.below(24), 1 + numbers.below(10));
        let (most_visits, most_drugs) = (1 + numbers.below(3), numbers.below(3));
        let [mut patients, mut visits, mut drugs] =
            ["id,age,town\n", "day,patient\n", "person,drug,note\n"].map(String::from);
        for person in 0..people {
            let key = 4_700_000 + 13 * person;
            // The first person is in all tables, so that none is empty.
            let is_first = u64::from(person == 0);
            if numbers.below(12).max(is_first) > 0 {
                let town = TOWNS[numbers.below(4) as usize];
                writeln!(patients, "{key},{},{town}", 20 + numbers.below(ages)).unwrap();
            }
            for _ in 0..numbers.below(most_visits + 1).max(is_first) {
                writeln!(visits, "{},{key}", 1 + numbers.below(6)).unwrap();
            }
            for _ in 0..numbers.below(most_drugs + 1).max(is_first) {
                writeln!(drugs, "{key},{},{}", DRUGS[numbers.below(3) as usize], numbers.below(2)).unwrap();
            }
        }
        let mut tables = vec![("patients", patients, vec!["age", "town"]), ("visits", visits, vec!["day"])];
        if most_drugs > 0 {
            tables.push(("drugs", drugs, vec!["drug"]));
        }
        let known = [KnownRows::AtMost(2), KnownRows::AtMost(3), KnownRows::All][numbers.below(3) as usize];
        let suppression = [0.0, 0.3, 0.7][numbers.below(3) as usize];
        LinkedCase { tables, k: 2 + numbers.below(3), known, suppression }
    }

    /// Writes the tables into a folder, and opens them.
    pub(crate) fn open(&self, engine: &Engine, folder: &Path) -> Vec<LinkedTable> {
        let open = |(name, text, quasi): &(&'static str, String, Vec<&'static str>)| {
            let path = folder.join(name).with_extension("csv");
            std::fs::write(&path, text).unwrap();
            let source = Source::open(engine, path.to_str().unwrap(), ReadOptions::default()).unwrap();
            LinkedTable { name: (*name).into(), source, options: self.options(name, quasi) }
        };
        self.tables.iter().map(open).collect()
    }

    fn options(&self, table: &str, quasi: &[&str]) -> AnonymizeOptions {
        let subject = match table {
            "patients" => "id",
            "visits" => "patient",
            _ => "person",
        };
        AnonymizeOptions {
            declared: Declared {
                quasi_identifiers: quasi.iter().map(|name| (*name).to_string()).collect(),
                sensitive: if table == "drugs" { vec!["note".into()] } else { vec![] },
                subject: Some(subject.into()),
                ..Declared::default()
            },
            treatments: [(subject.to_string(), Treatment::Pseudonym)].into(),
            policy: Policy::k_anonymity(self.k).suppressing(self.suppression).knowing(self.known),
            bound: false,
            report: false,
            seed: Some(1),
            ..AnonymizeOptions::default()
        }
    }

    /// The original rows of a table with its quasi-identifiers, in no order.
    pub(crate) fn originals(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.tables.iter().map(|(name, text, _)| (*name, text.as_str()))
    }

    /// The published rows of each pseudonym, read as texts from the files of all tables.
    pub(crate) fn published(&self, release: &Path) -> LinkedHistories {
        let mut people: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for (name, _, quasi) in &self.tables {
            let mut reader = csv::Reader::from_path(release.join(name).join("data.csv")).unwrap();
            let header: Vec<String> = reader.headers().unwrap().iter().map(String::from).collect();
            let place = |column: &str| header.iter().position(|name| name == column).unwrap();
            let subject = header.iter().position(|name| ["id", "patient", "person"].contains(&name.as_str())).unwrap();
            for row in reader.records() {
                let row = row.unwrap();
                let look = quasi.iter().map(|column| row[place(column)].to_string()).collect::<Vec<_>>().join("|");
                people.entry(row[subject].to_string()).or_default().push(((*name).into(), look));
            }
        }
        people.into_values().collect()
    }
}

fn times(history: &[(String, String)], row: &(String, String)) -> u64 {
    history.iter().filter(|other| *other == row).count() as u64
}

/// The fewest people with the same rows in all tables as one of them, each counted up to the number of known rows.
pub(crate) fn fewest_alike_in_all(people: &LinkedHistories, known: KnownRows) -> u64 {
    let most = match known {
        KnownRows::AtMost(most) => most,
        KnownRows::All => u64::MAX,
    };
    let counts_alike = |one: &[(String, String)], other: &[(String, String)]| {
        one.iter().chain(other).all(|row| times(one, row).min(most) == times(other, row).min(most))
    };
    let alike = |one: &Vec<(String, String)>| people.iter().filter(|other| counts_alike(one, other)).count() as u64;
    people.iter().map(alike).min().unwrap_or(0)
}

/// The fewest people who have rows that are known of one of them, for every choice of up to m rows of each table.
pub(crate) fn fewest_matches_in_all(people: &LinkedHistories, known: KnownRows) -> u64 {
    let mut fewest = u64::MAX;
    for history in people {
        for chosen in 1u32..1 << history.len() {
            let rows: Vec<(String, String)> =
                (0..history.len()).filter(|at| chosen >> at & 1 == 1).map(|at| history[at].clone()).collect();
            let tables: BTreeSet<&String> = rows.iter().map(|(table, _)| table).collect();
            let of_table = |table: &String| rows.iter().filter(|(other, _)| other == table).count() as u64;
            if let KnownRows::AtMost(most) = known
                && tables.iter().any(|table| of_table(table) > most)
            {
                continue;
            }
            let has = |other: &&Vec<(String, String)>| rows.iter().all(|row| times(&rows, row) <= times(other, row));
            fewest = fewest.min(people.iter().filter(has).count() as u64);
        }
    }
    fewest
}
