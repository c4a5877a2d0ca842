//! The answer of `check` in one sentence.

use incrowd_core::{Diagnosis, Role, counted, thousands};

use crate::repeated_identifiers::RepeatedIdentifier;
use crate::roles::ColumnReport;

/// Whether the table is safe to share, and what stands in the way.
pub(super) fn verdict(
    columns: &[ColumnReport],
    found: &Diagnosis,
    repeated: &[RepeatedIdentifier],
    safe: bool,
) -> String {
    let identifiers = columns.iter().filter(|column| column.role == Role::Identifier && !column.declared).count();
    let looks = match identifiers {
        0 => None,
        1 => Some("one column looks as if it names people".to_owned()),
        _ => Some("several columns look as if they name people".to_owned()),
    };
    let names: Vec<String> = repeated.iter().map(|one| format!("`{}`", one.column)).collect();
    let repeats = (!names.is_empty()).then(|| {
        format!(
            "several rows may be one person: {} {}",
            names.join(", "),
            if names.len() == 1 { "repeats" } else { "repeat" }
        )
    });
    let named = looks.into_iter().chain(repeats).collect::<Vec<_>>().join(", and ");
    let also = if named.is_empty() { String::new() } else { format!(", and {named}") };
    if found.quasi_identifiers.is_empty() {
        return format!("No column was taken for a quasi-identifier, so nothing tells rows apart{also}.");
    }
    let on =
        format!("on the {}", counted(found.quasi_identifiers.len() as u64, "quasi-identifier", "quasi-identifiers"));
    let crowd = match repeated.is_empty() {
        true => format!("veryone stands in a crowd of at least {} {on}", thousands(found.k)),
        // Who stands there is not known: rows were counted.
        false => format!("very class has at least {} {on}", counted(found.k, "row", "rows")),
    };
    if safe {
        return format!("E{crowd}.");
    }
    if found.k >= found.k_asked {
        return format!("Not safe to share: e{crowd}, but {named}.");
    }
    let (one, many) = match found {
        _ if found.appearances > found.people => ("appearance", "appearances"),
        _ if found.people < found.rows => ("person", "people"),
        _ => ("row", "rows"),
    };
    let total = found.appearances.max(1);
    let share = 100.0 * found.below as f64 / total as f64;
    let alone = match found.unique {
        0 => "none of them alone".into(),
        1 if found.below == 1 => "alone".into(),
        unique => format!("{} of them alone", thousands(unique)),
    };
    format!(
        "Not safe to share: {} of {} ({share:.1} %) {} in a crowd smaller than {} {on}, {alone}{also}.",
        thousands(found.below),
        counted(total, one, many),
        if found.below == 1 { "stands" } else { "stand" },
        thousands(found.k_asked),
    )
}
