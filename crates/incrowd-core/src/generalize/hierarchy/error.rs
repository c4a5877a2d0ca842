//! What can be wrong with a hierarchy, in messages that say what is wrong, where, and what to do.
//!
//! A leaf of a hierarchy is a value of a column, which is about people, and any label may look like one. So an error
//! names lines and cells, and never their content.

use thiserror::Error;

/// Why a hierarchy cannot be read, built or used for a column.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// The file has no line.
    #[error("the hierarchy is empty: write one line per value, from the value up to the root, such as `Ulm;Germany;*`")]
    Empty,
    /// A quoted cell does not end where a cell ends.
    #[error(
        "line {line}: a quoted cell is not closed before the next separator: write the closing quote, and double any \
         quote inside the cell"
    )]
    Quote {
        /// The line on which the cell begins, from 1.
        line: usize,
    },
    /// A line has another number of cells than the first line.
    #[error(
        "line {line} has {cells} cells and line {first} has {expected}: give all lines the same number of cells (a \
         label may repeat on the next level), or allow lines of different lengths"
    )]
    Ragged {
        /// The line, from 1.
        line: usize,
        /// Its cells.
        cells: usize,
        /// The first line of the file.
        first: usize,
        /// The cells of the first line.
        expected: usize,
    },
    /// A line has more cells than a hierarchy has levels.
    #[error("line {line} has more than {most} cells, the maximum number of levels: remove levels")]
    TooManyLevels {
        /// The line, from 1.
        line: usize,
        /// The most cells of a line.
        most: usize,
    },
    /// Lines of different length that would be filled up to more cells than are held.
    #[error("{lines} lines of {levels} levels are too many for one hierarchy: remove levels or lines")]
    TooManyCells {
        /// The lines.
        lines: usize,
        /// The levels of the longest.
        levels: usize,
    },
    /// A label is empty. Only the first cell of a line may be: it stands for the missing value.
    #[error(
        "line {line}: cell {} is empty: give the node a label (only the first cell may be empty, for the missing value)",
        level + 1
    )]
    EmptyLabel {
        /// The line, from 1.
        line: usize,
        /// The level of the label; leaves have level 0.
        level: usize,
    },
    /// Two lines have the same leaf.
    #[error("line {line} and line {first} have the same value: remove one of the two lines")]
    DuplicateLeaf {
        /// The later line, from 1.
        line: usize,
        /// The earlier line.
        first: usize,
    },
    /// A label of one level is below two different labels of the next.
    #[error(
        "line {line} and line {first} have the same label in cell {} and different labels above it: give the label \
         one parent, or use two different labels",
        level + 1
    )]
    TwoParents {
        /// The later line, from 1.
        line: usize,
        /// The earlier line.
        first: usize,
        /// The level of the label with two parents; leaves have level 0.
        level: usize,
    },
    /// Some lines end in `*` and some do not.
    #[error("line {line} does not end in \"*\" and line {first} does: end every line in \"*\", or none")]
    NoRoot {
        /// A line that does not end in `*`, from 1.
        line: usize,
        /// A line that ends in `*`.
        first: usize,
    },
    /// `*` is between a leaf and a root of another name.
    #[error(
        "line {line}: \"*\" (cell {}) is below another label, but it means every value: move it to the end of the line \
         or rename it",
        level + 1
    )]
    StarBelowRoot {
        /// The line, from 1.
        line: usize,
        /// The level of the label; leaves have level 0.
        level: usize,
    },
    /// One label stands for different leaves in two places. Not named: a leaf is a value of the column.
    #[error(
        "line {first}, cell {} and line {line}, cell {} have the same label for different values, so they could not \
         be distinguished in a release: rename one of the two",
        first_level + 1,
        level + 1
    )]
    SameLabel {
        /// The later line, from 1.
        line: usize,
        /// The level of the label on it; leaves have level 0.
        level: usize,
        /// The earlier line, or the same.
        first: usize,
        /// The level of the label there.
        first_level: usize,
    },
    /// A label below the root is the same as that of the root, and has fewer leaves.
    #[error(
        "line {line}: cell {} has the label of the root, which means every value, so the two could not be \
         distinguished in a release: rename one of the two",
        level + 1
    )]
    SameAsRoot {
        /// The line, from 1.
        line: usize,
        /// The level of the label; leaves have level 0.
        level: usize,
    },
    /// A value of the column is the same as a label of the hierarchy that is built for the column.
    #[error(
        "a value of the column is the same as a label that its hierarchy has for other values (`*`, or a prefix that \
         ends in `*`), so the two could not be distinguished in a release: rename the value, or give a hierarchy file \
         with other labels"
    )]
    ValueLikeLabel,
    /// A hierarchy is to be built for a column without values.
    #[error("all values of the column are missing, so it cannot be generalized: leave it out of the quasi-identifiers")]
    NoValues,
    /// A builder does not suit the type of the column.
    #[error("a hierarchy of {wanted} does not suit a column of type {kind}: choose another one, or give a file")]
    WrongKind {
        /// What the builder makes.
        wanted: &'static str,
        /// The kind of the column.
        kind: &'static str,
    },
    /// An interval width is zero, negative, endless or too fine.
    #[error(
        "the interval width {width} cannot be used: give a number above 0 and below 10^25, with at most 12 decimals"
    )]
    BadWidth {
        /// The width.
        width: f64,
    },
    /// The place where intervals begin is endless or too fine.
    #[error("intervals cannot begin at {origin}: give a number below 10^25 with at most 12 decimals, such as 0")]
    BadOrigin {
        /// The place.
        origin: f64,
    },
    /// An interval width is not a multiple of the one below it.
    #[error(
        "the interval width {width} is not a multiple of {below}, the width below it: intervals must nest, as in 5, 10, 20"
    )]
    NotMultiple {
        /// The width.
        width: f64,
        /// The next smaller width.
        below: f64,
    },
    /// The column has numbers too large to be put into intervals exactly.
    #[error(
        "the column has numbers of 10^25 or more, which cannot be put into intervals exactly: give a hierarchy file"
    )]
    TooLarge,
    /// Prefix lengths do not decrease, or do not suit the column.
    #[error("the prefix length {length} cannot be used: give decreasing lengths, from below {longest} down to 1")]
    BadPrefix {
        /// The length.
        length: usize,
        /// The length of the longest value.
        longest: usize,
    },
    /// Values of the column are not leaves of the hierarchy.
    #[error(
        "{uncovered} of the column's {values} distinct values have no line in the hierarchy: add a line for each of \
         them (a check of the hierarchy against the table can list them)"
    )]
    Uncovered {
        /// How many values have no leaf.
        uncovered: usize,
        /// How many distinct values the column has.
        values: usize,
    },
    /// A node of a hierarchy is not an interval of an ordered column.
    #[error(
        "a node of the hierarchy has values that are not consecutive in the order of the column: use the hierarchy as \
         a tree instead of nested intervals"
    )]
    NotIntervals,
    /// A set domain would need more than 64 leaves.
    #[error("{leaves} values are too many for sets of values, which have at most 64: use a hierarchy for this column")]
    TooManyForSets {
        /// How many leaves there are.
        leaves: usize,
    },
    /// Values could be read as sets, or as several values of one.
    #[error(
        "{values} of the column's values contain a brace or a comma before a space, or are empty, `*` or look like a \
         missing value, so sets of them could not be read: use a hierarchy for this column"
    )]
    UnreadableSets {
        /// How many values there are.
        values: usize,
    },
}
