//! What is known about one column: its name, what its values are written like, and how often they repeat.

use incrowd_core::{ColumnProfile, Values};

use super::names::{Meaning, Vocabulary};
use super::patterns::{self, ValuePattern};
use super::words::Sense;

/// A value of fewer rows than this singles people out: the usual k.
const FEW: u64 = 5;

/// What is known about one column.
pub(super) struct ColumnEvidence<'a> {
    pub(super) profile: &'a ColumnProfile,
    pub(super) meaning: Meaning,
    pub(super) pattern: Option<ValuePattern>,
    /// Counted rows whose cell is present.
    pub(super) present: u64,
}

/// Whether there are too few values for the number of rows, so that none of them can identify a person.
pub(super) fn are_categories(values: u64, rows: u64) -> bool {
    (values <= 2 && rows >= 10) || (values <= 50 && rows >= 100 * values)
}

impl<'a> ColumnEvidence<'a> {
    pub(super) fn of(profile: &'a ColumnProfile, vocabulary: &Vocabulary) -> Self {
        let values = profile.dictionary.values().len();
        ColumnEvidence {
            profile,
            meaning: vocabulary.read(&profile.name),
            pattern: patterns::pattern(&profile.dictionary),
            present: profile.counts.iter().take(values).sum(),
        }
    }

    pub(super) fn is_person_number(&self) -> bool {
        matches!(self.meaning, Meaning::Word { sense: Sense::PersonNumber, .. })
    }

    pub(super) fn distinct_share(&self) -> f64 {
        if self.present == 0 { 0.0 } else { self.profile.distinct() as f64 / self.present as f64 }
    }

    pub(super) fn repeats(&self) -> bool {
        self.profile.distinct() < self.present
    }

    /// Too few values for the number of rows: none of them can stand for a person.
    pub(super) fn is_category(&self) -> bool {
        are_categories(self.profile.distinct(), self.present)
    }

    /// In a handful of rows anything is unique by chance.
    pub(super) fn is_nearly_unique(&self) -> bool {
        self.present >= 20 && self.distinct_share() >= 0.9
    }

    /// Whether most rows have a value of their own or one that only a few others have.
    pub(super) fn is_shared_by_few(&self) -> bool {
        self.is_nearly_unique()
            || (self.present >= 100 && self.alone_share() >= 0.5)
            || (self.present >= 200 && self.share_of_rows(|count| count < FEW) >= 0.5)
    }

    /// The share of rows whose value no other row has.
    pub(super) fn alone_share(&self) -> f64 {
        self.share_of_rows(|count| count == 1)
    }

    fn share_of_rows(&self, of: impl Fn(u64) -> bool) -> f64 {
        let counts = self.profile.counts.iter().take(self.profile.dictionary.values().len());
        let rows: u64 = counts.copied().filter(|count| of(*count)).sum();
        if self.present == 0 { 0.0 } else { rows as f64 / self.present as f64 }
    }

    /// Integers of one length, longer than amounts are: they number something.
    pub(super) fn has_long_numbers(&self) -> bool {
        let Values::Integers(numbers) = self.profile.dictionary.values() else { return false };
        let (Some(least), Some(most)) = (numbers.first(), numbers.last()) else { return false };
        *least >= 10_000_000 && least.ilog10() == most.ilog10()
    }
}
