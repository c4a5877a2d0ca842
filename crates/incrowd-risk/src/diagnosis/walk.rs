//! Measuring many sets of columns with few passes over the tuples.
//!
//! The sets are split by the column with the most values: those without it share one roll-up that drops it, and the
//! same is done again on each side. So almost every set is measured on a grouping that is already small, and at any
//! time no more groupings are alive than there are columns, times the threads.

use std::sync::atomic::{AtomicU64, Ordering};

use incrowd_core::{ClassSizes, ColumnSet, FrequencyTable, Grouping, Stage, Stopped, Watch};

/// A table's tuples, arranged for measuring sets of some of its columns.
pub(crate) struct SetWalk<'a> {
    watch: &'a Watch,
    grouping: Grouping,
    /// The columns, those with most values first.
    order: Vec<usize>,
}

impl<'a> SetWalk<'a> {
    /// Arranges the columns; the one pass that sees all tuples.
    pub(crate) fn new(table: &FrequencyTable, columns: ColumnSet, watch: &'a Watch) -> Self {
        let mut order: Vec<usize> = columns.iter().collect();
        order.sort_by_key(|&column| std::cmp::Reverse(table.attributes()[column].dictionary.len()));
        SetWalk { watch, grouping: table.grouping().arranged(&order), order }
    }

    /// What `look` makes of the class sizes of each set, in the order of the sets, which are distinct.
    pub(crate) fn measure<T: Send>(
        &self,
        sets: &[ColumnSet],
        look: impl Fn(&ClassSizes) -> T + Sync,
    ) -> Result<Vec<T>, Stopped> {
        let numbered: Vec<(usize, ColumnSet)> = sets.iter().copied().enumerate().collect();
        let (done, total) = (AtomicU64::new(0), Some(sets.len() as u64));
        let counted = |sizes: &ClassSizes| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            self.watch.progress.update(Stage::Diagnose, done, total);
            look(sizes)
        };
        let mut found = self.split(&self.grouping, 0, numbered, &counted)?;
        found.sort_unstable_by_key(|&(number, _)| number);
        Ok(found.into_iter().map(|(_, measure)| measure).collect())
    }

    /// Measures sets that agree on all columns before position `at`, given a grouping that has every column of theirs.
    fn split<T: Send>(
        &self,
        grouping: &Grouping,
        at: usize,
        sets: Vec<(usize, ColumnSet)>,
        look: &(impl Fn(&ClassSizes) -> T + Sync),
    ) -> Result<Vec<(usize, T)>, Stopped> {
        if sets.is_empty() {
            return Ok(Vec::new());
        }
        if self.watch.cancel.is_cancelled() {
            return Err(Stopped);
        }
        let needed = sets.iter().fold(ColumnSet::EMPTY, |all, (_, set)| all.union(*set));
        if needed != grouping.columns() {
            return self.split(&grouping.roll_up(needed), at, sets, look);
        }
        if let [(number, _)] = sets[..] {
            return Ok(vec![(number, look(&grouping.class_sizes()))]);
        }
        let (with, without): (Vec<_>, Vec<_>) = sets.into_iter().partition(|(_, set)| set.contains(self.order[at]));
        let (found, rest) =
            rayon::join(|| self.split(grouping, at + 1, without, look), || self.split(grouping, at + 1, with, look));
        let mut found = found?;
        found.extend(rest?);
        Ok(found)
    }
}

/// The answer of work that is not watched, and therefore not stopped.
pub(crate) fn unwatched<T>(work: impl FnOnce(&Watch) -> Result<T, Stopped>) -> T {
    work(&Watch::default()).unwrap_or_else(|Stopped| unreachable!("nobody holds the flag that stops it"))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use incrowd_core::{Attribute, Cancel, Dictionary, Progress, Role};

    use super::*;

    fn table() -> FrequencyTable {
        let column = |name| Attribute::new(name, Role::QuasiIdentifier, Dictionary::of_texts(["0", "1"]));
        FrequencyTable::from_tuples(vec![column("A"), column("B")], [([0, 0], 2), ([0, 1], 1), ([1, 1], 3)])
    }

    #[test]
    fn a_walk_that_is_stopped_gives_no_answer() {
        let watch = Watch::default();
        watch.cancel.cancel();
        let walk = SetWalk::new(&table(), ColumnSet::first(2), &watch);
        assert_eq!(walk.measure(&[ColumnSet::single(0)], ClassSizes::k), Err(Stopped));
    }

    #[test]
    fn every_measured_set_is_reported_to_the_watcher() {
        struct CountedSteps(Mutex<Vec<u64>>);
        impl Progress for CountedSteps {
            fn update(&self, _: Stage, done: u64, total: Option<u64>) {
                assert_eq!(total, Some(3));
                self.0.lock().expect("no panic").push(done);
            }
        }
        let steps = Arc::new(CountedSteps(Mutex::default()));
        let watch = Watch { cancel: Cancel::default(), progress: steps.clone() };
        let sets = [ColumnSet::single(0), ColumnSet::single(1), ColumnSet::first(2)];
        SetWalk::new(&table(), ColumnSet::first(2), &watch).measure(&sets, ClassSizes::k).expect("not stopped");
        let mut seen = steps.0.lock().expect("no panic").clone();
        seen.sort_unstable();
        assert_eq!(seen, [1, 2, 3]);
    }
}
