//! The same work on a cluster: tasks of ours (`tasks/`), or plain plans, run by executors that hold no code of ours.
//!
//! A [`Cluster`](crate::Cluster) is a session whose plans run elsewhere. Executors that carry this crate are asked whether
//! they do, and then run [`tasks`]: they recode and write rows as a local run does. To all others the engine hands scans,
//! projections, groups, joins, sorts and writes, and nothing else: no function of its own, no table in memory.
//!
//! - *Count* (`count.rs`, `count_by_tasks.rs`, `profile.rs`), in either case: tuples are grouped where the rows are, and only tuples travel. They
//!   become codes here, by the same encoders and the same ranks as in a local scan, so the frequency table is the same, and
//!   the same seed gives the same partition.
//! - *Apply* by plain plans (`apply.rs`): every group came with a keyed SHA-256 of its values (`plans.rs`). A mapping from
//!   hash to published labels is joined with the rows, so neither it nor any row on its way holds a value that is
//!   generalized.
//! - *Split tuples* (`split.rs`): the few rows whose tuple goes to several classes are numbered, and their classes
//!   drawn here, as a local run draws them.
//!
//! Rows, in the end, are the same as those of a local run with the same seed. Tasks write them in the order of a local run
//! with the same key; plain plans in another random one: executors sort the recoded rows by `random()` and write one Parquet
//! file into a private folder beside the release (`exchange.rs`), whose rows the client counts.
//!
//! **A task may run twice.** So random numbers of executors decide nothing but the order of rows, every write has one file
//! with one name, and rows are counted against the files and against the recoding.

mod apply;
mod count;
mod count_by_tasks;
mod exchange;
mod finished;
mod group_coder;
mod plans;
mod profile;
mod read;
mod run;
mod split;
mod tasks;

use datafusion::error::DataFusionError;
use incrowd_core::Stage;

use crate::runtime::error::EngineError;

pub(crate) use self::apply::apply;
pub(crate) use self::count::read_once;
pub(crate) use self::count_by_tasks::agreeing_rows;
pub(crate) use self::profile::profile_columns;
pub(crate) use self::tasks::{CountedByTasks, TaskSizes, apply as apply_by_tasks};
pub use self::tasks::{
    ExecutorClasses, ExecutorCodes, ExecutorShards, NotedShard, ShardTask, SharedFolder, StoreFolder, TaskCall,
    TaskFolder, TaskSpace, of_task, run_task,
};

/// An error of the query engine, without its text, which may quote cells.
fn failed(doing: &'static str, error: &DataFusionError) -> EngineError {
    let kind = match error.find_root() {
        DataFusionError::ResourcesExhausted(_) => "memory limit exceeded",
        DataFusionError::ObjectStore(_) | DataFusionError::IoError(_) => "the file could not be read",
        DataFusionError::ParquetError(_) => "the Parquet file is damaged or uses an unknown feature",
        DataFusionError::ArrowError(..) => "the content of the file does not match its metadata",
        DataFusionError::NotImplemented(_) => "not supported by the query engine",
        _ => "unknown cause",
    };
    EngineError::Engine { doing, kind }
}

/// Executors answer with the types that their plan has; another one is not read.
fn misfit(stage: Stage) -> EngineError {
    EngineError::Engine { doing: stage.name(), kind: "a column does not have its type" }
}
