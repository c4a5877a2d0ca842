//! The figures of Wong, Li, Fu and Wang, "(α, k)-anonymity", KDD 2006, on the 45,222 rows of Adult.

use incrowd_algorithms::{Budget, Unsolved};
use incrowd_core::{FrequencyTable, Policy, QuasiIdentifier};

use super::tables::{adult, json, solve};

const SALARY: [&str; 9] =
    ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country", "salary-class"];

const OCCUPATION: [&str; 9] =
    ["age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class", "occupation"];

/// A table, the figures measured on it, and the protected values.
struct Setup {
    table: FrequencyTable,
    quasi_identifiers: Vec<QuasiIdentifier>,
    figures: serde_json::Value,
    sensitive: &'static str,
    values: &'static [&'static str],
}

impl Setup {
    fn salary(values: &'static [&'static str]) -> Self {
        let (table, quasi_identifiers) = adult(&SALARY);
        let figures = json("figures/alpha_k_salary.json");
        Setup { table, quasi_identifiers, figures, sensitive: "salary-class", values }
    }

    fn occupation() -> Self {
        let (table, quasi_identifiers) = adult(&OCCUPATION);
        let figures = json("figures/alpha_k_occupation.json");
        Setup { table, quasi_identifiers, figures, sensitive: "occupation", values: &[] }
    }

    fn k(&self, k: u64) {
        self.meets(&format!("k={k} only"), &Policy::k_anonymity(k), true);
    }

    fn exact(&self, k: u64, alpha: &str) {
        self.alpha(k, alpha, false);
    }

    fn refined(&self, k: u64, alpha: &str) {
        self.alpha(k, alpha, true);
    }

    fn alpha(&self, k: u64, alpha: &str, refined: bool) {
        let whom = if self.values.is_empty() { "general" } else { "single" };
        let rule = if refined { "refined" } else { "plain" };
        let share = alpha.parse().unwrap();
        let policy = Policy::k_anonymity(k).deassociating(self.sensitive, share, self.values, refined);
        self.meets(&format!("k={k} alpha={alpha} {whom}_{rule}"), &policy, !refined);
    }

    /// The nodes that hold, the minimal ones and the optimum are those of the figures; where these prune by the same
    /// models, fewer tests were needed.
    fn meets(&self, setting: &str, policy: &Policy, prunes_alike: bool) {
        let figures = &self.figures["settings"][setting];
        let solution = match solve(&self.table, &self.quasi_identifiers, policy, &Budget::default()) {
            Ok(solution) => solution,
            Err(unsolved) => {
                assert!(matches!(unsolved, Unsolved::Infeasible(_)), "{setting}");
                assert_eq!(figures["holding_nodes"], 0, "{setting}");
                return;
            }
        };
        let levels = solution.levels.unwrap();
        let statistics = &solution.statistics;
        assert_eq!(self.figures["nodes"], statistics.nodes.unwrap(), "{setting}");
        assert_eq!(figures["holding_nodes"], statistics.holding_nodes.unwrap(), "{setting}");
        assert_eq!(figures["minimal_nodes"], statistics.minimal_nodes.unwrap(), "{setting}");
        assert_eq!(figures["optimum_sum_of_levels"], levels.iter().sum::<usize>(), "{setting}");
        let optimal: Vec<Vec<usize>> = serde_json::from_value(figures["optimal_nodes"].clone()).unwrap();
        assert!(optimal.contains(&levels), "{setting}");
        if prunes_alike && figures["incognito_tests"].is_u64() {
            // The figures count a test also for a node that has an attribute at the top and is its own projection.
            assert!(statistics.tests.unwrap() < figures["incognito_tests"].as_u64().unwrap(), "{setting}");
        }
        assert!(solution.partition.accounts_for(&self.table) && solution.partition.withheld_rows() == 0, "{setting}");
    }
}

#[test]
fn k_alone_is_kept_by_the_measured_nodes() {
    let salary = Setup::salary(&[">50K"]);
    [2, 10, 50].into_iter().for_each(|k| salary.k(k));
}

#[test]
fn the_exact_rule_for_one_value_is_kept_by_the_measured_nodes() {
    let salary = Setup::salary(&[">50K"]);
    for k in [2, 10] {
        ["0.5", "0.3", "0.25"].into_iter().for_each(|alpha| salary.exact(k, alpha));
    }
}

#[test]
fn the_refined_rule_for_one_value_is_kept_by_the_measured_nodes() {
    let salary = Setup::salary(&[">50K"]);
    ["0.5", "0.3", "0.25"].into_iter().for_each(|alpha| salary.refined(2, alpha));
}

#[test]
fn the_refined_rule_with_a_larger_k_is_kept_by_the_measured_nodes() {
    let salary = Setup::salary(&[">50K"]);
    ["0.5", "0.3", "0.25"].into_iter().for_each(|alpha| salary.refined(10, alpha));
}

#[test]
fn the_exact_rule_for_every_value_is_kept_by_the_measured_nodes() {
    let salary = Setup::salary(&[]);
    for k in [2, 10] {
        ["0.5", "0.8"].into_iter().for_each(|alpha| salary.exact(k, alpha));
    }
    salary.exact(2, "0.9");
}

#[test]
fn the_refined_rule_for_every_value_is_kept_by_the_measured_nodes() {
    let salary = Setup::salary(&[]);
    for (k, alpha) in [(2, "0.5"), (2, "0.8"), (2, "0.9"), (10, "0.8")] {
        salary.refined(k, alpha);
    }
}

#[test]
fn an_occupation_is_protected_by_the_measured_nodes() {
    let occupation = Setup::occupation();
    occupation.k(2);
    [2, 10].into_iter().for_each(|k| occupation.exact(k, "0.33"));
}

#[test]
fn an_occupation_is_protected_by_the_refined_rule_by_the_measured_nodes() {
    let occupation = Setup::occupation();
    [2, 10].into_iter().for_each(|k| occupation.refined(k, "0.33"));
}
