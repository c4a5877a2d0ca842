//! Numbers that are published as the means of groups of rows, also when rows of a group are suppressed.

use std::collections::BTreeMap;
use std::fmt::Write;

use incrowd::core::Policy;
use incrowd::{AnonymizeOptions, Declared, Error, TreatmentFault, VerifyOptions, anonymize, verify};
use incrowd_verify::FaultKind;

use super::support::Desk;

/// 240 people, a few of them old and alone in their class, with salaries that are mostly different.
fn salaries(desk: &Desk, treatment: &str) -> AnonymizeOptions {
    let mut text = String::from("age,sex,pay,bonus\n");
    for row in 0..240u64 {
        let mixed = row * 7919 % 1009;
        let age = if row % 24 == 0 { 70 + row % 29 } else { 20 + mixed % 4 };
        writeln!(text, "{age},{},{}.5,{}", ["f", "m"][(mixed % 2) as usize], 1000 + mixed * 7, mixed % 13).unwrap();
    }
    std::fs::write(desk.path("pay.csv"), text).unwrap();
    AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: vec!["age".into(), "sex".into()],
            sensitive: vec!["pay".into(), "bonus".into()],
            ..Declared::default()
        },
        treatments: BTreeMap::from([("pay".into(), treatment.parse().unwrap())]),
        policy: Policy::k_anonymity(5).suppressing(0.05),
        algorithm: "incognito".into(),
        bound: false,
        seed: Some(1),
        ..AnonymizeOptions::default()
    }
}

/// How many rows of a release have each value of a column.
fn values(desk: &Desk, column: &str) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(desk.path("release/data.csv")).unwrap();
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|name| name == column).unwrap();
    let mut rows = BTreeMap::new();
    lines.for_each(|line| *rows.entry(line.split(',').nth(at).unwrap().to_string()).or_default() += 1);
    rows
}

fn verdict(desk: &Desk) -> incrowd_verify::Verdict {
    let against = VerifyOptions { against: Some(desk.path("pay.csv")), ..VerifyOptions::default() };
    verify(&desk.path("release"), &against).unwrap()
}

#[test]
fn every_published_mean_has_k_rows_although_rows_are_suppressed() {
    let desk = Desk::new();
    for k in [2, 3, 7, 50] {
        let options = AnonymizeOptions { force: true, ..salaries(&desk, &format!("microaggregate:{k},round:0.1")) };
        let made = anonymize(&desk.engine, &desk.source("pay.csv"), &options, &desk.path("release")).unwrap();
        assert!(made.suppressed_rows > 0, "the test is about suppressed rows");
        let means = values(&desk, "pay");
        assert!(means.values().all(|&rows| rows >= k), "{k}: {means:?}");
        assert!(means.len() > 240 / (3 * k), "{k}: {} groups", means.len());
        let verdict = verdict(&desk);
        assert!(verdict.verified, "{k}: {:?}", verdict.faults);
        assert!(!verdict.notes.iter().any(|note| note.contains("not compared")), "{:?}", verdict.notes);
    }
}

#[test]
fn a_salary_that_moved_to_another_group_is_found_with_the_record() {
    let desk = Desk::new();
    let options = salaries(&desk, "microaggregate:5,round:1");
    anonymize(&desk.engine, &desk.source("pay.csv"), &options, &desk.path("release")).unwrap();
    assert!(verdict(&desk).verified);
    let text = std::fs::read_to_string(desk.path("pay.csv")).unwrap();
    let line = text.lines().nth(2).unwrap().to_string();
    let pay = line.split(',').nth(2).unwrap();
    std::fs::write(desk.path("pay.csv"), text.replacen(&line, &line.replace(pay, "4000.5"), 1)).unwrap();
    assert!(verdict(&desk).faults.iter().any(|fault| fault.kind == FaultKind::Untruthful));
    std::fs::rename(desk.path("release.internal"), desk.path("elsewhere")).unwrap();
    assert!(verdict(&desk).notes.iter().any(|note| note.contains("the means of pay were not compared")));
}

#[test]
fn what_cannot_be_grouped_is_refused() {
    let desk = Desk::new();
    let made = |treatment: &str, column: &str| {
        let mut options = salaries(&desk, treatment);
        let treatment = options.treatments.remove("pay").unwrap();
        options.treatments.insert(column.into(), treatment);
        anonymize(&desk.engine, &desk.source("pay.csv"), &options, &desk.path("release")).unwrap_err()
    };
    let error = made("microaggregate:241,round:1", "pay");
    assert!(matches!(error, Error::TreatmentRefused { why: TreatmentFault::TooFewRows, .. }), "{error}");
    // Whole numbers have no mean with a fraction in a file with types; in a text they have.
    assert_eq!(made("microaggregate:3,round:1", "sex").code(), "IC533");
}
