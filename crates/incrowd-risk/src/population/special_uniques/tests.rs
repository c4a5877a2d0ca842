use incrowd_core::{Attribute, Dictionary, Role};
use proptest::prelude::*;

use super::*;

fn attributes(columns: usize, values: usize) -> Vec<Attribute> {
    let texts = || (0..values).map(|value| value.to_string()).collect::<Vec<_>>();
    let column = |at: usize| {
        let texts = texts();
        Attribute::new(format!("C{at}"), Role::QuasiIdentifier, Dictionary::of_texts(texts.iter().map(String::as_str)))
    };
    (0..columns).map(column).collect()
}

fn search(table: &FrequencyTable, columns: usize, depth: usize) -> SpecialUniques {
    SpecialUniques::of(table, ColumnSet::first(columns), depth, None, &Watch::default())
        .expect("few columns")
        .expect("not stopped")
}

/// The MSUs of each tuple by trying every set of columns on every pair of entries.
fn literal(table: &FrequencyTable, columns: usize, depth: usize) -> Vec<Vec<ColumnSet>> {
    let entries = 0..table.tuples();
    let same_person = |a: usize, b: usize| match table.counts_people() {
        true => table.grouping().person(a) == table.grouping().person(b),
        false => a == b && table.count(a) == 1,
    };
    let unique = |entry: usize, set: ColumnSet| {
        let agrees = |other: usize| set.iter().all(|column| table.code(entry, column) == table.code(other, column));
        entries.clone().filter(|&other| agrees(other)).all(|other| same_person(entry, other))
    };
    let sets: Vec<ColumnSet> = (1u32..1 << columns)
        .map(|bits| (0..columns).filter(|at| bits >> at & 1 == 1).collect::<ColumnSet>())
        .filter(|set| set.len() <= depth)
        .collect();
    let minimal = |entry: usize, set: &ColumnSet| {
        unique(entry, *set) && !set.parents().any(|part| !part.is_empty() && unique(entry, part))
    };
    let of = |entry: usize| {
        let mut found: Vec<ColumnSet> = sets.iter().copied().filter(|set| minimal(entry, set)).collect();
        found.sort();
        found
    };
    entries.clone().map(of).collect()
}

fn sorted(found: &SpecialUniques) -> Vec<Vec<ColumnSet>> {
    let mut sets: Vec<Vec<ColumnSet>> = (0..found.scores.len()).map(|tuple| found.sets_of(tuple)).collect();
    sets.iter_mut().for_each(|sets| sets.sort());
    sets
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn the_search_finds_what_trying_every_set_finds(
        rows in proptest::collection::vec((proptest::collection::vec(0u32..4, 6), 0u64..6), 1..40),
        columns in 1usize..=6,
        depth in 1usize..=6,
        with_people in any::<bool>(),
    ) {
        let tuples = rows.iter().map(|(codes, _)| codes[..columns].to_vec());
        let table = match with_people {
            true => FrequencyTable::from_people(
                attributes(columns, 4),
                tuples.zip(&rows).map(|(codes, &(_, person))| (codes, Some(person), 1)),
            ),
            false => FrequencyTable::from_tuples(attributes(columns, 4), tuples.map(|codes| (codes, 1))),
        };
        let found = search(&table, columns, depth);
        prop_assert_eq!(sorted(&found), literal(&table, columns, found.depth));
    }
}

/// The ten rows and the scores of "Statistical disclosure control: a practice guide", table 4.5: four columns, depth 3.
#[test]
fn the_scores_are_those_of_the_practice_guide() {
    // Residence, gender, education, labour status.
    let rows: [[u32; 4]; 10] = [
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 1, 1],
        [0, 1, 2, 0],
        [1, 0, 2, 2],
        [0, 1, 2, 0],
        [0, 0, 3, 1],
        [0, 1, 4, 2],
        [0, 0, 0, 1],
        [0, 0, 0, 1],
    ];
    let table = FrequencyTable::from_tuples(attributes(4, 5), rows.map(|row| (row, 1)));
    let found = SpecialUniques::of(&table, ColumnSet::first(4), 3, Some(0.01), &Watch::default())
        .expect("few columns")
        .expect("not stopped");
    let score = |row: [u32; 4]| {
        let tuple = (0..table.tuples()).find(|&tuple| (0..4).all(|at| table.code(tuple, at) == row[at]));
        found.scores[tuple.expect("a row of the table")]
    };
    let scores: Vec<f64> = rows.into_iter().map(score).collect();
    assert_eq!(scores, [0.0, 0.0, 6.0, 0.0, 12.0, 0.0, 6.0, 10.0, 0.0, 0.0]);
    assert_eq!((found.special_rows, found.minimal_sets, found.max_score, found.mean_score), (4, 9, 12.0, 8.5));
    // Four unique rows and three pairs.
    let dis = 0.04 / (0.04 + 2.0 * 0.99 * 3.0);
    assert!((found.dis.expect("a fraction") - dis).abs() < 1e-15);
    assert!((found.max_dis.expect("a fraction") - dis * 12.0 / 8.5).abs() < 1e-15);
    assert_eq!(found.columns[0].minimal_sets, 2);
}

#[test]
fn a_set_of_all_columns_is_not_special() {
    let table = FrequencyTable::from_tuples(attributes(2, 2), [([0, 0], 1), ([0, 1], 1), ([1, 0], 1), ([1, 1], 1)]);
    let found = search(&table, 2, 9);
    assert_eq!((found.depth, found.special_rows, found.max_score), (1, 0, 0.0));
}

#[test]
fn sets_are_counted_before_they_are_searched() {
    assert_eq!(sets_up_to(8, 6), 255 - 9);
    assert_eq!(sets_up_to(12, 12), 4_095);
    let table = FrequencyTable::from_tuples(attributes(60, 2), [(vec![0u32; 60], 1)]);
    let refused = SpecialUniques::of(&table, ColumnSet::first(60), 6, None, &Watch::default());
    assert_eq!(refused.map(|_| ()), Err(TooManyColumnSets { columns: 60 }));
}

#[test]
fn a_search_that_is_stopped_gives_no_answer() {
    let table = FrequencyTable::from_tuples(attributes(3, 2), [([0, 0, 0], 2), ([0, 1, 1], 1), ([1, 1, 1], 1)]);
    let watch = Watch::default();
    watch.cancel.cancel();
    let found = SpecialUniques::of(&table, ColumnSet::first(3), 2, None, &watch);
    assert!(matches!(found, Ok(Err(Stopped))));
}
