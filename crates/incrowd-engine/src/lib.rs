//! The only crate that knows tokio, and with the feature `cluster` DataFusion: it moves data, it does not decide.
//!
//! A table is checked when it is opened ([`Source::open`]), read column by column ([`Source::profile`]) and counted
//! ([`Source::count`]) into the frequency table that everything else works on. What was decided on it is carried out by
//! [`Source::apply`]: rows are recoded, shuffled and written.
//!
//! ```text
//! runtime       threads, memory, private files, limits, errors and remedies
//! source        files, frames, databases and object stores: what a table is and how its rows are read
//! count         one grouped scan: values become codes, rows become counted tuples
//! publish       a second scan: rows are recoded, shuffled and written, to files, PostgreSQL or an object store
//! out_of_core   a table whose tuples do not fit in memory: codes on disk, shard by shard
//! cluster       the same work by executors, as tasks of ours or as plain plans (feature `cluster`)
//! backend       the one place that chooses where rows are counted and written
//! sql           the small part of SQL in which questions are asked
//! ```
//!
//! Each of them uses only those above it; `sql` uses none.
//!
//! The crate uses `incrowd-core` and no other crate of the workspace: it has no solver, no verifier and no attack. Rows
//! are read to count and profile them, and again to write them. Every question in between is answered from the distinct
//! tuples.

mod backend;
#[cfg(feature = "cluster")]
mod cluster;
mod count;
mod out_of_core;
mod publish;
mod runtime;
mod source;
mod sql;

#[cfg(feature = "cluster")]
pub use cluster::{
    ExecutorClasses, ExecutorCodes, ExecutorShards, NotedShard, ShardTask, SharedFolder, StoreFolder, TaskCall,
    TaskFolder, TaskSpace, of_task, run_task,
};
pub use count::answer::Answer;
pub use count::by_class::RowsByClass;
pub use count::codebook::Codebook;
pub use count::outgrown::Outgrown;
pub use count::profile::MOST_DISTINCT;
pub use count::question::{AgreeingRows, AtOnce, Question};
pub use out_of_core::{ByRow, RowCodes, RowRecipe, Shards};
pub use publish::delta_log::delta_log;
pub use publish::publish_outcome::PublishOutcome;
pub use publish::recipe::{Applied, PublishedColumn, Recipe};
pub use publish::release_file::{TextStyle, WrittenFile};
pub use publish::table_writer::{TableWriter, Target};
pub use publish::text_dialect::TextDialect;
pub use publish::treated_cells::CellTreatment;
pub use publish::written_objects::WrittenObjects;
pub use runtime::cluster_fault::ClusterFault;
#[cfg(feature = "cluster")]
pub use runtime::cluster_session::{Cluster, Jobs, TaskJob, TaskTables, Tasks};
pub use runtime::engine::{Engine, MOST_MEMORY, MOST_THREADS, Settings};
pub use runtime::error::{
    CellFault, DeltaReleaseFault, DialectFault, EncodingFault, EngineError, LakehouseFault, Result, StatisticsFault,
    WorkbookFault,
};
pub use runtime::guard::panic_is_caught;
pub use runtime::leftovers::{Leftover, remove_leftovers};
pub use runtime::limits::{FilePart, MAX_CELL_BYTES, MOST_COLUMNS, MOST_LINE_BYTES};
pub use runtime::remedy::{
    ClusterRemedy, ColumnRemedy, DatabaseRemedy, FileRemedy, Remedy, RowsRemedy, Sentence, Setting, Spelling,
    StoreRemedy, SystemRemedy,
};
pub use runtime::system_words::system_words;
pub use source::encoding::TextEncoding;
pub use source::files::{Format, ReadOptions};
pub use source::pipe::STANDARD_INPUT;
pub use source::spellings::Spellings;
pub use source::statistics::{StatisticsFacts, StatisticsValue, StatisticsVariable};
pub use source::table::Source;
pub use source::workbook::{CellRange, SheetOptions, WorkbookFacts};
pub use sql::parse_query;

/// What differs between operating systems: private files and folders, folders as files, pipes.
pub mod platform {
    pub use crate::runtime::platform::{close, create_private_folder, lock_folder, private, sync_file, sync_folder};
}

/// PostgreSQL: a table or a query as a source, and tables as a release.
pub mod postgres {
    pub use crate::publish::postgres::{Publication, fetch_release};
    pub use crate::runtime::database_fault::DatabaseFault;
    pub use crate::source::postgres::PREFIX;
}

/// Object stores: `s3://`, `gs://` and `az://` as places of tables and of releases.
pub mod stores {
    pub use crate::publish::fetch_objects::fetch_release;
    pub use crate::publish::upload::Upload;
    pub use crate::runtime::store_fault::StoreFault;
    pub use crate::source::stores::is_remote;
    #[cfg(feature = "cluster")]
    pub use crate::source::stores::object_store;
}
