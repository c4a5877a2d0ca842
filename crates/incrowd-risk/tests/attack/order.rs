//! The order of rows: kept, partly kept, reversed, shuffled.

use incrowd_core::Outcome;
use incrowd_risk::attack::row_order;

use super::tables::Draw;

/// The classes of so many rows, ten rows to a class on average, and those in which two in a hundred are withheld.
fn original(rows: usize) -> Vec<Option<u32>> {
    let mut draw = Draw(11);
    (0..rows).map(|_| (draw.below(50) > 0).then(|| draw.below(rows / 10) as u32)).collect()
}

fn shuffle(rows: &mut [u32], seed: u64) {
    let mut draw = Draw(seed);
    (1..rows.len()).rev().for_each(|at| rows.swap(at, draw.below(at + 1)));
}

fn attacked(change: impl Fn(&mut Vec<u32>)) -> Outcome {
    let original = original(20_000);
    let mut published: Vec<u32> = original.iter().copied().flatten().collect();
    assert!(published.len() < 19_800);
    change(&mut published);
    row_order::attack(&published, &original)
}

#[test]
fn an_order_that_was_kept_is_aligned_completely_whatever_was_suppressed() {
    let found = attacked(|_| ());
    assert_eq!((found.success, found.evidence.name()), (1.0, "found"));
    assert!(found.figure("rank_correlation") > Some(0.999) && found.baseline < 0.002, "{found:?}");
    let back = attacked(|rows| rows.reverse());
    assert_eq!((back.success, back.figure("reversed")), (1.0, Some(1.0)));
    assert!(back.figure("rank_correlation") < Some(-0.999));
}

#[test]
fn shuffled_rows_are_not_aligned() {
    for seed in 1..=5 {
        let found = attacked(|rows| shuffle(rows, seed));
        assert!(found.success < 0.002 && found.evidence.name() == "not-found", "{found:?}");
        assert!(found.figure("rank_correlation").unwrap().abs() < 0.09, "{found:?}");
    }
}

/// One row that is far off ends the walk, but not the correlation.
#[test]
fn an_order_that_was_kept_in_parts_is_found_by_its_correlation() {
    let found = attacked(|rows| rows.chunks_mut(200).for_each(|rows| shuffle(rows, 5)));
    assert_eq!(found.evidence.name(), "found");
    assert!(found.figure("rank_correlation") > Some(0.95), "{found:?}");
    let second_half = attacked(|rows| shuffle(&mut rows[10_000..], 5));
    assert!(second_half.success > 0.5 && second_half.evidence.name() == "found", "{second_half:?}");
}

#[test]
fn one_class_or_no_row_has_no_order() {
    let found = row_order::attack(&[7; 100], &[Some(7); 100]);
    assert_eq!((found.success, found.baseline, found.evidence.name()), (1.0, 1.0, "not-found"));
    let none = row_order::attack(&[], &[None, None]);
    assert_eq!((none.rows, none.success, none.evidence.name()), (0, 0.0, "not-found"));
}
