//! The roles of a table's columns: what the user declared, and what was guessed for the rest.

use std::collections::{HashMap, HashSet};

use incrowd_core::{ColumnProfile, Role};
use incrowd_engine::EngineError;
use incrowd_risk::roles::{Confidence, RoleGuess, guess};
use serde::Serialize;

use crate::error::{Error, Result};

/// The roles the user gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Columns that outsiders may know.
    pub quasi_identifiers: Vec<String>,
    /// Sensitive columns.
    pub sensitive: Vec<String>,
    /// Columns that identify people directly.
    pub identifiers: Vec<String>,
    /// Columns that neither identify people nor are sensitive.
    pub insensitive: Vec<String>,
    /// The column that says which rows belong to the same person.
    pub subject: Option<String>,
    /// The user declares that each row is a different person, although an identifier has repeated values.
    pub rows_are_people: bool,
}

impl Declared {
    /// Every declared column with its role; refused when one is named twice.
    pub fn roles(&self) -> Result<Vec<(&str, Role)>> {
        let roles: Vec<(&str, Role)> = self.named().collect();
        let mut known = HashMap::new();
        for &(name, role) in &roles {
            match known.insert(name, role) {
                Some(other) if other == role => return Err(Error::NamedTwice(name.into())),
                Some(_) => return Err(Error::TwoRoles(name.into())),
                None => {}
            }
        }
        Ok(roles)
    }

    /// The declared role of a column.
    pub fn role(&self, column: &str) -> Option<Role> {
        self.named().find(|(name, _)| *name == column).map(|(_, role)| role)
    }

    /// Every name with its role, also those that are named twice.
    fn named(&self) -> impl Iterator<Item = (&str, Role)> {
        let lists = [
            (&self.quasi_identifiers, Role::QuasiIdentifier),
            (&self.sensitive, Role::Sensitive),
            (&self.identifiers, Role::Identifier),
            (&self.insensitive, Role::Insensitive),
        ];
        let named = lists.into_iter().flat_map(|(names, role)| names.iter().map(move |name| (name.as_str(), role)));
        named.chain(self.subject.iter().map(|name| (name.as_str(), Role::Subject)))
    }
}

/// One column as `check` shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnReport {
    /// The column's name.
    pub name: String,
    /// The kind of its values.
    pub kind: &'static str,
    /// The number of distinct values; a lower bound when `exact` is false.
    pub distinct: u64,
    /// Whether all of them were counted.
    pub exact: bool,
    /// Rows without a value.
    pub missing: u64,
    /// Its role.
    pub role: Role,
    /// Whether the role was declared by the user instead of guessed.
    pub declared: bool,
    /// How sure the guess is.
    pub confidence: Confidence,
    /// Why this role, in one sentence.
    pub reason: String,
    /// Whether it was guessed to hold dates whose format has to be given.
    #[serde(skip)]
    pub date_format_unknown: bool,
}

/// The columns with their declared or guessed roles. A declared column that is not there is refused: its role was meant
/// to protect somebody.
pub fn assign(profiles: &[ColumnProfile], declared: &Declared) -> Result<Vec<ColumnReport>> {
    let there: HashSet<&str> = profiles.iter().map(|profile| profile.name.as_str()).collect();
    let roles: HashMap<&str, Role> = declared.roles()?.into_iter().collect();
    for (name, _) in declared.roles()? {
        if !there.contains(name) {
            let known = profiles.iter().map(|profile| profile.name.clone()).collect();
            return Err(EngineError::UnknownColumn { name: name.into(), known }.into());
        }
    }
    let report = |(profile, guessed): (&ColumnProfile, RoleGuess)| {
        let given = roles.get(profile.name.as_str()).copied();
        // Rows are about whom the user says: a guessed second subject column would be an identifier like any other.
        let role = match (given, guessed.role) {
            (Some(role), _) => role,
            (None, Role::Subject) if declared.subject.is_some() || declared.rows_are_people => Role::Identifier,
            (None, role) => role,
        };
        ColumnReport {
            name: profile.name.clone(),
            kind: profile.dictionary.kind().name(),
            distinct: profile.distinct(),
            exact: profile.exact,
            missing: profile.missing,
            role,
            declared: given.is_some(),
            date_format_unknown: given.is_none() && guessed.date_format_unknown,
            confidence: if given.is_some() { Confidence::Sure } else { guessed.confidence },
            reason: if given.is_some() { "declared".into() } else { guessed.reason },
        }
    };
    Ok(profiles.iter().zip(guess(profiles)).map(report).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_named_twice_is_refused() {
        let declared =
            Declared { quasi_identifiers: vec!["age".into()], sensitive: vec!["age".into()], ..Declared::default() };
        assert!(matches!(declared.roles(), Err(Error::TwoRoles(name)) if name == "age"));
    }
}
