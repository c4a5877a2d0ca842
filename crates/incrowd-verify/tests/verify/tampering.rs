//! One change at a time, and the fault it must give.

use incrowd_verify::{
    Count, FaultKind, Format, Manifest, ManifestError, Options, ReportEntry, Role, Rule, Technique, files_are_whole,
    verify, verify_staged,
};
use sha2::{Digest, Sha256};

use crate::support::{Draft, kinds, row};

const FORMATS: [Format; 3] = [Format::Csv, Format::Parquet, Format::Arrow];

/// The faults of a release that was changed and then made right about its bytes again.
fn resealed(change: impl FnOnce(&mut Draft)) -> Vec<FaultKind> {
    let mut draft = Draft::honest(Format::Csv);
    change(&mut draft);
    kinds(&draft.write().verify())
}

/// The faults of a release that was changed after it was sealed.
fn changed(change: impl FnOnce(&mut Draft)) -> Vec<FaultKind> {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    change(&mut draft);
    kinds(&draft.verify())
}

fn edit(draft: &Draft, from: &str, to: &str) {
    let text = std::fs::read_to_string(draft.data()).unwrap();
    assert!(text.contains(from));
    std::fs::write(draft.data(), text.replacen(from, to, 1)).unwrap();
}

#[test]
fn an_honest_release_is_verified_in_every_format() {
    for format in FORMATS {
        let mut draft = Draft::honest(format);
        let verdict = draft.write().verify();
        assert_eq!(verdict.faults, [], "{format:?}");
        assert!(verdict.verified);
        assert_eq!((verdict.rows, verdict.classes, verdict.smallest_class), (8, 3, 2));
        assert_eq!(verdict.models.len(), 2);
        assert!(verdict.models.iter().all(|model| model.holds && model.classes_failing == 0));
        assert_eq!(verdict.models[1].sensitive.as_deref(), Some("illness"));
        assert_eq!(verdict.bytes, std::fs::metadata(draft.data()).unwrap().len());
    }
}

#[test]
fn a_staged_release_is_judged_without_its_manifest() {
    let mut draft = Draft::honest(Format::Parquet);
    draft.write();
    std::fs::remove_file(draft.dir().join("manifest.json")).unwrap();
    assert!(verify_staged(&draft.dir(), &draft.manifest, &Options::default()).unwrap().verified);
    assert_eq!(kinds(&draft.verify()), [FaultKind::NotARelease]);
}

#[test]
fn a_changed_cell_a_removed_and_a_doubled_row_break_the_checksum() {
    assert!(changed(|draft| edit(draft, "Ulm,flu", "Ulm,flo")).contains(&FaultKind::Checksum));
    let removed = changed(|draft| edit(draft, "\"[20, 30)\",Ulm,flu,a\n", ""));
    assert!([FaultKind::Bytes, FaultKind::Checksum, FaultKind::Rows].iter().all(|kind| removed.contains(kind)));
    let doubled = changed(|draft| edit(draft, "*,Austria,cold,b\n", "*,Austria,cold,b\n*,Austria,cold,b\n"));
    assert!(doubled.contains(&FaultKind::Rows) && doubled.contains(&FaultKind::Bytes));
}

#[test]
fn a_removed_and_a_doubled_row_are_counted_even_when_resealed() {
    let count = |change: fn(&mut Draft)| {
        let mut draft = Draft::honest(Format::Csv);
        change(&mut draft);
        draft.write();
        draft.manifest.files[0].rows = 8;
        kinds(&draft.seal().verify())
    };
    assert!(
        count(|draft| {
            draft.rows.remove(0);
        })
        .contains(&FaultKind::Rows)
    );
    assert!(count(|draft| draft.rows.push(row(&["*", "Austria", "cold", "b"]))).contains(&FaultKind::Rows));
}

#[test]
fn a_class_below_k_is_found_by_judgement_alone_in_every_format() {
    for format in FORMATS {
        let mut draft = Draft::honest(format);
        draft.rows[1][1] = Some("Bonn".into());
        draft.manifest.smallest_class = 1;
        // Bonn has two of three with flu now, so α breaks too.
        let verdict = draft.write().verify();
        assert_eq!(kinds(&verdict), [FaultKind::Promise, FaultKind::Promise], "{format:?}");
        assert_eq!(verdict.models[0].classes_failing, 1);
    }
}

#[test]
fn a_share_above_alpha_is_found_by_judgement_alone_in_every_format() {
    for format in FORMATS {
        let mut draft = Draft::honest(format);
        draft.rows[4][2] = Some("flu".into());
        let verdict = draft.write().verify();
        assert_eq!(kinds(&verdict), [FaultKind::Promise], "{format:?}");
        assert!(verdict.models[0].holds && !verdict.models[1].holds);
    }
}

#[test]
fn a_missing_cell_makes_a_class_of_its_own() {
    let faults = resealed(|draft| {
        draft.rows[0][0] = None;
        (draft.manifest.classes, draft.manifest.smallest_class) = (4, 1);
    });
    assert!(faults.contains(&FaultKind::Promise));
}

#[test]
fn a_truncated_file_is_unreadable_or_shorter_in_every_format() {
    for format in FORMATS {
        let mut draft = Draft::honest(format);
        draft.write();
        let bytes = std::fs::read(draft.data()).unwrap();
        std::fs::write(draft.data(), &bytes[..bytes.len() / 2]).unwrap();
        let faults = kinds(&draft.verify());
        assert!(faults.contains(&FaultKind::Bytes) && faults.contains(&FaultKind::Checksum), "{format:?}");
        let faults = kinds(&draft.seal().verify());
        let expected = if format == Format::Csv { FaultKind::Rows } else { FaultKind::Unreadable };
        assert!(faults.contains(&expected) || faults.contains(&FaultKind::Unreadable), "{format:?} {faults:?}");
    }
}

#[test]
fn a_missing_and_an_extra_file_are_told() {
    assert!(changed(|draft| std::fs::remove_file(draft.data()).unwrap()).contains(&FaultKind::MissingFile));
    let extra = changed(|draft| std::fs::write(draft.dir().join("more.csv"), "x").unwrap());
    assert_eq!(extra, [FaultKind::ExtraFile]);
    assert_eq!(changed(|draft| std::fs::create_dir(draft.dir().join("more")).unwrap()), [FaultKind::ExtraFile]);
}

#[test]
fn an_edited_manifest_breaks_the_seal() {
    let faults = changed(|draft| {
        let path = draft.dir().join("manifest.json");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.replace("\"k\": 2", "\"k\": 3")).unwrap();
    });
    assert_eq!(faults, [FaultKind::Seal]);
    let faults = changed(|draft| std::fs::write(draft.dir().join("manifest.json"), "{}").unwrap());
    assert_eq!(faults, [FaultKind::Manifest]);
}

#[test]
fn a_manifest_with_fields_of_a_later_version_is_read_and_its_seal_is_of_the_whole_text() {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    let sealed = draft.manifest.to_sealed_json();
    let seal = Manifest::from_sealed_json(&sealed).unwrap().seal;
    let later = sealed.replace("\"incrowd\": 1,", "\"incrowd\": 1,\n  \"later\": [1],");
    assert!(Manifest::from_sealed_json(&later).is_err());
    let sum = Sha256::digest(later.replace(&seal, &"0".repeat(64)));
    let resealed = later.replace(&seal, &sum.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    assert_eq!(Manifest::from_sealed_json(&resealed).unwrap().rows, 8);
    let other_form = sealed.replace("\"incrowd\": 1,", "\"incrowd\": 2,");
    assert!(matches!(Manifest::from_sealed_json(&other_form), Err(ManifestError::Version(2))));
}

#[test]
fn an_identifier_in_the_file_or_not_removed_is_told() {
    let faults = resealed(|draft| {
        draft.names.insert(0, "name".into());
        draft.rows.iter_mut().for_each(|row| row.insert(0, Some("Anna".into())));
    });
    assert_eq!(faults, [FaultKind::Columns]);
    let faults = resealed(|draft| {
        draft.manifest.columns[0].technique = Technique::Retained;
        draft.names.insert(0, "name".into());
        draft.rows.iter_mut().for_each(|row| row.insert(0, Some("Anna".into())));
    });
    assert_eq!(faults, [FaultKind::Columns]);
}

#[test]
fn reordered_and_doubled_columns_are_told() {
    let faults = resealed(|draft| {
        draft.names.swap(0, 1);
        draft.rows.iter_mut().for_each(|row| row.swap(0, 1));
    });
    assert_eq!(faults, [FaultKind::Columns]);
    let faults = resealed(|draft| draft.manifest.columns[1].name = "town".into());
    assert!(faults.contains(&FaultKind::Columns));
}

#[test]
fn wrong_counts_are_told() {
    assert_eq!(resealed(|draft| draft.manifest.classes = 4), [FaultKind::Classes]);
    assert_eq!(resealed(|draft| draft.manifest.smallest_class = 3), [FaultKind::Classes]);
    assert!(resealed(|draft| draft.manifest.rows = 9).contains(&FaultKind::Rows));
    assert!(resealed(|draft| draft.manifest.source_rows = u64::MAX.into()).contains(&FaultKind::Rows));
    assert!(resealed(|draft| draft.manifest.suppressed_rows = u64::MAX.into()).contains(&FaultKind::Rows));
}

#[test]
fn more_suppressed_rows_than_the_policy_allows_are_reported() {
    let withheld = |share: f64| {
        resealed(|draft| {
            (draft.manifest.source_rows, draft.manifest.suppressed_rows) = (10.into(), 2.into());
            draft.manifest.policy.suppression = share;
        })
    };
    assert_eq!(withheld(0.19), [FaultKind::Suppression]);
    assert_eq!(withheld(0.2), []);
    assert_eq!(withheld(7.0), [FaultKind::Policy]);
}

#[test]
fn a_range_of_suppressed_rows_must_add_up_and_its_lower_end_must_be_allowed() {
    let coarse = |source: (u64, u64), withheld: (u64, u64), share: f64| {
        resealed(|draft| {
            draft.manifest.source_rows = Count::between(source.0, source.1).unwrap();
            draft.manifest.suppressed_rows = Count::between(withheld.0, withheld.1).unwrap();
            draft.manifest.policy.suppression = share;
        })
    };
    assert_eq!(coarse((8, 10), (0, 2), 0.2), []);
    assert_eq!(coarse((8, 17), (0, 9), 0.01), [], "nothing may have been withheld");
    assert_eq!(coarse((10, 17), (2, 9), 0.19), [FaultKind::Suppression]);
    assert!(coarse((8, 18), (0, 9), 0.5).contains(&FaultKind::Rows));
    assert!(coarse((9, 17), (0, 9), 0.5).contains(&FaultKind::Rows));
}

#[test]
fn a_policy_that_is_not_known_is_not_vouched_for() {
    let with = |model: &str, parameters: &str, sensitive: &[&str]| {
        let rule = Rule {
            model: model.into(),
            parameters: serde_json::from_str(parameters).unwrap(),
            sensitive: sensitive.iter().map(ToString::to_string).collect(),
        };
        resealed(|draft| draft.manifest.policy.models.push(rule))
    };
    assert_eq!(with("differential-privacy", "{}", &[]), [FaultKind::Policy]);
    assert_eq!(with("k-anonymity", r#"{ "k": 2, "except": 1 }"#, &[]), [FaultKind::Policy]);
    assert_eq!(with("k-anonymity", r#"{ "k": -2 }"#, &[]), [FaultKind::Policy]);
    assert_eq!(with("k-anonymity", r#"{ "k": 2 }"#, &["illness"]), [FaultKind::Policy]);
    assert_eq!(with("alpha-deassociation", r#"{ "alpha": "1/2" }"#, &[]), [FaultKind::Policy]);
    assert_eq!(with("alpha-deassociation", r#"{ "alpha": "1/0" }"#, &["illness"]), [FaultKind::Policy]);
    assert_eq!(with("alpha-deassociation", r#"{ "alpha": "3/2" }"#, &["illness"]), [FaultKind::Policy]);
    assert_eq!(
        with("alpha-deassociation", r#"{ "alpha": "1/2", "rule": "loose" }"#, &["illness"]),
        [FaultKind::Policy]
    );
    assert_eq!(with("alpha-deassociation", r#"{ "alpha": "1/2", "values": [] }"#, &["illness"]), [FaultKind::Policy]);
    assert_eq!(with("alpha-deassociation", r#"{ "alpha": "1/2" }"#, &["name"]), [FaultKind::Policy]);
    assert_eq!(with("alpha-deassociation", r#"{ "alpha": "1/2" }"#, &["age"]), [FaultKind::Policy]);
    assert_eq!(with("alpha-deassociation", r#"{ "alpha": "1/2" }"#, &["illness"]), []);
    assert_eq!(resealed(|draft| draft.manifest.policy.models.clear()), [FaultKind::Policy]);
}

#[test]
fn an_empty_release_is_a_fault() {
    for format in FORMATS {
        let mut draft = Draft::honest(format);
        draft.rows.clear();
        (draft.manifest.rows, draft.manifest.source_rows) = (0, 0.into());
        (draft.manifest.classes, draft.manifest.smallest_class) = (0, 0);
        assert_eq!(kinds(&draft.write().verify()), [FaultKind::Empty], "{format:?}");
    }
}

#[test]
fn file_names_that_lead_elsewhere_are_never_opened() {
    for name in ["../outside.csv", "/etc/hostname", "a/b.csv", "..", ".", "", "a\\b.csv", "manifest.json"] {
        let mut draft = Draft::honest(Format::Csv);
        draft.write();
        std::fs::write(draft.folder.path().join("outside.csv"), "age,town,illness,note\n").unwrap();
        draft.manifest.files[0].name = name.into();
        let faults = kinds(&draft.seal_as_is().verify());
        assert!(faults.contains(&FaultKind::FileName) && faults.contains(&FaultKind::ExtraFile), "{name} {faults:?}");
    }
}

/// A release with a page beside its data.
fn with_report(change: impl FnOnce(&mut Draft)) -> Vec<FaultKind> {
    let mut draft = Draft::honest(Format::Csv);
    draft.manifest.report = Some(ReportEntry::of("report.html", "<!DOCTYPE html>"));
    draft.write();
    std::fs::write(draft.dir().join("report.html"), "<!DOCTYPE html>").unwrap();
    change(&mut draft);
    let verdict = draft.verify();
    let manifest = Manifest::read(&draft.dir()).unwrap();
    let whole = files_are_whole(&draft.dir(), &manifest, None).unwrap();
    assert!(whole.iter().all(|fault| verdict.faults.contains(fault)), "files alone tell no more than the whole");
    assert_eq!(whole.is_empty(), verdict.verified);
    kinds(&verdict)
}

#[test]
fn the_report_of_a_release_is_held_against_its_checksum() {
    assert_eq!(with_report(|_| ()), []);
    let write = |text: &'static str| {
        move |draft: &mut Draft| {
            std::fs::write(draft.dir().join("report.html"), text).unwrap();
        }
    };
    assert_eq!(with_report(write("<!doctype html>")), [FaultKind::Checksum]);
    assert_eq!(with_report(write("<!DOCTYPE html> ")), [FaultKind::Bytes, FaultKind::Checksum]);
    let gone = |draft: &mut Draft| std::fs::remove_file(draft.dir().join("report.html")).unwrap();
    assert_eq!(with_report(gone), [FaultKind::MissingFile]);
    let more = |draft: &mut Draft| std::fs::write(draft.dir().join("report2.html"), "").unwrap();
    assert_eq!(with_report(more), [FaultKind::ExtraFile]);
}

#[test]
fn a_page_that_no_manifest_names_does_not_belong_to_a_release() {
    let faults = changed(|draft| std::fs::write(draft.dir().join("report.html"), "<!DOCTYPE html>").unwrap());
    assert_eq!(faults, [FaultKind::ExtraFile]);
}

#[test]
fn a_report_of_a_strange_name_is_never_opened() {
    for name in ["../report.html", "/etc/hostname", "a/b.html", "", "manifest.json", "data.csv"] {
        let faults = resealed(|draft| draft.manifest.report = Some(ReportEntry::of(name, "")));
        assert_eq!(faults, [FaultKind::FileName], "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_not_a_file_of_the_release() {
    let faults = changed(|draft| {
        let elsewhere = draft.folder.path().join("elsewhere.csv");
        std::fs::rename(draft.data(), &elsewhere).unwrap();
        std::os::unix::fs::symlink(elsewhere, draft.data()).unwrap();
    });
    assert_eq!(faults, [FaultKind::FileName]);
}

#[test]
fn people_cannot_be_counted_on_bytes_and_a_note_says_so() {
    let mut draft = Draft::honest(Format::Csv);
    draft.manifest.counts = incrowd_verify::Counts::People;
    draft.manifest.columns[0].role = Role::Subject;
    draft.manifest.smallest_class = 1;
    let verdict = draft.write().verify();
    assert!(verdict.verified && verdict.notes[0].contains("people"));
    let not_checked: Vec<&str> = verdict.not_checked.iter().map(|one| one.promise.as_str()).collect();
    assert_eq!(not_checked[0], "Each class has rows of at least 2 people.");
    draft.manifest.smallest_class = 3;
    assert_eq!(kinds(&draft.write().verify()), [FaultKind::Classes]);
}

#[test]
fn a_release_that_leaks_or_was_not_verified_says_so_itself() {
    assert_eq!(resealed(|draft| draft.manifest.canaries.found = 1), [FaultKind::Canary]);
    assert_eq!(resealed(|draft| draft.manifest.verified.holds = false), [FaultKind::Manifest]);
}

#[test]
fn rows_may_stand_in_several_files() {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    let mut rest = Draft::honest(Format::Csv);
    rest.rows.truncate(3);
    rest.write();
    std::fs::copy(rest.data(), draft.dir().join("more.csv")).unwrap();
    let mut more = rest.manifest.files[0].clone();
    more.name = "more.csv".into();
    draft.manifest.files.push(more);
    (draft.manifest.rows, draft.manifest.source_rows) = (11, 11.into());
    draft.manifest.smallest_class = 3;
    let verdict = draft.seal_as_is().verify();
    // The class of Ulm has two of three with flu now.
    assert_eq!((verdict.rows, verdict.classes, kinds(&verdict)), (11, 3, vec![FaultKind::Promise]));
}

#[test]
fn a_cancelled_verification_has_no_verdict() {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    let cancel = std::sync::atomic::AtomicBool::new(true);
    let options = Options { cancel: Some(&cancel), ..Options::default() };
    assert!(matches!(verify(&draft.dir(), &options), Err(incrowd_verify::VerifyError::Cancelled)));
}

#[test]
fn no_message_holds_a_cell() {
    let mut draft = Draft::honest(Format::Csv);
    draft.rows[1][1] = Some("Secretville".into());
    draft.rows[2][2] = Some("Secretitis".into());
    let verdict = draft.write().verify();
    assert!(!serde_json::to_string(&verdict).unwrap().contains("Secret"));
}
