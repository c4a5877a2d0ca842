//! The same work on a cluster: plain plans, run by executors that hold no code of ours.
//!
//! A [`Cluster`](crate::Cluster) is a session whose plans run elsewhere. The engine hands it scans, projections,
//! groups, joins, sorts and writes, and nothing else: no function of its own, no table in memory. So it does not know
//! what kind of cluster it is.
//!
//! - *Count* (`count.rs`, `profile.rs`): tuples are grouped where the rows are, and only tuples travel. They become
//!   codes here, by the same encoders and the same ranks as in a local scan, so the frequency table is the same, and
//!   the same seed gives the same partition.
//! - *Apply* (`apply.rs`): every group came with a keyed SHA-256 of its values (`plans.rs`). A mapping from hash to
//!   published labels is joined with the rows, so neither it nor any row on its way holds a value that is generalized.
//! - *Split tuples* (`split.rs`): the few rows whose tuple goes to several classes are numbered, and their classes
//!   drawn here, as a local run draws them.
//!
//! Rows, in the end, are the same as those of a local run with the same seed; their order is another random one.
//!
//! Executors sort the recoded rows by `random()` and write one Parquet file into a private folder beside the release
//! (`exchange.rs`). The client takes this file, counts its rows and verifies it as it verifies a file of its own.
//!
//! **A task may run twice.** So random numbers decide nothing but the order of rows, every write has one file with one
//! name, and rows are counted against the files and against the recoding.

mod apply;
mod count;
mod exchange;
mod finished;
mod plans;
mod profile;
mod read;
mod run;
mod split;

use datafusion::error::DataFusionError;
use incrowd_core::Stage;

use crate::runtime::error::EngineError;

pub(crate) use self::apply::apply;
pub(crate) use self::count::read_once;
pub(crate) use self::profile::profile_columns;

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
