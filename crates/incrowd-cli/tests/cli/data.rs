//! The figures of the diagnosis paper on the Adult table (figures 3a), measured on the command line.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::support::{Desk, data};

const QI: &str = "age,workclass,education,marital-status,occupation,race,sex,native-country";

/// `diagnose` on the 30,162 rows of the training table.
fn adult(qi: &str, args: &[&str]) -> Value {
    Desk::new().json(&[&["diagnose", &data("adult_train.csv"), "--qi", qi][..], args].concat())
}

fn figures() -> Value {
    let text = std::fs::read_to_string(data("figures/diagnosis_adult_train.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Column sets without regard to their order.
fn sets(value: &Value) -> Vec<Vec<String>> {
    let mut sets: Vec<Vec<String>> = serde_json::from_value(value.clone()).unwrap();
    sets.iter_mut().for_each(|set| set.sort());
    sets.sort();
    sets
}

#[test]
fn adult_has_the_rows_tuples_and_unique_rows_counted_elsewhere() {
    let found = adult(QI, &[]);
    let figures = ["rows", "tuples", "k", "unique_rows"].map(|key| found[key].as_u64().unwrap());
    assert_eq!(figures, [30_162, 18_109, 1, 14_021]);
}

#[test]
fn the_borders_are_found_with_as_many_measurements_as_the_paper_says() {
    let figures = figures();
    for (k, groupings) in [("2", 23), ("10", 18), ("20", 14), ("50", 9)] {
        let found = adult(QI, &["--sets", "--k", k]);
        assert_eq!(found["groupings"], groupings, "k = {k}");
        assert_eq!(sets(&found["largest_safe"]), sets(&figures["maximal_subsets"][k]), "k = {k}");
    }
}

#[test]
fn suppressing_a_tenth_moves_the_borders_as_measured_elsewhere() {
    for (k, groupings, largest) in [("2", 216, 27), ("5", 169, 31), ("10", 149, 27), ("50", 89, 24)] {
        let found = adult(QI, &["--sets", "--k", k, "--delta", "0.1"]);
        let safe = found["largest_safe"].as_array().unwrap().len();
        assert_eq!((found["groupings"].as_u64(), safe), (Some(groupings), largest), "k = {k}");
    }
}

#[test]
fn every_one_of_the_255_column_sets_has_its_k() {
    let found = adult(QI, &["--all-sets"]);
    let name = |set: &Value| sets(&json!([set["columns"]])).concat().join("+");
    let ours: BTreeMap<String, u64> =
        found["sets"].as_array().unwrap().iter().map(|set| (name(set), set["k"].as_u64().unwrap())).collect();
    let theirs: BTreeMap<String, u64> = serde_json::from_value(figures()["k_per_subset"].clone()).unwrap();
    let sorted = |name: &String| sets(&json!([name.split('+').collect::<Vec<_>>()])).concat().join("+");
    assert_eq!(ours.len(), 255);
    assert_eq!(ours, theirs.iter().map(|(name, k)| (sorted(name), *k)).collect());
}

#[test]
fn suppressing_a_share_reaches_the_k_of_the_suppression_table() {
    for (qi, classes, ks) in [
        ("age,sex", 142, [("0.01", 25), ("0.05", 98), ("0.1", 160)]),
        ("age,race,sex", 528, [("0.01", 4), ("0.05", 15), ("0.1", 33)]),
        ("workclass,education,marital-status", 441, [("0.01", 4), ("0.05", 18), ("0.1", 47)]),
        (QI, 18_109, [("0.01", 1), ("0.05", 1), ("0.1", 1)]),
    ] {
        for (delta, k) in ks {
            let found = adult(qi, &["--delta", delta]);
            assert_eq!((&found["tuples"], &found["k_suppressed"]), (&json!(classes), &json!(k)), "{qi} at {delta}");
            // What is suppressed for a k is exactly what is in smaller classes.
            let below = adult(qi, &["--k", &k.to_string()])["rows_below_k"].clone();
            assert_eq!(found["suppressed_rows"], below, "{qi} at {delta}");
        }
    }
}

#[test]
fn a_k_costs_the_rows_of_the_suppression_table() {
    for (qi, costs) in [
        ("age,sex", [4, 22, 67, 625]),
        ("age,race,sex", [62, 425, 985, 4_670]),
        ("workclass,education,marital-status", [76, 354, 754, 3_104]),
        (QI, [14_021, 21_977, 25_769, 30_162]),
    ] {
        for (k, cost) in ["2", "5", "10", "50"].into_iter().zip(costs) {
            let found = adult(qi, &["--k", k]);
            let share = cost as f64 / 30_162.0;
            assert_eq!((&found["rows_below_k"], &found["least_delta"]), (&json!(cost), &json!(share)), "{qi}, {k}");
        }
    }
}

#[test]
fn missing_values_of_the_raw_table_are_values_whatever_they_are_called() {
    let desk = Desk::new();
    let raw = data("adult_raw_with_missing.csv");
    let ask = |null: &[&str]| desk.json(&[&["diagnose", &raw, "--qi", QI][..], null].concat());
    let (marked, plain) = (ask(&["--null", "?"]), ask(&[]));
    assert_eq!(marked["rows"], 48_842);
    for key in ["rows", "tuples", "k", "unique_rows"] {
        assert_eq!(marked[key], plain[key], "{key}");
    }
    let columns = desk.json(&["check", &raw, "--null", "?", "--max-columns", "1"])["columns"].clone();
    let missing: BTreeMap<&str, u64> = columns
        .as_array()
        .unwrap()
        .iter()
        .map(|column| (column["name"].as_str().unwrap(), column["missing"].as_u64().unwrap()))
        .filter(|(_, missing)| *missing > 0)
        .collect();
    let expected = [("workclass", 2_799), ("occupation", 2_809), ("native-country", 857)];
    assert_eq!(missing, BTreeMap::from(expected));
}

/// The worked examples of the diagnosis paper: their rows are written as a table, and the answers compared.
#[test]
fn the_worked_examples_of_the_diagnosis_paper_come_out() {
    let golden = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(data(&format!("golden/{name}.json"))).unwrap()).unwrap()
    };
    let table = |case: &Value, columns: &[&str]| {
        let row = |row: &Value| columns.iter().map(|name| row[*name].as_str().unwrap()).collect::<Vec<_>>().join(",");
        let rows: Vec<String> = case["input"].as_array().unwrap().iter().map(row).collect();
        Desk::with("golden.csv", format!("{}\n{}\n", columns.join(","), rows.join("\n")))
    };
    let case = golden("diagnosis_apriori_small");
    let desk = table(&case, &["A", "B", "C"]);
    let found = desk.json(&["diagnose", "golden.csv", "--qi", "A,B,C", "--k", "2", "--sets", "--all-sets"]);
    assert_eq!(sets(&found["largest_safe"]), sets(&case["expected"]["maximal_subsets_k2"]));
    assert_eq!(found["groupings"], case["expected"]["calls"]);
    for set in found["sets"].as_array().unwrap() {
        let name = sets(&json!([set["columns"]])).concat().concat();
        assert_eq!(set["k"], case["expected"]["k_per_subset"][&name], "{name}");
    }
    let case = golden("diagnosis_suppression_small");
    let desk = table(&case, &["A"]);
    for (delta, expected) in case["expected"]["largest_k_by_delta"].as_object().unwrap() {
        let found = desk.json(&["diagnose", "golden.csv", "--qi", "A", "--delta", delta]);
        assert_eq!(
            (&found["k_suppressed"], &found["suppressed_rows"]),
            (&expected["k"], &expected["removed"]),
            "{delta}"
        );
    }
}

#[test]
fn a_draft_for_adult_publishes_no_weight_suggests_only_what_is_feasible_and_is_no_plan_yet() {
    let desk = Desk::new();
    let table = data("adult_train.csv");
    assert_eq!(desk.run(&["init", &table]).code, Some(0));
    let draft = std::fs::read_to_string(desk.path("incrowd.toml")).unwrap();
    let entry =
        |name: &str| draft.split("[[column]]").find(|entry| entry.contains(&format!("name = \"{name}\""))).unwrap();
    assert!(entry("fnlwgt").contains("role = \"identifier\""), "{draft}");
    assert!(entry("salary-class").contains("role = \"sensitive\""), "{draft}");
    let refused = desk.run(&["anonymize", "incrowd.toml", "-o", "release"]);
    assert_eq!((refused.code, refused.stderr.contains("error[IC530]")), (Some(2), true), "{refused:?}");
    assert!(refused.stderr.contains("the roles of 15 columns are not confirmed"), "{refused:?}");
    assert!(!desk.path("release").exists());

    assert_eq!(desk.run(&["confirm", "incrowd.toml"]).code, Some(0));
    let confirmed = std::fs::read_to_string(desk.path("incrowd.toml")).unwrap();
    assert_eq!(confirmed, draft.replace("confirmed = false", "confirmed = true"));
    // Every bound that is suggested in a comment can be kept, all of them together.
    let suggested = confirmed.replace("# [[policy.alpha]]", "[[policy.alpha]]").replace("\n# column", "\ncolumn");
    desk.write("incrowd.toml", suggested.replace("\n# alpha", "\nalpha"));
    let told = desk.json(&[
        "anonymize",
        "incrowd.toml",
        "--algorithm",
        "mondrian",
        "--no-bound",
        "--no-report",
        "-o",
        "release",
    ]);
    assert_eq!(told["verified"], true, "{told}");
}
