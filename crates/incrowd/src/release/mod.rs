//! A release as a folder: how it gets there, and what the custodian keeps beside it.

mod ledger;
mod record;
mod staging;

pub use ledger::{Entry, Ledger, ReleasedBefore};
pub use record::{Reading, Record};
pub(crate) use staging::{MANIFEST, Staging, internal_of};
