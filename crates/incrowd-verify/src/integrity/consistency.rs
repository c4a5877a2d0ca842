//! Does the manifest contradict itself? Nothing is read here.

use std::collections::HashSet;

use crate::manifest::{ColumnEntry, Format, Manifest, Role, Technique, TwoTables, is_within};
use crate::models::ModelQuestion;
use crate::treatments;
use crate::verdict::{Fault, FaultKind};

/// A fault for everything in the manifest that cannot be.
pub(crate) fn check(manifest: &Manifest, questions: &[ModelQuestion]) -> Vec<Fault> {
    let mut faults = Vec::new();
    columns(manifest, &mut faults);
    treatments::consistency(&manifest.columns, &mut faults);
    sensitive(manifest, questions, &mut faults);
    rows(manifest, &mut faults);
    dialects(manifest, &mut faults);
    match &manifest.two_tables {
        Some(two) => two_tables(manifest, two, &mut faults),
        None if manifest.columns.iter().any(is_moved) => {
            let message = "the manifest moves a column to a second table, but names no second table";
            faults.push(Fault::new(FaultKind::Columns, message));
        }
        None => {}
    }
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
        if identifies && column.is_published() && !treatments::hides_people(column) {
            let message = format!("the column {name} identifies people and is not removed");
            faults.push(Fault::new(FaultKind::Columns, message));
        }
    }
    if !manifest.columns.iter().any(ColumnEntry::is_published) {
        faults.push(Fault::new(FaultKind::Columns, "the manifest lists no published column"));
    }
}

fn dialects(manifest: &Manifest, faults: &mut Vec<Fault>) {
    for file in &manifest.files {
        let Some(dialect) = &file.dialect else { continue };
        let is_published = |name: &String| {
            let mut columns = manifest.columns.iter();
            let is_written =
                |column: &ColumnEntry| column.role == Role::QuasiIdentifier || column.technique == Technique::Treated;
            columns.any(|column| column.name == *name && is_written(column))
        };
        let why = if file.format != Format::Csv {
            "has a dialect and is not CSV"
        } else if dialect.separator().is_none() {
            "has a delimiter that cannot be one"
        } else if dialect.decoder().is_err() {
            "has an unknown encoding"
        } else if !dialect.decimal_comma.iter().all(is_published) {
            "has a decimal comma in a column that is neither a quasi-identifier nor treated"
        } else {
            continue;
        };
        faults.push(Fault::new(FaultKind::Manifest, format!("the file {} {why}", file.name)));
    }
}

fn sensitive(manifest: &Manifest, questions: &[ModelQuestion], faults: &mut Vec<Fault>) {
    for question in questions {
        let Some(name) = &question.sensitive else { continue };
        let published = manifest.columns.iter().find(|column| column.name == *name && column.is_published());
        let why = match published.map(|column| (column.role, column.technique)) {
            Some((Role::Sensitive, Technique::Treated)) => "is treated: its values are not published",
            Some((Role::Sensitive, _)) => continue,
            Some(_) => "is not listed as sensitive",
            None => "is not published: the model cannot be evaluated",
        };
        faults.push(Fault::new(FaultKind::Policy, format!("{}: the column {name} {why}", question.model)));
    }
}

fn rows(manifest: &Manifest, faults: &mut Vec<Fault>) {
    let Manifest { rows, source_rows, suppressed_rows, .. } = *manifest;
    if rows == 0 {
        faults.push(Fault::new(FaultKind::Empty, "the release has no rows, so every promise holds trivially"));
    }
    let in_files = manifest.files.iter().try_fold(0u64, |sum, file| sum.checked_add(file.rows));
    if manifest.two_tables.is_none() && in_files != Some(rows) {
        faults.push(Fault::new(FaultKind::Rows, format!("the files of the manifest do not add up to its {rows} rows")));
    }
    let sums = [suppressed_rows.least(), suppressed_rows.most()].map(|withheld| rows.checked_add(withheld));
    if sums != [Some(source_rows.least()), Some(source_rows.most())] {
        let message = format!("{rows} published and {suppressed_rows} suppressed rows do not add up to {source_rows}");
        faults.push(Fault::new(FaultKind::Rows, message));
    }
    let share = manifest.policy.suppression;
    if !(0.0..=1.0).contains(&share) {
        faults.push(Fault::new(FaultKind::Policy, "the maximum share of suppressed rows is not between 0 and 1"));
    } else if !is_within(suppressed_rows.least(), share, source_rows.least()) {
        // The least that was suppressed is the least share: when it is too much, every count of the step is.
        let message = format!(
            "{suppressed_rows} of {source_rows} rows were suppressed, but the policy allows a share of {share}"
        );
        faults.push(Fault::new(FaultKind::Suppression, message));
    }
}

fn is_moved(column: &ColumnEntry) -> bool {
    column.technique == Technique::MovedToSecondTable
}

/// Two tables are two files with the same rows. The sensitive columns are moved to the second, all others are kept as
/// they are in the first.
fn two_tables(manifest: &Manifest, two: &TwoTables, faults: &mut Vec<Fault>) {
    let mut fault = |kind, message: String| faults.push(Fault::new(kind, message));
    let names = [&two.quasi_identifiers, &two.sensitive];
    let is_listed = |name: &&String| manifest.files.iter().any(|file| file.name == **name);
    if names[0] == names[1] || manifest.files.len() != 2 || !names.iter().all(is_listed) {
        let message = "the two tables of the manifest are not its two files";
        fault(FaultKind::Manifest, message.to_string());
    }
    for file in manifest.files.iter().filter(|file| file.rows != manifest.rows) {
        let (name, rows) = (&file.name, manifest.rows);
        fault(FaultKind::Rows, format!("in the manifest, {name} does not have the {rows} rows of each table"));
    }
    for column in &manifest.columns {
        let (name, is_sensitive) = (&column.name, column.role == Role::Sensitive);
        if *name == two.class_column {
            fault(FaultKind::Columns, format!("the column of class numbers has the same name as the column {name}"));
        }
        match column.technique {
            Technique::Removed => {}
            Technique::MovedToSecondTable if is_sensitive => {}
            Technique::Retained if !is_sensitive => {}
            _ if is_sensitive => {
                fault(FaultKind::Columns, format!("the sensitive column {name} is not moved to the second table"));
            }
            Technique::MovedToSecondTable => {
                fault(
                    FaultKind::Columns,
                    format!("the column {name} is moved to the second table, but is not sensitive"),
                );
            }
            _ => fault(FaultKind::Columns, format!("the column {name} of two tables is not published unchanged")),
        }
    }
    for (moved, what) in [(true, "second"), (false, "first")] {
        let stands_there = |column: &ColumnEntry| column.is_published() && is_moved(column) == moved;
        if !manifest.columns.iter().any(stands_there) {
            fault(FaultKind::Columns, format!("the manifest lists no column of the {what} table"));
        }
    }
}

#[cfg(test)]
mod tests;
