//! Random small tables, every answer against the plainest way to get it.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_core::{Attribute, ClassSizes, ColumnSet, Dictionary, FrequencyTable, Role, Values};
use incrowd_risk::diagnosis::{
    BorderSearch, DiagnosisOptions, KBound, borders, budgets_for, diagnose, is_anonymous, k_of, k_of_sets, sets_with,
    subsets, tuples_below,
};
use proptest::prelude::*;

/// A row's codes and the person it belongs to.
type Row = (Vec<u32>, u64);

fn table(rows: &[Row], people: bool) -> FrequencyTable {
    let column = |at: usize| {
        let dictionary = Dictionary::new(Values::Integers((0..3).collect()), true);
        Attribute::new(format!("c{at}"), Role::QuasiIdentifier, dictionary)
    };
    let width = rows.first().map_or(1, |(codes, _)| codes.len());
    let tuples = rows.iter().map(|(codes, person)| (codes.clone(), people.then_some(*person), 1));
    FrequencyTable::from_people((0..width).map(column).collect(), tuples)
}

/// The sizes of the classes, the slow way.
fn sizes(rows: &[Row], people: bool, set: ColumnSet) -> Vec<u64> {
    let mut classes: BTreeMap<Vec<u32>, (u64, BTreeSet<u64>)> = BTreeMap::new();
    for (codes, person) in rows {
        let class = classes.entry(set.iter().map(|column| codes[column]).collect()).or_default();
        class.0 += 1;
        class.1.insert(*person);
    }
    classes.into_values().map(|(rows, set)| if people { set.len() as u64 } else { rows }).collect()
}

/// The largest k with at most `budget` withheld, trying every k.
fn largest_k(sizes: &[u64], budget: u64) -> u64 {
    let reached =
        |&k: &u64| sizes.iter().any(|&size| size >= k) && sizes.iter().filter(|&&size| size < k).sum::<u64>() <= budget;
    sizes.iter().copied().filter(reached).max().unwrap_or(0)
}

fn tables() -> impl Strategy<Value = (Vec<Row>, bool)> {
    let rows = (1usize..5).prop_flat_map(|width| {
        let code = prop_oneof![4 => 0u32..2, 1 => 2u32..4];
        prop::collection::vec((prop::collection::vec(code, width), 0u64..12), 1..40)
    });
    (rows, any::<bool>())
}

fn every_set(width: usize) -> impl Iterator<Item = ColumnSet> {
    (1u32..1 << width).map(move |bits| (0..width).filter(|at| bits >> at & 1 == 1).collect())
}

proptest! {
    #[test]
    fn every_subset_is_measured_as_brute_force_measures_it((rows, people) in tables()) {
        let table = table(&rows, people);
        let width = table.attributes().len();
        let found = subsets(&table, ColumnSet::first(width)).unwrap();
        prop_assert_eq!(found.len(), (1 << width) - 1);
        for subset in found {
            let sizes = sizes(&rows, people, subset.columns);
            prop_assert_eq!(Some(subset.k), sizes.iter().min().copied());
            prop_assert_eq!(subset.classes, sizes.len() as u64);
            prop_assert_eq!(subset.unique, sizes.iter().filter(|&&size| size == 1).count() as u64);
        }
    }

    #[test]
    fn both_borders_are_those_of_brute_force((rows, people) in tables(), k in 1u64..8, delta in 0u8..6) {
        let table = table(&rows, people);
        let delta = f64::from(delta) / 10.0;
        let budget = ClassSizes::budget(delta, table.people());
        let width = table.attributes().len();
        let safe: BTreeSet<ColumnSet> =
            every_set(width).filter(|&set| largest_k(&sizes(&rows, people, set), budget) >= k).collect();
        let largest: BTreeSet<ColumnSet> = safe
            .iter()
            .copied()
            .filter(|set| !safe.iter().any(|other| other != set && set.is_subset(*other)))
            .collect();
        let smallest: BTreeSet<ColumnSet> = every_set(width)
            .filter(|set| !safe.contains(set) && set.parents().all(|part| part.is_empty() || safe.contains(&part)))
            .collect();
        let found = borders(&table, &BorderSearch::new(k).suppressing(delta));
        prop_assert_eq!(found.largest_safe.iter().copied().collect::<BTreeSet<_>>(), largest);
        prop_assert_eq!(found.smallest_dangerous.iter().copied().collect::<BTreeSet<_>>(), smallest.clone());
        prop_assert_eq!(found.groupings, safe.len() + smallest.len());
        let at_most = sets_with(&table, ColumnSet::first(width), KBound::AtMost(k - 1), delta).0;
        prop_assert_eq!(at_most.into_iter().collect::<BTreeSet<_>>(), smallest);
        for set in k_of_sets(&table, ColumnSet::first(width), delta).measured {
            prop_assert_eq!(set.k, largest_k(&sizes(&rows, people, set.columns), budget));
        }
    }

    #[test]
    fn questions_about_one_set_are_answered_as_brute_force_does((rows, people) in tables(), k in 1u64..8, delta in 0u8..11) {
        let table = table(&rows, people);
        let delta = f64::from(delta) / 10.0;
        let budget = ClassSizes::budget(delta, table.people());
        for set in every_set(table.attributes().len()) {
            let sizes = sizes(&rows, people, set);
            let largest = largest_k(&sizes, budget);
            prop_assert_eq!(k_of(&table, set, delta).k, largest);
            for bound in [KBound::AtLeast(k), KBound::AtMost(k)] {
                prop_assert_eq!(is_anonymous(&table, set, bound, delta), bound.holds(largest));
                let within = |budgets: incrowd_risk::diagnosis::Budgets| {
                    budgets.from <= budget && budgets.until.is_none_or(|until| budget < until)
                };
                prop_assert_eq!(budgets_for(&table, set, bound).is_some_and(within), bound.holds(largest));
            }
            let withheld: u64 = tuples_below(&table, set, k).into_iter().map(|tuple| table.count(tuple)).sum();
            if !people {
                prop_assert_eq!(withheld, sizes.iter().filter(|&&size| size < k).sum::<u64>());
            }
        }
    }
}

#[test]
fn a_unique_row_whose_quasi_identifier_is_missing_gives_k_1() {
    let rows: Vec<Row> = (0..10).map(|row| (vec![0, row % 2], 0)).chain([(vec![3, 0], 0)]).collect();
    let table = table(&rows, false);
    let found = diagnose(&table, &DiagnosisOptions::default());
    assert_eq!((found.k, found.unique), (1, 1));
    let missing = found.findings.iter().find(|finding| finding.code.name == "missing-stands-out").unwrap();
    assert_eq!((&missing.columns[..], missing.rows), (&["c0".to_owned()][..], Some(1)));
}

#[test]
fn a_search_that_stops_early_says_so() {
    let rows: Vec<Row> = (0..16).map(|row| (vec![row % 2, row / 2 % 2, row / 4 % 2], 0)).collect();
    let table = table(&rows, false);
    let found = borders(&table, &BorderSearch::new(2).up_to(2));
    assert!(!found.complete());
    assert_eq!((found.groupings, found.largest_safe.len()), (6, 3));
    assert!(borders(&table, &BorderSearch::new(2)).complete());
}

#[test]
fn several_rows_of_one_person_are_counted_as_one_person() {
    let rows: Vec<Row> = vec![(vec![0], 7), (vec![0], 7), (vec![0], 7), (vec![1], 1), (vec![1], 2)];
    assert_eq!(k_of(&table(&rows, false), ColumnSet::single(0), 0.0).k, 2);
    assert_eq!(k_of(&table(&rows, true), ColumnSet::single(0), 0.0).k, 1);
    let found = diagnose(&table(&rows, true), &DiagnosisOptions::default());
    assert!(found.findings.iter().any(|finding| finding.code.name == "several-rows-per-person"));
}
