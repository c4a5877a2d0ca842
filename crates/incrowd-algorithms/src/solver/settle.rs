//! The last step of every local solver: the partition becomes one whose published classes keep the policy.
//!
//! Classes that publish alike are merged ([`published`](super::published)). A model that does not survive merging is
//! thereby at risk, so every class is judged as it is published, and those that fail are merged with others
//! ([`merge_until_kept`]) until all hold. At worst one class is left: the one that was found to keep the policy before
//! the solver began.

use incrowd_core::{Partition, Stopped};
use rayon::prelude::*;

use super::ClassMembers;
use super::published::merge_alike;
use super::repair::{WEIGHT, merge_until_kept};
use crate::{Budget, Problem};

/// The same rows in classes that all keep the policy and of which no two publish alike, unless they are told apart;
/// ordered by their smallest tuple.
///
/// When the time is over, classes that fail are merged without comparing all of them
/// ([`quick_merge`](super::quick_merge)).
/// Fails only when the work was cancelled.
pub(crate) fn settle(
    problem: &Problem<'_>,
    budget: &Budget,
    classes: Vec<ClassMembers>,
    withheld: ClassMembers,
) -> Result<Partition, Stopped> {
    budget.check()?;
    let mut classes = merge_alike(problem, classes);
    budget.check()?;
    if !classes.par_iter().all(|class| problem.holds(&class.members)) {
        classes = merge_until_kept(problem, budget, classes, WEIGHT)?;
    }
    // Rows of one tuple may part, so the smallest tuple alone does not tell two classes apart; what they publish does,
    // or their members do.
    let mut order: Vec<(usize, usize)> = (0..).zip(&classes).map(|(at, class)| (class.members[0].0, at)).collect();
    order.sort_unstable_by(|a, b| {
        let (one, other) = (&classes[a.1], &classes[b.1]);
        let smallest = a.0.cmp(&b.0);
        smallest.then_with(|| one.cells.cmp(&other.cells)).then_with(|| one.members.cmp(&other.members))
    });
    let mut settled = Partition::default();
    order.into_iter().for_each(|(_, at)| settled.push(classes[at].members.iter().copied()));
    settled.withhold(withheld);
    Ok(settled)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Distortion, Policy};

    use super::super::test_tables::of_postcodes;
    use super::*;

    /// The settled classes of rows of (postcode, protected or not), each a tuple of its own.
    fn settled(policy: &Policy, rows: &[([u32; 2], u64)], classes: Vec<ClassMembers>) -> Vec<ClassMembers> {
        settled_as(false, policy, rows, classes)
    }

    fn settled_as(
        has_class_ids: bool,
        policy: &Policy,
        rows: &[([u32; 2], u64)],
        classes: Vec<ClassMembers>,
    ) -> Vec<ClassMembers> {
        let (table, quasi) = of_postcodes(&["c", "n"], rows);
        let problem = Problem::new(&table, &quasi, policy, &Distortion, 1).unwrap();
        let problem = if has_class_ids { problem.with_class_ids() } else { problem };
        let partition = settle(&problem, &Budget::default(), classes, Vec::new()).unwrap();
        assert!(partition.accounts_for(&table));
        partition.classes().map(<[_]>::to_vec).collect()
    }

    #[test]
    fn classes_that_publish_alike_become_one_and_rows_of_a_tuple_are_added_up() {
        let rows = [([0, 0], 2), ([0, 1], 2), ([3, 1], 2)];
        let classes = vec![vec![(2, 2)], vec![(1, 1), (0, 1)], vec![(0, 1), (1, 1)]];
        assert_eq!(settled(&Policy::k_anonymity(2), &rows, classes), [vec![(0, 2), (1, 2)], vec![(2, 2)]]);
    }

    #[test]
    fn classes_that_an_id_tells_apart_stay_apart_unless_they_fail() {
        let rows = [([0, 0], 3), ([0, 1], 2), ([3, 1], 2)];
        let classes = vec![vec![(2, 2)], vec![(1, 1), (0, 1)], vec![(0, 1), (1, 1)], vec![(0, 1)]];
        let kept = settled_as(true, &Policy::k_anonymity(2), &rows, classes);
        assert_eq!(kept, [vec![(0, 1), (1, 1)], vec![(0, 2), (1, 1)], vec![(2, 2)]]);
    }

    /// Two pairs that publish alike keep the refined rule at α = 1/10 each, but not together: they join the nearest
    /// class, and when the result fails too, the next one.
    #[test]
    fn a_class_that_fails_as_published_is_merged_with_the_nearest() {
        let policy = Policy::k_anonymity(2).deassociating("illness", "0.1".parse().unwrap(), &["c"], true);
        let rows = [([0, 0], 2), ([0, 1], 2), ([1, 1], 8), ([3, 1], 40)];
        let pairs = vec![vec![(0, 1), (1, 1)], vec![(0, 1), (1, 1)]];
        let far = [pairs.clone(), vec![vec![(2, 8)], vec![(3, 40)]]].concat();
        assert_eq!(settled(&policy, &rows, far), [vec![(0, 2), (1, 2), (2, 8)], vec![(3, 40)]]);
        let rows = [([0, 0], 2), ([0, 1], 2), ([1, 1], 2), ([3, 1], 40)];
        let near = [pairs, vec![vec![(2, 2)], vec![(3, 40)]]].concat();
        assert_eq!(settled(&policy, &rows, near), [vec![(0, 2), (1, 2), (2, 2), (3, 40)]]);
    }
}
