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
mod count;
mod integrity;
mod judge;
mod manifest;
mod models;
mod read;
mod sql;
mod two_tables;
mod verdict;
mod verify;

pub use against::Against;
pub use judge::{Judge, Judgement, SensitiveColumn};
pub use manifest::{
    Canaries, ColumnEntry, Count, Counts, FORM, FileEntry, Format, Labels, MANIFEST, Manifest, ManifestError, Policy,
    ReportEntry, Role, Rule, Technique, TwoTables, ValueType, Verified,
};
pub use read::panic_is_caught;
pub use sql::{ModelSql, sql};
pub use verdict::{Fault, FaultKind, ModelVerdict, NotChecked, Verdict, VerifyError};
pub use verify::{Options, files_are_whole, verify, verify_staged};
