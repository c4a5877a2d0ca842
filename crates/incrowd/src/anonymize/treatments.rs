//! Columns that are neither generalized, kept nor removed: which treatments are refused, and what is said of the others.

use incrowd_core::{Role, Treatment};
use incrowd_engine::EngineError;

use super::columns::Columns;
use super::{AnonymizeOptions, Publish};
use crate::error::{Error, Result, TreatmentFault};

/// Refuses treatments of columns that are not there or have another role, and those that would contradict a promise.
pub(super) fn check(columns: &[String], options: &AnonymizeOptions) -> Result<()> {
    let protected = options.policy.sensitive();
    for (column, treatment) in &options.treatments {
        if !columns.contains(column) {
            return Err(EngineError::UnknownColumn { name: column.clone(), known: columns.to_vec() }.into());
        }
        let fault = match options.declared.role(column) {
            None => Some(TreatmentFault::NoRole),
            Some(Role::QuasiIdentifier) => Some(TreatmentFault::QuasiIdentifier),
            Some(_) if protected.contains(column) => Some(TreatmentFault::Protected),
            Some(role) if treatment.suits(role) => None,
            Some(Role::Identifier | Role::Subject) => Some(TreatmentFault::OfPeople),
            Some(_) => Some(TreatmentFault::OfValues),
        };
        let fault = fault.or((options.publish == Publish::TwoTables).then_some(TreatmentFault::TwoTables));
        if let Some(why) = fault {
            return Err(Error::TreatmentRefused { column: column.clone(), treatment: treatment.to_string(), why });
        }
    }
    Ok(())
}

/// What treated columns do not protect against.
pub(super) fn notes(columns: &Columns) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |names: Vec<String>, words: &str| {
        if !names.is_empty() {
            notes.push(format!("Treated: {}. {words}", names.join(", ")));
        }
    };
    let with_words = |is_so: fn(&Treatment) -> bool| -> Vec<String> {
        let shown = |name: String| {
            let words = columns.treatment(&name).map(Treatment::words).unwrap_or_default();
            format!("{name} ({words})")
        };
        columns.treated(is_so).into_iter().map(shown).collect()
    };
    note(
        with_words(Treatment::is_pseudonym),
        "Rows with the same pseudonym are linked: an attacker who recognizes one of them knows which others belong to \
         it. Anyone with the internal record, which holds the key, can compute the pseudonym of a known value.",
    );
    note(
        with_words(|treatment| matches!(treatment, Treatment::Shift { .. })),
        if columns.of(Role::Subject).is_empty() {
            "Each row has its own random number of days, because no subject column says which rows belong to one person. \
             Seasons and years can still be recognized."
        } else {
            "All dates of a person are moved by the same random number of days: order and intervals stay. Two \
             known dates of a person, or one and its other columns, may be enough to recognize the rows."
        },
    );
    note(
        with_words(|treatment| treatment.is_drawn() && !matches!(treatment, Treatment::Shift { .. })),
        "How numbers were drawn is published with the release, so an attacker knows how far a number is probably from \
         its cell. This is not differential privacy: no model protects these columns.",
    );
    let of_items: fn(&Treatment) -> bool = |treatment| matches!(treatment, Treatment::Items(_));
    note(with_words(of_items), "An attacker who knows more items of a person, or other columns, may find fewer rows.");
    note(
        with_words(|treatment| !treatment.has_key() && !matches!(treatment, Treatment::Blank | Treatment::Items(_))),
        "A treatment changes the cells of one column and makes no class: what is still shown may single out a person.",
    );
    if !columns.of(Role::Subject).is_empty() {
        note(
            with_words(|treatment| matches!(treatment, Treatment::Microaggregate { .. })),
            "The groups count rows, not people: several rows of a group can belong to one person.",
        );
        note(
            with_words(of_items),
            "Rows are counted, not people: several rows with the same items can be of one person.",
        );
    }
    note(with_words(|treatment| *treatment == Treatment::Blank), "These columns are published without values.");
    notes
}
