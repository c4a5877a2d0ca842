//! Releases held against their original.

#![allow(clippy::unwrap_used)]

mod desk;

use incrowd::compare::{CompareOptions, Workload, compare, width};
use incrowd::core::{Policy, Ratio};
use incrowd::{AnonymizeOptions, Engine, Publish, Settings};

use desk::Desk;

fn questions() -> CompareOptions {
    let workload = Workload { queries: 100, dimensionality: 2, selectivity: 0.1, seed: 5 };
    CompareOptions { workload, target: Some("illness".into()), ..CompareOptions::default() }
}

#[test]
fn a_release_that_changes_nothing_differs_in_nothing() {
    let desk = Desk::new();
    let options =
        AnonymizeOptions { policy: Policy::k_anonymity(1), algorithm: "mondrian".into(), ..Default::default() };
    let same = desk.release("same", options);
    let compared = compare(&desk.engine, &desk.source(), &[same], &questions()).unwrap();
    let release = &compared.releases[0];
    assert!(release.queries.iter().all(|found| found.errors.mean == 0.0), "{:?}", release.queries);
    assert_eq!((release.marginal_distance, release.dependence_difference), (0.0, 0.0));
    assert_eq!(release.accuracy, compared.classifier.as_ref().map(|learnt| learnt.accuracy));
}

#[test]
fn two_tables_keep_columns_exact_and_blur_what_joins_them() {
    let desk = Desk::new();
    let third = Ratio::new(45, 100).unwrap();
    let policy = Policy::k_anonymity(2).deassociating("illness", third, &[], false);
    let two = AnonymizeOptions {
        policy: policy.clone(),
        algorithm: "anatomy".into(),
        publish: Publish::TwoTables,
        ..Default::default()
    };
    let one = AnonymizeOptions { policy, algorithm: "top-down".into(), ..Default::default() };
    let releases = [desk.release("two", two), desk.release("one", one)];
    let compared = compare(&desk.engine, &desk.source(), &releases, &questions()).unwrap();
    let (two, one) = (&compared.releases[0], &compared.releases[1]);
    assert_eq!((two.publish, one.publish), ("two-tables", "one-table"));
    assert!(two.marginals.iter().all(|column| column.distance < 1e-12), "{:?}", two.marginals);
    let known = |pair: &&incrowd::compare::Dependence| !pair.columns.contains(&"illness".to_string());
    assert!(two.dependence.iter().filter(known).all(|pair| (pair.before - pair.after).abs() < 1e-12));
    let secret = two.dependence.iter().find(|pair| pair.columns == ["age", "illness"]).unwrap();
    assert!(secret.after < secret.before, "{secret:?}");
    assert!(one.marginal_distance > 0.0);
    let names: Vec<&str> = two.queries.iter().chain(&one.queries).map(|found| found.estimator).collect();
    assert_eq!(names, ["expected", "printed", "uniform", "overlap"]);
    assert!(two.queries[0].errors.mean < two.queries[1].errors.mean, "the printed form counts too much");
}

#[test]
fn a_seed_gives_the_same_answer_whatever_the_threads() {
    let desk = Desk::new();
    let options =
        AnonymizeOptions { policy: Policy::k_anonymity(5), algorithm: "mondrian".into(), ..Default::default() };
    let release = desk.release("release", options);
    let told = |threads: usize| {
        let temp = Some(desk.path(&format!("temp-{threads}")));
        let engine = Engine::new(&Settings { threads: Some(threads), temp, ..Settings::default() }).unwrap();
        let source = desk.source_on(&engine);
        let compared = compare(&engine, &source, std::slice::from_ref(&release), &questions()).unwrap();
        serde_json::to_string(&compared).unwrap()
    };
    assert_eq!(told(1), told(3));
}

#[test]
fn questions_are_as_wide_as_the_golden_case_says() {
    let path = incrowd_testdata::file("golden/lossy_join_query_width.json");
    let case: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let selectivity = case["parameters"]["s"].as_f64().unwrap();
    for (dimensionality, widths) in case["expected"].as_object().unwrap() {
        for (column, expected) in widths.as_object().unwrap() {
            let values = case["input"][column].as_u64().unwrap() as usize;
            let found = width(values, selectivity, dimensionality.parse().unwrap());
            assert_eq!(found as u64, expected.as_u64().unwrap(), "{column}, {dimensionality}");
        }
    }
}
