//! Rows that are withheld and classes that there can be: what is said about them. And the weights of diversity.

use incrowd::algorithms::DiversityWeights;
use incrowd::core::{Parameters, Policy, Ratio};
use incrowd::request::{BuildPlan, HierarchyPlan};
use incrowd::{AnonymizeOptions, Anonymized, Declared, Error, HierarchyChoice, Record, anonymize};

use super::support::{DIAGNOSES, Desk};

fn half(policy: Policy) -> Policy {
    policy.suppressing(0.5)
}

/// Policies of which each takes some rows of the patients from some solver, if it may.
fn policies() -> Vec<(&'static str, Policy)> {
    let (every, one) = (Ratio::new(3, 10).unwrap(), Ratio::new(1, 20).unwrap());
    let three = Parameters::from_iter([("p", 3)]);
    let closeness = Parameters::default().with("t", "1/5");
    vec![
        ("k", half(Policy::k_anonymity(4))),
        ("every α", half(Policy::k_anonymity(3).deassociating("diagnosis", every, &[], false))),
        ("one α", half(Policy::k_anonymity(3).deassociating("diagnosis", one, &["HIV"], false))),
        ("p", half(Policy::k_anonymity(2).asking("p-sensitive", three.clone(), &["diagnosis"]))),
        (
            "all",
            half(Policy::k_anonymity(3))
                .deassociating("diagnosis", one, &["HIV"], false)
                .asking("p-sensitive", three, &["diagnosis"])
                .asking("t-closeness", closeness, &["diagnosis"]),
        ),
    ]
}

fn made(desk: &Desk, name: &str, policy: Policy, algorithm: &str) -> Anonymized {
    let options = AnonymizeOptions { policy, algorithm: algorithm.into(), ..desk.options() };
    desk.release(name, &options).unwrap_or_else(|error: Error| panic!("{name}: {error}"))
}

#[test]
fn the_rows_suppressed_for_each_rule_add_up_and_are_kept_in_the_record() {
    let desk = Desk::new();
    let mut told = Vec::new();
    for (name, policy) in policies() {
        for algorithm in ["incognito", "top-down", "mondrian"] {
            let name = format!("{name} {algorithm}");
            let made = made(&desk, &name, policy.clone(), algorithm);
            let rows: u64 = made.withheld_for.iter().map(|one| one.rows).sum();
            assert_eq!(rows, made.suppressed_rows, "{name}");
            assert!(made.withheld_for.iter().all(|one| one.rows > 0 && one.rule != "choice"), "{name}");
            let words = made.withheld_for.iter().map(|one| one.why.as_str()).collect::<String>();
            assert!(DIAGNOSES.iter().all(|value| !words.contains(value)), "no cell's value is said: {words}");
            let record = Record::of(&desk.path(&name)).unwrap().unwrap();
            assert_eq!(record.withheld_for, made.withheld_for, "{name}");
            told.extend(made.withheld_for.into_iter().map(|one| (algorithm, one.rule)));
        }
    }
    for seen in [
        ("incognito", "k-anonymity"),
        ("incognito", "p-sensitive of diagnosis"),
        ("incognito", "alpha-deassociation of diagnosis"),
        ("top-down", "alpha-deassociation of diagnosis"),
        ("mondrian", "alpha-deassociation of diagnosis"),
    ] {
        assert!(told.iter().any(|(algorithm, rule)| (*algorithm, rule.as_str()) == seen), "{seen:?} in {told:?}");
    }
}

#[test]
fn a_policy_that_asks_for_variety_is_told_how_many_classes_there_can_be() {
    let desk = Desk::new();
    let p = |p: u64| Policy::k_anonymity(3).asking("p-sensitive", Parameters::from_iter([("p", p)]), &["diagnosis"]);
    let enhanced = made(&desk, "p", p(4), "enhanced-pk");
    let most = enhanced.most_classes.unwrap();
    assert!(enhanced.classes <= most.classes && most.avg <= enhanced.loss.avg && most.dm as f64 <= enhanced.loss.dm);
    assert_eq!(most.words, "“diagnosis” has 4 values, so p can be at most 4; with k = 3 and p = 4, at most 22 classes");
    assert_eq!((most.classes, most.avg), (22, 240.0 / 66.0));
    let withheld = made(&desk, "withheld", p(4).suppressing(0.5), "incognito");
    let most = withheld.most_classes.unwrap();
    assert!(withheld.suppressed_rows > 0 && withheld.classes <= most.classes, "{most:?}");
    assert!(most.avg <= withheld.loss.avg && most.dm as f64 <= withheld.loss.dm, "{most:?}");
    assert_eq!(made(&desk, "k", Policy::k_anonymity(3), "top-down").most_classes, None);
}

/// Of the rows, each is unusual in one column only. Two rows may bring a class two jobs and two races, but it gets its third
/// job and its third race by different rows, and the weights say which it takes first; the other is then the one that is
/// nearest to both.
#[test]
fn the_weights_that_are_asked_for_reach_the_solver() {
    let desk = Desk::new();
    let mut text = String::from("age,job,race\n");
    for row in 0..120u64 {
        let (job, race) = [("a", "x"), ("b", "x"), ("c", "x"), ("a", "y"), ("a", "z")][(row % 5) as usize];
        text += &format!("{},{job},{race}\n", row * 7919 % 1009);
    }
    std::fs::write(desk.path("people.csv"), text).unwrap();
    let p = Parameters::from_iter([("p", 3)]);
    let plan = HierarchyPlan::Build(BuildPlan::FreeIntervals);
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
    let base = AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: names(&["age"]),
            sensitive: names(&["job", "race"]),
            ..Declared::default()
        },
        policy: Policy::k_anonymity(3).asking("p-sensitive", p, &["job", "race"]),
        hierarchies: [("age".into(), HierarchyChoice { plan, folder: desk.path("") })].into(),
        algorithm: "greedy-pk".into(),
        seed: Some(7),
        ..AnonymizeOptions::default()
    };
    let released = |name: &str, diversity_weights: DiversityWeights| {
        let options = AnonymizeOptions { diversity_weights, ..base.clone() };
        anonymize(&desk.engine, &desk.source("people.csv"), &options, &desk.path(name))
    };
    let towards = |job: f64, race: f64| DiversityWeights::Named(vec![("job".into(), job), ("race".into(), race)]);
    let lost = |name: &str, weights: DiversityWeights| released(name, weights).unwrap().loss.lm;
    let equal = lost("equal", DiversityWeights::Equal);
    assert_eq!(lost("halves", towards(0.5, 0.5)), equal, "the same weights in other words");
    assert_eq!(lost("inverse", DiversityWeights::Inverse), equal, "both have three values");
    let (job, race) = (lost("job", towards(0.9, 0.1)), lost("race", towards(0.1, 0.9)));
    // Equal weights leave a tie that the loss decides, so they may do as either of these does.
    assert_ne!(job, race);
    assert_eq!(released("wrong", towards(1.0, 0.0)).unwrap_err().code(), "IC507");
}
