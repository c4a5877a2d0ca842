//! The parameters of a model by name: numbers, shares, words and lists of values, as a policy states them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Positive, Ratio};

/// Something given to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// A whole number.
    Whole(u64),
    /// A number with a fraction.
    Fraction(f64),
    /// A word, or an exact share such as `1/3`.
    Text(String),
    /// Values.
    List(Vec<String>),
    /// Groups of values, or paths of a tree.
    Lists(Vec<Vec<String>>),
}

impl From<u64> for Parameter {
    fn from(number: u64) -> Self {
        Parameter::Whole(number)
    }
}

impl From<Ratio> for Parameter {
    fn from(share: Ratio) -> Self {
        Parameter::Text(share.to_string())
    }
}

impl From<&str> for Parameter {
    fn from(text: &str) -> Self {
        Parameter::Text(text.into())
    }
}

impl From<Vec<String>> for Parameter {
    fn from(values: Vec<String>) -> Self {
        Parameter::List(values)
    }
}

impl From<Positive> for Parameter {
    fn from(number: Positive) -> Self {
        Parameter::Text(number.to_string())
    }
}

impl From<Vec<Vec<String>>> for Parameter {
    fn from(lists: Vec<Vec<String>>) -> Self {
        Parameter::Lists(lists)
    }
}

/// The parameters of a model by name.
///
/// ```
/// use incrowd_core::{Parameter, Parameters};
/// let parameters = Parameters::from_iter([("k", 5)]);
/// assert_eq!(parameters.get("k"), Some(&Parameter::Whole(5)));
/// assert_eq!(parameters.get("l"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<String, Parameter>);

impl Parameters {
    /// The same parameters and this one.
    pub fn with(mut self, name: &str, value: impl Into<Parameter>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// The parameters by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Parameter)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The parameter of this name.
    pub fn get(&self, name: &str) -> Option<&Parameter> {
        self.0.get(name)
    }
}

impl<S: Into<String>, P: Into<Parameter>> FromIterator<(S, P)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (S, P)>>(parameters: I) -> Self {
        Parameters(parameters.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}
