//! What the manifest of a release says.

use std::io::ErrorKind;
use std::path::Path;

use incrowd_core::{Measures, Policy};
use incrowd_engine::{Applied, Format, TextDialect, WrittenFile};
use incrowd_verify::{Canaries, Counts, FileDialect, FileEntry, Manifest, Verified};
use serde::Serialize;

use super::columns::PublishedTables;
use super::prepare::Prepared;
use super::solve::SolveSummary;
use super::{Publish, two_tables};
use crate::error::{Error, Result};
use crate::release::{ExactCounts, MANIFEST, small_counts};

/// The manifest of a release whose rows are written, with exact counts and not verified.
pub(super) fn draft(
    run: &Prepared<'_>,
    summary: &SolveSummary,
    applied: &Applied,
    tables: &PublishedTables,
) -> Result<Manifest> {
    let options = run.options;
    let generalized = options.publish == Publish::OneTable;
    let loss = small_counts::loss(&summary.measures, &options.policy, applied.rows, applied.withheld);
    // A column whose published cells are all unchanged is retained, whatever was suppressed.
    let changed =
        |name: &str| generalized && loss.columns.iter().any(|column| column.name == name && column.unchanged < 1.0);
    Ok(Manifest {
        release: run.randomness.release_id(),
        created: now(),
        algorithm: summary.algorithm.id.into(),
        loss_minimized: run.loss.id.into(),
        policy: policy(&options.policy)?,
        counts: if options.declared.subject.is_some() { Counts::People } else { Counts::Rows },
        source_rows: summary.rows.into(),
        rows: applied.rows,
        suppressed_rows: applied.withheld.into(),
        classes: summary.classes,
        smallest_class: summary.smallest_class_rows,
        columns: run.columns.entries(options.publish, changed),
        two_tables: two_tables::entry(tables, applied),
        population: run.population.as_ref().map(|population| population.entry.clone()),
        files: applied.files.iter().map(file).collect(),
        loss: json(&loss)?,
        ..empty_manifest()
    })
}

/// The verifier's own form of a policy: the same words, read anew. One that it cannot read is refused, because a
/// release keeps every promise of an empty policy.
pub(super) fn policy(policy: &Policy) -> Result<incrowd_verify::Policy> {
    serde_json::from_value(json(policy)?).map_err(|_| unwritable())
}

fn json(value: &impl Serialize) -> Result<serde_json::Value> {
    serde_json::to_value(value).map_err(|_| unwritable())
}

/// The manifest cannot be written.
fn unwritable() -> Error {
    Error::file(Path::new(MANIFEST), &ErrorKind::Other.into())
}

/// The time, to the second.
pub(super) fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let time = chrono::DateTime::from_timestamp(since.as_secs().cast_signed(), 0).unwrap_or_default();
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

pub(super) fn verifier() -> String {
    format!("incrowd-verify {}", env!("CARGO_PKG_VERSION"))
}

/// The dialect of a text; nothing of the usual one.
fn dialect(dialect: &TextDialect) -> Option<FileDialect> {
    (*dialect != TextDialect::default()).then(|| FileDialect {
        delimiter: char::from(dialect.delimiter),
        encoding: dialect.encoding.map(|encoding| encoding.name().into()),
        decimal_comma: dialect.decimal_commas.clone(),
    })
}

/// The entry of a file.
pub(super) fn file(written: &WrittenFile) -> FileEntry {
    FileEntry {
        name: written.name.clone(),
        format: match written.format {
            Format::Csv => incrowd_verify::Format::Csv,
            Format::Parquet => incrowd_verify::Format::Parquet,
            Format::Arrow => incrowd_verify::Format::Arrow,
            Format::Xlsx => incrowd_verify::Format::Xlsx,
            Format::Dta => incrowd_verify::Format::Dta,
            Format::Sav => incrowd_verify::Format::Sav,
        },
        rows: written.rows,
        bytes: written.bytes,
        sha256: written.sha256.clone(),
        escaped: written.style.escape,
        dialect: dialect(&written.style.dialect),
    }
}

/// The figures of a verified release that its manifest is going to tell coarsely.
pub(super) fn exact(manifest: &Manifest, applied: &Applied, measures: &Measures) -> ExactCounts {
    ExactCounts {
        source_rows: applied.rows + applied.withheld,
        suppressed_rows: applied.withheld,
        canaries: manifest.canaries,
        loss: measures.clone(),
    }
}

pub(crate) fn empty_manifest() -> Manifest {
    Manifest {
        incrowd: 1,
        version: env!("CARGO_PKG_VERSION").into(),
        release: String::new(),
        created: String::new(),
        algorithm: String::new(),
        loss_minimized: String::new(),
        policy: incrowd_verify::Policy::default(),
        counts: Counts::Rows,
        source_rows: 0.into(),
        rows: 0,
        suppressed_rows: 0.into(),
        classes: 0,
        smallest_class: 0,
        columns: Vec::new(),
        files: Vec::new(),
        two_tables: None,
        population: None,
        delta: None,
        report: None,
        loss: serde_json::Value::Null,
        canaries: Canaries::default(),
        verified: Verified::default(),
        seal: String::new(),
    }
}
