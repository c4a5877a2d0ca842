//! How many closed frequent records there are. Those of a k are among those of any smaller one, so a table is mined
//! once.

use std::time::Instant;

use incrowd_algorithms::{Budget, ClosedRecords, MiningLimits, Problem, Unmined};
use incrowd_core::{Lm, Policy};

use super::tables::{ADULT, Table, adult, in_time, nursery};

fn are_counted((table, quasi): &Table, counts: &[(u64, usize)]) {
    let least = counts[0].0;
    let problem = Problem::new(table, quasi, &Policy::k_anonymity(least), &Lm, 1).unwrap();
    let began = Instant::now();
    let records = ClosedRecords::mine(&problem, least, MiningLimits::default(), &Budget::default()).unwrap();
    println!("k = {least}: {} records, {} bytes, {:.2?}", records.len(), records.bytes(), began.elapsed());
    for &(k, count) in counts {
        assert_eq!((0..records.len()).filter(|&record| records.rows(record) >= k).count(), count, "k = {k}");
    }
}

#[test]
fn adult_has_as_many_closed_frequent_records_as_measured() {
    let counts =
        [(10, 914_417), (30, 466_199), (50, 315_794), (75, 224_754), (100, 173_182), (150, 116_761), (200, 86_253)];
    are_counted(&adult(&ADULT), &in_time(&counts, 200));
}

#[test]
fn nursery_has_as_many_closed_frequent_records_as_measured() {
    let counts = [(10, 107_580), (30, 50_472), (50, 28_575), (75, 17_301), (100, 13_685), (150, 7_421), (200, 5_604)];
    are_counted(&nursery(), &in_time(&counts, 50));
}

#[test]
fn adult_with_five_attributes_has_as_many_as_a_literal_miner_finds() {
    let table = adult(&["age", "workclass", "education", "occupation", "sex"]);
    are_counted(&table, &in_time(&[(10, 77_635), (50, 31_044), (200, 10_008)], 50));
}

#[test]
fn more_records_than_allowed_are_refused_and_none_given() {
    let (table, quasi) = nursery();
    let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(200), &Lm, 1).unwrap();
    let mined = |records: usize| {
        let limits = MiningLimits { records, ..MiningLimits::default() };
        ClosedRecords::mine(&problem, 200, limits, &Budget::default()).map(|records| records.len())
    };
    assert_eq!((mined(5_604), mined(5_603)), (Ok(5_604), Err(Unmined::TooMany)));
}
