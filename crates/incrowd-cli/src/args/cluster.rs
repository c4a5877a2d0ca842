//! Arguments about clusters.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::options::help;
use super::parse::{count, size};

/// Where tables are counted and recoded.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct ClusterArgs {
    #[arg(long, help = help("cluster"), value_name = "URL")]
    pub(crate) cluster: Option<String>,
}

#[derive(Debug, Args)]
// The words are the same in every build; one without clusters only says how to get one with.
#[cfg_attr(not(feature = "cluster"), allow(dead_code))]
pub(crate) struct ClusterCommand {
    #[command(subcommand)]
    pub(crate) action: ClusterAction,
}

#[derive(Debug, Subcommand)]
#[cfg_attr(not(feature = "cluster"), allow(dead_code))]
pub(crate) enum ClusterAction {
    /// Run a scheduler and executors on this machine until Ctrl-C
    Up {
        /// Number of executors
        #[arg(long, value_name = "N", default_value_t = 2, value_parser = count)]
        executors: usize,
        /// Port of the scheduler [default: a free one]
        #[arg(long, value_name = "PORT")]
        port: Option<u16>,
        /// Folder for the work directories of the executors, which contain raw values during a run [default: a new
        /// temporary folder]
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        work_dir: Option<PathBuf>,
        /// Tasks that each executor runs in parallel [default: a fair share of the cores]
        #[arg(long, value_name = "N", value_parser = count)]
        cores: Option<usize>,
        /// Memory for the tasks of each executor, such as 4GiB
        #[arg(long, value_name = "SIZE", value_parser = size)]
        memory: Option<u64>,
    },
    /// Run the scheduler of a cluster
    Scheduler {
        /// Address to listen on. Anyone who can reach it can read every table that the executors can read
        #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
        bind: String,
        /// Port to listen on
        #[arg(long, value_name = "PORT", default_value_t = 50050)]
        port: u16,
        /// End when stdin ends
        #[arg(long, hide = true)]
        with_parent: bool,
    },
    /// Run an executor of a cluster
    Executor {
        /// Scheduler of the cluster, such as df://host:50050
        #[arg(long, value_name = "URL")]
        scheduler: String,
        /// Address to listen on. Other executors and clients fetch rows from it
        #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
        bind: String,
        /// Host name or address that others use to reach it [default: the address of --bind]
        #[arg(long, value_name = "HOST")]
        advertise: Option<String>,
        /// Port to listen on [default: a free one]
        #[arg(long, value_name = "PORT")]
        port: Option<u16>,
        /// Directory for rows between stages, which are raw values. Used for nothing else; emptied at every start and
        /// end
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        work_dir: PathBuf,
        /// Tasks to run in parallel [default: all cores]
        #[arg(long, value_name = "N", value_parser = count)]
        cores: Option<usize>,
        /// Memory for tasks, such as 4GiB [default: most of the memory]
        #[arg(long, value_name = "SIZE", value_parser = size)]
        memory: Option<u64>,
        /// End when stdin ends
        #[arg(long, hide = true)]
        with_parent: bool,
    },
}
