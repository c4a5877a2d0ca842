//! Tables where it is known what can be learnt.

use incrowd_core::{Cancel, ColumnSet, FrequencyTable, Partition, Stopped, Watch};
use incrowd_risk::attack::{Outcome, Sampling, TwoTables, learning};

use super::tables::{Draw, anatomy, table_of};

fn attacked(table: &FrequencyTable, partition: &Partition, quasi: ColumnSet, sampling: &Sampling) -> Outcome {
    let sensitive = table.attributes().len() - 1;
    learning::attack(&TwoTables::new(table, partition, quasi, sensitive, sampling), &Watch::default()).unwrap()
}

/// Rows of (club, shop, illness), all drawn at random, or the club determines the illness.
fn rows(number: usize, determined: bool) -> (FrequencyTable, ColumnSet) {
    let mut draw = Draw(3);
    let row = |_| {
        let (club, shop, illness) = (draw.below(12), draw.below(9), draw.below(5));
        let illness = if determined { club % 5 } else { illness };
        vec![format!("club {club}"), format!("shop {shop}"), format!("illness {illness}")]
    };
    table_of(&["club", "shop", "illness"], &(0..number).map(row).collect::<Vec<_>>())
}

#[test]
fn what_a_quasi_identifier_determines_is_learnt() {
    let (table, quasi) = rows(2_000, true);
    let found = attacked(&table, &anatomy(&table, 2, 3, 1), quasi, &Sampling::default());
    assert!(found.success > 0.99 && found.figure("top_decile") > Some(0.99), "{found:?}");
    assert!((found.baseline - 1.0 / 3.0).abs() < 1e-9);
    let meaning = "An attacker who trains a classifier on both tables guesses illness correctly for 100 % of the \
                   people; from the class alone, for 33.3 %.";
    assert_eq!(found.meaning, meaning);
}

/// The larger classes are the less a round teaches, but it goes on.
#[test]
fn large_classes_do_not_keep_it_from_being_learnt() {
    let (table, quasi) = rows(5_000, true);
    let (mut draw, mut all) = (Draw(5), Vec::new());
    (0..table.tuples()).for_each(|tuple| all.extend(vec![tuple; table.count(tuple) as usize]));
    (1..all.len()).rev().for_each(|at| all.swap(at, draw.below(at + 1)));
    let mut partition = Partition::default();
    all.chunks(50).for_each(|class| partition.push(class.iter().map(|&tuple| (tuple, 1))));
    let found = attacked(&table, &partition, quasi, &Sampling::default());
    assert!(found.baseline < 0.4 && found.success > 0.95, "{found:?}");
}

#[test]
fn what_is_independent_is_guessed_no_better_than_from_the_class() {
    let (table, quasi) = rows(4_000, false);
    for (l, seed) in [(2, 1), (3, 2), (5, 3)] {
        let found = attacked(&table, &anatomy(&table, 2, l, seed), quasi, &Sampling::default());
        assert!((found.success - found.baseline).abs() < 0.03, "ℓ = {l}: {found:?}");
        assert!((found.figure("top_decile").unwrap() - found.baseline).abs() < 0.09, "ℓ = {l}: {found:?}");
    }
}

#[test]
fn rows_that_look_alike_are_not_told_apart() {
    let texts = |row: [&str; 2]| row.map(str::to_owned).to_vec();
    let alike = [["x", "flu"], ["x", "flu"], ["x", "gout"]].map(texts);
    let (table, quasi) = table_of(&["shop", "illness"], &alike);
    let found = attacked(&table, &Partition::single(&table), quasi, &Sampling::default());
    assert_eq!((found.success, found.baseline, found.rows), (2.0 / 3.0, 2.0 / 3.0, 3));
    // Who may have one of two values with equal right is guessed right half the time.
    let (table, quasi) = table_of(&["shop", "illness"], &alike[1..]);
    assert_eq!(attacked(&table, &Partition::single(&table), quasi, &Sampling::default()).success, 0.5);
}

#[test]
fn a_class_of_one_value_is_known_without_learning_and_no_class_tells_nothing() {
    let (table, quasi) = table_of(&["shop", "illness"], &[vec!["x".to_owned(), "flu".to_owned()]]);
    let found = attacked(&table, &Partition::single(&table), quasi, &Sampling::default());
    assert_eq!((found.success, found.baseline, found.high), (1.0, 1.0, 1.0));
    let none = attacked(&table, &Partition::default(), quasi, &Sampling::default());
    assert_eq!((none.rows, none.success, none.low, none.high, none.sampled), (0, 0.0, 0.0, 1.0, 1.0));
}

#[test]
fn beyond_a_limit_classes_are_drawn_and_a_class_too_large_is_thinned() {
    let (table, quasi) = rows(2_000, true);
    let classes = anatomy(&table, 2, 2, 1);
    let few = Sampling { rows: 500, ..Sampling::default() };
    let found = attacked(&table, &classes, quasi, &few);
    assert_eq!((found.rows, found.sampled), (500, 500.0 / classes.rows() as f64));
    assert!(found.success > 0.95, "{found:?}");
    let other = attacked(&table, &classes, quasi, &Sampling { seed: 2, ..few });
    assert_eq!(other.rows, 500);
    assert_ne!(other, found);
    let whole = Partition::single(&table);
    assert_eq!(attacked(&table, &whole, quasi, &few).rows, 500);
    let narrow = attacked(&table, &whole, quasi, &Sampling { cells: 300, ..Sampling::default() });
    assert_eq!((narrow.rows, narrow.sampled), (60, 0.03));
}

#[test]
fn the_outcome_does_not_depend_on_threads_and_survives_being_written() {
    let (table, quasi) = rows(1_000, true);
    let classes = anatomy(&table, 2, 4, 9);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| attacked(&table, &classes, quasi, &Sampling::default()))
    };
    let found = on(1);
    assert_eq!(on(3), found);
    // The last digit of a number is not promised to come back.
    let found = Outcome { success: 0.5, low: 0.25, high: 0.75, ..found };
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), found);
}

#[test]
fn an_attack_that_was_cancelled_stops() {
    let (table, quasi) = rows(50, false);
    let tables = TwoTables::new(&table, &Partition::single(&table), quasi, 2, &Sampling::default());
    let cancel = Cancel::default();
    cancel.cancel();
    let watch = Watch { cancel, ..Watch::default() };
    assert_eq!(learning::attack(&tables, &watch), Err(Stopped));
}
