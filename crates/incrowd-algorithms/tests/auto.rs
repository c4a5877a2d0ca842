//! `auto` against its starts and against all partitions of small tables; and which refusals are right.
//!
//! `INCROWD_CASES=2000` runs as many generated tables; the gate runs a few.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "auto/adult.rs"]
mod adult;
#[path = "laws/asks.rs"]
mod asks;
#[path = "auto/brute_force.rs"]
mod brute_force;
#[path = "laws/case.rs"]
mod case;
#[path = "auto/examples.rs"]
mod examples;
#[path = "laws/oracle.rs"]
mod oracle;

use case::{Case, cases};
use incrowd_algorithms::{ALGORITHMS, AlgorithmEntry, Budget, Effort, Problem, Solution, Unsolved, auto_starts};
use incrowd_core::{LOSSES, Partition, Recoding};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// How many generated tables are tried.
fn count(of_gate: usize) -> usize {
    std::env::var("INCROWD_CASES").map_or(of_gate, |text| text.parse().unwrap())
}

/// Tables and policies, the same in every run.
fn generated(count: usize, mut wanted: impl FnMut(&mut Case) -> bool) -> Vec<Case> {
    let mut runner = TestRunner::deterministic();
    let mut found = Vec::new();
    while found.len() < count {
        let mut case = cases().new_tree(&mut runner).unwrap().current();
        if wanted(&mut case) {
            found.push(case);
        }
    }
    found
}

/// Leaves out tuples so that at most so many rows are left.
fn shorten(case: &mut Case, most: u64) {
    let mut rows = 0;
    case.tuples.retain(|tuple| {
        rows += tuple.rows;
        rows <= most
    });
}

/// What the rows of a partition lose, by the measure of the problem.
fn loss(problem: &Problem<'_>, partition: &Partition) -> f64 {
    let recoding = Recoding::tightened(problem.table, problem.quasi_identifiers, partition);
    let rows = |class: &[(usize, u64)]| class.iter().map(|member| member.1).sum::<u64>() as f64;
    let classes = (0..).zip(partition.classes());
    classes.map(|(number, class)| rows(class) * problem.prices.row(recoding.cells(number))).sum()
}

fn solve(id: &str, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
    AlgorithmEntry::find(id).unwrap().solve(problem, budget)
}

fn budget() -> Budget {
    Budget { threads: Some(1), ..Budget::default() }
}

/// For every model and measure; with at most 8 rows all partitions are tried.
#[test]
fn auto_is_exact_on_tables_of_few_rows() {
    let most = if count(0) == 0 { 7 } else { 9 };
    let small = generated(count(250), |case| {
        case.suppression = 0.0;
        shorten(case, most);
        !case.tuples.is_empty()
    });
    let mut solved = 0;
    for case in &small {
        let table = case.table();
        let quasi = case.quasi_identifiers(&table);
        let measure = (LOSSES[case.loss % LOSSES.len()].new)();
        let problem = Problem::new(&table, &quasi, &case.policy(), measure.as_ref(), 7).unwrap();
        let least = brute_force::least(case, &problem, 0);
        match (solve("auto", &problem, &budget()), least) {
            (Ok(solution), Some((_, least))) => {
                let lost = loss(&problem, &solution.partition);
                assert!((lost - least).abs() <= 1e-6 * (1.0 + least), "loses {lost}, the best {least}: {case:?}");
                assert_eq!(solution.statistics.exact, Some(true), "{case:?}");
                solved += 1;
            }
            (Err(Unsolved::Infeasible(_)), None) => {}
            (solved, least) => panic!("{solved:?}, the best: {least:?}: {case:?}"),
        }
    }
    println!("{solved} of {} tables have a release, and `auto` found one that loses least", small.len());
    assert!(solved * 3 > small.len());
}

/// The refined rule with and without other models, and any models with rows withheld.
#[test]
fn only_what_no_partition_keeps_is_called_infeasible() {
    let refined = generated(count(150), |case| {
        shorten(case, 7);
        let some = !case.tuples.is_empty() && (case.suppression > 0.0 || !case.shares.is_empty());
        // With α near 1 nothing is refused.
        case.shares.iter_mut().for_each(|share| {
            share.refined = true;
            share.alpha = if share.alpha.0 * 2 > share.alpha.1 { (1, 5) } else { share.alpha };
        });
        some
    });
    let (mut refused, mut beyond_one_class) = (0, 0);
    for case in &refined {
        let table = case.table();
        let quasi = case.quasi_identifiers(&table);
        let measure = (LOSSES[case.loss % LOSSES.len()].new)();
        let problem = Problem::new(&table, &quasi, &case.policy(), measure.as_ref(), 7).unwrap();
        let least = brute_force::least(case, &problem, problem.budget);
        for entry in ALGORITHMS {
            match (entry.solve(&problem, &budget()), &least) {
                (Err(Unsolved::Infeasible(_)), None) => refused += 1,
                // Full-domain recodings are fewer than partitions.
                (Err(Unsolved::NotFound(_)), Some(_)) if entry.traits.full_domain => {}
                (Ok(solution), Some(_)) => {
                    brute_force::check(case, &problem, &solution);
                    beyond_one_class += u64::from(problem.policy.withhold(&table, problem.budget).is_err());
                }
                (solved, least) => panic!("{}: {solved:?}, the best: {least:?}: {case:?}", entry.id),
            }
        }
    }
    println!("{refused} refusals, all right; {beyond_one_class} releases of tables that are none as one class");
    assert!(refused > 0 && beyond_one_class > 0);
}

/// With the same effort, which is counted the same on any machine.
#[test]
fn auto_is_never_worse_than_a_start_with_the_same_effort() {
    let mut beaten = 0;
    let tables = generated(count(60), |case| !case.tuples.is_empty());
    for (at, case) in tables.iter().enumerate() {
        let table = case.table();
        let quasi = case.quasi_identifiers(&table);
        let measure = (LOSSES[case.loss % LOSSES.len()].new)();
        let problem = Problem::new(&table, &quasi, &case.policy(), measure.as_ref(), 7).unwrap();
        let budget = Budget { effort: [None, Some(1 << 12), Some(1 << 20)][at % 3], ..budget() };
        let Ok(solution) = solve("auto", &problem, &budget) else { continue };
        let lost = loss(&problem, &solution.partition);
        for entry in auto_starts(&problem, &budget) {
            let alone = loss(&problem, &entry.solve(&problem, &budget).unwrap().partition);
            assert!(lost <= alone + 1e-9 * (1.0 + alone), "loses {lost}, {} {alone}: {case:?}", entry.id);
            beaten += u64::from(lost < alone - 1e-9);
        }
    }
    println!("`auto` lost less than a start {beaten} times on {} tables, and never more", tables.len());
    assert!(beaten > 0);
}

/// Tables of at most 12 tuples, whatever their rows: how often the search is complete, at normal and at high effort.
#[test]
#[ignore = "a campaign"]
fn tables_of_at_most_twelve_tuples_are_solved_exactly() {
    let tables = generated(count(300), |case| {
        case.suppression = 0.0;
        case.tuples.truncate(12);
        !case.tuples.is_empty()
    });
    for (word, effort) in [("normal", Effort::NORMAL), ("high", Effort::HIGH)] {
        let (mut solved, mut exact) = ([0u64; 2], [0u64; 2]);
        for case in &tables {
            let table = case.table();
            let quasi = case.quasi_identifiers(&table);
            let measure = (LOSSES[case.loss % LOSSES.len()].new)();
            let problem = Problem::new(&table, &quasi, &case.policy(), measure.as_ref(), 7).unwrap();
            let budget = Budget { effort: Some(effort.units(table.tuples() as u64)), ..budget() };
            let Ok(solution) = solve("auto", &problem, &budget) else { continue };
            let merging = usize::from(!problem.policy.survives_merging());
            solved[merging] += 1;
            exact[merging] += u64::from(solution.statistics.exact == Some(true));
        }
        println!("{word} effort: {exact:?} of {solved:?} proven (policies that survive merging, and others)");
    }
}
