//! The two tables beside the original: are their rows true, and does an order or an id give them away?

use crate::against::{Against, are_days, reading, row_counts, spellings, unread};
use crate::count::Keys;
use crate::manifest::{ColumnEntry, Role};
use crate::read::Texts;
use crate::read::{Bounds, FileColumn, Rows, TableFile, Watch};
use crate::read::{Encoder, Reading};
use crate::verdict::{Fault, FaultKind, Verdict, VerifyError};
use crate::verify::Options;

use super::order::Search;
use super::ordered::Ordered;
use super::truth::Truth;
use super::{Tables, ids, sizes};

/// Adds a fault for rows that were lost or invented, for rows that are not true, and for what follows the original's
/// order.
pub(super) fn check(
    tables: &Tables<'_>,
    original: &Against,
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<(), VerifyError> {
    spellings::check(&original.spellings)?;
    verdict.notes.extend(spellings::notes(&original.spellings));
    let (format, delimiter) = (original.format, original.delimiter);
    let bounds = Bounds::new(options.memory);
    let (path, header) = (&original.path, original.header);
    let table = TableFile { path, format, delimiter, escaped: false, header, bounds };
    let theirs = table.columns().map_err(unread)?;
    let place = |name: &str| theirs.iter().position(|column| column.name.trim() == name);
    let columns: Vec<&ColumnEntry> = tables.first.columns.iter().chain(&tables.second.columns).copied().collect();
    if let Some(column) = columns.iter().find(|column| place(&column.name).is_none()) {
        let message = format!("the original has no column {}", column.name);
        verdict.faults.push(Fault::new(FaultKind::Columns, message));
        return Ok(());
    }
    let wanted: Vec<usize> = columns.iter().filter_map(|column| place(&column.name)).collect();
    let mut readings = readings(tables, original, &theirs, &columns, &wanted);

    let manifest = tables.release.manifest;
    let watch = Watch::new(options.cancel, options.progress, manifest.source_rows.most());
    for ((reading, &at), column) in readings.iter_mut().zip(&wanted).zip(&columns) {
        let is_quasi = column.role == Role::QuasiIdentifier;
        reading.days = is_quasi && are_days(&table, &theirs, at, &watch).map_err(unread)?;
    }
    // Only cells of the original are read in another spelling: what is published has to be in the right one.
    let encoder = |(reading, column): (&Reading, &&ColumnEntry)| {
        let spellings = original.spellings.get(&column.name).cloned().unwrap_or_default();
        Encoder::new(Texts::default(), Reading { spellings, ..reading.clone() })
    };
    let encoders = readings.iter().zip(&columns).map(encoder).collect();
    let widths = [tables.first.columns.len(), tables.second.columns.len()];
    let mut whole = Ordered::new(encoders, widths.map(Keys::new).into());
    table.read(&wanted, &mut whole, &watch).map_err(unread)?;
    row_counts(manifest, whole.rows(), verdict);

    // The tables go on with the texts and combinations of the original, so that equal ones have equal numbers.
    let mut encoders: Vec<Encoder> =
        whole.encoders.into_iter().zip(readings).map(|(old, reading)| Encoder::new(old.texts, reading)).collect();
    let of_second = encoders.split_off(widths[0]);
    let [of_rows_first, of_rows_second] = [0, 1].map(|group| std::mem::take(&mut whole.groups[group].rows));
    let mut keys = whole.groups.into_iter().map(|group| group.keys);
    let (Some(first), Some(second)) = (keys.next(), keys.next()) else { return Ok(()) };
    // Why a file cannot be read, and what is wrong with its ids, was told when the classes were judged.
    let mut told = Verdict::default();
    let Some(read) = tables.read([(encoders, first), (of_second, second)], options, &mut told)? else { return Ok(()) };

    let codes = [read.first.first_column(), read.second.first_column()];
    let rows: [&[u32]; 2] = [&read.first.groups[1].rows, &read.second.groups[1].rows];
    let originals: [&[u32]; 2] = [&of_rows_first, &of_rows_second];
    let truth = Truth {
        names: tables.names(),
        classes: [&codes[0], &codes[1]],
        tables: rows,
        originals,
        stop: &|| watch.is_cancelled(),
    };
    verdict.faults.extend(truth.faults().ok_or(VerifyError::Cancelled)?);
    let texts = &read.second.encoders[0].texts;
    let sizes = sizes(&codes, texts.codes());
    if let Some(ids) = ids(codes, &sizes, texts, &mut told).filter(|ids| ids.classes > 0) {
        let mut search = Search::new(tables.quasi_identifiers());
        ids.search_original(tables.names(), rows, originals, &mut search);
        search.tell(verdict);
    }
    Ok(())
}

/// How cells are read on both sides: a number that one side stores as such has one text on both.
fn readings(
    tables: &Tables<'_>,
    original: &Against,
    theirs: &[FileColumn],
    columns: &[&ColumnEntry],
    wanted: &[usize],
) -> Vec<Reading> {
    let files = [&tables.first, &tables.second].map(|table| tables.release.columns_of(table.file).unwrap_or_default());
    let published: Vec<&FileColumn> = files.iter().flatten().collect();
    let is_float = |(column, at): (&&ColumnEntry, &usize)| {
        theirs[*at].is_float || published.iter().any(|other| other.name == column.name && other.is_float)
    };
    columns.iter().zip(wanted).map(|pair| reading(original, is_float(pair))).collect()
}
