//! The last step of every local solver: the partition becomes one whose published classes keep the policy.
//!
//! A class is what the published table shows. Tightened to the join of its members a class may show the same as another
//! one, and then both are one class to everybody who reads the release. So classes that publish alike are merged. A
//! model that does not survive merging is thereby at risk, so every class is judged as it is published, and those that
//! fail are merged with others ([`merge_until_kept`]) until all hold. At worst one class is left: the one that was found to
//! keep the policy before the solver began. When classes are told apart by an id ([`Problem::told_apart`]), a class is what
//! has the id, and none are merged for publishing alike.

use std::collections::HashMap;

use ahash::RandomState;
use incrowd_core::{Cell, Partition, Stopped};
use rayon::prelude::*;

use crate::solver::price::join;
use crate::solver::repair::{WEIGHT, merge_until_kept};
use crate::solver::start::add_up;
use crate::{Budget, Problem};

/// A class as it is published.
pub(crate) struct Published {
    pub(crate) members: Vec<(usize, u64)>,
    pub(crate) cells: Vec<Cell>,
}

/// The same rows in classes that all keep the policy and of which no two publish alike, unless they are told apart; ordered
/// by their smallest tuple.
///
/// When the time is over, classes that fail are merged in haste ([`haste`](crate::solver::quick_merge)).
/// Fails only when the work was cancelled.
pub(crate) fn settle(
    problem: &Problem<'_>,
    budget: &Budget,
    classes: Vec<Vec<(usize, u64)>>,
    withheld: Vec<(usize, u64)>,
) -> Result<Partition, Stopped> {
    budget.check()?;
    let mut classes = merge_alike(problem, classes);
    budget.check()?;
    if !classes.par_iter().all(|class| problem.holds(&class.members)) {
        classes = merge_until_kept(problem, budget, classes, WEIGHT)?;
    }
    // Rows of one tuple may part, so the smallest tuple alone does not tell two classes apart; what they publish does, or
    // their members do.
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

/// The classes, those that publish alike as one, unless they are told apart.
pub(crate) fn merge_alike(problem: &Problem<'_>, classes: Vec<Vec<(usize, u64)>>) -> Vec<Published> {
    let publish = |mut members: Vec<(usize, u64)>| {
        add_up(&mut members);
        Published { cells: join(problem, &members).collect(), members }
    };
    let mut classes: Vec<Published> = classes.into_par_iter().map(publish).collect();
    if problem.told_apart {
        return classes;
    }
    let mut firsts: HashMap<&[Cell], usize, RandomState> =
        HashMap::with_capacity_and_hasher(classes.len(), RandomState::default());
    let first: Vec<usize> = (0..).zip(&classes).map(|(at, class)| *firsts.entry(&class.cells).or_insert(at)).collect();
    let mut grown = Vec::new();
    for (at, first) in first.into_iter().enumerate().filter(|(at, first)| at != first) {
        let members = std::mem::take(&mut classes[at].members);
        classes[first].members.extend(members);
        grown.push(first);
    }
    grown.sort_unstable();
    grown.dedup();
    grown.into_iter().for_each(|at| add_up(&mut classes[at].members));
    classes.retain(|class| !class.members.is_empty());
    classes
}

/// What two classes publish as one.
pub(crate) fn joined<'a>(
    problem: &'a Problem<'_>,
    a: &'a Published,
    b: &'a Published,
) -> impl Iterator<Item = Cell> + 'a {
    let cells = a.cells.iter().zip(&b.cells).zip(problem.quasi_identifiers);
    cells.map(|((&a, &b), quasi)| quasi.domain.join(a, b))
}

/// By how much the loss grows when two classes become one.
pub(crate) fn growth(problem: &Problem<'_>, a: &Published, b: &Published) -> f64 {
    let rows = |class: &Published| class.members.iter().map(|member| member.1).sum::<u64>() as f64;
    let row: f64 = (0..).zip(joined(problem, a, b)).map(|(at, cell)| problem.prices.price(at, cell)).sum();
    rows(a) * (row - problem.prices.row(&a.cells)) + rows(b) * (row - problem.prices.row(&b.cells))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Attribute, Dictionary, Distortion, FrequencyTable, Hierarchy, Policy, QuasiIdentifier, Role};

    use super::*;

    /// The settled classes of rows of (postcode, protected or not), each a tuple of its own.
    fn settled(policy: &Policy, rows: &[([u32; 2], u64)], classes: Vec<Vec<(usize, u64)>>) -> Vec<Vec<(usize, u64)>> {
        settled_as(false, policy, rows, classes)
    }

    fn settled_as(
        told_apart: bool,
        policy: &Policy,
        rows: &[([u32; 2], u64)],
        classes: Vec<Vec<(usize, u64)>>,
    ) -> Vec<Vec<(usize, u64)>> {
        let postcodes = Dictionary::of_texts(["4351", "4352", "4361", "5000"]);
        let hierarchy = Hierarchy::prefix(&postcodes, None).unwrap();
        let quasi = [QuasiIdentifier::new(0, &hierarchy, &postcodes).unwrap()];
        let attributes = vec![
            Attribute::new("postcode", Role::QuasiIdentifier, postcodes),
            Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["c", "n"])),
        ];
        let table = FrequencyTable::from_tuples(attributes, rows.iter().copied());
        let problem = Problem::new(&table, &quasi, policy, &Distortion, 1).unwrap();
        let problem = if told_apart { problem.told_apart() } else { problem };
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
