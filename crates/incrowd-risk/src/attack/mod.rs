//! Attacks: what an adversary gets out of a release, measured before it is written.
//!
//! An attack sees what will be published and nothing else. The truth is known to whoever holds the table, and is used to
//! count how often the adversary is right. Every attack says the same thing at the end, an [`Outcome`]: how often it
//! succeeds, and how often somebody would who does not run it.

pub mod learning;
mod scaling;
mod two_tables;

pub use incrowd_core::{Figure, Outcome};
pub use two_tables::{Sampling, TwoTables};
