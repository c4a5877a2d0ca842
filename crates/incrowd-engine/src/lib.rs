//! The only crate that knows DataFusion and tokio: it moves data, it does not decide.
//!
//! A table is opened sceptically ([`Source::open`]), read column by column ([`Source::profile`]) and counted
//! ([`Source::count`]) into the frequency table that everything else works on. What was decided on it is carried out by
//! [`Source::apply`]: rows are recoded, shuffled and written. With a [`Cluster`] both are done by executors (`remote/`).

mod apply;
mod by_class;
mod collect;
mod count;
mod dense;
mod encode;
mod engine;
mod error;
mod file_table;
mod footer;
mod header;
mod intern;
mod leftovers;
mod limits;
mod locate;
mod memory;
mod merge;
mod outgrown;
mod parts;
pub mod postgres;
mod probe;
mod profile;
mod remote;
mod row_classes;
mod scan;
mod source;
mod spellings;
mod spill;
mod sql;
pub mod stores;
mod table;
mod temp;
mod typing;
mod way_out;
mod write;

pub use apply::{Applied, Codebook, PublishedColumn, Recipe, RowRecipe, WrittenFile};
pub use by_class::RowsByClass;
pub use count::{Answer, AtOnce, Question};
pub use engine::{Engine, MOST_MEMORY, MOST_THREADS, Settings};
pub use error::{CellFault, EngineError, Result};
pub use intern::MAX_CELL_BYTES;
pub use leftovers::{Leftover, remove_leftovers};
pub use outgrown::{ByRow, Outgrown, RowCodes, Shards};
pub use profile::MOST_DISTINCT;
pub use remote::{Cluster, Fault, Jobs, Tasks};
pub use source::{Format, ReadOptions};
pub use spellings::Spellings;
pub use sql::parse_query;
pub use table::Source;
pub use write::{TableWriter, Target};
