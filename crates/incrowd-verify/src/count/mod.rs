//! Rows of codes become classes: how many rows each class has, and how many of them have each value.

mod counter;
mod keys;
mod tally;

pub(crate) use counter::Counter;
pub(crate) use keys::Keys;
pub(crate) use tally::Tally;
