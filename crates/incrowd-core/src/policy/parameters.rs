//! What a model is given: named numbers, shares, words and lists of values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Positive, Ratio, counted};

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
/// use incrowd_core::Parameters;
/// let parameters = Parameters::from_iter([("k", 5)]);
/// assert_eq!(parameters.whole("k-anonymity", "k")?, 5);
/// assert!(parameters.whole("k-anonymity", "l").is_err());
/// # Ok::<(), incrowd_core::ModelError>(())
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

    /// A parameter of a model that must be a whole number of at least 1.
    pub fn whole(&self, model: &'static str, name: &'static str) -> Result<u64, ModelError> {
        match self.0.get(name) {
            Some(&Parameter::Whole(number)) if number > 0 => Ok(number),
            _ => Err(ModelError::Parameter { model, name, needed: "a whole number of at least 1" }),
        }
    }

    /// A parameter that must be a share above 0, taken exactly: `0.33` is 33/100.
    pub fn share(&self, model: &'static str, name: &'static str) -> Result<Ratio, ModelError> {
        let read = self.text(name).and_then(|text| text.parse().ok());
        let above_zero = read.filter(|share: &Ratio| share.numerator() > 0);
        above_zero.ok_or(ModelError::Parameter {
            model,
            name,
            needed: "a share above 0 and at most 1, such as 0.33 or 1/3",
        })
    }

    /// A parameter that must be a number above 0, taken exactly; `least` is the smallest that makes sense.
    pub fn number(
        &self,
        model: &'static str,
        name: &'static str,
        least: f64,
        needed: &'static str,
    ) -> Result<Positive, ModelError> {
        let read: Option<Positive> = self.text(name).and_then(|text| text.parse().ok());
        read.filter(|number| number.to_f64() >= least).ok_or(ModelError::Parameter { model, name, needed })
    }

    /// A number as it was written.
    fn text(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Parameter::Text(text) => Some(text.clone()),
            Parameter::Whole(number) => Some(number.to_string()),
            // The shortest text of a number is what its writer meant.
            Parameter::Fraction(number) => Some(number.to_string()),
            Parameter::List(_) | Parameter::Lists(_) => None,
        }
    }

    /// A parameter that is one of these words; the first when it is left out.
    pub fn word(
        &self,
        model: &'static str,
        name: &'static str,
        words: &'static [&'static str],
        needed: &'static str,
    ) -> Result<&'static str, ModelError> {
        let given = match self.0.get(name) {
            None => return Ok(words[0]),
            Some(Parameter::Text(text)) => words.iter().find(|word| *word == text),
            Some(_) => None,
        };
        given.copied().ok_or(ModelError::Parameter { model, name, needed })
    }

    /// A parameter that is a list of values, if it is given.
    pub fn list(&self, model: &'static str, name: &'static str) -> Result<Option<Vec<String>>, ModelError> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Parameter::List(values)) if !values.is_empty() => Ok(Some(values.clone())),
            Some(_) => Err(ModelError::Parameter { model, name, needed: "a list of values" }),
        }
    }

    /// A parameter that is a list of lists of values, none of them empty, if it is given.
    pub fn lists(
        &self,
        model: &'static str,
        name: &'static str,
        needed: &'static str,
    ) -> Result<Option<Vec<Vec<String>>>, ModelError> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Parameter::Lists(lists)) if !lists.is_empty() && lists.iter().all(|list| !list.is_empty()) => {
                Ok(Some(lists.clone()))
            }
            Some(_) => Err(ModelError::Parameter { model, name, needed }),
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

impl<S: Into<String>, P: Into<Parameter>> FromIterator<(S, P)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (S, P)>>(parameters: I) -> Self {
        Parameters(parameters.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
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
    /// The column has no such value, so the rule would protect nobody.
    #[error("a value that the policy protects does not occur in `{column}`: check its spelling")]
    UnknownValue {
        /// The column.
        column: String,
    },
    /// A value of the column has no place in what the policy says about its values.
    #[error("the {what} of `{column}` does not name every value of the column: add those that are missing")]
    IncompleteValues {
        /// The column.
        column: String,
        /// What was given: an order or a tree.
        what: &'static str,
    },
    /// The model is about one value for each person, and some people have several.
    #[error(
        "{} of “{column}”, and {model} is only defined for one value per person: use alpha-deassociation or \
             frequency-l-diversity, which count a person for each value that the person has, or reduce the table to one \
             value per person",
        counted(*people, "person has several values", "people have several values")
    )]
    SeveralValues {
        /// The model's id.
        model: &'static str,
        /// The column.
        column: String,
        /// How many people have several values of it.
        people: u64,
    },
    /// The column's values have no order of their own.
    #[error(
        "`{column}` holds texts, which have no order by themselves: give `order`, the values from the least to the \
             greatest"
    )]
    NoOrder {
        /// The column.
        column: String,
    },
    /// The model is not about sensitive attributes.
    #[error("model `{model}` is not about sensitive attributes; leave `sensitive` empty")]
    NotAboutSensitive {
        /// The model's id.
        model: &'static str,
    },
    /// The model is about sensitive attributes and none is named.
    #[error("model `{model}` protects sensitive attributes; name at least one")]
    NoSensitive {
        /// The model's id.
        model: &'static str,
    },
    /// A policy without any model promises nothing.
    #[error("the policy has no model, so it would promise nothing; ask at least for a k")]
    Nothing,
    /// The suppression budget is not a share.
    #[error("the share of rows that may be withheld is between 0 and 1, not {share}")]
    Share {
        /// What was written.
        share: f64,
    },
}
