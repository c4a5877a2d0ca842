//! The rules by which a role is guessed, in their order.
//!
//! A name decides before the values only if its role is not published unchanged: identifier, subject or
//! quasi-identifier. A column with no value, or with one value in all rows, is insensitive. That any other column is
//! sensitive or insensitive is guessed last, and only when enough rows share its values.

use incrowd_core::{Kind, Role, Values};

use super::evidence::ColumnEvidence;
use super::names::Meaning;
use super::patterns::ValuePattern;
use super::words::Sense;
use super::{Confidence, RoleGuess};

type RoleJudgement = (Role, Confidence, String);

impl ColumnEvidence<'_> {
    /// The first rule that applies wins: what the values prove comes before what the name suggests. Only a name for
    /// which nothing is published unchanged may come before the values, because its role is the safer one.
    pub(super) fn judge(&self) -> RoleGuess {
        let rules = [
            Self::of_nothing,
            Self::of_naming_values,
            Self::of_one_value,
            Self::of_prose,
            Self::of_protected_word,
            Self::of_dates,
            Self::of_uniqueness,
            Self::of_numbered_thing,
            Self::of_published_word,
            Self::of_telling_values,
            Self::of_bare_word,
        ];
        let judgement = rules.into_iter().find_map(|rule| rule(self));
        let (role, confidence, reason) = judgement.unwrap_or_else(|| {
            let reason =
                "Neither the name nor the values show the role, so the column is assumed to be known to an attacker.";
            (Role::QuasiIdentifier, Confidence::Unsure, reason.into())
        });
        let date_format_unknown = role == Role::QuasiIdentifier && self.is_dated_in_unknown_order();
        RoleGuess { name: self.profile.name.clone(), role, confidence, reason, date_format_unknown }
    }

    /// Whether the values are dates in an unknown order of day and month, and the name does not say that they are something else.
    fn is_dated_in_unknown_order(&self) -> bool {
        let something_else = matches!(
            self.meaning,
            Meaning::Word { sense: Sense::Identifier | Sense::PersonNumber | Sense::Weight, .. }
        );
        self.pattern == Some(ValuePattern::DayInUnknownOrder) && !something_else
    }

    fn of_nothing(&self) -> Option<RoleJudgement> {
        let reason = "All values are missing, so the column does not distinguish people.";
        (self.profile.distinct() == 0).then(|| (Role::Insensitive, Confidence::Sure, reason.into()))
    }

    /// Values that identify a person whatever the column is called. A number given to each person is left to its name,
    /// because it may be the subject.
    fn of_naming_values(&self) -> Option<RoleJudgement> {
        let pattern = self.pattern.filter(|_| !self.is_person_number())?;
        let written = |rest: &str| format!("Nearly all values look like {}{rest}.", pattern.plural());
        match pattern {
            ValuePattern::Uuid if self.repeats() && self.meaning == (Meaning::BareNumber { whole: true }) => {
                let reason = written(" and some repeat, so several rows may belong to one person");
                Some((Role::Subject, Confidence::Likely, reason))
            }
            ValuePattern::Email | ValuePattern::Iban | ValuePattern::SocialSecurityNumber => {
                Some((Role::Identifier, Confidence::Sure, written(", which identify a person directly")))
            }
            ValuePattern::Uuid | ValuePattern::NetworkAddress | ValuePattern::Phone | ValuePattern::Url
                if !self.is_category() =>
            {
                Some((Role::Identifier, Confidence::Likely, written(", which can identify a person")))
            }
            _ => None,
        }
    }

    fn of_one_value(&self) -> Option<RoleJudgement> {
        let alike = self.profile.exact && self.profile.dictionary.len() == 1 && self.profile.rows > 1;
        let harmful = matches!(self.meaning, Meaning::Word { sense: Sense::Sensitive | Sense::SensitiveAmount, .. });
        let reason = "All rows have the same value, so the column does not distinguish people.";
        (alike && !harmful).then(|| (Role::Insensitive, Confidence::Sure, reason.into()))
    }

    pub(super) fn of_prose(&self) -> Option<RoleJudgement> {
        let prose = self.pattern == Some(ValuePattern::Prose) && self.distinct_share() >= 0.5 && self.present >= 2;
        let reason = "The values are long texts that mostly occur once; free text often identifies people.";
        prose.then(|| (Role::Identifier, Confidence::Likely, reason.into()))
    }

    /// A name that suggests an identifier, subject or quasi-identifier, unless the values contradict it.
    fn of_protected_word(&self) -> Option<RoleJudgement> {
        let Meaning::Word { sense, idea, whole, .. } = self.meaning else { return None };
        let confidence = if whole { Confidence::Sure } else { Confidence::Likely };
        let judgement = match sense {
            Sense::Identifier | Sense::PersonNumber if self.is_category() && !whole => {
                let reason = format!(
                    "The name suggests {idea}, but many rows share few values, so it is assumed to be known to an \
                     attacker."
                );
                (Role::QuasiIdentifier, Confidence::Unsure, reason)
            }
            Sense::PersonNumber if self.repeats() => {
                let reason =
                    format!("The name suggests {idea} and values repeat, so several rows may belong to one person.");
                (Role::Subject, confidence, reason)
            }
            Sense::Identifier if self.is_category() => {
                let reason = format!("The name suggests {idea}, although many rows share a few values.");
                (Role::Identifier, Confidence::Unsure, reason)
            }
            Sense::Identifier | Sense::PersonNumber => {
                (Role::Identifier, confidence, format!("The name suggests {idea}, which identifies a person directly."))
            }
            Sense::Institution if self.is_shared_by_few() && self.profile.dictionary.kind() == Kind::Text => {
                let reason = format!("The name suggests {idea} and few rows share a value, so it may identify people.");
                (Role::Identifier, Confidence::Likely, reason)
            }
            Sense::QuasiIdentifier | Sense::Institution => {
                let format = match self.pattern {
                    Some(ValuePattern::DayInUnknownOrder) => {
                        "; its dates do not start with the year, so their format has to be given"
                    }
                    _ => "",
                };
                let reason = format!("The name suggests {idea}, which outsiders can know about a person{format}.");
                (Role::QuasiIdentifier, confidence, reason)
            }
            Sense::Weight if self.is_shared_by_few() => {
                let reason = format!("The name suggests {idea} and few rows share a value, so it singles people out.");
                (Role::Identifier, Confidence::Likely, reason)
            }
            Sense::Weight => {
                let reason = format!("The name suggests {idea}, which reveals the sampling stratum of a person.");
                (Role::QuasiIdentifier, Confidence::Likely, reason)
            }
            Sense::Sensitive | Sense::SensitiveAmount | Sense::Insensitive => return None,
        };
        Some(judgement)
    }

    /// A name that suggests a sensitive or insensitive column: the values would be published unchanged.
    fn of_published_word(&self) -> Option<RoleJudgement> {
        let Meaning::Word { sense, idea, whole, .. } = self.meaning else { return None };
        match sense {
            Sense::Sensitive | Sense::SensitiveAmount => {
                let confidence = if whole { Confidence::Sure } else { Confidence::Likely };
                let reason = format!("The name suggests {idea}, which is sensitive.");
                Some((Role::Sensitive, confidence, reason))
            }
            Sense::Insensitive if self.profile.distinct() <= 50 && self.present >= 10 * self.profile.distinct() => {
                let reason =
                    format!("The name suggests {idea}, which outsiders do not know and which is not sensitive.");
                Some((Role::Insensitive, Confidence::Likely, reason))
            }
            _ => None,
        }
    }

    /// A number or reference of something that belongs to a person: `loan_id`, `payment_ref`, or by its values. A small
    /// integer may count things instead (`number_of_loans`).
    fn of_numbered_thing(&self) -> Option<RoleJudgement> {
        let Meaning::Word { numbered, .. } = self.meaning else { return None };
        if !numbered && !self.has_long_numbers() {
            return None;
        }
        let counts_things = matches!(
            self.profile.dictionary.values(),
            Values::Integers(numbers) if numbers.len() <= 50 && numbers.last().is_some_and(|most| *most <= 100)
        );
        if !self.repeats() && self.present > 0 {
            let reason =
                "The name or the values suggest a number or reference without repeats, so it can identify a person.";
            return Some((Role::Identifier, Confidence::Likely, reason.into()));
        }
        let reason = "The name or the values suggest a number or reference of something that can belong to one person.";
        (!counts_things).then(|| (Role::QuasiIdentifier, Confidence::Unsure, reason.into()))
    }

    /// Dates, whatever the name says: outsiders can know when something happened.
    fn of_dates(&self) -> Option<RoleJudgement> {
        let reason = match self.pattern {
            None if self.profile.dictionary.kind() == Kind::Date => {
                "The values are dates, and outsiders often know when something happened to a person.".into()
            }
            Some(pattern @ ValuePattern::DayInUnknownOrder) => format!(
                "Nearly all values look like {}, so their format has to be given before the column can be generalized.",
                pattern.plural()
            ),
            Some(pattern @ ValuePattern::Moment) => {
                format!("Nearly all values look like {}, which outsiders can know about a person.", pattern.plural())
            }
            _ => return None,
        };
        Some((Role::QuasiIdentifier, Confidence::Likely, reason))
    }

    /// Values whose form suggests a role although the name does not.
    fn of_telling_values(&self) -> Option<RoleJudgement> {
        let pattern = self.pattern?;
        let written = format!("Nearly all values look like {}", pattern.plural());
        match pattern {
            ValuePattern::Postcode => {
                let reason = format!("{written}, which outsiders can know about a person.");
                Some((Role::QuasiIdentifier, Confidence::Likely, reason))
            }
            ValuePattern::IcdCode => {
                let reason = format!("{written}, which are sensitive.");
                Some((Role::Sensitive, Confidence::Likely, reason))
            }
            _ => None,
        }
    }

    /// Values that few rows share single people out, whatever the name promises. Amounts and measurements differ by
    /// nature: they are not removed but generalized.
    fn of_uniqueness(&self) -> Option<RoleJudgement> {
        let nearly_unique = self.is_nearly_unique();
        let (idea, amount) = match self.meaning {
            Meaning::Word { idea, sense, numbered, .. } => {
                (Some(idea), sense == Sense::SensitiveAmount && !numbered && !self.has_long_numbers())
            }
            _ => (None, false),
        };
        let kind = self.profile.dictionary.kind();
        match (idea, kind) {
            (Some(idea), Kind::Number | Kind::Integer) if amount || kind == Kind::Number => {
                let reason = format!(
                    "The name suggests {idea}, but few rows share an exact value, so it can single a person out unless \
                     it is generalized."
                );
                self.is_shared_by_few().then_some((Role::QuasiIdentifier, Confidence::Unsure, reason))
            }
            (Some(idea), _) if self.is_shared_by_few() && !nearly_unique => {
                let reason =
                    format!("The name suggests {idea}, but few rows share a value, so it can identify a person.");
                Some((Role::Identifier, Confidence::Likely, reason))
            }
            (_, Kind::Integer | Kind::Text) if nearly_unique => {
                let reason = "Nearly every row has a unique value, so the column can identify a person.";
                let whole = matches!(self.meaning, Meaning::BareNumber { .. } | Meaning::BareName { whole: true });
                let confidence = if whole { Confidence::Sure } else { Confidence::Likely };
                Some((Role::Identifier, confidence, reason.into()))
            }
            (None, Kind::Text) if self.present >= 100 && self.alone_share() >= 0.5 => {
                let reason = "Most rows have a unique value, so the column can identify a person.";
                Some((Role::Identifier, Confidence::Likely, reason.into()))
            }
            _ => None,
        }
    }

    /// `id` and `name` alone, which do not show whose.
    fn of_bare_word(&self) -> Option<RoleJudgement> {
        match self.meaning {
            Meaning::BareNumber { whole: true } if self.repeats() && !self.is_category() => {
                let reason =
                    "The name suggests an identifier and values repeat, so several rows may belong to one person.";
                Some((Role::Subject, Confidence::Unsure, reason.into()))
            }
            Meaning::BareNumber { .. } if !self.repeats() => {
                let reason = "The name suggests an identifier and no value repeats, so it can identify a person.";
                Some((Role::Identifier, Confidence::Likely, reason.into()))
            }
            Meaning::BareName { whole } if !self.is_category() && (whole || self.distinct_share() >= 0.5) => {
                let confidence = if whole { Confidence::Likely } else { Confidence::Unsure };
                let reason = "The name suggests names, possibly of people, which must be removed.";
                Some((Role::Identifier, confidence, reason.into()))
            }
            _ => None,
        }
    }
}
