//! The only crate that knows Ballista: a session for the engine, and the processes of a cluster.
//!
//! [`connect`] gives the engine a [`Cluster`](incrowd_engine::Cluster): a session whose plans run elsewhere.
//! [`scheduler`] and [`executor`] are the processes of a cluster, with the settings that survive a lost executor;
//! [`up`] starts them all on this machine, for trying it out.
//!
//! Which settings, and why (Ballista 55):
//!
//! - *Pull-staged scheduling, no adaptive planning.* With the defaults a job hangs forever when an executor is lost
//!   while it reduces; with these two it runs on (upstream issues 1986 and 2150).
//! - *No work stealing between the partitions of a scan.* A partition is a stretch of the input, the same whenever a
//!   task is repeated, or rows would be read twice (upstream datafusion issue 23293).
//! - *Short heartbeats*, so that a lost executor is noticed within seconds, and a bound on waiting for one that never
//!   comes.
//! - *Stacks of 32 MB*: plans are walked by recursion.
//!
//! No other crate of the workspace names Ballista, and the default build has none of it: the crate is built only with
//! the feature `cluster` of `incrowd` and `incrowd-cli`, and is no default member of the workspace.

mod address;
mod codec;
mod error;
mod executor;
mod explain;
mod jobs;
mod ports;
mod rest;
mod scheduler;
mod secure;
mod session;
mod stores;
mod task_node;
mod up;
mod work_dir;

pub use error::{ClusterError, Result};
pub use executor::{ExecutorOptions, executor};
pub use scheduler::{SchedulerOptions, scheduler};
pub use session::connect;
pub use task_node::TaskRunner;
pub use up::{UpOptions, up};

/// Seconds without a sign of life after which an executor is treated as lost; from `INCROWD_CLUSTER_TIMEOUT`.
fn executor_timeout() -> u64 {
    number("INCROWD_CLUSTER_TIMEOUT", 20).max(7)
}

/// A number from the environment.
fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// A runtime for a process of the cluster.
fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(32 << 20)
        .build()
        .map_err(|source| ClusterError::Process { what: "the process", source })
}
