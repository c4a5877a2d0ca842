//! Classes are put before the models: those of written files, and those of tuples that are about to be written.

mod counted;
mod files;
mod tuples;

pub(crate) use counted::{CountedClasses, faults};
pub(crate) use files::{JudgedColumns, add, judge_files};
pub use tuples::{Judge, Judgement, SensitiveColumn};
