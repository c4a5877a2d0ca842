//! How the cells of a column are stored, which is known when all of them were seen.

use std::collections::{BTreeMap, BTreeSet};

use crate::publish::release_file::WrittenColumn;
use crate::source::files::Format;
use crate::source::statistics::{STATA_DAYS, StatisticsValue, day_number, instant_seconds};

/// The longest label of a value that SPSS has.
const SPSS_LABEL: usize = 120;

/// How a column is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoredAs {
    /// As numbers with labels.
    Codes,
    /// As whole numbers.
    Whole,
    /// As numbers with a fraction.
    Fraction,
    /// As days.
    Days,
    /// As instants.
    Instants,
    /// As texts.
    Texts,
}

/// A column that is written.
pub(super) struct StoredColumn {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) stored: StoredAs,
    /// The number of each label.
    codes: BTreeMap<String, f64>,
    /// Labels that are published.
    used: BTreeSet<String>,
    /// Whether the file that was read has texts in it.
    is_text: bool,
    is: FittingForms,
    /// The least and the most of its numbers.
    pub(super) range: (f64, f64),
    /// The most decimal places of its numbers.
    pub(super) decimals: usize,
    longest: usize,
}

/// What all cells so far can be stored as.
struct FittingForms {
    codes: bool,
    numbers: bool,
    days: bool,
    instants: bool,
}

impl StoredColumn {
    pub(super) fn new(column: &WrittenColumn) -> StoredColumn {
        let variable = column.statistics.as_ref();
        let number = |value: &StatisticsValue| match value {
            StatisticsValue::Number(number) => Some(*number),
            StatisticsValue::Single(number) => Some(f64::from(*number)),
            StatisticsValue::Text(_) => None,
        };
        let labels = variable.filter(|variable| variable.by_label).map_or(&[][..], |variable| &variable.labels);
        let codes = labels.iter().filter_map(|(value, label)| Some((label.clone(), number(value)?)));
        StoredColumn {
            name: column.name.clone(),
            label: variable.map(|variable| variable.label.clone()).unwrap_or_default(),
            stored: StoredAs::Texts,
            codes: codes.collect(),
            used: BTreeSet::new(),
            is_text: variable.is_some_and(|variable| variable.is_text),
            is: FittingForms { codes: true, numbers: true, days: true, instants: true },
            range: (f64::INFINITY, f64::NEG_INFINITY),
            decimals: 0,
            longest: 0,
        }
    }

    /// Looks at a cell.
    pub(super) fn see(&mut self, text: &str) {
        self.longest = self.longest.max(text.len());
        if text.is_empty() {
            return;
        }
        match self.codes.get(text) {
            Some(&code) if self.is.codes => {
                self.range = (self.range.0.min(code), self.range.1.max(code));
                if !self.used.contains(text) {
                    self.used.insert(text.to_owned());
                }
            }
            _ => self.is.codes = false,
        }
        match number(text).filter(|_| self.is.numbers) {
            Some(number) => {
                self.range = (self.range.0.min(number), self.range.1.max(number));
                let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                self.decimals = self.decimals.max(decimals);
            }
            None => self.is.numbers = false,
        }
        self.is.days &= day_number(text, STATA_DAYS).is_some();
        self.is.instants &= instant_seconds(text, STATA_DAYS).is_some();
    }

    /// Decides, when all cells were seen.
    pub(super) fn settle(&mut self, format: Format) {
        let codes_fit = match format {
            Format::Dta => self.codes.values().all(|code| code.fract() == 0.0 && code.abs() < 2_147_483_620.0),
            _ => self.used.iter().all(|label| label.len() <= SPSS_LABEL),
        };
        self.stored = match &self.is {
            // Nothing but missing values is stored as numbers.
            _ if self.is_text => StoredAs::Texts,
            is if is.codes && !self.codes.is_empty() && codes_fit => StoredAs::Codes,
            is if is.numbers && self.decimals == 0 => StoredAs::Whole,
            is if is.numbers => StoredAs::Fraction,
            is if is.days => StoredAs::Days,
            is if is.instants => StoredAs::Instants,
            _ => StoredAs::Texts,
        };
    }

    /// The bytes of the longest text, if it is stored as texts.
    pub(super) fn text_bytes(&self) -> usize {
        if self.stored == StoredAs::Texts { self.longest.max(1) } else { 0 }
    }

    /// The number that a text is stored as; nothing for a missing value. Days and instants count from the first day.
    #[allow(clippy::cast_precision_loss, reason = "a number of days")]
    pub(super) fn number(&self, text: &str, first_day: i64) -> Option<f64> {
        match self.stored {
            _ if text.is_empty() => None,
            StoredAs::Codes => self.codes.get(text).copied(),
            StoredAs::Days => day_number(text, first_day).map(|day| day as f64),
            StoredAs::Instants => instant_seconds(text, first_day),
            StoredAs::Whole | StoredAs::Fraction => number(text),
            StoredAs::Texts => None,
        }
    }

    /// The labels of values that are published, by value.
    pub(super) fn labels(&self) -> Vec<(f64, &str)> {
        if self.stored != StoredAs::Codes {
            return Vec::new();
        }
        let mut labels: Vec<(f64, &str)> =
            self.used.iter().filter_map(|label| Some((*self.codes.get(label)?, label.as_str()))).collect();
        labels.sort_by(|one, other| one.0.total_cmp(&other.0));
        labels
    }
}

/// A number whose shortest text this is.
fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.abs() < 8.9e307 && number.to_string() == text)
}
