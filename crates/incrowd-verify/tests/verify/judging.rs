//! The judgement equals a double loop over rows, on bytes and before writing.

use std::collections::BTreeMap;

use incrowd_verify::{FaultKind, Format, Judge, Policy, Role, Rule, SensitiveColumn, Technique};
use proptest::prelude::*;

use crate::support::{Draft, Row};

fn policy(k: u64, alpha: (u64, u64), values: Option<&[String]>, rule: &str) -> Policy {
    let mut parameters = serde_json::json!({ "alpha": format!("{}/{}", alpha.0, alpha.1), "rule": rule });
    if let Some(values) = values {
        parameters["values"] = serde_json::json!(values);
    }
    let parameters = serde_json::from_value(parameters).unwrap();
    Policy {
        models: vec![
            Rule {
                model: "k-anonymity".into(),
                parameters: serde_json::from_value(serde_json::json!({ "k": k })).unwrap(),
                sensitive: Vec::new(),
            },
            Rule { model: "alpha-deassociation".into(), parameters, sensitive: vec!["s".into()] },
        ],
        ..Policy::default()
    }
}

/// Whether both models hold, by the definition and in no other way.
fn brute(rows: &[Row], k: u64, alpha: (u64, u64), values: Option<&[String]>, refined: bool) -> (bool, bool) {
    let (mut holds_k, mut holds_alpha) = (true, true);
    for row in rows {
        let class: Vec<&Row> = rows.iter().filter(|other| other[..2] == row[..2]).collect();
        let size = class.len() as u64;
        holds_k &= size >= k;
        let is_protected = |other: &&&Row| match values {
            Some(values) => other[2].as_ref().is_some_and(|value| values.contains(value)),
            None => other[2] == row[2],
        };
        let count = class.iter().filter(is_protected).count() as u64;
        holds_alpha &=
            if refined { count <= (alpha.0 * size).div_ceil(alpha.1) } else { count * alpha.1 <= alpha.0 * size };
    }
    (holds_k, holds_alpha)
}

fn cell(texts: &'static [&'static str]) -> impl Strategy<Value = Option<String>> {
    prop::option::weighted(0.8, prop::sample::select(texts).prop_map(str::to_string))
}

fn table() -> impl Strategy<Value = Vec<Row>> {
    let row = (cell(&["a", "b"]), cell(&["c"]), cell(&["x", "y", "z"])).prop_map(|(a, b, s)| vec![a, b, s]);
    prop::collection::vec(row, 1..14)
}

/// The rows as class numbers and codes, as the façade would give them.
fn judged(rows: &[Row], policy: &Policy) -> (bool, bool, u64, u64) {
    let labels = vec![Some("x".into()), Some("y".into()), None, Some("z".into())];
    let mut judge = Judge::new(policy, vec![SensitiveColumn { name: "s".into(), labels: labels.clone() }]);
    let mut classes = BTreeMap::new();
    for row in rows {
        let next = classes.len() as u32;
        let class = *classes.entry(&row[..2]).or_insert(next);
        let code = labels.iter().position(|label| *label == row[2]).unwrap() as u32;
        judge.add(class, &[code], None, 1);
    }
    let judgement = judge.finish();
    assert_eq!(judgement.holds, judgement.models.iter().all(|model| model.holds));
    (judgement.models[0].holds, judgement.models[1].holds, judgement.classes, judgement.smallest_class)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn judging_equals_a_double_loop(
        rows in table(),
        k in 1u64..4,
        alpha in (0u64..5, 1u64..6).prop_filter("a share", |(above, below)| above <= below),
        values in prop::option::of(prop::sample::subsequence(vec!["x".to_string(), "y".into(), "q".into()], 1..3)),
        refined in any::<bool>(),
        format in prop_oneof![Just(Format::Csv), Just(Format::Parquet), Just(Format::Arrow), Just(Format::Xlsx)],
    ) {
        // A row without content is no row of a sheet, and is never written there.
        prop_assume!(format != Format::Xlsx || rows.iter().all(|row| row.iter().any(Option::is_some)));
        let rule = if refined { "refined" } else { "exact" };
        let policy = policy(k, alpha, values.as_deref(), rule);
        let expected = brute(&rows, k, alpha, values.as_deref(), refined);
        let columns = [
            ("a", Role::QuasiIdentifier, Technique::Generalized),
            ("b", Role::QuasiIdentifier, Technique::Generalized),
            ("s", Role::Sensitive, Technique::Retained),
        ];
        let before = judged(&rows, &policy);
        let mut draft = Draft::new(format, &columns, rows);
        draft.manifest.policy = policy;
        (draft.manifest.classes, draft.manifest.smallest_class) = (before.2, before.3);
        let verdict = draft.write().verify();
        prop_assert_eq!((before.0, before.1), expected);
        prop_assert_eq!((verdict.models[0].holds, verdict.models[1].holds), expected);
        prop_assert_eq!((verdict.classes, verdict.smallest_class), (before.2, before.3));
        prop_assert_eq!(verdict.verified, expected == (true, true));
    }
}

#[test]
fn with_persons_k_counts_people() {
    let policy = policy(2, (1, 1), None, "exact");
    let column = || vec![SensitiveColumn { name: "s".into(), labels: vec![Some("x".into()), Some("y".into())] }];
    let mut judge = Judge::new(&policy, column());
    judge.add(0, &[0], Some(7), 3);
    judge.add(0, &[1], Some(7), 1);
    judge.add(1, &[0], Some(7), 1);
    judge.add(1, &[0], Some(8), 1);
    let judgement = judge.finish();
    assert_eq!((judgement.holds, judgement.classes, judgement.smallest_class), (false, 2, 1));
    assert_eq!(judgement.models[0].classes_failing, 1);
}

/// Six patients, each with a row of one value and a row of another: a judge of rows sees every value on half of them.
#[test]
fn of_six_people_who_all_have_both_values_all_have_each() {
    let column = || vec![SensitiveColumn { name: "s".into(), labels: vec![Some("x".into()), Some("y".into())] }];
    let half = |class: fn(u64, u32) -> u32| {
        let mut judge = Judge::new(&policy(3, (1, 2), None, "exact"), column());
        for (person, code) in (0..6).flat_map(|person| [(person, 0), (person, 1)]) {
            judge.add(class(person, code), &[code], Some(person), 1);
        }
        let judgement = judge.finish();
        let faults: Vec<String> = judgement.faults.into_iter().map(|fault| fault.message).collect();
        (judgement.models[1].classes_failing, judgement.models[1].promise.clone(), faults)
    };
    let whole = "alpha-deassociation of s does not hold for all people of the release taken together";
    let (failing, promise, faults) = half(|_, _| 0);
    assert_eq!(
        promise,
        "In each class, and in the release as a whole, at most 1/2 of the people have the same value of s in their rows there."
    );
    assert_eq!(
        (failing, &faults[..]),
        (1, &["alpha-deassociation of s does not hold in 1 of 1 classes".into(), whole.into()][..])
    );
    // Dealt into two classes, each of which has one value of each person.
    let (failing, _, faults) = half(|person, code| (person as u32 + code) % 2);
    assert_eq!((failing, &faults[..]), (0, &[whole.to_string()][..]));
}

#[test]
fn a_person_with_two_protected_values_is_one_person() {
    let labels = vec![Some("x".into()), Some("y".into()), Some("z".into())];
    let values = ["x".to_string(), "y".into()];
    let mut judge =
        Judge::new(&policy(1, (1, 2), Some(&values), "exact"), vec![SensitiveColumn { name: "s".into(), labels }]);
    judge.add(0, &[0], Some(1), 1);
    judge.add(0, &[1], Some(1), 4);
    judge.add(0, &[2], Some(2), 1);
    assert!(judge.finish().holds);
}

#[test]
fn a_model_about_one_value_per_person_vouches_for_nothing_when_some_have_several() {
    for (model, parameters) in [
        ("p-sensitive", serde_json::json!({ "p": 2 })),
        ("entropy-l-diversity", serde_json::json!({ "l": 2 })),
        ("t-closeness", serde_json::json!({ "t": "1/1" })),
        ("extended-p-sensitive", serde_json::json!({ "p": 2, "groups": [["x"]] })),
    ] {
        let parameters = serde_json::from_value(parameters).unwrap();
        let rule = Rule { model: model.into(), parameters, sensitive: vec!["s".into()] };
        let labels = vec![Some("x".into()), Some("y".into())];
        let column = SensitiveColumn { name: "s".into(), labels };
        let mut judge = Judge::new(&Policy { models: vec![rule], ..Policy::default() }, vec![column]);
        (0..3).for_each(|person| {
            judge.add(0, &[0], Some(person), 1);
            judge.add(0, &[1], Some(person), 1);
        });
        let faults = judge.finish().faults;
        let why = format!("{model} of s needs one value per person, but 3 people have several values");
        assert!(faults.iter().any(|fault| fault.kind == FaultKind::Policy && fault.message == why), "{faults:?}");
    }
}

/// Rows neither prove nor refute a share of people, so nothing is said of it, and no query claims to.
#[test]
fn shares_of_people_are_not_judged_on_bytes() {
    let columns = [
        ("a", Role::QuasiIdentifier, Technique::Generalized),
        ("s", Role::Sensitive, Technique::Retained),
        ("who", Role::Subject, Technique::Removed),
    ];
    let rows: Vec<Row> = ["x", "x", "x", "y"].map(|s| vec![Some("1".into()), Some(s.into())]).to_vec();
    let mut draft = Draft::new(Format::Csv, &columns, rows);
    draft.manifest.policy = policy(2, (1, 2), None, "exact");
    draft.manifest.counts = incrowd_verify::Counts::People;
    (draft.manifest.classes, draft.manifest.smallest_class) = (1, 2);
    let verdict = draft.write().verify();
    assert!(verdict.verified, "{:?}", verdict.faults);
    assert_eq!(verdict.models.iter().map(|model| model.model.as_str()).collect::<Vec<_>>(), ["k-anonymity"]);
    assert_eq!(
        verdict.not_checked.iter().map(|one| one.model.as_str()).collect::<Vec<_>>(),
        ["k-anonymity", "alpha-deassociation"]
    );
    let sql: Vec<(String, bool)> =
        incrowd_verify::sql(&draft.manifest).into_iter().map(|sql| (sql.model, sql.only_rows)).collect();
    assert_eq!(sql, [("k-anonymity".to_string(), true)]);
}

#[test]
fn two_codes_with_one_text_are_one_value() {
    let policy = policy(1, (1, 2), None, "exact");
    let labels = vec![Some("x".into()), Some("x".into())];
    let mut judge = Judge::new(&policy, vec![SensitiveColumn { name: "s".into(), labels }]);
    judge.add(0, &[0], None, 1);
    judge.add(0, &[1], None, 1);
    assert!(!judge.finish().holds);
}

#[test]
fn what_cannot_be_judged_does_not_hold() {
    let no_rows = Judge::new(&policy(1, (1, 1), None, "exact"), Vec::new()).finish();
    let kinds: Vec<FaultKind> = no_rows.faults.iter().map(|fault| fault.kind).collect();
    assert_eq!(kinds, [FaultKind::Policy, FaultKind::Empty]);
    let labels = vec![Some("x".into())];
    let mut judge = Judge::new(&policy(1, (1, 1), None, "exact"), vec![SensitiveColumn { name: "s".into(), labels }]);
    judge.add(0, &[5], None, 1);
    judge.add(0, &[], Some(1), 1);
    assert!(!judge.finish().holds);
}

#[test]
fn a_protected_value_that_no_row_has_is_noted() {
    let policy = policy(1, (0, 1), Some(&["q".to_string()]), "exact");
    let mut judge = Judge::new(&policy, vec![SensitiveColumn { name: "s".into(), labels: vec![Some("q ".into())] }]);
    judge.add(0, &[0], None, 1);
    let judgement = judge.finish();
    assert!(judgement.holds && judgement.notes == ["1 of 1 protected values of s are in no published row"]);
}

#[test]
fn a_protected_missing_value_is_a_value() {
    let policy = policy(1, (1, 2), Some(&["(missing)".to_string()]), "exact");
    for (missing, holds) in [(1, true), (2, false)] {
        let labels = vec![Some("q".into()), None];
        let mut judge = Judge::new(&policy, vec![SensitiveColumn { name: "s".into(), labels }]);
        judge.add(0, &[0], None, 1);
        judge.add(0, &[1], None, missing);
        assert_eq!(judge.finish().holds, holds);
    }
}
