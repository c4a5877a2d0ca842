//! The bound with cuts against all releases of small tables, and its parts against their definitions.

#![allow(clippy::unwrap_used)]

use incrowd_core::{FrequencyTable, Lm, Policy, QuasiIdentifier};
use proptest::prelude::*;

use super::super::super::small_optimum::{optimum, small_table};
use super::super::super::stored_records;
use super::programme::odd_set;
use super::*;
use crate::Problem;
use crate::mining::ClosedRecords;

/// Runs a test with the records of a table, and a search that was solved without cuts.
fn with_search(
    table: &FrequencyTable,
    quasi: &[QuasiIdentifier],
    test: impl FnOnce(&Problem<'_>, PriceSearch<'_, '_>),
) {
    let problem = Problem::new(table, quasi, &Policy::k_anonymity(2), &Lm, 1).unwrap();
    let budget = Budget::default();
    let records = stored_records(&problem, &problem.all_rows(), 2, &budget).unwrap().unwrap();
    let relaxation = Relaxation::new(&records, 2, problem.star_price());
    let mut search = PriceSearch::new(&relaxation, &budget).unwrap();
    search.run(&budget, |_| false);
    test(&problem, search);
}

/// The point of each row.
fn row_points(records: &ClosedRecords) -> Vec<u32> {
    let points = records.points();
    points.numbers().flat_map(|point| (0..points.rows(point)).map(move |_| point)).collect()
}

/// By how much the prices of any two or three rows are above what they lose and the multipliers of their sets.
fn worst(records: &ClosedRecords, sets: &[OddSet], found: &CutPrices) -> f64 {
    let rows = row_points(records);
    let classes = (0u32..1 << rows.len()).filter(|set| (2..=3).contains(&set.count_ones()));
    let over = |set: u32| {
        let class: Vec<u32> = (0..rows.len()).filter(|at| set >> at & 1 == 1).map(|at| rows[at]).collect();
        let inside = |set: &OddSet| class.iter().filter(|point| set.points.contains(point)).count() >= 2;
        let multipliers = sets.iter().zip(&found.multipliers).filter(|(set, _)| inside(set)).map(|(_, own)| own);
        let prices: f64 = class.iter().map(|&point| found.prices[point as usize]).sum();
        prices - class.len() as f64 * records.price_of_join(&class) - multipliers.sum::<f64>()
    };
    classes.map(over).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn three_rows_that_are_one_class_lose_what_the_bound_with_cuts_says() {
    // The second row is near to the others, which differ from each other in two columns. Halves of three pairs lose two
    // thirds of what the class loses.
    let (table, quasi) = small_table(&[[1, 1, 0], [2, 1, 0], [2, 2, 0]]);
    with_search(&table, &quasi, |problem, mut search| {
        let least = optimum(problem, 2).unwrap() * 9.0;
        let without = search.sum();
        search.run_cuts(&Budget::default(), |_| false);
        assert!((without - least * 2.0 / 3.0).abs() < 1e-6, "{without} of {least}");
        assert!(search.sum() <= least + 1e-9 && search.sum() > least - 1e-6, "{} of {least}", search.sum());
    });
}

#[test]
fn the_bound_is_the_same_on_any_number_of_threads_and_holds_wherever_it_ends() {
    let rows: Vec<[u32; 3]> = (0u32..80).map(|row| [row * 7 % 6, row * 5 % 11 % 6, row / 3 % 4]).collect();
    let (table, quasi) = small_table(&rows);
    with_search(&table, &quasi, |_, mut search| {
        let before = search.sum();
        let spent = search.run_cuts(&Budget::default(), |_| false);
        let whole = search.sum();
        assert!(whole > before, "{whole} {before}");
        for (threads, effort) in [(1, None), (2, None), (2, Some(spent / 3)), (1, Some(spent / 3))] {
            let budget = Budget { threads: Some(threads), effort, ..Budget::default() };
            search.odd_sets = None;
            budget.run(|| search.run_cuts(&budget, |_| false));
            let found = search.sum();
            assert!(found <= whole && found >= before);
            assert_eq!(found == whole, effort.is_none(), "{found} {whole}");
        }
    });
}

#[test]
fn a_larger_k_has_no_cuts() {
    let (table, quasi) = small_table(&[[0, 0, 0], [1, 0, 0], [3, 0, 0], [4, 0, 0], [5, 0, 0]]);
    let problem = Problem::new(&table, &quasi, &Policy::k_anonymity(3), &Lm, 1).unwrap();
    let budget = Budget::default();
    let records = stored_records(&problem, &problem.all_rows(), 3, &budget).unwrap().unwrap();
    let relaxation = Relaxation::new(&records, 3, problem.star_price());
    let mut search = PriceSearch::new(&relaxation, &budget).unwrap();
    search.run(&budget, |_| false);
    assert_eq!(search.run_cuts(&budget, |_| false), 0);
    assert!(search.odd_sets.is_none());
}

#[test]
fn multipliers_beyond_all_prices_prove_nothing_more() {
    // The steps went that far on this table before lengths of steps were limited.
    let (table, quasi) = small_table(&[[0, 3, 3], [3, 0, 2], [1, 0, 2], [1, 5, 1], [1, 5, 3]]);
    with_search(&table, &quasi, |problem, mut search| {
        search.run_cuts(&Budget::default(), |_| false);
        assert!(search.sum() <= optimum(problem, 2).unwrap() * 15.0 + 1e-9, "{}", search.sum());
        let (relaxation, prices) = (search.relaxation, search.prices());
        let pairs = near_pairs(relaxation, prices, ROOM, PAIRS, &Budget::default()).unwrap();
        let sets = vec![odd_set((0..5).collect(), &relaxation.rows)];
        let programme = CutProgramme::new(relaxation, caps(relaxation, prices), &pairs, sets);
        let least = optimum(problem, 2).unwrap() * 15.0;
        for multiplier in [1e3, 1e12, 1e17, 1e300, f64::INFINITY, f64::NAN] {
            let mended = programme.mended(&vec![f64::INFINITY; prices.len()], &[multiplier]);
            assert!(programme.allows(&mended) && programme.sum(&mended) <= least + 1e-9, "{multiplier}");
        }
        let wrong = CutPrices { prices: programme.caps.clone(), multipliers: vec![0.0] };
        assert!(!programme.allows(&wrong));
    });
}

/// The least loss of all releases in which any rows may be suppressed.
fn optimum_with_suppression(records: &ClosedRecords, star: f64) -> f64 {
    let rows = row_points(records);
    let mut best = vec![0.0];
    for set in 1usize..1 << rows.len() {
        let first = set & set.wrapping_neg();
        let loss = |part: usize| {
            let class: Vec<u32> = (0..rows.len()).filter(|at| part >> at & 1 == 1).map(|at| rows[at]).collect();
            let price = if class.len() == 1 { star } else { records.price_of_join(&class) };
            class.len() as f64 * price
        };
        let parts = (1..=set).filter(|part| part & !set == 0 && part & first != 0);
        best.push(parts.map(|part| loss(part) + best[set ^ part]).fold(f64::INFINITY, f64::min));
    }
    best[best.len() - 1]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_release_loses_less_than_the_bound_with_cuts(
        rows in prop::collection::vec([0u32..6, 0u32..6, 0u32..4], 2..9),
        repeated in prop::collection::vec(0usize..9, 0..3),
    ) {
        let more = repeated.iter().filter_map(|&at| rows.get(at).copied());
        let rows: Vec<[u32; 3]> = rows.iter().copied().chain(more).take(9).collect();
        let (table, quasi) = small_table(&rows);
        with_search(&table, &quasi, |problem, mut search| {
            let without = search.sum();
            search.run_cuts(&Budget::default(), |_| false);
            let least = optimum(problem, 2).unwrap() * 3.0 * rows.len() as f64;
            assert!(search.sum() >= without && search.sum() <= least + 1e-9, "{} {least}", search.sum());
            let suppressed = optimum_with_suppression(search.relaxation.records, problem.star_price());
            assert!(search.sum() <= suppressed + 1e-9, "{} {suppressed}", search.sum());
            let cuts = search.odd_sets.as_ref().unwrap();
            let over = worst(search.relaxation.records, &cuts.programme.sets, &cuts.best.1);
            assert!(over <= 1e-9, "{over}");
        });
    }

    #[test]
    fn any_prices_and_multipliers_are_mended_so_that_no_class_is_cheaper_than_its_rows(
        rows in prop::collection::vec([0u32..6, 0u32..6, 0u32..4], 5..9),
        moved in prop::collection::vec(-4i8..9, 9),
        sets in prop::collection::vec((prop::collection::vec(any::<bool>(), 9), -2i8..9), 0..5),
    ) {
        let (table, quasi) = small_table(&rows);
        with_search(&table, &quasi, |_, search| {
            let relaxation = search.relaxation;
            let prices = search.prices();
            let pairs = near_pairs(relaxation, prices, ROOM, PAIRS, &Budget::default()).unwrap();
            let points = relaxation.rows.len();
            let chosen = |is_in: &Vec<bool>| (0..).zip(&is_in[..points]).filter(|one| *one.1).map(|one| one.0).collect();
            let all = sets.iter().map(|(is_in, multiplier)| (odd_set(chosen(is_in), &relaxation.rows), *multiplier));
            let rows_of = |set: &OddSet| set.points.iter().map(|&point| relaxation.rows[point as usize]).sum::<f64>();
            let odd: Vec<(OddSet, i8)> = all.filter(|(set, _)| rows_of(set) % 2.0 == 1.0).collect();
            let multipliers: Vec<f64> = odd.iter().map(|(_, multiplier)| f64::from(*multiplier) / 20.0).collect();
            let sets: Vec<OddSet> = odd.into_iter().map(|(set, _)| set).collect();
            let programme = CutProgramme::new(relaxation, caps(relaxation, prices), &pairs, sets);
            let moved: Vec<f64> = prices.iter().zip(&moved).map(|(price, by)| price + f64::from(*by) / 20.0).collect();
            let mended = programme.mended(&moved, &multipliers);
            let over = worst(relaxation.records, &programme.sets, &mended);
            assert!(over <= 1e-9, "{over}");
            assert!(mended.multipliers.iter().all(|multiplier| *multiplier >= 0.0));
            assert!(mended.prices.iter().all(|price| *price <= relaxation.star));
        });
    }
}
