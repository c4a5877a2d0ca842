//! The verifier: checks released bytes independently and shares no code with what wrote them.
//!
//! A release is a folder with a manifest ([`Manifest`]). [`verify`] reads both, forms the classes of the published rows
//! in its own way and puts them before its own literal definition of each model. [`verify_staged`] does the same before
//! the manifest is written, [`Judge`] before anything is. With the original at hand ([`Against`]) it is also checked
//! that every published row truthfully stands for a row of the original. Of two tables ([`TwoTables`]) it is also asked
//! whether an order of rows or of class ids ties them together. Several tables of the same people ([`TablesManifest`]) are
//! verified each, and people by their rows in all of them. [`sql()`] gives each promise as a query for those who
//! trust neither program, and [`canary`] searches released bytes for values that were removed.
//!
//! No message carries a cell's value.
//!
//! # How to read this crate
//!
//! From top to bottom in this order; each module uses only modules that stand above it, but for `verify`, which uses
//! all of them and is the page to begin with.
//!
//! | module | question |
//! | --- | --- |
//! | `verify` | in which order is a release checked? |
//! | `verdict` | what can the verifier say? |
//! | `manifest/` | what does a release say of itself, and was it changed afterwards? |
//! | `options` | what may the caller ask for? |
//! | `read/` | how do the bytes of a file become rows of codes, and what makes a file unreadable? |
//! | `count/` | how do rows become classes? |
//! | `models/` | when does a class keep a model? One file for each model, with its promise and its SQL |
//! | `integrity/` | does the manifest contradict itself, and are the files those that it lists? |
//! | `release` | how are the files of a release read, and do they agree with the manifest? |
//! | `treatments/` | are the cells of treated columns such as their treatment writes? |
//! | `linked_rows` | do at least k people have the same rows, where pseudonyms link the rows of a person? |
//! | `judge/` | which classes fail: of written files, and of tuples before they are written? |
//! | `tasks/` | how is a release verified by many machines, each of which reads a file? |
//! | `against/` | does every published row stand for a row of the original? |
//! | `population/` | how many people of a population match each class, and do its models hold? |
//! | `two_tables/` | the same questions for a release in two tables, and whether an order joins them |
//! | `linked_tables` | the same questions for several tables, and whether k people have the same rows in all of them |
//! | `canary` | are removed values left in the bytes? |
//! | `sql` | which queries check the promises with another engine? |
//!
//! The crate uses no other crate of the workspace. It has its own manifest types, its own readers, its own grouping and
//! its own definition of each model, so that a fault in a solver, in the engine or in `incrowd-core` cannot vouch for
//! itself.

mod against;
pub mod canary;
mod count;
mod integrity;
mod judge;
mod linked_rows;
mod linked_tables;
mod manifest;
mod models;
mod options;
mod population;
mod read;
mod release;
mod sql;
pub mod tasks;
mod treatments;
mod two_tables;
mod verdict;
mod verify;

pub use judge::{Judge, Judgement, SensitiveColumn};
pub use linked_tables::{tables_are_whole, verify_links};
pub use manifest::{
    Canaries, ColumnEntry, Count, Counts, DELTA_LOG, DeltaEntry, FORM, FileDialect, FileEntry, Format, Labels,
    MANIFEST, Manifest, ManifestError, Policy, PopulationEntry, ReportEntry, Role, Rule, TableEntry, TablesManifest,
    Technique, TwoTables, ValueType, Verified,
};
pub use options::{Against, Options, PopulationTable};
pub use population::population_sha256;
pub use read::panic_is_caught;
pub use sql::{ModelSql, sql};
pub use verdict::{Fault, FaultKind, ModelVerdict, NotChecked, TableVerdict, Verdict, VerifyError};
pub use verify::{files_are_whole, verify, verify_staged};
