//! The definitions of k-map and δ-presence on texts: the published file, the population and the towns.

use std::collections::BTreeMap;
use std::path::Path;

use super::case::{Asked, Case, Column, TOWNS};

pub(crate) struct Oracle<'c> {
    case: &'c Case,
}

impl<'c> Oracle<'c> {
    pub(crate) fn new(case: &'c Case) -> Oracle<'c> {
        Oracle { case }
    }

    /// The published classes: their labels and rows.
    pub(crate) fn classes(&self, release: &Path) -> Vec<(Vec<String>, u64)> {
        let mut classes: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for line in csv::Reader::from_path(release.join("data.csv")).unwrap().records() {
            let labels = line.unwrap().iter().take(self.case.columns.len()).map(str::to_string).collect();
            *classes.entry(labels).or_default() += 1;
        }
        classes.into_iter().collect()
    }

    fn people(&self) -> u64 {
        self.case.population.iter().map(|tuple| tuple.1).sum()
    }

    /// How many people match some labels.
    fn matching(&self, labels: &[String]) -> u64 {
        let matches = |values: &[String]| {
            let mut columns = self.case.columns.iter().zip(values).zip(labels);
            columns.all(|((&column, value), label)| lies_under(column, value, label))
        };
        self.case.population.iter().filter(|tuple| matches(&tuple.0)).map(|tuple| tuple.1).sum()
    }

    pub(crate) fn keeps(&self, classes: &[(Vec<String>, u64)], asked: &Asked) -> bool {
        match *asked {
            Asked::KMap(k) => classes.iter().all(|(labels, _)| self.matching(labels) >= k),
            Asked::Presence(min, max) => {
                let matching: Vec<u64> = classes.iter().map(|class| self.matching(&class.0)).collect();
                let all: u64 = matching.iter().sum();
                let within = |(class, people): (&(Vec<String>, u64), &u64)| {
                    class.1 * 16 <= people * max && class.1 * 16 >= people * min
                };
                // Nobody matches two classes, so that as many match some class as match each, added up.
                classes.iter().zip(&matching).all(within) && (min == 0 || all == self.people())
            }
        }
    }

    /// Whether even a release with the widest label in every cell breaks the promise.
    pub(crate) fn is_infeasible(&self, asked: &Asked) -> bool {
        let rows = self.case.sample.len() as u64;
        let widest = |(at, &column): (usize, &Column)| {
            widest(column, &self.case.sample.iter().map(|row| row[at].as_str()).collect::<Vec<_>>())
        };
        let everything: Vec<String> = self.case.columns.iter().enumerate().map(widest).collect();
        !self.keeps(&[(everything, rows)], asked) || rows < self.case.k
    }

    /// How many rows more than people who may have their values there are, for some combination of values.
    pub(crate) fn rows_without_person(&self) -> u64 {
        let mut rows: BTreeMap<&Vec<String>, u64> = BTreeMap::new();
        self.case.sample.iter().for_each(|row| *rows.entry(row).or_default() += 1);
        let may_be = |known: &[String], row: &[String]| {
            let mut columns = self.case.columns.iter().zip(known).zip(row);
            columns.all(|((&column, known), value)| known == "*" || lies_under(column, value, known))
        };
        let lacking = |(row, rows): (&Vec<String>, u64)| {
            let people: u64 =
                self.case.population.iter().filter(|tuple| may_be(&tuple.0, row)).map(|tuple| tuple.1).sum();
            rows.saturating_sub(people)
        };
        rows.into_iter().map(lacking).sum()
    }
}

/// The widest label of a column with these values: `*`, unless a label below it holds all of them.
fn widest(column: Column, values: &[&str]) -> String {
    let first = values[0];
    if column != Column::Town && values.iter().all(|value| *value == first) {
        return first.into();
    }
    let labels: Vec<String> = match column {
        Column::Age => {
            let interval = |width: i64| {
                let from = first.parse::<i64>().unwrap() / width * width;
                format!("[{from}, {})", from + width)
            };
            vec![interval(10), interval(20)]
        }
        Column::Zip => {
            (1..first.len()).rev().map(|kept| format!("{}{}", &first[..kept], "*".repeat(first.len() - kept))).collect()
        }
        Column::FreeAge | Column::Town | Column::Sex => Vec::new(),
    };
    let holds = |label: &&String| values.iter().all(|value| lies_under(column, value, label));
    labels.iter().find(holds).cloned().unwrap_or_else(|| "*".into())
}

/// Whether a value lies under a label.
fn lies_under(column: Column, value: &str, label: &str) -> bool {
    if label == "*" || label == value {
        return true;
    }
    match column {
        Column::Age | Column::FreeAge => {
            let closed = i64::from(label.ends_with(']'));
            let ends = label.strip_prefix('[').map(|label| label.trim_end_matches([')', ']']));
            let ends = ends.and_then(|ends| ends.split_once(", "));
            let ends = ends.map(|(from, to)| (from.parse::<i64>().unwrap(), to.parse::<i64>().unwrap() + closed));
            let number = value.parse::<i64>().ok();
            ends.zip(number).is_some_and(|((from, to), number)| from <= number && number < to)
        }
        Column::Town => {
            let place =
                |name: &str| TOWNS.iter().find_map(|line| Some((line, line.iter().position(|other| *other == name)?)));
            place(value).is_some_and(|(line, at)| line[at..].contains(&label))
        }
        Column::Zip => {
            let kept = label.trim_end_matches('*');
            label.ends_with('*') && value.len() == label.len() && value.starts_with(kept)
        }
        Column::Sex => label.starts_with('{') && label.trim_matches(['{', '}']).split(", ").any(|one| one == value),
    }
}
