//! People by their rows: what a policy promises, which people are alike, and how rows are read.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use serde_json::json;

use super::*;
use crate::manifest::{Manifest, Rule, Technique};
use crate::release::small::{self, person, told};

fn holds(known: &str, k: u64, rows: &[(u64, u32)]) -> bool {
    let text = format!(
        r#"{{ "models": [{{ "model": "k-anonymity", "parameters": {{ "k": {k} }} }}], "known_rows": {known} }}"#
    );
    let policy: Policy = serde_json::from_str(&text).expect("a policy");
    let asked = LinkedRows::of(&policy).ok().flatten().expect("something is asked");
    asked.judge(rows.to_vec()).0.holds
}

#[test]
fn people_are_alike_by_all_of_their_rows() {
    let rows = [(1, 0), (1, 1), (2, 1), (2, 0), (3, 0), (3, 0), (3, 0), (4, 0), (4, 0)];
    assert!(!holds("\"all\"", 2, &rows));
    assert!(holds("2", 2, &rows), "two rows or more of one look count the same");
    assert!(!holds("3", 2, &rows) && !holds("2", 3, &rows));
    assert!(holds("\"all\"", 2, &rows[..4]));
}

#[test]
fn a_number_of_known_rows_that_means_nothing_is_a_fault() {
    for known in ["0", "1", "2.5", "\"many\"", "\"3\"", "true"] {
        let text = format!(
            r#"{{ "models": [{{ "model": "k-anonymity", "parameters": {{ "k": 2 }} }}], "known_rows": {known} }}"#
        );
        let policy: Policy = serde_json::from_str(&text).expect("a policy");
        assert!(LinkedRows::of(&policy).is_err(), "{known}");
    }
    let policy: Policy = serde_json::from_str(r#"{ "models": [], "known_rows": 3 }"#).expect("a policy");
    assert!(LinkedRows::of(&policy).is_err());
}

fn policy(known: Value, models: &[(&str, u64)]) -> Policy {
    let rule = |(model, k): &(&str, u64)| Rule {
        model: model.to_string(),
        parameters: json!({ "k": k }).as_object().unwrap().clone(),
        sensitive: Vec::new(),
    };
    Policy { models: models.iter().map(rule).collect(), suppression: 0.0, known_rows: Some(known) }
}

#[test]
fn a_policy_promises_the_largest_k_for_a_number_of_rows_or_all() {
    let of = |known: Value, models: &[(&str, u64)]| match LinkedRows::of(&policy(known, models)) {
        Ok(asked) => Ok(asked.map(|asked| (asked.most, asked.k))),
        Err(fault) => Err(told(&[fault]).concat()),
    };
    let k = [("k-anonymity", 3)];
    assert_eq!(of(json!("all"), &k), Ok(Some((None, 3))));
    assert_eq!(of(json!(2), &k), Ok(Some((Some(2), 3))));
    assert_eq!(of(json!(3), &k), Ok(Some((Some(3), 3))));
    let number = "Policy: known-rows: the number of known rows is neither a whole number of at least 2 nor all";
    for known in [json!(1), json!(0), json!(-2), json!(2.5), json!("3"), json!("All"), json!(null), json!([2])] {
        assert_eq!(of(known.clone(), &k), Err(number.into()), "{known}");
    }
    assert_eq!(of(json!(2), &[("k-anonymity", 2), ("k-anonymity", 5), ("k-map", 9)]), Ok(Some((Some(2), 5))));
    assert_eq!(of(json!(2), &[("k-map", 9)]), Err("Policy: known-rows: the policy has no k".into()));
    assert!(LinkedRows::of(&Policy::default()).unwrap().is_none());
}

#[test]
fn the_promise_is_one_sentence() {
    let promise = |most, k| LinkedRows { most, k }.promise();
    assert_eq!(
        promise(None, 2),
        "On the quasi-identifiers, each person has the same published rows as at least 1 other person."
    );
    assert_eq!(
        promise(Some(4), 3),
        "Any 4 published rows of a person, or fewer, are on the quasi-identifiers also rows of at least 2 other people."
    );
}

#[test]
fn people_are_compared_in_any_order_of_their_rows() {
    let failing = |most, k, rows: &[(u64, u32)]| LinkedRows { most, k }.failing(rows.to_vec());
    // Persons 1 and 3 have two rows of look 5, persons 2 and 4 one of each.
    let rows = [(4, 6), (1, 5), (3, 5), (2, 5), (2, 6), (1, 5), (4, 5), (3, 5)];
    assert_eq!(failing(None, 1, &rows), (0, 4));
    assert_eq!(failing(None, 2, &rows), (0, 4));
    assert_eq!(failing(None, 3, &rows), (4, 4));
    // A third row of person 3 is one more than can be known.
    let more = [rows.as_slice(), &[(3, 5)]].concat();
    assert_eq!(failing(None, 2, &more), (2, 4));
    assert_eq!(failing(Some(3), 2, &more), (2, 4));
    assert_eq!(failing(Some(2), 2, &more), (0, 4));
    assert_eq!(failing(None, 2, &[]), (0, 0));
    let (model, fault) = LinkedRows { most: None, k: 2 }.judge(more);
    assert!(!model.holds && model.model == "known-rows" && model.sensitive.is_none() && model.classes_failing == 0);
    let expected = "Promise: known-rows: 2 of 4 people have the same rows as fewer than k people";
    assert_eq!(told(&[fault.unwrap()]), [expected]);
    let (model, fault) = LinkedRows { most: None, k: 2 }.judge(rows.to_vec());
    assert!(model.holds && fault.is_none());
}

/// Adds rows, each a pseudonym and the values of its quasi-identifiers; an empty text is a missing value.
fn add(sink: &mut LinkedRowsSink, rows: &[&[&str]]) {
    let mut columns = vec![Vec::new(); rows[0].len()];
    for row in rows {
        for ((text, encoder), column) in row.iter().zip(sink.encoders()).zip(&mut columns) {
            column.push(if text.is_empty() { MISSING } else { encoder.texts.intern(text) });
        }
    }
    sink.add(&columns, rows.len());
}

#[test]
fn each_row_is_a_person_and_a_look_and_rows_of_nobody_are_counted() {
    let mut sink = LinkedRowsSink::new(3);
    add(&mut sink, &[&["a", "1", "x"], &["b", "1", "x"], &["", "2", "x"], &["a", "2", "x"], &["", "", "x"]]);
    assert_eq!(sink.rows, [(1, 0), (2, 0), (1, 1)]);
    assert_eq!((sink.rows(), sink.unlinked()), (5, 2));
    add(&mut sink, &[&["b", "", "x"]]);
    assert_eq!(sink.rows[3..], [(2, 2)]);
    assert_eq!((sink.rows(), sink.unlinked()), (6, 2));
}

#[test]
fn a_look_stays_the_same_however_many_values_come_after_it() {
    let mut sink = LinkedRowsSink::new(3);
    add(&mut sink, &[&["a", "1", "x"]]);
    let others: Vec<String> = (0..20).map(|at| format!("y{at}")).collect();
    others.iter().for_each(|other| add(&mut sink, &[&["a", "1", other], &["a", "1", "x"]]));
    let looks: Vec<u32> = sink.rows.iter().skip(2).step_by(2).map(|(_, look)| *look).collect();
    assert_eq!(looks, [0; 20]);
    assert_eq!(sink.rows[39], (1, 20));
}

#[test]
fn the_next_table_has_the_same_people_and_other_looks() {
    let mut sink = LinkedRowsSink::new(2);
    add(&mut sink, &[&["a", "1"], &["b", "2"]]);
    let mut sink = sink.next_table(3);
    add(&mut sink, &[&["b", "1", "x"], &["c", "2", "x"], &["", "1", "x"], &["a", "3", "x"]]);
    assert_eq!(sink.rows, [(1, 0), (2, 1), (2, 2), (3, 3), (1, 4)]);
    let mut sink = sink.next_table(1);
    add(&mut sink, &[&["c"]]);
    assert_eq!(sink.rows[5..], [(3, 5)], "two looks and three came before");
    assert_eq!((sink.rows(), sink.unlinked()), (7, 1));
}

const PEOPLE: [&str; 5] = ["age", "person", "zip", "illness", "a"];

/// A release whose people have pseudonyms.
fn release(dir: &Path, rows: &[[&str; 5]]) -> Manifest {
    let mut manifest = small::manifest();
    let quasi = |name| small::column(name, Role::QuasiIdentifier, Technique::Generalized);
    let name = manifest.columns[0].clone();
    let illness = manifest.columns[2].clone();
    let note = small::column("a", Role::Insensitive, Technique::Retained);
    manifest.columns = vec![name, quasi("age"), small::people("person"), quasi("zip"), illness, note];
    manifest.policy = policy(json!("all"), &[("k-anonymity", 2)]);
    let lines = std::iter::once(&PEOPLE).chain(rows).map(|cells| cells.join(",") + "\n");
    small::write(dir, &mut manifest, &[("data.csv", &lines.collect::<String>())]);
    manifest
}

/// Two people with the same rows, and two with others.
fn alike() -> Vec<[String; 5]> {
    let row = |age: &str, letter: &str, zip: &str| [age.into(), person(letter), zip.into(), "flu".into(), "n".into()];
    vec![
        row("1", "a", "x"),
        row("1", "b", "x"),
        row("2", "c", "x"),
        row("1", "d", "x"),
        row("2", "d", "x"),
        row("1", "c", "x"),
    ]
}

/// What is said of those rows, after a change of the manifest, by `check` alone.
fn said(options: &Options<'_>, change: impl FnOnce(&Path, &mut Manifest)) -> Verdict {
    let folder = tempfile::tempdir().unwrap();
    let rows = alike();
    let rows: Vec<[&str; 5]> = rows.iter().map(|cells| cells.each_ref().map(String::as_str)).collect();
    let mut manifest = release(folder.path(), &rows);
    change(folder.path(), &mut manifest);
    let files = manifest.files.iter().collect();
    let open = |model: &str| NotChecked { model: model.into(), sensitive: None, promise: String::new() };
    let mut verdict = Verdict { not_checked: vec![open("k-anonymity"), open("k-map")], ..Verdict::default() };
    check(&Release::new(folder.path(), &manifest, files, None), options, &mut verdict).unwrap();
    verdict
}

fn open(verdict: &Verdict) -> Vec<&str> {
    verdict.not_checked.iter().map(|open| open.model.as_str()).collect()
}

#[test]
fn a_release_is_compared_by_pseudonym_and_quasi_identifiers() {
    let options = Options::default();
    let verdict = said(&options, |_, _| ());
    assert_eq!((verdict.models.len(), verdict.models[0].holds, verdict.faults.len()), (1, true, 0));
    assert_eq!(open(&verdict), ["k-map"], "a class has rows of k people, too");
    let verdict = said(&options, |_, manifest| manifest.policy = policy(json!(2), &[("k-anonymity", 3)]));
    assert_eq!(open(&verdict), ["k-anonymity", "k-map"]);
    assert!(!verdict.models[0].holds);
    let expected = "Promise: known-rows: 4 of 4 people have the same rows as fewer than k people";
    assert_eq!(told(&verdict.faults), [expected]);
    let verdict = said(&options, |_, manifest| manifest.policy.known_rows = None);
    assert_eq!((verdict.models.len(), verdict.faults.len(), open(&verdict).len()), (0, 0, 2));
    let verdict = said(&options, |_, manifest| manifest.policy.known_rows = Some(json!(1)));
    assert_eq!((verdict.models.len(), verdict.faults.len(), open(&verdict).len()), (0, 1, 2));
    let verdict = said(&options, |dir, _| std::fs::write(dir.join("data.csv"), "age\n1\n").unwrap());
    assert_eq!((verdict.models.len(), open(&verdict).len()), (0, 2));
    let expected = "Columns: the columns of data.csv are not the published columns of the manifest, in order";
    assert_eq!(told(&verdict.faults), [expected], "a question is not left out without a word");
}

#[test]
fn rows_are_compared_within_the_memory() {
    let within = |memory| said(&Options { memory: Some(memory), ..Options::default() }, |_, _| ());
    let verdict = within(6 * 32);
    assert_eq!((verdict.models.len(), open(&verdict)), (1, vec!["k-map"]));
    let verdict = within(6 * 32 - 1);
    assert_eq!((verdict.models.len(), open(&verdict)), (0, vec!["k-anonymity", "k-map", "known-rows"]));
    assert_eq!(verdict.not_checked[2].promise, LinkedRows { most: None, k: 2 }.promise());
    assert!(verdict.faults.is_empty());
}

#[test]
fn people_are_those_of_a_subject_with_pseudonyms_of_one_table() {
    let wanted = |change: fn(&mut Manifest)| {
        let folder = tempfile::tempdir().unwrap();
        let mut manifest = release(folder.path(), &[["1", "", "x", "flu", "n"]]);
        change(&mut manifest);
        wanted_columns(&Release::new(folder.path(), &manifest, Vec::new(), None))
    };
    assert_eq!(wanted(|_| ()), Some(vec![1, 0, 2]));
    assert_eq!(wanted(|manifest| manifest.columns[0].technique = Technique::Retained), Some(vec![2, 1, 3]));
    assert_eq!(wanted(|manifest| manifest.columns[2].role = Role::Identifier), None);
    assert_eq!(wanted(|manifest| manifest.columns[2].treatment = Some("blank".into())), None);
    assert_eq!(wanted(|manifest| manifest.columns[2].technique = Technique::Removed), None);
    assert_eq!(wanted(|manifest| manifest.two_tables = small::two_tables().two_tables), None);
    let verdict = said(&Options::default(), |_, manifest| manifest.columns[2].role = Role::Identifier);
    let expected = "Policy: known-rows: the release has no pseudonyms of people, so nothing links their rows";
    assert_eq!((told(&verdict.faults), verdict.models.len()), (vec![expected.to_string()], 0));
}

#[test]
fn a_release_that_promises_something_about_several_rows_is_verified_as_a_whole() {
    let verify = |change: fn(&mut Vec<[String; 5]>)| {
        let (folder, mut rows) = (tempfile::tempdir().unwrap(), alike());
        change(&mut rows);
        let rows: Vec<[&str; 5]> = rows.iter().map(|cells| cells.each_ref().map(String::as_str)).collect();
        release(folder.path(), &rows);
        crate::verify(folder.path(), &Options::default()).unwrap()
    };
    let verdict = verify(|_| ());
    assert_eq!(told(&verdict.faults), [""; 0]);
    let models: Vec<(&str, bool)> = verdict.models.iter().map(|model| (model.model.as_str(), model.holds)).collect();
    assert_eq!(models, [("k-anonymity", true), ("known-rows", true)]);
    // A row changes its owner: no class is another, but no one is like another.
    let verdict = verify(|rows| rows[3][1] = person("a"));
    let expected = "Promise: known-rows: 4 of 4 people have the same rows as fewer than k people";
    assert_eq!((told(&verdict.faults), verdict.verified), (vec![expected.to_string()], false));
}
