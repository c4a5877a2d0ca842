//! Applying what was decided: a second scan that recodes rows, shuffles them and writes the release.
//!
//! The rows are read again, column by column as they are needed: those of the table, to find each row's tuple; those
//! that are published unchanged or treated (`treated_cells.rs`); nothing else. A row gets its class (`lookup.rs`, `row_assignment.rs`) and its place in
//! the release (`shuffle.rs`), waits with its kept cells until all rows are there (`staging.rs`), and is written
//! (`tables.rs`, `write_rows.rs`, `release_file.rs`, `sheet_file.rs`). A release in two tables writes the first so, and shuffles what
//! stands in the second anew on the way (`second_table.rs`). `delta_log.rs` makes the files a Delta table; `upload.rs` brings them
//! into an object store (`upload_objects.rs`, `object_writer.rs`), `fetch_objects.rs` back.
//!
//! The second scan reads the same stretches of the input as the first one. A value that the first scan did not meet has
//! no code in the [`Codebook`](crate::Codebook): the input changed, and the run is refused.

pub(crate) mod apply;
pub(crate) mod class_ids;
pub(crate) mod csv_text;
pub(crate) mod delta_log;
pub(crate) mod fetch_objects;
pub(crate) mod kept_cells;
pub(crate) mod labels;
pub(crate) mod memory_shares;
pub(crate) mod object_writer;
pub(crate) mod postgres;
pub(crate) mod publish_outcome;
pub(crate) mod publishing;
pub(crate) mod recipe;
pub(crate) mod release_file;
pub(crate) mod row_assignment;
mod row_file;
pub(crate) mod second_table;
mod sheet_file;
pub(crate) mod shuffle;
pub(crate) mod staging;
mod statistics_file;
pub(crate) mod table_writer;
pub(crate) mod tables;
pub(crate) mod text_dialect;
pub(crate) mod treated_cells;
mod treated_rows;
pub(crate) mod upload;
mod upload_objects;
pub(crate) mod write_rows;
pub(crate) mod written_objects;
