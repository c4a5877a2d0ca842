//! A task as an executor runs it: which job it is of, and what went wrong with it.

use std::sync::Arc;

use incrowd_core::{Cancel, Silent};
use serde::{Deserialize, Serialize};

use super::folder::{TaskFolder, of_task};
use super::shared_folder::SharedFolder;
use super::{agreeing, group, group_sizes, recode, shards, write};
use crate::runtime::cluster_session::TaskJob;
use crate::runtime::engine::{Engine, Settings};
use crate::runtime::error::{CellFault, EngineError, Result};

/// One task of a job.
#[derive(Clone, Debug)]
pub struct TaskCall {
    /// The job.
    pub job: TaskJob,
    /// The number of the task, from 0 on.
    pub task: usize,
    /// What it may use.
    pub settings: Settings,
    /// Set when nobody wants the task any more.
    pub cancel: Cancel,
}

/// What a job does. The word is the name of its job.
pub(super) const HELLO: &str = "hello";
pub(super) const GROUP: &str = "group";
pub(super) const MERGE: &str = "merge";
pub(super) const VALUES: &str = "values";
pub(super) const CODE: &str = "code";
pub(super) const SIZES: &str = "sizes";
pub(super) const HASH_ROWS: &str = "hash-rows";
pub(super) const ADD_UP: &str = "add-up";
pub(super) const RECODE: &str = "recode";
pub(super) const WRITE: &str = "write";

/// Runs a task; what it made is then in the folder of the job.
///
/// # Errors
/// The task failed. The error is also left in the folder, as far as the one who started the job can do something about
/// it.
pub fn run_task(call: &TaskCall) -> Result<()> {
    let shared = SharedFolder::of(call)?;
    let (folder, (name, _)) = (shared.folder(), shards::attempt_of(&call.job.name));
    if name == HELLO {
        return folder.put_json(&of_task(HELLO, call.task), &env!("CARGO_PKG_VERSION"));
    }
    let ran = Engine::watched(&call.settings, call.cancel.clone(), Arc::new(Silent)).and_then(|engine| match name {
        GROUP => group::run(&engine, folder, call.task),
        MERGE => group::merge(&engine, folder, call.task),
        RECODE => recode::run(&engine, folder, call.task),
        WRITE => write::run(&engine, folder, call.task),
        VALUES => group::values(&engine, folder, call.task),
        CODE => group_sizes::code(&engine, folder, call.task),
        SIZES => group_sizes::sizes(&engine, folder, call.task),
        HASH_ROWS => agreeing::hash_rows(&engine, folder, call.task),
        ADD_UP => agreeing::add_up(&engine, folder, call.task),
        shards::LAY_OUT => shards::lay_out_stretch(&engine, folder, call.task),
        shards::ROUTE => shards::route_stretch(&engine, folder, &call.job.name, call.task),
        shards::PUBLISHED => shards::merge_published(&engine, folder, &call.job.name, call.task),
        shards::BY_ROW => shards::by_row(&engine, folder, &call.job.name, call.task),
        _ => Err(EngineError::Engine { doing: "running a task", kind: "this version does not know the job" }),
    });
    if let Some(fault) = ran.as_ref().err().and_then(TaskFault::of) {
        // Nothing can be done about a failure here: the error itself is reported by the scheduler.
        let _ = folder.put_json(FAULT, &fault);
    }
    ran
}

/// The file of a fault.
const FAULT: &str = "fault";

/// A fault of the table, which the one who started the job can repair.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
enum TaskFault {
    Changed(String),
    Nul(String),
    TooLong(String),
    Unpublishable(String, String),
}

impl TaskFault {
    fn of(error: &EngineError) -> Option<TaskFault> {
        match error {
            EngineError::Changed(name) => Some(TaskFault::Changed(name.clone())),
            EngineError::BadValue { column, fault: CellFault::Nul } => Some(TaskFault::Nul(column.clone())),
            EngineError::BadValue { column, fault: CellFault::TooLong } => Some(TaskFault::TooLong(column.clone())),
            EngineError::Unpublishable { column, kind } => Some(TaskFault::Unpublishable(column.clone(), kind.clone())),
            _ => None,
        }
    }
}

/// What a task left about a fault of the table, if one did.
pub(super) fn fault(folder: TaskFolder<'_>) -> Option<EngineError> {
    Some(match folder.json(FAULT).ok()? {
        TaskFault::Changed(name) => EngineError::Changed(name),
        TaskFault::Nul(column) => EngineError::BadValue { column, fault: CellFault::Nul },
        TaskFault::TooLong(column) => EngineError::BadValue { column, fault: CellFault::TooLong },
        TaskFault::Unpublishable(column, kind) => EngineError::Unpublishable { column, kind },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_the_table_reaches_the_one_who_started_the_job_and_no_other_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let shared = SharedFolder::open(folder.path(), None).expect("a folder");
        let folder = shared.folder();
        assert!(fault(folder).is_none());
        let nul = EngineError::BadValue { column: "town".into(), fault: CellFault::Nul };
        folder.put_json(FAULT, &TaskFault::of(&nul).expect("a fault of the table")).expect("written");
        assert_eq!(fault(folder).map(|fault| fault.to_string()), Some(nul.to_string()));
        assert_eq!(TaskFault::of(&EngineError::Cancelled), None);
    }

    #[test]
    fn an_unknown_job_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let job = TaskJob { folder: folder.path().into(), name: "dance".into(), tasks: 1 };
        let call = TaskCall { job, task: 0, settings: Settings::default(), cancel: Cancel::default() };
        assert!(run_task(&call).is_err());
        let call = TaskCall { job: TaskJob { name: HELLO.into(), ..call.job.clone() }, ..call };
        assert!(run_task(&call).is_ok() && folder.path().join("hello-0").exists());
    }
}
