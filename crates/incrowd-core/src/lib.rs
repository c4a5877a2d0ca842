//! The language of the house: plain types that every other crate of incrowd speaks.
//!
//! No IO, no async, no clock, no global state. A table is read by the engine into a [`FrequencyTable`]; a diagnosis,
//! a solver or an attack is a function of it.

mod chunk;
mod class_sizes;
mod columns;
mod dictionary;
mod grouping;
mod layout;
mod profile;
mod role;
mod table;

pub use chunk::{Cells, Chunk};
pub use class_sizes::{ClassSizes, Suppression};
pub use columns::ColumnSet;
pub use dictionary::{Dictionary, Kind, MISSING_LABEL, Values, date_label};
pub use grouping::{Class, Grouping, add_up_equal};
pub use layout::{Field, Layout};
pub use profile::ColumnProfile;
pub use role::Role;
pub use table::{Attribute, FrequencyTable};
