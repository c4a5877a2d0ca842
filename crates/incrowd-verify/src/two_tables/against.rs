//! The two tables beside the original: are their rows true, and does an order or an id give them away?

use crate::against::{OriginalTable, row_counts, unread};
use crate::count::ClassKeys;
use crate::manifest::ColumnEntry;
use crate::options::{Against, Options};
use crate::read::{CellEncoder, FileColumn, ReadProgress, RowSink};
use crate::verdict::{Verdict, VerifyError};

use super::order::OrderSearch;
use super::rows_in_order::RowsInOrder;
use super::truth::TwoTableTruth;
use super::{TwoTableFiles, ids, sizes};

/// Adds a fault for rows that were lost or invented, for rows that are not true, and for what follows the original's
/// order.
pub(super) fn check(
    tables: &TwoTableFiles<'_>,
    original: &Against,
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<(), VerifyError> {
    let columns: Vec<&ColumnEntry> = tables.first.columns.iter().chain(&tables.second.columns).copied().collect();
    let Some(table) = OriginalTable::open(original, columns, options, verdict)? else { return Ok(()) };
    let files = [&tables.first, &tables.second].map(|table| tables.release.columns_of(table.file).unwrap_or_default());
    let in_files: Vec<FileColumn> = files.into_iter().flatten().collect();
    let manifest = tables.release.manifest;
    let progress = ReadProgress::new(options.cancel, options.progress, manifest.source_rows.most());
    let rules = table.rules(&in_files, &progress)?;
    // All cells are published as they were, dates included.
    let encoders = table.encoders(&rules, |_| false);
    let widths = [tables.first.columns.len(), tables.second.columns.len()];
    let mut whole = RowsInOrder::new(encoders, widths.map(ClassKeys::new).into());
    table.table.read(&table.wanted, &mut whole, &progress).map_err(unread)?;
    row_counts(manifest, whole.rows(), verdict);

    // The tables go on with the texts and combinations of the original, so that equal ones have equal numbers.
    let mut encoders: Vec<CellEncoder> =
        whole.encoders.into_iter().zip(rules).map(|(old, rules)| CellEncoder::new(old.texts, rules)).collect();
    let of_second = encoders.split_off(widths[0]);
    let [of_rows_first, of_rows_second] = [0, 1].map(|group| std::mem::take(&mut whole.groups[group].rows));
    let mut keys = whole.groups.into_iter().map(|group| group.keys);
    let (Some(first), Some(second)) = (keys.next(), keys.next()) else { return Ok(()) };
    let Some(read) = tables.read([(encoders, first), (of_second, second)], options, verdict)? else { return Ok(()) };

    let codes = [read.first.first_column(), read.second.first_column()];
    let rows: [&[u32]; 2] = [&read.first.groups[1].rows, &read.second.groups[1].rows];
    let originals: [&[u32]; 2] = [&of_rows_first, &of_rows_second];
    let truth = TwoTableTruth {
        names: tables.names(),
        classes: [&codes[0], &codes[1]],
        tables: rows,
        originals,
        stop: &|| progress.is_cancelled(),
    };
    verdict.faults.extend(truth.faults().ok_or(VerifyError::Cancelled)?);
    let texts = &read.second.encoders[0].texts;
    let sizes = sizes(&codes, texts.codes());
    if let Some(ids) = ids(codes, &sizes, texts, verdict).filter(|ids| ids.classes > 0) {
        let mut search = OrderSearch::new(tables.quasi_identifiers());
        ids.search_original(tables.names(), rows, originals, &mut search);
        search.tell(verdict);
    }
    Ok(())
}
