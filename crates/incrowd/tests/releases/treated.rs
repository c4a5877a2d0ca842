//! Treated columns: what a release contains, what verifies it, what links two releases, and what is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use incrowd::core::{Policy, Treatment};
use incrowd::{AnonymizeOptions, Anonymized, Declared, Error, TreatmentFault, VerifyOptions, anonymize, verify};
use incrowd_verify::FaultKind;

use super::support::Desk;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.into()).collect()
}

fn treatments(treatments: &[(&str, &str)]) -> BTreeMap<String, Treatment> {
    treatments.iter().map(|(column, treatment)| (column.to_string(), treatment.parse().unwrap())).collect()
}

/// 60 people with two visits each, whose quasi-identifiers do not change; one more row is of nobody.
fn visits(desk: &Desk) -> AnonymizeOptions {
    let mut text = String::from("person,age,sex,phone,remark,ward\n");
    for row in 0..121u64 {
        let person = row / 2;
        let (age, sex, ward) = (20 + person % 3, ["f", "m"][(person / 3 % 2) as usize], ["A", "B"][(row % 2) as usize]);
        let number = if row == 120 { String::new() } else { format!("patient-{person:04}") };
        writeln!(text, "{number},{age},{sex},089{}55,saw the sister of patient {person},{ward}", 40_000 + person)
            .unwrap();
    }
    std::fs::write(desk.path("visits.csv"), text).unwrap();
    AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: names(&["age", "sex"]),
            insensitive: names(&["phone", "ward"]),
            sensitive: names(&["remark"]),
            subject: Some("person".into()),
            ..Declared::default()
        },
        treatments: treatments(&[("person", "pseudonym"), ("phone", "mask:3"), ("remark", "blank")]),
        policy: Policy::k_anonymity(5),
        algorithm: "mondrian".into(),
        bound: false,
        seed: Some(1),
        ..AnonymizeOptions::default()
    }
}

fn made(desk: &Desk, name: &str, options: &AnonymizeOptions) -> incrowd::Result<Anonymized> {
    anonymize(&desk.engine, &desk.source("visits.csv"), options, &desk.path(name))
}

/// The cells of a column of a release, in the order of the rows.
fn cells(desk: &Desk, release: &str, column: &str) -> Vec<String> {
    let text = std::fs::read_to_string(desk.path(release).join("data.csv")).unwrap();
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|name| name == column).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().to_string()).collect()
}

#[test]
fn a_release_has_pseudonyms_masks_and_blanks_and_is_verified_against_the_original() {
    let desk = Desk::new();
    let anonymized = made(&desk, "release", &visits(&desk)).unwrap();
    assert!(anonymized.notes.iter().any(|note| note.contains("Rows with the same pseudonym are linked")));
    let mut rows: BTreeMap<String, usize> = BTreeMap::new();
    for pseudonym in cells(&desk, "release", "person") {
        *rows.entry(pseudonym).or_default() += 1;
    }
    assert_eq!(rows.remove(""), Some(1), "a missing value stays missing");
    assert_eq!(rows.len(), 60);
    assert_eq!(rows.values().filter(|&&rows| rows == 2).count(), 60, "the same person has the same pseudonym");
    assert!(cells(&desk, "release", "phone").iter().all(|cell| cell == "089*"));
    assert!(cells(&desk, "release", "remark").iter().all(String::is_empty));
    let against = VerifyOptions { against: Some(desk.path("visits.csv")), ..VerifyOptions::default() };
    let verdict = verify(&desk.path("release"), &against).unwrap();
    assert!(verdict.verified, "{:?}", verdict.faults);
    assert!(!verdict.notes.iter().any(|note| note.contains("not compared")), "the record has the key");
}

#[test]
fn pseudonyms_of_two_releases_have_nothing_in_common() {
    let desk = Desk::new();
    let options = visits(&desk);
    made(&desk, "first", &options).unwrap();
    made(&desk, "second", &options).unwrap();
    let [first, second] = ["first", "second"].map(|release| {
        cells(&desk, release, "person").into_iter().filter(|cell| !cell.is_empty()).collect::<BTreeSet<_>>()
    });
    assert_eq!((first.len(), second.len()), (60, 60));
    // An attacker who joins by equal texts, by equal beginnings of them, or by their order finds no more than by chance.
    assert!(first.is_disjoint(&second));
    let starts = |all: &BTreeSet<String>| all.iter().map(|one| one[..6].to_string()).collect::<BTreeSet<_>>();
    assert!(starts(&first).is_disjoint(&starts(&second)));
    let key = |release: &str| -> [u8; 32] {
        let text = std::fs::read_to_string(desk.path(&format!("{release}.internal")).join("record.json")).unwrap();
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        let hex = record["randomness"]["key"].as_str().unwrap().to_string();
        std::array::from_fn(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
    };
    assert_ne!(key("first"), key("second"));
    let public = std::fs::read(desk.path("first").join("data.csv")).unwrap();
    assert!(!public.windows(32).any(|bytes| bytes == key("first")));
}

#[test]
fn digits_become_digits_of_the_same_length_and_link_the_same_rows() {
    let desk = Desk::new();
    let mut options = visits(&desk);
    options.treatments.insert("person".into(), Treatment::PseudonymDigits);
    let error = made(&desk, "release", &options).unwrap_err();
    assert_eq!(error.code(), "IC533", "patient-0001 has letters: {error}");
    let text = std::fs::read_to_string(desk.path("visits.csv")).unwrap();
    std::fs::write(desk.path("visits.csv"), text.replace("patient-", "49170")).unwrap();
    let mut seen = BTreeSet::new();
    for (release, format) in [("first", incrowd::Format::Csv), ("second", incrowd::Format::Parquet)] {
        made(&desk, release, &AnonymizeOptions { format, ..options.clone() }).unwrap();
        let against = VerifyOptions { against: Some(desk.path("visits.csv")), ..VerifyOptions::default() };
        let verdict = verify(&desk.path(release), &against).unwrap();
        assert!(verdict.verified, "{:?}", verdict.faults);
        assert!(!verdict.notes.iter().any(|note| note.contains("not compared")), "{:?}", verdict.notes);
    }
    for cell in cells(&desk, "first", "person").into_iter().filter(|cell| !cell.is_empty()) {
        assert!(cell.len() == 9 && cell.bytes().all(|byte| byte.is_ascii_digit()), "{cell}");
        seen.insert(cell);
    }
    assert_eq!(seen.len(), 60, "different people have different pseudonyms");
}

#[test]
fn a_release_that_is_repeated_has_the_same_pseudonyms() {
    let desk = Desk::new();
    let options = visits(&desk);
    made(&desk, "first", &options).unwrap();
    let again = AnonymizeOptions { repeat: Some(desk.path("first.internal")), ..options };
    made(&desk, "second", &again).unwrap();
    assert_eq!(cells(&desk, "first", "person"), cells(&desk, "second", "person"));
}

#[test]
fn a_pseudonym_of_another_person_is_found_with_the_record_and_not_without() {
    let desk = Desk::new();
    made(&desk, "release", &visits(&desk)).unwrap();
    let against = |record: bool| {
        let folder = if record { "release.internal" } else { "nowhere" };
        let record = Some(desk.path(folder)).filter(|_| record);
        let options = VerifyOptions { against: Some(desk.path("visits.csv")), record, ..VerifyOptions::default() };
        verify(&desk.path("release"), &options).unwrap()
    };
    assert!(against(true).verified);
    // The same release without its record: pseudonyms cannot be computed, and the verdict says so.
    std::fs::rename(desk.path("release.internal"), desk.path("elsewhere")).unwrap();
    let verdict = against(false);
    assert!(verdict.verified, "{:?}", verdict.faults);
    assert!(verdict.notes.iter().any(|note| note.contains("not compared")), "{:?}", verdict.notes);
    // Another original in which one visit is another person's: the record shows it.
    std::fs::rename(desk.path("elsewhere"), desk.path("release.internal")).unwrap();
    let text = std::fs::read_to_string(desk.path("visits.csv")).unwrap();
    std::fs::write(desk.path("visits.csv"), text.replacen("patient-0003", "patient-0009", 1)).unwrap();
    let verdict = against(true);
    assert!(verdict.faults.iter().any(|fault| fault.kind == FaultKind::Untruthful), "{:?}", verdict.faults);
}

#[test]
fn pseudonyms_that_link_rows_to_unique_histories_are_refused() {
    let desk = Desk::new();
    let mut options = visits(&desk);
    // Each visit of a person has another age: the pair of rows reveals more than either.
    let mut text = String::from("person,age,sex,phone,remark,ward\n");
    for person in 0..60u64 {
        writeln!(text, "patient-{person:04},{},f,08940000,x,A", 20 + person % 8).unwrap();
        writeln!(text, "patient-{person:04},{},f,08940000,x,A", 20 + person / 8).unwrap();
    }
    std::fs::write(desk.path("visits.csv"), text).unwrap();
    let error = made(&desk, "release", &options).unwrap_err();
    assert!(matches!(&error, Error::LinkedRows { columns, .. } if columns == &["person"]), "{error}");
    options.keep_identifying = names(&["person"]);
    let anonymized = made(&desk, "release", &options).unwrap();
    assert!(anonymized.findings.iter().any(|finding| finding.code.code == "IC127"), "{:?}", anonymized.findings);
}

#[test]
fn a_treatment_that_does_not_suit_its_column_is_refused() {
    let desk = Desk::new();
    let options = visits(&desk);
    let refused = |treated: &[(&str, &str)], change: &dyn Fn(&mut AnonymizeOptions)| {
        let mut options = AnonymizeOptions { treatments: treatments(treated), ..options.clone() };
        change(&mut options);
        match made(&desk, "release", &options).unwrap_err() {
            Error::TreatmentRefused { why, .. } => why,
            other => panic!("{other}"),
        }
    };
    let unchanged = |_: &mut AnonymizeOptions| {};
    assert_eq!(refused(&[("age", "blank")], &unchanged), TreatmentFault::QuasiIdentifier);
    assert_eq!(refused(&[("person", "mask:2")], &unchanged), TreatmentFault::OfPeople);
    assert_eq!(refused(&[("ward", "pseudonym")], &unchanged), TreatmentFault::OfValues);
    let without_role = |options: &mut AnonymizeOptions| {
        options.declared.insensitive.clear();
        options.others = incrowd::Others::Remove;
    };
    assert_eq!(refused(&[("ward", "blank")], &without_role), TreatmentFault::NoRole);
    let with_rule = |options: &mut AnonymizeOptions| {
        let json = r#"{ "model": "distinct-l-diversity", "parameters": { "l": 2 }, "sensitive": ["remark"] }"#;
        options.policy.models.push(serde_json::from_str(json).unwrap());
    };
    assert_eq!(refused(&[("remark", "blank")], &with_rule), TreatmentFault::Protected);
}

#[test]
fn a_treated_column_is_written_in_every_format() {
    let desk = Desk::new();
    for format in [incrowd::Format::Csv, incrowd::Format::Parquet, incrowd::Format::Arrow, incrowd::Format::Xlsx] {
        let options = AnonymizeOptions { format, force: true, ..visits(&desk) };
        assert!(made(&desk, "release", &options).unwrap().verified);
        let against = VerifyOptions { against: Some(desk.path("visits.csv")), ..VerifyOptions::default() };
        let verdict = verify(&desk.path("release"), &against).unwrap();
        assert!(verdict.verified, "{format:?} {:?}", verdict.faults);
    }
}

#[test]
fn numbers_are_rounded_and_coded_and_verified_against_the_original() {
    let desk = Desk::new();
    let mut text = String::from("age;sex;salary;bonus;visits\n");
    for row in 0..200u64 {
        let (age, sex) = (20 + row % 4, ["f", "m"][(row / 4 % 2) as usize]);
        let (thousands, rest) = (30 + row * 7 % 200, row * 7919 % 1000);
        writeln!(text, "{age};{sex};{thousands}.{rest:03},50;{}.5;{}", row % 37, row % 9).unwrap();
    }
    std::fs::write(desk.path("visits.csv"), text).unwrap();
    let reading = incrowd::ReadOptions {
        delimiter: Some(b';'),
        decimal_commas: names(&["salary"]),
        ..incrowd::ReadOptions::default()
    };
    let source =
        incrowd::Source::open(&desk.engine, &desk.path("visits.csv").to_string_lossy(), reading.clone()).unwrap();
    for format in [incrowd::Format::Csv, incrowd::Format::Parquet] {
        let options = AnonymizeOptions {
            declared: Declared {
                quasi_identifiers: names(&["age", "sex"]),
                sensitive: names(&["salary", "bonus"]),
                insensitive: names(&["visits"]),
                ..Declared::default()
            },
            treatments: treatments(&[
                ("salary", "top:200000,round:10000"),
                ("bonus", "bins:10"),
                ("visits", "bottom:3"),
            ]),
            policy: Policy::k_anonymity(5),
            algorithm: "mondrian".into(),
            bound: false,
            seed: Some(1),
            reading: reading.clone(),
            format,
            force: true,
            ..AnonymizeOptions::default()
        };
        anonymize(&desk.engine, &source, &options, &desk.path("release")).unwrap();
        let against = VerifyOptions { against: Some(desk.path("visits.csv")), ..VerifyOptions::default() };
        let verdict = verify(&desk.path("release"), &against).unwrap();
        assert!(verdict.verified, "{format:?} {:?}", verdict.faults);
    }
}
