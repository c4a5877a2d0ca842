//! A set of columns of a table, as a diagnosis searches over them.

use serde::{Deserialize, Serialize};

/// A set of columns of one table, by position. At most [`ColumnSet::CAPACITY`] columns.
///
/// ```
/// use incrowd_core::ColumnSet;
/// let pair = ColumnSet::from_iter([0, 3]);
/// assert!(pair.is_subset(ColumnSet::first(4)));
/// assert_eq!(pair.iter().collect::<Vec<_>>(), [0, 3]);
/// assert_eq!(pair.with(1).len(), 3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ColumnSet(u128);

impl ColumnSet {
    /// The largest number of columns a set can hold.
    pub const CAPACITY: usize = 128;

    /// The empty set.
    pub const EMPTY: ColumnSet = ColumnSet(0);

    /// The first `n` columns.
    pub fn first(n: usize) -> Self {
        assert!(n <= Self::CAPACITY, "a column set holds at most {} columns", Self::CAPACITY);
        if n == Self::CAPACITY { ColumnSet(u128::MAX) } else { ColumnSet((1 << n) - 1) }
    }

    /// A single column.
    pub fn single(column: usize) -> Self {
        ColumnSet::EMPTY.with(column)
    }

    /// This set and one more column.
    pub fn with(self, column: usize) -> Self {
        assert!(column < Self::CAPACITY, "a column set holds at most {} columns", Self::CAPACITY);
        ColumnSet(self.0 | 1 << column)
    }

    /// This set less one column.
    pub fn without(self, column: usize) -> Self {
        ColumnSet(self.0 & !(1 << column))
    }

    /// Both sets together.
    pub fn union(self, other: Self) -> Self {
        ColumnSet(self.0 | other.0)
    }

    /// Whether the column is in the set.
    pub fn contains(self, column: usize) -> bool {
        column < Self::CAPACITY && self.0 >> column & 1 == 1
    }

    /// Whether every column of this set is in the other.
    pub fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// How many columns are in the set.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The columns, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> + Clone {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let next = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(next)
        })
    }

    /// The sets that have one column less.
    pub fn parents(self) -> impl Iterator<Item = ColumnSet> {
        self.iter().map(move |column| self.without(column))
    }
}

impl FromIterator<usize> for ColumnSet {
    fn from_iter<I: IntoIterator<Item = usize>>(columns: I) -> Self {
        columns.into_iter().fold(ColumnSet::EMPTY, ColumnSet::with)
    }
}
