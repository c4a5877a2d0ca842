//! Questions about a table or a release. Nothing here writes a release.
//!
//! `check` and `diagnose` ask what a table reveals; `attack` what an attacker finds in a release; `query` and
//! `compare` what it is worth; `verify` whether it keeps what it promises; `explain` which rule changed a value. `live` keeps
//! a table in memory for somebody who changes roles and looks again, `feasible` says at once what cannot be promised, and
//! `lattice` measures all full-domain recodings.

pub mod attack;
pub(crate) mod check;
pub mod compare;
pub(crate) mod diagnose;
pub(crate) mod explain;
pub(crate) mod feasible;
pub(crate) mod lattice;
pub(crate) mod live;
pub mod query;
mod tuple_columns;
pub(crate) mod verify;
