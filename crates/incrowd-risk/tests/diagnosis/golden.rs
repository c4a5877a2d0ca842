//! The worked examples of the paper "A privacy diagnosis centre: algorithms for k-anonymity diagnosis".

use incrowd_core::ColumnSet;
use incrowd_risk::diagnosis::{BorderSearch, KBound, borders, k_of, sets_with, subsets, tuples_below};
use serde_json::Value;

use super::tables::{adult_train, json, table_of, written};

fn table(case: &Value, names: &[&str]) -> incrowd_core::FrequencyTable {
    let row = |row: &Value| names.iter().map(|&name| row[name].as_str().unwrap().to_owned()).collect();
    let rows: Vec<Vec<String>> = case["input"].as_array().unwrap().iter().map(row).collect();
    table_of(names, &rows)
}

#[test]
fn the_small_level_wise_example_comes_out() {
    let case = json("golden/diagnosis_apriori_small.json");
    let table = table(&case, &["A", "B", "C"]);
    let all = ColumnSet::first(3);
    for subset in subsets(&table, all).unwrap() {
        let name = table.names(subset.columns).concat();
        assert_eq!(case["expected"]["k_per_subset"][&name], subset.k, "{name}");
    }
    let k = case["parameters"]["k"].as_u64().unwrap();
    let (sets, search) = sets_with(&table, all, KBound::AtLeast(k), 0.0);
    assert_eq!(written(&table, &sets), ["A+B", "A+C"]);
    assert_eq!(case["expected"]["calls"], search.groupings);
    assert_eq!(written(&table, &search.smallest_dangerous), ["B+C"]);
    assert_eq!(written(&table, &sets_with(&table, all, KBound::AtMost(1), 0.0).0), ["B+C"]);
    assert_eq!(written(&table, &sets_with(&table, all, KBound::AtMost(2), 0.0).0), ["A+B", "A+C", "B+C"]);
}

#[test]
fn the_small_suppression_example_comes_out() {
    let case = json("golden/diagnosis_suppression_small.json");
    let table = table(&case, &["A"]);
    let s = ColumnSet::single(0);
    for (delta, expected) in case["expected"]["largest_k_by_delta"].as_object().unwrap() {
        let found = k_of(&table, s, delta.parse().unwrap());
        assert_eq!((&expected["k"], &expected["removed"]), (&found.k.into(), &found.suppressed.into()), "δ = {delta}");
        let withheld: u64 = tuples_below(&table, s, found.k).into_iter().map(|tuple| table.count(tuple)).sum();
        assert_eq!(withheld, found.suppressed);
    }
}

#[test]
fn adult_takes_as_many_calls_as_the_paper_prints() {
    let case = json("golden/diagnosis_adult_calls.json");
    let table = adult_train();
    assert_eq!(case["expected"]["calls_k2"], borders(&table, &BorderSearch::new(2)).groupings);
    assert_eq!(case["expected"]["calls_k50"], borders(&table, &BorderSearch::new(50)).groupings);
}
