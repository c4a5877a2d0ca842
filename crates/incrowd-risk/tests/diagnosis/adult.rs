//! Every figure of the paper "A privacy diagnosis centre: algorithms for k-anonymity diagnosis", on the 30,162 training
//! rows of Adult.

use incrowd_core::{ClassSizes, ColumnSet};
use incrowd_risk::diagnosis::{
    BorderSearch, DiagnosisOptions, KBound, attribute_risks, borders, budgets_for, budgets_for_sets, curve_of,
    curves_of_sets, diagnose, is_anonymous, k_of, k_of_sets, sets_with, subsets, tuples_below, value_risks,
};

use super::tables::{ADULT, adult_train, json, set, written};

const ALL: &str = "age+workclass+education+marital-status+occupation+race+sex+native-country";

#[test]
fn every_subset_has_the_measured_k() {
    let (table, figures) = (adult_train(), json("figures/diagnosis_adult_train.json"));
    let found = subsets(&table, ColumnSet::first(8)).unwrap();
    assert_eq!((table.rows(), found.len()), (30_162, 255));
    for subset in &found {
        let name = table.names(subset.columns).join("+");
        assert_eq!(figures["k_per_subset"][&name], subset.k, "{name}");
    }
    for (k, expected) in figures["subsets_with_k_at_least"].as_object().unwrap() {
        let k: u64 = k.parse().unwrap();
        assert_eq!(*expected, found.iter().filter(|subset| subset.k >= k).count(), "k = {k}");
    }
    let singles: Vec<u64> = found[..8].iter().map(|subset| subset.k).collect();
    assert_eq!(singles, [1, 14, 45, 21, 9, 231, 9782, 1]);
    assert_eq!(found.iter().filter(|subset| subset.k > 1).count(), 11);
    assert_eq!((found[254].classes, found[254].unique), (18_109, 14_021));
}

#[test]
fn the_search_measures_as_many_sets_as_figure_1_says() {
    let table = adult_train();
    for k in 1..=50 {
        let expected = match k {
            1 => 255,
            2..=9 => 23,
            10..=14 => 18,
            15..=21 => 14,
            22..=45 => 11,
            _ => 9,
        };
        let found = borders(&table, &BorderSearch::new(k));
        assert_eq!((found.groupings, found.complete()), (expected, true), "k = {k}");
    }
}

#[test]
fn the_largest_safe_sets_are_the_measured_ones() {
    let (table, figures) = (adult_train(), json("figures/diagnosis_adult_train.json"));
    for (k, expected) in figures["maximal_subsets"].as_object().unwrap() {
        let found = borders(&table, &BorderSearch::new(k.parse().unwrap()));
        let names = |set: &serde_json::Value| -> Vec<String> { serde_json::from_value(set.clone()).unwrap() };
        let mut expected: Vec<String> = expected.as_array().unwrap().iter().map(|set| names(set).join("+")).collect();
        let mut safe = written(&table, &found.largest_safe);
        expected.sort();
        safe.sort();
        assert_eq!(safe, expected, "k = {k}");
    }
    let found = borders(&table, &BorderSearch::new(10));
    assert_eq!(written(&table, &found.largest_safe), ["workclass", "marital-status", "education+sex", "race+sex"]);
    assert_eq!(written(&table, &found.smallest_dangerous)[..3], ["age", "occupation", "native-country"]);
}

#[test]
fn the_search_with_suppression_measures_as_many_sets_as_figure_2_says() {
    let table = adult_train();
    let calls = |delta: f64, k: u64| borders(&table, &BorderSearch::new(k).suppressing(delta)).groupings;
    assert_eq!([1, 2, 5, 10, 20, 50].map(|k| calls(0.01, k)), [255, 110, 74, 58, 47, 27]);
    assert_eq!([1, 2, 5, 10, 20, 50].map(|k| calls(0.05, k)), [255, 174, 126, 102, 79, 56]);
    assert_eq!([1, 2, 3, 5, 10, 20, 30, 50].map(|k| calls(0.1, k)), [255, 216, 188, 169, 149, 120, 108, 89]);
}

#[test]
fn the_largest_safe_sets_with_suppression_are_as_many_as_measured() {
    let table = adult_train();
    let count = |k: u64| sets_with(&table, ColumnSet::first(8), KBound::AtLeast(k), 0.1).0.len();
    assert_eq!([2, 5, 10, 50].map(count), [27, 31, 27, 24]);
}

#[test]
fn question_8_measures_as_many_sets_as_figure_3_says() {
    let (table, figures) = (adult_train(), json("figures/diagnosis_adult_train.json"));
    for (delta, expected) in figures["q8_calls_by_delta"].as_object().unwrap() {
        let found = k_of_sets(&table, ColumnSet::first(8), delta.parse().unwrap());
        assert_eq!(*expected, found.groupings, "δ = {delta}");
    }
}

#[test]
fn suppression_reaches_the_measured_k_and_withholds_the_measured_rows() {
    let table = adult_train();
    let rows = [
        ("age+sex", 142, [25, 98, 160], [4, 22, 67, 625]),
        ("age+race+sex", 528, [4, 15, 33], [62, 425, 985, 4_670]),
        ("workclass+education+marital-status", 441, [4, 18, 47], [76, 354, 754, 3_104]),
        (ALL, 18_109, [1, 1, 1], [14_021, 21_977, 25_769, 30_162]),
    ];
    for (names, classes, ks, removed) in rows {
        let s = set(&table, names);
        let sizes = table.class_sizes(s);
        assert_eq!((sizes.classes(), sizes.k()), (classes, 1), "{names}");
        assert_eq!([0.01, 0.05, 0.1].map(|delta| k_of(&table, s, delta).k), ks, "{names}");
        assert_eq!([2, 5, 10, 50].map(|k| sizes.below(k)), removed, "{names}");
        let withheld = tuples_below(&table, s, 5).into_iter().map(|tuple| table.count(tuple)).sum::<u64>();
        assert_eq!(withheld, removed[1], "{names}");
    }
    let singles: Vec<u64> = (0..8).map(|column| k_of(&table, ColumnSet::single(column), 0.1).k).collect();
    assert_eq!(singles, [337, 1_279, 820, 4_214, 1_350, 2_817, 9_782, 27_504]);
}

#[test]
fn every_subset_has_the_measured_k_after_suppression() {
    let (table, figures) = (adult_train(), json("figures/diagnosis_adult_train.json"));
    let curves = curves_of_sets(&table, ColumnSet::first(8), usize::MAX).unwrap();
    for delta in ["0.01", "0.05", "0.1"] {
        let expected = &figures["suppression"][format!("delta={delta} reading=sound")]["k_per_subset"];
        let budget = ClassSizes::budget(delta.parse().unwrap(), table.rows());
        for (set, curve) in &curves {
            let name = table.names(*set).join("+");
            let k = curve.iter().rfind(|point| point.suppressed <= budget).unwrap().k;
            assert_eq!(expected[&name], k, "{name} at δ = {delta}");
        }
    }
}

#[test]
fn questions_with_an_open_share_are_answered_as_measured() {
    let (table, figures) = (adult_train(), json("figures/diagnosis_adult_train.json"));
    for (names, expected) in figures["questions"].as_object().unwrap() {
        let s = set(&table, names);
        assert_eq!(expected["q1_is_at_least_5"], is_anonymous(&table, s, KBound::AtLeast(5), 0.0), "{names}");
        let five = is_anonymous(&table, s, KBound::AtLeast(5), 0.05);
        assert_eq!(expected["q5_is_at_least_5_with_delta_0.05"], five, "{names}");
        for (k, removed) in expected["q9_min_tuples_removed_for_k"].as_object().unwrap() {
            let budgets = budgets_for(&table, s, KBound::AtLeast(k.parse().unwrap()));
            // The figures let a table be emptied; here the largest class stays, so there is no such share.
            match budgets {
                Some(budgets) => assert_eq!(*removed, budgets.from, "{names}, k = {k}"),
                None => assert_eq!(*removed, table.rows(), "{names}, k = {k}"),
            }
        }
        let steps: Vec<[u64; 2]> = serde_json::from_value(expected["q11_steps_k_and_min_removed"].clone()).unwrap();
        let curve: Vec<[u64; 2]> = curve_of(&table, s).iter().map(|point| [point.k, point.suppressed]).collect();
        assert_eq!(curve[..steps.len().min(curve.len())], steps[..], "{names}");
    }
    for (s, budgets) in budgets_for_sets(&table, ColumnSet::first(8), KBound::AtLeast(5)).unwrap() {
        let name = table.names(s).join("+");
        assert_eq!(figures["q10_min_removed_for_k5_per_subset"][&name], budgets.unwrap().from, "{name}");
    }
}

#[test]
fn dropping_a_column_leaves_what_the_subset_without_it_has() {
    let table = adult_train();
    let all = ColumnSet::first(8);
    let risks = attribute_risks(&table, all, 5);
    assert_eq!(risks.iter().map(|risk| risk.name.as_str()).collect::<Vec<_>>(), ADULT);
    for (column, risk) in risks.iter().enumerate() {
        let without = table.class_sizes(all.without(column));
        assert_eq!((risk.unique_without, risk.below_without), (Some(without.unique()), Some(without.below(5))));
        assert_eq!(risk.distinct, table.attributes()[column].dictionary.len() as u64);
    }
    let exposed: u64 = value_risks(&table, all, 5).iter().filter(|v| v.column == 6).map(|v| v.exposed).sum();
    assert_eq!(exposed, 21_977);
}

#[test]
fn a_diagnosis_names_columns_and_no_value_unless_asked() {
    let table = adult_train();
    let found = diagnose(&table, &DiagnosisOptions::default());
    assert_eq!((found.k, found.classes, found.unique, found.below), (1, 18_109, 14_021, 21_977));
    let text = serde_json::to_string(&found).unwrap();
    let values =
        |column: usize| (0..table.attributes()[column].dictionary.len() as u32).map(move |code| (column, code));
    for (column, code) in [1, 2, 3, 4, 7].into_iter().flat_map(values) {
        let label = table.attributes()[column].dictionary.label(code);
        assert!(!text.contains(&*label), "{label}");
    }
    let codes: Vec<&str> = found.findings.iter().map(|finding| finding.code.name).collect();
    assert_eq!(codes[..4], ["k-below-threshold", "unique-rows", "risky-column", "risky-column"]);
    let asked = diagnose(&table, &DiagnosisOptions { values: 3, ..DiagnosisOptions::default() });
    assert_eq!(asked.exposed_values.unwrap().len(), 3);
}

#[test]
fn a_diagnosis_does_not_depend_on_the_number_of_threads() {
    let table = adult_train();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| serde_json::to_string(&diagnose(&table, &DiagnosisOptions::default())).unwrap())
    };
    assert_eq!(with(1), with(4));
}
