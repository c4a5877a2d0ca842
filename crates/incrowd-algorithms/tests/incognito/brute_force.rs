//! Random small tables: every node judged by the book.

use std::collections::BTreeSet;

use incrowd_algorithms::{AlgorithmEntry, Budget, Problem, Solution, Unsolved};
use incrowd_core::{Distortion, Lm, Loss, Ratio};
use proptest::prelude::*;

use super::by_the_book::Case;

fn cases() -> impl Strategy<Value = Case> {
    let shape = (2usize..=3).prop_flat_map(|width| {
        let row =
            (prop::collection::vec(0u32..4, width), prop_oneof![2 => Just(0u32), 2 => Just(1), 1 => Just(2)], 0u64..9);
        (prop::collection::vec(row, 1..24), prop::collection::vec(0usize..5, width))
    });
    let share = prop_oneof![Just((1, 10)), Just((1, 3)), Just((1, 2)), Just((2, 3)), Just((4, 5))];
    let values = prop_oneof![Just(vec![]), Just(vec![0]), Just(vec![0, 2])];
    let share = share.prop_map(|(above, below)| Ratio::new(above, below).unwrap());
    let alpha = prop::option::weighted(0.8, (share, values, any::<bool>()));
    let suppression = prop_oneof![Just(0.0), Just(0.2), Just(0.5)];
    (shape, prop::bool::weighted(0.2), any::<bool>(), 1u64..=4, alpha, suppression).prop_map(
        |((rows, hierarchies), people, sensitive_first, k, alpha, suppression)| Case {
            rows,
            hierarchies,
            people,
            sensitive_first,
            k,
            alpha,
            suppression,
        },
    )
}

fn solve(case: &Case, loss: &dyn Loss, threads: usize) -> Result<Solution, Unsolved> {
    let (table, quasi_identifiers, policy) = case.problem();
    let problem = Problem::new(&table, &quasi_identifiers, &policy, loss, 0).unwrap();
    let budget = Budget { threads: Some(threads), ..Budget::default() };
    let solution = (AlgorithmEntry::find("incognito").unwrap().new)().solve(&problem, &budget);
    if let Ok(solution) = &solution {
        assert!(solution.partition.accounts_for(&table) && !solution.cut_short);
    }
    solution
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_nodes_that_hold_and_the_best_of_them_are_those_of_brute_force(case in cases(), by_lm in any::<bool>()) {
        let loss: &dyn Loss = if by_lm { &Lm } else { &Distortion };
        let found = solve(&case, loss, 1);
        prop_assert_eq!(&found, &solve(&case, loss, 2));
        let holding: Vec<(Vec<usize>, Vec<usize>)> =
            case.nodes().into_iter().filter_map(|node| Some((node.clone(), case.withheld(&node)?))).collect();
        if holding.is_empty() {
            match found {
                Ok(solution) => {
                    prop_assert_eq!(solution.levels, Some(case.heights()));
                    let withheld = solution.partition.withheld_rows();
                    prop_assert!(solution.partition.len() == 1 && 0 < withheld && withheld <= case.budget());
                }
                Err(Unsolved::Infeasible(reasons)) => prop_assert!(!reasons.is_empty()),
                Err(unsolved) => prop_assert!(false, "{}", unsolved),
            }
            return Ok(());
        }
        let solution = found.unwrap();
        let levels = solution.levels.clone().unwrap();
        let statistics = &solution.statistics;
        prop_assert_eq!(statistics.nodes, Some(case.nodes().len() as u64));
        prop_assert_eq!(statistics.holding_nodes, Some(holding.len() as u64));
        let is_below = |a: &[usize], b: &[usize]| a != b && a.iter().zip(b).all(|(a, b)| a <= b);
        let minimal = holding.iter().filter(|(node, _)| !holding.iter().any(|(other, _)| is_below(other, node)));
        prop_assert_eq!(statistics.minimal_nodes, Some(minimal.count() as u64));
        let losses = |(node, withheld): &(Vec<usize>, Vec<usize>)| {
            let (raised, lm) = case.losses(node, withheld);
            // In thirds of a cell, so that equal losses are equal.
            let whole = |loss: f64| (3.0 * loss).round() as u64;
            (whole(if by_lm { lm } else { raised }), whole(lm), node.clone())
        };
        let best = holding.iter().map(losses).min().unwrap();
        prop_assert_eq!(&levels, &best.2);
        prop_assert_eq!(solution.partition.withheld_rows(), case.withheld(&levels).unwrap().len() as u64);
    }

    #[test]
    fn the_classes_of_a_solution_are_those_that_its_levels_publish(case in cases()) {
        let Ok(solution) = solve(&case, &Distortion, 2) else { return Ok(()) };
        let (table, quasi_identifiers, _) = case.problem();
        let levels = solution.levels.unwrap();
        let published = |tuple: usize| -> Vec<u64> {
            let cell = |(quasi, &level): (&incrowd_core::QuasiIdentifier, &usize)| {
                quasi.cell(table.code(tuple, quasi.column), level).bits()
            };
            quasi_identifiers.iter().zip(&levels).map(cell).collect()
        };
        let mut seen = BTreeSet::new();
        let mut smallest = None;
        for class in solution.partition.classes() {
            prop_assert!(class.is_sorted() && smallest < Some(class[0].0));
            smallest = Some(class[0].0);
            let cells = published(class[0].0);
            prop_assert!(class.iter().all(|&(tuple, _)| published(tuple) == cells));
            prop_assert!(seen.insert(cells));
        }
    }
}
