//! The answer of `check` in one sentence.

use incrowd_core::{Diagnosis, Role, counted, thousands};

use crate::repeated_identifiers::RepeatedIdentifier;
use crate::roles::ColumnReport;

/// Whether the table is safe to share, and why not.
pub(super) fn verdict(
    columns: &[ColumnReport],
    found: &Diagnosis,
    repeated: &[RepeatedIdentifier],
    safe: bool,
) -> String {
    let identifiers = columns.iter().filter(|column| column.role == Role::Identifier && !column.declared).count();
    let looks = match identifiers {
        0 => None,
        1 => Some("one column looks like a direct identifier".to_owned()),
        _ => Some("several columns look like direct identifiers".to_owned()),
    };
    let names: Vec<String> = repeated.iter().map(|one| format!("`{}`", one.column)).collect();
    let repeats = (!names.is_empty()).then(|| {
        format!(
            "several rows may belong to one person: {} {} repeated values",
            names.join(", "),
            if names.len() == 1 { "has" } else { "have" }
        )
    });
    let named = looks.into_iter().chain(repeats).collect::<Vec<_>>().join(", and ");
    let also = if named.is_empty() { String::new() } else { format!(", and {named}") };
    if found.quasi_identifiers.is_empty() {
        return format!("No column was classified as a quasi-identifier, so no classes were formed{also}.");
    }
    let on =
        format!("on the {}", counted(found.quasi_identifiers.len() as u64, "quasi-identifier", "quasi-identifiers"));
    let classes = match repeated.is_empty() {
        true => format!("veryone is in a class of at least {} {on}", thousands(found.k)),
        // How many people these are is not known: rows were counted.
        false => format!("very class has at least {} {on}", counted(found.k, "row", "rows")),
    };
    if safe {
        return format!("E{classes}.");
    }
    if found.k >= found.k_asked {
        return format!("Not safe to share: e{classes}, but {named}.");
    }
    let (one, many) = match found {
        _ if found.appearances > found.people => ("appearance", "appearances"),
        _ if found.people < found.rows => ("person", "people"),
        _ => ("row", "rows"),
    };
    let total = found.appearances.max(1);
    let share = 100.0 * found.below as f64 / total as f64;
    let unique = match found.unique {
        0 => "none of them is unique".into(),
        1 if found.below == 1 => "it is unique".into(),
        1 => "1 of them is unique".into(),
        unique => format!("{} of them are unique", thousands(unique)),
    };
    format!(
        "Not safe to share: {} of {} ({share:.1} %) {} smaller than {} {on}; {unique}{also}.",
        thousands(found.below),
        counted(total, one, many),
        if found.below == 1 { "is in a class" } else { "are in classes" },
        thousands(found.k_asked),
    )
}
