//! `check`: what does a table reveal, of which nothing is declared?

mod read;
mod verdict;
mod writing;

use std::collections::{BTreeMap, HashSet};

use incrowd_core::{
    ClassSizes, ColumnProfile, ColumnSet, Diagnosis, Finding, Role, SetRisk, Severity, TightestParameters, codes,
    counted,
};
use incrowd_engine::{Engine, EngineError, Question, Source};
use incrowd_risk::diagnosis::{Crowds, DiagnosisOptions, diagnose_sizes, diagnose_some};
use incrowd_risk::roles::Confidence;
use serde::Serialize;

use crate::ask::diagnose::kept;
use crate::error::{Error, Result};
use crate::parameters;
use crate::repeated_identifiers::{RepeatedIdentifier, repeated_identifiers};
use crate::roles::{ColumnReport, Declared};
use crate::spellings;
pub(super) use read::question;
use read::{CheckedTable, read};
use verdict::verdict;
pub(super) use writing::{labels_finding, workbook_finding};

/// How a table is checked.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Roles the user already knows.
    pub declared: Declared,
    /// Whether columns without a role are left out of the release, as a plan can say: they are not judged then.
    pub remove_others: bool,
    /// The minimum class size.
    pub k: u64,
    /// The largest sets of columns that are inspected.
    pub max_set_size: usize,
    /// The most exposed values to name; 0 unless the reader may see the table.
    pub values: usize,
}

impl Default for CheckOptions {
    fn default() -> Self {
        CheckOptions { declared: Declared::default(), remove_others: false, k: 5, max_set_size: 3, values: 0 }
    }
}

/// What `check` found.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What was inspected.
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
    /// For which parameters each model about a declared sensitive column holds, one answer for each column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<Vec<TightestParameters>>,
}

/// Guesses the roles that were not declared, profiles, counts and diagnoses.
///
/// When the tuples are too many to search column sets within the memory allowed, the class sizes are reported all the
/// same, and a finding says what was left out.
pub fn check(engine: &Engine, source: &Source, options: &CheckOptions) -> Result<Check> {
    parameters::at_least_one("k", Some(options.k))?;
    parameters::at_least_one("max_columns", Some(options.max_set_size as u64))?;
    let removed = removed_others(source, options);
    let mut declared = options.declared.clone();
    declared.identifiers.extend(removed.iter().cloned());
    let CheckedTable { profiles, mut columns, crowds, table, all } = read(engine, source, &declared, options.k)?;
    for column in columns.iter_mut().filter(|column| removed.contains(&column.name)) {
        column.reason = "removed by the plan".into();
    }
    let settings = DiagnosisOptions {
        k: options.k,
        max_set_size: options.max_set_size,
        values: options.values,
        ..DiagnosisOptions::default()
    };
    let watch = engine.watch();
    let searched =
        table.and_then(|table| engine.measure_sets(&table, || diagnose_some(&table, all.as_ref(), &settings, &watch)));
    let mut diagnosis = match searched {
        Ok(diagnosis) => diagnosis?,
        Err(refused @ EngineError::TooManyTuples { .. }) => {
            let columns = if crowds.counts_people { vec![] } else { dangerous_columns(&profiles, &crowds, options.k) };
            let mut diagnosis = diagnose_sizes(Crowds { columns, ..crowds }, &settings);
            let message = format!("column sets were not searched: {refused}");
            diagnosis.findings.push(Finding::new(&codes::SETS_NOT_SEARCHED, message));
            diagnosis
        }
        Err(error) => return Err(error.into()),
    };
    let asked = Question { sensitive: options.declared.sensitive.clone(), ..question(&columns) };
    let sensitive = match about_sensitive(engine, source, &asked) {
        Ok(sensitive) => sensitive,
        Err(Error::Engine(
            refused @ (EngineError::TooManyTuples { .. }
            | EngineError::TooManyValues { .. }
            | EngineError::TooManyColumns { .. }
            | EngineError::TooWide),
        )) => {
            let message = format!("the sensitive columns were not measured: {refused}");
            let finding = Finding::new(&codes::SETS_NOT_SEARCHED, message).about(&asked.sensitive);
            diagnosis.findings.push(finding);
            None
        }
        Err(error) => return Err(error),
    };
    let subject = columns_of(&columns, Role::Subject).pop();
    let about = Declared { subject, ..options.declared.clone() };
    let repeated = repeated_identifiers(engine, source, &profiles, &about)?;
    diagnosis.findings.extend(column_findings(&columns, &profiles));
    diagnosis.findings.extend(workbook_finding(source));
    diagnosis.findings.extend(labels_finding(source));
    diagnosis.findings.extend(left_out(source));
    diagnosis.findings.extend(not_judged(&removed));
    diagnosis.findings.extend(spelled_differently(&columns, &profiles));
    Ok(Check { sensitive, ..concluded(source, columns, diagnosis, &repeated) })
}

/// The answer that follows from what was found.
pub(super) fn concluded(
    source: &Source,
    columns: Vec<ColumnReport>,
    mut diagnosis: Diagnosis,
    repeated: &[RepeatedIdentifier],
) -> Check {
    diagnosis.findings.extend(repeated.iter().map(RepeatedIdentifier::finding));
    diagnosis.findings.sort_by_key(|finding| finding.code.severity);
    let safe = diagnosis.findings.iter().all(|finding| finding.code.severity != Severity::Danger);
    let verdict = verdict(&columns, &diagnosis, repeated, safe);
    let (source, format) = (source.name().into(), source.stored());
    Check { source, format, safe, verdict, columns, diagnosis, sensitive: None }
}

/// For which parameters the models about the declared sensitive columns hold: a scan of its own, since sensitive values
/// make more tuples, of which the search of column sets needs none.
fn about_sensitive(engine: &Engine, source: &Source, asked: &Question) -> Result<Option<Vec<TightestParameters>>> {
    if asked.sensitive.is_empty() || asked.quasi_identifiers.is_empty() {
        return Ok(None);
    }
    let columns = ColumnSet::first(asked.quasi_identifiers.len());
    let (table, watch) = (source.count(engine, asked)?.into_table(engine)?, engine.watch());
    // The subject may be guessed: a table with rows that have none gets no figures, and is not refused.
    if table.rows_of_nobody() > 0 {
        return Ok(None);
    }
    kept(&table, columns, &BTreeMap::new(), &watch).map(Some)
}

/// The quasi-identifiers that put people in classes smaller than k without any other column, from their profiles.
fn dangerous_columns(profiles: &[ColumnProfile], crowds: &Crowds, k: u64) -> Vec<SetRisk> {
    let risk = |profile: &ColumnProfile| {
        let sizes = ClassSizes::from_sizes(profile.counts.iter().copied());
        let (unique, below) = (sizes.unique(), sizes.below(k));
        SetRisk { columns: vec![profile.name.clone()], k: sizes.k(), unique, below }
    };
    let quasi = profiles.iter().filter(|profile| crowds.quasi_identifiers.contains(&profile.name));
    quasi.map(risk).filter(|risk| risk.k < k).collect()
}

/// The columns of lists, structs or binary data, which are not read.
pub(super) fn left_out(source: &Source) -> Option<Finding> {
    let plain: HashSet<String> = source.plain_columns().into_iter().collect();
    let names: Vec<String> = source.columns().into_iter().filter(|name| !plain.contains(name)).collect();
    let message = format!("not read, because they contain lists, structs or binary data: `{}`", names.join("`, `"));
    (!names.is_empty()).then(|| Finding::new(&codes::ROLE_UNSURE, message).about(names))
}

/// Sensitive and quasi-identifying columns in which one value is spelled in several ways.
fn spelled_differently(columns: &[ColumnReport], profiles: &[ColumnProfile]) -> Vec<Finding> {
    let counted = columns.iter().zip(profiles);
    let published = counted.filter(|(column, _)| matches!(column.role, Role::Sensitive | Role::QuasiIdentifier));
    let found = published.filter_map(|(column, profile)| spellings::variants(&column.name, &profile.dictionary));
    found.map(|found| found.finding()).collect()
}

/// The columns that a plan removes without naming them.
pub(super) fn removed_others(source: &Source, options: &CheckOptions) -> Vec<String> {
    let names = if options.remove_others { source.plain_columns() } else { vec![] };
    names.into_iter().filter(|name| options.declared.role(name).is_none()).collect()
}

/// That columns were not assessed, because the plan removes them.
pub(super) fn not_judged(removed: &[String]) -> Option<Finding> {
    let count = counted(removed.len() as u64, "column that the plan removes", "columns that the plan removes");
    let message = format!("not assessed: {count}: `{}`", removed.join("`, `"));
    (!removed.is_empty()).then(|| Finding::new(&codes::REMOVED_BY_PLAN, message).about(removed))
}

/// The names of the columns with this role.
pub fn columns_of(columns: &[ColumnReport], role: Role) -> Vec<String> {
    columns.iter().filter(|column| column.role == role).map(|column| column.name.clone()).collect()
}

/// The findings about each column alone.
pub(super) fn column_findings(columns: &[ColumnReport], profiles: &[ColumnProfile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (column, profile) in columns.iter().zip(profiles) {
        let name = &column.name;
        let finding = match column.role {
            Role::Identifier if !column.declared => {
                let message = format!("column `{name}` looks like a direct identifier: {}", inside(&column.reason));
                Finding::new(&codes::LOOKS_LIKE_IDENTIFIER, message)
                    .counting(profile.rows - profile.missing, profile.rows)
            }
            Role::QuasiIdentifier if column.date_format_unknown => {
                Finding::new(&codes::AMBIGUOUS_DATES, format!("column `{name}`: {}", inside(&column.reason)))
            }
            _ if column.confidence == Confidence::Unsure => Finding::new(
                &codes::ROLE_UNSURE,
                format!("column `{name}` was classified as {}: {}", a(column.role), inside(&column.reason)),
            ),
            _ => continue,
        };
        findings.push(finding.about([name]));
    }
    findings.extend(profiles.iter().flat_map(writing::writing_findings));
    findings
}

/// The role as the object of a sentence.
fn a(role: Role) -> &'static str {
    match role {
        Role::Identifier => "an identifier",
        Role::QuasiIdentifier => "a quasi-identifier",
        Role::Sensitive => "sensitive",
        Role::Insensitive => "insensitive",
        Role::Subject => "the subject",
        Role::Weight => "the survey weight",
    }
}

/// A reason as the end of another sentence.
fn inside(reason: &str) -> String {
    let reason = reason.strip_suffix('.').unwrap_or(reason);
    let mut letters = reason.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use incrowd_engine::{ReadOptions, Settings};

    use super::*;

    #[test]
    fn class_sizes_are_reported_without_memory_to_search_column_sets() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("visits.csv");
        let mut text = String::from("age,height,weight\n");
        for row in 0..200_000 {
            let (age, height, weight) = (row % 60, row / 60 % 60, row / 3600);
            writeln!(text, "{age},{height},{weight}").expect("written");
        }
        std::fs::write(&path, text).expect("written");
        let checked = |memory: Option<u64>| {
            let engine = Engine::new(&Settings { memory, threads: Some(1), ..Settings::default() }).expect("an engine");
            let source = Source::open(&engine, path.to_str().expect("plain"), ReadOptions::default()).expect("a table");
            check(&engine, &source, &CheckOptions::default()).expect("an answer").diagnosis
        };
        let (short, ample) = (checked(Some(12 << 20)), checked(None));
        let crowds = |found: &Diagnosis| (found.rows, found.tuples, found.k, found.unique, found.below, found.classes);
        assert_eq!(crowds(&short), crowds(&ample));
        let left_out = |found: &Diagnosis| found.findings.iter().any(|finding| finding.code.code == "IC303");
        assert!(left_out(&short) && !left_out(&ample));
        assert!(!short.complete && short.largest_safe.is_empty() && !ample.largest_safe.is_empty());
    }
}
