//! The miner and the bound against their definitions, written literally, on tables small enough for that.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_algorithms::{Budget, ClosedRecords, MiningLimits, Problem, lower_bound};
use incrowd_core::{Lm, Policy};
use proptest::prelude::*;

use super::case::{Case, Cells, Shape, cases};
use super::optimum::optimum;

/// Tables whose quasi-identifiers all have trees.
fn trees() -> impl Strategy<Value = Case> {
    cases().prop_filter("trees", |case| case.shapes.iter().all(|shape| matches!(shape.cells, Cells::Tree(_))))
}

/// The cells of a shape as sets of leaves.
fn cells(shape: &Shape) -> BTreeSet<BTreeSet<u32>> {
    let Cells::Tree(lines) = &shape.cells else { unreachable!("only trees are drawn") };
    let node = |line: &Vec<usize>, level: usize| {
        (0..lines.len() as u32).filter(|&leaf| lines[leaf as usize][level] == line[level]).collect()
    };
    lines.iter().flat_map(|line| (0..line.len()).map(move |level| node(line, level))).collect()
}

/// Every record as the leaves of its cells.
fn records(case: &Case) -> Vec<Vec<BTreeSet<u32>>> {
    case.shapes.iter().fold(vec![vec![]], |records, shape| {
        let cells = cells(shape);
        let with = |record: &Vec<BTreeSet<u32>>| {
            cells.iter().map(|cell| record.iter().chain([cell]).cloned().collect()).collect::<Vec<_>>()
        };
        records.iter().flat_map(with).collect()
    })
}

fn is_inside(inner: &[BTreeSet<u32>], outer: &[BTreeSet<u32>]) -> bool {
    inner.iter().zip(outer).all(|(inner, outer)| inner.is_subset(outer))
}

/// The closed frequent records with their rows, by the definition.
fn closed_frequent(case: &Case) -> BTreeMap<Vec<BTreeSet<u32>>, u64> {
    let support = |record: &Vec<BTreeSet<u32>>| -> Vec<usize> {
        let holds = |at: &usize| record.iter().zip(&case.tuples[*at].codes).all(|(cell, code)| cell.contains(code));
        (0..case.tuples.len()).filter(holds).collect()
    };
    let mut by_support: BTreeMap<Vec<usize>, Vec<Vec<BTreeSet<u32>>>> = BTreeMap::new();
    for record in records(case) {
        by_support.entry(support(&record)).or_default().push(record);
    }
    let mut found = BTreeMap::new();
    for (support, alike) in by_support {
        let rows: u64 = support.iter().map(|&at| case.tuples[at].rows).sum();
        let is_closed =
            |record: &&Vec<BTreeSet<u32>>| alike.iter().all(|other| other == *record || !is_inside(other, record));
        if rows >= case.k {
            found.extend(alike.iter().filter(is_closed).map(|record| (record.clone(), rows)));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_miner_finds_the_closed_frequent_records_and_no_others(case in trees(), bytes in prop_oneof![Just(0), Just(40), Just(1 << 20)]) {
        let table = case.table();
        let quasi = case.quasi_identifiers(&table);
        let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(1), &Lm, 1).unwrap();
        let limits = MiningLimits { bytes, ..MiningLimits::default() };
        let mined = ClosedRecords::mine(&problem, case.k, limits, &Budget::default()).unwrap();
        let leaves = |record: usize| -> Vec<BTreeSet<u32>> {
            let inside = |(cell, quasi): (incrowd_core::Cell, &incrowd_core::QuasiIdentifier)| {
                let codes = 0..quasi.leaves.len() as u32;
                codes.filter(|&code| quasi.domain.contains(cell, quasi.cell(code, 0))).collect()
            };
            mined.cells(record).zip(&quasi).map(inside).collect()
        };
        let found: BTreeMap<_, _> = (0..mined.len()).map(|record| (leaves(record), mined.rows(record))).collect();
        prop_assert_eq!(found.len(), mined.len(), "each once");
        prop_assert_eq!(&found, &closed_frequent(&case));
        for record in 0..mined.len() {
            prop_assert_eq!(mined.price(record), problem.prices.row(&mined.cells(record).collect::<Vec<_>>()));
            let inside = leaves(record);
            let holds = |tuple: &usize| (0..).zip(&inside).all(|(at, leaves)| leaves.contains(&table.code(*tuple, at)));
            let expected: Vec<usize> = (0..table.tuples()).filter(holds).collect();
            prop_assert_eq!(mined.tuples(record), expected);
        }
    }

    #[test]
    fn no_release_loses_less_than_the_bound(case in trees(), k in 1u64..4) {
        let mut case = Case { k, ..case };
        case.tuples.truncate(6);
        case.tuples.iter_mut().for_each(|tuple| tuple.rows = 1);
        let table = case.table();
        let quasi = case.quasi_identifiers(&table);
        let problem = Problem::new(&table, &quasi, &case.policy(), &Lm, 1).unwrap();
        let least = case.policy().least_rows().unwrap();
        // Without memory for the records the bound is that of the ascent.
        for memory in [None, Some(0)] {
            let budget = Budget { memory, ..Budget::default() };
            if let Some(bound) = lower_bound(&problem, least, None, &budget).unwrap()
                && let Some(optimum) = optimum(&problem)
            {
                prop_assert!(bound.row_by_row <= bound.best + 1e-12, "{bound:?}");
                prop_assert!(bound.best <= optimum + 1e-12, "{bound:?}, optimum {optimum}");
            }
        }
    }
}
