//! What every solver keeps, whatever the table and the policy, asked of an oracle that shares no code with them.
#![allow(clippy::unwrap_used)]

#[path = "laws/asks.rs"]
mod asks;
#[path = "laws/case.rs"]
mod case;
#[path = "laws/oracle.rs"]
mod oracle;

use case::{Case, cases};
use incrowd_algorithms::{ALGORITHMS, AlgorithmEntry, Budget, Problem, Solution, Unsolved};
use incrowd_core::{Distortion, FrequencyTable, LOSSES, Measures, Partition, QuasiIdentifier, Recoding, Stopped};
use proptest::prelude::*;

fn solve(
    entry: &AlgorithmEntry,
    problem: &Problem<'_>,
    (shard, effort): (Option<usize>, Option<u64>),
    threads: usize,
) -> Result<Solution, Unsolved> {
    entry.solve(problem, &Budget { threads: Some(threads), shard, effort, ..Budget::default() })
}

/// The LM of a partition as its solver publishes it, and of a single class with the same rows withheld.
fn losses(table: &FrequencyTable, quasi: &[QuasiIdentifier], solution: &Solution) -> (f64, f64) {
    let lm = |partition: &Partition, levels: Option<&[usize]>| {
        let recoding = match levels {
            Some(levels) => Recoding::full_domain(table, quasi, partition, levels),
            None => Recoding::tightened(table, quasi, partition),
        };
        Measures::of(table, quasi, partition, &recoding, 1).lm
    };
    let mut single = Partition::default();
    single.push(solution.partition.classes().flatten().copied());
    single.withhold(solution.partition.withheld().iter().copied());
    let roots: Vec<usize> = quasi.iter().map(QuasiIdentifier::height).collect();
    let roots = solution.levels.as_ref().map(|_| &roots[..]);
    (lm(&solution.partition, solution.levels.as_deref()), lm(&single, roots))
}

fn the_laws_hold(
    case: &Case,
    entry: &AlgorithmEntry,
    bounds: (Option<usize>, Option<u64>),
) -> Result<(), TestCaseError> {
    let table = case.table();
    let quasi = case.quasi_identifiers(&table);
    let people = oracle::people(case);
    prop_assert_eq!(people.len(), table.tuples());
    let loss = (LOSSES[case.loss % LOSSES.len()].new)();
    let problem = Problem::new(&table, &quasi, &case.policy(), loss.as_ref(), 7).unwrap();
    let whole: Vec<(usize, u64)> = (0..table.tuples()).map(|tuple| (tuple, table.count(tuple))).collect();
    let found = solve(entry, &problem, bounds, 1);
    for threads in [2, 4] {
        prop_assert_eq!(&solve(entry, &problem, bounds, threads), &found, "{} threads differ from one", threads);
    }
    let solution = match found {
        Ok(solution) => solution,
        Err(Unsolved::Infeasible(reasons)) => {
            prop_assert!(!reasons.is_empty());
            let keeps = oracle::keeps(case, &table, &people, &whole, &whole);
            prop_assert!(!keeps, "infeasible, but one class keeps the policy");
            return Ok(());
        }
        Err(Unsolved::NotFound(reasons)) => {
            prop_assert!(!reasons.is_empty());
            let proven = problem.policy.is_proven_infeasible(&table, problem.budget);
            prop_assert!(!proven, "not found, but proven to be infeasible");
            return Ok(());
        }
        Err(other) => return Err(TestCaseError::fail(other.to_string())),
    };
    prop_assert!(!solution.cut_short);
    prop_assert!(solution.partition.accounts_for(&table), "somebody was lost or invented");
    let budget = (case.suppression * table.rows() as f64).floor() as u64;
    prop_assert!(solution.partition.withheld_rows() <= budget, "more rows are withheld than allowed");
    let classes = oracle::published(case, &table, &solution);
    let published = classes.concat();
    for class in &classes {
        let keeps = oracle::keeps(case, &table, &people, class, &published);
        prop_assert!(keeps, "a published class breaks the policy");
    }
    let keeps = oracle::keeps_as_whole(case, &table, &people, &published);
    prop_assert!(keeps, "the release as a whole breaks the policy");
    if solution.levels.is_none() {
        prop_assert_eq!(classes.len(), solution.partition.len(), "two classes publish alike");
        let first: Vec<usize> = solution.partition.classes().map(|class| class[0].0).collect();
        prop_assert!(first.is_sorted(), "classes are in the order of their smallest tuple");
    }
    let (loss, single) = losses(&table, &quasi, &solution);
    prop_assert!(loss <= single + 1e-12, "loses {loss}, one class {single}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_solver_meets_the_policy_and_keeps_everyone_in_the_table(case in cases()) {
        for entry in ALGORITHMS {
            let checked = the_laws_hold(&case, entry, (None, None));
            checked.map_err(|error| TestCaseError::fail(format!("{}: {error}", entry.id)))?;
        }
    }

    #[test]
    fn solvers_that_work_in_shards_keep_the_same_laws(case in cases(), shard in 1usize..5) {
        for entry in ALGORITHMS.iter().filter(|entry| entry.traits.uses_shards) {
            let checked = the_laws_hold(&case, entry, (Some(shard), None));
            checked.map_err(|error| TestCaseError::fail(format!("{} in shards: {error}", entry.id)))?;
        }
    }

    /// However little work is allowed: the same classes on any number of threads, and nothing that almost holds.
    #[test]
    fn solvers_that_count_their_work_keep_the_same_laws(
        case in cases(), shard in prop::option::of(1usize..5), exponent in 0u32..20
    ) {
        for entry in ALGORITHMS.iter().filter(|entry| entry.counts_work) {
            let checked = the_laws_hold(&case, entry, (shard, Some(1 << exponent)));
            let of = |error| format!("{} with an effort of 2^{exponent}: {error}", entry.id);
            checked.map_err(|error| TestCaseError::fail(of(error)))?;
        }
    }

    #[test]
    fn work_that_was_cancelled_stops(case in cases()) {
        let table = case.table();
        let quasi = case.quasi_identifiers(&table);
        let problem = Problem::new(&table, &quasi, &case.policy(), &Distortion, 7).unwrap();
        let budget = Budget::default();
        budget.watch.cancel.cancel();
        for entry in ALGORITHMS {
            let found = entry.solve(&problem, &budget);
            prop_assert_eq!(found, Err(Unsolved::Stopped(Stopped)), "{}", entry.id);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// In a release in two tables a class is what has an id, whatever it publishes.
    #[test]
    fn every_class_that_an_id_tells_apart_keeps_the_policy(case in cases()) {
        let table = case.table();
        let quasi = case.quasi_identifiers(&table);
        let people = oracle::people(&case);
        for entry in ALGORITHMS {
            let problem = Problem::new(&table, &quasi, &case.policy(), &Distortion, 7).unwrap().with_class_ids();
            let found = [1, 2].map(|threads| solve(entry, &problem, (None, None), threads));
            prop_assert_eq!(&found[0], &found[1], "{}: two threads differ from one", entry.id);
            let Ok(solution) = &found[0] else { continue };
            prop_assert!(solution.partition.accounts_for(&table), "{}: somebody was lost or invented", entry.id);
            let published: Vec<(usize, u64)> = solution.partition.classes().flatten().copied().collect();
            for class in solution.partition.classes() {
                let keeps = oracle::keeps(&case, &table, &people, class, &published);
                prop_assert!(keeps, "{}: a class breaks the policy", entry.id);
            }
            let keeps = oracle::keeps_as_whole(&case, &table, &people, &published);
            prop_assert!(keeps, "{}: the release as a whole breaks the policy", entry.id);
        }
    }
}
