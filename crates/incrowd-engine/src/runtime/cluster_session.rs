//! A session whose plans run on a cluster, and what can be asked about its jobs.
//!
//! The types stand here, and the work in `cluster/`, because an engine holds the session and knows nothing of the work.

use std::sync::Arc;
use std::time::Duration;

use datafusion::error::DataFusionError;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionContext;
use futures::future::BoxFuture;

use crate::runtime::remedy::ClusterRemedy;

/// A session whose plans run on a cluster.
#[derive(Clone)]
pub struct Cluster {
    /// Plans that it makes are sent away when they are executed.
    pub context: SessionContext,
    /// What can be asked about them while they run.
    pub jobs: Arc<dyn Jobs>,
    /// The key of the hashes that stand for tuples. Random, and of this run alone.
    pub key: [u8; 32],
    /// How long a job may go without a task that ends, before it is given up.
    pub patience: Duration,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not the key.
        f.debug_struct("Cluster").field("patience", &self.patience).finish_non_exhaustive()
    }
}

/// How far a job is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// Stages that are done.
    pub stages_done: u64,
    /// All stages.
    pub stages: u64,
    /// Tasks that are done, of the stages that were begun.
    pub done: u64,
    /// Tasks of the stages that were begun.
    pub total: u64,
}

/// Why a job failed, without anything that its own text may quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterFault {
    /// A disk is full.
    #[error("the disk of an executor or of the output folder is full")]
    DiskFull,
    /// An executor may not read or write.
    #[error("an executor has no permission to read the table or to write next to the release")]
    PermissionDenied,
    /// All executors are gone.
    #[error("no executor is left")]
    NoExecutor,
    /// A file is not seen, or was lost.
    #[error("an executor cannot read a file that this machine can read, or lost the output of another")]
    FileNotSeen,
    /// An executor has too little memory.
    #[error("an executor exceeded its memory limit")]
    OutOfMemory,
    /// The cluster runs another version.
    #[error("the cluster runs another version of Ballista")]
    OtherVersion,
    /// The scheduler, or an executor that held results, does not answer.
    #[error("the scheduler, or an executor with results, no longer responds")]
    NoAnswer,
    /// No task ends.
    #[error("no task ended within the time limit")]
    Stuck,
    /// A task fails on every attempt.
    #[error("a task failed on every attempt")]
    TaskFailed,
}

impl ClusterFault {
    /// What to do about it.
    pub fn remedy(self) -> ClusterRemedy {
        match self {
            ClusterFault::DiskFull => ClusterRemedy::MakeRoom,
            ClusterFault::PermissionDenied => ClusterRemedy::OpenFolders,
            ClusterFault::NoExecutor => ClusterRemedy::StartExecutors,
            ClusterFault::FileNotSeen => ClusterRemedy::ShareDisk,
            ClusterFault::OutOfMemory => ClusterRemedy::GiveMemory,
            ClusterFault::OtherVersion => ClusterRemedy::UseVersion,
            ClusterFault::NoAnswer => ClusterRemedy::CheckScheduler,
            ClusterFault::Stuck => ClusterRemedy::CheckExecutors,
            ClusterFault::TaskFailed => ClusterRemedy::ReadLogs,
        }
    }
}

/// What a cluster can be asked about its jobs.
pub trait Jobs: Send + Sync {
    /// The name of the job that runs this plan, once it has one.
    fn name(&self, plan: &dyn ExecutionPlan) -> Option<String>;

    /// How far a job is, if the cluster says.
    fn tasks<'a>(&'a self, job: &'a str) -> BoxFuture<'a, Option<Tasks>>;

    /// A job is over: what it left on executors' disks is removed. One that still runs is stopped first.
    fn end<'a>(&'a self, job: &'a str, stop: bool) -> BoxFuture<'a, ()>;

    /// What an error of the session says, without the values that its text may quote.
    fn explain(&self, error: &DataFusionError) -> ClusterFault;
}
