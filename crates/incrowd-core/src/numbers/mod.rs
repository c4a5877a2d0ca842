//! Numbers that are compared exactly, and how numbers are written for a person.

mod convert;
mod decimal_comma;
mod format;
mod fraction;
mod positive;
mod ratio;
mod wide_product;

pub use decimal_comma::number_with_comma;
pub use format::{counted, percent, size, thousands};
pub use positive::{NotAboveZero, Positive};
pub use ratio::{NotAShare, Ratio};

pub(crate) use convert::{to_u32, to_u64, to_usize, whole_part, wide_whole_part};
pub(crate) use fraction::{Fraction, PARTS, decimal};
pub(crate) use wide_product::at_most;
