//! What every model owes, tried on small tables: it judges as its definition says, and its claims cannot be broken.
//!
//! The laws run over [`crate::MODELS`]: a model brings its sample parameters, its definition, written a second time and
//! literally, and its figures in its entry.

#[cfg(test)]
mod best_answers;
#[cfg(test)]
mod case;
#[cfg(test)]
mod distances;
#[cfg(test)]
mod entropies;
#[cfg(test)]
mod extremes;
#[cfg(test)]
mod figures;
#[cfg(test)]
mod judging;
#[cfg(test)]
mod known_rows;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod parameters;
#[cfg(test)]
mod people;
#[cfg(test)]
mod policies;
#[cfg(test)]
mod population;
#[cfg(test)]
mod sentences;
#[cfg(test)]
mod small_tables;
#[cfg(test)]
mod together;
#[cfg(test)]
mod transport;
#[cfg(test)]
mod withholding;

use std::collections::{BTreeMap, BTreeSet};

use crate::{FrequencyTable, Parameter, Parameters, TupleRows};

pub(crate) use small_tables::Numbers;
pub(crate) use transport::least_work;

/// Whether a class keeps a model beside the whole, on the rows of each value, in whole numbers wherever the definition
/// allows; nothing when only rounding could decide.
pub(crate) type Definition = fn(&AskedParameters<'_>, &ValueCounts, &ValueCounts) -> Option<bool>;

/// Whether `most` is above `number`; nothing when only rounding could decide.
pub(crate) fn clearly(most: f64, number: f64) -> Option<bool> {
    ((most - number).abs() > 1e-9).then_some(number < most)
}

/// Parameters of a model as its definition reads them.
pub(crate) struct AskedParameters<'a>(pub(crate) &'a Parameters);

impl AskedParameters<'_> {
    /// A number as a ratio.
    pub(crate) fn ratio(&self, name: &str) -> (u64, u64) {
        match self.0.get(name) {
            Some(&Parameter::Whole(number)) => (number, 1),
            Some(Parameter::Text(text)) => {
                let (above, below) = text.split_once('/').expect("samples are ratios");
                (above.parse().expect("a number"), below.parse().expect("a number"))
            }
            other => panic!("{name}: {other:?}"),
        }
    }

    /// Whether a parameter is this word.
    pub(crate) fn is(&self, name: &str, word: &str) -> bool {
        self.0.get(name) == Some(&Parameter::Text(word.into()))
    }

    /// A list of values, if it is given.
    pub(crate) fn list(&self, name: &str) -> Option<Vec<String>> {
        match self.0.get(name)? {
            Parameter::List(values) => Some(values.clone()),
            other => panic!("{name}: {other:?}"),
        }
    }

    /// Lists of values.
    pub(crate) fn lists(&self, name: &str) -> Vec<Vec<String>> {
        match self.0.get(name) {
            Some(Parameter::Lists(lists)) => lists.clone(),
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// The rows of each value of an attribute that occurs in a class.
pub(crate) struct ValueCounts(BTreeMap<u32, u64>);

impl ValueCounts {
    /// The rows of each value.
    fn of_rows(table: &FrequencyTable, members: &[TupleRows], attribute: usize) -> Self {
        let mut counts = BTreeMap::new();
        members.iter().for_each(|&(tuple, rows)| *counts.entry(table.code(tuple, attribute)).or_default() += rows);
        ValueCounts(counts)
    }

    /// The people of each value: a person counts once for each value that the person has.
    fn of_people(table: &FrequencyTable, members: &[TupleRows], attribute: usize) -> Self {
        let who = |&(tuple, _): &TupleRows| (table.code(tuple, attribute), table.grouping().person(tuple));
        let pairs: BTreeSet<(u32, Option<u64>)> = members.iter().map(who).collect();
        let mut counts = BTreeMap::new();
        pairs.iter().for_each(|(code, _)| *counts.entry(*code).or_default() += 1);
        ValueCounts(counts)
    }

    /// The text of a value; a missing value has none.
    pub(crate) fn label(code: u32) -> Option<String> {
        case::VALUES.get(code as usize).map(ToString::to_string)
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.values().sum()
    }

    pub(crate) fn distinct(&self) -> u64 {
        self.0.len() as u64
    }

    /// The rows of each value that occurs.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        self.0.values().copied()
    }

    pub(crate) fn by_code(&self) -> impl Iterator<Item = (u32, u64)> {
        self.0.iter().map(|(&code, &rows)| (code, rows))
    }

    /// The rows of one value.
    pub(crate) fn of(&self, code: u32) -> u64 {
        self.0.get(&code).copied().unwrap_or(0)
    }

    pub(crate) fn of_value(&self, value: &str) -> u64 {
        let is_it = |code: u32| ValueCounts::label(code).as_deref() == Some(value);
        self.by_code().filter(|&(code, _)| is_it(code)).map(|(_, rows)| rows).sum()
    }

    /// The texts of the values that occur; the missing value has one of its own.
    pub(crate) fn values(&self) -> Vec<String> {
        self.0.keys().map(|&code| ValueCounts::label(code).unwrap_or_else(|| "missing".into())).collect()
    }

    /// The share of each value of the whole in this class, and in the whole.
    pub(crate) fn shares(&self, whole: &ValueCounts) -> impl Iterator<Item = (f64, f64)> {
        let (rows, all) = (self.total() as f64, whole.total() as f64);
        whole.by_code().map(move |(code, other)| (self.of(code) as f64 / rows, other as f64 / all))
    }
}
