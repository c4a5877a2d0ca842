//! A partition: how many rows of each tuple go to which class.
//!
//! This is all that a solver returns. Rows of one tuple may go to different classes; some may be suppressed.

use crate::{FrequencyTable, TupleRows};

/// Classes, each a list of [`TupleRows`], and the rows that are suppressed.
///
/// ```
/// use incrowd_core::Partition;
/// let mut partition = Partition::default();
/// partition.push([(0, 3), (1, 1)]);
/// partition.push([(1, 2)]);
/// partition.withhold([(2, 1)]);
/// assert_eq!((partition.len(), partition.rows(), partition.withheld_rows()), (2, 6, 1));
/// assert_eq!(partition.class(1), [(1, 2)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partition {
    /// Where each class ends in `members`.
    ends: Vec<usize>,
    members: Vec<TupleRows>,
    withheld: Vec<TupleRows>,
}

impl Partition {
    /// All rows in one class.
    pub fn single(table: &FrequencyTable) -> Self {
        let mut partition = Partition::default();
        partition.push(table.tuple_rows());
        partition
    }

    /// Adds a class; one without members is left out.
    pub fn push(&mut self, members: impl IntoIterator<Item = TupleRows>) {
        let before = self.members.len();
        self.members.extend(members);
        if self.members.len() > before {
            self.ends.push(self.members.len());
        }
    }

    /// Withholds rows.
    pub fn withhold(&mut self, members: impl IntoIterator<Item = TupleRows>) {
        self.withheld.extend(members);
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The members of a class.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn class(&self, class: usize) -> &[TupleRows] {
        let start = if class == 0 { 0 } else { self.ends[class - 1] };
        &self.members[start..self.ends[class]]
    }

    /// The classes, in order.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = &[TupleRows]> {
        (0..self.len()).map(|class| self.class(class))
    }

    /// The rows that are suppressed.
    pub fn withheld(&self) -> &[TupleRows] {
        &self.withheld
    }

    /// How many rows are in classes.
    pub fn rows(&self) -> u64 {
        self.members.iter().map(|&(_, rows)| rows).sum()
    }

    /// How many rows are suppressed.
    pub fn withheld_rows(&self) -> u64 {
        self.withheld.iter().map(|&(_, rows)| rows).sum()
    }

    /// Whether every row of the table is in exactly one class or suppressed, and there are no other rows.
    pub fn accounts_for(&self, table: &FrequencyTable) -> bool {
        let mut rows = vec![0u64; table.tuples()];
        for &(tuple, more) in self.members.iter().chain(&self.withheld) {
            match rows.get_mut(tuple) {
                Some(rows) if more > 0 => *rows += more,
                _ => return false,
            }
        }
        rows.iter().enumerate().all(|(tuple, &rows)| rows == table.count(tuple))
    }
}
