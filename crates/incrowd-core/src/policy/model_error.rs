//! Why a model or a policy cannot be used.

use crate::counted;

/// Why a model or a policy cannot be used. The user's to mend.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No model has this id.
    #[error("unknown model `{id}`. Models: {known}")]
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
    #[error("model `{model}` has no parameter `{name}`. Parameters: {known}")]
    UnknownParameter {
        /// The model's id.
        model: &'static str,
        /// The name that was written.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The table has no such column.
    #[error("the policy names the sensitive column `{name}`, which the table does not have")]
    UnknownColumn {
        /// The name that was written.
        name: String,
    },
    /// The column has no such value, so the rule would protect no one.
    #[error("a value that the policy protects does not occur in `{column}`: check its spelling")]
    UnknownValue {
        /// The column.
        column: String,
    },
    /// A value of the column has no place in what the policy says about its values.
    #[error("the {what} of `{column}` does not contain every value of the column: add the missing ones")]
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
    #[error("`{column}` contains texts, which have no natural order: give `order`, the values in ascending order")]
    NoOrder {
        /// The column.
        column: String,
    },
    /// The model is not about sensitive attributes.
    #[error("model `{model}` is not about sensitive columns; leave `sensitive` empty")]
    NotAboutSensitive {
        /// The model's id.
        model: &'static str,
    },
    /// The model is about sensitive attributes and none is named.
    #[error("model `{model}` protects sensitive columns; name at least one")]
    NoSensitive {
        /// The model's id.
        model: &'static str,
    },
    /// The model is about a population and none is given.
    #[error("model `{model}` is about a population: give the table of the population")]
    NoPopulation {
        /// The model's id.
        model: &'static str,
    },
    /// The model is about a population, in which each person has one row, and the table has several for some.
    #[error(
        "model `{model}` counts one row per person, and the table has a subject column: reduce it to one row per person"
    )]
    PopulationOfRows {
        /// The model's id.
        model: &'static str,
    },
    /// A policy without any model promises nothing.
    #[error("the policy has no model and would promise nothing; set at least k")]
    Nothing,
    /// The suppression budget is not a share.
    #[error("the maximum share of suppressed rows is between 0 and 1, not {share}")]
    Share {
        /// What was written.
        share: f64,
    },
}
