//! The sceptic: judges released bytes by itself and shares no code with what wrote them.
//!
//! A release is a folder with a manifest ([`Manifest`]). [`verify`] reads both, forms the classes of the published rows
//! in its own way and puts them before its own literal definition of each model. [`verify_staged`] does the same before
//! the manifest is written, [`Judge`] before anything is. With the original at hand ([`Against`]) it is also checked
//! that every published row truthfully stands for a row of the original. Of two tables ([`TwoTables`]) it is also asked
//! whether an order of rows or of class ids ties them together. [`sql()`] gives each promise as a query for
//! whoever trusts neither, and [`canary`] searches released bytes for values that were removed.
//!
//! No message carries a cell's value.

mod against;
pub mod canary;
mod consistency;
mod count;
mod counted;
mod encode;
mod exact;
mod files;
mod hash;
mod instants;
mod judge;
mod keys;
mod manifest;
mod models;
mod parts;
mod policy;
mod read;
mod sql;
mod tally;
mod texts;
mod told_count;
mod two_tables;
mod verdict;
mod verify;

pub use against::Against;
pub use judge::{Judge, Judgement, SensitiveColumn};
pub use manifest::{
    Canaries, ColumnEntry, Counts, FORM, FileEntry, Format, Labels, MANIFEST, Manifest, ManifestError, ReportEntry,
    Role, Technique, TwoTables, ValueType, Verified,
};
pub use policy::{Policy, Rule};
pub use read::panic_is_caught;
pub use sql::{ModelSql, sql};
pub use told_count::Count;
pub use verdict::{Fault, FaultKind, ModelVerdict, NotChecked, Verdict, VerifyError};
pub use verify::{Options, files_are_whole, verify, verify_staged};
