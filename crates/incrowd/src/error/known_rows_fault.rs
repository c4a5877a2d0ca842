//! Why nothing can be promised about several rows of a person.

use incrowd_engine::{Sentence, Setting};

/// Why a number of known rows was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownRowsFault {
    /// No column says which rows are of one person.
    NoSubject,
    /// The rows of a person are not linked in the release.
    NotLinked,
    /// Another solver was named.
    OtherAlgorithm,
}

impl KnownRowsFault {
    /// The fact, as the end of a message.
    pub fn fact(self) -> &'static str {
        match self {
            KnownRowsFault::NoSubject => "no column says which rows are of one person",
            KnownRowsFault::NotLinked => {
                "the release has no pseudonyms of the subject, so it does not show which rows are of one person"
            }
            KnownRowsFault::OtherAlgorithm => "the solver that was named puts rows into classes, and not people",
        }
    }

    /// What to do.
    pub(crate) fn remedy(self) -> Sentence {
        match self {
            KnownRowsFault::NoSubject => Sentence::about("name it with {}", [Setting::named("subject")]),
            KnownRowsFault::NotLinked => Sentence::about(
                "publish pseudonyms with {}, or leave {} out: without pseudonyms, k-anonymity is about each row",
                [Setting::with("treat", "SUBJECT=pseudonym"), Setting::named("known_rows")],
            ),
            KnownRowsFault::OtherAlgorithm => Sentence::about("leave {} out", [Setting::named("algorithm")]),
        }
    }
}
