//! Guesses what each column is to an adversary, so that a custodian starts from a proposal and not from a blank page.
//!
//! A guess looks at the column's name, at how often its values repeat and at what they are written like; nothing
//! leaves the machine. It leans to the safe side: a column that cannot be told is taken as known to the adversary.
//! A guess is a proposal: it is never applied without somebody having seen it. A reason never holds a cell's value.

mod names;
mod patterns;
mod people;
#[cfg(test)]
mod tests;
mod words;

use incrowd_core::{ColumnProfile, Kind, Role};
use serde::{Deserialize, Serialize};

use names::{Meaning, Vocabulary};
use patterns::Pattern;
use words::Sense;

pub use people::{is_free_text, may_stand_for_people, repeats, stands_for_one_person};

/// How far a guess can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Nothing speaks for a role: the safe one is taken, and somebody must look.
    Unsure,
    /// Something speaks for the role, but it could be another.
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
    let vocabulary = Vocabulary::new();
    let mut guesses: Vec<RoleGuess> =
        profiles.iter().map(|profile| Evidence::of(profile, &vocabulary).judge()).collect();
    keep_one_subject(&mut guesses);
    guesses
}

/// Keeps the most certain subject, the first of them when several are alike; the others name people too.
fn keep_one_subject(guesses: &mut [RoleGuess]) {
    let subjects = guesses.iter().enumerate().filter(|(_, guess)| guess.role == Role::Subject);
    let Some((kept, _)) = subjects.max_by_key(|(at, guess)| (guess.confidence, std::cmp::Reverse(*at))) else { return };
    let subject = guesses[kept].name.clone();
    for (at, guess) in guesses.iter_mut().enumerate() {
        if guess.role == Role::Subject && at != kept {
            guess.role = Role::Identifier;
            guess.confidence = Confidence::Likely;
            guess.reason = format!(
                "The column numbers people or things, but a table has one subject, and that is taken to be `{subject}`."
            );
        }
    }
}

/// What is known about one column.
struct Evidence<'a> {
    profile: &'a ColumnProfile,
    meaning: Meaning,
    pattern: Option<Pattern>,
    /// Counted rows whose cell is present.
    present: u64,
}

type Judgement = (Role, Confidence, String);

impl<'a> Evidence<'a> {
    fn of(profile: &'a ColumnProfile, vocabulary: &Vocabulary) -> Self {
        let values = profile.dictionary.values().len();
        Evidence {
            profile,
            meaning: vocabulary.read(&profile.name),
            pattern: patterns::pattern(&profile.dictionary),
            present: profile.counts.iter().take(values).sum(),
        }
    }

    /// The first rule that has something to say wins: what the values prove comes before what the name suggests.
    fn judge(&self) -> RoleGuess {
        let rules = [
            Self::of_nothing,
            Self::of_naming_values,
            Self::of_one_value,
            Self::of_prose,
            Self::of_word,
            Self::of_telling_values,
            Self::of_uniqueness,
            Self::of_bare_word,
        ];
        let judgement = rules.into_iter().find_map(|rule| rule(self));
        let (role, confidence, reason) = judgement.unwrap_or_else(|| {
            let reason = "Neither name nor values tell what the column is, so it is taken as known to an adversary.";
            (Role::QuasiIdentifier, Confidence::Unsure, reason.into())
        });
        RoleGuess { name: self.profile.name.clone(), role, confidence, reason }
    }

    fn of_nothing(&self) -> Option<Judgement> {
        let reason = "No row has a value here, so the column tells nobody apart.";
        (self.profile.distinct() == 0).then(|| (Role::Insensitive, Confidence::Sure, reason.into()))
    }

    /// Values that name a person whatever the column is called. A number given to each person is left to its name,
    /// because it may be the subject.
    fn of_naming_values(&self) -> Option<Judgement> {
        let pattern = self.pattern.filter(|_| !self.is_person_number())?;
        let written = |rest: &str| format!("Nearly all values are written like {}{rest}.", pattern.plural());
        match pattern {
            Pattern::Uuid if self.repeats() && self.meaning == (Meaning::BareNumber { whole: true }) => {
                let reason = written(" and they repeat, so several rows may belong to one person");
                Some((Role::Subject, Confidence::Likely, reason))
            }
            Pattern::Email | Pattern::Iban | Pattern::SocialSecurityNumber => {
                Some((Role::Identifier, Confidence::Sure, written(", which name a person by themselves")))
            }
            Pattern::Uuid | Pattern::NetworkAddress | Pattern::Phone | Pattern::Url if !self.is_category() => {
                Some((Role::Identifier, Confidence::Likely, written(", which can lead to a single person")))
            }
            _ => None,
        }
    }

    fn of_one_value(&self) -> Option<Judgement> {
        let alike = self.profile.exact && self.profile.dictionary.len() == 1 && self.profile.rows > 1;
        let harmful = matches!(self.meaning, Meaning::Word { sense: Sense::Sensitive, .. });
        let reason = "All rows have the same value, so the column tells nobody apart.";
        (alike && !harmful).then(|| (Role::Insensitive, Confidence::Sure, reason.into()))
    }

    fn of_prose(&self) -> Option<Judgement> {
        let prose = self.pattern == Some(Pattern::Prose) && self.distinct_share() >= 0.5 && self.present >= 2;
        let reason = "The values are long texts of which most occur once, and free text tends to name people.";
        prose.then(|| (Role::Identifier, Confidence::Likely, reason.into()))
    }

    /// What the name says, unless the values do not bear it out.
    fn of_word(&self) -> Option<Judgement> {
        let Meaning::Word { sense, idea, whole } = self.meaning else { return None };
        let confidence = if whole { Confidence::Sure } else { Confidence::Likely };
        let judgement = match sense {
            Sense::Identifier | Sense::PersonNumber if self.is_category() && !whole => {
                let reason = format!(
                    "The name suggests {idea}, but many rows share few values, so it is taken as known to an adversary."
                );
                (Role::QuasiIdentifier, Confidence::Unsure, reason)
            }
            Sense::PersonNumber if self.repeats() => {
                let reason = format!("The name says {idea} and values repeat, so several rows belong to one person.");
                (Role::Subject, confidence, reason)
            }
            Sense::Identifier if self.is_category() => {
                let reason = format!("The name says {idea}, although many rows share a few values.");
                (Role::Identifier, Confidence::Unsure, reason)
            }
            Sense::Identifier | Sense::PersonNumber => {
                (Role::Identifier, confidence, format!("The name says {idea}, which names a person by itself."))
            }
            Sense::QuasiIdentifier => {
                let format = match self.pattern {
                    Some(Pattern::DayInUnknownOrder) => {
                        "; its dates do not start with the year, so their format must be told"
                    }
                    _ => "",
                };
                let reason = format!("The name says {idea}, which outsiders can know about a person{format}.");
                (Role::QuasiIdentifier, confidence, reason)
            }
            Sense::Sensitive => (
                Role::Sensitive,
                confidence,
                format!("The name says {idea}, which nobody should learn about a person."),
            ),
            Sense::Insensitive => {
                let reason = format!("The name says {idea}, which outsiders do not know and which harms nobody.");
                (Role::Insensitive, Confidence::Likely, reason)
            }
        };
        Some(judgement)
    }

    /// Values whose form says something although the name does not.
    fn of_telling_values(&self) -> Option<Judgement> {
        let pattern = match self.pattern {
            None if self.profile.dictionary.kind() == Kind::Date => {
                let reason = "The values are dates, and outsiders often know when something happened to a person.";
                return Some((Role::QuasiIdentifier, Confidence::Likely, reason.into()));
            }
            pattern => pattern?,
        };
        let written = format!("Nearly all values are written like {}", pattern.plural());
        match pattern {
            Pattern::DayInUnknownOrder => {
                let reason = format!("{written}, so their format must be told before the column can be generalized.");
                Some((Role::QuasiIdentifier, Confidence::Likely, reason))
            }
            Pattern::Moment | Pattern::Postcode if !(pattern == Pattern::Postcode && self.is_nearly_unique()) => {
                let reason = format!("{written}, which outsiders can know about a person.");
                Some((Role::QuasiIdentifier, Confidence::Likely, reason))
            }
            Pattern::IcdCode => {
                let reason = format!("{written}, which nobody should learn about a person.");
                Some((Role::Sensitive, Confidence::Likely, reason))
            }
            _ => None,
        }
    }

    /// Values that nearly every row has for itself. Measurements with a fraction differ by nature and are left out.
    fn of_uniqueness(&self) -> Option<Judgement> {
        let counts_things = matches!(self.profile.dictionary.kind(), Kind::Integer | Kind::Text);
        if !(counts_things && self.is_nearly_unique()) {
            return None;
        }
        let reason = "Nearly every row has a value of its own, so the column can name a person by itself.";
        let whole = matches!(self.meaning, Meaning::BareNumber { .. } | Meaning::BareName { whole: true });
        let confidence = if whole { Confidence::Sure } else { Confidence::Likely };
        Some((Role::Identifier, confidence, reason.into()))
    }

    /// `id` and `name` without saying whose.
    fn of_bare_word(&self) -> Option<Judgement> {
        match self.meaning {
            Meaning::BareNumber { whole: true } if self.repeats() && !self.is_category() => {
                let reason = "The name says identifier and values repeat, so several rows may belong to one person.";
                Some((Role::Subject, Confidence::Unsure, reason.into()))
            }
            Meaning::BareNumber { .. } if !self.repeats() => {
                let reason = "The name says identifier and no value repeats, so it can name a person by itself.";
                Some((Role::Identifier, Confidence::Likely, reason.into()))
            }
            Meaning::BareName { whole } if !self.is_category() && (whole || self.distinct_share() >= 0.5) => {
                let confidence = if whole { Confidence::Likely } else { Confidence::Unsure };
                let reason = "The name says name without saying of what, and names of people must go.";
                Some((Role::Identifier, confidence, reason.into()))
            }
            _ => None,
        }
    }

    fn is_person_number(&self) -> bool {
        matches!(self.meaning, Meaning::Word { sense: Sense::PersonNumber, .. })
    }

    fn distinct_share(&self) -> f64 {
        if self.present == 0 { 0.0 } else { self.profile.distinct() as f64 / self.present as f64 }
    }

    fn repeats(&self) -> bool {
        self.profile.distinct() < self.present
    }

    /// So few values for so many rows that none of them can stand for a person.
    fn is_category(&self) -> bool {
        let distinct = self.profile.distinct();
        (distinct <= 2 && self.present >= 10) || (distinct <= 50 && self.present >= 100 * distinct)
    }

    /// In a handful of rows anything is unique by chance.
    fn is_nearly_unique(&self) -> bool {
        self.present >= 20 && self.distinct_share() >= 0.9
    }
}
