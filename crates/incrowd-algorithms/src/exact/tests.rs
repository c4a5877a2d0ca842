#![allow(clippy::unwrap_used)]
use incrowd_core::{Lm, Policy};

use super::*;
use crate::solver::price::loss;
use crate::solver::test_tables::of_postcodes;

fn best(policy: &Policy, rows: &[([u32; 2], u64)]) -> (Option<Vec<ClassMembers>>, bool) {
    let (table, quasi) = of_postcodes(&["c", "n"], rows);
    let problem = Problem::new(&table, &quasi, policy, &Lm, 1).unwrap();
    let all = problem.all_rows();
    let exact = best_classes(&problem, &all, None, SearchLimits::NEAR, &Budget::default()).unwrap();
    if let Some(classes) = &exact.classes {
        let least = loss(&problem, classes);
        let again = best_classes(&problem, &all, Some(least), SearchLimits::NEAR, &Budget::default()).unwrap();
        assert!(again.complete && again.classes.is_none(), "nothing loses less than the least");
    }
    (exact.classes, exact.complete)
}

#[test]
fn rows_of_a_tuple_part_where_that_loses_least() {
    let rows = [([0, 0], 3), ([1, 0], 1)];
    let (classes, complete) = best(&Policy::k_anonymity(2), &rows);
    assert!(complete);
    let mut classes = classes.unwrap();
    classes.sort();
    assert_eq!(classes, [vec![(0, 1), (1, 1)], vec![(0, 2)]]);
}

/// As one class two of four rows are protected, and ⌈0.1·4⌉ = 1; two pairs have one of two, and ⌈0.1·2⌉ = 1.
#[test]
fn the_refined_rule_is_kept_by_pairs_that_publish_different_cells_only() {
    let policy = Policy::k_anonymity(2).deassociating("illness", "0.1".parse().unwrap(), &["c"], true);
    let (classes, complete) = best(&policy, &[([0, 0], 1), ([1, 1], 1), ([2, 0], 1), ([3, 1], 1)]);
    assert!(complete && classes.is_some_and(|classes| classes.len() == 2));
    let (classes, complete) = best(&policy, &[([0, 0], 2), ([0, 1], 2)]);
    assert!(complete && classes.is_none(), "both pairs publish alike");
}

#[test]
fn beyond_the_limits_nothing_is_claimed() {
    let policy = Policy::k_anonymity(2).deassociating("illness", "0.1".parse().unwrap(), &["c"], true);
    let (_, complete) = best(&policy, &[([0, 0], 40_000), ([1, 1], 40_000)]);
    assert!(!complete);
}
