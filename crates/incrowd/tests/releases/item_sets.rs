//! Sets of items: any few that are published together have enough rows, also when rows are suppressed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use incrowd::core::Policy;
use incrowd::request::HierarchyPlan;
use incrowd::{AnonymizeOptions, Declared, Error, HierarchyChoice, TreatmentFault, VerifyOptions, anonymize, verify};
use incrowd_verify::FaultKind;

use super::support::Desk;

const HIERARCHY: &str = "flu;infection;*\nmeasles;infection;*\nborreliosis;infection;*\nasthma;airways;*\nbronchitis;\
                         airways;*\ndiabetes;metabolism;*\nporphyria;metabolism;*\ngout;metabolism;*\n";
const ITEMS: [&str; 8] = ["flu", "asthma", "diabetes", "bronchitis", "gout", "measles", "borreliosis", "porphyria"];

/// People with sets of illnesses, the last of the list rare, and a few people who are alone in their class.
fn patients(desk: &Desk, rows: u64, seed: u64, treatment: &str) -> AnonymizeOptions {
    let mut state = seed;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut text = String::from("age,sex,illnesses\n");
    for row in 0..rows {
        let age = if row % 24 == 0 { 70 + row % 29 } else { 20 + next(4) };
        let mut cell: Vec<&str> = (0..next(4)).map(|_| ITEMS[(next(8) * next(8) / 8) as usize]).collect();
        if row % 40 == 7 {
            cell.push(ITEMS[(5 + next(3)) as usize]);
        }
        writeln!(text, "{age},{},{}", ["f", "m"][next(2) as usize], cell.join("; ")).unwrap();
    }
    std::fs::write(desk.path("patients.csv"), text).unwrap();
    AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: vec!["age".into(), "sex".into()],
            sensitive: vec!["illnesses".into()],
            ..Declared::default()
        },
        treatments: BTreeMap::from([("illnesses".into(), treatment.parse().unwrap())]),
        policy: Policy::k_anonymity(5).suppressing(0.05),
        algorithm: "incognito".into(),
        bound: false,
        force: true,
        seed: Some(1),
        ..AnonymizeOptions::default()
    }
}

fn along_hierarchy(desk: &Desk, options: AnonymizeOptions) -> AnonymizeOptions {
    std::fs::write(desk.path("illnesses.csv"), HIERARCHY).unwrap();
    let choice = HierarchyChoice { plan: HierarchyPlan::File("illnesses.csv".into()), folder: desk.path("") };
    AnonymizeOptions { hierarchies: BTreeMap::from([("illnesses".into(), choice)]), ..options }
}

/// The sets of a file, literally: the last cell of each line, split.
fn sets(desk: &Desk, file: &str) -> Vec<BTreeSet<String>> {
    let text = std::fs::read_to_string(desk.path(file)).unwrap();
    let cell = |line: &str| line.split(',').nth(2).unwrap().to_string();
    let items = |cell: String| {
        cell.split(';').map(|item| item.trim().into()).filter(|item: &String| !item.is_empty()).collect()
    };
    text.lines().skip(1).map(cell).map(items).collect()
}

/// The fewest rows that have up to two or three items of a row, each looked for in every row.
fn fewest(sets: &[BTreeSet<String>], known: usize) -> usize {
    let mut fewest = usize::MAX;
    for set in sets {
        let items: Vec<&String> = set.iter().collect();
        for part in 1u32..1 << items.len() {
            let chosen: Vec<&String> = (0..items.len()).filter(|at| part >> at & 1 == 1).map(|at| items[at]).collect();
            if chosen.len() <= known {
                let rows = sets.iter().filter(|set| chosen.iter().all(|item| set.contains(*item))).count();
                fewest = fewest.min(rows);
            }
        }
    }
    fewest
}

fn verdict(desk: &Desk) -> incrowd_verify::Verdict {
    let against = VerifyOptions { against: Some(desk.path("patients.csv")), ..VerifyOptions::default() };
    verify(&desk.path("release"), &against).unwrap()
}

#[test]
fn any_few_published_items_have_k_rows_and_the_verifier_agrees_with_a_literal_count() {
    let desk = Desk::new();
    let mut suppressed = 0;
    for (seed, k, known) in [(1, 20, 1), (2, 5, 2), (3, 3, 3), (4, 12, 2), (5, 4, 2), (6, 30, 1)] {
        let options = patients(&desk, 240, seed, &format!("items:{k},known:{known},split:;"));
        for options in [options.clone(), along_hierarchy(&desk, options)] {
            let made = anonymize(&desk.engine, &desk.source("patients.csv"), &options, &desk.path("release")).unwrap();
            suppressed += made.suppressed_rows;
            let published = sets(&desk, "release/data.csv");
            assert!(fewest(&published, known) >= k, "seed {seed}: {published:?}");
            assert!(fewest(&sets(&desk, "patients.csv"), known) < k, "the original does not keep the rule");
            let verdict = verdict(&desk);
            assert!(verdict.verified, "seed {seed}: {:?}", verdict.faults);
            assert!(!verdict.notes.iter().any(|note| note.contains("not compared")), "{:?}", verdict.notes);
        }
        let labels: BTreeSet<String> = sets(&desk, "release/data.csv").into_iter().flatten().collect();
        let hidden = ["porphyria", "borreliosis"].iter().filter(|&&item| !labels.contains(item));
        let text = std::fs::read_to_string(desk.path("release/data.csv")).unwrap();
        hidden.for_each(|item| assert!(!text.contains(item), "{item}"));
    }
    assert!(suppressed > 0, "the test is about suppressed rows, too");
}

#[test]
fn a_set_with_another_item_is_found_by_the_verifier() {
    let desk = Desk::new();
    let options = along_hierarchy(&desk, patients(&desk, 240, 2, "items:5,known:2,split:;"));
    anonymize(&desk.engine, &desk.source("patients.csv"), &options, &desk.path("release")).unwrap();
    assert!(verdict(&desk).verified);
    let text = std::fs::read_to_string(desk.path("patients.csv")).unwrap();
    let line = text.lines().find(|line| line.ends_with("diabetes")).unwrap().to_string();
    std::fs::write(desk.path("patients.csv"), text.replacen(&line, &line.replace("diabetes", "flu"), 1)).unwrap();
    assert!(verdict(&desk).faults.iter().any(|fault| fault.kind == FaultKind::Untruthful));
    std::fs::rename(desk.path("release.internal"), desk.path("elsewhere")).unwrap();
    assert!(verdict(&desk).notes.iter().any(|note| note.contains("the sets of illnesses were not compared")));
}

#[test]
fn sets_that_cannot_be_protected_are_refused_with_the_reason() {
    let desk = Desk::new();
    let release = |options: &AnonymizeOptions| {
        anonymize(&desk.engine, &desk.source("patients.csv"), options, &desk.path("release")).err()
    };
    let why = |error: Option<Error>| match error {
        Some(Error::TreatmentRefused { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    let options = patients(&desk, 240, 1, "items:300,known:2,split:;");
    assert_eq!(why(release(&options)), TreatmentFault::FewSets);
    let options = along_hierarchy(&desk, patients(&desk, 240, 1, "items:5,known:2,split:;"));
    std::fs::write(desk.path("illnesses.csv"), HIERARCHY.replace("airways", "\"lungs; throat\"")).unwrap();
    assert_eq!(why(release(&options)), TreatmentFault::SeparatorInLabel);
    std::fs::write(desk.path("illnesses.csv"), HIERARCHY.replace("gout", "rheumatism")).unwrap();
    assert!(matches!(release(&options), Some(Error::HierarchyOf { .. })), "an item that the hierarchy lacks");
    let many: String = (0..200).map(|item| format!("i{item};")).collect();
    std::fs::write(desk.path("patients.csv"), format!("age,sex,illnesses\n{}", format!("20,f,{many}\n").repeat(20)))
        .unwrap();
    let options = AnonymizeOptions {
        treatments: BTreeMap::from([("illnesses".into(), "items:5,known:5,split:;".parse().unwrap())]),
        hierarchies: BTreeMap::new(),
        ..options
    };
    assert_eq!(why(release(&options)), TreatmentFault::ManyCombinations);
}
