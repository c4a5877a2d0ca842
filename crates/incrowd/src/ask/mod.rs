//! Questions about a table or a release. Nothing here writes a release.
//!
//! `check` and `diagnose` ask what a table reveals; `attack` what an attacker finds in a release; `query` and
//! `compare` what it is worth; `verify` whether it keeps what it promises; `explain` which rule changed a value.

pub mod attack;
pub(crate) mod check;
pub mod compare;
pub(crate) mod diagnose;
pub(crate) mod explain;
pub mod query;
mod tuple_columns;
pub(crate) mod verify;
