//! Several tables of the same people: released together or not at all, joined by nothing but the pseudonyms of people.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use incrowd::request::Plan;
use incrowd::{
    AnonymizeOptions, Error, LinkedAnonymized, LinkedTable, OpenedRelease, Publish, Result, TablesFault, VerifyOptions,
    anonymize_tables, verify,
};
use incrowd_verify::{FaultKind, TablesManifest};

use super::support::Desk;

const PLAN: &str = r#"
version = 1
[policy]
k = 4
suppress = 0.05
[solve]
seed = 1
[release]
report = false
[[table]]
name = "patients"
source = { path = "patients.csv" }
[[table.column]]
name = "id"
role = "subject"
treatment = "pseudonym"
[[table.column]]
names = ["age", "town"]
role = "quasi-identifier"
[[table]]
name = "visits"
source = { path = "visits.csv" }
[[table.column]]
name = "patient"
role = "subject"
treatment = "pseudonym"
[[table.column]]
name = "month"
role = "quasi-identifier"
[[table.column]]
name = "day"
role = "insensitive"
treatment = "shift:30"
keep_identifying = true
[[table.column]]
name = "illness"
role = "sensitive"
"#;

/// 200 patients with one to three visits each; the last ten have none.
fn tables(desk: &Desk) {
    let [mut patients, mut visits] = ["id,age,town\n", "patient,month,day,illness\n"].map(String::from);
    let mut number = 11u64;
    let mut below = |end: u64| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) % end
    };
    for person in 0..200u64 {
        let id = 470_000_000 + 101 * person;
        writeln!(patients, "{id},{},T{}", 20 + below(40), below(4)).unwrap();
        for _ in 0..if person < 190 { 1 + below(3) } else { 0 } {
            let day = 1 + below(28);
            writeln!(visits, "{id},{},2024-03-{day:02},{}", 1 + below(12), ["flu", "gout"][below(2) as usize]).unwrap();
        }
    }
    std::fs::write(desk.path("patients.csv"), patients).unwrap();
    std::fs::write(desk.path("visits.csv"), visits).unwrap();
}

fn opened(desk: &Desk, plan: &str) -> Vec<LinkedTable> {
    let plan = Plan::parse(plan).unwrap().seen_from(&desk.path(""));
    LinkedTable::open_all(&desk.engine, &plan).unwrap()
}

fn released(desk: &Desk, name: &str) -> Result<LinkedAnonymized> {
    anonymize_tables(&desk.engine, &opened(desk, PLAN), &desk.path(name))
}

fn column(file: &Path, name: &str) -> BTreeSet<String> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let place = reader.headers().unwrap().iter().position(|column| column == name).unwrap();
    reader.records().map(|row| row.unwrap()[place].to_string()).collect()
}

#[test]
fn people_have_one_pseudonym_in_all_tables_and_nothing_else_has() {
    let desk = Desk::new();
    tables(&desk);
    let made = released(&desk, "release").unwrap();
    assert!(made.verified && made.people == 200);
    let patients = column(&desk.path("release/patients/data.csv"), "id");
    let visits = column(&desk.path("release/visits/data.csv"), "patient");
    assert!(visits.is_subset(&patients) && visits.len() < patients.len() && visits.len() > 150);
    released(&desk, "again").unwrap();
    assert!(column(&desk.path("again/patients/data.csv"), "id").is_disjoint(&patients), "keys are drawn anew");
    for (name, original) in [("patients", "patients.csv"), ("visits", "visits.csv")] {
        let folder = desk.path("release").join(name);
        let against = Some(desk.path(original));
        let verdict = verify(&folder, &VerifyOptions { against, ..VerifyOptions::default() }).unwrap();
        assert!(verdict.verified && verdict.not_checked.is_empty(), "{name}: {:?}", verdict.faults);
        let record = OpenedRelease::open(&folder, None).unwrap();
        assert!(record.record().is_some(), "the record of a table is found in that of the release");
    }
}

#[test]
fn a_table_that_is_changed_exchanged_or_left_out_is_found() {
    let desk = Desk::new();
    tables(&desk);
    released(&desk, "release").unwrap();
    released(&desk, "other").unwrap();
    let kinds = || {
        let verdict = verify(&desk.path("release"), &VerifyOptions::default()).unwrap();
        assert_eq!(verdict.verified, verdict.faults.is_empty());
        verdict.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(), []);
    // A table of another release of the same people: valid, but its people have other pseudonyms.
    let (visits, kept, others) = (desk.path("release/visits"), desk.path("kept"), desk.path("other/visits"));
    std::fs::rename(&visits, &kept).unwrap();
    assert!(kinds().contains(&FaultKind::MissingFile));
    std::fs::rename(&others, &visits).unwrap();
    assert_eq!(kinds(), [FaultKind::Seal]);
    std::fs::rename(&visits, &others).unwrap();
    std::fs::rename(&kept, &visits).unwrap();
    std::fs::write(desk.path("release/notes.txt"), "x").unwrap();
    assert_eq!(kinds(), [FaultKind::ExtraFile]);
    std::fs::remove_file(desk.path("release/notes.txt")).unwrap();
    let data = desk.path("release/visits/data.csv");
    let text = std::fs::read_to_string(&data).unwrap();
    std::fs::write(&data, text.replacen(",flu", ",gou", 1)).unwrap();
    assert!(kinds().contains(&FaultKind::Checksum));
    std::fs::write(&data, text).unwrap();
    // More is promised than holds.
    let mut manifest = TablesManifest::read(&desk.path("release")).unwrap();
    manifest.policy.models[0].parameters.insert("k".into(), 100.into());
    std::fs::write(desk.path("release/manifest.json"), manifest.to_sealed_json()).unwrap();
    assert_eq!(kinds(), [FaultKind::Promise]);
    manifest.policy.known_rows = None;
    std::fs::write(desk.path("release/manifest.json"), manifest.to_sealed_json()).unwrap();
    assert_eq!(kinds(), [FaultKind::Policy]);
}

#[test]
fn tables_are_published_together_or_not_at_all() {
    let desk = Desk::new();
    tables(&desk);
    let refused = anonymize_tables(
        &desk.engine,
        &opened(&desk, &PLAN.replace("k = 4", "k = 150").replace("0.05", "0.0")),
        &desk.path("release"),
    );
    let refused = refused.unwrap_err();
    assert!(matches!(refused, Error::NotFound(_)) && refused.to_string().contains("visits: "), "{refused}");
    assert!(!desk.path("release").exists() && !desk.path("release.internal").exists());
    let made = released(&desk, "release").unwrap();
    assert_eq!(made.record, desk.path("release.internal"));
    assert!(matches!(released(&desk, "release"), Err(Error::ReleaseExists(_))));
    let mut tables = opened(&desk, PLAN);
    tables.iter_mut().for_each(|table| table.options.force = true);
    anonymize_tables(&desk.engine, &tables, &desk.path("release")).unwrap();
    std::fs::write(desk.path("release/visits/mine.txt"), "x").unwrap();
    let refused = anonymize_tables(&desk.engine, &tables, &desk.path("release"));
    assert!(matches!(refused, Err(Error::ForeignFiles { .. })), "somebody's file is in it");
    let left =
        std::fs::read_dir(desk.path("")).unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    assert!(!left.into_iter().any(|name| name.contains("partial")), "nothing is left behind");
}

#[test]
fn what_several_tables_cannot_have_is_refused() {
    let desk = Desk::new();
    tables(&desk);
    let refused = |change: &dyn Fn(&mut AnonymizeOptions), target: &str| {
        let mut tables = opened(&desk, PLAN);
        tables.iter_mut().for_each(|table| change(&mut table.options));
        match anonymize_tables(&desk.engine, &tables, Path::new(target)).unwrap_err() {
            Error::TablesRefused(fault) => fault,
            other => panic!("{other}"),
        }
    };
    let place = desk.path("release");
    let place = place.to_str().unwrap();
    assert_eq!(refused(&|_| {}, "s3://bucket/release"), TablesFault::OutputElsewhere);
    assert_eq!(refused(&|options| options.repeat = Some("r".into()), place), TablesFault::Repeat);
    assert_eq!(refused(&|options| options.ledger = Some("l".into()), place), TablesFault::Ledger);
    assert_eq!(refused(&|options| options.publish = Publish::TwoTables, place), TablesFault::TwoTables);
    let plan = Plan::parse(PLAN).unwrap();
    let one = plan.anonymize_options(Path::new("")).unwrap_err();
    assert!(matches!(one, Error::TablesRefused(TablesFault::OneTableAsked)) && one.code() == "IC535");
    let elsewhere =
        Plan::parse(&PLAN.replace("visits.csv", "s3://bucket/visits.csv")).unwrap().seen_from(&desk.path(""));
    let elsewhere = LinkedTable::open_all(&desk.engine, &elsewhere).unwrap_err();
    assert!(matches!(elsewhere, Error::TablesRefused(TablesFault::SourceElsewhere(_))), "{elsewhere}");
    // Subjects that are written differently: no person is in both tables.
    let visits = std::fs::read_to_string(desk.path("visits.csv")).unwrap();
    std::fs::write(desk.path("visits.csv"), visits.replace("\n47", "\n047")).unwrap();
    assert_eq!(refused(&|_| {}, place), TablesFault::NoSharedPeople("patients".into()));
    assert!(!desk.path("release").exists());
}

#[test]
fn a_question_about_one_table_names_it() {
    let desk = Desk::new();
    tables(&desk);
    released(&desk, "release").unwrap();
    let refused = OpenedRelease::open(&desk.path("release"), None).unwrap_err();
    assert_eq!(refused.code(), "IC633");
    let against = Some(desk.path("visits.csv"));
    let refused = verify(&desk.path("release"), &VerifyOptions { against, ..VerifyOptions::default() }).unwrap_err();
    assert_eq!(refused.code(), "IC633");
    let repeated = AnonymizeOptions {
        repeat: Some(desk.path("release.internal/visits")),
        ..opened(&desk, PLAN).remove(1).options
    };
    let refused =
        incrowd::anonymize(&desk.engine, &desk.source("visits.csv"), &repeated, &desk.path("again")).unwrap_err();
    assert_eq!(refused.code(), "IC540");
}
