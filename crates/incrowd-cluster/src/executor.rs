//! An executor: runs tasks, and keeps rows between stages in its work directory.

use std::net::ToSocketAddrs;
use std::path::PathBuf;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};

use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use incrowd_engine::Settings;

use crate::address::Address;
use crate::codec::{TaskNodeCodec, TaskTableCodec};
use crate::error::{ClusterError, Result};
use crate::ports;
use crate::secure::Secure;
use crate::stores;
use crate::task_node::{TaskPlace, TaskRunner};
use crate::up::parent_gone;
use crate::work_dir::WorkDir;

/// How an executor is started.
#[derive(Clone)]
pub struct ExecutorOptions {
    /// The scheduler it works for.
    pub scheduler: String,
    /// The address it listens on.
    pub bind: String,
    /// The name or address under which others reach it; the one it listens on when left out.
    pub advertise: Option<String>,
    /// The port it listens on; a free one when left out.
    pub port: Option<u16>,
    /// Where it puts rows between stages. Emptied at the start and at the end.
    pub work_dir: PathBuf,
    /// How many tasks run at once; as many as there are cores when left out.
    pub cores: Option<usize>,
    /// Bytes of memory that tasks share; beyond it they spill into the work directory.
    pub memory: Option<u64>,
    /// End when the process that started it is gone.
    pub with_parent: bool,
    /// What runs tasks of ours.
    pub tasks: TaskRunner,
}

impl std::fmt::Debug for ExecutorOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExecutorOptions").field("work_dir", &self.work_dir).finish_non_exhaustive()
    }
}

/// Files of jobs that were not touched for this many seconds are removed.
const FORGOTTEN: u64 = 24 * 3600;

/// Runs an executor until it is asked to end.
pub fn executor(options: &ExecutorOptions) -> Result<()> {
    let work_dir = WorkDir::take(&options.work_dir)?;
    let scheduler = Address::parse(&options.scheduler)?;
    // Ballista wants an address here, not a name.
    let wrong = || ClusterError::Address(options.bind.clone());
    let bind = (options.bind.as_str(), 0).to_socket_addrs().map_err(|_| wrong())?.next().ok_or_else(wrong)?.ip();
    let port = options.port.map_or_else(|| ports::free(&options.bind), Ok)?;
    let secure = Secure::from_environment()?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let vcores = options.cores.unwrap_or(cores).max(1);
    let settings = Settings {
        memory: options.memory.map(|memory| memory / vcores as u64),
        threads: Some(1),
        temp: Some(work_dir.tasks()),
    };
    let shuffle = work_dir.shuffle();
    let place = TaskPlace { runner: options.tasks.clone(), settings };
    let config = ExecutorProcessConfig {
        scheduler_host: scheduler.host,
        scheduler_port: scheduler.port,
        scheduler_connect_timeout_seconds: 60,
        bind_host: bind.to_string(),
        external_host: Some(options.advertise.clone().unwrap_or_else(|| options.bind.clone())),
        port,
        grpc_port: port,
        work_dir: Some(work_dir.shuffle().display().to_string()),
        vcores,
        memory_pool_size: options.memory,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        executor_heartbeat_interval_seconds: (crate::executor_timeout() / 4).max(1),
        job_data_ttl_seconds: FORGOTTEN,
        job_data_clean_up_interval_seconds: 600,
        override_runtime_producer: Some(Arc::new(move |_| {
            stores::runtime(RuntimeEnvBuilder::new().with_temp_file_path(&shuffle))
        })),
        override_logical_codec: Some(Arc::new(TaskTableCodec::default())),
        override_physical_codec: Some(Arc::new(TaskNodeCodec::running(place))),
        grpc_max_decoding_message_size: 64 << 20,
        grpc_max_encoding_message_size: 64 << 20,
        override_create_grpc_client_endpoint: secure.endpoint(),
        ..ExecutorProcessConfig::default()
    };
    let with_parent = options.with_parent;
    let runtime = crate::runtime()?;
    let served = runtime.block_on(async {
        tokio::select! {
            served = start_executor_process(Arc::new(config)) => served.map_err(|_| ClusterError::Ended("the executor")),
            // Signals are Ballista's: it tells the scheduler and lets tasks end.
            () = parent_gone(with_parent) => Ok(()),
        }
    });
    // Tasks that still run write no more when the directory is swept.
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    drop(work_dir);
    served
}
