//! A privacy model: a recipe, bound to a table, asked per class.
//!
//! The recipe ([`Model`]) knows its parameters. Bound to a table and to the sensitive attributes it is for, it becomes a
//! [`BoundModel`], which may have looked at the whole table once (t-closeness must) and then judges class by class. A
//! class is asked as [`Members`]: tuples of the frequency table with the rows that each brings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::FrequencyTable;

/// A privacy model with its parameters.
pub trait Model: std::fmt::Debug + Send + Sync {
    /// The word that chooses it.
    fn id(&self) -> &'static str;

    /// What it promises to the people in a release, in one sentence.
    fn promise(&self) -> String;

    /// Whether the union of two conforming classes always conforms. Pruning, sharding and tightening lean on it.
    fn survives_merging(&self) -> bool;

    /// Binds the model to a table and to the sensitive attributes (by position) it is for.
    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError>;
}

/// A model that knows its table.
pub trait BoundModel: Send + Sync {
    /// Whether a class conforms.
    fn holds(&self, class: &Members<'_>) -> bool;
}

/// A class as it is put before a model: how many rows of which tuples.
///
/// ```
/// use incrowd_core::{Attribute, Dictionary, FrequencyTable, Members, Role};
/// let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu"]));
/// let table = FrequencyTable::from_tuples(vec![illness], [([0], 3), ([1], 5)]);
/// let class = Members::new(&table, &[(0, 1), (1, 4)]);
/// assert_eq!(class.size(), 5);
/// assert_eq!(class.histogram(0), [1, 4]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    table: &'a FrequencyTable,
    members: &'a [(usize, u64)],
}

impl<'a> Members<'a> {
    /// A class of these tuples of the table, each with a number of its rows that is not 0.
    pub fn new(table: &'a FrequencyTable, members: &'a [(usize, u64)]) -> Self {
        Members { table, members }
    }

    /// How many people are in the class: rows, unless the table has a subject column.
    pub fn size(&self) -> u64 {
        if !self.table.counts_people() {
            return self.members.iter().map(|&(_, rows)| rows).sum();
        }
        let person = |&(tuple, _): &(usize, u64)| self.table.grouping().person(tuple);
        let mut people: Vec<u64> = self.members.iter().filter_map(person).collect();
        people.sort_unstable();
        people.dedup();
        people.len() as u64
    }

    /// How many rows of the class have each value of an attribute, by code.
    pub fn histogram(&self, attribute: usize) -> Vec<u64> {
        let mut rows = vec![0; self.table.attributes()[attribute].dictionary.len()];
        self.members.iter().for_each(|&(tuple, count)| rows[self.table.code(tuple, attribute) as usize] += count);
        rows
    }
}

/// A number given to a model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// A whole number.
    Whole(u64),
    /// A number with a fraction.
    Fraction(f64),
}

/// The parameters of a model by name.
///
/// ```
/// use incrowd_core::{Parameter, Parameters};
/// let parameters = Parameters::from_iter([("k", Parameter::Whole(5))]);
/// assert_eq!(parameters.whole("k-anonymity", "k")?, 5);
/// assert!(parameters.whole("k-anonymity", "l").is_err());
/// # Ok::<(), incrowd_core::ModelError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<String, Parameter>);

impl Parameters {
    /// A parameter of a model that must be a whole number of at least 1.
    pub fn whole(&self, model: &'static str, name: &'static str) -> Result<u64, ModelError> {
        match self.0.get(name) {
            Some(&Parameter::Whole(number)) if number > 0 => Ok(number),
            _ => Err(ModelError::Parameter { model, name, needed: "a whole number of at least 1" }),
        }
    }

    /// Refuses parameters that the model does not have, so that a misspelt one is not silently ignored.
    pub fn only(&self, model: &'static str, known: &[&'static str]) -> Result<(), ModelError> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(ModelError::UnknownParameter { model, name: name.clone(), known: known.join(", ") }),
            None => Ok(()),
        }
    }
}

impl<S: Into<String>> FromIterator<(S, Parameter)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (S, Parameter)>>(parameters: I) -> Self {
        Parameters(parameters.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

/// Why a model or a policy cannot be used. The user's to mend.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No model has this id.
    #[error("there is no model `{id}`; choose one of: {known}")]
    UnknownModel {
        /// The id that was written.
        id: String,
        /// The ids there are.
        known: String,
    },
    /// A parameter is missing or out of range.
    #[error("model `{model}` needs `{name}`: {needed}")]
    Parameter {
        /// The model's id.
        model: &'static str,
        /// The parameter's name.
        name: &'static str,
        /// What it must be.
        needed: &'static str,
    },
    /// The model has no such parameter.
    #[error("model `{model}` has no parameter `{name}`; it has: {known}")]
    UnknownParameter {
        /// The model's id.
        model: &'static str,
        /// The name that was written.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The table has no such column.
    #[error("the policy names the sensitive attribute `{name}`, which the table does not have")]
    UnknownColumn {
        /// The name that was written.
        name: String,
    },
    /// The model is not about sensitive attributes.
    #[error("model `{model}` is not about sensitive attributes; leave `sensitive` empty")]
    NotAboutSensitive {
        /// The model's id.
        model: &'static str,
    },
    /// The suppression budget is not a share.
    #[error("the share of rows that may be withheld is between 0 and 1, not {share}")]
    Share {
        /// What was written.
        share: f64,
    },
}
