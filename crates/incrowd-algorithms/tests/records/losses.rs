//! What the solvers over closed frequent records lose on real tables.
//!
//! Reference programs, which draw rows and break ties otherwise, give for Adult at k = 10 and 50: cheapest first 0.0732
//! and 0.1465, k-ANON-CF weighted 0.0757 and 0.1524, printed 0.0849 and 0.1718; for ARX's table cheapest first 0.0715
//! and 0.1432. Other figures here, and those where less is lost, are what was measured with this code: they keep it
//! from getting worse.

use std::time::Instant;

use incrowd_algorithms::{AlgorithmEntry, Budget, Problem, Solution};
use incrowd_core::{Lm, Measures, Policy, Recoding};

use super::tables::{ADULT, Table, adult, arx, in_time, nursery};

fn solve(id: &str, (table, quasi): &Table, k: u64, budget: &Budget) -> (Solution, f64) {
    let problem = Problem::new(table, quasi, &Policy::k_anonymity(k), &Lm, 1).unwrap();
    let began = Instant::now();
    let solution = (AlgorithmEntry::find(id).unwrap().new)().solve(&problem, budget).unwrap();
    let took = began.elapsed();
    assert!(solution.partition.accounts_for(table));
    assert!(solution.partition.classes().all(|class| problem.holds(class)));
    let recoding = Recoding::tightened(table, quasi, &solution.partition);
    let lm = Measures::of(table, quasi, &solution.partition, &recoding, k).lm;
    println!("{id}, k = {k}: LM {lm:.5}, {} classes, {took:.2?}", solution.partition.len());
    (solution, lm)
}

fn loses_at_most(id: &str, table: &Table, figures: &[(u64, f64)], unoptimized: u64) {
    for (k, most) in in_time(figures, unoptimized) {
        let (_, lm) = solve(id, table, k, &Budget::default());
        assert!(lm <= most, "{id}, k = {k}: {lm} instead of at most {most}");
    }
}

#[test]
fn cheapest_first_loses_at_most_half_a_percent_more_than_the_prototype_on_adult() {
    let table = adult(&ADULT);
    loses_at_most("cheapest-first", &table, &[(10, 0.0735), (50, 0.1466), (100, 0.1894), (200, 0.2412)], 200);
}

/// ARX's local recoding ends at 0.0751 and 0.1453.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes optimized code")]
fn both_solvers_lose_less_than_arx_on_its_own_table() {
    let table = arx();
    loses_at_most("cheapest-first", &table, &[(10, 0.0715), (50, 0.1432)], 0);
    loses_at_most("k-anon-cf", &table, &[(10, 0.0716), (50, 0.1412)], 0);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes optimized code")]
fn k_anon_cf_loses_less_than_the_reference_program_on_adult() {
    let table = adult(&ADULT);
    loses_at_most("k-anon-cf", &table, &[(10, 0.0731), (50, 0.1459), (100, 0.1905), (200, 0.2414)], 0);
    loses_at_most("k-anon-cf-printed", &table, &[(10, 0.0849), (50, 0.1718), (100, 0.2223)], 0);
}

/// The bound on the loss is met, so nothing can lose less.
#[test]
fn on_nursery_the_optimum_is_found() {
    let table = nursery();
    let optima = [(10, 1.0 / 6.0), (50, 0.375), (75, 0.375), (100, 5.0 / 12.0), (150, 0.5), (200, 0.5)];
    let optima = optima.map(|(k, least)| (k, least + 1e-9));
    loses_at_most("cheapest-first", &table, &optima, 75);
    loses_at_most("k-anon-cf", &table, &optima, 100);
    loses_at_most("k-anon-cf-printed", &table, &[(10, 0.2250), (50, 0.4619), (100, 0.5279), (200, 0.6077)], 200);
}

#[test]
fn a_deadline_that_passed_gives_classes_that_keep_k_and_says_so() {
    let table = nursery();
    for id in ["cheapest-first", "k-anon-cf", "k-anon-cf-printed"] {
        let budget = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        let (solution, _) = solve(id, &table, 10, &budget);
        assert!(solution.cut_short && !solution.partition.is_empty(), "{id}");
    }
}
