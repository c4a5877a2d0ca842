//! What was found in all files and all parts of the classes, as one verdict.

use std::path::Path;

use super::{CountedFile, JudgedPart, asked};
use crate::canary::{self, CanaryScan};
use crate::integrity::{consistency, files};
use crate::judge::{add, faults};
use crate::manifest::Manifest;
use crate::models::questions;
use crate::release::Release;
use crate::verdict::{Fault, FaultKind, PolicyVerdict, Verdict, VerifyError};
use crate::verify::say_limits;

/// Puts what was found together: the verdict, and what the search for removed values found.
///
/// # Errors
/// The folder cannot be read.
pub fn verdict(
    dir: &Path,
    manifest: &Manifest,
    canaries: &[Vec<u8>],
    counted: &[CountedFile],
    parts: &[JudgedPart],
) -> Result<(Verdict, CanaryScan), VerifyError> {
    let (mut asked_of_files, mut found) = questions(&manifest.policy);
    found.extend(consistency::check(manifest, &asked_of_files));
    let listed = files::check_folder(dir, manifest, &|| false, &mut found)?;
    if listed.len() != counted.len() {
        found.push(Fault::new(FaultKind::Unreadable, "not every file was counted"));
    }
    found.extend(counted.iter().flat_map(|file| file.faults.iter().cloned()));
    let bytes = counted.iter().map(|file| file.bytes).sum();
    let mut verdict = Verdict { faults: found, bytes, ..Verdict::default() };
    say_limits(manifest, false, &mut asked_of_files, &mut verdict);
    verdict.rows = counted.iter().map(|file| file.rows).sum();
    verdict.classes = parts.iter().map(|part| part.classes).sum();
    let smallest = parts.iter().filter(|part| part.classes > 0).map(|part| part.smallest_class);
    verdict.smallest_class = smallest.min().unwrap_or(0);
    if counted.iter().all(|file| file.whole) && listed.len() == counted.len() {
        if parts.iter().map(|part| part.rows).sum::<u64>() != verdict.rows {
            let message = "the classes do not have the rows of the files";
            verdict.faults.push(Fault::new(FaultKind::Rows, message));
        }
        Release::new(dir, manifest, listed, None).compare_counts(&mut verdict);
        let judged = judged(manifest, parts, verdict.classes);
        verdict.take(judged);
    }
    verdict.verified = verdict.faults.is_empty();
    let scan = canary::add_up(counted.iter().map(|file| &file.removed), canaries)?;
    Ok((verdict, scan))
}

/// What the models say of all parts together.
fn judged(manifest: &Manifest, parts: &[JudgedPart], classes: u64) -> PolicyVerdict {
    let mut parts = parts.iter();
    let Some(first) = parts.next() else {
        // Without a class nothing was judged, which is no promise that holds.
        let message = "no class was judged".to_string();
        return PolicyVerdict { faults: vec![Fault::new(FaultKind::Empty, message)], ..PolicyVerdict::default() };
    };
    let (mut models, mut notes) = (first.models.clone(), first.notes.clone());
    let mut is_complete = models.len() == asked(manifest).len();
    for part in parts {
        is_complete &= part.models.len() == models.len();
        add(&mut models, &part.models);
        notes.extend(part.notes.iter().filter(|note| !notes.contains(note)).cloned().collect::<Vec<_>>());
    }
    let mut found = faults(&models, classes);
    if !is_complete {
        found.push(Fault::new(FaultKind::Policy, "not every model was put before every class"));
    }
    PolicyVerdict { models, faults: found, notes }
}
