//! Several tables of the same people: do at least k pseudonyms have the same published rows in all of them?
//!
//! Each table is a release and is verified as one. The pseudonyms are the same in all tables, so the rows of a person are
//! those with one pseudonym in any table. A *look* is a table with what a row of it publishes in all quasi-identifiers. Two
//! pseudonyms are alike when each look is in the same number of their rows, where m rows or more count as m, if the manifest
//! is about an attacker who knows up to m rows of each table. Each pseudonym must be alike to at least k, itself included.
//!
//! This suffices, as for one table (`linked_rows`): of the known rows of a table, at most m have one look, so every alike
//! pseudonym has all of them, in every table.
//!
//! The manifest over the tables names them by the seals of their manifests. A folder that has another table, or lacks
//! one, is not accepted.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::integrity::files::{self, is_plain};
use crate::linked_rows::{LinkedRows, LinkedRowsSink, ROW_BYTES, read_rows, wanted_columns};
use crate::manifest::{MANIFEST, Manifest, ManifestError, TablesManifest};
use crate::options::Options;
use crate::release::Release;
use crate::verdict::{Fault, FaultKind, ModelVerdict, NotChecked, TableVerdict, Verdict, VerifyError};

/// The name of the promise in a verdict.
const NAME: &str = "linked-tables";

/// Verifies a release of several tables: each of them by `verify_table`, and then people by all of their rows.
pub(crate) fn verify(
    dir: &Path,
    options: &Options<'_>,
    verify_table: impl Fn(&Path) -> Result<Verdict, VerifyError>,
) -> Result<Verdict, VerifyError> {
    let manifest = match TablesManifest::read(dir) {
        Ok(manifest) => manifest,
        Err(error) => {
            let kind = if matches!(error, ManifestError::Seal) { FaultKind::Seal } else { FaultKind::Manifest };
            return Ok(Verdict { faults: vec![Fault::new(kind, error.to_string())], ..Verdict::default() });
        }
    };
    let mut verdict =
        Verdict { faults: folder_faults(dir, &manifest)?, smallest_class: u64::MAX, ..Verdict::default() };
    if !manifest.verified.holds {
        let message = "the manifest does not say that the tables were verified together before they were published";
        verdict.faults.push(Fault::new(FaultKind::Manifest, message));
    }
    for entry in manifest.tables.iter().filter(|entry| is_folder(dir, &entry.name)) {
        let table = verify_table(&dir.join(&entry.name))?;
        verdict.faults.extend(table.faults.iter().map(|fault| of_table(&entry.name, fault)));
        verdict.rows += table.rows;
        verdict.classes += table.classes;
        verdict.bytes += table.bytes;
        verdict.smallest_class = verdict.smallest_class.min(table.smallest_class);
        verdict.tables.push(TableVerdict { name: entry.name.clone(), verdict: table });
    }
    if verdict.faults.is_empty() {
        let links = verify_links(dir, &manifest, options)?;
        verdict.models = links.models;
        verdict.not_checked = links.not_checked;
        verdict.faults = links.faults;
    } else {
        verdict.notes.push("people were not compared by their rows in all tables, because of these faults".into());
    }
    if verdict.tables.is_empty() {
        verdict.smallest_class = 0;
    }
    verdict.verified = verdict.faults.is_empty();
    Ok(verdict)
}

/// Compares people by their rows in all tables, and nothing else: the tables were verified before.
///
/// # Errors
/// The folder cannot be read, or the work was cancelled.
pub fn verify_links(dir: &Path, manifest: &TablesManifest, options: &Options<'_>) -> Result<Verdict, VerifyError> {
    let mut verdict = Verdict { faults: folder_faults(dir, manifest)?, ..Verdict::default() };
    let asked = match LinkedRows::of(&manifest.policy) {
        Ok(Some(asked)) => asked,
        Ok(None) => {
            let message = "the manifest promises nothing about people by their rows in all tables";
            verdict.faults.push(Fault::new(FaultKind::Policy, message));
            return Ok(verdict);
        }
        Err(fault) => {
            verdict.faults.push(fault);
            return Ok(verdict);
        }
    };
    let manifests: Vec<(&str, Manifest)> = manifest
        .tables
        .iter()
        .filter_map(|entry| Some((entry.name.as_str(), Manifest::read(&dir.join(&entry.name)).ok()?)))
        .collect();
    // What cannot be read is among the faults of the folder.
    if !verdict.faults.is_empty() {
        return Ok(verdict);
    }
    let rows: u64 = manifests.iter().map(|(_, table)| table.rows).sum();
    if options.memory.is_some_and(|memory| rows.saturating_mul(ROW_BYTES) > memory) {
        verdict.not_checked.push(NotChecked { model: NAME.into(), sensitive: None, promise: promise(&asked) });
    } else if let Some(rows) = linked_rows(dir, &manifests, options, &mut verdict)? {
        let (failing, people) = asked.failing(rows);
        let promise = promise(&asked);
        let model =
            ModelVerdict { model: NAME.into(), sensitive: None, holds: failing == 0, classes_failing: 0, promise };
        verdict.models.push(model);
        if failing > 0 {
            let message =
                format!("{NAME}: {failing} of {people} people have the same rows in all tables as fewer than k people");
            verdict.faults.push(Fault::new(FaultKind::Promise, message));
        }
    }
    verdict.verified = verdict.faults.is_empty();
    Ok(verdict)
}

/// The rows of all tables, each as a person and a look; nothing when some cannot be read or are of nobody.
fn linked_rows(
    dir: &Path,
    manifests: &[(&str, Manifest)],
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<Option<Vec<(u64, u32)>>, VerifyError> {
    let mut sink: Option<LinkedRowsSink> = None;
    for (name, manifest) in manifests {
        let folder = dir.join(name);
        let release = Release::new(&folder, manifest, manifest.files.iter().collect(), options.memory);
        let Some(wanted) = wanted_columns(&release) else {
            let message = format!("{NAME}: {name} has no pseudonyms of people, so nothing links its rows to others");
            verdict.faults.push(Fault::new(FaultKind::Policy, message));
            return Ok(None);
        };
        let mut next = match sink.take() {
            Some(before) => before.next_table(wanted.len()),
            None => LinkedRowsSink::new(wanted.len()),
        };
        if !read_rows(&release, &wanted, &mut next, options, &mut Verdict::default())? {
            verdict.faults.push(Fault::new(FaultKind::Unreadable, format!("{name}: its files cannot be read")));
            return Ok(None);
        }
        sink = Some(next);
    }
    let Some(sink) = sink else { return Ok(None) };
    if sink.unlinked() > 0 {
        let message = format!("{NAME}: {} rows have no pseudonym, so nothing is known about them", sink.unlinked());
        verdict.faults.push(Fault::new(FaultKind::Promise, message));
        return Ok(None);
    }
    Ok(Some(sink.rows))
}

/// The promise, in one sentence.
fn promise(asked: &LinkedRows) -> String {
    let others = asked.others();
    match asked.most {
        Some(most) => format!(
            "Any {most} published rows of a person in each table, or fewer, are on the quasi-identifiers also rows of at \
             least {others}."
        ),
        None => {
            format!(
                "On the quasi-identifiers, each person has the same published rows in all tables as at least {others}."
            )
        }
    }
}

/// What is wrong with the files of a release of several tables, by their names, lengths and checksums alone.
///
/// # Errors
/// The folder cannot be read, or the work was cancelled.
pub fn tables_are_whole(
    dir: &Path,
    manifest: &TablesManifest,
    cancel: Option<&AtomicBool>,
) -> Result<Vec<Fault>, VerifyError> {
    let mut faults = folder_faults(dir, manifest)?;
    for entry in manifest.tables.iter().filter(|entry| is_folder(dir, &entry.name)) {
        let folder = dir.join(&entry.name);
        if let Ok(table) = Manifest::read(&folder) {
            let (mut of_files, stop) = (Vec::new(), || cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)));
            files::check(&folder, &table, &stop, &mut of_files)?;
            faults.extend(of_files.iter().map(|fault| of_table(&entry.name, fault)));
        }
    }
    Ok(faults)
}

/// What is wrong with the folder over the tables: a table that is missing, another one, or something else.
fn folder_faults(dir: &Path, manifest: &TablesManifest) -> Result<Vec<Fault>, VerifyError> {
    let mut faults = Vec::new();
    let mut names = BTreeSet::from([MANIFEST]);
    if manifest.tables.len() < 2 {
        faults.push(Fault::new(FaultKind::Manifest, "the manifest lists fewer than two tables"));
    }
    for entry in &manifest.tables {
        let name = &entry.name;
        if !is_plain(name) {
            faults.push(Fault::new(FaultKind::FileName, "a table name in the manifest is not a plain name"));
        } else if !names.insert(name) {
            faults.push(Fault::new(FaultKind::FileName, format!("{name} is listed twice or is the manifest itself")));
        } else if !is_folder(dir, name) {
            faults.push(Fault::new(FaultKind::MissingFile, format!("{name} is not a folder of the release")));
        } else {
            match Manifest::read(&dir.join(name)) {
                Ok(table) if table.seal == entry.seal => {}
                Ok(_) => {
                    let message = format!("{name}: its manifest is not the one that the release lists");
                    faults.push(Fault::new(FaultKind::Seal, message));
                }
                Err(error) => faults.push(Fault::new(FaultKind::Manifest, format!("{name}: {error}"))),
            }
        }
    }
    for entry in std::fs::read_dir(dir).map_err(VerifyError::Folder)? {
        let name = entry.map_err(VerifyError::Folder)?.file_name();
        let name = name.to_string_lossy();
        if !names.contains(name.as_ref()) {
            faults.push(Fault::new(FaultKind::ExtraFile, format!("{name} is in the folder, but not in the manifest")));
        }
    }
    Ok(faults)
}

/// Whether a name is that of a folder in the release itself; links are not followed.
fn is_folder(dir: &Path, name: &str) -> bool {
    is_plain(name) && dir.join(name).symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// A fault of a table, told of the whole release.
fn of_table(name: &str, fault: &Fault) -> Fault {
    Fault::new(fault.kind, format!("{name}: {}", fault.message))
}

#[cfg(test)]
mod tests;
