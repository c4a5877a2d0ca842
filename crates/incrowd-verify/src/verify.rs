//! The flow of a verification: manifest, files, classes, models, and the original if it is at hand.
//!
//! 1. The seal of the manifest is checked (`manifest`).
//! 2. Each rule of the policy becomes a question to a model; a rule that is not known here is a fault (`models`).
//! 3. The manifest must not contradict itself, and the files must be those it lists (`integrity`).
//! 4. The rows of the files are counted by class and every class is put before every model (`judge`, or `two_tables`
//!    for a release in two tables). The cells of treated columns must be such as their treatment writes (`treatments`).
//!    Where the manifest promises something about several rows of a person, these are compared (`linked_rows`).
//! 5. With the population, every class is also put before the models about it; without it, these are listed as not
//!    checked (`population`).
//! 6. With the original, every published row must be true (`against`).
//!
//! A release of several tables is one release after the other in this way, and then all of them together
//! (`linked_tables`).
//!
//! A fault does not end the work: a verdict lists everything that is wrong.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::integrity::{consistency, files};
use crate::judge::judge_files;
use crate::manifest::{Counts, Manifest, ManifestError, Role};
use crate::models::{ModelQuestion, RowsSay, questions};
use crate::options::Options;
use crate::read::ReadProgress;
use crate::release::Release;
use crate::verdict::{Fault, FaultKind, NotChecked, Verdict, VerifyError};
use crate::{against, linked_rows, linked_tables, population, treatments, two_tables};

/// Says whether the folder keeps what its manifest promises.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// use incrowd_verify::{FaultKind, Options, verify};
/// let verdict = verify(dir.path(), &Options::default())?;
/// assert!(!verdict.verified);
/// assert_eq!(verdict.faults[0].kind, FaultKind::NotARelease);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The folder or the original cannot be read, or the work was cancelled. What is wrong with a release is a fault in
/// the verdict.
pub fn verify(dir: &Path, options: &Options<'_>) -> Result<Verdict, VerifyError> {
    std::fs::read_dir(dir).map_err(VerifyError::Folder)?;
    let manifest = match Manifest::read(dir) {
        Ok(manifest) => manifest,
        Err(ManifestError::SeveralTables(_)) => {
            return linked_tables::verify(dir, options, |table| verify(table, options));
        }
        Err(error) => {
            let kind = match error {
                ManifestError::Missing => FaultKind::NotARelease,
                ManifestError::Seal => FaultKind::Seal,
                _ => FaultKind::Manifest,
            };
            return Ok(Verdict { faults: vec![Fault::new(kind, error.to_string())], ..Verdict::default() });
        }
    };
    let mut verdict = verify_staged(dir, &manifest, options)?;
    if !manifest.verified.holds {
        let message = "the manifest does not say that the release was verified before it was published";
        verdict.faults.push(Fault::new(FaultKind::Manifest, message));
    }
    if manifest.canaries.found > 0 {
        let message = format!("the manifest says that {} removed values occur in the files", manifest.canaries.found);
        verdict.faults.push(Fault::new(FaultKind::Canary, message));
    }
    verdict.verified = verdict.faults.is_empty();
    Ok(verdict)
}

/// What is wrong with the files of a release, by their names, lengths and checksums alone: nothing is counted or
/// judged. A verdict on the same bytes still stands when there is nothing.
///
/// # Errors
/// The folder cannot be read, or the work was cancelled.
pub fn files_are_whole(
    dir: &Path,
    manifest: &Manifest,
    cancel: Option<&AtomicBool>,
) -> Result<Vec<Fault>, VerifyError> {
    let mut faults = Vec::new();
    let stop = || cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed));
    files::check(dir, manifest, &stop, &mut faults)?;
    Ok(faults)
}

/// As [`verify`], for a folder whose manifest is not written yet.
///
/// # Errors
/// As for [`verify`].
pub fn verify_staged(dir: &Path, manifest: &Manifest, options: &Options<'_>) -> Result<Verdict, VerifyError> {
    let (mut questions, mut faults) = questions(&manifest.policy);
    faults.extend(consistency::check(manifest, &questions));
    let progress = ReadProgress::new(options.cancel, options.progress, manifest.rows);
    let files = files::check(dir, manifest, &|| progress.is_cancelled(), &mut faults)?;
    let release = Release::new(dir, manifest, files.readable, options.memory);
    let mut verdict = Verdict { faults, bytes: files.bytes, ..Verdict::default() };
    say_limits(manifest, options.against.is_some(), &mut questions, &mut verdict);
    let of_population: Vec<ModelQuestion> = questions.extract_if(.., |question| question.of_population).collect();
    if let Some(two) = &manifest.two_tables {
        two_tables::check(&release, two, &questions, options, &mut verdict)?;
    } else {
        judge_files(&release, &questions, options, &mut verdict)?;
        treatments::check(&release, options, &mut verdict)?;
        if let Some(original) = &options.against {
            against::check(&release, original, options, &mut verdict)?;
        }
    }
    linked_rows::check(&release, options, &mut verdict)?;
    population::check(&release, &of_population, options, &mut verdict)?;
    verdict.verified = verdict.faults.is_empty();
    Ok(verdict)
}

/// Says what published bytes cannot show, and leaves the questions that they can answer.
pub(crate) fn say_limits(
    manifest: &Manifest,
    has_original: bool,
    questions: &mut Vec<ModelQuestion>,
    verdict: &mut Verdict,
) {
    if manifest.counts == Counts::People {
        verdict.not_checked = not_checked(questions);
        let shows_people = manifest.columns.iter().any(|column| column.role == Role::Subject && column.is_published());
        verdict.notes.push(match (&manifest.policy.known_rows, shows_people) {
            (Some(_), _) => ONLY_SHARES.to_string(),
            (None, true) => PEOPLE_NOT_COUNTED.to_string(),
            (None, false) => ONLY_ROWS.to_string(),
        });
        questions.retain(|question| question.rows_say != RowsSay::Nothing);
    }
    if manifest.suppressed_rows.exact().is_none() && !has_original {
        let note = "the number of suppressed rows is given as a range: the limit of the policy was checked for its \
                    lower end, and can be checked exactly with the original";
        verdict.notes.push(note.to_string());
    }
}

/// What the bytes of a release that counts people cannot show.
const ONLY_ROWS: &str = "the published rows do not show whose they are, so people cannot be counted: k was checked \
                         for rows (a class has at least as many rows as people), and shares of people were not checked";

/// What is said of a release that publishes pseudonyms of its subject: rows are counted all the same.
const PEOPLE_NOT_COUNTED: &str = "people were not counted: k was checked for rows (a class has at least as many rows as \
                                  people), and shares of people were not checked";

/// What is said of a release that promises something about several rows of a person.
const ONLY_SHARES: &str = "people were compared by the rows of their pseudonyms; shares of people were not checked";

/// The promises about people that rows do not decide.
fn not_checked(questions: &[ModelQuestion]) -> Vec<NotChecked> {
    let of_people = questions.iter().filter(|question| question.rows_say != RowsSay::Values);
    let promise = |question: &ModelQuestion| NotChecked {
        model: question.model.to_string(),
        sensitive: question.sensitive.clone(),
        promise: question.asks.promise_of_people(question.of()),
    };
    of_people.map(promise).collect()
}

#[cfg(test)]
mod tests;
