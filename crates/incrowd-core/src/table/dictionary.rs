//! The distinct values of a column, and the code that stands for each.
//!
//! A column is read once; from then on a value is its *code*, the rank of the value among the column's distinct
//! values. Sorted ranks make an answer independent of the order in which rows arrived, and make numbers and dates
//! ordered domains without a second look. A missing value is a value of its own and always the last code.

use std::borrow::Cow;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::numbers::to_u32;

/// How a missing value is shown to a person.
pub const MISSING_LABEL: &str = "(missing)";

/// The distinct values that are present, sorted, each once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Values {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Numbers with a fraction: never NaN, never −0. `scale` is the fixed number of decimals they are written with.
    Numbers {
        /// The numbers, ascending.
        values: Vec<f64>,
        /// Digits after the point when every value was written with the same number of them.
        scale: Option<u8>,
    },
    /// Calendar days, as days since 1970-01-01.
    Dates(Vec<i32>),
    /// Anything else, byte for byte.
    Texts(Vec<Box<str>>),
}

/// The kind of values a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction.
    Number,
    /// Calendar days.
    Date,
    /// Text.
    Text,
}

impl Kind {
    /// The word shown to a person.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Integer => "integer",
            Kind::Number => "number",
            Kind::Date => "date",
            Kind::Text => "text",
        }
    }
}

/// The distinct values of one column: code ⇄ value.
///
/// ```
/// use incrowd_core::{Dictionary, Values};
/// let ages = Dictionary::new(Values::Integers(vec![9, 30, 41]), true);
/// assert_eq!(ages.len(), 4);
/// assert_eq!(ages.label(1), "30");
/// assert_eq!(ages.missing(), Some(3));
/// assert_eq!(ages.label(3), "(missing)");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dictionary {
    values: Values,
    missing: bool,
}

impl Dictionary {
    /// A dictionary of sorted distinct values; `missing` says whether the column also has missing cells.
    pub fn new(values: Values, missing: bool) -> Self {
        debug_assert!(values.is_sorted(), "a dictionary's values are sorted and distinct");
        Dictionary { values, missing }
    }

    /// A dictionary of the given texts, sorted here. For literals in tests and examples.
    pub fn of_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut texts: Vec<Box<str>> = texts.into_iter().map(Box::from).collect();
        texts.sort_unstable();
        texts.dedup();
        Dictionary::new(Values::Texts(texts), false)
    }

    /// The values that are present.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The kind of the values.
    pub fn kind(&self) -> Kind {
        match self.values {
            Values::Integers(_) => Kind::Integer,
            Values::Numbers { .. } => Kind::Number,
            Values::Dates(_) => Kind::Date,
            Values::Texts(_) => Kind::Text,
        }
    }

    /// How many codes there are, the missing value included.
    pub fn len(&self) -> usize {
        self.values.len() + usize::from(self.missing)
    }

    /// Whether there is no code.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of the missing value, if the column has missing cells.
    pub fn missing(&self) -> Option<u32> {
        self.missing.then_some(to_u32(self.values.len()))
    }

    /// The value behind a code as it is shown to a person; a missing value is `(missing)`.
    ///
    /// # Panics
    /// If the code is not one of this dictionary's.
    pub fn label(&self, code: u32) -> Cow<'_, str> {
        if Some(code) == self.missing() { Cow::Borrowed(MISSING_LABEL) } else { self.values.label(code as usize) }
    }

    /// The value behind a code as it is written; nothing for the missing value.
    ///
    /// # Panics
    /// If the code is not one of this dictionary's.
    pub fn text(&self, code: u32) -> Option<Cow<'_, str>> {
        (Some(code) != self.missing()).then(|| self.values.label(code as usize))
    }

    /// The code of the value that is written like this, if there is one.
    pub fn code(&self, label: &str) -> Option<u32> {
        let position = match &self.values {
            Values::Texts(texts) => texts.binary_search_by(|text| text.as_ref().cmp(label)).ok(),
            other => (0..other.len()).find(|&index| other.label(index) == label),
        };
        position.map(to_u32).or_else(|| self.missing().filter(|_| label == MISSING_LABEL))
    }
}

impl Values {
    /// How many distinct values are present.
    pub fn len(&self) -> usize {
        match self {
            Values::Integers(values) => values.len(),
            Values::Numbers { values, .. } => values.len(),
            Values::Dates(values) => values.len(),
            Values::Texts(values) => values.len(),
        }
    }

    /// Whether no value is present.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of one value, in the one canonical form of its column.
    fn label(&self, index: usize) -> Cow<'_, str> {
        match self {
            Values::Integers(values) => values[index].to_string().into(),
            Values::Numbers { values, scale: Some(scale) } => {
                format!("{:.*}", usize::from(*scale), values[index]).into()
            }
            Values::Numbers { values, scale: None } => values[index].to_string().into(),
            Values::Dates(values) => date_label(values[index]).into(),
            Values::Texts(values) => Cow::Borrowed(&values[index]),
        }
    }

    fn is_sorted(&self) -> bool {
        match self {
            Values::Integers(values) => values.is_sorted_by(|a, b| a < b),
            Values::Numbers { values, .. } => values.is_sorted_by(|a, b| a < b),
            Values::Dates(values) => values.is_sorted_by(|a, b| a < b),
            Values::Texts(values) => values.is_sorted_by(|a, b| a < b),
        }
    }
}

/// A day since 1970-01-01 as `YYYY-MM-DD`.
pub fn date_label(days: i32) -> String {
    match NaiveDate::from_epoch_days(days) {
        Some(date) => date.format("%Y-%m-%d").to_string(),
        None => format!("day {days}"),
    }
}
