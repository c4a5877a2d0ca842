//! Sets in a cell, such as `asthma;diabetes`: what each item is published as.
//!
//! The rule is k^m-anonymity (Terrovitis, Mamoulis and Kalnis: Privacy-preserving Anonymization of Set-valued Data, 2008):
//! any m or fewer labels that a published row has together, at least k published rows have together. An attacker who
//! knows at most m items of a person, and nothing else, finds at least k published rows with them, or none if the person's
//! row was suppressed. Every item has one label in
//! the whole column: itself, or one of the generalizations above it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How the cells of a column of sets are split, and how many rows any few of their items are to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemTreatment {
    /// The fewest published rows, at least 2.
    pub k: u32,
    /// The most items that an attacker knows of a person, 1 to [`ItemTreatment::MOST_KNOWN`].
    pub known: u32,
    /// The character between two items of a cell.
    pub separator: char,
}

impl ItemTreatment {
    /// The most items that an attacker may be said to know: combinations of more are too many to count.
    pub const MOST_KNOWN: u32 = 5;

    /// Reads what follows `items:`.
    pub(super) fn parse(parameters: &str) -> Option<ItemTreatment> {
        let (k, rest) = parameters.split_once(",known:")?;
        let (known, separator) = rest.split_once(",split:")?;
        let mut letters = separator.chars();
        let separator = letters.next().filter(|letter| is_separator(*letter))?;
        let k = k.parse().ok().filter(|&k| k >= 2)?;
        let known = known.parse().ok().filter(|known| (1..=Self::MOST_KNOWN).contains(known))?;
        letters.next().is_none().then_some(ItemTreatment { k, known, separator })
    }

    /// The items of a cell, each once, without spaces around them.
    ///
    /// ```
    /// let treatment = incrowd_core::ItemTreatment { k: 5, known: 2, separator: ';' };
    /// assert_eq!(treatment.items("flu; asthma;;flu").into_iter().collect::<Vec<_>>(), ["asthma", "flu"]);
    /// ```
    pub fn items<'c>(&self, cell: &'c str) -> BTreeSet<&'c str> {
        cell.split(self.separator).map(str::trim).filter(|item| !item.is_empty()).collect()
    }

    /// What a column with it is, in words that follow “is published”.
    pub(super) fn words(&self) -> String {
        let ItemTreatment { k, known, .. } = self;
        match known {
            1 => format!("as sets of items, each of which at least {k} rows have"),
            _ => format!("as sets of items; any {known} or fewer that occur together do so in at least {k} rows"),
        }
    }
}

impl fmt::Display for ItemTreatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "items:{},known:{},split:{}", self.k, self.known, self.separator)
    }
}

/// Whether a character can separate items. Letters, digits, quotes and line ends cannot.
fn is_separator(letter: char) -> bool {
    !letter.is_alphanumeric() && !letter.is_control() && !['*', '"', '\'', '-', '.'].contains(&letter)
}

/// The label that each item of a column is published as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemLabels {
    treatment: ItemTreatment,
    labels: BTreeMap<String, String>,
}

impl ItemLabels {
    /// The labels by item.
    pub fn new(treatment: ItemTreatment, labels: BTreeMap<String, String>) -> ItemLabels {
        ItemLabels { treatment, labels }
    }

    /// The label of each item.
    pub fn labels(&self) -> &BTreeMap<String, String> {
        &self.labels
    }

    /// What is published of a cell: the labels of its items, each once, in ascending order. Nothing for a cell without
    /// items, or with one that has no label.
    ///
    /// ```
    /// use incrowd_core::{ItemLabels, ItemTreatment};
    /// let labels = [("flu", "infection"), ("measles", "infection"), ("asthma", "asthma")];
    /// let labels = labels.map(|(item, label)| (item.to_string(), label.to_string())).into();
    /// let labels = ItemLabels::new(ItemTreatment { k: 5, known: 2, separator: ';' }, labels);
    /// assert_eq!(labels.published("measles; flu;asthma").as_deref(), Some("asthma;infection"));
    /// assert_eq!(labels.published("gout"), None);
    /// ```
    pub fn published(&self, cell: &str) -> Option<String> {
        let items = self.treatment.items(cell);
        let labels: BTreeSet<&str> =
            items.iter().map(|item| self.labels.get(*item).map(String::as_str)).collect::<Option<_>>()?;
        let mut text = String::new();
        for label in labels {
            if !text.is_empty() {
                text.push(self.treatment.separator);
            }
            text.push_str(label);
        }
        (!text.is_empty()).then_some(text)
    }
}
