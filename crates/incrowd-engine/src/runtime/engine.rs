//! The engine: threads and memory within limits, and a private place for what must touch the disk.

use std::future::Future;
#[cfg(feature = "cluster")]
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
#[cfg(feature = "cluster")]
use std::sync::OnceLock;

use incrowd_core::{Cancel, FrequencyTable, Progress, Silent, Watch};

use crate::runtime::cluster_session::Cluster;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::system_limits;
use crate::runtime::temp::RunFolder;
use crate::runtime::thread_pool::on_threads;

/// The most memory that a run can be given: more is treated as a typing error.
pub const MOST_MEMORY: u64 = 1 << 50;
/// The most threads that a run can be given: more is treated as a typing error.
pub const MOST_THREADS: usize = 1024;

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

/// What all machines of a cluster see.
#[cfg(feature = "cluster")]
#[derive(Debug)]
struct SharedPlace {
    folder: PathBuf,
    target: PathBuf,
}

/// Reads and writes tables. Holds its own runtime, so callers are plain functions.
pub struct Engine {
    runtime: tokio::runtime::Runtime,
    pub(crate) threads: usize,
    pub(crate) memory: Option<u64>,
    pub(crate) folder: RunFolder,
    pub(crate) cancel: Cancel,
    pub(crate) progress: Arc<dyn Progress>,
    /// Where tables are counted and recoded, when not here.
    cluster: Option<Cluster>,
    /// A folder on a disk that all machines of the cluster see.
    #[cfg(feature = "cluster")]
    shared: OnceLock<SharedPlace>,
    /// Whether executors of the cluster carry our code, once they were asked.
    #[cfg(feature = "cluster")]
    pub(crate) runs_tasks: OnceLock<bool>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("threads", &self.threads).field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine without progress reports that is never cancelled.
    pub fn new(settings: &Settings) -> Result<Engine> {
        Engine::watched(settings, Cancel::default(), Arc::new(Silent))
    }

    /// An engine that reports its progress and stops when asked to.
    pub fn watched(settings: &Settings, cancel: Cancel, progress: Arc<dyn Progress>) -> Result<Engine> {
        Engine::start(settings, cancel, progress, None)
    }

    /// An engine that counts and recodes tables on a cluster. Both have to see the files under the same paths.
    #[cfg(feature = "cluster")]
    pub fn on_cluster(
        settings: &Settings,
        cancel: Cancel,
        progress: Arc<dyn Progress>,
        cluster: Cluster,
    ) -> Result<Engine> {
        Engine::start(settings, cancel, progress, Some(cluster))
    }

    fn start(
        settings: &Settings,
        cancel: Cancel,
        progress: Arc<dyn Progress>,
        cluster: Option<Cluster>,
    ) -> Result<Engine> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = settings.threads.unwrap_or(cores).clamp(1, MOST_THREADS);
        let stack = if cluster.is_some() { CLUSTER_STACK } else { STACK };
        // Libraries that the engine is built on panic where a limit of the system is met.
        system_limits::check(threads, stack)?;
        let folder = RunFolder::create(settings.temp.as_deref())?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .enable_all()
            .thread_stack_size(stack)
            .build()
            .map_err(|source| EngineError::System { what: "starting threads", source })?;
        Ok(Engine {
            runtime,
            threads,
            memory: settings.memory,
            folder,
            cancel,
            progress,
            cluster,
            #[cfg(feature = "cluster")]
            shared: OnceLock::new(),
            #[cfg(feature = "cluster")]
            runs_tasks: OnceLock::new(),
        })
    }

    /// How much memory it may use, if there is a limit.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// How many threads it may use.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The watcher of the engine's work, for work that follows it.
    pub fn watch(&self) -> Watch {
        Watch { cancel: self.cancel.clone(), progress: self.progress.clone() }
    }

    /// Rolls a table up within the engine's limits.
    ///
    /// A walk over column sets holds a copy of the table and, on each thread, at most one grouping per column, none
    /// larger than the table. It gets as many threads as the memory leaves room for, and is refused when there is none
    /// for one.
    pub fn roll_up<T: Send>(&self, table: &FrequencyTable, work: impl FnOnce() -> T + Send) -> Result<T> {
        let columns = table.attributes().len() as u64;
        let threads = match self.memory {
            Some(limit) if columns > 0 => threads_for(limit, table.bytes(), columns).min(self.threads),
            _ => self.threads,
        };
        if threads == 0 {
            let (tuples, limit) = (table.tuples() as u64, self.memory.unwrap_or(u64::MAX));
            return Err(EngineError::TooManyTuples { tuples, needed: table.bytes() * (2 + columns), limit });
        }
        Ok(on_threads(threads, work))
    }

    /// Measures column sets of a table within the engine's limits: a copy of the codes of its columns, and on each
    /// thread an array of class sizes or a sorted copy of the tuples. Refused when there is no room for one thread.
    pub fn measure_sets<T: Send>(&self, table: &FrequencyTable, work: impl FnOnce() -> T + Send) -> Result<T> {
        /// Bytes of a tuple: its fingerprint and count, each of its codes, and what a thread takes.
        const SHARED: u64 = 24;
        const CODE: u64 = 4;
        const THREAD: u64 = 48;
        let (tuples, columns) = (table.tuples() as u64, table.attributes().len() as u64);
        let shared = table.bytes() + tuples * (SHARED + CODE * columns);
        let limit = self.memory.filter(|_| columns > 0).unwrap_or(u64::MAX);
        let threads = limit.saturating_sub(shared) / (tuples * THREAD).max(1);
        if threads == 0 {
            return Err(EngineError::TooManyTuples { tuples, needed: shared + tuples * THREAD, limit });
        }
        Ok(on_threads(usize::try_from(threads).unwrap_or(usize::MAX).min(self.threads), work))
    }

    /// Whether tables are counted and recoded on a cluster.
    pub fn is_on_cluster(&self) -> bool {
        self.cluster().is_some()
    }

    /// The cluster on which tables are counted and recoded, if there is one.
    pub(crate) fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_ref()
    }

    /// Names a folder that all machines of a cluster see, which has to exist: what tasks exchange is put next to it, unless an
    /// object store was named for that. What a killed run left there is known by the target. The first ones count.
    #[cfg(feature = "cluster")]
    pub fn share_folder(&self, folder: &Path, target: &Path) {
        self.shared.get_or_init(|| SharedPlace { folder: folder.into(), target: target.into() });
    }

    /// The folder that was named.
    #[cfg(feature = "cluster")]
    pub(crate) fn shared_folder(&self) -> Option<&Path> {
        self.shared.get().map(|shared| shared.folder.as_path())
    }

    /// Where the release goes for which it was named.
    #[cfg(feature = "cluster")]
    pub(crate) fn shared_target(&self) -> Option<&Path> {
        self.shared.get().map(|shared| shared.target.as_path())
    }

    /// A new folder inside the run's private one, which goes when the engine does.
    pub fn private_folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.folder.path().join(name);
        match std::fs::create_dir(&path) {
            Ok(()) => Ok(path),
            Err(error) => Err(EngineError::temp(path, error)),
        }
    }

    /// A new place for a private file, in a folder of its own.
    pub(crate) fn private_file(&self, folder: &str, name: &str) -> Result<PathBuf> {
        for attempt in 0u32.. {
            let path = self.folder.path().join(format!("{folder}-{attempt}"));
            match std::fs::create_dir(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(EngineError::temp(path, error)),
                Ok(()) => return Ok(path.join(name)),
            }
        }
        Err(EngineError::temp(self.folder.path(), std::io::ErrorKind::AlreadyExists.into()))
    }

    pub(crate) fn handle(&self) -> tokio::runtime::Handle {
        self.runtime.handle().clone()
    }

    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    pub(crate) fn check_cancelled(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    }
}

/// The stack of a thread.
const STACK: usize = 8 << 20;

/// Plans that are sent away are walked by recursion, several times over.
const CLUSTER_STACK: usize = 32 << 20;

/// How many threads can roll up a table of this size at once.
fn threads_for(limit: u64, table_bytes: u64, columns: u64) -> usize {
    let spare = (limit / table_bytes.max(1)).saturating_sub(2);
    usize::try_from(spare / columns).unwrap_or(usize::MAX)
}

/// Shares of the memory limit, in percent: the dictionaries, and the tuples while they are counted. The rest is for
/// buffers of the scan and for putting the tuples together.
pub(crate) const DICTIONARY_SHARE: u64 = 20;
pub(crate) const TUPLE_SHARE: u64 = 55;

pub(crate) fn share(memory: u64, percent: u64) -> u64 {
    memory / 100 * percent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_gets_the_threads_that_memory_leaves_room_for() {
        // A table of 100 bytes and 4 columns: 200 for itself and its copy, 400 for each thread.
        assert_eq!([599, 600, 999, 1000, 1800].map(|limit| threads_for(limit, 100, 4)), [0, 1, 1, 2, 4]);
    }

    #[test]
    fn a_private_file_has_a_folder_of_its_own_and_no_other_is_tried_when_none_can_be_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings { memory: None, threads: Some(1), temp: Some(folder.path().into()) };
        let engine = Engine::new(&settings).expect("an engine");
        let private = engine.folder.path().to_path_buf();
        let places = [0, 1].map(|_| engine.private_file("text", "utf-8.csv").expect("a place"));
        assert_eq!(places, ["text-0", "text-1"].map(|folder| private.join(folder).join("utf-8.csv")));
        std::fs::remove_dir_all(&private).expect("removed");
        let refused = engine.private_file("text", "utf-8.csv").expect_err("there is no folder for it");
        assert!(refused.to_string().contains("text-0"), "{refused}");
    }

    #[test]
    fn a_table_too_large_to_roll_up_is_refused_with_what_it_needs() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings { memory: Some(40), threads: Some(1), temp: Some(folder.path().into()) };
        let engine = Engine::new(&settings).expect("an engine");
        let table = FrequencyTable::from_tuples(vec![], [([], 3)]);
        assert_eq!(engine.roll_up(&table, || 7).ok(), Some(7), "nothing to roll up needs no room");
        let town = incrowd_core::Dictionary::of_texts(["Ulm", "Wien"]);
        let town = incrowd_core::Attribute::new("town", incrowd_core::Role::QuasiIdentifier, town);
        let table = FrequencyTable::from_tuples(vec![town], [([0], 3), ([1], 1)]);
        let refused = engine.roll_up(&table, || 7).expect_err("32 bytes, three times, do not fit");
        assert!(matches!(refused, EngineError::TooManyTuples { tuples: 2, needed: 96, limit: 40 }));
    }
}
