//! The engine: a DataFusion session with limits, and a private place for what must touch the disk.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use incrowd_core::{Cancel, Progress, Silent, Watch};

use crate::error::{EngineError, Result};
use crate::temp::RunFolder;

/// What a run may use.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Bytes of memory; without it, what the tuples need.
    pub memory: Option<u64>,
    /// Threads; without it, all cores.
    pub threads: Option<usize>,
    /// The folder for temporary files; without it, a private one in the system's.
    pub temp: Option<PathBuf>,
}

/// Reads and writes tables. Holds its own runtime, so callers are plain functions.
pub struct Engine {
    runtime: tokio::runtime::Runtime,
    context: SessionContext,
    pub(crate) threads: usize,
    pub(crate) memory: Option<u64>,
    pub(crate) folder: RunFolder,
    pub(crate) cancel: Cancel,
    pub(crate) progress: Arc<dyn Progress>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("threads", &self.threads).field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine that nobody watches and nothing stops.
    pub fn new(settings: &Settings) -> Result<Engine> {
        Engine::watched(settings, Cancel::default(), Arc::new(Silent))
    }

    /// An engine that reports its progress and stops when asked to.
    pub fn watched(settings: &Settings, cancel: Cancel, progress: Arc<dyn Progress>) -> Result<Engine> {
        let folder = RunFolder::create(settings.temp.as_deref())?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = settings.threads.unwrap_or(cores).max(1);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .enable_all()
            .thread_stack_size(8 << 20)
            .build()
            .map_err(|error| EngineError::Temp { path: folder.path().into(), kind: error.kind() })?;
        let disk = DiskManagerBuilder::default().with_mode(DiskManagerMode::Directories(vec![folder.path().into()]));
        let mut environment = RuntimeEnvBuilder::new().with_disk_manager_builder(disk);
        if let Some(memory) = settings.memory {
            let pool = FairSpillPool::new(share(memory, QUERY_SHARE) as usize);
            let named = std::num::NonZeroUsize::MIN;
            environment = environment.with_memory_pool(Arc::new(TrackConsumersPool::new(pool, named)));
        }
        let environment = environment.build_arc().map_err(|error| EngineError::engine("starting", &error))?;
        let config = SessionConfig::new().with_target_partitions(threads);
        let context = SessionContext::new_with_config_rt(config, environment);
        Ok(Engine { runtime, context, threads, memory: settings.memory, folder, cancel, progress })
    }

    /// Who watches the engine's work, for work that follows on it.
    pub fn watch(&self) -> Watch {
        Watch { cancel: self.cancel.clone(), progress: self.progress.clone() }
    }

    pub(crate) fn context(&self) -> &SessionContext {
        &self.context
    }

    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    pub(crate) fn check_cancelled(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    }
}

/// Shares of the memory limit, in percent: the query engine's pool, the dictionaries, and the tuples while they are
/// counted. The rest is for buffers of the scan and for putting the tuples together.
pub(crate) const QUERY_SHARE: u64 = 10;
pub(crate) const DICTIONARY_SHARE: u64 = 20;
pub(crate) const TUPLE_SHARE: u64 = 55;

pub(crate) fn share(memory: u64, percent: u64) -> u64 {
    memory / 100 * percent
}
