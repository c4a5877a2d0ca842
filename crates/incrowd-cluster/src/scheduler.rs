//! The scheduler: plans jobs, hands out tasks, and notices lost executors. It sees plans and statistics, no rows.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::utils::default_session_builder;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;

use crate::codec::{TaskNodeCodec, TaskTableCodec};
use crate::error::{ClusterError, Result};
use crate::stores;
use crate::up::ended;

/// How a scheduler is started.
#[derive(Clone, Debug)]
pub struct SchedulerOptions {
    /// The address it listens on.
    pub bind: String,
    /// The port it listens on.
    pub port: u16,
    /// End when the process that started it is gone.
    pub with_parent: bool,
}

/// Results are removed when their client has them. Those of a client that died stay this many seconds.
const ORPHANS: u64 = 3600;

/// A session as Ballista makes it, which knows the object stores of this process.
fn session(config: SessionConfig) -> datafusion::error::Result<SessionState> {
    let runtime = stores::runtime(RuntimeEnvBuilder::new())?;
    Ok(SessionStateBuilder::new_from_existing(default_session_builder(config)?).with_runtime_env(runtime).build())
}

/// Runs a scheduler until it is asked to end.
pub fn scheduler(options: &SchedulerOptions) -> Result<()> {
    let timeout = crate::executor_timeout();
    let config = SchedulerConfig {
        bind_host: options.bind.clone(),
        external_host: options.bind.clone(),
        bind_port: options.port,
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        executor_timeout_seconds: timeout,
        expire_dead_executor_interval_seconds: (timeout / 4).max(1),
        no_executors_grace_period_seconds: timeout + timeout / 2,
        finished_job_data_clean_up_interval_seconds: ORPHANS,
        finished_job_state_clean_up_interval_seconds: ORPHANS,
        override_logical_codec: Some(Arc::new(TaskTableCodec::default())),
        override_physical_codec: Some(Arc::new(TaskNodeCodec::default())),
        override_session_builder: Some(Arc::new(session)),
        grpc_server_max_decoding_message_size: 64 << 20,
        grpc_server_max_encoding_message_size: 64 << 20,
        ..SchedulerConfig::default()
    };
    let unusable = || ClusterError::Address(format!("{}:{}", options.bind, options.port));
    let mut addresses = (options.bind.as_str(), options.port).to_socket_addrs().map_err(|_| unusable())?;
    let address: SocketAddr = addresses.next().ok_or_else(unusable)?;
    let with_parent = options.with_parent;
    let runtime = crate::runtime()?;
    let served = runtime.block_on(async {
        let cluster = BallistaCluster::new_from_config(&config).await.map_err(|_| unusable())?;
        tokio::select! {
            served = start_server(cluster, address, Arc::new(config)) => {
                served.map_err(|_| ClusterError::Ended("the scheduler"))
            }
            () = ended(with_parent) => Ok(()),
        }
    });
    // A read of the pipe may still be pending; it is not waited for.
    runtime.shutdown_background();
    served
}
