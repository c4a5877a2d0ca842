//! Verifying the parts of a release where they were written: a task for each file, and one for each part of the classes.
//!
//! Only the verifier's own code counts and judges (`incrowd_verify::tasks`). Here its counts are carried from one task to
//! another, as files in a folder that all machines see.

use std::path::{Path, PathBuf};

use incrowd_core::Stage;
use incrowd_engine::{Engine, EngineError, SharedFolder, TaskCall, TaskFolder, WrittenObjects, of_task};
use incrowd_verify::canary::CanaryScan;
use incrowd_verify::tasks::{self, CountedFile, JudgedPart, WholeValues};
use incrowd_verify::{Manifest, Verdict, VerifyError};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The jobs, by their names.
const COUNT: &str = "verify-count";
const JUDGE: &str = "verify-judge";

/// The files of the jobs.
const PLAN: &str = "verify-plan";
const VALUES: &str = "verify-values";

/// What all tasks are told.
#[derive(Serialize, Deserialize)]
struct VerifyPlan {
    folder: PathBuf,
    /// The objects of an object store that the files are, if they are.
    objects: Vec<String>,
    manifest: Manifest,
    canaries: Vec<Vec<u8>>,
    /// The parts of the classes.
    parts: usize,
    salt: [u8; 16],
}

/// The verdict of tasks that read a file each, and what the search for removed values found; nothing when there is only
/// one file, no cluster, or something to verify that needs all rows at once.
pub(super) fn verify(
    engine: &Engine,
    folder: &Path,
    manifest: &Manifest,
    canaries: &[Vec<u8>],
    in_store: Option<&WrittenObjects>,
) -> Result<Option<(Verdict, CanaryScan)>> {
    let files = manifest.files.len();
    if files < 2 || !tasks::applies(manifest) {
        return Ok(None);
    }
    let space = match in_store {
        Some(objects) => Some(engine.space_of(objects)?),
        None => engine.task_space(folder)?,
    };
    let Some(space) = space else { return Ok(None) };
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|_| Error::NoRandomness)?;
    let full = folder.canonicalize().map_err(|error| Error::file(folder, &error))?;
    let objects = in_store.map(|objects| objects.names.clone()).unwrap_or_default();
    let plan = VerifyPlan {
        folder: full,
        objects,
        manifest: manifest.clone(),
        canaries: canaries.to_vec(),
        parts: files,
        salt,
    };
    space.folder().put_json(PLAN, &plan)?;
    space.run(Stage::Verify, COUNT, files)?;
    let counted = (0..files).map(|file| space.folder().json(&of_task(COUNT, file)));
    let counted: Vec<CountedFile> = counted.collect::<std::result::Result<_, EngineError>>()?;
    space.folder().put_json(VALUES, &WholeValues::of(&counted))?;
    space.run(Stage::Verify, JUDGE, plan.parts)?;
    let judged = (0..plan.parts).map(|part| space.folder().json(&of_task(JUDGE, part)));
    let judged: Vec<JudgedPart> = judged.collect::<std::result::Result<_, EngineError>>()?;
    Ok(Some(tasks::verdict(folder, manifest, canaries, &counted, &judged)?))
}

/// Runs a task of a verification; nothing when it is of another job.
pub(crate) fn run_task(call: &TaskCall) -> Option<std::result::Result<(), EngineError>> {
    let task = match call.job.name.as_str() {
        COUNT => count,
        JUDGE => judge,
        _ => return None,
    };
    Some(SharedFolder::of(call).and_then(|shared| task(shared.folder(), call)))
}

fn count(folder: TaskFolder<'_>, call: &TaskCall) -> std::result::Result<(), EngineError> {
    let plan: VerifyPlan = folder.json(PLAN)?;
    let cancel = call.cancel.flag();
    let copied = match (plan.objects.get(call.task), plan.manifest.files.get(call.task)) {
        (Some(object), Some(file)) => Some(folder.copied(object, &file.name)?),
        _ => None,
    };
    let counted = tasks::count_file(
        copied.as_deref().unwrap_or(&plan.folder),
        (&plan.manifest, call.task),
        &plan.canaries,
        (plan.parts, &plan.salt),
        Some(&cancel),
    );
    let (counted, counts) = counted.map_err(|error| failed(&plan.folder, error))?;
    folder.put_pieces(&counts_of(call.task), &counts)?;
    folder.put_json(&of_task(COUNT, call.task), &counted)
}

fn judge(folder: TaskFolder<'_>, call: &TaskCall) -> std::result::Result<(), EngineError> {
    let (plan, values): (VerifyPlan, WholeValues) = (folder.json(PLAN)?, folder.json(VALUES)?);
    let unreadable = |_| VerifyError::Folder(std::io::ErrorKind::InvalidData.into());
    let counts =
        (0..plan.manifest.files.len()).map(|file| folder.piece(&counts_of(file), call.task).map_err(unreadable));
    let judged = tasks::judge_part(&plan.manifest, &values, counts).map_err(|error| failed(&plan.folder, error))?;
    folder.put_json(&of_task(JUDGE, call.task), &judged)
}

fn counts_of(file: usize) -> String {
    of_task("verify-counts", file)
}

fn failed(folder: &Path, error: VerifyError) -> EngineError {
    match error {
        VerifyError::Folder(source) => EngineError::Io { path: folder.into(), source },
        VerifyError::Cancelled => EngineError::Cancelled,
        _ => EngineError::Io { path: folder.into(), source: std::io::ErrorKind::Other.into() },
    }
}
