//! Columns that are published unchanged beside the quasi-identifiers: how many rows become unique by them, and which
//! are refused.
//!
//! A column is judged twice: alone on the original, by the profiles of the first scan and before anything is solved,
//! and together with the published quasi-identifiers by counting the staged files, before these get their name.

use incrowd_core::{ClassSizes, ColumnProfile, Finding, Role, Treatment, codes, counted, thousands};
use incrowd_engine::{Engine, EngineError, Source};
use incrowd_risk::roles::{is_free_text, stands_for_one_person};

use super::columns::Columns;
use super::solve::ClassesInMemory;
use super::{AnonymizeOptions, Publish};
use crate::error::{Error, Result};
use crate::exposure::{Basis, Knowledge, PublishedRows};

/// The largest share of rows that an insensitive column may make unique.
const MOST_UNIQUE: f64 = 0.05;
/// From this share of unique values on, a sensitive column is taken for an identifier.
const LIKE_AN_IDENTIFIER: f64 = 0.9;
/// In fewer rows a sensitive value is unique by chance.
const FEW_ROWS: u64 = 20;

/// The columns that are published unchanged, with what the user allows.
pub(super) struct KeptColumns<'a> {
    /// The columns with their roles, the insensitive ones first.
    columns: Vec<(Role, String)>,
    options: &'a AnonymizeOptions,
    /// Columns whose values were counted to the end on the original, and judged.
    judged: Vec<String>,
}

/// What was found on the staged rows.
pub(super) struct Exposure {
    /// Which columns an attacker is assumed to know.
    pub(super) knowledge: Knowledge,
    /// How many rows agree on all of them; nothing when these are the quasi-identifiers alone.
    pub(super) sizes: Option<ClassSizes>,
    /// Columns that split classes, with their figures.
    pub(super) findings: Vec<Finding>,
}

impl<'a> KeptColumns<'a> {
    /// Refuses columns that single out people without any other column, on the original and before anything is solved.
    pub(super) fn check(
        columns: &Columns,
        options: &'a AnonymizeOptions,
        source: &Source,
        profiles: &[ColumnProfile],
    ) -> Result<KeptColumns<'a>> {
        // A blank column reveals nothing.
        let is_blank = |name: &String| columns.treatment(name) == Some(&Treatment::Blank);
        let of = |role: Role| columns.of(role).into_iter().filter(|name| !is_blank(name)).map(move |name| (role, name));
        let columns = of(Role::Insensitive).chain(of(Role::Sensitive)).collect();
        let mut kept = KeptColumns { columns, options, judged: Vec::new() };
        for name in &options.keep_identifying {
            if !source.columns().contains(name) {
                return Err(EngineError::UnknownColumn { name: name.clone(), known: source.columns() }.into());
            }
            let is_linked = options.treatments.get(name).is_some_and(Treatment::is_pseudonym);
            if !is_linked && !kept.columns.iter().any(|(_, kept)| kept == name) {
                return Err(Error::NotKept(name.clone()));
            }
        }
        let mut refused = Vec::new();
        // What is published of a treated column is judged on the staged rows.
        for (role, name) in kept.columns.iter().filter(|(_, name)| !options.treatments.contains_key(name)) {
            let Some(profile) = profiles.iter().find(|profile| profile.name == *name) else { continue };
            let unique = profile.unique_rows();
            if profile.exact {
                kept.judged.push(name.clone());
            }
            if options.keep_identifying.contains(name) {
                continue;
            }
            if is_free_text(profile) {
                refused.push((name.clone(), format!("“{name}” contains free text")));
            } else if stands_for_one_person(profile, false) {
                refused.push((name.clone(), format!("each value of “{name}” belongs to one person")));
            } else if profile.exact && is_refused(*role, unique, profile.rows) {
                refused.push((name.clone(), unique_alone(name, unique, profile.rows)));
            }
        }
        refuse(refused).map(|()| kept)
    }

    /// Counts the staged rows on the quasi-identifiers and each column, and refuses insensitive columns by which too
    /// many become unique.
    pub(super) fn measure(
        &self,
        engine: &Engine,
        rows: &mut PublishedRows,
        memory: Option<&ClassesInMemory>,
    ) -> Result<Exposure> {
        rows.count_ahead(engine, &self.asked(memory))?;
        let (k, quasi) = (self.options.policy.k().max(2), &self.options.declared.quasi_identifiers);
        let apart = self.options.publish == Publish::TwoTables;
        let (known, unknown): (Vec<_>, Vec<_>) =
            self.columns.iter().partition(|(role, name)| self.is_known(*role, name));
        let named = |columns: &[&(Role, String)]| columns.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>();
        let mut knowledge = Knowledge { known: named(&known), unknown: named(&unknown), basis: Basis::Exact };
        let mut sizes = None;
        if !known.is_empty() {
            sizes = rows.class_sizes(engine, quasi.iter().chain(&knowledge.known))?;
            knowledge.basis = match sizes {
                None => Basis::NotCounted,
                Some(_) if self.options.declared.subject.is_some() => Basis::RowsNotPeople,
                Some(_) => Basis::Exact,
            };
        }
        let (mut findings, mut refused) = (Vec::new(), Vec::new());
        for (role, name) in known.iter().chain(&unknown) {
            let known = self.is_known(*role, name);
            // In two tables a sensitive column stands in the other file.
            let in_rows = !(apart && *role == Role::Sensitive);
            if in_rows && !self.is_allowed(name) && !self.judged.contains(name) {
                refused.extend(self.refused_alone(engine, rows, *role, name)?);
            }
            // Two tables publish the quasi-identifiers unchanged: what is unique on them is so without this column.
            let together = sizes.as_ref().filter(|_| known);
            if apart || together.is_some_and(|sizes| sizes.k() >= k) {
                continue;
            }
            let with = match self.in_memory(memory, name).and_then(|memory| memory.sizes_with(name)) {
                Some(counted) => Some(counted),
                None => rows.class_sizes(engine, quasi.iter().chain([name]))?,
            };
            let Some(with) = with else {
                let message = format!("the classes on the quasi-identifiers and `{name}` cannot be counted");
                findings.push(finding(known, name, message));
                continue;
            };
            let (unique, total) = (with.unique(), with.total());
            if (known && with.k() < k) || share(unique, total) > MOST_UNIQUE {
                let message = format!(
                    "{} of {} ({:.1} %) {} unique on the quasi-identifiers and `{name}`; the smallest class has {}",
                    thousands(unique),
                    counted(total, "row", "rows"),
                    100.0 * share(unique, total),
                    if unique == 1 { "is" } else { "are" },
                    counted(with.k(), "row", "rows"),
                );
                findings.push(finding(known, name, message).counting(unique, total));
            }
            if *role == Role::Insensitive && !self.is_allowed(name) && share(unique, total) > MOST_UNIQUE {
                let per_cent = 100.0 * share(unique, total);
                let words = format!("{per_cent:.1} % of the rows are unique on the quasi-identifiers and “{name}”");
                refused.push((name.clone(), words));
            }
        }
        refuse(refused)?;
        Ok(Exposure { knowledge, sizes, findings })
    }

    /// The sets of columns on which staged rows are probably counted: what is asked for in the end depends on the answers.
    fn asked(&self, memory: Option<&ClassesInMemory>) -> Vec<Vec<&String>> {
        let quasi = || self.options.declared.quasi_identifiers.iter();
        let known = || self.columns.iter().filter(|(role, name)| self.is_known(*role, name)).map(|(_, name)| name);
        let mut asked = Vec::new();
        if known().next().is_some() {
            asked.push(quasi().chain(known()).collect());
        }
        let apart = self.options.publish == Publish::TwoTables;
        for (role, name) in &self.columns {
            let in_rows = !(apart && *role == Role::Sensitive);
            if in_rows && !self.is_allowed(name) && !self.judged.contains(name) {
                asked.push(vec![name]);
            }
            if !apart && self.in_memory(memory, name).is_none_or(|memory| memory.table.position(name).is_none()) {
                asked.push(quasi().chain([name]).collect());
            }
        }
        asked
    }

    /// The classes in memory, if they have the cells of a column as they are published.
    fn in_memory<'m>(&self, memory: Option<&'m ClassesInMemory>, name: &str) -> Option<&'m ClassesInMemory> {
        memory.filter(|_| !self.options.treatments.contains_key(name))
    }

    /// A column whose values were too many to be counted before: counted on the staged rows.
    fn refused_alone(
        &self,
        engine: &Engine,
        rows: &PublishedRows,
        role: Role,
        name: &String,
    ) -> Result<Option<(String, String)>> {
        Ok(match rows.class_sizes(engine, [name])? {
            Some(sizes) if !is_refused(role, sizes.unique(), sizes.total()) => None,
            Some(sizes) => Some((name.clone(), unique_alone(name, sizes.unique(), sizes.total()))),
            None => Some((name.clone(), format!("the values of “{name}” cannot be counted"))),
        })
    }

    fn is_allowed(&self, name: &String) -> bool {
        self.options.keep_identifying.contains(name)
    }

    /// Whether an attacker is assumed to know the column.
    fn is_known(&self, role: Role, name: &String) -> bool {
        role == Role::Insensitive || self.is_allowed(name)
    }
}

fn finding(known: bool, name: &str, message: String) -> Finding {
    let code = if known { &codes::KEPT_COLUMN_SINGLES_OUT } else { &codes::SENSITIVE_COLUMN_SINGLES_OUT };
    Finding::new(code, message).about([name])
}

/// Whether a column of this role has too many rows with a unique value.
fn is_refused(role: Role, unique: u64, rows: u64) -> bool {
    match role {
        Role::Insensitive => share(unique, rows) > MOST_UNIQUE,
        _ => rows >= FEW_ROWS && share(unique, rows) >= LIKE_AN_IDENTIFIER,
    }
}

fn unique_alone(name: &str, unique: u64, rows: u64) -> String {
    format!("{:.1} % of the rows have a unique value in “{name}”", 100.0 * share(unique, rows))
}

fn refuse(refused: Vec<(String, String)>) -> Result<()> {
    if refused.is_empty() {
        return Ok(());
    }
    let (columns, facts) = refused.into_iter().unzip();
    Err(Error::IdentifyingColumns { columns, facts })
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
