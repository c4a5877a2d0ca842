//! Treatments: what the manifest says was done to the cells of a column, from its definition.
//!
//! A treated column is no quasi-identifier and no model is about it. Two questions are asked of it. Of every published
//! cell: can the treatment have written it ([`files::check`])? With the original: is it what the treatment makes of the
//! original cell ([`ColumnTreatment::applied`], or [`ColumnTreatment::drawn`] where it was drawn for a person or row)? For
//! pseudonyms and draws the second one needs the key, which is in the custodian's record.

mod dates;
mod draws;
mod ff1;
mod files;
mod hmac;
mod item_sets;
mod means;
mod noise;
mod numbers;

use crate::manifest::{ColumnEntry, Role, Technique};
use crate::verdict::{Fault, FaultKind};

pub(crate) use draws::RowOwner;
pub(crate) use files::check;
use item_sets::ItemRule;
pub(crate) use means::GroupMeans;
use noise::NoiseRule;
use numbers::{DecimalNumber, NumberRule};

/// What was done to the cells of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ColumnTreatment {
    /// Every cell is missing.
    Blank,
    /// A cell is the first characters of its value and `*`, or `*` if the value has no more than these.
    Mask(usize),
    /// A cell is `p` and 26 letters and digits that follow from its value and a key.
    Pseudonym,
    /// A cell is as many digits as its value has, which follow from the value and a key.
    PseudonymDigits,
    /// A cell is the value, moved into bounds and rounded to a multiple of a base.
    Number(NumberRule),
    /// A cell is the interval of this width that holds the value, and begins at a multiple of it.
    Bins(DecimalNumber),
    /// A cell is the date, moved by a number of days from minus this to this.
    Shift(u32),
    /// A cell is the mean of a group of numbers, rounded to a multiple of a base; every mean has at least `k` rows.
    Microaggregate {
        /// The fewest rows with a mean.
        k: u64,
        base: DecimalNumber,
    },
    /// A cell is the number with noise.
    Noise(NoiseRule),
    /// A cell is a set of labels, and any few that occur together have enough rows.
    Items(ItemRule),
}

impl ColumnTreatment {
    /// The treatment of a column that is treated; nothing when it is not known here.
    pub(crate) fn of(column: &ColumnEntry) -> Option<ColumnTreatment> {
        let text = column.treatment.as_deref().filter(|_| column.technique == Technique::Treated)?;
        match text.split_once(':') {
            None if text == "blank" => Some(ColumnTreatment::Blank),
            None if text == "pseudonym" => Some(ColumnTreatment::Pseudonym),
            None if text == "pseudonym-digits" => Some(ColumnTreatment::PseudonymDigits),
            Some(("mask", first)) => first.parse().ok().map(ColumnTreatment::Mask),
            Some(("bins", width)) => {
                DecimalNumber::read(width).filter(|width| width.is_above_zero()).map(ColumnTreatment::Bins)
            }
            Some(("microaggregate", parameters)) => {
                let (k, base) = parameters.split_once(",round:")?;
                let base = DecimalNumber::read(base).filter(|base| base.is_above_zero())?;
                Some(ColumnTreatment::Microaggregate { k: k.parse().ok()?, base })
            }
            Some(("shift", days)) => days.parse().ok().filter(|days| *days > 0).map(ColumnTreatment::Shift),
            Some(("items", parameters)) => ItemRule::read(parameters).map(ColumnTreatment::Items),
            Some(("laplace" | "normal", _)) => NoiseRule::read(text).map(ColumnTreatment::Noise),
            _ => NumberRule::read(text).map(ColumnTreatment::Number),
        }
    }

    /// Whether its cells are published in one form of dates and numbers, whatever the original's.
    pub(crate) fn is_in_one_form(&self) -> bool {
        use ColumnTreatment::{Bins, Microaggregate, Number};
        matches!(self, Number(_) | Bins(_) | Microaggregate { .. }) || self.is_drawn()
    }

    /// Whether its cells were drawn for each person or row.
    pub(crate) fn is_drawn(&self) -> bool {
        match self {
            ColumnTreatment::Shift(_) | ColumnTreatment::Noise(_) => true,
            ColumnTreatment::Number(rule) => rule.at_random,
            _ => false,
        }
    }

    /// Whether its cells can be computed only with a key.
    pub(crate) fn has_key(&self) -> bool {
        self.is_pseudonym() || self.is_drawn()
    }

    /// Whether rows with equal cells are rows with equal values of the original.
    pub(crate) fn is_pseudonym(&self) -> bool {
        matches!(self, ColumnTreatment::Pseudonym | ColumnTreatment::PseudonymDigits)
    }

    /// Whether a published cell with a text can be what the treatment writes. A missing cell always can.
    fn fits(&self, text: &str) -> bool {
        match self {
            ColumnTreatment::Blank => false,
            ColumnTreatment::Mask(first) => match text.strip_suffix('*') {
                Some(shown) => shown.is_empty() || shown.chars().count() == *first,
                None => false,
            },
            ColumnTreatment::Pseudonym => {
                let is_digit = |byte: u8| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(&byte);
                text.len() == 27 && text.starts_with('p') && text.bytes().all(is_digit)
            }
            ColumnTreatment::PseudonymDigits => ff1::is_pseudonym(text),
            ColumnTreatment::Number(rule) => DecimalNumber::read(text).is_some_and(|number| rule.allows(number)),
            ColumnTreatment::Bins(width) => {
                let low = text.strip_prefix('[').and_then(|text| text.split_once(", ")).map(|(low, _)| low);
                let interval = low.and_then(DecimalNumber::read).and_then(|low| numbers::interval(low, *width));
                interval.is_some_and(|interval| interval == text)
            }
            ColumnTreatment::Items(rule) => rule.is_written_so(text),
            ColumnTreatment::Shift(_) => dates::day(text).is_some(),
            ColumnTreatment::Microaggregate { base, .. } | ColumnTreatment::Noise(NoiseRule { base, .. }) => {
                DecimalNumber::read(text).is_some_and(|number| number.is_multiple_of(*base))
            }
        }
    }

    /// What the treatment makes of a text; nothing is a missing cell.
    pub(crate) fn applied(&self, text: &str, key: &[u8; 32]) -> Option<String> {
        match self {
            ColumnTreatment::Blank => None,
            ColumnTreatment::Mask(first) => {
                let letters: Vec<char> = text.chars().collect();
                let shown = if letters.len() > *first { &letters[..*first] } else { &[] };
                Some(shown.iter().chain(&['*']).collect())
            }
            ColumnTreatment::Pseudonym => Some(hmac::pseudonym(key, text)),
            ColumnTreatment::PseudonymDigits => Some(ff1::pseudonym(key, text).unwrap_or_else(|| text.to_string())),
            // A text that is no number has no treated form: it is left unchanged, and equals no treated cell.
            ColumnTreatment::Number(rule) => {
                let treated = DecimalNumber::read(text).and_then(|number| rule.applied(number));
                Some(treated.map_or_else(|| text.to_string(), |number| number.to_string()))
            }
            ColumnTreatment::Bins(width) => {
                let interval = DecimalNumber::read(text).and_then(|number| numbers::interval(number, *width));
                Some(interval.unwrap_or_else(|| text.to_string()))
            }
            // These depend on more than the cell.
            ColumnTreatment::Shift(_)
            | ColumnTreatment::Microaggregate { .. }
            | ColumnTreatment::Noise(_)
            | ColumnTreatment::Items(_) => Some(text.to_string()),
        }
    }

    /// What was drawn in place of a text, for a person or row. A text that cannot be treated stays as it is, and equals no
    /// treated cell.
    pub(crate) fn drawn(&self, text: &str, key: &[u8; 32], owner: RowOwner<'_>) -> String {
        let drawn = match self {
            ColumnTreatment::Shift(days) => {
                let count = 2 * u128::from(*days) + 1;
                let moved = i64::try_from(owner.words(key).below(count)).ok();
                moved.and_then(|moved| dates::later(text, moved - i64::from(*days)))
            }
            ColumnTreatment::Number(_) | ColumnTreatment::Noise(_) => self.drawn_number(text, key, owner),
            _ => None,
        };
        drawn.unwrap_or_else(|| text.to_string())
    }
}

impl ColumnTreatment {
    /// The number that was drawn in place of a number.
    fn drawn_number(&self, text: &str, key: &[u8; 32], owner: RowOwner<'_>) -> Option<String> {
        let number = DecimalNumber::read(text)?;
        let words = &mut owner.words_for(&number.to_string(), key);
        let drawn = match self {
            ColumnTreatment::Number(rule) => rule.drawn(number, words),
            ColumnTreatment::Noise(rule) => rule.drawn(number, words),
            _ => None,
        };
        drawn.map(|number| number.to_string())
    }
}

/// Adds a fault for treatments that are unknown, or that columns of such a role cannot have.
pub(crate) fn consistency(columns: &[ColumnEntry], faults: &mut Vec<Fault>) {
    for column in columns {
        let name = &column.name;
        let why = match (column.technique, ColumnTreatment::of(column), column.role) {
            (Technique::Treated, None, _) => "is treated in a way that this verifier does not know",
            (Technique::Treated, _, Role::QuasiIdentifier) => "is a quasi-identifier and treated",
            (Technique::Treated, _, Role::Identifier | Role::Subject) if !hides_people(column) => {
                "identifies people, and parts of its values are published"
            }
            (technique, ..) if technique != Technique::Treated && column.treatment.is_some() => {
                "has a treatment and is not treated"
            }
            _ => continue,
        };
        faults.push(Fault::new(FaultKind::Columns, format!("the column {name} {why}")));
    }
}

/// Whether a column that identifies people is published only as blanks or pseudonyms.
pub(crate) fn hides_people(column: &ColumnEntry) -> bool {
    ColumnTreatment::of(column).is_some_and(|one| one == ColumnTreatment::Blank || one.is_pseudonym())
}

#[cfg(test)]
mod tests;
