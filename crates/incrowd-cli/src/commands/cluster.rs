//! `incrowd cluster`: a test cluster, or the processes of a cluster. Only in a build with the feature `cluster`.

use crate::Status;
use crate::args::ClusterCommand;
use crate::printer::{Failure, Printer};

#[cfg(not(feature = "cluster"))]
pub(crate) fn run(_: &ClusterCommand, _: &mut Printer) -> Result<Status, Failure> {
    Err(crate::input::without_clusters())
}

#[cfg(feature = "cluster")]
pub(crate) fn run(args: &ClusterCommand, printer: &mut Printer) -> Result<Status, Failure> {
    use incrowd::cluster::{ExecutorOptions, SchedulerOptions, UpOptions, executor, scheduler, task_runner, up};

    use crate::args::ClusterAction;

    let ran = match &args.action {
        ClusterAction::Up { executors, port, work_dir, cores, memory } => {
            let options = UpOptions {
                executors: (*executors).max(1),
                port: *port,
                work_dir: work_dir.clone(),
                cores: *cores,
                memory: *memory,
            };
            up(&options, &mut |words| printer.now(words))
        }
        ClusterAction::Scheduler { bind, port, with_parent } => {
            scheduler(&SchedulerOptions { bind: bind.clone(), port: *port, with_parent: *with_parent })
        }
        ClusterAction::Executor { scheduler, bind, advertise, port, work_dir, cores, memory, with_parent } => {
            executor(&ExecutorOptions {
                scheduler: scheduler.clone(),
                bind: bind.clone(),
                advertise: advertise.clone(),
                port: *port,
                work_dir: work_dir.clone(),
                cores: *cores,
                memory: *memory,
                with_parent: *with_parent,
                tasks: task_runner(),
            })
        }
    };
    ran.map_err(incrowd::Error::from)?;
    Ok(Status::Clean)
}
