//! Small samples of small populations, as texts, and the oracle that matches them.

use std::collections::BTreeMap;

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, QuasiIdentifier, Role, Values};
use proptest::prelude::*;

/// What a column may become.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    /// Names below names: a line for each value, without the root.
    Names(Vec<Vec<String>>),
    /// Numbers below intervals of 10 and of 20.
    Intervals,
    /// Numbers as any interval of them.
    FreeIntervals,
    /// Names as sets of them.
    Sets,
}

/// A sample of a population.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    columns: Vec<Column>,
    /// The values of each row.
    sample: Vec<Vec<String>>,
    /// The values of each person; some are coarser.
    population: Vec<Vec<String>>,
}

const TOWNS: [[&str; 3]; 6] = [
    ["Bonn", "Rhine", "Germany"],
    ["Graz", "Styria", "Austria"],
    ["Köln", "Rhine", "Germany"],
    ["Linz", "Upper", "Austria"],
    ["Ulm", "Swabia", "Germany"],
    ["Wien", "Vienna", "Austria"],
];

fn columns() -> impl Strategy<Value = Column> {
    let lines = TOWNS.iter().map(|line| line.iter().map(ToString::to_string).collect()).collect();
    prop_oneof![3 => Just(Column::Names(lines)), 2 => Just(Column::Intervals), 1 => Just(Column::FreeIntervals), 1 => Just(Column::Sets)]
}

/// A value of a column, or for a large `coarse` a label above it.
fn value(column: &Column, number: usize, coarse: usize) -> String {
    match (column, coarse) {
        (Column::Names(lines), 7..=8) => lines[number % 6][coarse - 6].clone(),
        (Column::Intervals, 7) => format!("[{}, {})", number % 6 * 9 / 10 * 10, number % 6 * 9 / 10 * 10 + 10),
        (_, 9) => "*".into(),
        (Column::Names(lines), _) => lines[number % 6][0].clone(),
        (Column::Intervals | Column::FreeIntervals, _) => (number % 6 * 9).to_string(),
        (Column::Sets, _) => TOWNS[number % 5][0].into(),
    }
}

/// Populations of which the first people are the sample; in some of them no value is coarse.
pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let people = prop::collection::vec(prop::collection::vec((0usize..6, 0usize..10), 3), 1..40);
    (prop::collection::vec(columns(), 1..4), people, 1usize..12, any::<bool>()).prop_map(
        |(columns, people, sampled, exact)| {
            let values = |person: &Vec<(usize, usize)>, coarse: bool| -> Vec<String> {
                let pairs = columns.iter().zip(person);
                pairs.map(|(column, &(number, level))| value(column, number, if coarse { level } else { 0 })).collect()
            };
            let population = people.iter().map(|person| values(person, !exact)).collect();
            let sample = people.iter().take(sampled).map(|person| values(person, false)).collect();
            Case { columns, sample, population }
        },
    )
}

fn counted(rows: &[Vec<String>], dictionaries: &[Dictionary]) -> FrequencyTable {
    let attributes = dictionaries.iter().enumerate();
    let attributes =
        attributes.map(|(at, dictionary)| Attribute::new(format!("q{at}"), Role::QuasiIdentifier, dictionary.clone()));
    let codes = |row: &Vec<String>| -> Vec<u32> {
        row.iter().zip(dictionaries).map(|(value, dictionary)| dictionary.code(value).unwrap()).collect()
    };
    FrequencyTable::from_tuples(attributes.collect(), rows.iter().map(|row| (codes(row), 1)))
}

impl Case {
    fn dictionaries(&self, rows: &[Vec<String>]) -> Vec<Dictionary> {
        let of = |at: usize| {
            let mut texts: Vec<&str> = rows.iter().map(|row| row[at].as_str()).collect();
            texts.sort_unstable();
            texts.dedup();
            match texts.iter().map(|text| text.parse().ok()).collect::<Option<Vec<i64>>>() {
                Some(mut numbers) => {
                    numbers.sort_unstable();
                    Dictionary::new(Values::Integers(numbers), false)
                }
                None => Dictionary::of_texts(texts),
            }
        };
        (0..self.columns.len()).map(of).collect()
    }

    pub(crate) fn table(&self) -> FrequencyTable {
        counted(&self.sample, &self.dictionaries(&self.sample))
    }

    pub(crate) fn population_table(&self) -> FrequencyTable {
        counted(&self.population, &self.dictionaries(&self.population))
    }

    /// Whether no value of the population stands for several.
    pub(crate) fn is_exact(&self) -> bool {
        let is_value = |(at, value): (usize, &String)| match &self.columns[at] {
            Column::Names(lines) => lines.iter().any(|line| line[0] == *value),
            _ => value != "*" && !value.starts_with('['),
        };
        self.population.iter().all(|person| person.iter().enumerate().all(is_value))
    }

    pub(crate) fn rows(&self) -> u64 {
        self.sample.len() as u64
    }

    pub(crate) fn people(&self) -> u64 {
        self.population.len() as u64
    }

    pub(crate) fn quasi_identifiers(&self, table: &FrequencyTable) -> (Vec<QuasiIdentifier>, Vec<Option<Hierarchy>>) {
        let bound = |(at, column): (usize, &Column)| {
            let dictionary = &table.attributes()[at].dictionary;
            let hierarchy = match column {
                Column::Names(lines) => {
                    let text: String = lines.iter().map(|line| format!("{};*\n", line.join(";"))).collect();
                    Some(Hierarchy::read(&text).unwrap())
                }
                Column::Intervals => Some(Hierarchy::numeric(dictionary, &[10.0, 20.0], 0.0).unwrap()),
                Column::FreeIntervals | Column::Sets => None,
            };
            let quasi = match (&hierarchy, column) {
                (Some(hierarchy), _) => QuasiIdentifier::new(at, hierarchy, dictionary).unwrap(),
                (None, Column::Sets) => QuasiIdentifier::sets(at, dictionary).unwrap(),
                (None, _) => QuasiIdentifier::intervals(at, dictionary).unwrap(),
            };
            (quasi, hierarchy)
        };
        self.columns.iter().enumerate().map(bound).unzip()
    }

    /// Whether a value lies under a label of a column.
    fn lies_under(&self, at: usize, value: &str, label: &str) -> bool {
        if label == "*" || label == value {
            return true;
        }
        match &self.columns[at] {
            Column::Names(lines) => {
                // Every line that has the value, at its place or below, has the label above it.
                let place = |line: &Vec<String>, name: &str| line.iter().position(|other| other == name);
                let mut with = lines.iter().filter_map(|line| Some((line, place(line, value)?)));
                let Some((line, at)) = with.next() else { return false };
                place(line, label).is_some_and(|above| above > at)
            }
            Column::Intervals | Column::FreeIntervals => {
                let ends = |text: &str| {
                    let closed = text.ends_with(']');
                    let inner = text.strip_prefix('[')?.trim_end_matches([')', ']']);
                    let (from, to) = inner.split_once(", ")?;
                    Some((from.parse::<i64>().ok()?, to.parse::<i64>().ok()? + i64::from(closed)))
                };
                let Some((from, to)) = ends(label) else { return false };
                match value.parse::<i64>() {
                    Ok(number) => from <= number && number < to,
                    // An interval that is a label of the sample's hierarchy.
                    Err(_) => {
                        ends(value).is_some_and(|(low, high)| self.has_node(at, value) && from <= low && high <= to)
                    }
                }
            }
            Column::Sets => label.trim_matches(['{', '}']).split(", ").any(|one| one == value),
        }
    }

    /// Whether a value of the sample lies in an interval of a hierarchy: otherwise the hierarchy does not have it.
    fn has_node(&self, at: usize, interval: &str) -> bool {
        let inside = |row: &Vec<String>| row[at] != interval && self.lies_under(at, &row[at], interval);
        matches!(self.columns[at], Column::Intervals) && self.sample.iter().any(inside)
    }

    /// How many people of the population match these labels.
    pub(crate) fn matching(&self, labels: &[String]) -> u64 {
        let matches = |person: &&Vec<String>| {
            labels.iter().enumerate().all(|(at, label)| self.lies_under(at, &person[at], label))
        };
        self.population.iter().filter(matches).count() as u64
    }

    /// In how many of these classes the person of the population is who is in most.
    pub(crate) fn most_classes_of_a_person(&self, classes: &[Vec<String>]) -> usize {
        let of = |person: &Vec<String>| {
            let matches = |labels: &&Vec<String>| {
                labels.iter().enumerate().all(|(at, label)| self.lies_under(at, &person[at], label))
            };
            classes.iter().filter(matches).count()
        };
        self.population.iter().map(of).max().unwrap_or(0)
    }

    /// How many people match none of these classes.
    pub(crate) fn people_without_class(&self, classes: &[Vec<String>]) -> usize {
        let matches = |person: &Vec<String>, labels: &Vec<String>| {
            labels.iter().enumerate().all(|(at, label)| self.lies_under(at, &person[at], label))
        };
        let is_alone = |person: &&Vec<String>| !classes.iter().any(|labels| matches(person, labels));
        self.population.iter().filter(is_alone).count()
    }

    /// How many rows of the sample are of nobody: those of a combination of values beyond the people who may have it.
    pub(crate) fn rows_without_person(&self) -> u64 {
        let mut counts: BTreeMap<&Vec<String>, u64> = BTreeMap::new();
        self.sample.iter().for_each(|row| *counts.entry(row).or_default() += 1);
        let may_be = |person: &Vec<String>, row: &Vec<String>| {
            let mut pairs = person.iter().zip(row).enumerate();
            pairs.all(|(at, (known, value))| known == value || known == "*" || self.lies_under(at, value, known))
        };
        let people = |row: &Vec<String>| self.population.iter().filter(|person| may_be(person, row)).count() as u64;
        counts.into_iter().map(|(row, rows)| rows.saturating_sub(people(row))).sum()
    }
}
