//! The answers of entropy ℓ-diversity about classes for which they are known exactly.

#![allow(clippy::unwrap_used)]

use super::small_tables::Numbers;
use crate::{Attribute, Dictionary, FrequencyTable, Members, ModelEntry, Parameters, Role, TupleRows};

/// A table with one row of each of this number of values: the tuple of a value is its number.
fn values(values: u32) -> FrequencyTable {
    let texts: Vec<String> = (0..values).map(|value| format!("{value:03}")).collect();
    let column = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(texts.iter().map(String::as_str)));
    FrequencyTable::from_tuples(vec![column], (0..values).map(|code| ([code], 1)))
}

/// Whether a class with these rows of the first values keeps entropy ℓ-diversity, its gap, and the largest share of a value.
fn answers(table: &FrequencyTable, l: &str, rows: &[u64]) -> (bool, u64, f64) {
    let model = ModelEntry::find("entropy-l-diversity").unwrap().model(&Parameters::from_iter([("l", l)])).unwrap();
    let class: Vec<TupleRows> = rows.iter().copied().enumerate().filter(|member| member.1 > 0).collect();
    let (bound, class) = (model.bind(table, &[0]).unwrap(), Members::new(table, &class));
    let limits = bound.share_limits();
    (bound.holds(&class), bound.gap(&class), limits[0].most[0])
}

#[test]
fn the_gap_to_as_many_values_as_there_are_is_what_makes_them_equally_frequent() {
    let mut numbers = Numbers(67);
    for count in 2..=6 {
        let table = values(count);
        for _ in 0..20 {
            let rows: Vec<u64> = (0..count).map(|_| numbers.below(30)).collect();
            let (most, all) = (*rows.iter().max().unwrap(), rows.iter().sum::<u64>());
            let missing = most * u64::from(count) - all;
            let (holds, gap, share) = answers(&table, &count.to_string(), &rows);
            assert_eq!((holds, gap), (missing == 0 && all > 0, missing.max(u64::from(all == 0))), "{rows:?}");
            assert!((share - 1.0 / f64::from(count)).abs() < 1e-5, "{share}");
        }
    }
}

#[test]
fn the_gap_to_an_entropy_that_no_class_reaches_is_the_fewest_rows_of_new_values() {
    let (few, many) = (values(3), values(60));
    for l in ["3.5", "4", "7", "10", "20"] {
        for rows in [vec![1], vec![2, 1], vec![2, 2], vec![1, 2, 3], vec![4, 4, 1]] {
            let with = |more: usize| [&rows[..], &vec![1; more]].concat();
            let fewest = (1..).find(|&more| answers(&many, l, &with(more)).0).unwrap();
            let (holds, gap, share) = answers(&few, l, &rows);
            assert_eq!((holds, gap), (false, fewest as u64), "{l} {rows:?}");
            // The largest share that is left is that of equally frequent values.
            assert!((share - 1.0 / 3.0).abs() < 1e-8, "{share}");
        }
    }
}
