//! What is put before a model: a sensitive attribute of the whole release, and one class after the other.

use std::sync::Arc;

use crate::count::ValueRows;

/// A sensitive attribute of the whole table; one without a name and values for models that judge the class alone.
#[derive(Default)]
pub(crate) struct SensitiveAttribute {
    pub(crate) name: String,
    /// The value of each code; nothing is the missing value.
    pub(crate) labels: Vec<Option<Arc<str>>>,
    /// How many rows (or people, when they are known) of the whole table have each code.
    pub(crate) rows: Vec<u64>,
}

impl SensitiveAttribute {
    /// The attribute whose rows of each class and value are these.
    pub(crate) fn new(name: String, labels: Vec<Option<Arc<str>>>, values: &[ValueRows]) -> SensitiveAttribute {
        let mut rows = vec![0; labels.len()];
        values.iter().for_each(|value| rows[value.code as usize] += value.rows);
        SensitiveAttribute { name, labels, rows }
    }

    /// How many rows (or people for each of their values) there are.
    pub(crate) fn all(&self) -> u64 {
        self.rows.iter().sum()
    }

    /// The values that published rows have, but for the missing one.
    pub(crate) fn published(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().zip(&self.rows).filter(|(_, rows)| **rows > 0).filter_map(|(label, _)| label.as_deref())
    }

    /// The codes that published rows have, each with its rows.
    pub(crate) fn whole(&self) -> impl Iterator<Item = (usize, u64)> {
        self.rows.iter().copied().enumerate().filter(|(_, rows)| *rows > 0)
    }
}

/// That a person has a value in a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Holding {
    pub(crate) class: u32,
    pub(crate) person: u64,
    /// The code of the value.
    pub(crate) code: u32,
}

/// One published class, put before a model.
pub(crate) struct ClassCounts<'a> {
    /// Its people when they are known, else its rows.
    pub(crate) size: u64,
    /// How many of them have each value of the sensitive attribute, by code; empty for a model without one.
    pub(crate) values: &'a [ValueRows],
    /// Each person with each of their values, sorted by person, when people are known.
    pub(crate) holdings: Option<&'a [Holding]>,
    /// How many people of the population match it, for models about one.
    pub(crate) matching: u64,
}

impl ClassCounts<'_> {
    /// How many people (or rows) have a value that `is_one` says yes to.
    pub(crate) fn having(&self, is_one: impl Fn(usize) -> bool) -> u64 {
        match self.holdings {
            None => self.histogram().filter(|(code, _)| is_one(*code)).map(|(_, rows)| rows).sum(),
            Some(holdings) => {
                let people = holdings.chunk_by(|one, other| one.person == other.person);
                people.filter(|person| person.iter().any(|holding| is_one(holding.code as usize))).count() as u64
            }
        }
    }

    /// The people (or rows) of each value, by its code.
    pub(crate) fn histogram(&self) -> impl Iterator<Item = (usize, u64)> {
        self.values.iter().map(|value| (value.code as usize, value.rows))
    }
}
