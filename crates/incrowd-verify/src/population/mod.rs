//! Does a release keep what it promises about a population? How many people of it match each class?
//!
//! A person of the population matches a class when each of the person's values lies under the published label: the label
//! is the value itself or `*`, the hierarchy says so, or a label that the manifest declares to describe itself holds the
//! value. A population may be coarser than the original: a value that is a label of the hierarchy lies under that label
//! and those above it, and under no other. So nobody is counted who may not match.
//!
//! Without the population nothing is said: its promises are listed as not checked.

mod labels;
mod people;

use crate::count::Counter;
use crate::manifest::{ColumnEntry, Manifest, Role, sha256_of_file};
use crate::models::{AsksOfRelease, ClassCounts, ModelQuestion, SensitiveAttribute};
use crate::options::{Options, PopulationTable};
use crate::read::{CellEncoder, ReadProgress};
use crate::release::Release;
use crate::verdict::{Fault, FaultKind, ModelVerdict, NotChecked, Verdict, VerifyError};

use labels::LabelsOfValues;
use people::People;

/// The SHA-256 of the bytes of a population's table, as the manifest states it.
///
/// # Errors
/// The file cannot be read.
pub fn population_sha256(path: &std::path::Path) -> Result<String, VerifyError> {
    sha256_of_file(path, &|| false)
        .map_err(|error| VerifyError::Population(error.to_string()))?
        .map(|(sha256, _)| sha256)
        .ok_or(VerifyError::Cancelled)
}

/// Adds what the models about a population say of the classes of the files.
pub(crate) fn check(
    release: &Release<'_>,
    questions: &[ModelQuestion],
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<(), VerifyError> {
    if questions.is_empty() {
        return Ok(());
    }
    if release.manifest.two_tables.is_some() || release.manifest.population.is_none() {
        let message = match release.manifest.two_tables {
            Some(_) => "a promise about a population cannot be verified for two tables",
            None => "the policy is about a population, and the manifest does not say which",
        };
        verdict.faults.push(Fault::new(FaultKind::Policy, message));
        return Ok(());
    }
    let Some(population) = &options.population else {
        verdict.not_checked.extend(questions.iter().map(|question| NotChecked {
            model: question.model.to_string(),
            sensitive: None,
            promise: question.asks.promise(""),
        }));
        verdict.notes.push(NOT_AT_HAND.to_string());
        return Ok(());
    };
    let columns: Vec<&ColumnEntry> =
        release.columns().into_iter().filter(|column| column.role == Role::QuasiIdentifier).collect();
    let Some(mut people) = People::count(population, &columns, release, options, verdict)? else { return Ok(()) };
    compare(release.manifest, population, &people, verdict)?;
    let places: Vec<usize> =
        (0..).zip(release.columns()).filter(|one| columns.contains(&one.1)).map(|one| one.0).collect();
    // The release is read with the texts of the population, so that equal texts have equal codes.
    let encoders = people.take_encoders().into_iter().map(|(texts, rules)| CellEncoder::new(texts, rules)).collect();
    let mut published = Counter::new(encoders, places.len());
    let progress = ReadProgress::new(options.cancel, options.progress, release.manifest.rows);
    if !release.count(&places, &mut published, &progress, verdict)? {
        return Ok(());
    }
    let labels = columns
        .iter()
        .enumerate()
        .map(|(at, column)| LabelsOfValues::new(column, &people.values(at), &published, at, population, options))
        .collect::<Result<Vec<_>, VerifyError>>()?;
    let found = people.matching(&published, &labels);
    judge(questions, &found, &labels, verdict);
    Ok(())
}

const NOT_AT_HAND: &str = "the release makes a promise about a population, which was not checked: give the table of the \
                           population";

/// Whether the population is the one of the manifest.
fn compare(
    manifest: &Manifest,
    population: &PopulationTable,
    people: &People,
    verdict: &mut Verdict,
) -> Result<(), VerifyError> {
    let fault = |message: String| Fault::new(FaultKind::Population, message);
    let Some(said) = &manifest.population else { return Ok(()) };
    if population_sha256(&population.table.path)? != said.sha256 {
        verdict.faults.push(fault("the population is another one: its bytes are not those of the manifest".into()));
    } else if (people.rows, people.people) != (said.rows, said.people) {
        let message = format!(
            "the population has {} rows for {} people, but the manifest says {} and {}",
            people.rows, people.people, said.rows, said.people
        );
        verdict.faults.push(fault(message));
    }
    Ok(())
}

/// The classes of a release with the people who match them.
struct MatchedClasses {
    /// The rows of each class and how many people match it.
    classes: Vec<(u64, u64)>,
    /// How many people match two classes or more.
    of_several: u64,
    /// How many people match no class.
    of_none: u64,
}

/// Puts every class before every model.
fn judge(questions: &[ModelQuestion], found: &MatchedClasses, labels: &[LabelsOfValues], verdict: &mut Verdict) {
    let none = SensitiveAttribute::default();
    let all = found.classes.len();
    for question in questions {
        let keeps = question.asks.bind(&none);
        let fails =
            |&&(size, matching): &&(u64, u64)| !keeps(&ClassCounts { size, values: &[], holdings: None, matching });
        let classes_failing = found.classes.iter().filter(fails).count() as u64;
        let mut faults = Vec::new();
        if classes_failing > 0 {
            faults.push(format!("{} does not hold in {classes_failing} of {all} classes", question.model));
        }
        let AsksOfRelease { at_most_one_class, everyone } = question.asks.asks_of_release();
        if at_most_one_class && (found.of_several > 0 || labels.iter().any(LabelsOfValues::overlap)) {
            let why = "published labels overlap, so that a person may be in several classes";
            faults.push(format!("{}: {why}", question.model));
        }
        if everyone && found.of_none > 0 {
            let people = found.of_none;
            faults.push(format!("{}: {people} people of the population match no class", question.model));
        }
        verdict.models.push(ModelVerdict {
            model: question.model.to_string(),
            sensitive: None,
            holds: faults.is_empty(),
            classes_failing,
            promise: question.asks.promise(""),
        });
        verdict.faults.extend(faults.into_iter().map(|message| Fault::new(FaultKind::Promise, message)));
    }
    let lacking = found.classes.iter().filter(|(rows, people)| people < rows).count();
    if lacking > 0 {
        verdict.notes.push(format!(
            "{lacking} of {all} classes have more rows than people of the population who surely match them: the \
             population is coarser than the table there, or lacks people of it"
        ));
    }
}

#[cfg(test)]
mod tests;
