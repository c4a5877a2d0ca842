//! Does the manifest contradict itself? Nothing is read here.

use std::collections::HashSet;

use crate::manifest::{ColumnEntry, Manifest, Role};
use crate::models::Question;
use crate::policy::is_within;
use crate::verdict::{Fault, FaultKind};

/// A fault for everything in the manifest that cannot be.
pub(crate) fn check(manifest: &Manifest, questions: &[Question]) -> Vec<Fault> {
    let mut faults = Vec::new();
    columns(manifest, &mut faults);
    sensitive(manifest, questions, &mut faults);
    rows(manifest, &mut faults);
    faults
}

fn columns(manifest: &Manifest, faults: &mut Vec<Fault>) {
    let mut names = HashSet::new();
    for column in &manifest.columns {
        let name = &column.name;
        if !names.insert(name) {
            faults.push(Fault::new(FaultKind::Columns, format!("the manifest lists the column {name} twice")));
        }
        let identifies = matches!(column.role, Role::Identifier | Role::Subject);
        if identifies && column.is_published() {
            let message = format!("the column {name} says who somebody is and is not removed");
            faults.push(Fault::new(FaultKind::Columns, message));
        }
    }
    if !manifest.columns.iter().any(ColumnEntry::is_published) {
        faults.push(Fault::new(FaultKind::Columns, "the manifest lists no published column"));
    }
}

fn sensitive(manifest: &Manifest, questions: &[Question], faults: &mut Vec<Fault>) {
    for question in questions {
        let Some(name) = &question.sensitive else { continue };
        let published = manifest.columns.iter().find(|column| column.name == *name && column.is_published());
        let why = match published.map(|column| column.role) {
            Some(Role::Sensitive) => continue,
            Some(_) => "is not listed as sensitive",
            None => "is not published: the model cannot be judged",
        };
        faults.push(Fault::new(FaultKind::Policy, format!("{}: the column {name} {why}", question.model)));
    }
}

fn rows(manifest: &Manifest, faults: &mut Vec<Fault>) {
    let Manifest { rows, source_rows, suppressed_rows, .. } = *manifest;
    if rows == 0 {
        faults.push(Fault::new(FaultKind::Empty, "the release has no rows: it keeps every promise and means nothing"));
    }
    let in_files = manifest.files.iter().try_fold(0u64, |sum, file| sum.checked_add(file.rows));
    if in_files != Some(rows) {
        faults.push(Fault::new(FaultKind::Rows, format!("the files of the manifest do not add up to its {rows} rows")));
    }
    if rows.checked_add(suppressed_rows) != Some(source_rows) {
        let message = format!("{rows} published and {suppressed_rows} withheld rows do not add up to {source_rows}");
        faults.push(Fault::new(FaultKind::Rows, message));
    }
    let share = manifest.policy.suppression;
    if !(0.0..=1.0).contains(&share) {
        faults.push(Fault::new(FaultKind::Policy, "the share of rows that may be withheld is not between 0 and 1"));
    } else if !is_within(suppressed_rows, share, source_rows) {
        let message =
            format!("{suppressed_rows} of {source_rows} rows were withheld, the policy allows a share of {share}");
        faults.push(Fault::new(FaultKind::Suppression, message));
    }
}
