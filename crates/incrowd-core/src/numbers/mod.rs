//! Numbers that are compared exactly, and how numbers are written for a person.

mod format;
mod fraction;
mod positive;
mod ratio;
mod wide_product;

pub use format::{counted, percent, size, thousands};
pub use positive::{NotAboveZero, Positive};
pub use ratio::{NotAShare, Ratio};

pub(crate) use fraction::{Fraction, PARTS, decimal};
pub(crate) use wide_product::at_most;
