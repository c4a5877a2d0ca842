//! The folder of the jobs of a run, and the way to run them.

use std::path::Path;
use std::sync::Arc;

use incrowd_core::Stage;

use super::folder::{TaskFolder, of_task};
use super::job::{self, HELLO};
use crate::cluster::exchange::ExchangeFolder;
use crate::cluster::failed;
use crate::runtime::cluster_fault::ClusterFault;
use crate::runtime::cluster_session::{Cluster, TaskJob};
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};

/// What runs the tasks of a job.
pub(crate) trait TaskJobs {
    /// Runs all tasks; some may run twice.
    fn run(&self, engine: &Engine, stage: Stage, job: TaskJob) -> Result<()>;
}

impl TaskJobs for Cluster {
    fn run(&self, engine: &Engine, stage: Stage, job: TaskJob) -> Result<()> {
        let Some(table) = &self.tasks else {
            return Err(EngineError::Cluster { doing: stage.name(), fault: ClusterFault::OtherVersion });
        };
        let frame = self.context.read_table(table(job)).map_err(|error| failed(stage.name(), &error))?;
        self.collect(engine, stage, &frame, &mut |_| Ok(true))
    }
}

/// A folder for jobs, next to another folder, on a disk that all machines see. Dropped, it is gone.
pub struct TaskSpace<'a> {
    jobs: &'a dyn TaskJobs,
    engine: &'a Engine,
    exchange: Arc<ExchangeFolder>,
}

impl std::fmt::Debug for TaskSpace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskSpace").field("folder", &self.exchange.path()).finish_non_exhaustive()
    }
}

/// Keeps the folder of jobs that others follow. When the last one is dropped, the folder is gone.
#[derive(Clone)]
pub(super) struct KeptFolder(Arc<ExchangeFolder>);

impl KeptFolder {
    /// The way to run jobs in it.
    pub(super) fn space<'a>(&self, engine: &'a Engine) -> Result<TaskSpace<'a>> {
        let gone = EngineError::Cluster { doing: Stage::Solve.name(), fault: ClusterFault::NoAnswer };
        let jobs = engine.cluster().ok_or(gone)?;
        Ok(TaskSpace { jobs, engine, exchange: self.0.clone() })
    }
}

impl Engine {
    /// A space for jobs next to a folder; nothing when there is no cluster, or its executors do not carry our code.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn task_space(&self, beside: &Path) -> Result<Option<TaskSpace<'_>>> {
        let Some(cluster) = self.cluster().filter(|cluster| cluster.tasks.is_some()) else { return Ok(None) };
        let space = TaskSpace::beside(cluster, self, beside)?;
        let carries_our_code = match self.runs_tasks.get() {
            Some(&known) => known,
            None => {
                let answered = space.is_answered()?;
                *self.runs_tasks.get_or_init(|| answered)
            }
        };
        Ok(carries_our_code.then_some(space))
    }
}

impl<'a> TaskSpace<'a> {
    /// A space next to a folder.
    pub(super) fn beside(jobs: &'a dyn TaskJobs, engine: &'a Engine, beside: &Path) -> Result<TaskSpace<'a>> {
        Ok(TaskSpace { jobs, engine, exchange: Arc::new(ExchangeFolder::beside(beside)?) })
    }

    /// The engine whose jobs it runs.
    pub(crate) fn engine(&self) -> &'a Engine {
        self.engine
    }

    /// What keeps the folder while jobs are to come.
    pub(super) fn keep(&self) -> KeptFolder {
        KeptFolder(self.exchange.clone())
    }

    /// Asks an executor whether it carries this version of our code.
    fn is_answered(&self) -> Result<bool> {
        match self.run(Stage::Count, HELLO, 1) {
            Ok(()) => {
                let version = self.folder().json::<String>(&of_task(HELLO, 0));
                Ok(version.is_ok_and(|version| version == env!("CARGO_PKG_VERSION")))
            }
            // What a scheduler or an executor of another make says to a plan that it does not know.
            Err(EngineError::Cluster { fault: ClusterFault::TaskFailed | ClusterFault::OtherVersion, .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Its files.
    pub fn folder(&self) -> TaskFolder<'_> {
        TaskFolder(self.exchange.path())
    }

    /// Runs the tasks of a job. Each leaves a file with the name of the job and its number.
    ///
    /// # Errors
    /// Tasks failed on every attempt; one that failed because of the table says why.
    pub fn run(&self, stage: Stage, name: &str, tasks: usize) -> Result<()> {
        let job = TaskJob { folder: self.exchange.path().into(), name: name.into(), tasks };
        match self.jobs.run(self.engine, stage, job) {
            // An executor that did its tasks and is gone before it could say so has left what they made.
            Err(EngineError::Cluster { .. }) if self.is_done(name, tasks) => Ok(()),
            Err(EngineError::Cluster { doing, fault }) => {
                Err(job::fault(self.folder()).unwrap_or(EngineError::Cluster { doing, fault }))
            }
            other => other,
        }
    }

    fn is_done(&self, name: &str, tasks: usize) -> bool {
        (0..tasks).all(|task| self.folder().file(&of_task(name, task)).exists())
    }
}
