//! Core, solver, verifier and a literal oracle on generated tables of people (or households) with several rows, and on
//! several tables of the same people.
//!
//! ```console
//! $ INCROWD_HISTORY_CASES=20000 INCROWD_LINKED_CASES=5000 cargo nextest run --test histories --no-capture
//! ```
//!
//! runs these numbers of cases (80 and 60 without the variables) and prints what came of them. The oracle reads the published
//! files as texts and shares no code with the program.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod histories {
    pub(crate) mod case;
    pub(crate) mod linked;
    pub(crate) mod oracle;
}

use std::path::Path;

use histories::case::Case;
use histories::linked::{LinkedCase, fewest_alike_in_all, fewest_matches_in_all};
use histories::oracle::{fewest_alike, fewest_matches, published};
use incrowd::core::{AlikePeople, KnownRows, PersonRows};
use incrowd::{Engine, ReadOptions, Settings, Source, VerifyOptions, anonymize, anonymize_tables, verify};
use incrowd_verify::{Manifest, Options, TablesManifest, verify_links, verify_staged};

/// What came of the cases.
#[derive(Debug, Default)]
struct Outcomes {
    released: usize,
    with_suppressed_rows: usize,
    not_found: usize,
    verdicts: usize,
    verdicts_against: usize,
    literal: usize,
}

#[test]
fn core_solver_verifier_and_oracle_agree() {
    let cases = std::env::var("INCROWD_HISTORY_CASES").map_or(80, |cases| cases.parse().unwrap());
    let engine = Engine::new(&Settings { threads: Some(1), ..Settings::default() }).unwrap();
    let mut outcomes = Outcomes::default();
    for number in 0..cases {
        let folder = tempfile::tempdir().unwrap();
        run(&engine, &Case::draw(number), number, folder.path(), &mut outcomes);
    }
    println!("{cases} cases: {outcomes:?}");
    assert!(outcomes.released > 0 && outcomes.with_suppressed_rows > 0 && outcomes.not_found > 0);
    assert!(outcomes.verdicts_against > 0 && outcomes.verdicts_against < outcomes.verdicts && outcomes.literal > 0);
}

fn run(engine: &Engine, case: &Case, number: u64, folder: &Path, outcomes: &mut Outcomes) {
    let (table, release) = (folder.join("table.csv"), folder.join("release"));
    std::fs::write(&table, &case.text).unwrap();
    let source = Source::open(engine, table.to_str().unwrap(), ReadOptions::default()).unwrap();
    match anonymize(engine, &source, &case.options(), &release) {
        Ok(made) => outcomes.with_suppressed_rows += usize::from(made.suppressed_rows > 0),
        Err(error) => {
            assert_eq!(error.code(), "IC625", "case {number}: {error}");
            outcomes.not_found += 1;
            return;
        }
    }
    outcomes.released += 1;
    let people = published(&release.join("data.csv"));
    assert!(fewest_alike(&people, case.known) >= case.k, "case {number}: the oracle refutes the release");
    let verdict = verify(&release, &VerifyOptions { against: Some(table), ..VerifyOptions::default() }).unwrap();
    assert!(verdict.verified && verdict.not_checked.is_empty(), "case {number}: {:?}", verdict.faults);
    assert!(verdict.models.iter().any(|model| model.model == "known-rows" && model.holds), "case {number}");
    judge_otherwise(case, number, &release, &people, outcomes);
}

/// The same release with other parameters: core and the verifier say what the oracle says, and what they accept is
/// protected by the literal definition.
fn judge_otherwise(case: &Case, number: u64, release: &Path, people: &[Vec<String>], outcomes: &mut Outcomes) {
    let mut manifest = Manifest::read(release).unwrap();
    for known in [KnownRows::AtMost(2), KnownRows::AtMost(3), KnownRows::All] {
        let fewest = fewest_alike(people, known);
        assert_eq!(core(people, known), fewest, "case {number}: {known}");
        if people.iter().all(|history| history.len() <= 6) {
            assert!(fewest_matches(people, known) >= fewest, "case {number}: {known}");
            outcomes.literal += 1;
        }
        for k in [case.k, case.k + 1, case.k + 3] {
            manifest.policy.models[0].parameters.insert("k".into(), k.into());
            manifest.policy.known_rows = Some(serde_json::to_value(known).unwrap());
            let verdict = verify_staged(release, &manifest, &Options::default()).unwrap();
            let said = verdict.models.iter().find(|model| model.model == "known-rows").unwrap().holds;
            assert_eq!(said, fewest >= k, "case {number}: k = {k}, known rows {known}");
            outcomes.verdicts += 1;
            outcomes.verdicts_against += usize::from(!said);
        }
    }
}

/// The fewest people who look alike, as core counts them.
fn core(people: &[Vec<String>], known: KnownRows) -> u64 {
    let mut looks: Vec<&String> = people.iter().flatten().collect();
    looks.sort_unstable();
    looks.dedup();
    let look = |row: &String| u32::try_from(looks.binary_search(&row).unwrap()).unwrap();
    let rows = (0..)
        .zip(people)
        .flat_map(|(person, history)| history.iter().map(move |row| PersonRows { person, look: look(row), rows: 1 }));
    AlikePeople::of(rows, known).smallest
}

#[test]
fn several_tables_of_the_same_people_agree_with_the_oracle() {
    let cases = std::env::var("INCROWD_LINKED_CASES").map_or(60, |cases| cases.parse().unwrap());
    let engine = Engine::new(&Settings { threads: Some(1), ..Settings::default() }).unwrap();
    let mut outcomes = Outcomes::default();
    for number in 0..cases {
        let folder = tempfile::tempdir().unwrap();
        run_linked(&engine, &LinkedCase::draw(number), number, folder.path(), &mut outcomes);
    }
    println!("{cases} linked cases: {outcomes:?}");
    assert!(outcomes.released > 0 && outcomes.with_suppressed_rows > 0 && outcomes.not_found > 0);
    assert!(outcomes.verdicts_against > 0 && outcomes.verdicts_against < outcomes.verdicts && outcomes.literal > 0);
}

fn run_linked(engine: &Engine, case: &LinkedCase, number: u64, folder: &Path, outcomes: &mut Outcomes) {
    let release = folder.join("release");
    let tables = case.open(engine, folder);
    match anonymize_tables(engine, &tables, &release) {
        Ok(made) => {
            assert!(made.verified && made.tables.len() == tables.len(), "case {number}");
            outcomes.with_suppressed_rows +=
                usize::from(made.tables.iter().any(|table| table.made.suppressed_rows > 0));
        }
        Err(error) => {
            assert_eq!(error.code(), "IC625", "case {number}: {error}");
            assert!(!release.exists() && !folder.join("release.internal").exists(), "case {number}");
            outcomes.not_found += 1;
            return;
        }
    }
    outcomes.released += 1;
    let people = case.published(&release);
    assert!(fewest_alike_in_all(&people, case.known) >= case.k, "case {number}: the oracle refutes the release");
    let verdict = verify(&release, &VerifyOptions::default()).unwrap();
    assert!(verdict.verified && verdict.not_checked.is_empty(), "case {number}: {:?}", verdict.faults);
    assert!(verdict.models.iter().any(|model| model.model == "linked-tables" && model.holds), "case {number}");
    for (name, _) in case.originals() {
        let against = Some(folder.join(name).with_extension("csv"));
        let verdict = verify(&release.join(name), &VerifyOptions { against, ..VerifyOptions::default() }).unwrap();
        assert!(verdict.verified, "case {number}, {name}: {:?}", verdict.faults);
    }
    let mut manifest = TablesManifest::read(&release).unwrap();
    for known in [KnownRows::AtMost(2), KnownRows::AtMost(3), KnownRows::All] {
        let fewest = fewest_alike_in_all(&people, known);
        if people.iter().all(|history| history.len() <= 7) {
            assert!(fewest_matches_in_all(&people, known) >= fewest, "case {number}: {known}");
            outcomes.literal += 1;
        }
        for k in [case.k, case.k + 1, case.k + 3] {
            manifest.policy.models[0].parameters.insert("k".into(), k.into());
            manifest.policy.known_rows = Some(serde_json::to_value(known).unwrap());
            let verdict = verify_links(&release, &manifest, &Options::default()).unwrap();
            assert_eq!(verdict.models[0].holds, fewest >= k, "case {number}: k = {k}, known rows {known}");
            assert_eq!(verdict.verified, fewest >= k, "case {number}");
            outcomes.verdicts += 1;
            outcomes.verdicts_against += usize::from(fewest < k);
        }
    }
}
