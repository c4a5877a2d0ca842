//! Measuring many sets of columns with few passes over the tuples.
//!
//! The sets are split by the column with the most values: those without it share one roll-up that drops it, and the
//! same is done again on each side. So almost every set is measured on a grouping that is already small, and at any
//! time no more groupings are alive than there are columns, times the threads.

use incrowd_core::{ClassSizes, ColumnSet, FrequencyTable, Grouping};

/// A table's tuples, arranged for measuring sets of some of its columns.
pub(crate) struct Walk {
    grouping: Grouping,
    /// The columns, those with most values first.
    order: Vec<usize>,
}

impl Walk {
    /// Arranges the columns; the one pass that sees all tuples.
    pub(crate) fn new(table: &FrequencyTable, columns: ColumnSet) -> Self {
        let mut order: Vec<usize> = columns.iter().collect();
        order.sort_by_key(|&column| std::cmp::Reverse(table.attributes()[column].dictionary.len()));
        Walk { grouping: table.grouping().arranged(&order), order }
    }

    /// The grouping by all the columns.
    pub(crate) fn grouping(&self) -> &Grouping {
        &self.grouping
    }

    /// What `look` makes of the class sizes of each set, in the order of the sets, which are distinct.
    pub(crate) fn measure<T: Send>(&self, sets: &[ColumnSet], look: impl Fn(&ClassSizes) -> T + Sync) -> Vec<T> {
        let numbered: Vec<(usize, ColumnSet)> = sets.iter().copied().enumerate().collect();
        let mut found = self.split(&self.grouping, 0, numbered, &look);
        found.sort_unstable_by_key(|&(number, _)| number);
        found.into_iter().map(|(_, measure)| measure).collect()
    }

    /// Measures sets that agree on all columns before position `at`, given a grouping that has every column of theirs.
    fn split<T: Send>(
        &self,
        grouping: &Grouping,
        at: usize,
        sets: Vec<(usize, ColumnSet)>,
        look: &(impl Fn(&ClassSizes) -> T + Sync),
    ) -> Vec<(usize, T)> {
        if sets.is_empty() {
            return Vec::new();
        }
        let needed = sets.iter().fold(ColumnSet::EMPTY, |all, (_, set)| all.union(*set));
        if needed != grouping.columns() {
            return self.split(&grouping.roll_up(needed), at, sets, look);
        }
        if let [(number, _)] = sets[..] {
            return vec![(number, look(&grouping.class_sizes()))];
        }
        let (with, without): (Vec<_>, Vec<_>) = sets.into_iter().partition(|(_, set)| set.contains(self.order[at]));
        let (mut found, rest) =
            rayon::join(|| self.split(grouping, at + 1, without, look), || self.split(grouping, at + 1, with, look));
        found.extend(rest);
        found
    }
}
