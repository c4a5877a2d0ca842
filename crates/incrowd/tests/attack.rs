//! Attacks on the files of a release, and the report of it.

#![allow(clippy::unwrap_used)]

mod desk;

use std::path::{Path, PathBuf};

use incrowd::attack::{AttackOptions, attack};
use incrowd::core::{Evidence, Outcome, Policy, Ratio};
use incrowd::report::{ReportOptions, report};
use incrowd::risk::attack::{ATTACKS, Threshold};
use incrowd::{AnonymizeOptions, Anonymized, Declared, Format, Manifest, Publish, Record};

use desk::Desk;

fn release(desk: &Desk, name: &str, k: u64, algorithm: &str, publish: Publish) -> PathBuf {
    let policy = Policy::k_anonymity(k).deassociating("illness", Ratio::new(1, 2).unwrap(), &[], false);
    let algorithm = algorithm.into();
    desk.release(name, AnonymizeOptions { policy, algorithm, publish, ..AnonymizeOptions::default() })
}

#[test]
fn every_attack_is_run_or_says_what_it_needs() {
    let desk = Desk::new();
    let release = release(&desk, "release", 4, "mondrian", Publish::OneTable);
    let attacked = attack(&desk.engine, &release, &AttackOptions::default()).unwrap();
    for entry in ATTACKS {
        let run = attacked.attacks.iter().any(|outcome| outcome.attack == entry.id);
        let told = attacked.not_run.iter().any(|one| one.attack == entry.id && !one.needs.is_empty());
        assert!(run != told, "{}", entry.id);
    }
    let prosecutor = &attacked.attacks[0];
    assert_eq!((prosecutor.attack.as_str(), prosecutor.evidence), ("prosecutor", Evidence::Proved));
    assert!(prosecutor.success <= 0.25, "k = 4 promises no more than 1 in 4");
}

#[test]
fn a_release_in_random_order_is_not_aligned_and_everyone_is_placed() {
    let desk = Desk::new();
    let release = release(&desk, "release", 4, "mondrian", Publish::OneTable);
    let original = desk.source();
    let options = AttackOptions { against: Some(&original), ..AttackOptions::default() };
    let attacked = attack(&desk.engine, &release, &options).unwrap();
    let order = attacked.attacks.iter().find(|one| one.attack == "row-order").unwrap();
    assert_eq!(order.evidence, Evidence::NotFound, "{order:?}");
    assert!(attacked.placed.unwrap() > 0.9, "{:?}", attacked.placed);
}

#[test]
fn two_releases_together_pin_more_people_than_one() {
    let desk = Desk::new();
    let first = release(&desk, "first", 3, "mondrian", Publish::OneTable);
    let second = release(&desk, "second", 3, "top-down", Publish::OneTable);
    let original = desk.source();
    let options = AttackOptions { against: Some(&original), also: Some(second), ..AttackOptions::default() };
    let attacked = attack(&desk.engine, &first, &options).unwrap();
    let found = attacked.attacks.iter().find(|one| one.attack == "intersection").unwrap();
    assert!(
        found.success >= found.baseline && found.figure("at_most_2") >= found.figure("at_most_2_alone"),
        "{found:?}"
    );
}

#[test]
fn two_tables_are_learnt_from_and_their_ids_say_nothing() {
    let desk = Desk::new();
    let release = release(&desk, "two", 2, "anatomy", Publish::TwoTables);
    let original = desk.source();
    let options = AttackOptions { against: Some(&original), ..AttackOptions::default() };
    let attacked = attack(&desk.engine, &release, &options).unwrap();
    let of = |id: &str| attacked.attacks.iter().find(|one| one.attack == id).unwrap();
    assert!(of("learning").rows > 350);
    assert_eq!(of("ids").evidence, Evidence::NotFound, "{:?}", of("ids"));
    assert_eq!(of("prosecutor").success, 1.0, "people are published as they are");
}

#[test]
fn a_limit_that_is_exceeded_or_was_not_measured_is_reported() {
    let desk = Desk::new();
    let release = release(&desk, "release", 4, "mondrian", Publish::OneTable);
    let limits = vec![Threshold::success("prosecutor", 0.01), Threshold::success("journalist", 0.5)];
    let options = AttackOptions { thresholds: limits, ..AttackOptions::default() };
    let attacked = attack(&desk.engine, &release, &options).unwrap();
    assert_eq!((attacked.evaluation.exceeded.len(), attacked.evaluation.unmeasured.len()), (1, 1));
    assert!(!attacked.evaluation.is_met());
}

#[test]
fn a_register_makes_candidate_sets_larger_or_leaves_them() {
    let desk = Desk::new();
    let release = release(&desk, "release", 4, "mondrian", Publish::OneTable);
    let register = desk.source();
    let options = AttackOptions { register: Some(&register), ..AttackOptions::default() };
    let attacked = attack(&desk.engine, &release, &options).unwrap();
    let of = |id: &str| attacked.attacks.iter().find(|one| one.attack == id).unwrap();
    assert!(of("journalist").success <= of("prosecutor").success);
}

#[test]
fn a_register_finds_people_in_two_tables_as_they_look_there() {
    let desk = Desk::new();
    let release = release(&desk, "two", 2, "anatomy", Publish::TwoTables);
    let register = desk.source();
    let options = AttackOptions { register: Some(&register), ..AttackOptions::default() };
    let attacked = attack(&desk.engine, &release, &options).unwrap();
    let of = |id: &str| attacked.attacks.iter().find(|one| one.attack == id).unwrap();
    assert_eq!(of("journalist").success, of("prosecutor").success, "everybody of the table is in the register");
}

#[test]
fn a_column_whose_name_is_escaped_is_attacked_under_its_own_name() {
    let desk = Desk::new();
    let text = std::fs::read_to_string(desk.path("people.csv")).unwrap();
    std::fs::write(desk.path("people.csv"), text.replacen("town", "=town", 1)).unwrap();
    let options = AnonymizeOptions {
        declared: incrowd::Declared {
            quasi_identifiers: vec!["age".into(), "=town".into()],
            sensitive: vec!["illness".into()],
            identifiers: vec!["name".into()],
            ..incrowd::Declared::default()
        },
        policy: Policy::k_anonymity(4),
        algorithm: "mondrian".into(),
        format: Format::Csv,
        escape_formulas: true,
        bound: false,
        ..AnonymizeOptions::default()
    };
    let (original, release) = (desk.source(), desk.path("release"));
    incrowd::anonymize(&desk.engine, &original, &options, &release).unwrap();
    let options = AttackOptions { against: Some(&original), ..AttackOptions::default() };
    let attacked = attack(&desk.engine, &release, &options).unwrap();
    assert!(attacked.attacks.iter().any(|one| one.attack == "row-order" && one.rows == 400));
}

#[test]
fn the_public_page_holds_no_value_and_no_number_of_an_attack() {
    let desk = Desk::new();
    let release = release(&desk, "release", 4, "mondrian", Publish::OneTable);
    let original = desk.source();
    let options = ReportOptions { against: Some(&original), ..ReportOptions::default() };
    let reported = report(&desk.engine, &release, &options, &desk.path("pages")).unwrap();
    let [public, internal] = [&reported.public, &reported.internal].map(|path| std::fs::read_to_string(path).unwrap());
    for page in [&public, &internal] {
        assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("<script") && !page.contains("ZQX-CANARY"));
    }
    let text = std::fs::read_to_string(&reported.dossier).unwrap();
    let dossier: incrowd::report::dossier::InternalDossier = serde_json::from_str(&text).unwrap();
    for outcome in &dossier.attacks {
        assert!(internal.contains(&outcome.attack) && !public.contains(&outcome.meaning), "{}", outcome.attack);
    }
}

/// The manifest as it was before counts were coarse: every figure over all rows, with all its digits.
fn with_exact_figures(release: &Path) {
    let mut manifest = Manifest::read(release).unwrap();
    let counts = Record::of(release).unwrap().unwrap().counts.unwrap();
    manifest.source_rows = counts.source_rows.into();
    manifest.suppressed_rows = counts.suppressed_rows.into();
    manifest.loss = serde_json::to_value(&counts.loss).unwrap();
    manifest.canaries = counts.canaries;
    std::fs::write(release.join("manifest.json"), manifest.to_sealed_json()).unwrap();
    // The record names the seal of the manifest that it was written with; an attacker does not have it.
    std::fs::remove_dir_all(release.with_extension("internal")).unwrap();
}

fn subtracted(desk: &Desk, release: &Path) -> Outcome {
    let attacked = attack(&desk.engine, release, &AttackOptions::default()).unwrap();
    attacked.attacks.into_iter().find(|one| one.attack == "subtraction").unwrap().outcome
}

/// A release of `towns`: so many people live in each, and who lives where fewer than `k` do is withheld.
fn of_towns(desk: &Desk, name: &str, towns: &[u64], options: AnonymizeOptions) -> (Anonymized, PathBuf) {
    let mut text = String::from("name,age,town,illness\n");
    for (town, &people) in towns.iter().enumerate() {
        let person = |at: u64| format!("Person-{town}-{at},{},Town {town},flu\n", 30 + 10 * town);
        text.extend((0..people).map(person));
    }
    std::fs::write(desk.path("people.csv"), text).unwrap();
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
    let declared = Declared {
        quasi_identifiers: names(&["age", "town"]),
        sensitive: names(&["illness"]),
        identifiers: names(&["name"]),
        ..Declared::default()
    };
    let options = AnonymizeOptions { declared, seed: Some(3), algorithm: "incognito".into(), ..options };
    let made = incrowd::anonymize(&desk.engine, &desk.source(), &options, &desk.path(name)).unwrap();
    (made, desk.path(name))
}

fn withholding(k: u64, share: f64) -> AnonymizeOptions {
    AnonymizeOptions { policy: Policy::k_anonymity(k).suppressing(share), ..AnonymizeOptions::default() }
}

#[test]
fn subtraction_breaks_a_manifest_with_exact_figures_and_not_the_one_that_is_published() {
    let desk = Desk::new();
    let (made, release) = of_towns(&desk, "release", &[40, 30, 20, 3], withholding(5, 0.2));
    assert_eq!(made.suppressed_rows, 3);
    let found = subtracted(&desk, &release);
    assert_eq!((found.success, found.evidence), (0.0, Evidence::NotFound), "{}", found.meaning);
    assert_eq!(found.figure("possible_counts"), Some(10.0));
    with_exact_figures(&release);
    let found = subtracted(&desk, &release);
    assert_eq!((found.success, found.evidence), (1.0, Evidence::Found), "{}", found.meaning);
    let verdict = incrowd::verify(&release, &incrowd::VerifyOptions::default()).unwrap();
    assert!(verdict.verified, "the manifest of an older release is read too: {:?}", verdict.faults);
}

/// What a reader sees, without what is random or a time.
fn public_folder(release: &Path) -> (Manifest, String, Vec<String>) {
    let mut manifest = Manifest::read(release).unwrap();
    let mut page = std::fs::read_to_string(release.join("report.html")).unwrap();
    let files = manifest.files.iter().map(|file| file.sha256.clone());
    for random in [manifest.release.clone(), manifest.created.clone()].into_iter().chain(files) {
        page = page.replace(&random, "…");
    }
    let mut rows: Vec<String> =
        std::fs::read_to_string(release.join("data.csv")).unwrap().lines().map(str::to_owned).collect();
    rows.sort();
    manifest.files[0].sha256.clear();
    [&mut manifest.release, &mut manifest.created, &mut manifest.seal].into_iter().for_each(String::clear);
    manifest.report = None;
    (manifest, page, rows)
}

/// Five originals of which the same rows are published: nobody can tell which of them it was.
#[test]
fn the_public_folder_is_the_same_for_every_small_number_of_suppressed_rows() {
    let desk = Desk::new();
    let told: Vec<_> = (0..5u64)
        .map(|few| {
            let (made, release) = of_towns(&desk, &format!("few-{few}"), &[40, 30, 20, few], withholding(5, 0.2));
            assert_eq!(made.suppressed_rows, few);
            let (manifest, page, rows) = public_folder(&release);
            (manifest, page.replace(&format!("few-{few}"), "…"), rows)
        })
        .collect();
    for (few, other) in told.iter().enumerate().skip(1) {
        assert_eq!(other.0, told[0].0, "the manifest of {few}");
        assert!(other.1 == told[0].1, "the page of {few}");
        assert_eq!(other.2, told[0].2, "the rows of {few}");
    }
}

/// Nobody is generalized here: what the original has and the release has not would be the withheld rows alone.
#[test]
fn nothing_public_compares_the_release_with_the_original_when_rows_may_be_suppressed() {
    let desk = Desk::new();
    let (_, release) = of_towns(&desk, "release", &[40, 30, 20, 3], withholding(5, 0.2));
    let manifest = Manifest::read(&release).unwrap();
    let is_retained = |column: &&incrowd_verify::ColumnEntry| column.technique == incrowd_verify::Technique::Retained;
    assert_eq!(manifest.columns.iter().filter(is_retained).count(), 3, "{:?}", manifest.columns);
    assert_eq!((manifest.suppressed_rows.least(), manifest.suppressed_rows.most()), (0, 9));
    assert_eq!((manifest.source_rows.least(), manifest.source_rows.most()), (90, 99));
    assert_eq!((&manifest.loss["lm"], &manifest.loss["columns"][0]["unchanged"]), (&0.0.into(), &1.0.into()));
    let page = std::fs::read_to_string(release.join("report.html")).unwrap();
    for word in ["can lose less than", "Loss against k", "median error", "Suppressed rows by subgroup", "dangerous"] {
        assert!(!page.contains(word), "{word}");
    }
    let inside = std::fs::read_to_string(desk.path("release.internal/internal.html")).unwrap();
    assert!(inside.contains("Suppressed rows by subgroup"));
    let original = desk.source();
    let options = ReportOptions { against: Some(&original), ..ReportOptions::default() };
    let pages = report(&desk.engine, &release, &options, &desk.path("pages")).unwrap();
    let public = std::fs::read_to_string(pages.public).unwrap();
    assert!(!public.contains("differ from the original") && !public.contains("median error"));
}

/// The public folder is the same, to the byte where nothing is random, whichever count of a step was withheld.
#[test]
fn subtraction_recovers_nothing_from_releases_that_suppress_rows() {
    let desk = Desk::new();
    let mut withheld = 0;
    for (at, rare) in [0u64, 1, 4, 5, 7, 11].into_iter().enumerate() {
        for (k, share) in [(12, 0.12), (6, 0.3)] {
            let towns = [13 + rare, 20 + 3 * rare, 17, rare, rare / 2];
            let (made, release) = of_towns(&desk, &format!("{at}-{k}"), &towns, withholding(k, share));
            withheld += u64::from(made.suppressed_rows > 0);
            let found = subtracted(&desk, &release);
            assert_eq!(found.success, 0.0, "{towns:?}, k = {k}: {}", found.meaning);
            assert!(incrowd::verify(&release, &incrowd::VerifyOptions::default()).unwrap().verified);
            if made.suppressed_rows > 0 {
                with_exact_figures(&release);
                assert_eq!(subtracted(&desk, &release).success, 1.0, "{towns:?}, k = {k}");
            }
        }
    }
    assert!(withheld > 4, "rows are withheld, or the test shows nothing: {withheld}");
}
