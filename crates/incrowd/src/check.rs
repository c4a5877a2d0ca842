//! `check`: what does this table give away, without being told anything about it?

use incrowd_core::{ColumnProfile, Diagnosis, Finding, FrequencyTable, Role, Severity, codes};
use incrowd_engine::{Engine, Question, Source};
use incrowd_risk::diagnosis::{Options, diagnose};
use incrowd_risk::roles::Confidence;
use serde::Serialize;

use crate::error::Result;
use crate::roles::{ColumnReport, Declared, assign};

/// How a table is checked.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Roles the user already knows.
    pub declared: Declared,
    /// The crowd everybody should stand in.
    pub k: u64,
    /// The largest sets of columns that are looked at.
    pub max_set_size: usize,
    /// The most exposed values to name; 0 unless the reader may see the table.
    pub values: usize,
}

impl Default for CheckOptions {
    fn default() -> Self {
        CheckOptions { declared: Declared::default(), k: 5, max_set_size: 3, values: 0 }
    }
}

/// What `check` found.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What was looked at.
    pub source: String,
    /// How it is stored.
    pub format: &'static str,
    /// Whether nothing dangerous was found.
    pub safe: bool,
    /// The answer in one sentence.
    pub verdict: String,
    /// The columns with their roles.
    pub columns: Vec<ColumnReport>,
    /// The figures and findings.
    #[serde(flatten)]
    pub diagnosis: Diagnosis,
}

/// Profiles the columns, guesses the roles that were not declared, counts and diagnoses.
pub fn check(engine: &Engine, source: &Source, options: &CheckOptions) -> Result<Check> {
    let profiles = source.profile(engine)?;
    let columns = assign(&profiles, &options.declared)?;
    let table = count(engine, source, &columns, profiles.first().map_or(0, |profile| profile.rows))?;
    let settings =
        Options { k: options.k, max_set_size: options.max_set_size, values: options.values, ..Options::default() };
    let mut diagnosis = diagnose(&table, &settings);
    diagnosis.findings.extend(column_findings(&columns, &profiles));
    diagnosis.findings.sort_by_key(|finding| finding.code.severity);
    let safe = diagnosis.findings.iter().all(|finding| finding.code.severity != Severity::Danger);
    let verdict = verdict(&columns, &diagnosis, safe);
    Ok(Check { source: source.name().into(), format: source.format().name(), safe, verdict, columns, diagnosis })
}

/// The names of the columns taken for this role.
pub fn columns_of(columns: &[ColumnReport], role: Role) -> Vec<String> {
    columns.iter().filter(|column| column.role == role).map(|column| column.name.clone()).collect()
}

fn count(engine: &Engine, source: &Source, columns: &[ColumnReport], rows: u64) -> Result<FrequencyTable> {
    let quasi_identifiers = columns_of(columns, Role::QuasiIdentifier);
    if quasi_identifiers.is_empty() {
        // Nothing tells rows apart: all of them are one class.
        return Ok(FrequencyTable::from_tuples(vec![], [(Vec::<u32>::new(), rows)]));
    }
    let subject = columns_of(columns, Role::Subject).pop();
    let question = Question { quasi_identifiers, subject, ..Question::default() };
    Ok(source.count(engine, &question)?.into_table(engine)?)
}

/// What the columns show by themselves.
fn column_findings(columns: &[ColumnReport], profiles: &[ColumnProfile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (column, profile) in columns.iter().zip(profiles) {
        let name = &column.name;
        let finding = match column.role {
            Role::Identifier if !column.declared => {
                let message = format!("column `{name}` looks like a direct identifier: {}", column.reason);
                Finding::new(&codes::LOOKS_LIKE_IDENTIFIER, message)
                    .counting(profile.rows - profile.missing, profile.rows)
            }
            Role::QuasiIdentifier if column.reason.contains("format must be told") => {
                Finding::new(&codes::AMBIGUOUS_DATES, format!("column `{name}`: {}", column.reason))
            }
            _ if column.confidence == Confidence::Unsure => Finding::new(
                &codes::ROLE_UNSURE,
                format!("column `{name}` was taken for {}: {}", column.role, column.reason),
            ),
            _ => continue,
        };
        findings.push(finding.about([name]));
    }
    findings
}

fn verdict(columns: &[ColumnReport], found: &Diagnosis, safe: bool) -> String {
    let identifiers = columns.iter().filter(|column| column.role == Role::Identifier && !column.declared).count();
    let named = match identifiers {
        0 => String::new(),
        1 => " One column looks as if it names people.".into(),
        n => format!(" {n} columns look as if they name people."),
    };
    let who = if found.people < found.rows { "people" } else { "rows" };
    let quasi_identifiers = match found.quasi_identifiers.len() {
        0 => return format!("No column was taken for a quasi-identifier, so nothing tells rows apart.{named}"),
        1 => "1 quasi-identifier".to_string(),
        n => format!("{n} quasi-identifiers"),
    };
    if safe {
        return format!("Everyone stands in a crowd of at least {} on the {quasi_identifiers}.", found.k);
    }
    if found.k >= found.k_asked {
        return format!("Everyone stands in a crowd of at least {} on the {quasi_identifiers}, but:{named}", found.k);
    }
    let total = found.people.max(1);
    let share = 100.0 * found.below as f64 / total as f64;
    format!(
        "Not safe to share: {} of {} {who} ({share:.1} %) stand in a crowd smaller than {}, {} of them alone, on the {quasi_identifiers}.{named}",
        thousands(found.below),
        thousands(total),
        found.k_asked,
        thousands(found.unique)
    )
}

/// A number with its thousands set apart.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn thousands_are_set_apart_from_the_right() {
        assert_eq!([0, 999, 1000, 1234567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
