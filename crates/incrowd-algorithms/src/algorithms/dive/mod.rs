//! Linear programme dive: classes from the records that the linear programme of all releases opens, recombined.
//!
//! The programme that the lower bound is found by (`bounds/lower_bound/linear_programme/`) divides rows among records.
//! A dive opens records one after the other until nearly all rows are taken; rows go where most of them was taken
//! ([`assign`]), and what is left is cut from the cheapest records. As it stands such a partition loses more than that of
//! cheapest-first, but refinement lowers it further: which records are opened matters more than how well rows are
//! assigned to them.
//!
//! **Annealing** ([`anneal`]). Before it is refined, the partition is annealed: records that the programme nearly opens
//! are opened and closed by turns. That is quick, and finds better records than refinement, which looks at a few classes
//! at a time.
//!
//! **Recombination** ([`recombine`]). Some dives, each refined, end differently. Then a dive is made among the records
//! of these releases alone ([`released`]): they are few, so their linear programme is solved quickly, and it opens what
//! is best in each of them. The result is refined and takes part in the next dive.
//!
//! **The bound** is searched on between the turns. So the linear programme is nearly solved when the releases are found,
//! and a search with [`Budget::until`](crate::Budget) ends as soon as its best release is proven to be that good.
//!
//! **Two rows.** Where classes need two rows, the cuts of the bound leave nearly nothing between the programme and the best
//! release: then dives are replaced by a search for classes of two and three rows ([`small_classes`]).
//!
//! For policies that count rows and nothing else, and tables whose records fit into memory. `auto` alone uses it.

mod anneal;
mod assign;
mod part_progress;
mod recombine;
mod released;
mod shares;
mod small_classes;

use std::time::Duration;

use crate::solver::kinds::Kinds;
use crate::solver::numbers::to_u32;
use crate::{Budget, Problem};
pub(super) use recombine::{Recombined, recombined};

/// Minimum and maximum number of tuples of a table: with fewer there is nothing to gain, with more it takes too long.
const TUPLES: (usize, usize) = (1 << 8, 1 << 20);
/// Bytes for each tuple, about: of records, of the linear programme and of releases. Measured on a million rows: 4.7 KB.
const BYTES: u64 = 6 << 10;
/// Work units for each tuple below which it is not tried: a third of the normal effort.
const LEAST_EFFORT: u64 = 100_000;
/// Time for each tuple below which it is not tried.
const LEAST_TIME: Duration = Duration::from_micros(500);

/// Whether a dive is worth its while; whether there is time for it is another question.
pub(super) fn suits(problem: &Problem<'_>, budget: &Budget) -> bool {
    let tuples = problem.table.tuples();
    let is_enough = budget.effort.is_none_or(|effort| effort / LEAST_EFFORT >= tuples as u64);
    let is_room = budget.memory.is_none_or(|memory| memory / BYTES >= tuples as u64);
    (TUPLES.0..=TUPLES.1).contains(&tuples)
        && is_enough
        && is_room
        && !problem.policy.looks_at_cells()
        && Kinds::new(problem).only_rows_count(problem)
}

/// Whether the deadline leaves too little time.
pub(super) fn is_too_late(problem: &Problem<'_>, budget: &Budget) -> bool {
    budget.has_less_than(LEAST_TIME * to_u32(problem.table.tuples()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Lm, Policy};

    use super::super::deadline_tests::table;
    use super::*;
    use crate::{DeadlineClock, Effort, lower_bound};

    #[test]
    fn a_recombined_release_keeps_the_policy_whenever_it_ends_and_is_the_same_on_any_number_of_threads() {
        for k in [4, 2] {
            keeps_the_policy_whenever_it_ends(k);
        }
    }

    fn keeps_the_policy_whenever_it_ends(k: u64) {
        let (table, quasi) = table(300);
        let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(k), &Lm, 1).unwrap();
        let budget = |threads, clock| Budget {
            threads: Some(threads),
            effort: Some(Effort::NORMAL.units(300)),
            clock,
            ..Budget::default()
        };
        assert!(suits(&problem, &budget(1, DeadlineClock::default())));
        let clock = DeadlineClock::default();
        let found = recombined(&problem, &budget(1, clock.clone())).unwrap().unwrap();
        assert!(!found.cut_short && found.partition.classes().count() > 10);
        assert_eq!(recombined(&problem, &budget(2, DeadlineClock::default())).unwrap().unwrap(), found);
        let tight = Budget { memory: Some(4 << 20), ..budget(2, DeadlineClock::default()) };
        assert_eq!(recombined(&problem, &tight).unwrap().unwrap(), found, "with room for one turn at a time");
        let looks = [1, 10, 100, clock.looks() / 2, clock.looks() * 9 / 10];
        let cut = looks.map(|look| recombined(&problem, &budget(1, DeadlineClock::over_at(look))).unwrap());
        for solution in cut.into_iter().flatten().chain([found]) {
            assert!(solution.partition.accounts_for(&table));
            assert!(solution.partition.classes().all(|class| problem.holds(class)));
        }
    }

    #[test]
    fn classes_of_two_and_three_rows_lose_nearly_what_the_cuts_prove() {
        let (table, quasi) = table(300);
        let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(2), &Lm, 1).unwrap();
        let budget = Budget { effort: Some(Effort::HIGH.units(300)), ..Budget::default() };
        let found = recombined(&problem, &budget).unwrap().unwrap();
        let least = found.bound.unwrap().best * table.rows() as f64 * quasi.len() as f64;
        assert!(found.lost >= least && found.lost <= least * 1.005, "{} {least}", found.lost);
    }

    #[test]
    fn a_search_ends_when_its_release_is_proven_to_be_good_enough() {
        let (table, quasi) = table(300);
        let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(4), &Lm, 1).unwrap();
        let until = |until| Budget { effort: Some(Effort::NORMAL.units(300)), until, ..Budget::default() };
        let [whole, early] = [None, Some(1.5)].map(|ratio| recombined(&problem, &until(ratio)).unwrap().unwrap());
        assert!(early.work < whole.work && whole.lost <= early.lost);
        let cells = table.rows() as f64 * quasi.len() as f64;
        let bound = lower_bound(&problem, 4, None, &Budget::default()).unwrap().unwrap();
        for found in [whole, early] {
            let proven = found.bound.unwrap();
            assert!(proven.best <= bound.best * 1.01 && found.lost / cells >= bound.best * (1.0 - 1e-9));
            assert!(found.lost <= 1.5 * proven.best * cells);
        }
    }

    #[test]
    fn a_dive_is_for_policies_that_count_rows_and_for_enough_effort_and_memory() {
        let (table, quasi) = table(300);
        let diverse = Policy::k_anonymity(4).asking(
            "distinct-l-diversity",
            incrowd_core::Parameters::from_iter([("l", 3)]),
            &["illness"],
        );
        let problem = |policy: &Policy| Problem::new(&table, &quasi, policy, &Lm, 1).unwrap();
        let low = Budget { effort: Some(Effort::LOW.units(300)), ..Budget::default() };
        assert!(!suits(&problem(&diverse), &Budget::default()));
        assert!(suits(&problem(&Policy::k_anonymity(4)), &Budget::default()));
        assert!(!suits(&problem(&Policy::k_anonymity(4)), &low));
        let small = Budget { memory: Some(1 << 20), ..Budget::default() };
        assert!(!suits(&problem(&Policy::k_anonymity(4)), &small));
    }
}
