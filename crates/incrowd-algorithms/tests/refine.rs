//! Refinement: what it keeps on any table and policy, how near it comes to the best, and what it gains on Adult.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "laws/asks.rs"]
#[allow(dead_code, reason = "shared with the laws, which use all of it")]
mod asks;
#[path = "laws/case.rs"]
#[allow(dead_code, reason = "shared with the laws, which use all of it")]
mod case;
#[path = "laws/oracle.rs"]
mod oracle;
#[path = "refine/start.rs"]
mod start;
#[path = "refine/tables.rs"]
mod tables;
#[path = "refine/tiny.rs"]
mod tiny;

use std::time::{Duration, Instant};

use case::{Case, cases};
use incrowd_algorithms::{AlgorithmEntry, Budget, Problem, Solution, Unsolved, refined};
use incrowd_core::{Distortion, Lm, Measures, Partition, Policy, Recoding, Stopped};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// What the rows of a partition lose.
fn loss(problem: &Problem<'_>, partition: &Partition) -> f64 {
    let recoding = Recoding::tightened(problem.table, problem.quasi_identifiers, partition);
    let classes = (0..).zip(partition.classes());
    let rows = |class: &[(usize, u64)]| class.iter().map(|member| member.1).sum::<u64>() as f64;
    classes.map(|(number, class)| rows(class) * problem.prices.row(recoding.cells(number))).sum()
}

/// A partition that keeps the policy: the single class, or what Top-Down finds.
fn starts(problem: &Problem<'_>) -> Vec<Partition> {
    let budget = Budget { threads: Some(1), ..Budget::default() };
    let top_down = (AlgorithmEntry::find("top-down").unwrap().new)().solve(problem, &budget);
    let Ok(Solution { partition, .. }) = top_down else { return Vec::new() };
    let mut single = Partition::default();
    single.push(partition.classes().flatten().copied());
    single.withhold(partition.withheld().iter().copied());
    vec![single, partition]
}

fn the_laws_hold(case: &Case) -> Result<(), TestCaseError> {
    let table = case.table();
    let quasi = case.quasi_identifiers(&table);
    let people = oracle::people(case);
    let problem = Problem::new(&table, &quasi, &case.policy(), &Distortion, 7).unwrap();
    for start in starts(&problem) {
        let run = |threads| refined(&problem, &start, &Budget { threads: Some(threads), ..Budget::default() }).unwrap();
        let solution = run(1);
        for threads in [2, 4] {
            prop_assert_eq!(&run(threads), &solution, "{} threads differ from one", threads);
        }
        prop_assert!(!solution.cut_short);
        prop_assert!(solution.partition.accounts_for(&table), "somebody was lost or invented");
        prop_assert_eq!(solution.partition.withheld(), start.withheld());
        let classes = oracle::published(case, &table, &solution);
        prop_assert_eq!(classes.len(), solution.partition.len(), "two classes publish alike");
        let published = classes.concat();
        for class in &classes {
            let keeps = oracle::keeps(case, &table, &people, class, &published);
            prop_assert!(keeps, "a published class breaks the policy");
        }
        let keeps = oracle::keeps_as_whole(case, &table, &people, &published);
        prop_assert!(keeps, "the release as a whole breaks the policy");
        let (before, after) = (loss(&problem, &start), loss(&problem, &solution.partition));
        prop_assert!(after <= before + 1e-9, "loses {after}, before {before}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn refinement_keeps_the_policy_and_all_rows_and_never_adds_loss(case in cases()) {
        the_laws_hold(&case)?;
    }
}

/// Tables of at most 10 rows against all their partitions: those that end at the optimum, for k alone and with other
/// models.
#[test]
fn tiny_tables_mostly_end_at_the_optimum() {
    let mut runner = TestRunner::deterministic();
    let (mut tried, mut reached) = ([0u64; 2], [0u64; 2]);
    while tried[0] + tried[1] < 200 {
        let mut case = cases().new_tree(&mut runner).unwrap().current();
        case.suppression = 0.0;
        let mut rows = 0;
        case.tuples.retain(|tuple| {
            rows += tuple.rows;
            rows <= 10
        });
        let table = case.table();
        let quasi = case.quasi_identifiers(&table);
        let problem = Problem::new(&table, &quasi, &case.policy(), &Lm, 7).unwrap();
        let (Some(start), Some(least)) = (starts(&problem).pop(), tiny::least_loss(&problem)) else { continue };
        let budget = Budget { threads: Some(1), ..Budget::default() };
        let solution = refined(&problem, &start, &budget).unwrap();
        let loss = loss(&problem, &solution.partition);
        assert!(loss > least - 1e-9, "better than the best");
        let more = usize::from(!case.shares.is_empty() || !case.asks.is_empty());
        tried[more] += 1;
        reached[more] += u64::from(loss < least + 1e-9);
    }
    println!("{reached:?} of {tried:?} at the optimum");
    assert!((0..2).all(|more| reached[more] * 4 >= tried[more] * 3), "{reached:?} of {tried:?}");
}

/// Work units for a refinement that takes a second or two in an unoptimized build.
const EFFORT: u64 = 20_000_000;

fn adult_problem<'t>(table: &'t tables::Table, k: u64) -> Problem<'t> {
    Problem::new(&table.0, &table.1, &Policy::k_anonymity(k), &Lm, 1).unwrap()
}

#[test]
fn a_deadline_that_passed_leaves_the_start_and_says_so() {
    let table = tables::arx();
    let problem = adult_problem(&table, 10);
    let start = Partition::single(&table.0);
    let budget = Budget { deadline: Some(Instant::now()), ..Budget::default() };
    let solution = refined(&problem, &start, &budget).unwrap();
    assert!(solution.cut_short && solution.partition == start);
}

#[test]
fn refinement_that_was_cancelled_stops() {
    let table = tables::arx();
    let problem = adult_problem(&table, 10);
    let budget = Budget::default();
    budget.watch.cancel.cancel();
    assert_eq!(refined(&problem, &Partition::single(&table.0), &budget), Err(Unsolved::Stopped(Stopped)));
}

/// From Top-Down's classes, with little effort, so that it is quick in any build.
#[test]
fn a_little_effort_lowers_the_loss_on_adult_alike_on_any_number_of_threads() {
    let table = tables::arx();
    let problem = adult_problem(&table, 50);
    let start = starts(&problem).pop().unwrap();
    let run = |threads, effort| {
        refined(&problem, &start, &Budget { threads: Some(threads), effort: Some(effort), ..Budget::default() })
            .unwrap()
    };
    let solution = run(1, EFFORT);
    assert!(!solution.cut_short && solution.statistics.work.is_some_and(|work| work >= EFFORT));
    assert_eq!(run(2, EFFORT), solution);
    assert!(solution.partition.accounts_for(&table.0));
    assert!(solution.partition.classes().all(|class| problem.holds(class)));
    let losses =
        [&start, &run(2, EFFORT / 8).partition, &solution.partition].map(|partition| loss(&problem, partition));
    assert!(losses[0] > losses[1] && losses[1] > losses[2], "{losses:?}");
}

/// Start, and after so many seconds: `INCROWD_SECONDS=30 cargo test --release … -- --ignored --nocapture`.
#[test]
#[ignore = "measures for minutes, in release mode"]
fn figures_on_adult() {
    let seconds = std::env::var("INCROWD_SECONDS").map_or(30, |text| text.parse().unwrap());
    for (name, table) in [("ARX's Adult", tables::arx()), ("Adult", tables::adult())] {
        for k in [2, 5, 10, 50] {
            let problem = adult_problem(&table, k);
            let start = start::cheapest_first(&problem, k);
            let budget = Budget { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Budget::default() };
            let begun = Instant::now();
            let solution = refined(&problem, &start, &budget).unwrap();
            let lm = |partition: &Partition| {
                let recoding = Recoding::tightened(&table.0, &table.1, partition);
                Measures::of(&table.0, &table.1, partition, &recoding, k).lm
            };
            let (before, after, spent) = (lm(&start), lm(&solution.partition), begun.elapsed().as_secs_f64());
            println!("{name}, k = {k}: LM {before:.5} → {after:.5} in {spent:.1} s");
        }
    }
}
