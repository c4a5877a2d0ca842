//! The judge before anything is written: numbers of classes with gaps, parts of a table, codes without a text, several rows of
//! a person.

use incrowd_verify::{FaultKind, Format, Judge, Judgement, Policy, SensitiveColumn};
use serde_json::{Value, json};

use crate::pair::Pair;
use crate::support::Draft;

fn policy(policy: Value) -> Policy {
    serde_json::from_value(policy).unwrap()
}

fn k_anonymity(k: u64) -> Value {
    json!({ "model": "k-anonymity", "parameters": { "k": k } })
}

fn column(name: &str, values: &[&str]) -> SensitiveColumn {
    SensitiveColumn { name: name.into(), labels: values.iter().map(|value| Some(value.to_string())).collect() }
}

fn messages(judgement: &Judgement) -> Vec<&str> {
    judgement.faults.iter().map(|fault| fault.message.as_str()).collect()
}

#[test]
fn a_class_without_rows_is_no_class() {
    let mut judge = Judge::new(&policy(json!({ "models": [k_anonymity(3)] })), Vec::new());
    judge.add(0, &[], None, 5);
    judge.add(1, &[], None, 0);
    judge.add(3, &[], None, 4);
    let judgement = judge.finish();
    assert!(judgement.holds);
    assert_eq!((judgement.classes, judgement.smallest_class), (2, 4));
    let promise = "Each combination of published quasi-identifiers occurs in at least 3 rows.";
    assert_eq!(judgement.models[0].promise, promise);
}

#[test]
fn files_of_one_table_are_judged_by_their_quasi_identifiers() {
    let promise = "Each combination of published quasi-identifiers occurs in at least 2 rows.";
    assert_eq!(Draft::honest(Format::Csv).write().verify().models[0].promise, promise);
}

#[test]
fn people_count_once_in_a_class_and_the_promise_is_about_them() {
    let mut judge = Judge::new(&policy(json!({ "models": [k_anonymity(2)] })), Vec::new());
    judge.add(0, &[], Some(7), 5);
    judge.add(0, &[], Some(7), 1);
    judge.add(0, &[], Some(8), 1);
    judge.add(2, &[], Some(9), 3);
    let judgement = judge.finish();
    assert_eq!((judgement.classes, judgement.smallest_class), (2, 1));
    assert_eq!(messages(&judgement), ["k-anonymity does not hold in 1 of 2 classes"]);
    assert_eq!(judgement.models[0].promise, "Each class has rows of at least 2 people.");
}

#[test]
fn rows_with_and_without_a_person_do_not_go_together() {
    let mut judge = Judge::new(&policy(json!({ "models": [k_anonymity(1)] })), Vec::new());
    judge.add(0, &[], Some(7), 5);
    judge.add(0, &[], None, 5);
    let judgement = judge.finish();
    assert!(!judgement.holds && judgement.faults[0].kind == FaultKind::Unreadable);
    assert_eq!(messages(&judgement), ["some rows have a subject and some have none"]);
}

#[test]
fn every_code_has_a_text_in_its_column() {
    let told = |codes: &[u32]| {
        let columns = vec![column("s", &["a", "b"]), column("u", &["x"])];
        let mut judge = Judge::new(&policy(json!({ "models": [k_anonymity(1)] })), columns);
        judge.add(0, codes, None, 1);
        messages(&judge.finish()).join("; ")
    };
    assert_eq!(told(&[1, 0]), "");
    for wrong in [&[2, 0][..], &[1, 1], &[0], &[0, 0, 0]] {
        assert_eq!(told(wrong), "a tuple has a code without a text in its column", "{wrong:?}");
    }
}

#[test]
fn a_part_is_compared_with_the_whole_that_it_is_told() {
    let rule = json!({ "model": "t-closeness", "parameters": { "t": "1/4" }, "sensitive": ["s"] });
    let judged = |whole: Option<&[u64]>| {
        // The first two codes have one text, so that the rows of the whole are added.
        let columns = vec![column("other", &["x"]), column("s", &["a", "a", "b"])];
        let mut judge = Judge::new(&policy(json!({ "models": [rule] })), columns);
        whole.into_iter().for_each(|rows| judge.compare_with("s", rows));
        judge.add(0, &[0, 0], None, 3);
        judge.add(0, &[0, 2], None, 1);
        judge.finish().holds
    };
    // Three quarters of the class have `a`; of the whole half, a quarter, or all.
    assert!(judged(None) && judged(Some(&[1, 1, 2])) && !judged(Some(&[1, 0, 3])) && judged(Some(&[2, 2, 0])));
}

#[test]
fn people_with_several_rows_are_compared_when_rows_are_known() {
    let judged = |known: Value, rows: &[(u64, u32)]| {
        let mut judge = Judge::new(&policy(json!({ "models": [k_anonymity(2)], "known_rows": known })), Vec::new());
        rows.iter().for_each(|(person, class)| judge.add(*class, &[], Some(*person), 1));
        judge.finish()
    };
    let alike = [(1, 0), (2, 0), (1, 1), (2, 1)];
    let judgement = judged(json!(2), &alike);
    assert!(judgement.holds && judgement.models[1].model == "known-rows");
    // Of the third only one row is like theirs.
    let one_more = [alike.as_slice(), &[(3, 0)]].concat();
    let judgement = judged(json!("all"), &one_more);
    assert_eq!(messages(&judgement), ["known-rows: 1 of 3 people have the same rows as fewer than k people"]);
    assert_eq!((judgement.models[0].holds, judgement.models[1].holds), (true, false));
    let wrong = judged(json!(1), &alike);
    assert_eq!((wrong.faults[0].kind, wrong.models.len()), (FaultKind::Policy, 1));
}

#[test]
fn promises_about_a_population_are_not_asked_before_files_are_written() {
    let map = json!({ "model": "k-map", "parameters": { "k": 5 } });
    let mut judge = Judge::new(&policy(json!({ "models": [k_anonymity(1), map] })), Vec::new());
    judge.add(0, &[], None, 1);
    let judgement = judge.finish();
    assert!(judgement.holds && judgement.models.len() == 1);
}

#[test]
fn a_policy_without_k_is_judged_on_the_second_of_two_tables() {
    // Every class has four illnesses.
    for (l, failing) in [(4, 0), (5, 3)] {
        let mut pair = Pair::sound(Format::Csv, 3, 5);
        pair.write();
        let rule = json!({ "model": "distinct-l-diversity", "parameters": { "l": l }, "sensitive": ["illness"] });
        pair.manifest().policy = policy(json!({ "models": [rule] }));
        let verdict = pair.seal_as_is().verify();
        assert_eq!(verdict.models.iter().map(|model| model.classes_failing).collect::<Vec<_>>(), [failing]);
    }
}
