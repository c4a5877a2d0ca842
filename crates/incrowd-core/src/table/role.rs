//! What a column is to an adversary.

use serde::{Deserialize, Serialize};

/// The part a column plays in a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Identifies a person directly (name, insurance number): always removed.
    Identifier,
    /// Known to outsiders and telling in combination (age, postcode): generalized.
    QuasiIdentifier,
    /// What must not be learned about a person (diagnosis, income): kept, but protected by the policy.
    Sensitive,
    /// Neither known to outsiders nor harmful: kept unchanged.
    Insensitive,
    /// Says which rows belong to the same person, so that people are counted and not rows: removed.
    Subject,
    /// The survey weight of the row: kept unchanged like an insensitive column, and used to estimate risks. Only plans
    /// declare it.
    Weight,
}

impl Role {
    /// The roles that columns are classified into, in the order in which they are shown.
    pub const ALL: [Role; 5] =
        [Role::Identifier, Role::Subject, Role::QuasiIdentifier, Role::Sensitive, Role::Insensitive];

    /// The word used in plans, reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Role::Identifier => "identifier",
            Role::QuasiIdentifier => "quasi-identifier",
            Role::Sensitive => "sensitive",
            Role::Insensitive => "insensitive",
            Role::Subject => "subject",
            Role::Weight => "weight",
        }
    }

    /// The letter beside the colour of the role, so that colour is not the only sign.
    pub fn letter(self) -> char {
        match self {
            Role::Identifier => 'I',
            Role::QuasiIdentifier => 'Q',
            Role::Sensitive => 'S',
            Role::Insensitive => 'N',
            Role::Subject => 'P',
            Role::Weight => 'W',
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
