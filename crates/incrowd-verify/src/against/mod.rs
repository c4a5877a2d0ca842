//! Is the release true? Every published row must stand for a row of the original, and no row may stand for two.
//!
//! A release is shuffled, so nobody can say which published row came from which row. What can be said is whether an
//! assignment exists: original rows to published rows, so that every generalized cell contains the original value and
//! every retained cell equals it. Rows with equal retained cells are matched by themselves; what no published row took
//! is what was withheld.

mod contain;
pub(crate) mod flow;
mod hierarchy;
mod interval;
mod matching;
mod sets;
pub(crate) mod spellings;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::count::Counter;
use crate::manifest::is_within;
use crate::manifest::{ColumnEntry, Format, Labels, Manifest, Role, Technique};
use crate::read::Texts;
use crate::read::instants;
use crate::read::{Bounds, FileColumn, ReadError, Rows, TableFile, Watch};
use crate::read::{Encoder, Reading};
use crate::verdict::{Fault, FaultKind, Verdict, VerifyError};
use crate::verify::{Options, Release};

use contain::Containment;
use matching::Side;

/// The original table, read by the verifier itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Against {
    /// Where it is.
    pub path: PathBuf,
    /// How it is written.
    pub format: Format,
    /// What separates the cells of a CSV file.
    pub delimiter: u8,
    /// Whether the first line of a CSV file names the columns. Otherwise they are column_1, column_2 and so on.
    pub header: bool,
    /// Texts that mean a missing value, besides no text at all.
    pub nulls: Vec<String>,
    /// By column, spellings of the original that the release publishes as another one.
    pub spellings: BTreeMap<String, BTreeMap<String, String>>,
    /// For each column that writes its dates in a form of its own, that form in `strftime` letters.
    pub date_formats: BTreeMap<String, String>,
    /// For each column that has one, the file that says what its labels stand for.
    pub hierarchies: BTreeMap<String, PathBuf>,
}

/// Adds a fault for rows that were lost or invented, and for rows that are not true.
pub(crate) fn check(
    release: &Release<'_>,
    original: &Against,
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<(), VerifyError> {
    spellings::check(&original.spellings)?;
    verdict.notes.extend(spellings::notes(&original.spellings));
    let names = release.columns();
    let (format, delimiter) = (original.format, original.delimiter);
    let bounds = Bounds::new(options.memory);
    let (path, header) = (&original.path, original.header);
    let table = TableFile { path, format, delimiter, escaped: false, header, bounds };
    let columns = table.columns().map_err(unread)?;
    let place = |name: &str| columns.iter().position(|column| column.name.trim() == name);
    if let Some(name) = names.iter().find(|name| place(name).is_none()) {
        let message = format!("the original has no column {name}");
        verdict.faults.push(Fault::new(FaultKind::Columns, message));
        return Ok(());
    }
    let wanted: Vec<usize> = names.iter().filter_map(|name| place(name)).collect();
    let mut readings = readings(release, original, &columns, &wanted);

    let watch = Watch::new(options.cancel, options.progress, release.manifest.source_rows.most());
    // Cells that are published unchanged keep the time of day, also at midnight.
    let published = release.manifest.columns.iter().filter(|column| column.is_published());
    for ((reading, &at), column) in readings.iter_mut().zip(&wanted).zip(published) {
        let is_quasi = column.role == Role::QuasiIdentifier;
        reading.days = is_quasi && are_days(&table, &columns, at, &watch).map_err(unread)?;
    }
    // Only cells of the original are read in another spelling or form of dates: what is published has to be in the right one.
    // Generalized cells are published in one form of dates, whatever the original's; others stand as they were.
    let entries = release.manifest.columns.iter().filter(|column| column.is_published());
    let encoder = |(reading, column): (&Reading, &ColumnEntry)| {
        let spellings = original.spellings.get(&column.name).cloned().unwrap_or_default();
        let dates = original.date_formats.get(&column.name);
        let dates = dates.filter(|_| column.role == Role::QuasiIdentifier).cloned();
        Encoder::new(Texts::default(), Reading { spellings, dates, ..reading.clone() })
    };
    let mut originals = Counter::new(readings.iter().zip(entries).map(encoder).collect(), wanted.len());
    table.count(&wanted, &mut originals, &watch).map_err(unread)?;
    row_counts(release.manifest, originals.rows(), verdict);

    // The release is read with the texts of the original, so that equal texts have equal codes.
    let texts = originals.encoders.iter_mut().map(|encoder| std::mem::take(&mut encoder.texts));
    let encoders = texts.zip(readings).map(|(texts, reading)| Encoder::new(texts, reading)).collect();
    let mut published = Counter::new(encoders, wanted.len());
    let watch = Watch::new(options.cancel, options.progress, release.manifest.rows);
    let all: Vec<usize> = (0..wanted.len()).collect();
    // Why a file cannot be read was told when the classes were judged.
    let mut told = Verdict::default();
    if !release.count(&all, &mut published, &watch, &mut told)? {
        return Ok(());
    }
    let retained: Vec<bool> = release
        .manifest
        .columns
        .iter()
        .filter(|column| column.is_published())
        .map(|column| column.technique == Technique::Retained)
        .collect();
    let published_columns = release.manifest.columns.iter().filter(|column| column.is_published());
    let described: Vec<bool> = published_columns.map(|column| column.labels == Some(Labels::SelfDescribing)).collect();
    let (before, after) = (Side::new(&originals, &retained), Side::new(&published, &retained));
    let generalized = (0..names.len()).filter(|column| !retained[*column]);
    let containments = generalized
        .zip(before.generalized())
        .map(|(column, at)| {
            let hierarchy = original.hierarchies.get(names[column]);
            let hierarchy = hierarchy.map(|path| hierarchy::Hierarchy::read(path, options.memory)).transpose()?;
            let texts = &published.encoders[column].texts;
            let (values, labels) = (before.codes_at(at), after.codes_at(at));
            let contained = Containment::new(texts, &values, &labels, hierarchy.as_ref());
            // What the manifest says of the labels must be true to those who have no hierarchy.
            let declared = described[column] && hierarchy.is_some();
            Ok(if declared { contained.and(&Containment::new(texts, &values, &labels, None)) } else { contained })
        })
        .collect::<Result<Vec<_>, VerifyError>>()?;
    let unmatched =
        matching::unmatched(&before, &after, &containments, &|| watch.is_cancelled()).ok_or(VerifyError::Cancelled)?;
    if unmatched > 0 {
        let message =
            format!("{unmatched} of {} published rows cannot stand for any row of the original", published.rows());
        verdict.faults.push(Fault::new(FaultKind::Untruthful, message));
    }
    Ok(())
}

/// Adds a fault when the manifest tells another number of rows than the original has, or when more were withheld than the
/// policy allows: the original says exactly what the manifest may tell coarsely.
pub(crate) fn row_counts(manifest: &Manifest, rows: u64, verdict: &mut Verdict) {
    let said = manifest.source_rows;
    if !said.contains(rows) {
        let message = format!("the original has {rows} rows, the manifest says {said}: rows were lost or invented");
        verdict.faults.push(Fault::new(FaultKind::LostOrInvented, message));
        return;
    }
    let (withheld, share) = (rows.saturating_sub(manifest.rows), manifest.policy.suppression);
    if said.exact().is_none() && !is_within(withheld, share, rows) {
        let message = format!("{withheld} of {rows} rows were withheld, the policy allows a share of {share}");
        verdict.faults.push(Fault::new(FaultKind::Suppression, message));
    }
}

/// How cells are read on both sides: a number that one side stores as such has one text on both.
fn readings(release: &Release<'_>, original: &Against, columns: &[FileColumn], wanted: &[usize]) -> Vec<Reading> {
    let mut as_float: Vec<bool> = wanted.iter().map(|&at| columns[at].is_float).collect();
    for (path, file) in release.paths() {
        let table = release.table(&path, file);
        for (as_float, column) in as_float.iter_mut().zip(table.columns().unwrap_or_default()) {
            *as_float |= column.is_float;
        }
    }
    as_float.into_iter().map(|as_float| reading(original, as_float)).collect()
}

/// Whether a column of the original has instants that are all midnight: then they are published as days.
pub(crate) fn are_days(
    table: &TableFile<'_>,
    columns: &[FileColumn],
    at: usize,
    watch: &Watch<'_>,
) -> Result<bool, ReadError> {
    if !columns[at].is_instant {
        return Ok(false);
    }
    let mut counter = Counter::new(vec![Encoder::new(Texts::default(), Reading::default())], 1);
    table.count(&[at], &mut counter, watch)?;
    let (texts, mut days) = (&counter.encoders[0].texts, true);
    counter.each(|codes, _| days &= texts.text(codes[0]).is_none_or(|text| instants::day(text) != &**text));
    Ok(days)
}

/// How cells of one column are read on both sides.
pub(crate) fn reading(original: &Against, as_float: bool) -> Reading {
    Reading { nulls: original.nulls.clone(), empty_is_missing: true, as_float, ..Reading::default() }
}

pub(crate) fn unread(error: ReadError) -> VerifyError {
    match error {
        ReadError::Cancelled => VerifyError::Cancelled,
        ReadError::Unreadable(why) => VerifyError::Original(format!("the original: {why}")),
    }
}
