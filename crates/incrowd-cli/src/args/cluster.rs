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
    /// Start a scheduler and executors on this machine, until Ctrl-C
    Up {
        /// How many executors
        #[arg(long, value_name = "N", default_value_t = 2, value_parser = count)]
        executors: usize,
        /// The scheduler's port [default: a free one]
        #[arg(long, value_name = "PORT")]
        port: Option<u16>,
        /// The folder for the executors' work directories, which hold raw values while a run lasts [default: a new one in
        /// the system's place]
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        work_dir: Option<PathBuf>,
        /// Tasks that each executor runs at once [default: a fair share of the cores]
        #[arg(long, value_name = "N", value_parser = count)]
        cores: Option<usize>,
        /// Memory for the tasks of each executor, such as 4GiB
        #[arg(long, value_name = "SIZE", value_parser = size)]
        memory: Option<u64>,
    },
    /// Run the scheduler of a cluster
    Scheduler {
        /// The address to listen on. Whoever reaches it can read every table that executors can
        #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
        bind: String,
        /// The port to listen on
        #[arg(long, value_name = "PORT", default_value_t = 50050)]
        port: u16,
        /// End when the standard input does
        #[arg(long, hide = true)]
        with_parent: bool,
    },
    /// Run an executor of a cluster
    Executor {
        /// The scheduler it works for, such as df://host:50050
        #[arg(long, value_name = "URL")]
        scheduler: String,
        /// The address to listen on. Other executors and clients fetch rows there
        #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
        bind: String,
        /// The name or address under which others reach it [default: the address it listens on]
        #[arg(long, value_name = "HOST")]
        advertise: Option<String>,
        /// The port to listen on [default: a free one]
        #[arg(long, value_name = "PORT")]
        port: Option<u16>,
        /// Where rows are kept between stages: raw values. A directory of its own, emptied at every start and end
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        work_dir: PathBuf,
        /// Tasks that run at once [default: all cores]
        #[arg(long, value_name = "N", value_parser = count)]
        cores: Option<usize>,
        /// Memory for tasks, such as 4GiB [default: most of what there is]
        #[arg(long, value_name = "SIZE", value_parser = size)]
        memory: Option<u64>,
        /// End when the standard input does
        #[arg(long, hide = true)]
        with_parent: bool,
    },
}
