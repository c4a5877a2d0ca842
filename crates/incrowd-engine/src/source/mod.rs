//! What a table is and how its rows are read: files, frames in memory, databases and object stores.
//!
//! A file is inspected before it is believed (`probe.rs`, `header.rs`, `first_line.rs`, `arrow_file/`,
//! `parquet_file/`), and read again and again in the same stretches and order ([`table::Source`]).

pub(crate) mod arrow_file;
pub(crate) mod coding;
mod file_fault;
pub(crate) mod file_table;
pub(crate) mod files;
mod first_line;
pub(crate) mod header;
pub(crate) mod instants;
mod locate;
mod memory;
pub(crate) mod parquet_file;
pub(crate) mod pipe;
pub(crate) mod postgres;
mod probe;
pub(crate) mod spellings;
pub(crate) mod stores;
pub(crate) mod table;
pub(crate) mod zones;
