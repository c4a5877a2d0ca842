//! The folder of the jobs of a run, and the way to run them.

use std::hash::BuildHasher;
use std::path::Path;
use std::sync::Arc;

use incrowd_core::Stage;
use sha2::{Digest, Sha256};

use super::folder::{TaskFolder, of_task};
use super::job::{self, HELLO};
use super::shared_folder::SharedFolder;
use super::write::part_file;
use crate::cluster::exchange::ExchangeFolder;
use crate::cluster::failed;
use crate::publish::written_objects::WrittenObjects;
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
    exchange: Arc<OwnFolder>,
}

/// The folder of the jobs of a run. Dropped, it is gone.
struct OwnFolder {
    shared: Arc<SharedFolder>,
    /// What removes a folder on a disk.
    _disk: Option<ExchangeFolder>,
}

impl OwnFolder {
    /// A folder next to another one, on its disk.
    fn beside(beside: &Path) -> Result<OwnFolder> {
        let disk = ExchangeFolder::beside(beside)?;
        Ok(OwnFolder { shared: SharedFolder::open(disk.path(), None)?, _disk: Some(disk) })
    }

    /// A folder in one of an object store. Two runs never see each other's files.
    fn within(named: &str) -> Result<OwnFolder> {
        let own = format!("{named}/{:016x}", std::hash::RandomState::new().hash_one(std::process::id()));
        let shared = SharedFolder::open(Path::new(&own), None)?;
        shared.begin()?;
        Ok(OwnFolder { shared, _disk: None })
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        // What stays is removed by the next run for the same name.
        let _ = self.shared.clear();
    }
}

/// The folder of all runs for a target, in one of an object store. Its name does not say what the target is.
fn of_target(named: &str, target: Option<&Path>) -> String {
    let target = target.map(|target| std::path::absolute(target).unwrap_or_else(|_| target.into())).unwrap_or_default();
    let hash = Sha256::digest(target.as_os_str().as_encoded_bytes());
    let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{}/incrowd-{hash}", named.trim_end_matches('/'))
}

impl std::fmt::Debug for TaskSpace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskSpace").field("folder", &self.exchange.shared.address()).finish_non_exhaustive()
    }
}

/// Keeps the folder of jobs that others follow. When the last one is dropped, the folder is gone.
#[derive(Clone)]
pub(super) struct KeptFolder(Arc<OwnFolder>);

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
        let in_store = cluster.folder.as_ref().map(|named| of_target(named, self.shared_target()));
        let known = self.runs_tasks.get();
        if let (Some(named), None) = (&in_store, known) {
            // What killed runs for the same target left.
            SharedFolder::open(Path::new(named), None)?.clear()?;
        }
        let space = match &in_store {
            Some(named) => TaskSpace::within(cluster, self, named)?,
            None => TaskSpace::beside(cluster, self, beside)?,
        };
        let carries_our_code = match known {
            Some(&known) => known,
            None => {
                let answered = space.is_answered()?;
                *self.runs_tasks.get_or_init(|| answered)
            }
        };
        if in_store.is_some() && !carries_our_code {
            let what = "exchanging files in an object store with executors that have no access to it or are of another version";
            return Err(EngineError::NotOnCluster { what });
        }
        Ok(carries_our_code.then_some(space))
    }

    /// The space of jobs that read files which tasks wrote into an object store.
    ///
    /// # Errors
    /// There is no cluster, or no such space, any more.
    pub fn space_of(&self, written: &WrittenObjects) -> Result<TaskSpace<'_>> {
        let gone = || EngineError::Cluster { doing: Stage::Verify.name(), fault: ClusterFault::NoAnswer };
        KeptFolder(written.kept.clone().downcast().map_err(|_| gone())?).space(self)
    }
}

impl<'a> TaskSpace<'a> {
    /// A space next to a folder.
    pub(super) fn beside(jobs: &'a dyn TaskJobs, engine: &'a Engine, beside: &Path) -> Result<TaskSpace<'a>> {
        Ok(TaskSpace { jobs, engine, exchange: Arc::new(OwnFolder::beside(beside)?) })
    }

    /// A space in a folder of an object store.
    pub(super) fn within(jobs: &'a dyn TaskJobs, engine: &'a Engine, named: &str) -> Result<TaskSpace<'a>> {
        Ok(TaskSpace { jobs, engine, exchange: Arc::new(OwnFolder::within(named)?) })
    }

    /// The engine whose jobs it runs.
    pub(crate) fn engine(&self) -> &'a Engine {
        self.engine
    }

    /// The files of a release that tasks wrote, table by table within each part, if they wrote them into an object store.
    pub(super) fn written(&self, parts: usize, two_tables: bool) -> Option<WrittenObjects> {
        let tables = if two_tables { 2 } else { 1 };
        let names = (0..parts).flat_map(|part| (0..tables).map(move |table| part_file(part, table))).collect();
        let folder = self.exchange.shared.address().display().to_string();
        let is_in_store = matches!(*self.exchange.shared, SharedFolder::Store(_));
        is_in_store.then(|| WrittenObjects { folder, names, kept: self.exchange.clone() })
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
        self.exchange.shared.folder()
    }

    /// Runs the tasks of a job. Each leaves a file with the name of the job and its number.
    ///
    /// # Errors
    /// Tasks failed on every attempt; one that failed because of the table says why.
    pub fn run(&self, stage: Stage, name: &str, tasks: usize) -> Result<()> {
        let job = TaskJob { folder: self.exchange.shared.address().into(), name: name.into(), tasks };
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
        (0..tasks).all(|task| self.folder().has(&of_task(name, task)))
    }
}
