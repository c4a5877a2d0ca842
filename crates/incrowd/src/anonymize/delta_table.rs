//! A release that is a Delta table, too: the Parquet files with a log of one version.

use std::path::Path;

use chrono::DateTime;
use incrowd_core::Role;
use incrowd_engine::{Applied, DeltaReleaseFault, EngineError, Source, delta_log};
use incrowd_verify::{ColumnEntry, DeltaEntry, Manifest};

use super::Publish;
use super::columns::Columns;
use crate::error::Result;
use crate::release::{Destination, Remote, remote};

/// Refuses, before a row is read, what cannot be a Delta table.
pub(super) fn check(source: &Source, publish: Publish, columns: &Columns) -> Result<()> {
    if publish == Publish::TwoTables {
        return Err(EngineError::NotDelta(DeltaReleaseFault::TwoTables).into());
    }
    let unchanged: Vec<String> =
        [Role::Sensitive, Role::Insensitive, Role::Weight].iter().flat_map(|&role| columns.untreated(role)).collect();
    let published = columns.entries(publish, |_| true).into_iter().filter(ColumnEntry::is_published);
    let published: Vec<String> = published.map(|entry| entry.name).collect();
    Ok(source.check_delta(&unchanged, &published)?)
}

/// Refuses a Delta table in a database.
pub(super) fn refuse_database(delta: bool, target: &Path) -> Result<()> {
    match remote(target) {
        Some(Remote::Database(_)) if delta => Err(EngineError::NotDelta(DeltaReleaseFault::Database).into()),
        _ => Ok(()),
    }
}

/// Writes the log of the written files, and names it in the manifest.
pub(super) fn write(manifest: &mut Manifest, applied: &Applied, destination: &mut Destination) -> Result<()> {
    let created = DateTime::parse_from_rfc3339(&manifest.created).map_or(0, |time| time.timestamp_millis());
    let log = delta_log(&destination.public(), &applied.files, &manifest.release, created)?;
    destination.add_delta_log(&log)?;
    manifest.delta = Some(DeltaEntry::of(&log));
    Ok(())
}
