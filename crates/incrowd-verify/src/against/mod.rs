//! Is the release true? Every published row must stand for a row of the original, and no row may stand for two.
//!
//! A release is shuffled, so no one can say which published row came from which row. What can be said is whether an
//! assignment exists: original rows to published rows, so that every generalized cell contains the original value and
//! every retained cell equals it, and every treated cell is what its treatment makes of it. Rows with equal retained cells are matched independently of all others; what no
//! published row took is what was suppressed.

pub(crate) mod contain;
mod drawn_rows;
pub(crate) mod flow;
pub(crate) mod hierarchy;
mod interval;
mod matching;
mod original;
mod sets;
mod spellings;

use crate::count::Counter;
use crate::manifest::{ColumnEntry, Labels, Manifest, Role, Technique, is_within};
use crate::options::{Against, Options};
use crate::read::{CellEncoder, FileColumn, ReadProgress, RowSink};
use crate::release::Release;
use crate::treatments::ColumnTreatment;
use crate::verdict::{Fault, FaultKind, Verdict, VerifyError};

use contain::Containment;
use hierarchy::Hierarchy;
use matching::TupleSide;
pub(crate) use original::{OriginalTable, unread};

/// Adds a fault for rows that were lost or invented, and for rows that are not true.
pub(crate) fn check(
    release: &Release<'_>,
    original: &Against,
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<(), VerifyError> {
    let Some(mut table) = OriginalTable::open(original, release.columns(), options, verdict)? else { return Ok(()) };
    let in_files: Vec<FileColumn> =
        release.paths().flat_map(|(path, file)| release.table(&path, file).columns().unwrap_or_default()).collect();
    let progress = ReadProgress::new(options.cancel, options.progress, release.manifest.source_rows.most());
    let rules = table.rules(&in_files, &progress)?;
    table.find_means(&rules, &progress)?;
    verdict.notes.extend(table.notes());
    // Generalized cells are published in one form of dates and numbers, whatever the original's, and so are treated
    // ones; others stand as they were.
    let is_in_one_form = |column: &ColumnEntry| ColumnTreatment::of(column).is_some_and(|one| one.is_in_one_form());
    let encoders = table.encoders(&rules, |column| column.role == Role::QuasiIdentifier || is_in_one_form(column));
    let mut originals = table.count(encoders, release.manifest.subject(), &progress)?;
    row_counts(release.manifest, originals.rows(), verdict);

    // The release is read with the texts of the original, so that equal texts have equal codes.
    let texts = originals.encoders.iter_mut().map(|encoder| std::mem::take(&mut encoder.texts));
    let encoders = texts.zip(rules).map(|(texts, rules)| CellEncoder::new(texts, rules)).collect();
    let mut published = Counter::new(encoders, table.wanted.len());
    let progress = ReadProgress::new(options.cancel, options.progress, release.manifest.rows);
    let all: Vec<usize> = (0..table.wanted.len()).collect();
    if !release.count(&all, &mut published, &progress, verdict)? {
        return Ok(());
    }
    let unmatched = unmatched(release, original, options, [&originals, &published], &|| progress.is_cancelled())?;
    if unmatched > 0 {
        let message =
            format!("{unmatched} of {} published rows cannot be matched with rows of the original", published.rows());
        verdict.faults.push(Fault::new(FaultKind::Untruthful, message));
    }
    Ok(())
}

/// How many published rows no original row is left for, at the least.
fn unmatched(
    release: &Release<'_>,
    original: &Against,
    options: &Options<'_>,
    [originals, published]: [&Counter; 2],
    stop: &dyn Fn() -> bool,
) -> Result<u64, VerifyError> {
    let columns = release.columns();
    // The original is read as its treatment writes it, so treated cells have to be equal, too.
    let is_retained = |technique| matches!(technique, Technique::Retained | Technique::Treated);
    let retained: Vec<bool> = columns.iter().map(|column| is_retained(column.technique)).collect();
    let (before, after) = (TupleSide::new(originals, &retained), TupleSide::new(published, &retained));
    let generalized = (0..columns.len()).filter(|column| !retained[*column]);
    let containments = generalized
        .zip(before.generalized())
        .map(|(column, at)| {
            let hierarchy = original.hierarchies.get(&columns[column].name);
            let hierarchy = hierarchy.map(|path| Hierarchy::read(path, options.memory)).transpose()?;
            let texts = &published.encoders[column].texts;
            let (values, labels) = (before.codes_at(at), after.codes_at(at));
            let contained = Containment::new(texts, &values, &labels, hierarchy.as_ref());
            // What the manifest says of the labels must be true to those who have no hierarchy.
            let declared = columns[column].labels == Some(Labels::SelfDescribing) && hierarchy.is_some();
            Ok(if declared { contained.and(&Containment::new(texts, &values, &labels, None)) } else { contained })
        })
        .collect::<Result<Vec<_>, VerifyError>>()?;
    matching::unmatched(&before, &after, &containments, stop).ok_or(VerifyError::Cancelled)
}

/// Adds a fault when the manifest tells another number of rows than the original has, or when more were suppressed than
/// the policy allows: the original says exactly what the manifest may tell coarsely.
pub(crate) fn row_counts(manifest: &Manifest, rows: u64, verdict: &mut Verdict) {
    let said = manifest.source_rows;
    if !said.contains(rows) {
        let message = format!("the original has {rows} rows, but the manifest says {said}: rows were lost or added");
        verdict.faults.push(Fault::new(FaultKind::LostOrInvented, message));
        return;
    }
    let (withheld, share) = (rows.saturating_sub(manifest.rows), manifest.policy.suppression);
    if said.exact().is_none() && !is_within(withheld, share, rows) {
        let message = format!("{withheld} of {rows} rows were suppressed, but the policy allows a share of {share}");
        verdict.faults.push(Fault::new(FaultKind::Suppression, message));
    }
}
