//! What becomes of each column of a release.

use std::collections::BTreeMap;
use std::sync::Arc;

use incrowd_core::{Policy, Role, Treatment, ValueGroups};
use incrowd_engine::{CellTreatment, EngineError, PublishedColumn, Source};
use incrowd_verify::{ColumnEntry, Technique};

use super::randomness::Randomness;
use super::{AnonymizeOptions, Others, Publish, treatments};
use crate::error::{Error, Result};

/// What was made of each column whose treatment looks at all cells.
pub(super) type ColumnGroups = BTreeMap<String, Arc<ValueGroups>>;

/// The columns of each published table, in order.
pub(super) struct PublishedTables {
    pub(super) first: Vec<PublishedColumn>,
    /// Of two tables, the second.
    pub(super) second: Option<Vec<PublishedColumn>>,
    /// The column that joins two tables.
    pub(super) class_column: String,
}

/// The columns of a table, in its order, each with its role.
pub(super) struct Columns {
    roles: Vec<(String, Role)>,
    quasi_identifiers: Vec<String>,
    treatments: BTreeMap<String, Treatment>,
}

impl Columns {
    /// Every column with a declared role; the others as told.
    pub(super) fn new(source: &Source, options: &AnonymizeOptions) -> Result<Columns> {
        let (declared, others) = (&options.declared, options.others);
        declared.roles()?;
        if declared.quasi_identifiers.is_empty() {
            return Err(Error::NoQuasiIdentifiers);
        }
        let names = source.columns();
        let is_unknown = |name: &str| !names.iter().any(|column| column == name);
        if let Some((name, _)) = declared.roles()?.into_iter().find(|(name, _)| is_unknown(name)) {
            return Err(EngineError::UnknownColumn { name: name.into(), known: source.columns() }.into());
        }
        let missing: Vec<String> = names.iter().filter(|name| declared.role(name).is_none()).cloned().collect();
        let other = match others {
            Others::Refuse if !missing.is_empty() => return Err(Error::Undeclared(missing)),
            Others::Refuse | Others::Keep => Role::Insensitive,
            Others::Remove => Role::Identifier,
        };
        let role = |name: String| (declared.role(&name).unwrap_or(other), name);
        let roles = names.into_iter().map(role).map(|(role, name)| (name, role)).collect();
        treatments::check(&source.columns(), options)?;
        let (quasi_identifiers, treatments) = (declared.quasi_identifiers.clone(), options.treatments.clone());
        Ok(Columns { roles, quasi_identifiers, treatments })
    }

    /// What is done to the cells of a column, if anything is.
    pub(super) fn treatment(&self, name: &str) -> Option<&Treatment> {
        self.treatments.get(name)
    }

    /// The key of the treatment of a column, if it has one.
    pub(super) fn treatment_key(&self, name: &str, randomness: &Randomness) -> Option<[u8; 32]> {
        let is_subject = self.roles.iter().any(|(column, role)| column == name && *role == Role::Subject);
        Some(randomness.treatment_key(name, is_subject, self.treatment(name)?))
    }

    /// The columns with a treatment that says so, in the table's order.
    pub(super) fn treated(&self, is_so: impl Fn(&Treatment) -> bool) -> Vec<String> {
        let names = self.roles.iter().map(|(name, _)| name);
        names.filter(|name| self.treatment(name).is_some_and(&is_so)).cloned().collect()
    }

    /// The treatments that have a key, by column.
    pub(super) fn keyed(&self) -> BTreeMap<String, Treatment> {
        let keyed = self.treatments.iter().filter(|(_, treatment)| treatment.has_key());
        keyed.map(|(column, treatment)| (column.clone(), treatment.clone())).collect()
    }

    /// The columns of a role that no treatment changes.
    pub(super) fn untreated(&self, role: Role) -> Vec<String> {
        self.of(role).into_iter().filter(|name| self.treatment(name).is_none()).collect()
    }

    /// Refuses a policy about columns that are not declared sensitive: they would not be protected as such elsewhere.
    pub(super) fn check_policy(&self, policy: &Policy) -> Result<()> {
        for name in policy.sensitive() {
            match self.roles.iter().find(|(column, _)| *column == name) {
                Some((_, Role::Sensitive)) => {}
                Some(_) => return Err(Error::NotSensitive(name)),
                None => return Err(incrowd_core::ModelError::UnknownColumn { name }.into()),
            }
        }
        Ok(())
    }

    /// The columns of a role, in the table's order.
    pub(super) fn of(&self, role: Role) -> Vec<String> {
        self.roles.iter().filter(|(_, other)| *other == role).map(|(name, _)| name.clone()).collect()
    }

    /// The columns that are profiled before anything is solved: what is published unchanged, and what is
    /// removed. The subject is not: people are counted by it.
    pub(super) fn profiled(&self, source: &Source) -> (Vec<String>, Vec<String>) {
        let plain = source.plain_columns();
        let of = |roles: &[Role]| {
            let columns = self.roles.iter().filter(|(name, role)| roles.contains(role) && plain.contains(name));
            columns.map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        (of(&[Role::Sensitive, Role::Insensitive]), of(&[Role::Identifier]))
    }

    /// The tables that are published, in one table or in two.
    pub(super) fn tables(&self, publish: Publish, randomness: &Randomness, groups: &ColumnGroups) -> PublishedTables {
        let class_column = self.class_column();
        match publish {
            Publish::OneTable => {
                PublishedTables { first: self.one_table(randomness, groups), second: None, class_column }
            }
            Publish::TwoTables => {
                let [first, second] = self.two_tables(&class_column);
                PublishedTables { first, second: Some(second), class_column }
            }
        }
    }

    /// How the engine publishes the columns in one table, in the order of the original.
    fn one_table(&self, randomness: &Randomness, groups: &ColumnGroups) -> Vec<PublishedColumn> {
        let position = |name: &str| self.quasi_identifiers.iter().position(|other| other == name);
        let treatment = |name: &String| {
            let treatment = self.treatment(name)?.clone();
            let key = self.treatment_key(name, randomness)?;
            let person = self.of(Role::Subject).pop().filter(|_| treatment.is_drawn());
            Some(Box::new(CellTreatment { treatment, key, person, groups: groups.get(name).cloned() }))
        };
        let kept = |name: &String| PublishedColumn::Kept { name: name.clone(), treatment: treatment(name) };
        let published = self.roles.iter().filter_map(|(name, role)| match role {
            Role::QuasiIdentifier => {
                position(name).map(|quasi_identifier| PublishedColumn::Recoded { name: name.clone(), quasi_identifier })
            }
            Role::Sensitive | Role::Insensitive | Role::Weight => Some(kept(name)),
            Role::Identifier | Role::Subject => self.treatment(name).map(|_| kept(name)),
        });
        published.collect()
    }

    /// The first of two tables, everything but the sensitive columns, unchanged, and the second: the class of a row is
    /// in both.
    fn two_tables(&self, class: &str) -> [Vec<PublishedColumn>; 2] {
        let class = PublishedColumn::ClassId { name: class.into() };
        let kept = |roles: &'static [Role]| {
            let columns = self.roles.iter().filter(|(_, role)| roles.contains(role));
            columns.map(|(name, _)| PublishedColumn::Kept { name: name.clone(), treatment: None })
        };
        let first = kept(&[Role::QuasiIdentifier, Role::Insensitive]).chain([class.clone()]).collect();
        [first, [class].into_iter().chain(kept(&[Role::Sensitive])).collect()]
    }

    /// A name for the class of a row that no column has.
    fn class_column(&self) -> String {
        let is_free = |name: &String| self.roles.iter().all(|(other, _)| !other.eq_ignore_ascii_case(name));
        let names = (2..).map(|number| format!("class_{number}"));
        ["class".to_string()].into_iter().chain(names).find(is_free).unwrap_or_default()
    }

    /// Their entries in the manifest. `changed` says whether any cell of a quasi-identifier was generalized.
    pub(super) fn entries(&self, publish: Publish, changed: impl Fn(&str) -> bool) -> Vec<ColumnEntry> {
        let entry = |(name, role): &(String, Role)| {
            let (role, technique) = match role {
                Role::QuasiIdentifier if changed(name) => {
                    (incrowd_verify::Role::QuasiIdentifier, Technique::Generalized)
                }
                Role::QuasiIdentifier => (incrowd_verify::Role::QuasiIdentifier, Technique::Retained),
                Role::Sensitive if publish == Publish::TwoTables => {
                    (incrowd_verify::Role::Sensitive, Technique::MovedToSecondTable)
                }
                Role::Sensitive => (incrowd_verify::Role::Sensitive, Technique::Retained),
                Role::Insensitive | Role::Weight => (incrowd_verify::Role::Insensitive, Technique::Retained),
                Role::Identifier => (incrowd_verify::Role::Identifier, Technique::Removed),
                Role::Subject => (incrowd_verify::Role::Subject, Technique::Removed),
            };
            let treatment = self.treatment(name).map(Treatment::to_string);
            let technique = if treatment.is_some() { Technique::Treated } else { technique };
            ColumnEntry { name: name.clone(), role, technique, treatment, labels: None, value_type: None }
        };
        self.roles.iter().map(entry).collect()
    }
}
