//! A number of rows of one tuple: what classes and partitions are made of.

/// A number of rows of a tuple: the position of the tuple in its table, and how many of its rows are meant.
///
/// The rows of one tuple are alike, so a class does not say which of them it has, only how many.
pub type TupleRows = (usize, u64);
