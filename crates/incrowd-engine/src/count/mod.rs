//! The grouped scan: values become codes, and rows become counted tuples of codes.
//!
//! Each thread turns cells into codes (`encode.rs`, `intern.rs`) and counts rows of codes (`collect.rs`, `parts.rs`,
//! `dense.rs`), through the disk where memory is short (`spill.rs`). When the scan is over, codes become ranks in
//! sorted dictionaries (`typing.rs`) and equal tuples are added up (`merge.rs`). A [`codebook::Codebook`] finds the
//! tuple of a row again in a later scan.
//!
//! # Why rows are not counted by a query engine
//!
//! A hash table of strings is larger than packed codes, is slower once it spills, and writes people's values to the disk
//! when it spills. The spill files of this module hold codes and counts; with a subject column they also hold its keyed
//! hashes. The dictionaries and the key stay in memory.
//!
//! One limit follows: the dictionaries must fit in memory, in a fifth of the memory limit.
//!
//! All rows of a class are counted in one part, so parts are judged, spilled and merged one by one. A question about
//! class sizes alone never holds all tuples at once.

pub(crate) mod answer;
pub(crate) mod by_class;
pub(crate) mod codebook;
mod collect;
mod count_reader;
mod dense;
pub(crate) mod dictionaries;
pub(crate) mod encode;
mod grouped_scan;
#[cfg(feature = "cluster")]
pub(crate) mod groups;
pub(crate) mod intern;
pub(crate) mod lookup;
mod merge;
pub(crate) mod outgrown;
pub(crate) mod packer;
mod parts;
pub(crate) mod profile;
pub(crate) mod question;
mod row_classes;
pub(crate) mod scan;
pub(crate) mod spill;
pub(crate) mod typing;
