//! The learning attack on Adult: what the measurements behind the project's warning found (0.807 against 0.5 at ℓ = 2,
//! 0.409 against 0.2 at ℓ = 5) is found again.

use incrowd_core::Watch;
use incrowd_risk::attack::{Sampling, TwoTables, learning};

use super::tables::{adult, anatomy};

const COLUMNS: [&str; 9] =
    ["age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class", "occupation"];

/// On a sample of whole classes, because tests are not optimized; on all rows it is 0.819 and 0.453.
#[test]
fn who_learns_from_both_tables_beats_one_in_l_by_far() {
    let (table, quasi) = adult(&COLUMNS);
    for (l, rows, least, surest) in [(2, 20_000, 0.78, 0.93), (5, 10_000, 0.37, 0.6)] {
        let partition = anatomy(&table, 8, l, 7);
        let sampling = Sampling { rows, ..Sampling::default() };
        let found =
            learning::attack(&TwoTables::new(&table, &partition, quasi, 8, &sampling), &Watch::default()).unwrap();
        assert_eq!((found.rows, found.sampled), (rows, rows as f64 / partition.rows() as f64));
        assert!((found.baseline - 1.0 / l as f64).abs() < 1e-9);
        assert!(found.success > least && found.figure("top_decile") > Some(surest), "ℓ = {l}: {found:?}");
    }
}
