//! The grouped scan: values become codes, and rows become counted tuples of codes.
//!
//! Each thread turns cells into codes (`encode.rs`, `intern.rs`) and counts rows of codes (`collect.rs`, `parts.rs`,
//! `dense.rs`), through the disk where memory is short (`spill.rs`). When the scan is over, codes become ranks in
//! sorted dictionaries (`typing.rs`) and equal tuples are added up (`merge.rs`). A [`codebook::Codebook`] finds the
//! tuple of a row again in a later scan.

pub(crate) mod answer;
pub(crate) mod by_class;
pub(crate) mod codebook;
mod collect;
mod count_reader;
mod dense;
pub(crate) mod dictionaries;
pub(crate) mod encode;
mod grouped_scan;
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
