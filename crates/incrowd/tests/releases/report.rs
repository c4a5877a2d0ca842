//! The pages that are written with a release, and what `report` makes of them later.

use std::path::Path;

use incrowd::core::Outcome;
use incrowd::report::dossier::{InternalDossier, Standing};
use incrowd::report::{ReportOptions, Reported, release_dossier, report};
use incrowd::{AnonymizeOptions, Format, Manifest, Publish, ReadOptions, Source};

use super::support::Desk;

fn kept(desk: &Desk) -> InternalDossier {
    let text = std::fs::read_to_string(desk.path("release.internal/dossier.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn told(desk: &Desk, options: &ReportOptions<'_>) -> (Reported, InternalDossier) {
    let _ = std::fs::remove_dir_all(desk.path("pages"));
    let reported = report(&desk.engine, &desk.path("release"), options, &desk.path("pages")).unwrap();
    let dossier = serde_json::from_str(&std::fs::read_to_string(&reported.dossier).unwrap()).unwrap();
    (reported, dossier)
}

fn release(desk: &Desk, change: impl FnOnce(AnonymizeOptions) -> AnonymizeOptions) {
    desk.release("release", &change(desk.options())).unwrap();
}

#[test]
fn a_release_is_written_with_its_pages_and_they_are_verified() {
    for format in [Format::Csv, Format::Parquet] {
        let desk = Desk::new();
        release(&desk, |options| AnonymizeOptions { format, ..options });
        let manifest = Manifest::read(&desk.path("release")).unwrap();
        let page = std::fs::read_to_string(desk.path("release/report.html")).unwrap();
        let entry = manifest.report.clone().unwrap();
        assert_eq!((entry.name.as_str(), entry.bytes), ("report.html", page.len() as u64));
        assert!(manifest.files.iter().all(|file| file.name != "report.html"), "a page is no data");
        assert!(page.contains(&manifest.release) && page.contains(&manifest.files[0].sha256));
        assert!(desk.verdict(&desk.path("release")).verified);
        assert_eq!(kept(&desk).manifest_seal, Some(manifest.seal));
        assert!(desk.path("release.internal/internal.html").is_file());

        std::fs::write(desk.path("release/report.html"), page.replace("hold", "mold")).unwrap();
        assert!(!desk.verdict(&desk.path("release")).verified, "another page is not the one that was sealed");
    }
}

#[test]
fn a_release_without_pages_has_none_and_is_verified_too() {
    let desk = Desk::new();
    release(&desk, |options| AnonymizeOptions { report: false, ..options });
    assert_eq!(Manifest::read(&desk.path("release")).unwrap().report, None);
    assert!(!desk.path("release/report.html").exists() && !desk.path("release.internal/dossier.json").exists());
    assert!(desk.verdict(&desk.path("release")).verified);
    let (_, dossier) = told(&desk, &ReportOptions::default());
    let verification = dossier.public.verification.unwrap();
    assert_eq!(verification.standing, Standing::Proved, "then everything is read again");
}

#[test]
fn a_public_page_holds_no_value_of_the_table() {
    for publish in [Publish::OneTable, Publish::TwoTables] {
        let desk = Desk::new();
        let algorithm = if publish == Publish::TwoTables { "anatomy" } else { "mondrian" };
        release(&desk, |options| AnonymizeOptions { publish, algorithm: algorithm.into(), ..options });
        let page = std::fs::read_to_string(desk.path("release/report.html")).unwrap();
        for canary in ["ZQX-PERSON", "HIV", "gout", "Graz", "Austria", "patients.csv"] {
            assert!(!page.contains(canary), "{canary}");
        }
        let inside = std::fs::read_to_string(desk.path("release.internal/internal.html")).unwrap();
        assert!(inside.contains("keyed-sha256:") && !page.contains("keyed-sha256:"));
        assert!(!inside.contains("ZQX-PERSON") && !inside.contains("Graz"), "not even the custodian's page has values");
    }
}

/// The oracle of what is computed in memory: the same, read from the written bytes by other code.
#[test]
fn what_was_found_in_memory_is_what_the_written_bytes_say() {
    for publish in [Publish::OneTable, Publish::TwoTables] {
        let desk = Desk::new();
        let algorithm = if publish == Publish::TwoTables { "anatomy" } else { "mondrian" };
        release(&desk, |options| AnonymizeOptions { publish, algorithm: algorithm.into(), ..options });
        let path = desk.path("patients.csv");
        let source = Source::open(&desk.engine, path.to_str().unwrap(), ReadOptions::default()).unwrap();
        let (memory, alone) = (kept(&desk), ReportOptions { verify: true, ..ReportOptions::default() });
        let disk = release_dossier(&desk.engine, &desk.path("release"), &alone).unwrap();
        let figures = |outcomes: &[Outcome]| -> Vec<(String, String, f64, f64)> {
            let one = |one: &Outcome| (one.attack.clone(), one.column.clone(), one.success, one.baseline);
            outcomes.iter().map(one).collect()
        };
        assert_eq!(figures(&memory.attacks), figures(&disk.attacks), "{publish:?}");
        assert_eq!(memory.classes_after, disk.classes_after);
        let against = ReportOptions { against: Some(&source), ..ReportOptions::default() };
        let against = release_dossier(&desk.engine, &desk.path("release"), &against).unwrap();
        assert_eq!(memory.classes_before, against.classes_before);
        assert_eq!(memory.public.tests, disk.public.tests);
        let errors = |dossier: &InternalDossier| {
            let queries = dossier.public.utility.clone().unwrap().queries?;
            queries.errors.into_iter().find(|error| error.estimator == "uniform")
        };
        if publish == Publish::OneTable {
            assert!(errors(&memory).is_some());
            assert_eq!(errors(&memory), errors(&against));
        }
    }
}

#[test]
fn a_kept_dossier_is_told_again_without_reading_rows_and_only_while_the_files_are_the_same() {
    let desk = Desk::new();
    release(&desk, |options| options);
    let (pages, dossier) = told(&desk, &ReportOptions::default());
    let was = kept(&desk);
    assert_eq!((&dossier.attacks, &dossier.input_fingerprint), (&was.attacks, &was.input_fingerprint));
    let says = |path: &Path| std::fs::read_to_string(path).unwrap().contains("from the time of the release");
    assert!(says(&pages.public) && says(&pages.internal));
    let (pages, anew) = told(&desk, &ReportOptions { verify: true, ..ReportOptions::default() });
    assert!(!says(&pages.public), "everything was read again");
    assert_eq!(anew.public.utility, was.public.utility, "what only the maker knew is kept");
    let (pages, _) = told(&desk, &ReportOptions { risk: Some(0.5), ..ReportOptions::default() });
    assert!(!says(&pages.public), "another threshold is another question");

    std::fs::write(desk.path("release/notes.txt"), "added later").unwrap();
    let refused = report(&desk.engine, &desk.path("release"), &ReportOptions::default(), &desk.path("again"));
    assert_eq!(refused.unwrap_err().code(), "IC630");
    assert!(!desk.path("again").exists());
}

#[test]
fn a_dossier_of_another_release_is_refused() {
    let desk = Desk::new();
    release(&desk, |options| options);
    let other = std::fs::read(desk.path("release.internal/dossier.json")).unwrap();
    release(&desk, |options| AnonymizeOptions { force: true, ..options });
    std::fs::write(desk.path("release.internal/dossier.json"), other).unwrap();
    let refused = report(&desk.engine, &desk.path("release"), &ReportOptions::default(), &desk.path("again"));
    assert_eq!(refused.unwrap_err().code(), "IC631");
}

#[test]
fn loss_levels_suppression_and_the_curve_are_told() {
    let desk = Desk::new();
    let mut options = desk.options();
    options.policy = incrowd::core::Policy::k_anonymity(8).suppressing(0.2);
    options.algorithm = "incognito".into();
    options.declared.sensitive = vec!["diagnosis".into()];
    desk.release("release", &options).unwrap();
    let dossier = kept(&desk);
    // The policy lets rows be withheld, so what compares the release with the original is for the custodian alone.
    let (public, utility) = (dossier.public.utility.unwrap(), dossier.utility.unwrap());
    for column in public.columns.iter().chain(&utility.columns) {
        assert!(column.loss.is_some() && column.suppressed.is_some() && !column.levels.is_empty(), "{}", column.column);
    }
    assert!(public.of_published && public.curve.is_empty() && public.bound.is_none() && public.queries.is_none());
    assert!(public.subgroups.is_empty() && public.loss <= utility.loss && !utility.of_published);
    assert!(utility.curve.len() > 1 && utility.curve.windows(2).all(|pair| pair[0].k < pair[1].k));
    assert!(utility.curve_by.unwrap().contains("made by incognito"));
    assert!(dossier.column_sets.is_some_and(|sets| sets.k == 8) && dossier.public.column_sets.is_none());
    let withheld: u64 = dossier.withheld_for.iter().map(|one| one.rows).sum();
    for column in ["age", "town"] {
        let groups: Vec<_> = dossier.subgroups.iter().filter(|group| group.column == column).collect();
        let sum: u64 = groups.iter().map(|group| group.withheld).sum();
        assert!(groups.is_empty() || sum == withheld, "{column}: subgroups add up");
    }
    let on_diagnosis = |id: &str| dossier.attacks.iter().any(|one| one.attack == id && one.column == "diagnosis");
    assert!(on_diagnosis("homogeneity") && on_diagnosis("inference"), "no rule is about it, and it is attacked");
}
