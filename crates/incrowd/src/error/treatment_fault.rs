//! Why a column cannot be treated as it was asked for.

use incrowd_engine::{Sentence, Setting};

/// Why a column cannot be treated so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreatmentFault {
    /// It has no role.
    NoRole,
    /// It is a quasi-identifier.
    QuasiIdentifier,
    /// It identifies people, and the treatment shows part of its values.
    OfPeople,
    /// It does not identify people, and the treatment is for columns that do.
    OfValues,
    /// A rule of the policy is about it.
    Protected,
    /// The release has two tables.
    TwoTables,
    /// Fewer rows have a number than a group of microaggregation needs.
    TooFewRows,
    /// Fewer rows have items than any few of them are to have together.
    FewSets,
    /// The sets have more combinations of items than can be counted.
    ManyCombinations,
    /// A label of the hierarchy has the character at which cells are split.
    SeparatorInLabel,
}

impl TreatmentFault {
    /// The fact, as the end of a message.
    pub fn fact(self) -> &'static str {
        match self {
            TreatmentFault::NoRole => "it has no role",
            TreatmentFault::QuasiIdentifier => "it is a quasi-identifier, and quasi-identifiers are generalized",
            TreatmentFault::OfPeople => "it identifies people, and this treatment shows part of its values",
            TreatmentFault::OfValues => "it is declared neither as an identifier nor as the subject",
            TreatmentFault::Protected => "a rule of the policy is about its values",
            TreatmentFault::TwoTables => "the release has two tables, which publish their columns unchanged",
            TreatmentFault::TooFewRows => "fewer rows with a number would be published than a group has to have",
            TreatmentFault::FewSets => "fewer rows with items would be published than each item has to have",
            TreatmentFault::ManyCombinations => "its sets have too many combinations of items to be counted",
            TreatmentFault::SeparatorInLabel => {
                "a label of its hierarchy has the character at which cells are split, so readers would split the label"
            }
        }
    }

    /// What to do.
    pub(crate) fn remedy(self) -> Sentence {
        let named = Setting::named;
        match self {
            TreatmentFault::NoRole => Sentence::about(
                "declare it with {}, {}, {} or {}",
                [named("identifier"), named("subject"), named("sensitive"), named("insensitive")],
            ),
            TreatmentFault::QuasiIdentifier => Sentence::about(
                "leave the treatment out, and choose how it is generalized with {}",
                [named("hierarchy")],
            ),
            TreatmentFault::OfPeople => Sentence::about(
                "use {} or {}",
                [Setting::with("treat", "COLUMN=pseudonym"), Setting::with("treat", "COLUMN=blank")],
            ),
            TreatmentFault::OfValues => {
                Sentence::about("declare it with {} or {}", [named("identifier"), named("subject")])
            }
            TreatmentFault::Protected => Sentence::plain("leave out the treatment or the rule"),
            TreatmentFault::TwoTables => {
                Sentence::about("leave the treatment out, or use {}", [Setting::with("publish", "one-table")])
            }
            TreatmentFault::TooFewRows | TreatmentFault::FewSets => {
                Sentence::about("use {}", [Setting::with("treat", "COLUMN=blank")])
            }
            TreatmentFault::ManyCombinations => Sentence::about(
                "use {} or {}",
                [Setting::with("treat", "COLUMN=items:5,known:1,split:;"), Setting::with("treat", "COLUMN=blank")],
            ),
            TreatmentFault::SeparatorInLabel => Sentence::plain("use other labels in the hierarchy"),
        }
    }
}
