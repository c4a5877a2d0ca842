//! The columns of a release: what each is to an attacker, and what was done to it.

use serde::{Deserialize, Serialize};

/// One column of the original table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnEntry {
    /// Its name.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// What was done to it.
    pub technique: Technique,
    /// How its cells were changed when the technique is `treated`: `blank`, `mask:3`, `pseudonym`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub treatment: Option<String>,
    /// Whether the labels of a generalized column can be read by everyone; nothing in manifests that do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Labels>,
    /// The type of a quasi-identifier's values in the original: `integer`, `number`, `date` or `text`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<ValueType>,
}

impl ColumnEntry {
    /// Whether the column stands in the published files.
    pub fn is_published(&self) -> bool {
        self.technique != Technique::Removed
    }
}

/// How the labels of a generalized column are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Labels {
    /// Each label holds every value that it stands for: a value itself, `[20, 30)`, `{a, b}`, `435*`, `1980-Q1`. Only
    /// an empty cell, `*` and a set with `(missing)` stand for a missing value.
    SelfDescribing,
    /// A label is a name from a hierarchy, and may stand for any value.
    Names,
}

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueType {
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction.
    Number,
    /// Calendar days.
    Date,
    /// ColumnTexts.
    Text,
}

/// What a column is to an attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Says who a person is.
    Identifier,
    /// Says which rows belong to one person.
    Subject,
    /// Known to the attacker from elsewhere.
    QuasiIdentifier,
    /// What the attacker wants to learn.
    Sensitive,
    /// Neither.
    Insensitive,
}

/// What was done to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Technique {
    /// It is not published.
    Removed,
    /// Its cells may stand for several values.
    Generalized,
    /// Its cells are the value or `*`.
    Suppressed,
    /// Its cells are the values.
    Retained,
    /// Its cells are the values, and stand in the second of two tables.
    MovedToSecondTable,
    /// Each of its cells was changed, as its treatment says.
    Treated,
}
