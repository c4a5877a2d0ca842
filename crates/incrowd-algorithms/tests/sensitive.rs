//! Policies about sensitive values on a real table, beside what ARX finds for them.
//!
//! ARX 3.9.2 on the same table with the same hierarchies, k = 5, occupation sensitive, LM computed outside: distinct
//! 3-diversity 0.6333 with full-domain recoding, 0.190 when 5 % of the rows may be withheld, 0.0345 with its local
//! recoding; t-closeness of 0.2 with equal distance 0.9190, and 0.817 with 5 %.
#![allow(clippy::unwrap_used)]

#[path = "sensitive/arx.rs"]
mod arx;

use incrowd_algorithms::{AlgorithmEntry, Budget, Problem};
use incrowd_core::{Lm, Measures, Parameters, Policy, Recoding};

/// The LM of what a solver finds for k = 5 and one model more.
fn loss(id: &str, model: &str, parameters: Parameters, suppression: f64) -> f64 {
    let (table, quasi) = arx::adult();
    let policy = Policy::k_anonymity(5).suppressing(suppression).asking(model, parameters, &[arx::SENSITIVE]);
    let problem = Problem::new(&table, &quasi, &policy, &Lm, 1).unwrap();
    let solution = (AlgorithmEntry::find(id).unwrap().new)().solve(&problem, &Budget::default()).unwrap();
    let recoding = match &solution.levels {
        Some(levels) => Recoding::full_domain(&table, &quasi, &solution.partition, levels),
        None => Recoding::tightened(&table, &quasi, &solution.partition),
    };
    let published = problem.publishing(solution.partition.classes());
    assert!(solution.partition.classes().all(|class| published.holds(class)));
    Measures::of(&table, &quasi, &solution.partition, &recoding, 5).lm
}

fn distinct() -> Parameters {
    Parameters::from_iter([("l", 3)])
}

fn close(t: &str) -> Parameters {
    Parameters::from_iter([("t", t)])
}

#[test]
fn the_best_full_domain_recoding_for_distinct_diversity_is_the_one_that_arx_finds() {
    let lost = [0.0, 0.05].map(|suppression| loss("incognito", "distinct-l-diversity", distinct(), suppression));
    assert_eq!(lost.map(|lost| format!("{lost:.3}")), ["0.633", "0.190"]);
}

#[test]
fn the_best_full_domain_recoding_for_t_closeness_is_the_one_that_arx_finds() {
    let lost = [0.0, 0.05].map(|suppression| loss("incognito", "t-closeness", close("0.2"), suppression));
    assert_eq!(lost.map(|lost| format!("{lost:.3}")), ["0.919", "0.817"]);
}

#[test]
fn local_recoding_loses_less_than_that_of_arx() {
    let lost = loss("cheapest-first", "distinct-l-diversity", distinct(), 0.0);
    assert!(lost < 0.0345, "{lost}");
    let lost = loss("top-down", "t-closeness", close("0.2"), 0.0);
    assert!(lost < 0.919 / 1.8, "{lost}");
}

/// As long as only single rows were taken that bring the class nearer, no class was ever complete.
#[test]
fn classes_along_the_curve_are_found_for_a_policy_that_asks_for_a_mixture() {
    let lost = loss("hilbert", "t-closeness", close("0.4"), 0.0);
    assert!(lost < 0.5, "{lost}");
}
