//! The bound on the loss on real tables.

use std::time::Instant;

use incrowd_algorithms::{Budget, Problem, lower_bound};
use incrowd_core::{Lm, Policy};

use super::tables::{ADULT, Table, adult, in_time, nursery};

fn is_bounded((table, quasi): &Table, bounds: &[(u64, f64)]) {
    for &(k, expected) in bounds {
        let problem = Problem::new(table, quasi, &Policy::k_anonymity(k), &Lm, 1).unwrap();
        let began = Instant::now();
        let bound = lower_bound(&problem, k, &Budget::default()).unwrap().unwrap();
        println!("k = {k}: at least {bound:.6}, {:.2?}", began.elapsed());
        assert_eq!(format!("{bound:.4}"), format!("{expected:.4}"), "k = {k}");
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

#[test]
fn a_table_of_fewer_rows_than_k_has_no_bound() {
    let (table, quasi) = nursery();
    let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(12_961), &Lm, 1).unwrap();
    assert_eq!(lower_bound(&problem, 12_961, &Budget::default()), Ok(None));
}
