//! A table as everything works on it: its distinct tuples with their counts, and how these are grouped and measured.

mod chunk;
mod class_sizes;
mod column_set;
mod dictionary;
mod frequency_table;
mod grouping;
mod layout;
mod members;
mod profile;
mod role;
mod roll_up;
mod shard_tree;
mod tuple_rows;
mod whole_counts;

pub use chunk::{Chunk, ChunkColumn};
pub use class_sizes::{ClassSizes, Suppression};
pub use column_set::ColumnSet;
pub use dictionary::{Dictionary, Kind, MISSING_LABEL, Values, date_label};
pub use frequency_table::{Attribute, FrequencyTable, NOBODY};
pub use grouping::{Class, Grouping, add_up_equal};
pub use layout::{Field, Layout};
pub use members::Members;
pub use profile::ColumnProfile;
pub use role::Role;
pub use shard_tree::ShardTree;
pub use tuple_rows::TupleRows;
pub use whole_counts::WholeCounts;
