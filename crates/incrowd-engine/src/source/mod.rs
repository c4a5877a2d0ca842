//! What a table is and how its rows are read: files, frames in memory, databases and object stores.
//!
//! A file is inspected before it is believed (`probe.rs`, `header.rs`, `first_line.rs`, `arrow_file/`,
//! `parquet_file/`), and read again and again in the same stretches and order ([`table::Source`]).
//!
//! | file | question |
//! | --- | --- |
//! | `files.rs` | Which files did the user name, and which format do they have? |
//! | `file_table.rs` | Which checks does a file pass before it is read, and which reader reads it? |
//! | `encoding.rs` | How does a text file in another encoding become UTF-8? |
//! | `workbook/` | How does a sheet of a workbook become text? |
//! | `header.rs` | Which delimiter and which column names does a CSV file have? |
//! | `first_line.rs` | Does the first line name the columns, or is it a row? |
//! | `probe.rs` | Are the bytes text, are quotes closed, how many rows are there, may the file be cut into ranges? |
//! | `parquet_file/`, `arrow_file/` | Do the lengths that a typed file declares fit the file? |
//! | `pipe.rs` | How is a source read that can be read only once? |
//! | `text_read.rs`, `parquet_file/read.rs`, `arrow_file/read.rs` | How are the rows of checked files read, by several threads? |
//! | `stretches.rs` | Which part of the files does each thread read? |
//! | `projection.rs`, `stream.rs` | Which columns and rows are read, and why does a stream of them end early? |
//! | `locate.rs` | At which line and column did reading fail? |
//! | `memory.rs` | How are Arrow batches in memory read? |
//! | `postgres/` | How is a table or a query of a database read, the same in every scan? |
//! | `workbook/`, `statistics/` | How is a workbook, or a file of Stata, SPSS or SAS, written once more as text? |
//! | `stores/` | How are files in object stores found and read? |
//! | `coding.rs` | Which columns can be grouped, and what distinguishes their values? |
//! | `zones.rs`, `instants.rs` | Which local time is an instant, and how is it written? |
//! | `spellings.rs` | Which spellings are read as another one? |
//! | `table.rs` | What is a source: its origin, its columns, and streams that read some of them? |

pub(crate) mod arrow_file;
pub(crate) mod coding;
pub(crate) mod decimal_mark;
pub(crate) mod delta;
pub(crate) mod encoding;
mod file_fault;
#[cfg(feature = "cluster")]
pub(crate) mod file_parts;
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
pub(crate) mod projection;
pub(crate) mod spellings;
pub(crate) mod statistics;
pub(crate) mod stores;
pub(crate) mod stream;
mod stretches;
pub(crate) mod table;
mod text_read;
pub(crate) mod workbook;
pub(crate) mod zones;
