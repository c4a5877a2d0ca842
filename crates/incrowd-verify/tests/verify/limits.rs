//! Parameters at their limits, and what is noted about values that no row has.

use incrowd_verify::{FaultKind, Judge, Judgement, Policy, SensitiveColumn};
use serde_json::{Value, json};

/// Judges one class of the values `a` and `b` and a missing one, each once. No row has the value `never`.
fn judged(model: &str, parameters: &Value, sensitive: &[&str]) -> Judgement {
    let rule = json!({ "model": model, "parameters": parameters, "sensitive": sensitive });
    let policy: Policy = serde_json::from_value(json!({ "models": [rule] })).unwrap();
    let labels = vec![Some("a".into()), Some("b".into()), None, Some("never".into())];
    let mut judge = Judge::new(&policy, vec![SensitiveColumn { name: "s".into(), labels }]);
    (0..3).for_each(|code| judge.add(0, &[code], None, 1));
    judge.finish()
}

fn is_read(model: &str, parameters: &Value, sensitive: &[&str]) -> bool {
    judged(model, parameters, sensitive).faults.iter().all(|fault| fault.kind != FaultKind::Policy)
}

#[test]
fn a_parameter_may_be_at_its_limit_and_not_beyond() {
    let s: &[&str] = &["s"];
    let tree = |paths: Value| json!({ "t": 1, "distance": "hierarchical", "tree": paths });
    for (model, sensitive, allowed, refused) in [
        ("k-anonymity", &[][..], json!({ "k": 1 }), vec![json!({ "k": 0 }), json!({ "k": "2" }), json!({})]),
        ("k-map", &[], json!({ "k": 1 }), vec![json!({ "k": 0 }), json!({ "k": -1 }), json!({})]),
        ("p-sensitive", s, json!({ "p": 1 }), vec![json!({ "p": 0 }), json!({ "p": 1.5 })]),
        (
            "alpha-deassociation",
            s,
            json!({ "alpha": "1/1" }),
            vec![json!({ "alpha": "2/1" }), json!({ "alpha": "0/0" })],
        ),
        (
            "alpha-deassociation",
            s,
            json!({ "alpha": "0/1" }),
            vec![json!({ "alpha": "+1/2" }), json!({ "alpha": "1/2x" })],
        ),
        ("frequency-l-diversity", s, json!({ "l": 1 }), vec![json!({ "l": "99/100" }), json!({ "l": "2x" })]),
        ("entropy-l-diversity", s, json!({ "l": 1 }), vec![json!({ "l": "99/100" })]),
        (
            "recursive-c-l-diversity",
            s,
            json!({ "c": 0.1, "l": 1 }),
            vec![json!({ "c": 0, "l": 1 }), json!({ "c": 1, "l": 0 })],
        ),
        ("t-closeness", s, json!({ "t": 1 }), vec![json!({ "t": 0 }), json!({ "t": "101/100" })]),
        (
            "t-closeness",
            s,
            tree(json!([["a", "*"], ["b", "*"]])),
            vec![tree(json!([["a"]])), tree(json!([["a", "*"], ["a", "*"]])), tree(json!([["a", "x"], ["b", "*"]]))],
        ),
        (
            "t-closeness",
            s,
            tree(json!([["a", "x", "*"], ["b", "x", "*"]])),
            vec![
                tree(json!([["a", "x", "*"], ["a", "y", "*"]])),
                tree(json!([["a", "x", "*"], ["b", "x", "y", "*"]])),
                tree(json!([])),
            ],
        ),
        (
            "t-closeness",
            s,
            json!({ "t": 1, "distance": "ordered", "order": ["b", "a"] }),
            vec![json!({ "t": 1, "distance": "ordered", "order": [] })],
        ),
        ("beta-likeness", s, json!({ "beta": 0.01 }), vec![json!({ "beta": 0 }), json!({ "beta": u64::MAX })]),
        ("delta-disclosure", s, json!({ "delta": 0.01 }), vec![json!({ "delta": 0 })]),
        (
            "delta-presence",
            &[],
            json!({ "max": 1 }),
            vec![json!({ "max": 0 }), json!({ "max": "3/2" }), json!({ "min": 0.1 })],
        ),
        (
            "delta-presence",
            &[],
            json!({ "min": 1, "max": 1 }),
            vec![json!({ "min": 0, "max": 1 }), json!({ "min": 2, "max": 1 })],
        ),
        (
            "extended-p-sensitive",
            s,
            json!({ "p": 1, "groups": [["a"], [2]] }),
            vec![
                json!({ "p": 1, "groups": [["a"], ["a"]] }),
                json!({ "p": 1, "groups": [[]] }),
                json!({ "p": 1, "groups": [] }),
            ],
        ),
    ] {
        assert!(is_read(model, &allowed, sensitive), "{model} {allowed}");
        refused.iter().for_each(|wrong| assert!(!is_read(model, wrong, sensitive), "{model} {wrong}"));
    }
}

#[test]
fn a_rule_names_a_sensitive_column_exactly_when_its_model_protects_one() {
    assert!(is_read("k-anonymity", &json!({ "k": 2 }), &[]) && !is_read("k-anonymity", &json!({ "k": 2 }), &["s"]));
    assert!(is_read("p-sensitive", &json!({ "p": 2 }), &["s"]) && !is_read("p-sensitive", &json!({ "p": 2 }), &[]));
    let message = |model: &str, parameters: Value, sensitive: &[&str]| {
        let faults = judged(model, &parameters, sensitive).faults;
        faults.into_iter().map(|fault| fault.message).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(message("k-anonymity", json!({ "k": 2 }), &["s"]), "k-anonymity: takes no sensitive column");
    assert_eq!(message("p-sensitive", json!({ "p": 2 }), &[]), "p-sensitive: names no sensitive column");
    let nothing = Judge::new(&Policy::default(), Vec::new()).finish();
    assert!(nothing.faults.iter().any(|fault| fault.message == "the policy has no model: nothing is promised"));
}

#[test]
fn protected_values_that_no_row_has_are_noted() {
    let notes =
        |values: Value| judged("alpha-deassociation", &json!({ "alpha": "1/1", "values": values }), &["s"]).notes;
    assert!(notes(json!(["a"])).is_empty() && notes(json!(["a", "(missing)"])).is_empty());
    assert_eq!(notes(json!(["a", "x", "never"])), ["2 of 3 protected values of s are in no published row"]);
    let notes = |groups: Value| judged("extended-p-sensitive", &json!({ "p": 1, "groups": groups }), &["s"]).notes;
    assert!(notes(json!([["a", "x"], ["b"]])).is_empty());
    assert_eq!(notes(json!([["a", "x"], ["never", "z"]])), ["1 of 2 protected groups of s have no published value"]);
}

#[test]
fn a_missing_value_is_protected_when_it_is_named() {
    let holds = |alpha: &str, values: Value| {
        judged("alpha-deassociation", &json!({ "alpha": alpha, "values": values }), &["s"]).holds
    };
    assert!(holds("2/3", json!(["a", "(missing)"])) && !holds("1/2", json!(["a", "(missing)"])));
    assert!(holds("1/3", json!(["a"])) && !holds("1/4", json!(["(missing)"])));
}

#[test]
fn a_group_counts_beside_every_single_value() {
    // Groups that count as one of the other values would leave one value of three.
    let holds =
        |p: u64| judged("extended-p-sensitive", &json!({ "p": p, "groups": [["x"], ["y"], ["a"]] }), &["s"]).holds;
    assert!(holds(3) && !holds(4));
}

#[test]
fn values_without_a_place_are_noted() {
    let notes = |parameters: Value| judged("t-closeness", &parameters, &["s"]).notes;
    let order = json!({ "t": 1, "distance": "ordered", "order": ["a", "c"] });
    assert_eq!(notes(order), ["the values of s are not all in the order: their distance cannot be verified"]);
    let tree = |paths: Value| json!({ "t": 1, "distance": "hierarchical", "tree": paths });
    let told = ["the values of s are not all in the tree: their distance cannot be verified"];
    assert_eq!(notes(tree(json!([["a", "*"]]))), told);
    assert!(notes(tree(json!([["a", "*"], ["b", "*"]]))).is_empty());
}

/// Whether t-closeness along the order of the values holds for two classes.
fn is_close(t: &str, classes: [&[&str]; 2]) -> bool {
    let rule = json!({ "model": "t-closeness", "parameters": { "t": t, "distance": "ordered" }, "sensitive": ["s"] });
    let policy: Policy = serde_json::from_value(json!({ "models": [rule] })).unwrap();
    let labels = classes.concat().iter().map(|value| Some(value.to_string())).collect();
    let mut judge = Judge::new(&policy, vec![SensitiveColumn { name: "s".into(), labels }]);
    let rows = (0..).zip(classes).flat_map(|(class, values)| values.iter().map(move |_| class));
    (0..).zip(rows).for_each(|(code, class)| judge.add(class, &[code], None, 1));
    judge.finish().holds
}

#[test]
fn dates_are_ordered_only_among_dates_and_long_numbers_as_numbers() {
    assert!(is_close("1", [&["2020-01-01"], &["2021-01-01"]]) && !is_close("1", [&["2020-01-01"], &["ten"]]));
    // As numbers, the first class has the second of four values, as texts it would have the first.
    let numbers: [&[&str]; 2] = [&["-300000000"], &["-400000000", "1000000000", "2000000000"]];
    assert!(is_close("1/3", numbers) && !is_close("0.33", numbers));
}
