//! Merging after the deadline: classes that do not keep the policy are merged with their neighbours.
//!
//! The comparison of all classes with all is left out ([`merge_until_kept`](crate::solver::repair::merge_until_kept)).
//! Failing classes are sorted by their smallest tuples, so that neighbours are alike in the first quasi-identifiers,
//! and merged four by four until they keep the policy. The last one takes in its neighbours among the classes that keep
//! it, twice as many each time: at worst all, and all rows together keep the policy. Each round judges every row that
//! is in a failing class once, and at most a third as many failing classes are left; so it takes n·log n.

use std::collections::HashMap;

use ahash::RandomState;
use incrowd_core::Cell;
use rayon::prelude::*;

use super::price::join_cells;
use super::published::TightenedClass;
use crate::Problem;
use crate::solver::kinds::Kinds;
use crate::solver::start::add_up;

/// Number of failing classes that become one.
const TOGETHER: usize = 4;

/// The classes that keep the policy. Of those that publish alike there is one, unless an id tells them apart.
struct KeptClasses<'a, 't> {
    problem: &'a Problem<'t>,
    kinds: Kinds,
    /// Those that failed again later are without members.
    classes: Vec<TightenedClass>,
    places: HashMap<Vec<Cell>, usize, RandomState>,
}

/// Classes that all keep the policy and of which no two publish alike, unless they are told apart. The rows together
/// have to keep the policy as one class, and of the classes that are given no two may publish alike.
pub(crate) fn merge_quickly(problem: &Problem<'_>, classes: Vec<TightenedClass>) -> Vec<TightenedClass> {
    let mut kept = KeptClasses { problem, kinds: Kinds::new(problem), classes: Vec::new(), places: HashMap::default() };
    let mut failing = kept.sort_in(classes);
    let mut taken = 1;
    while !failing.is_empty() {
        failing.sort_unstable_by(|a, b| a.members[0].cmp(&b.members[0]).then_with(|| a.cells.cmp(&b.cells)));
        let groups: Vec<Vec<TightenedClass>> = match &failing[..] {
            [last] => {
                let neighbours = kept.take_neighbours(last.members[0].0, taken);
                taken *= 2;
                if neighbours.is_empty() {
                    break;
                }
                vec![failing.drain(..).chain(neighbours).collect()]
            }
            _ => {
                let groups = failing.len().div_ceil(TOGETHER);
                let mut left = failing.drain(..);
                (0..groups).map(|_| left.by_ref().take(TOGETHER).collect()).collect()
            }
        };
        let unions = groups.into_par_iter().map(|group| union(problem, group)).collect();
        failing = kept.sort_in(unions);
    }
    // A policy that not even all rows together keep leaves one class.
    kept.classes.into_iter().chain(failing).filter(|class| !class.members.is_empty()).collect()
}

impl KeptClasses<'_, '_> {
    /// Adds the classes that keep the policy, and gives the others back.
    fn sort_in(&mut self, classes: Vec<TightenedClass>) -> Vec<TightenedClass> {
        let judge = |class: TightenedClass| (self.holds(&class), class);
        let judged: Vec<(bool, TightenedClass)> = classes.into_par_iter().map(judge).collect();
        let mut failing = Vec::new();
        for (holds, class) in judged {
            if holds { failing.extend(self.add(class)) } else { failing.push(class) }
        }
        failing
    }

    fn holds(&self, class: &TightenedClass) -> bool {
        self.problem.holds(&self.kinds.count_up(&class.members))
    }

    /// Adds a class that keeps the policy. What it becomes with one that publishes alike is given back if that fails.
    fn add(&mut self, class: TightenedClass) -> Option<TightenedClass> {
        let place = match self.problem.has_class_ids {
            true => None,
            false => self.places.get(&class.cells).copied(),
        };
        let Some(place) = place else {
            self.places.insert(class.cells.clone(), self.classes.len());
            self.classes.push(class);
            return None;
        };
        let mut both = std::mem::take(&mut self.classes[place].members);
        both.extend(class.members);
        add_up(&mut both);
        let both = TightenedClass { members: both, cells: class.cells };
        if self.holds(&both) {
            self.classes[place] = both;
            return None;
        }
        self.places.remove(&both.cells);
        Some(both)
    }

    /// Takes out the `count` classes whose smallest tuples are nearest to a tuple, about half of them on each side.
    fn take_neighbours(&mut self, tuple: usize, count: usize) -> Vec<TightenedClass> {
        let mut classes = std::mem::take(&mut self.classes);
        classes.retain(|class| !class.members.is_empty());
        classes.sort_unstable_by(|a, b| a.members[0].cmp(&b.members[0]).then_with(|| a.cells.cmp(&b.cells)));
        let at = classes.partition_point(|class| class.members[0].0 < tuple);
        let start = at.saturating_sub(count.div_ceil(2)).min(classes.len().saturating_sub(count));
        let end = (start + count).min(classes.len());
        let taken = classes.drain(start..end).collect();
        self.places = (0..).zip(&classes).map(|(at, class)| (class.cells.clone(), at)).collect();
        self.classes = classes;
        taken
    }
}

/// Some classes as one.
fn union(problem: &Problem<'_>, classes: Vec<TightenedClass>) -> TightenedClass {
    let one = |mut a: TightenedClass, b: TightenedClass| {
        a.cells = join_cells(problem, &a.cells, &b.cells).collect();
        a.members.extend(b.members);
        a
    };
    let mut all = classes.into_iter().reduce(one).unwrap_or(TightenedClass { members: Vec::new(), cells: Vec::new() });
    add_up(&mut all.members);
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Lm, Partition, Policy, Ratio};
    use proptest::prelude::*;

    use super::super::test_tables::of_postcodes;
    use super::*;
    use crate::solver::published::merge_alike;

    proptest! {
        #[test]
        fn classes_that_are_merged_quickly_keep_the_policy_and_lose_no_row(
            rows in prop::collection::vec(([0u32..4, 0..3], 1u64..4), 1..30),
            marks in prop::collection::vec(0usize..12, 12),
            (k, alpha, refined, has_class_ids) in (1u64..6, 1u64..5, any::<bool>(), any::<bool>()),
        ) {
            let (table, quasi) = of_postcodes(&["c", "f", "n"], &rows);
            let policy =
                Policy::k_anonymity(k).deassociating("illness", Ratio::new(alpha, 5).unwrap(), &[], refined);
            let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
            let problem = if has_class_ids { problem.with_class_ids() } else { problem };
            let mut classes = vec![Vec::new(); 12];
            for tuple in 0..table.tuples() {
                let rest = table.count(tuple) - 1;
                classes[marks[tuple]].push((tuple, 1));
                classes[(marks[tuple] + tuple) % 12].extend((rest > 0).then_some((tuple, rest)));
            }
            classes.retain(|class| !class.is_empty());
            let merged = merge_quickly(&problem, merge_alike(&problem, classes));
            let all = Partition::single(&table);
            let feasible = problem.holds(all.class(0));
            prop_assert!(!merged.is_empty());
            prop_assert!(!feasible || merged.iter().all(|class| problem.holds(&class.members)));
            let mut partition = Partition::default();
            merged.iter().for_each(|class| partition.push(class.members.iter().copied()));
            prop_assert!(partition.accounts_for(&table));
            let published: std::collections::BTreeSet<&Vec<Cell>> = merged.iter().map(|class| &class.cells).collect();
            prop_assert!(has_class_ids || !feasible || published.len() == merged.len(), "two classes publish alike");
        }
    }
}
