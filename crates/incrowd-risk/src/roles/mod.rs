//! Guesses the role of each column, so that a custodian starts from a proposal and not from a blank page.
//!
//! A guess looks at the column's name, at how often its values repeat and at what they are written like; nothing
//! leaves the machine. It errs on the safe side: a column whose role is unclear is assumed to be known to an attacker.
//! A guess is a proposal: it is never applied without confirmation. A reason never contains a cell's value.
//!
//! The rules are tried in a fixed order, and the first rule that applies decides (`rules.rs`). A guess has a confidence
//! and a reason. `tests/roles/corpus.csv` holds column names in four languages with their correct roles. No identifying
//! column of it may be guessed to be publishable, and the number of columns that are guessed with more caution than
//! needed is bounded.

mod evidence;
mod names;
mod patterns;
mod people;
mod rules;
#[cfg(test)]
mod tests;
mod words;

use incrowd_core::{ColumnProfile, Role};
use serde::{Deserialize, Serialize};

use evidence::ColumnEvidence;
use names::Vocabulary;

pub use people::{counted_stands_for_one_person, is_free_text, may_stand_for_people, repeats, stands_for_one_person};

/// How far a guess can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Nothing suggests a role: the safe one is proposed, and a person has to decide.
    Unsure,
    /// Something suggests the role, but it could be another.
    Likely,
    /// The name or the values leave little doubt.
    Sure,
}

impl Confidence {
    /// The word shown to a person.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Unsure => "unsure",
            Confidence::Likely => "likely",
            Confidence::Sure => "sure",
        }
    }
}

impl std::fmt::Display for Confidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// A proposed role for one column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleGuess {
    /// The column's name.
    pub name: String,
    /// The proposed role.
    pub role: Role,
    /// How far the proposal can be trusted.
    pub confidence: Confidence,
    /// Why, in one sentence without any cell's value.
    pub reason: String,
    /// Whether it contains dates whose order of day and month is unknown: their format has to be given.
    pub date_format_unknown: bool,
}

/// Proposes a role for each column, in the order of the profiles. At most one column is the subject.
///
/// ```
/// use incrowd_core::{ColumnProfile, Dictionary, Role, Values};
/// use incrowd_risk::roles::{Confidence, guess};
/// let ages = ColumnProfile {
///     name: "age".into(), rows: 5, missing: 0, rows_counted: 5, exact: true,
///     dictionary: Dictionary::new(Values::Integers(vec![30, 41]), false), counts: vec![3, 2],
/// };
/// let guesses = guess(&[ages]);
/// assert_eq!((guesses[0].role, guesses[0].confidence), (Role::QuasiIdentifier, Confidence::Sure));
/// ```
pub fn guess(profiles: &[ColumnProfile]) -> Vec<RoleGuess> {
    let vocabulary = Vocabulary::shared();
    let mut guesses: Vec<RoleGuess> =
        profiles.iter().map(|profile| ColumnEvidence::of(profile, vocabulary).judge()).collect();
    keep_one_subject(&mut guesses);
    guesses
}

/// Keeps the most certain subject, the first of them if several are equally certain; the others identify people too.
fn keep_one_subject(guesses: &mut [RoleGuess]) {
    let subjects = guesses.iter().enumerate().filter(|(_, guess)| guess.role == Role::Subject);
    let Some((kept, _)) = subjects.max_by_key(|(at, guess)| (guess.confidence, std::cmp::Reverse(*at))) else { return };
    let subject = guesses[kept].name.clone();
    for (at, guess) in guesses.iter_mut().enumerate() {
        if guess.role == Role::Subject && at != kept {
            guess.role = Role::Identifier;
            guess.confidence = Confidence::Likely;
            guess.reason = format!(
                "The column numbers people or things, but a table has one subject, which is assumed to be `{subject}`."
            );
        }
    }
}
