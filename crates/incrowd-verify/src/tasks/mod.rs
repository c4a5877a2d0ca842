//! Verifying by many machines: each file is read by one of them, and each part of the classes is judged by one.
//!
//! ```text
//! count   a file: its checksum, its columns, its rows by class, removed values in its bytes      count_file
//! judge   a part of the classes: its counts from all files, put before the models               judge_part
//! end     what was found in all files and all parts is the verdict                               verdict
//! ```
//!
//! Nothing but the verifier's own code counts or judges, as on one machine. Which part a class belongs to is decided by
//! a hash of its published texts, so that all its rows are judged together. What is said in the end depends on all files
//! and all parts: one that is missing is a fault.

mod verdict;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::canary::{self, PlacesInFile};
use crate::count::{ClassPart, ClassParts, Counter};
use crate::integrity::files;
use crate::judge::JudgedColumns;
use crate::manifest::Manifest;
use crate::models::{ModelQuestion, questions};
use crate::read::{ReadProgress, RowSink, TableFile};
use crate::release::Release;
use crate::verdict::{Fault, ModelVerdict, Verdict, VerifyError};
use crate::verify::say_limits;

pub use verdict::verdict;

/// Whether a release can be verified in this way: in one table, without a population, without treated columns, and
/// without promises about several rows of a person.
pub fn applies(manifest: &Manifest) -> bool {
    let is_treated = manifest.columns.iter().any(|column| column.treatment.is_some());
    manifest.two_tables.is_none()
        && manifest.population.is_none()
        && manifest.policy.known_rows.is_none()
        && !is_treated
}

/// What was found in one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CountedFile {
    faults: Vec<Fault>,
    bytes: u64,
    rows: u64,
    /// Whether it could be read as the manifest describes it.
    whole: bool,
    /// For each sensitive column, the rows of each value; nothing is a missing value.
    values: Vec<Vec<(Option<String>, u64)>>,
    removed: PlacesInFile,
}

/// How many rows of the whole release have each value, for each sensitive column.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WholeValues(Vec<Vec<(Option<String>, u64)>>);

/// What was found in one part of the classes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JudgedPart {
    classes: u64,
    smallest_class: u64,
    rows: u64,
    models: Vec<ModelVerdict>,
    notes: Vec<String>,
}

/// What is asked of the classes.
fn asked(manifest: &Manifest) -> Vec<ModelQuestion> {
    let mut questions = questions(&manifest.policy).0;
    say_limits(manifest, false, &mut questions, &mut Verdict::default());
    questions
}

/// Reads one file of a release, by its place in the manifest, and tells the classes of each of `parts` parts as bytes.
/// The salt is any, the same for all files.
///
/// # Errors
/// The file cannot be read, or the work was cancelled. What is wrong with it is a fault.
pub fn count_file(
    dir: &Path,
    (manifest, file): (&Manifest, usize),
    canaries: &[Vec<u8>],
    (parts, salt): (usize, &[u8]),
    cancel: Option<&AtomicBool>,
) -> Result<(CountedFile, Vec<Vec<u8>>), VerifyError> {
    let entry = manifest.files.get(file).ok_or(VerifyError::Folder(std::io::ErrorKind::NotFound.into()))?;
    let progress = ReadProgress::new(cancel, None, entry.rows);
    let mut verdict = Verdict::default();
    let bytes = files::check_data(dir, entry, &|| progress.is_cancelled(), &mut verdict.faults)?;
    let questions = asked(manifest);
    let columns = JudgedColumns::new(manifest, &questions);
    // All classes are one part, whose counter also counts the values of all rows.
    let parts_here = ClassParts::new(manifest, columns.of_class, columns.sensitive.len(), None);
    let part = ClassPart::new(parts_here, 0, columns.of_class, &Arc::new(ahash::RandomState::new()));
    let mut counter = columns.counter().of(part);
    let (mut whole, mut removed) = (false, PlacesInFile::default());
    if bytes.is_some() {
        let release = Release::new(dir, manifest, vec![entry], None);
        let names: Vec<&str> = release.columns().into_iter().map(|column| column.name.as_str()).collect();
        let read = |table: &TableFile<'_>, counter: &mut Counter| table.count(&columns.wanted, counter, &progress);
        whole = release.read_file(entry, &names, &mut counter, read, &mut verdict)?;
        removed = if whole { canary::scan_one(dir, entry, canaries)? } else { removed };
    }
    let (rows, values) = (counter.rows(), values_of(&mut counter, columns.of_class));
    let counted = CountedFile { faults: verdict.faults, bytes: bytes.unwrap_or(0), rows, whole, values, removed };
    Ok((counted, counter.cut(parts.max(1), salt)))
}

/// The rows of each value of the sensitive columns.
fn values_of(counter: &mut Counter, of_class: usize) -> Vec<Vec<(Option<String>, u64)>> {
    let whole = counter.whole_values();
    let columns = counter.encoders[of_class..].iter().zip(whole);
    let named = |(encoder, rows): (&crate::read::CellEncoder, Vec<u64>)| {
        let labels = encoder.texts.labels().into_iter().zip(rows);
        labels.filter(|(_, rows)| *rows > 0).map(|(label, rows)| (label.map(|label| label.to_string()), rows)).collect()
    };
    columns.map(named).collect()
}

impl WholeValues {
    /// What was found in all files together.
    pub fn of(files: &[CountedFile]) -> WholeValues {
        let columns = files.iter().map(|file| file.values.len()).max().unwrap_or(0);
        let of_column = |column: usize| {
            let mut sums = std::collections::BTreeMap::new();
            for (label, rows) in files.iter().filter_map(|file| file.values.get(column)).flatten() {
                *sums.entry(label.clone()).or_insert(0) += rows;
            }
            sums.into_iter().collect()
        };
        WholeValues((0..columns).map(of_column).collect())
    }
}

/// Judges a part of the classes by its counts from all files.
///
/// # Errors
/// The bytes are not counts.
pub fn judge_part<B: AsRef<[u8]>>(
    manifest: &Manifest,
    whole: &WholeValues,
    counts: impl Iterator<Item = Result<B, VerifyError>>,
) -> Result<JudgedPart, VerifyError> {
    let questions = asked(manifest);
    let columns = JudgedColumns::new(manifest, &questions);
    let mut counter = columns.counter();
    // The values of the whole release come first, so that their codes are the places of their rows.
    let mut rows_of = Vec::with_capacity(whole.0.len());
    for (encoder, values) in counter.encoders()[columns.of_class..].iter_mut().zip(&whole.0) {
        let mut rows = vec![0; values.len() + 1];
        for (label, count) in values {
            let code = label.as_ref().map_or(crate::read::MISSING, |label| encoder.texts.intern(label));
            rows[code as usize] += count;
        }
        rows.truncate(encoder.texts.codes());
        rows_of.push(rows);
    }
    let damaged = |_| VerifyError::Folder(std::io::ErrorKind::InvalidData.into());
    for bytes in counts {
        counter.add_bytes(bytes?.as_ref()).map_err(damaged)?;
    }
    let classes = counter.sizes.len() as u64;
    let (rows, smallest_class) = (counter.sizes.iter().sum(), counter.sizes.iter().copied().min().unwrap_or(0));
    let judged = columns.counted_with(counter, rows_of).judge(&questions);
    Ok(JudgedPart { classes, smallest_class, rows, models: judged.models, notes: judged.notes })
}

#[cfg(test)]
mod tests;
