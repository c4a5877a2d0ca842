//! The models about sensitive values: judged as their definitions say, on rows and by hand.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_verify::{Format, Judge, Judgement, Policy, Role, SensitiveColumn, Technique};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Draft, Row};

/// A policy of one model about the column `s`.
pub(crate) fn policy(model: &str, parameters: &Value) -> Policy {
    let rule = json!({ "model": model, "parameters": parameters, "sensitive": ["s"] });
    serde_json::from_value(json!({ "models": [rule] })).unwrap()
}

/// Judges rows of (class, value); nothing is written as `~`.
fn judged(policy: &Policy, rows: &[(u32, &str)]) -> Judgement {
    let labels: Vec<Option<String>> =
        rows.iter().map(|(_, value)| (*value != "~").then(|| value.to_string())).collect();
    let mut judge = Judge::new(policy, vec![SensitiveColumn { name: "s".into(), labels }]);
    (0..).zip(rows).for_each(|(code, (class, _))| judge.add(*class, &[code], None, 1));
    judge.finish()
}

/// One class for each text, of the values between its spaces.
#[expect(clippy::needless_pass_by_value, reason = "literals read better without an ampersand")]
fn holds(model: &str, parameters: Value, classes: &[&str]) -> bool {
    let rows = (0..).zip(classes).flat_map(|(class, values)| values.split(' ').map(move |value| (class, value)));
    judged(&policy(model, &parameters), &rows.collect::<Vec<_>>()).holds
}

#[test]
fn values_are_counted_and_those_of_a_group_once() {
    let p = |p: u64, classes: &[&str]| holds("p-sensitive", json!({ "p": p }), classes);
    assert!(p(2, &["a a b", "c ~"]) && !p(3, &["a b c", "a ~ a"]));
    assert!(holds("distinct-l-diversity", json!({ "l": 3 }), &["a b ~"]));
    let groups = json!([["colon", "breast"], ["flu", "cold"]]);
    let extended = |p: u64, class: &str| holds("extended-p-sensitive", json!({ "p": p, "groups": groups }), &[class]);
    assert!(
        !extended(2, "colon breast")
            && extended(2, "colon flu")
            && extended(3, "colon flu ~")
            && !extended(3, "flu cold x")
    );
}

/// Table 1 of the p-sensitive paper: by diagnosis 1-sensitive, and 2-sensitive when the first row is changed.
#[test]
fn the_first_table_of_the_p_sensitive_paper_is_judged_as_printed() {
    let old = "Diabetes Diabetes Tuberculosis Tuberculosis";
    let p = |p: u64, young: &str| holds("p-sensitive", json!({ "p": p }), &[young, old]);
    assert!(p(1, "AIDS AIDS AIDS") && !p(2, "AIDS AIDS AIDS"));
    assert!(p(2, "Diabetes AIDS AIDS") && !p(3, "Diabetes AIDS AIDS"));
}

#[test]
fn shares_entropies_and_tails_are_compared_exactly() {
    let frequency = |l: Value, class: &str| holds("frequency-l-diversity", json!({ "l": l }), &[class]);
    assert!(frequency(json!(2), "a a b c") && !frequency(json!(2.01), "a a b c") && frequency(json!("4/3"), "a a a b"));
    let entropy = |l: Value, class: &str| holds("entropy-l-diversity", json!({ "l": l }), &[class]);
    assert!(entropy(json!(3), "a b c") && entropy(json!(3), "a a b b c c") && !entropy(json!(3), "a b c c"));
    // e to the power of 1.0397 is 2.828.
    assert!(entropy(json!(2.82), "a a b c") && !entropy(json!(2.83), "a a b c"));
    let recursive =
        |c: Value, l: u64, class: &str| holds("recursive-c-l-diversity", json!({ "c": c, "l": l }), &[class]);
    assert!(recursive(json!(3.01), 2, "a a a b") && !recursive(json!(3), 2, "a a a b"));
    assert!(!recursive(json!(100), 3, "a a a b") && recursive(json!(3.5), 3, "a a a b ~"));
    assert!(!recursive(json!(3), 3, "a a a b ~"));
}

/// Section 4 of the t-closeness paper: salaries of 3 to 11 thousand; the first class is 0.375 away, the second 0.167.
#[test]
fn the_salaries_of_the_t_closeness_paper_are_as_far_as_printed() {
    let ordered = |t: &str, classes: &[&str]| holds("t-closeness", json!({ "t": t, "distance": "ordered" }), classes);
    assert!(ordered("3/8", &["3 4 5", "6 11 8", "7 9 10"]) && !ordered("0.3749", &["3 4 5", "6 11 8", "7 9 10"]));
    assert!(ordered("1/6", &["3 5 9", "6 11 8", "4 7 10"]) && !ordered("0.1666", &["3 5 9", "6 11 8", "4 7 10"]));
}

#[test]
fn values_are_as_far_apart_as_the_distance_says() {
    let close = |parameters: Value, classes: &[&str]| holds("t-closeness", parameters, classes);
    // {a, a} beside {a, a, b, c}: half of the rows have another value.
    assert!(close(json!({ "t": 0.5 }), &["a a", "b c"]) && !close(json!({ "t": 0.49 }), &["a a", "b c"]));
    // Along a < c < b, {b, c} is (1/2 + 1/4)/2 away.
    let order = |t: f64| json!({ "t": t, "distance": "ordered", "order": ["a", "c", "x", "b"] });
    assert!(close(order(0.5), &["a a", "b c"]) && close(order(0.375), &["a a b c", "a a b c"]));
    assert!(!close(order(0.37), &["a a", "b c"]));
    // b and c are next of kin: a quarter stays, half of the rest goes all the way.
    let tree = |t: f64| json!({ "t": t, "distance": "hierarchical", "tree": [["a", "x", "*"], ["b", "y", "*"], ["c", "y", "*"]] });
    assert!(close(tree(0.5), &["a a", "b c"]) && !close(tree(0.49), &["a a", "b c"]));
    assert!(close(tree(0.25), &["b b", "c c"]) && !close(tree(0.24), &["b b", "c c"]));
    assert!(close(json!({ "t": 0.5 }), &["b b", "c c"]) && !close(json!({ "t": 0.49 }), &["b b", "c c"]));
    // Dates have an order; a missing value is the last.
    let dates = |t: f64| json!({ "t": t, "distance": "ordered" });
    assert!(close(dates(0.5), &["2020-01-31 2020-02-01", "2021-01-01 ~"]));
    assert!(!close(dates(0.33), &["2020-01-31 2020-02-01", "2021-01-01 ~"]));
}

#[test]
fn what_has_no_place_is_not_vouched_for_and_told() {
    let rows = [(0, "10"), (0, "ten")];
    let judgement = judged(&policy("t-closeness", &json!({ "t": 1, "distance": "ordered" })), &rows);
    let told = "the values of s are neither all numbers nor all dates, and no order is given: their distance cannot \
                be verified";
    assert!(!judgement.holds && judgement.notes == [told]);
    let order = json!({ "t": 1, "distance": "ordered", "order": ["10", "11"] });
    assert!(!judged(&policy("t-closeness", &order), &rows).holds);
    let tree = json!({ "t": 1, "distance": "hierarchical", "tree": [["10", "*"]] });
    assert!(!judged(&policy("t-closeness", &tree), &rows).holds);
}

#[test]
fn values_may_be_so_much_more_likely_and_no_more() {
    // In all rows a has 1/2, b and c 1/4; in the second class b has 1/2, twice as much.
    let classes = ["a a", "b c"];
    let beta = |beta: Value, rule: &str, classes: &[&str]| {
        holds("beta-likeness", json!({ "beta": beta, "rule": rule }), classes)
    };
    assert!(beta(json!(1), "basic", &classes) && !beta(json!("99/100"), "basic", &classes));
    // −ln ½ = 0.693 is less than 1.
    assert!(!beta(json!(1), "enhanced", &classes) && beta(json!(1), "enhanced", &["a b a c", "a b a c"]));
    assert!(beta(json!(5), "enhanced", &["a a", "a a"]));
    let delta = |delta: f64, classes: &[&str]| holds("delta-disclosure", json!({ "delta": delta }), classes);
    assert!(!delta(9.0, &classes), "every value is in every class");
    // a: 2/3 and 1/3 of the rows, 1/2 in all: ln(4/3) = 0.288, ln(2/3) = −0.405.
    assert!(delta(0.41, &["a a b", "a b b"]) && !delta(0.4, &["a a b", "a b b"]));
}

#[test]
fn suppressed_rows_are_no_part_of_the_whole() {
    // Among all rows as they were, a would have had 3 of 4; published it has half.
    let policy = policy("t-closeness", &json!({ "t": "1/100" }));
    let labels = vec![Some("a".to_string()), Some("b".to_string()), Some("withheld".to_string())];
    let mut judge = Judge::new(&policy, vec![SensitiveColumn { name: "s".into(), labels }]);
    judge.add(0, &[0], None, 1);
    judge.add(0, &[1], None, 1);
    judge.add(1, &[0], None, 5);
    judge.add(1, &[1], None, 5);
    assert!(judge.finish().holds);
}

#[test]
fn parameters_that_cannot_be_meant_are_not_vouched_for() {
    for (model, wrong) in [
        ("p-sensitive", json!({ "p": 0 })),
        ("p-sensitive", json!({ "p": 2, "groups": [["a"]] })),
        ("extended-p-sensitive", json!({ "p": 2 })),
        ("extended-p-sensitive", json!({ "p": 2, "groups": [["a"], ["a", "b"]] })),
        ("entropy-l-diversity", json!({ "l": 0.5 })),
        ("frequency-l-diversity", json!({ "l": "x" })),
        ("recursive-c-l-diversity", json!({ "c": 0, "l": 2 })),
        ("t-closeness", json!({ "t": 1.5 })),
        ("t-closeness", json!({ "t": 0.5, "order": ["a"] })),
        ("t-closeness", json!({ "t": 0.5, "distance": "far" })),
        ("t-closeness", json!({ "t": 0.5, "distance": "ordered", "order": ["a", "a"] })),
        ("t-closeness", json!({ "t": 0.5, "distance": "hierarchical" })),
        ("t-closeness", json!({ "t": 0.5, "distance": "hierarchical", "tree": [["a", "x", "*"], ["b", "*"]] })),
        (
            "t-closeness",
            json!({ "t": 0.5, "distance": "hierarchical", "tree": [["a", "x", "m", "*"], ["b", "x", "n", "*"]] }),
        ),
        ("beta-likeness", json!({ "beta": 1, "rule": "strict" })),
        ("delta-disclosure", json!({ "delta": "0/1" })),
    ] {
        let judgement = judged(&policy(model, &wrong), &[(0, "a"), (0, "b")]);
        assert!(!judgement.holds && judgement.models.is_empty(), "{model} {wrong}");
    }
}

/// Whether a rule holds, by the definition, on rows of (class, value). Nothing when it is too near to tell.
fn by_the_book(model: &str, parameters: &Value, rows: &[(Option<String>, Option<String>)]) -> Option<bool> {
    type Counts<'a> = BTreeMap<&'a Option<String>, f64>;
    let mut classes: BTreeMap<&Option<String>, Counts<'_>> = BTreeMap::new();
    let mut whole = Counts::new();
    for (class, value) in rows {
        *classes.entry(class).or_default().entry(value).or_default() += 1.0;
        *whole.entry(value).or_default() += 1.0;
    }
    let number = |name: &str| parameters[name].as_f64().unwrap();
    let clear = |a: f64, b: f64| (a - b).abs() > 1e-9;
    let mut all = true;
    for class in classes.values() {
        let size: f64 = class.values().sum();
        let share = |value: &Option<String>| class.get(value).copied().unwrap_or(0.0) / size;
        let expected = |value: &Option<String>| whole[value] / rows.len() as f64;
        let mut falling: Vec<f64> = class.values().copied().collect();
        falling.sort_by(|a, b| b.total_cmp(a));
        let compare = |a: f64, b: f64, or_equal: bool| {
            // Fractions of small numbers are equal or clearly not.
            Some(if clear(a, b) { a < b } else { or_equal })
        };
        all &= match model {
            "p-sensitive" => class.len() as f64 >= number("p"),
            "distinct-l-diversity" => class.len() as f64 >= number("l"),
            "extended-p-sensitive" => {
                let group = |value: &&Option<String>| {
                    if value.as_deref() == Some("2") { Some("1".to_string()) } else { (*value).clone() }
                };
                class.keys().map(group).collect::<BTreeSet<_>>().len() as f64 >= number("p")
            }
            "frequency-l-diversity" => compare(falling[0] * number("l"), size, true)?,
            "entropy-l-diversity" => {
                let entropy: f64 = class.values().map(|rows| -(rows / size) * (rows / size).ln()).sum();
                compare(number("l").ln(), entropy, true)?
            }
            "recursive-c-l-diversity" => {
                compare(falling[0], number("c") * falling.iter().skip(number("l") as usize - 1).sum::<f64>(), false)?
            }
            "t-closeness" => {
                let sets: Vec<Vec<&Option<String>>> = match parameters["distance"].as_str().unwrap() {
                    "ordered" => {
                        let mut values: Vec<&Option<String>> = whole.keys().copied().collect();
                        values
                            .sort_by_key(|value| value.as_ref().map_or(i64::MAX, |text| text.parse::<i64>().unwrap()));
                        (1..values.len()).map(|place| values[..place].to_vec()).collect()
                    }
                    word => {
                        // 1 and 2 are next of kin.
                        let kin = |value: &&&Option<String>| matches!(value.as_deref(), Some("1" | "2"));
                        let single = || whole.keys().map(|value| vec![*value]);
                        let above = whole.keys().filter(|value| !kin(value)).map(|value| vec![*value]);
                        let pair: Vec<&Option<String>> = whole.keys().filter(kin).copied().collect();
                        if word == "equal" { single().collect() } else { single().chain(above).chain([pair]).collect() }
                    }
                };
                let most = match parameters["distance"].as_str().unwrap() {
                    "equal" => 2.0,
                    "ordered" => (whole.len() as f64 - 1.0).max(1.0),
                    _ => 4.0,
                };
                let off = |set: &Vec<&Option<String>>| {
                    set.iter().map(|value| share(value) - expected(value)).sum::<f64>().abs()
                };
                compare(sets.iter().map(off).sum::<f64>() / most, number("t"), true)?
            }
            "beta-likeness" => whole.keys().try_fold(true, |all, value| {
                let (gain, log) = (share(value) / expected(value) - 1.0, -expected(value).ln());
                let enhanced = parameters["rule"] == "enhanced";
                Some(all & compare(gain, number("beta"), true)? & (!enhanced || compare(gain, log, true)?))
            })?,
            _ => whole.keys().try_fold(true, |all, value| {
                let ratio = (share(value) / expected(value)).ln().abs();
                Some(all & compare(ratio, number("delta"), false)?)
            })?,
        };
    }
    Some(all)
}

/// A model about values `1`, `2`, `10` and none, with parameters that are sums of powers of two.
pub(crate) fn asked() -> impl Strategy<Value = (&'static str, Value)> {
    let quarters = |from: u32, to: u32| (from..to).prop_map(|quarters| f64::from(quarters) / 4.0);
    let distance = prop_oneof![
        Just(json!({ "distance": "equal" })),
        Just(json!({ "distance": "ordered" })),
        Just(json!({ "distance": "ordered", "order": ["1", "2", "9", "10"] })),
        Just(
            json!({ "distance": "hierarchical", "tree": [["1", "few", "*"], ["2", "few", "*"], ["9", "many", "*"], ["10", "some", "*"]] })
        ),
    ];
    prop_oneof![
        (1u32..5).prop_map(|p| ("p-sensitive", json!({ "p": p }))),
        (1u32..5).prop_map(|p| ("extended-p-sensitive", json!({ "p": p, "groups": [["1", "2", "3"]] }))),
        (1u32..5).prop_map(|l| ("distinct-l-diversity", json!({ "l": l }))),
        quarters(4, 13).prop_map(|l| ("frequency-l-diversity", json!({ "l": l }))),
        quarters(4, 13).prop_map(|l| ("entropy-l-diversity", json!({ "l": l }))),
        (quarters(1, 13), 1u32..4).prop_map(|(c, l)| ("recursive-c-l-diversity", json!({ "c": c, "l": l }))),
        (quarters(1, 4), distance).prop_map(|(t, mut parameters)| {
            parameters["t"] = json!(t);
            ("t-closeness", parameters)
        }),
        (quarters(1, 13), prop_oneof![Just("basic"), Just("enhanced")])
            .prop_map(|(beta, rule)| ("beta-likeness", json!({ "beta": beta, "rule": rule }))),
        quarters(1, 13).prop_map(|delta| ("delta-disclosure", json!({ "delta": delta }))),
    ]
}

pub(crate) fn rows() -> impl Strategy<Value = Vec<(Option<String>, Option<String>)>> {
    let class = prop::sample::select(vec![Some("a".to_string()), Some("b".into()), None]);
    let value = prop::sample::select(vec![Some("1".to_string()), Some("2".into()), Some("10".into()), None]);
    prop::collection::vec((class, value), 1..16)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn released_rows_are_judged_by_the_book(rows in rows(), (model, parameters) in asked()) {
        let Some(expected) = by_the_book(model, &parameters, &rows) else { return Ok(()) };
        let columns = [("q", Role::QuasiIdentifier, Technique::Generalized), ("s", Role::Sensitive, Technique::Retained)];
        let cells: Vec<Row> = rows.iter().map(|(class, value)| vec![class.clone(), value.clone()]).collect();
        let mut draft = Draft::new(Format::Parquet, &columns, cells);
        draft.manifest.policy = policy(model, &parameters);
        let verdict = draft.write().verify();
        prop_assert_eq!(verdict.models[0].holds, expected);
        prop_assert!(verdict.models[0].promise.contains(" s"));
    }
}
