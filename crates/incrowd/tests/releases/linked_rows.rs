//! Several rows of one person: what an attacker with several of them finds, what is refused, and what is verified.

use std::fmt::Write;

use incrowd::attack::{AttackOptions, attack};
use incrowd::core::{KnownRows, Policy, Treatment};
use incrowd::{AnonymizeOptions, Declared, Error, KnownRowsFault, Manifest, VerifyOptions, anonymize, verify};
use incrowd_verify::{FaultKind, Options, verify_staged};

use super::support::Desk;

/// 400 people with one to four visits in eight districts and twelve months.
fn visits(desk: &Desk, policy: Policy) -> AnonymizeOptions {
    let mut text = String::from("person,month,district,age\n");
    let mut number = 7u64;
    let mut below = |end: u64| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) % end
    };
    for person in 0..400 {
        let age = 20 + below(60);
        for _ in 0..1 + below(4) {
            writeln!(text, "patient-{person:04},{},D{},{age}", 1 + below(12), below(8)).unwrap();
        }
    }
    std::fs::write(desk.path("visits.csv"), text).unwrap();
    AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: ["month", "district", "age"].map(String::from).to_vec(),
            subject: Some("person".into()),
            ..Declared::default()
        },
        treatments: [("person".to_string(), Treatment::Pseudonym)].into(),
        policy,
        bound: false,
        seed: Some(1),
        ..AnonymizeOptions::default()
    }
}

fn partial_history(desk: &Desk, release: &str) -> (f64, f64, Option<bool>) {
    let attacked = attack(&desk.engine, &desk.path(release), &AttackOptions::default()).unwrap();
    let found = attacked.attacks.iter().find(|one| one.attack == "partial-history").unwrap();
    (found.success, found.figure("worst").unwrap(), found.above)
}

#[test]
fn a_partial_history_is_found_when_rows_are_protected_and_not_when_people_are() {
    let desk = Desk::new();
    let source = |options: &AnonymizeOptions, name: &str| {
        anonymize(&desk.engine, &desk.source("visits.csv"), options, &desk.path(name))
    };
    let mut by_row = visits(&desk, Policy::k_anonymity(5));
    assert!(matches!(source(&by_row, "by-row"), Err(Error::LinkedRows { .. })));
    by_row.keep_identifying = vec!["person".into()];
    source(&by_row, "by-row").unwrap();
    let (success, worst, above) = partial_history(&desk, "by-row");
    assert!(success > 0.4 && worst == 1.0 && above.is_none(), "{success} {worst}");
    for (name, known) in [("two", KnownRows::AtMost(2)), ("three", KnownRows::AtMost(3)), ("all", KnownRows::All)] {
        let options = visits(&desk, Policy::k_anonymity(5).suppressing(0.05).knowing(known));
        let made = source(&options, name).unwrap();
        assert!(made.verified && made.classes > 40, "{name}: {}", made.classes);
        let (success, worst, above) = partial_history(&desk, name);
        assert!(success <= 0.2 && worst <= 0.2 + 1e-12 && above == Some(false), "{name}: {success} {worst}");
        let against = VerifyOptions { against: Some(desk.path("visits.csv")), ..VerifyOptions::default() };
        let verdict = verify(&desk.path(name), &against).unwrap();
        assert!(verdict.verified && verdict.not_checked.is_empty(), "{name}: {:?}", verdict.faults);
    }
}

#[test]
fn a_release_in_which_fewer_people_are_alike_than_promised_is_found_out() {
    let desk = Desk::new();
    let options = visits(&desk, Policy::k_anonymity(3).suppressing(0.05).knowing(KnownRows::All));
    anonymize(&desk.engine, &desk.source("visits.csv"), &options, &desk.path("release")).unwrap();
    let mut manifest = Manifest::read(&desk.path("release")).unwrap();
    let faults = |manifest: &Manifest| {
        let verdict = verify_staged(&desk.path("release"), manifest, &Options::default()).unwrap();
        verdict.faults.into_iter().map(|fault| fault.kind).collect::<Vec<_>>()
    };
    assert_eq!(faults(&manifest), []);
    manifest.policy.models[0].parameters.insert("k".into(), 400.into());
    assert!(faults(&manifest).contains(&FaultKind::Promise));
    manifest.policy.models[0].parameters.insert("k".into(), 3.into());
    for known in [serde_json::json!(1), serde_json::json!("some")] {
        manifest.policy.known_rows = Some(known);
        assert_eq!(faults(&manifest), [FaultKind::Policy]);
    }
    // A promise about linked rows, and nothing that links them.
    manifest.policy.known_rows = Some(serde_json::json!("all"));
    let subject = manifest.columns.iter_mut().find(|column| column.name == "person").unwrap();
    subject.treatment = Some("blank".into());
    assert!(faults(&manifest).contains(&FaultKind::Policy));
}

#[test]
fn known_rows_need_a_subject_with_pseudonyms_and_no_other_solver() {
    let desk = Desk::new();
    let options = visits(&desk, Policy::k_anonymity(3).knowing(KnownRows::AtMost(2)));
    let refused = |change: &dyn Fn(&mut AnonymizeOptions)| {
        let mut options = options.clone();
        change(&mut options);
        match anonymize(&desk.engine, &desk.source("visits.csv"), &options, &desk.path("release")).unwrap_err() {
            Error::KnownRowsRefused(why) => why,
            other => panic!("{other}"),
        }
    };
    assert_eq!(refused(&|options| options.treatments.clear()), KnownRowsFault::NotLinked);
    assert_eq!(refused(&|options| options.algorithm = "mondrian".into()), KnownRowsFault::OtherAlgorithm);
    let without_subject = |options: &mut AnonymizeOptions| {
        options.treatments.clear();
        options.declared.subject = None;
        options.declared.identifiers = vec!["person".into()];
        options.declared.rows_are_people = true;
    };
    assert_eq!(refused(&without_subject), KnownRowsFault::NoSubject);
    let nothing_suppressed = AnonymizeOptions { policy: Policy::k_anonymity(150).knowing(KnownRows::All), ..options };
    let error =
        anonymize(&desk.engine, &desk.source("visits.csv"), &nothing_suppressed, &desk.path("release")).unwrap_err();
    assert!(matches!(&error, Error::NotFound(_)), "{error}");
}

#[test]
fn households_are_alike_by_all_of_their_members() {
    let desk = Desk::new();
    let mut text = String::from("household,age,sex\n");
    for household in 0..120u64 {
        let (size, base) = (1 + household % 4, 30 + household % 7);
        for member in 0..size {
            writeln!(text, "house-{household:03},{},{}", base + member, ["f", "m"][(member % 2) as usize]).unwrap();
        }
    }
    std::fs::write(desk.path("visits.csv"), text).unwrap();
    let mut options = visits(&Desk::new(), Policy::k_anonymity(5).knowing(KnownRows::All));
    options.declared.quasi_identifiers = ["age", "sex"].map(String::from).to_vec();
    options.declared.subject = Some("household".into());
    options.treatments = [("household".to_string(), Treatment::Pseudonym)].into();
    let made = anonymize(&desk.engine, &desk.source("visits.csv"), &options, &desk.path("release")).unwrap();
    assert!(made.verified && made.suppressed_rows == 0);
    let (success, worst, _) = partial_history(&desk, "release");
    assert!(success <= 0.2 && worst <= 0.2 + 1e-12);
}
