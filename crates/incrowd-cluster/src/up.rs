//! A whole cluster on this machine, for trying it out: a scheduler and some executors, each a process of its own.
//!
//! The processes are this program again. They hold one end of a pipe and end when the other end is gone, so none of
//! them outlives us, however we end.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;

use crate::address::Address;
use crate::error::{ClusterError, Result};
use crate::{ports, rest};

/// What is started.
#[derive(Clone, Debug)]
pub struct UpOptions {
    /// How many executors.
    pub executors: usize,
    /// The scheduler's port; a free one when left out.
    pub port: Option<u16>,
    /// The folder in which each executor has its work directory; a new one in the system's place when left out.
    pub work_dir: Option<PathBuf>,
    /// How many tasks each executor runs at once; a fair share of the cores when left out.
    pub cores: Option<usize>,
    /// Bytes of memory that the tasks of each executor share.
    pub memory: Option<u64>,
}

/// How long the processes may take to find each other.
const START: Duration = Duration::from_secs(60);

const HERE: &str = "127.0.0.1";

/// A process that ends with us.
struct Process {
    child: Child,
    what: &'static str,
    is_reported: bool,
}

impl Drop for Process {
    fn drop(&mut self) {
        // Close its pipe first: it cleans its directory and ends. If it hangs, it is killed.
        drop(self.child.stdin.take());
        let given = Instant::now();
        while given.elapsed() < Duration::from_secs(8) {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(50)),
                _ => return,
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a cluster, says where it is and of which processes it is made, and runs it until it is asked to end.
///
/// `say` gets what a person should know: first the address, then each executor that is lost.
pub fn up(options: &UpOptions, say: &mut dyn FnMut(&str)) -> Result<()> {
    let port = options.port.map_or_else(|| ports::free(HERE), Ok)?;
    let address = Address { host: HERE.into(), port };
    let (folder, ours) = match &options.work_dir {
        Some(folder) => (folder.clone(), false),
        None => (std::env::temp_dir().join(format!("incrowd-cluster-{}", std::process::id())), true),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cores = options.cores.unwrap_or((cores / options.executors.max(1)).max(1));
    let runtime = crate::runtime()?;
    let outcome = {
        let mut processes = vec![start("the scheduler", &["scheduler", "--port", &port.to_string()])?];
        wait(&runtime, &mut processes, || async { address.answers(Duration::from_millis(200)) })?;
        for at in 1..=options.executors {
            let dir = folder.join(format!("executor-{at}")).display().to_string();
            let (scheduler, cores) = (address.shown(), cores.to_string());
            let mut words = vec!["executor", "--scheduler", &scheduler, "--work-dir", &dir, "--cores", &cores];
            let memory = options.memory.map(|memory| memory.to_string());
            if let Some(memory) = &memory {
                words.extend(["--memory", memory]);
            }
            processes.push(start("an executor", &words)?);
        }
        let all = options.executors;
        wait(&runtime, &mut processes, || async { rest::executors(&address).await.is_some_and(|there| there >= all) })?;
        say(&address.shown());
        for process in &processes {
            say(&format!("{} is process {}", process.what, process.child.id()));
        }
        runtime.block_on(watch(&mut processes, say))
    };
    if ours {
        // Executors emptied their directories; what a killed one left goes with the folder.
        let _ = std::fs::remove_dir_all(&folder);
    } else {
        for at in 1..=options.executors {
            // The directory of a killed executor still holds rows.
            drop(crate::work_dir::WorkDir::take(&folder.join(format!("executor-{at}"))));
        }
    }
    outcome
}

fn start(what: &'static str, words: &[&str]) -> Result<Process> {
    let failed = |source: std::io::Error| ClusterError::Process { what, source };
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.arg("cluster").args(words).arg("--with-parent");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::inherit());
    // Only this process handles Ctrl-C; the others end in order when their pipe is closed.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(Process { child: command.spawn().map_err(failed)?, what, is_reported: false })
}

/// Waits until something holds; no process may end before.
fn wait<F: Future<Output = bool>>(
    runtime: &tokio::runtime::Runtime,
    processes: &mut [Process],
    holds: impl Fn() -> F,
) -> Result<()> {
    let begun = Instant::now();
    while !runtime.block_on(holds()) {
        for process in processes.iter_mut() {
            if !matches!(process.child.try_wait(), Ok(None)) {
                return Err(ClusterError::Ended(process.what));
            }
        }
        if begun.elapsed() > START {
            return Err(ClusterError::Process { what: "the cluster", source: std::io::ErrorKind::TimedOut.into() });
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// Until we are asked to end, or the scheduler ends. A lost executor is reported, and the others go on.
async fn watch(processes: &mut [Process], say: &mut dyn FnMut(&str)) -> Result<()> {
    let mut look = tokio::time::interval(Duration::from_millis(250));
    let asked = ended(false);
    tokio::pin!(asked);
    loop {
        tokio::select! {
            () = &mut asked => return Ok(()),
            _ = look.tick() => {
                for (at, process) in processes.iter_mut().enumerate() {
                    if process.is_reported || matches!(process.child.try_wait(), Ok(None)) {
                        continue;
                    }
                    if at == 0 {
                        return Err(ClusterError::Ended(process.what));
                    }
                    process.is_reported = true;
                    say(&format!("{} (process {}) is lost", process.what, process.child.id()));
                }
            }
        }
    }
}

/// Ctrl-C, a polite kill, or the end of the process at the other end of our standard input.
pub(crate) async fn ended(with_parent: bool) {
    tokio::select! {
        () = parent_gone(with_parent) => {}
        () = signalled() => {}
    }
}

/// The end of the process at the other end of our standard input; never, when there is none.
pub(crate) async fn parent_gone(with_parent: bool) {
    if !with_parent {
        return std::future::pending().await;
    }
    let mut nothing = [0; 64];
    let mut pipe = tokio::io::stdin();
    while pipe.read(&mut nothing).await.is_ok_and(|read| read > 0) {}
}

#[cfg(unix)]
async fn signalled() {
    use tokio::signal::unix::{SignalKind, signal};
    match (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
        (Ok(mut terminated), Ok(mut hung_up)) => tokio::select! {
            _ = terminated.recv() => {}
            _ = hung_up.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        },
        _ => {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}

#[cfg(not(unix))]
async fn signalled() {
    let _ = tokio::signal::ctrl_c().await;
}
