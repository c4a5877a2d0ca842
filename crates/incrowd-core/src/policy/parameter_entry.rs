//! How a model declares its parameters, and how given parameters are read by that declaration.
//!
//! A parameter is declared once, in the file of its model: name, symbol, kind, range and a sentence of help. A plan, a
//! command line or Python lists the parameters of a model from [`crate::ModelEntry::parameters`].

use super::{ModelError, Parameter, Parameters};
use crate::{Positive, Ratio};

/// The declaration of one parameter of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterEntry {
    /// The name by which it is given.
    pub name: &'static str,
    /// Its symbol in formulas and messages, such as `ℓ`; the name for parameters without one.
    pub symbol: &'static str,
    /// What its value is, with its range.
    pub kind: ParameterKind,
    /// Whether it has to be given.
    pub required: bool,
    /// What a value has to be, in words that follow "needs `name`: ".
    pub needed: &'static str,
    /// What it sets, in one sentence.
    pub help: &'static str,
}

/// What the value of a parameter is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A whole number of at least 1.
    Whole,
    /// An exact share above 0 and at most 1: `0.33` is 33/100.
    Share,
    /// An exact number above 0.
    Number {
        /// The smallest number that is accepted.
        least: f64,
    },
    /// One of these words; the first one when the parameter is not given.
    Word(&'static [&'static str]),
    /// A list of values of the sensitive attribute.
    Values,
    /// A list of groups of values, none of them empty: the values below each protected node of a hierarchy.
    Groups,
    /// The path of each value to the root of a hierarchy.
    Paths,
}

impl ParameterEntry {
    /// A whole number of at least 1, which has to be given.
    pub(crate) const fn whole(name: &'static str, symbol: &'static str, help: &'static str) -> Self {
        let needed = "an integer of at least 1";
        ParameterEntry { name, symbol, kind: ParameterKind::Whole, required: true, needed, help }
    }

    /// A share above 0, which has to be given.
    pub(crate) const fn share(name: &'static str, symbol: &'static str, help: &'static str) -> Self {
        let needed = "a share above 0 and at most 1, such as 0.33 or 1/3";
        ParameterEntry { name, symbol, kind: ParameterKind::Share, required: true, needed, help }
    }

    /// A number above 0 of at least `least`, which has to be given.
    pub(crate) const fn number(
        name: &'static str,
        symbol: &'static str,
        least: f64,
        needed: &'static str,
        help: &'static str,
    ) -> Self {
        ParameterEntry { name, symbol, kind: ParameterKind::Number { least }, required: true, needed, help }
    }

    /// One of these words; the first one when it is not given.
    pub(crate) const fn word(
        name: &'static str,
        words: &'static [&'static str],
        needed: &'static str,
        help: &'static str,
    ) -> Self {
        ParameterEntry { name, symbol: name, kind: ParameterKind::Word(words), required: false, needed, help }
    }

    /// A list of values, which may be left out.
    pub(crate) const fn values(name: &'static str, help: &'static str) -> Self {
        let needed = "a list of values";
        ParameterEntry { name, symbol: name, kind: ParameterKind::Values, required: false, needed, help }
    }

    /// Groups of values, which have to be given.
    pub(crate) const fn groups(name: &'static str, needed: &'static str, help: &'static str) -> Self {
        ParameterEntry { name, symbol: name, kind: ParameterKind::Groups, required: true, needed, help }
    }

    /// The paths of a hierarchy, which may be left out.
    pub(crate) const fn paths(name: &'static str, needed: &'static str, help: &'static str) -> Self {
        ParameterEntry { name, symbol: name, kind: ParameterKind::Paths, required: false, needed, help }
    }
}

/// The parameters that were given to a model, read as the model declares them.
#[derive(Clone, Copy)]
pub(crate) struct GivenParameters<'a> {
    model: &'static str,
    parameters: &'a Parameters,
}

impl<'a> GivenParameters<'a> {
    /// Refuses parameters that the model does not have, so that a misspelt one is not silently ignored.
    pub(crate) fn new(
        model: &'static str,
        declared: &[ParameterEntry],
        parameters: &'a Parameters,
    ) -> Result<Self, ModelError> {
        let known = |name: &str| declared.iter().any(|parameter| parameter.name == name);
        match parameters.iter().map(|(name, _)| name).find(|name| !known(name)) {
            Some(name) => Err(ModelError::UnknownParameter {
                model,
                name: name.to_owned(),
                known: declared.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", "),
            }),
            None => Ok(GivenParameters { model, parameters }),
        }
    }

    /// That a parameter is not what it has to be.
    pub(crate) fn refused(&self, parameter: &ParameterEntry) -> ModelError {
        ModelError::Parameter { model: self.model, name: parameter.name, needed: parameter.needed }
    }

    /// Whether a parameter is given.
    pub(crate) fn has(&self, parameter: &ParameterEntry) -> bool {
        self.parameters.get(parameter.name).is_some()
    }

    /// A whole number of at least 1.
    pub(crate) fn whole(&self, parameter: &ParameterEntry) -> Result<u64, ModelError> {
        match self.parameters.get(parameter.name) {
            Some(&Parameter::Whole(number)) if number > 0 => Ok(number),
            _ => Err(self.refused(parameter)),
        }
    }

    /// A share above 0.
    pub(crate) fn share(&self, parameter: &ParameterEntry) -> Result<Ratio, ModelError> {
        self.parameters.share(parameter.name).ok_or_else(|| self.refused(parameter))
    }

    /// A number that is not below the least one of its range.
    pub(crate) fn number(&self, parameter: &ParameterEntry) -> Result<Positive, ModelError> {
        let least = if let ParameterKind::Number { least } = parameter.kind { least } else { 0.0 };
        let read: Option<Positive> = self.parameters.number_text(parameter.name).and_then(|text| text.parse().ok());
        read.filter(|number| number.to_f64() >= least).ok_or_else(|| self.refused(parameter))
    }

    /// One of the words of the parameter; the first one when it is not given.
    pub(crate) fn word(&self, parameter: &ParameterEntry) -> Result<&'static str, ModelError> {
        let words = if let ParameterKind::Word(words) = parameter.kind { words } else { &[] };
        let given = match self.parameters.get(parameter.name) {
            None => words.first(),
            Some(Parameter::Text(text)) => words.iter().find(|word| *word == text),
            Some(_) => None,
        };
        given.copied().ok_or_else(|| self.refused(parameter))
    }

    /// A list of values, if it is given.
    pub(crate) fn values(&self, parameter: &ParameterEntry) -> Result<Option<Vec<String>>, ModelError> {
        match self.parameters.get(parameter.name) {
            None => Ok(None),
            Some(Parameter::List(values)) if !values.is_empty() => Ok(Some(values.clone())),
            Some(_) => Err(self.refused(parameter)),
        }
    }

    /// A list of lists of values, none of them empty, if it is given.
    pub(crate) fn value_lists(&self, parameter: &ParameterEntry) -> Result<Option<Vec<Vec<String>>>, ModelError> {
        match self.parameters.get(parameter.name) {
            None => Ok(None),
            Some(Parameter::Lists(lists)) if !lists.is_empty() && lists.iter().all(|list| !list.is_empty()) => {
                Ok(Some(lists.clone()))
            }
            Some(_) => Err(self.refused(parameter)),
        }
    }
}
