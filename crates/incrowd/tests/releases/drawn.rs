//! Columns whose published cells are drawn at random for each person or row: what stays, what differs between releases, and
//! what the verifier recomputes.

use std::collections::BTreeMap;
use std::fmt::Write;

use chrono::NaiveDate;
use incrowd::core::{Policy, Treatment};
use incrowd::{AnonymizeOptions, Anonymized, Declared, VerifyOptions, anonymize, verify};
use incrowd_verify::FaultKind;

use super::support::Desk;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.into()).collect()
}

fn treatments(treatments: &[(&str, &str)]) -> BTreeMap<String, Treatment> {
    treatments.iter().map(|(column, treatment)| (column.to_string(), treatment.parse().unwrap())).collect()
}

/// 60 people with three stays in a hospital each. A person's stays are 10 and 21 days after the first one. The ward of a
/// row says whose it is, so that a test can find it again: it is published unchanged.
fn stays(desk: &Desk, subject: bool) -> AnonymizeOptions {
    let mut text = String::from("person,age,sex,ward,from,to,pay\n");
    for row in 0..180u64 {
        let (person, stay) = (row / 3, row % 3);
        let from =
            NaiveDate::from_ymd_opt(2023, 1, 1).unwrap() + chrono::Days::new(person * 5 + [0, 10, 21][stay as usize]);
        let to = from + chrono::Days::new(stay + 1);
        let (age, sex) = (20 + person % 3, ["f", "m"][(person / 3 % 2) as usize]);
        writeln!(text, "p{person:03},{age},{sex},w{person},{from},{},{}", to.format("%d.%m.%Y"), 1000 + person * 7)
            .unwrap();
    }
    std::fs::write(desk.path("stays.csv"), text).unwrap();
    AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: names(&["age", "sex"]),
            sensitive: names(&["ward", "from", "to", "pay"]),
            identifiers: if subject { Vec::new() } else { names(&["person"]) },
            subject: subject.then(|| "person".into()),
            rows_are_people: !subject,
            ..Declared::default()
        },
        treatments: treatments(&[("from", "shift:30"), ("to", "shift:30")]),
        keep_identifying: names(&["ward"]),
        policy: Policy::k_anonymity(5),
        algorithm: "mondrian".into(),
        bound: false,
        seed: Some(1),
        reading: incrowd::ReadOptions {
            date_formats: vec![("to".into(), "%d.%m.%Y".into())],
            ..incrowd::ReadOptions::default()
        },
        ..AnonymizeOptions::default()
    }
}

fn made(desk: &Desk, name: &str, options: &AnonymizeOptions) -> incrowd::Result<Anonymized> {
    let path = desk.path("stays.csv");
    let source = incrowd::Source::open(&desk.engine, &path.to_string_lossy(), options.reading.clone())?;
    anonymize(&desk.engine, &source, options, &desk.path(name))
}

/// The cells of two columns of a CSV file by a third one, those of a value in their order in the file.
fn by_ward(desk: &Desk, file: &str, columns: [&str; 2]) -> BTreeMap<String, Vec<[String; 2]>> {
    let text = std::fs::read_to_string(desk.path(file)).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| header.iter().position(|&other| other == name).unwrap();
    let mut found: BTreeMap<String, Vec<[String; 2]>> = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        found.entry(cells[at("ward")].into()).or_default().push(columns.map(|column| cells[at(column)].to_string()));
    }
    found
}

fn day(text: &str) -> i64 {
    let day = text.parse::<NaiveDate>().or_else(|_| NaiveDate::parse_from_str(text, "%d.%m.%Y")).unwrap();
    day.signed_duration_since(NaiveDate::default()).num_days()
}

/// By how many days each row of each person was moved in a release, in both columns.
fn moved(desk: &Desk, release: &str) -> BTreeMap<String, Vec<[i64; 2]>> {
    let days = |file: &str| {
        let sorted = |stays: Vec<[String; 2]>| {
            let mut days: Vec<[i64; 2]> = stays.iter().map(|stay| stay.each_ref().map(|text| day(text))).collect();
            days.sort_unstable();
            days
        };
        by_ward(desk, file, ["from", "to"]).into_iter().map(move |(ward, stays)| (ward, sorted(stays)))
    };
    let (before, after) = (days("stays.csv"), days(&format!("{release}/data.csv")).collect::<BTreeMap<_, _>>());
    let differences = |(ward, before): (String, Vec<[i64; 2]>)| {
        let stays = before.iter().zip(&after[&ward]).map(|(a, b)| [b[0] - a[0], b[1] - a[1]]).collect();
        (ward, stays)
    };
    before.map(differences).collect()
}

fn verdict(desk: &Desk) -> incrowd_verify::Verdict {
    let against = VerifyOptions { against: Some(desk.path("stays.csv")), ..VerifyOptions::default() };
    verify(&desk.path("release"), &against).unwrap()
}

#[test]
fn all_dates_of_a_person_move_by_one_number_of_days() {
    let desk = Desk::new();
    let anonymized = made(&desk, "release", &stays(&desk, true)).unwrap();
    assert!(anonymized.notes.iter().any(|note| note.contains("order and intervals stay")), "{:?}", anonymized.notes);
    let moved = moved(&desk, "release");
    for stays in moved.values() {
        let first = stays[0][0];
        assert!((-30..=30).contains(&first));
        assert_eq!(stays, &[[first; 2]; 3]);
    }
    let numbers: std::collections::BTreeSet<i64> = moved.values().map(|stays| stays[0][0]).collect();
    assert!(numbers.len() > 20, "60 people draw from 61 numbers: {numbers:?}");
    let verdict = verdict(&desk);
    assert!(verdict.verified, "{:?}", verdict.faults);
    assert!(!verdict.notes.iter().any(|note| note.contains("not compared")), "{:?}", verdict.notes);
}

#[test]
fn rows_of_nobody_move_each_by_their_own_number_of_days() {
    let desk = Desk::new();
    let anonymized = made(&desk, "release", &stays(&desk, false)).unwrap();
    assert!(anonymized.notes.iter().any(|note| note.contains("Each row has its own")), "{:?}", anonymized.notes);
    let intervals = |file: &str| -> Vec<i64> {
        by_ward(&desk, file, ["from", "to"]).into_values().flatten().map(|[from, to]| day(&to) - day(&from)).collect()
    };
    let sorted = |mut days: Vec<i64>| {
        days.sort_unstable();
        days
    };
    assert_eq!(
        sorted(intervals("stays.csv")),
        sorted(intervals("release/data.csv")),
        "both dates of a row move together"
    );
    let moves = |stays: &Vec<[i64; 2]>| stays.iter().any(|days| days != &stays[0]);
    assert!(moved(&desk, "release").values().filter(|stays| moves(stays)).count() > 50);
    assert!(verdict(&desk).verified);
}

#[test]
fn two_releases_move_dates_differently_and_a_repeated_one_the_same() {
    let desk = Desk::new();
    let options = stays(&desk, true);
    made(&desk, "first", &options).unwrap();
    made(&desk, "second", &options).unwrap();
    let (first, second) = (moved(&desk, "first"), moved(&desk, "second"));
    let alike = first.iter().filter(|(ward, days)| second[*ward] == **days).count();
    assert!(alike < 10, "of 60 people one is expected to move alike: {alike}");
    made(&desk, "third", &AnonymizeOptions { repeat: Some(desk.path("first.internal")), ..options }).unwrap();
    assert_eq!(first, moved(&desk, "third"));
}

#[test]
fn a_date_that_was_moved_otherwise_is_found_with_the_record_and_not_without() {
    let desk = Desk::new();
    made(&desk, "release", &stays(&desk, true)).unwrap();
    // Six rows go to another person of the same age and sex. Two people move alike once in 61 times, all six pairs never.
    let text = std::fs::read_to_string(desk.path("stays.csv")).unwrap();
    let exchanged =
        (0..6).fold(text, |text, person| text.replacen(&format!("p{person:03}"), &format!("p{:03}", person + 6), 1));
    std::fs::write(desk.path("stays.csv"), exchanged).unwrap();
    assert!(verdict(&desk).faults.iter().any(|fault| fault.kind == FaultKind::Untruthful));
    std::fs::rename(desk.path("release.internal"), desk.path("elsewhere")).unwrap();
    let options = VerifyOptions {
        against: Some(desk.path("stays.csv")),
        date_formats: vec![("to".into(), "%d.%m.%Y".into())],
        ..VerifyOptions::default()
    };
    let verdict = verify(&desk.path("release"), &options).unwrap();
    assert!(verdict.verified, "{:?}", verdict.faults);
    assert!(verdict.notes.iter().any(|note| note.contains("not compared")), "{:?}", verdict.notes);
}

#[test]
fn drawn_cells_are_verified_in_every_format() {
    let desk = Desk::new();
    for format in [incrowd::Format::Csv, incrowd::Format::Parquet, incrowd::Format::Arrow, incrowd::Format::Xlsx] {
        let options = AnonymizeOptions { format, force: true, ..stays(&desk, true) };
        made(&desk, "release", &options).unwrap();
        let verdict = verdict(&desk);
        assert!(verdict.verified, "{format:?} {:?}", verdict.faults);
    }
}

#[test]
fn numbers_are_rounded_at_random_or_get_noise_and_are_verified() {
    let desk = Desk::new();
    for (treatment, subject) in [
        ("random-round:100", true),
        ("random-round:100", false),
        ("bottom:1000,top:1300,random-round:50", true),
        ("laplace:300,round:10", true),
        ("laplace:300,round:10", false),
        ("normal:500,round:0.5", true),
    ] {
        for format in [incrowd::Format::Csv, incrowd::Format::Parquet] {
            let mut options = AnonymizeOptions { format, force: true, ..stays(&desk, subject) };
            options.treatments.insert("pay".into(), treatment.parse().unwrap());
            made(&desk, "release", &options).unwrap();
            let verdict = verdict(&desk);
            assert!(verdict.verified, "{treatment} {format:?} {:?}", verdict.faults);
        }
    }
}

#[test]
fn equal_numbers_of_a_person_get_the_same_noise_and_those_of_others_do_not() {
    let desk = Desk::new();
    let mut options = stays(&desk, true);
    options.treatments.insert("pay".into(), "laplace:100000,round:1".parse().unwrap());
    made(&desk, "release", &options).unwrap();
    let (before, after) =
        (by_ward(&desk, "stays.csv", ["pay", "age"]), by_ward(&desk, "release/data.csv", ["pay", "age"]));
    let mut noise = std::collections::BTreeSet::new();
    for (ward, rows) in &after {
        assert!(rows.iter().all(|[pay, _]| *pay == rows[0][0]), "{ward}: an average would show the number");
        noise.insert(rows[0][0].parse::<i64>().unwrap() - before[ward][0][0].parse::<i64>().unwrap());
    }
    assert!(noise.len() > 50, "{noise:?}");
}
