//! The only crate that knows DataFusion and tokio: it moves data, it does not decide.
//!
//! A table is opened sceptically ([`Source::open`]), read column by column ([`Source::profile`]) and counted
//! ([`Source::count`]) into the frequency table that everything else works on. What was decided on it is carried out by
//! [`Source::apply`]: rows are recoded, shuffled and written. With a [`Cluster`] both are done by executors (`remote/`).

mod apply;
mod arrow_file;
mod by_class;
mod collect;
mod count;
mod dense;
mod encode;
mod engine;
mod error;
mod file_table;
mod first_line;
mod guard;
mod header;
mod intern;
mod leftovers;
mod limits;
mod locate;
mod memory;
mod merge;
mod outgrown;
mod parquet_file;
mod parts;
mod pipe;
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
mod system_limits;
mod table;
mod temp;
mod typing;
mod way_out;
mod write;
mod zones;

pub use apply::{Applied, Codebook, PublishedColumn, Recipe, RowRecipe, WrittenFile};
pub use by_class::RowsByClass;
pub use count::{Answer, AtOnce, Question};
pub use engine::{Engine, MOST_MEMORY, MOST_THREADS, Settings};
pub use error::{CellFault, EngineError, Result};
pub use guard::panic_is_caught;
pub use intern::MAX_CELL_BYTES;
pub use leftovers::{Leftover, remove_leftovers};
pub use limits::{MOST_COLUMNS, MOST_LINE_BYTES, Part};
pub use outgrown::{ByRow, Outgrown, RowCodes, Shards};
pub use pipe::STANDARD_INPUT;
pub use profile::MOST_DISTINCT;
pub use remote::{Cluster, Fault, Jobs, Tasks};
pub use source::{Format, ReadOptions};
pub use spellings::Spellings;
pub use sql::parse_query;
pub use table::Source;
pub use write::{TableWriter, Target};
