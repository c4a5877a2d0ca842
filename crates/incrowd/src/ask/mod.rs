//! Questions about a table or a release. Nothing here writes a release.
//!
//! `check` and `diagnose` ask what a table gives away; `query` and `compare` what a release is worth; `verify` whether it
//! keeps what it promises; `explain` which rule changed a value.

pub(crate) mod check;
pub mod compare;
pub(crate) mod diagnose;
pub(crate) mod explain;
pub mod query;
mod tuple_columns;
pub(crate) mod verify;
