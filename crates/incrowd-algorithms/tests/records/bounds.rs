//! The bound on the loss on real tables.

use incrowd_algorithms::{Budget, Problem, lower_bound};
use incrowd_core::{Lm, Policy};

use super::tables::{ADULT, Table, adult, in_time, nursery};

fn is_bounded((table, quasi): &Table, bounds: &[(u64, f64)]) {
    for &(k, expected) in bounds {
        let problem = Problem::new(table, quasi, &Policy::k_anonymity(k), &Lm, 1).unwrap();
        // Unoptimized code gets enough effort for the row-by-row bound, and a little for better prices.
        let effort = cfg!(debug_assertions).then_some(1 << 30);
        let bound = lower_bound(&problem, k, None, &Budget { effort, ..Budget::default() }).unwrap().unwrap();
        println!("k = {k}: at least {:.6}, row by row {:.6}", bound.best, bound.row_by_row);
        assert_eq!(format!("{:.4}", bound.row_by_row), format!("{expected:.4}"), "k = {k}");
        assert!(bound.best >= bound.row_by_row);
    }
}

#[test]
fn the_bound_on_adult_is_as_measured() {
    is_bounded(&adult(&ADULT), &in_time(&[(10, 0.0453), (50, 0.0887), (100, 0.1154), (200, 0.1489)], 200));
}

#[test]
fn the_bound_on_nursery_is_the_known_optimum() {
    let bounds = [(10, 0.1667), (50, 0.3750), (75, 0.3750), (100, 0.4167), (150, 0.5), (200, 0.5)];
    is_bounded(&nursery(), &in_time(&bounds, 75));
}

/// More effort never makes the bound worse, and too little gives none; threads make no difference.
#[test]
fn a_bound_within_an_effort_is_the_same_on_any_number_of_threads() {
    let (table, quasi) = nursery();
    let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(200), &Lm, 1).unwrap();
    let bound = |threads, effort| {
        lower_bound(&problem, 200, None, &Budget { threads: Some(threads), effort, ..Budget::default() }).unwrap()
    };
    assert_eq!(bound(2, Some(10)), None);
    let mut before = None;
    for effort in [Some(1 << 20), Some(1 << 23), Some(1 << 26), None] {
        let found = bound(1, effort);
        assert_eq!(bound(2, effort), found, "{effort:?}");
        let best = |bound: Option<incrowd_algorithms::LowerBound>| bound.map(|bound| bound.best);
        assert!(best(found) >= best(before), "{effort:?}");
        before = found;
    }
    assert!(before.is_some());
}

/// The linear programme is solved in parts; how many threads share them makes no difference. It is better than the
/// ascent, which is what is left when there is no memory for its records.
#[test]
fn a_bound_by_the_linear_programme_does_not_depend_on_threads_and_beats_the_ascent() {
    let (table, quasi) = adult(&ADULT[..4]);
    let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(20), &Lm, 1).unwrap();
    let bound = |threads, memory| {
        let budget = Budget { threads: Some(threads), memory, effort: Some(1 << 29), ..Budget::default() };
        lower_bound(&problem, 20, None, &budget).unwrap().unwrap()
    };
    let (one, without) = (bound(1, None), bound(1, Some(0)));
    assert_eq!(bound(2, None), one);
    println!("{one:?}, the ascent {without:?}");
    assert_eq!(one.row_by_row, without.row_by_row);
    assert!(one.best > without.best && one.best > 1.1 * one.row_by_row);
}

#[test]
fn a_table_of_fewer_rows_than_k_has_no_bound() {
    let (table, quasi) = nursery();
    let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(12_961), &Lm, 1).unwrap();
    assert_eq!(lower_bound(&problem, 12_961, None, &Budget::default()), Ok(None));
}
