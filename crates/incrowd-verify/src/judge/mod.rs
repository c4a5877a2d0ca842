//! Classes are put before the models: those of written files, and those of tuples that are about to be written.

pub(crate) mod counted;
pub(crate) mod files;
mod tuples;

pub use tuples::{Judge, Judgement, SensitiveColumn};
