//! Treatments: what is done to the cells of a column that is neither generalized, kept unchanged nor removed.
//!
//! A treatment is a function of one cell; pseudonyms also depend on a key, what is drawn at random on a key and a person or
//! row, and what is grouped on all cells of the column ([`ValueGroups`]). It says nothing about other columns and makes no
//! class: a treated column is not a quasi-identifier, and no privacy model is about it together with others. What it does
//! and does not protect against is in `docs/treatments.md`.
//!
//! A treatment is written as one text, the same in a plan, on the command line and in a manifest: `pseudonym`, `blank`,
//! `mask:3`, `round:1000`, `bottom:0,top:200000,round:1000`, `bins:10`, `shift:30`,
//! `microaggregate:5,round:100`, `random-round:1000`, `laplace:500,round:100`, `items:5,known:2,split:;`.

mod dates;
mod decimal;
mod draws;
mod items;
mod mean_groups;
mod noise;
mod number;
mod text;

use serde::{Deserialize, Serialize};

pub use dates::{date_of_text, moved_text};
pub use decimal::Decimal;
pub use draws::{RandomWords, drawn_below};
pub use items::{ItemLabels, ItemTreatment};
pub use mean_groups::{MeanGroups, distinct_numbers};
pub use noise::{NoiseKind, NoiseTreatment};
pub use number::NumberTreatment;
pub use text::UnknownTreatment;

use crate::table::Role;

/// What is done to the cells of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Treatment {
    /// Every cell is published as missing.
    Blank,
    /// A cell is published as its first characters and `*`; one that has no more than these as `*`.
    Mask {
        /// How many characters are published; 0 hides all.
        first: usize,
    },
    /// A cell is published as a text that depends on it by a keyed function: equal cells have equal pseudonyms.
    Pseudonym,
    /// A cell of digits is published as as many digits, by a keyed permutation: equal cells have equal pseudonyms, and
    /// different ones different pseudonyms.
    PseudonymDigits,
    /// A number is published rounded, top-coded or bottom-coded.
    Number(NumberTreatment),
    /// A number is published as the interval of this width that holds it, such as `[20, 30)`. Intervals begin at multiples
    /// of the width.
    Bins {
        /// The width, above 0.
        width: Decimal,
    },
    /// A date is published moved by a number of days that is drawn for each person, or for each row where no column says
    /// which rows belong to one person.
    Shift {
        /// The most days, 1 to 36500. The number of days is uniform from minus this to this.
        days: u32,
    },
    /// A number is published as the mean of a group of near numbers ([`MeanGroups`]).
    Microaggregate {
        /// The fewest published rows of a group, at least 2.
        k: u32,
        /// Means are rounded to multiples of this number, above 0.
        base: Decimal,
    },
    /// A number is published with noise of a stated distribution.
    Noise(NoiseTreatment),
    /// A set of items is published with items generalized ([`ItemLabels`]).
    Items(ItemTreatment),
}

/// What a treatment that looks at all cells of a column made of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueGroups {
    /// The groups of a column that is microaggregated.
    Means(MeanGroups),
    /// The labels of the items of a column of sets.
    Items(ItemLabels),
}

/// A treatment, as the documentation and the help list it.
#[derive(Clone, Copy, Debug)]
pub struct TreatmentEntry {
    /// How it is written.
    pub form: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The roles of the columns that it can be used for.
    pub roles: &'static [Role],
}

const OF_PEOPLE: &[Role] = &[Role::Identifier, Role::Subject];
const OF_VALUES: &[Role] = &[Role::Sensitive, Role::Insensitive];
const ALL_BUT_QUASI_IDENTIFIERS: &[Role] = &[Role::Identifier, Role::Subject, Role::Sensitive, Role::Insensitive];

/// Every treatment, in the order in which they are shown.
pub static TREATMENTS: &[TreatmentEntry] = &[
    TreatmentEntry { form: "blank", summary: "Publishes every cell as missing.", roles: ALL_BUT_QUASI_IDENTIFIERS },
    TreatmentEntry {
        form: "mask:N",
        summary: "Publishes the first N characters and `*`; a shorter text becomes `*`.",
        roles: OF_VALUES,
    },
    TreatmentEntry {
        form: "pseudonym",
        summary: "Replaces equal values by equal pseudonyms, with a new secret key for each release.",
        roles: OF_PEOPLE,
    },
    TreatmentEntry {
        form: "round:BASE",
        summary: "Publishes the nearest multiple of BASE; of two that are equally near, the one farther from 0.",
        roles: OF_VALUES,
    },
    TreatmentEntry { form: "top:N", summary: "Publishes numbers above N as N (top coding).", roles: OF_VALUES },
    TreatmentEntry { form: "bottom:N", summary: "Publishes numbers below N as N (bottom coding).", roles: OF_VALUES },
    TreatmentEntry {
        form: "bins:WIDTH",
        summary: "Publishes the interval that holds a number, such as [20, 30).",
        roles: OF_VALUES,
    },
    TreatmentEntry {
        form: "shift:DAYS",
        summary: "Moves the dates of each person by one random number of days, at most DAYS into the past or future.",
        roles: OF_VALUES,
    },
    TreatmentEntry {
        form: "microaggregate:K,round:BASE",
        summary: "Publishes the mean of a group of near numbers with at least K rows, as a multiple of BASE.",
        roles: OF_VALUES,
    },
    TreatmentEntry {
        form: "random-round:BASE",
        summary: "Publishes the multiple of BASE below or above a number, drawn so that the mean is the number.",
        roles: OF_VALUES,
    },
    TreatmentEntry {
        form: "laplace:SCALE,round:BASE",
        summary: "Adds noise of a Laplace distribution, and publishes a multiple of BASE.",
        roles: OF_VALUES,
    },
    TreatmentEntry {
        form: "normal:SCALE,round:BASE",
        summary: "Adds noise of a normal distribution, and publishes a multiple of BASE.",
        roles: OF_VALUES,
    },
    TreatmentEntry {
        form: "pseudonym-digits",
        summary: "Replaces texts of 6 to 56 digits by pseudonyms of as many digits (FF1), with a new secret key for each release.",
        roles: OF_PEOPLE,
    },
    TreatmentEntry {
        form: "items:K,known:M,split:C",
        summary: "Publishes sets of items, split at the character C, so that any M or fewer items occur together in at \
                  least K rows.",
        roles: OF_VALUES,
    },
];

impl Treatment {
    /// Its entry in the list.
    pub fn entry(&self) -> &'static TreatmentEntry {
        &TREATMENTS[match self {
            Treatment::Blank => 0,
            Treatment::Mask { .. } => 1,
            Treatment::Pseudonym => 2,
            Treatment::Number(number) if number.at_random => 9,
            Treatment::Number(number) if number.base.is_some() => 3,
            Treatment::Number(number) if number.top.is_some() => 4,
            Treatment::Number(_) => 5,
            Treatment::Bins { .. } => 6,
            Treatment::Shift { .. } => 7,
            Treatment::Microaggregate { .. } => 8,
            Treatment::Noise(NoiseTreatment { kind: NoiseKind::Laplace, .. }) => 10,
            Treatment::Noise(NoiseTreatment { kind: NoiseKind::Normal, .. }) => 11,
            Treatment::PseudonymDigits => 12,
            Treatment::Items(_) => 13,
        }]
    }

    /// Whether what it publishes depends on a key, and not only on the cell.
    pub fn has_key(&self) -> bool {
        self.is_pseudonym() || self.is_drawn()
    }

    /// Whether it publishes equal cells as equal pseudonyms, which link their rows.
    pub fn is_pseudonym(&self) -> bool {
        matches!(self, Treatment::Pseudonym | Treatment::PseudonymDigits)
    }

    /// Whether what it publishes is drawn at random for each person or row.
    pub fn is_drawn(&self) -> bool {
        match self {
            Treatment::Shift { .. } | Treatment::Noise(_) => true,
            Treatment::Number(number) => number.at_random,
            _ => false,
        }
    }

    /// By how many days the dates of a person or row are moved.
    pub fn drawn_days(&self, words: RandomWords<'_>) -> i64 {
        let Treatment::Shift { days } = self else { return 0 };
        let drawn = drawn_below(2 * u128::from(*days) + 1, words);
        i64::try_from(drawn).unwrap_or(0) - i64::from(*days)
    }

    /// Whether it can be used for columns of this role.
    pub fn suits(&self, role: Role) -> bool {
        self.entry().roles.contains(&role)
    }

    /// What is published of a number when it is drawn; nothing when the text is no number, or one of too many digits.
    pub fn drawn_number(&self, text: &str, words: RandomWords<'_>) -> Option<String> {
        let number = Decimal::parse(text)?;
        let drawn = match self {
            Treatment::Number(treatment) => treatment.drawn(number, words)?,
            Treatment::Noise(noise) => noise.drawn(number, words)?,
            _ => return None,
        };
        Some(drawn.to_string())
    }

    /// What is published of a number; nothing when the text is no number, or one of too many digits.
    pub fn of_number(&self, text: &str) -> Option<String> {
        let number = Decimal::parse(text)?;
        match self {
            Treatment::Number(treatment) => Some(treatment.applied(number)?.to_string()),
            Treatment::Bins { width } => {
                let low = number.floored(*width)?;
                Some(format!("[{low}, {})", low.plus(*width)?))
            }
            _ => None,
        }
    }

    /// What a column with it is, in words that follow “is published”.
    pub fn words(&self) -> String {
        match self {
            Treatment::Blank => "blank".into(),
            Treatment::Mask { first: 0 } => "as `*`".into(),
            Treatment::Mask { first: 1 } => "as its first character".into(),
            Treatment::Mask { first } => format!("as its first {first} characters"),
            Treatment::Pseudonym => "as pseudonyms".into(),
            Treatment::PseudonymDigits => "as pseudonyms of digits".into(),
            Treatment::Number(number) => number.words(),
            Treatment::Bins { width } => format!("in intervals of width {width}"),
            Treatment::Shift { days: 1 } => "moved by at most one day".into(),
            Treatment::Shift { days } => format!("moved by at most {days} days"),
            Treatment::Microaggregate { k, base } => {
                format!("as means of groups of at least {k} rows, rounded to multiples of {base}")
            }
            Treatment::Noise(noise) => noise.words(),
            Treatment::Items(items) => items.words(),
        }
    }
}

/// A text as a mask publishes it.
///
/// ```
/// assert_eq!(incrowd_core::masked("DE89 3704", 4), "DE89*");
/// assert_eq!(incrowd_core::masked("DE89", 4), "*");
/// ```
pub fn masked(text: &str, first: usize) -> String {
    let shown = match text.char_indices().nth(first) {
        Some((end, _)) => &text[..end],
        None => "",
    };
    format!("{shown}*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_never_publishes_a_whole_value() {
        for (text, first, shown) in
            [("abc", 0, "*"), ("abc", 2, "ab*"), ("abc", 3, "*"), ("", 0, "*"), ("äöü", 1, "ä*"), ("a", 5, "*")]
        {
            assert_eq!(masked(text, first), shown);
        }
    }
}
