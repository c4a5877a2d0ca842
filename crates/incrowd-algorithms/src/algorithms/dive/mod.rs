//! Linear programme dive: classes from the records that the linear programme of all releases opens.
//!
//! The programme that the lower bound is found by (`bounds/lower_bound/linear_programme/`) divides rows among records.
//! A dive opens records one after the other until nearly all rows are taken; rows go where most of them was taken
//! ([`assign`]), and what is left is cut from the cheapest records. As it stands such a partition loses more than that of
//! cheapest-first, but refinement lowers it further: which records are opened matters more than how well rows are
//! assigned to them.
//!
//! For policies that count rows and nothing else, and tables whose records fit into memory. `auto` alone uses it.

mod assign;

use std::time::{Duration, Instant};

use crate::bounds::{PriceSearch, Relaxation, stored_records};
use crate::mining::ClosedRecords;
use crate::solver::ClassMembers;
use crate::solver::kinds::Kinds;
use crate::solver::leftovers::place_in_classes;
use crate::solver::local::solve_local;
use crate::solver::numbers::to_u32;
use crate::{Budget, Problem, Solution, Statistics, Unsolved};
use assign::RowAssignment;

/// Minimum and maximum number of tuples of a table: with fewer there is nothing to gain, with more it takes too long.
const TUPLES: (usize, usize) = (1 << 8, 1 << 17);
/// Work units for each tuple below which it is not tried: a quarter of the normal effort.
const LEAST_EFFORT: u64 = 100_000;
/// Time for each tuple below which it is not tried.
const LEAST_TIME: Duration = Duration::from_micros(500);
/// The part of the effort and of the time that the dive may take, and of that the part for the linear programme.
const PARTS: [u64; 2] = [2, 2];

/// Whether a dive is worth its while; whether there is time for it is another question.
pub(super) fn suits(problem: &Problem<'_>, budget: &Budget) -> bool {
    let tuples = problem.table.tuples();
    let is_enough = budget.effort.is_none_or(|effort| effort / LEAST_EFFORT >= tuples as u64);
    (TUPLES.0..=TUPLES.1).contains(&tuples)
        && is_enough
        && !problem.policy.looks_at_cells()
        && Kinds::new(problem).only_rows_count(problem)
}

/// Whether the deadline leaves too little time.
pub(super) fn is_too_late(problem: &Problem<'_>, budget: &Budget) -> bool {
    budget.has_less_than(LEAST_TIME * to_u32(problem.table.tuples()))
}

/// A partition made of the records that a dive opens; none when records are too many or the time was over before any
/// was opened.
pub(super) fn solve(problem: &Problem<'_>, budget: &Budget) -> Result<Option<Solution>, Unsolved> {
    let mut is_found = false;
    let solution = solve_local(problem, budget, |problem, budget, rows| {
        let (classes, work) = classes(problem, budget, &rows)?;
        is_found = !classes.is_empty();
        let classes = if is_found { classes } else { vec![rows] };
        Ok((classes, Statistics { work: Some(work), ..Statistics::default() }))
    })?;
    Ok(is_found.then_some(solution))
}

/// The classes, and the work units that they took.
fn classes(
    problem: &Problem<'_>,
    budget: &Budget,
    rows: &[(usize, u64)],
) -> Result<(Vec<ClassMembers>, u64), Unsolved> {
    let least = Kinds::new(problem).least(problem);
    let whole = budget.share_of_effort(1, PARTS[0]);
    let whole = Budget { deadline: earlier(budget, PARTS[0]), ..whole };
    let Some(records) = stored_records(problem, rows, least, &whole)? else { return Ok((Vec::new(), 0)) };
    let part = whole.share_of_effort(1, PARTS[1]);
    let part = Budget { deadline: earlier(&whole, PARTS[1]), ..part };
    let relaxation = Relaxation::new(&records, least, problem.star_price());
    let Some(mut search) = PriceSearch::new(&relaxation, &part) else { return Ok((Vec::new(), records.work())) };
    search.run(|_| false);
    let mut work = records.work() + search.spent();
    let rest = Budget { effort: whole.effort.map(|effort| effort.saturating_sub(work)), ..whole.clone() };
    search.go_on(&rest);
    let open = search.dive();
    work += search.spent();
    budget.check()?;
    if open.is_empty() {
        return Ok((Vec::new(), work));
    }
    let assignment = RowAssignment::new(&records, &open, least);
    let (classes, left) = assignment.classes(search.prices());
    let members = |class: Vec<u32>| members_of(&records, rows, class);
    let classes = classes.into_iter().map(members).collect();
    Ok((place_in_classes(problem, budget, classes, members(left))?, work))
}

/// The rows of some points, by tuple.
fn members_of(records: &ClosedRecords, rows: &[(usize, u64)], points: Vec<u32>) -> ClassMembers {
    let places = points.into_iter().flat_map(|point| records.points().members(point));
    places.map(|&place| rows[place as usize]).collect()
}

/// A deadline that leaves all but a part of the time.
fn earlier(budget: &Budget, part: u64) -> Option<Instant> {
    let now = Instant::now();
    let share = 1.0 / part as f64;
    budget.deadline.map(|deadline| now + deadline.saturating_duration_since(now).mul_f64(share))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Lm, Policy};

    use super::super::deadline_tests::table;
    use super::*;
    use crate::{DeadlineClock, Effort};

    #[test]
    fn a_dive_keeps_the_policy_whenever_it_ends_and_is_the_same_on_any_number_of_threads() {
        let (table, quasi) = table(300);
        let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(4), &Lm, 1).unwrap();
        let budget = |threads, clock| Budget {
            threads: Some(threads),
            effort: Some(Effort::NORMAL.units(300)),
            clock,
            ..Budget::default()
        };
        assert!(suits(&problem, &budget(1, DeadlineClock::default())));
        let clock = DeadlineClock::default();
        let found = solve(&problem, &budget(1, clock.clone())).unwrap().unwrap();
        assert!(!found.cut_short && found.partition.classes().count() > 10);
        assert_eq!(solve(&problem, &budget(2, DeadlineClock::default())).unwrap().unwrap(), found);
        let looks = [1, 10, 100, clock.looks() / 2, clock.looks() * 9 / 10];
        let cut = looks.map(|look| solve(&problem, &budget(1, DeadlineClock::over_at(look))).unwrap());
        for solution in cut.into_iter().flatten().chain([found]) {
            assert!(solution.partition.accounts_for(&table));
            assert!(solution.partition.classes().all(|class| problem.holds(class)));
        }
    }

    #[test]
    fn a_dive_is_for_policies_that_count_rows_and_for_enough_effort() {
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
    }
}
