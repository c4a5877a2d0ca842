//! A search with an effort limit: what it reports is true, and what it says it did not measure is exactly the rest.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_core::{
    Attribute, AttributeRisk, ClassSizes, ColumnSet, Dictionary, FrequencyTable, Role, SearchLimit, Values,
};
use incrowd_risk::diagnosis::{
    AllColumns, BorderSearch, DiagnosisOptions, OtherColumn, borders, diagnose, diagnose_some,
};
use proptest::prelude::*;

type Rows = Vec<Vec<u32>>;

const VALUES: u32 = 4;

fn table(rows: &Rows, columns: &[usize]) -> FrequencyTable {
    let column = |at: &usize| {
        let dictionary = Dictionary::new(Values::Integers((0..i64::from(VALUES)).collect()), false);
        Attribute::new(format!("c{at}"), Role::QuasiIdentifier, dictionary)
    };
    let tuples = rows.iter().map(|row| (columns.iter().map(|&at| row[at]).collect::<Vec<u32>>(), 1));
    FrequencyTable::from_tuples(columns.iter().map(column).collect(), tuples)
}

/// The size of the smallest class, the slow way.
fn smallest(rows: &Rows, set: &[usize]) -> u64 {
    let mut classes: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    rows.iter().for_each(|row| *classes.entry(set.iter().map(|&at| row[at]).collect()).or_default() += 1);
    classes.into_values().min().unwrap_or(0)
}

fn sets_of(width: usize, size: usize) -> Vec<Vec<usize>> {
    let chosen = |bits: u32| (0..width).filter(|at| bits >> at & 1 == 1).collect::<Vec<_>>();
    (1u32..1 << width).map(chosen).filter(|set| set.len() == size).collect()
}

fn tables(width: usize) -> impl Strategy<Value = Rows> {
    let code = prop_oneof![6 => 0u32..2, 1 => 2u32..VALUES];
    prop::collection::vec(prop::collection::vec(code, width), 4..60)
}

proptest! {
    #[test]
    fn the_sets_not_measured_are_those_that_no_measure_decides(rows in tables(6), k in 2u64..5, sets in 0u64..40, most in 1usize..7) {
        // Measuring a set of a small table counts as 1,024 tuples, and numbering the classes of the others a little
        // more.
        let effort = sets * 1_200;
        let table = table(&rows, &(0..6).collect::<Vec<_>>());
        let found = borders(&table, &BorderSearch::new(k).within(effort).up_to(most));
        let measured: BTreeSet<Vec<usize>> = found.measured.iter().map(|set| set.columns.iter().collect()).collect();
        for set in &found.measured {
            let columns: Vec<usize> = set.columns.iter().collect();
            prop_assert_eq!(set.k, smallest(&rows, &columns));
        }
        let dangerous: Vec<ColumnSet> = found.smallest_dangerous.clone();
        let open = |set: &Vec<usize>| {
            let columns: ColumnSet = set.iter().copied().collect();
            !measured.contains(set) && !dangerous.iter().any(|small| small.is_subset(columns))
        };
        let cut = found.cut.map_or(usize::MAX, |cut| cut.size);
        for size in 1..=6 {
            let left = sets_of(6, size).into_iter().filter(open).count() as u64;
            match found.cut {
                Some(cut) if cut.size == size && cut.by_effort => prop_assert_eq!((left, cut.exact), (cut.sets, true)),
                Some(cut) if cut.size == size => prop_assert!(left >= cut.sets && size > most),
                _ if size < cut => prop_assert_eq!(left, 0, "sets of {} columns", size),
                _ => prop_assert!(measured.iter().all(|set| set.len() <= cut), "nothing larger than the cut is measured"),
            }
        }
        // What is called safe is safe, and what is called dangerous is dangerous.
        for set in &found.largest_safe {
            prop_assert!(smallest(&rows, &set.iter().collect::<Vec<_>>()) >= k);
        }
        for set in &dangerous {
            prop_assert!(smallest(&rows, &set.iter().collect::<Vec<_>>()) < k);
        }
    }

    #[test]
    fn pairs_with_a_column_that_was_not_combined_are_counted(rows in tables(7), k in 2u64..5) {
        let (combined, others) = ((0..4).collect::<Vec<usize>>(), 4..7usize);
        let sizes = |set: &[usize]| {
            let mut classes: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            rows.iter().for_each(|row| *classes.entry(set.iter().map(|&at| row[at]).collect()).or_default() += 1);
            ClassSizes::from_sizes(classes.into_values())
        };
        let other = |at: usize| {
            let counts: Vec<u64> = (0..VALUES).map(|code| rows.iter().filter(|row| row[at] == code).count() as u64).collect();
            let attribute = AttributeRisk::alone(&format!("c{at}"), &counts, sizes(&[at]).k());
            OtherColumn { attribute, sizes: Some(sizes(&[at])) }
        };
        let all = AllColumns {
            quasi_identifiers: (0..7).map(|at| format!("c{at}")).collect(),
            sizes: sizes(&(0..7).collect::<Vec<_>>()),
            others: others.clone().map(other).collect(),
        };
        let options = DiagnosisOptions { k, max_set_size: 4, ..DiagnosisOptions::default() };
        let found = diagnose_some(&table(&rows, &combined), Some(&all), &options, &Default::default()).unwrap();
        prop_assert_eq!(found.k, smallest(&rows, &(0..7).collect::<Vec<_>>()));
        prop_assert_eq!(found.attributes.len(), 7);
        let alone = |at: usize| smallest(&rows, &[at]) >= k;
        let left = sets_of(7, 2).into_iter().filter(|pair| pair.iter().any(|at| others.contains(at)));
        let left = left.filter(|pair| pair.iter().all(|&at| alone(at))).count() as u64;
        let told = found.not_searched.iter().find(|left| left.limit == SearchLimit::Columns);
        if found.k >= k || left == 0 {
            prop_assert!(told.is_none());
        } else {
            prop_assert_eq!(told.and_then(|told| told.sets), Some(left));
            prop_assert!(!found.complete && found.findings.iter().any(|finding| finding.code.code == "IC306"));
        }
    }
}

#[test]
fn a_search_that_its_effort_stops_says_so_and_claims_nothing_about_the_rest() {
    let rows: Rows = (0..64u32).map(|row| (0..6).map(|at| row >> at & 1).collect()).collect();
    let table = table(&rows, &(0..6).collect::<Vec<_>>());
    let cut = diagnose(
        &table,
        &DiagnosisOptions { k: 5, max_set_size: 6, effort: Some(5_000), ..DiagnosisOptions::default() },
    );
    assert!(!cut.complete && cut.k < 5, "all columns together single people out, and no measured set does");
    assert!(cut.findings.iter().any(|finding| finding.code.code == "IC305"));
    assert_eq!((cut.not_searched[0].set_size, cut.not_searched[0].at_least), (2, false));
    let whole = diagnose(&table, &DiagnosisOptions { k: 5, max_set_size: 6, ..DiagnosisOptions::default() });
    assert!(whole.complete && whole.not_searched.is_empty() && !whole.smallest_dangerous.is_empty());
    // The same effort gives the same answer, whatever the machine.
    let again = diagnose(
        &table,
        &DiagnosisOptions { k: 5, max_set_size: 6, effort: Some(5_000), ..DiagnosisOptions::default() },
    );
    assert_eq!(again, cut);
}

#[test]
fn when_all_columns_together_are_safe_nothing_is_left_open() {
    let rows: Rows = (0..64u32).map(|row| (0..6).map(|at| row >> at & 1).collect()).collect();
    let table = table(&rows, &(0..6).collect::<Vec<_>>());
    let found =
        diagnose(&table, &DiagnosisOptions { k: 1, max_set_size: 6, effort: Some(0), ..DiagnosisOptions::default() });
    assert!(found.complete && found.not_searched.is_empty());
}
