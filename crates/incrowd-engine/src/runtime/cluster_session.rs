//! A session whose plans run on a cluster, and what can be asked about its jobs.
//!
//! The types stand here, and the work in `cluster/`, because an engine holds the session and knows nothing of the work.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use datafusion::catalog::TableProvider;
use datafusion::error::DataFusionError;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionContext;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::runtime::cluster_fault::ClusterFault;

/// A session whose plans run on a cluster.
#[derive(Clone)]
pub struct Cluster {
    /// Plans that it makes are sent away when they are executed.
    pub context: SessionContext,
    /// What can be asked about them while they run.
    pub jobs: Arc<dyn Jobs>,
    /// Jobs of tasks that run our code, as tables of a plan; nothing when executors carry none.
    pub tasks: Option<TaskTables>,
    /// A folder of an object store in which tasks leave files for each other; next to the release if left out.
    pub folder: Option<String>,
    /// Fewer rows are not worth a task of ours.
    pub task_rows: u64,
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

/// A job as a table of a plan: one partition for each task.
pub type TaskTables = Arc<dyn Fn(TaskJob) -> Arc<dyn TableProvider> + Send + Sync>;

/// A job of tasks that run our code. It is all that a scheduler is told about them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskJob {
    /// A folder that all machines see, with what tasks need and make.
    pub folder: PathBuf,
    /// What its tasks do.
    pub name: String,
    /// How many tasks there are.
    pub tasks: usize,
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
