//! Running on a cluster: an engine that counts and recodes tables elsewhere, and the processes of a cluster.
//!
//! Only with the feature `cluster`. Everything else of the library takes such an [`Engine`] like any other.

use std::sync::Arc;

use incrowd_core::{Cancel, Progress};
use incrowd_engine::{Engine, Settings};

pub use incrowd_cluster::{
    ClusterError, ExecutorOptions, SchedulerOptions, TaskRunner, UpOptions, connect, executor, scheduler, up,
};

use crate::anonymize::{run_shard_task, run_verify_task};
use crate::error::{Error, Result};

/// An engine on the cluster of this scheduler, such as `df://host:50050`.
pub fn engine(address: &str, settings: &Settings, cancel: Cancel, progress: Arc<dyn Progress>) -> Result<Engine> {
    // Of this run alone: hashes of tuples say nothing to who sees those of two runs.
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|_| Error::NoRandomness)?;
    let cluster = connect(address, key)?;
    Ok(Engine::on_cluster(settings, cancel, progress, cluster)?)
}

/// What runs the tasks of an executor: the engine's, those that solve shards, and those of the verifier.
pub fn task_runner() -> TaskRunner {
    Arc::new(|call| {
        let ours = run_shard_task(call).or_else(|| run_verify_task(call));
        ours.unwrap_or_else(|| incrowd_engine::run_task(call))
    })
}
