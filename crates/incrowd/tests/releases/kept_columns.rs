//! Columns that are published unchanged, and identifiers that repeat: what is refused, and what reports say of the rest.

use std::fmt::Write;

use incrowd::core::{Parameters, Policy};
use incrowd::report::dossier::{InternalDossier, Standing, Test};
use incrowd::report::{ReportOptions, release_dossier};
use incrowd::{
    AnonymizeOptions, Anonymized, CheckOptions, Declared, DiagnoseOptions, Others, anonymize, check, diagnose,
};

use super::support::Desk;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.into()).collect()
}

/// A table of 200 people: a number of each, age and sex, a ward of two, a weight that nearly every row has for itself, a
/// salary that every row has for itself, a note in prose.
fn people(desk: &Desk) -> AnonymizeOptions {
    let mut text = String::from("person_id,age,sex,ward,fnlwgt,salary,remark\n");
    for row in 0..200u64 {
        let mixed = row * 7919 % 1009;
        let (age, sex, ward) = (20 + row % 4, ["f", "m"][(row / 4 % 2) as usize], ["A", "B"][(row / 8 % 2) as usize]);
        let remark = format!("spoke to the sister of number {row} about the bill");
        writeln!(text, "p{row:04},{age},{sex},{ward},{},{},{remark}", mixed, 30_000 + mixed).unwrap();
    }
    std::fs::write(desk.path("people.csv"), text).unwrap();
    AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: names(&["age", "sex"]),
            identifiers: names(&["person_id", "fnlwgt", "salary", "remark"]),
            insensitive: names(&["ward"]),
            ..Declared::default()
        },
        policy: Policy::k_anonymity(5),
        algorithm: "mondrian".into(),
        bound: false,
        seed: Some(1),
        ..AnonymizeOptions::default()
    }
}

fn made(desk: &Desk, table: &str, options: &AnonymizeOptions) -> incrowd::Result<Anonymized> {
    anonymize(&desk.engine, &desk.source(table), options, &desk.path("release"))
}

fn dossier(desk: &Desk) -> InternalDossier {
    let text = std::fs::read_to_string(desk.path("release.internal/dossier.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn standing(dossier: &InternalDossier, test: Test) -> (Standing, String) {
    let found = dossier.public.tests.iter().find(|one| one.test == test).unwrap();
    (found.standing, found.evidence.clone())
}

#[test]
fn columns_that_single_out_people_are_refused_unless_they_are_named() {
    let desk = Desk::new();
    let base = people(&desk);
    for (role, column) in [
        ("insensitive", "person_id"),
        ("insensitive", "fnlwgt"),
        ("insensitive", "remark"),
        ("sensitive", "person_id"),
        ("sensitive", "salary"),
        ("sensitive", "remark"),
    ] {
        let mut options = base.clone();
        options.declared.identifiers.retain(|name| name != column);
        let declared = &mut options.declared;
        if role == "sensitive" { &mut declared.sensitive } else { &mut declared.insensitive }.push(column.into());
        let refused = made(&desk, "people.csv", &options).unwrap_err();
        assert_eq!(refused.code(), "IC526", "{role} {column}: {refused}");
        assert!(
            refused.to_string().contains(column)
                && refused.remedy().written(incrowd::Setting::as_in_a_plan).contains("keep_identifying"),
            "{refused}"
        );
        assert!(!desk.path("release").exists(), "nothing was published");
        options.keep_identifying = vec![column.into()];
        options.force = true;
        let named = made(&desk, "people.csv", &options).unwrap();
        assert!(
            named.findings.iter().any(|one| one.code.code == "IC125" && one.columns == [column]),
            "{role} {column}"
        );
        for test in [Test::SinglingOut, Test::Linkability] {
            let (standing, evidence) = standing(&dossier(&desk), test);
            assert_eq!(standing, Standing::Fails, "{role} {column}");
            assert!(evidence.contains(column), "{evidence}");
        }
        std::fs::remove_dir_all(desk.path("release")).unwrap();
        std::fs::remove_dir_all(desk.path("release.internal")).unwrap();
    }
    let refused =
        made(&desk, "people.csv", &AnonymizeOptions { keep_identifying: names(&["age"]), ..base }).unwrap_err();
    assert_eq!(refused.code(), "IC504", "{refused}");
}

#[test]
fn everything_that_is_kept_by_default_is_refused_with_each_column_that_singles_out() {
    let desk = Desk::new();
    let mut options = AnonymizeOptions { others: Others::Keep, ..people(&desk) };
    (options.declared.identifiers, options.declared.insensitive) = (Vec::new(), Vec::new());
    let refused = made(&desk, "people.csv", &options).unwrap_err().to_string();
    for column in ["person_id", "fnlwgt", "salary", "remark"] {
        assert!(refused.contains(column), "{column}: {refused}");
    }
    assert!(!refused.contains("ward"), "{refused}");
}

#[test]
fn a_column_that_splits_classes_of_the_release_is_refused_before_it_is_published() {
    let desk = Desk::new();
    let mut options = people(&desk);
    // Ten values, none of them rare, and classes of ten: nearly every row is the only one of its kind.
    let mut text = String::from("person_id,age,sex,hobby\n");
    for row in 0..200u64 {
        writeln!(text, "p{row:04},{},{},{}", 20 + row % 10, ["f", "m"][(row / 10 % 2) as usize], row / 20).unwrap();
    }
    std::fs::write(desk.path("hobbies.csv"), text).unwrap();
    options.declared.identifiers = names(&["person_id"]);
    options.declared.insensitive = names(&["hobby"]);
    let refused = made(&desk, "hobbies.csv", &options).unwrap_err();
    assert_eq!(refused.code(), "IC526", "{refused}");
    assert!(refused.to_string().contains("unique on the quasi-identifiers and “hobby”"), "{refused}");
    assert!(!desk.path("release").exists() && !desk.path("release.internal").exists());
    (options.declared.sensitive, options.declared.insensitive) = (names(&["hobby"]), Vec::new());
    let released = made(&desk, "hobbies.csv", &options).unwrap();
    let found: Vec<_> = released.findings.iter().map(|one| (one.code.code, one.share)).collect();
    assert_eq!(found, [("IC126", Some(1.0))], "assumed to be unknown, and said so with its figure");
}

#[test]
fn the_three_questions_and_the_risk_count_every_column_that_an_attacker_could_know() {
    let desk = Desk::new();
    let options = people(&desk);
    made(&desk, "people.csv", &options).unwrap();
    let memory = dossier(&desk);
    // Four ages, two sexes, two wards: 200 rows in 16 classes of 12 or 13, if nothing is generalized.
    let smallest = memory.classes_after.as_ref().unwrap().k();
    assert!((5..=13).contains(&smallest), "{smallest}");
    assert_eq!(memory.classes_before.as_ref().unwrap().classes(), 16, "before counts the same columns");
    let (proved, evidence) = standing(&memory, Test::SinglingOut);
    assert_eq!((proved, evidence.contains("age, sex, ward")), (Standing::Proved, true), "{evidence}");
    let prosecutor = memory.attacks.iter().find(|one| one.attack == "prosecutor").unwrap();
    assert_eq!(prosecutor.figure("smallest_class"), Some(smallest as f64));
    let anew = ReportOptions { verify: true, ..ReportOptions::default() };
    let disk = release_dossier(&desk.engine, &desk.path("release"), &anew).unwrap();
    assert_eq!(memory.public.tests, disk.public.tests, "the written bytes say the same");
    assert_eq!(memory.classes_after, disk.classes_after);
}

#[test]
fn a_sensitive_column_without_a_rule_leaves_inference_unproved_and_is_named() {
    let desk = Desk::new();
    let mut options = people(&desk);
    (options.declared.sensitive, options.declared.insensitive) = (names(&["ward"]), Vec::new());
    made(&desk, "people.csv", &options).unwrap();
    let (standing_now, evidence) = standing(&dossier(&desk), Test::Inference);
    assert_eq!((standing_now, evidence.contains("ward")), (Standing::NotJudged, true), "{evidence}");
    let (_, evidence) = standing(&dossier(&desk), Test::SinglingOut);
    assert!(evidence.contains("assumed to be unknown to the attacker: ward"), "{evidence}");
    options.policy = Policy::k_anonymity(5).asking("p-sensitive", Parameters::from_iter([("p", 2)]), &["ward"]);
    options.force = true;
    made(&desk, "people.csv", &options).unwrap();
    assert_eq!(standing(&dossier(&desk), Test::Inference).0, Standing::Proved);
}

#[test]
fn the_headline_states_the_promises_and_the_risk_threshold() {
    let desk = Desk::new();
    let mut options = people(&desk);
    made(&desk, "people.csv", &options).unwrap();
    let conclusion = dossier(&desk).public.conclusion;
    let page = std::fs::read_to_string(desk.path("release/report.html")).unwrap();
    assert_eq!(conclusion.standing, Standing::Proved, "12 rows are enough for 9 %: {conclusion:?}");
    assert!(page.contains("verdict proved") && page.contains("is within the threshold of 9 %"));
    options.declared.insensitive = Vec::new();
    options.declared.identifiers.push("ward".into());
    std::fs::write(
        desk.path("few.csv"),
        std::fs::read_to_string(desk.path("people.csv")).unwrap().lines().take(25).collect::<Vec<_>>().join("\n"),
    )
    .unwrap();
    options.force = true;
    made(&desk, "few.csv", &options).unwrap();
    let conclusion = dossier(&desk).public.conclusion;
    let page = std::fs::read_to_string(desk.path("release/report.html")).unwrap();
    assert_eq!(conclusion.standing, Standing::Fails, "{conclusion:?}");
    assert!(conclusion.sentence.contains("keeps every promise") && conclusion.sentence.contains("above the threshold"));
    assert!(!page.contains("verdict proved") && page.contains("The re-identification risk is above the threshold."));
}

/// Visits of 60 patients, four each, all of a patient with the same quasi-identifiers; every class has five rows or more.
fn visits(desk: &Desk) -> AnonymizeOptions {
    let mut text = String::from("PatNr,age,sex,ward\n");
    for row in 0..240u64 {
        let patient = row / 4;
        writeln!(text, "{},{},{},{}", 1000 + patient, 20 + patient % 20, ["f", "m"][(patient % 2) as usize], row % 3)
            .unwrap();
    }
    std::fs::write(desk.path("visits.csv"), text).unwrap();
    AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: names(&["age", "sex"]),
            sensitive: names(&["ward"]),
            identifiers: names(&["PatNr"]),
            ..Declared::default()
        },
        ..people(desk)
    }
}

#[test]
fn a_table_of_visits_is_refused_until_somebody_says_who_its_rows_are_about() {
    let desk = Desk::new();
    let options = visits(&desk);
    let refused = made(&desk, "visits.csv", &options).unwrap_err();
    assert_eq!(refused.code(), "IC525");
    assert_eq!(refused.to_string(), "several rows may belong to one person: “PatNr” has 60 values in 240 rows");
    let mut others = options.clone();
    (others.declared.identifiers, others.others) = (Vec::new(), Others::Remove);
    assert_eq!(
        made(&desk, "visits.csv", &others).unwrap_err().code(),
        "IC525",
        "removed without a word, it repeats too"
    );

    let mut stated = options.clone();
    stated.declared.rows_are_people = true;
    made(&desk, "visits.csv", &stated).unwrap();
    let mut subject = AnonymizeOptions { force: true, ..options };
    (subject.declared.identifiers, subject.declared.subject) = (Vec::new(), Some("PatNr".into()));
    let counted = made(&desk, "visits.csv", &subject).unwrap();
    assert!(counted.smallest_class >= 5);
}

#[test]
fn surnames_may_repeat_and_missing_numbers_do_not_count() {
    let desk = Desk::new();
    let mut options = people(&desk);
    let mut text = String::from("surname,customer_no,age\n");
    for row in 0..40u64 {
        let number = if row % 4 == 0 { String::new() } else { format!("K{row}") };
        writeln!(text, "{},{number},{}", ["Miller", "Smith", "Jones"][(row % 3) as usize], 20 + row % 4).unwrap();
    }
    std::fs::write(desk.path("names.csv"), text).unwrap();
    let identifiers = names(&["surname", "customer_no"]);
    options.declared = Declared { quasi_identifiers: names(&["age"]), identifiers, ..Declared::default() };
    made(&desk, "names.csv", &options).unwrap();
}

#[test]
fn check_and_diagnose_count_the_same_and_both_find_an_identifier_that_repeats() {
    let desk = Desk::new();
    let declared = visits(&desk).declared;
    let source = desk.source("visits.csv");
    let mut bare = declared.clone();
    bare.identifiers.clear();
    let mut stated = declared.clone();
    stated.rows_are_people = true;
    let mut subject = bare.clone();
    subject.subject = Some("PatNr".into());
    for (declared, people, findings) in [(declared, 240, 1), (bare, 60, 0), (stated, 240, 0), (subject, 60, 0)] {
        let options = CheckOptions { declared: declared.clone(), ..CheckOptions::default() };
        let checked = check(&desk.engine, &source, &options).unwrap();
        let options = DiagnoseOptions { declared, k: Some(5), ..DiagnoseOptions::default() };
        let diagnosed = diagnose(&desk.engine, &source, &options).unwrap();
        assert_eq!((checked.diagnosis.people, diagnosed.people.unwrap_or(diagnosed.rows)), (people, people));
        assert_eq!((checked.diagnosis.k, checked.diagnosis.below), (diagnosed.k, diagnosed.rows_below_k.unwrap()));
        let found = checked.diagnosis.findings.iter().filter(|one| one.code.code == "IC210").count();
        assert_eq!((found, diagnosed.findings.len()), (findings, findings));
        assert!(findings == 0 || (!checked.safe && !diagnosed.is_clean()), "rows prove nothing about people");
    }
}
