//! Each task on files of a few rows, and what is put together in the end from parts that lack something.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::manifest::{Count, Counts, PopulationEntry, ReportEntry, Technique};
use crate::options::Options;
use crate::release::small::{self, DATA, told};
use crate::verify_staged;

const MORE: &str = "age,illness,note\n1,flu,e\n1,,f\n3,gout,g\n3,gout,h\n";

/// A release in two files: four rows in the first class, two in each other.
fn release(change: impl FnOnce(&mut Manifest)) -> (TempDir, Manifest) {
    let (folder, mut manifest) = (tempfile::tempdir().unwrap(), small::manifest());
    small::write(folder.path(), &mut manifest, &[("a.csv", DATA), ("b.csv", MORE)]);
    manifest.classes = 3;
    change(&mut manifest);
    (folder, manifest)
}

const PARTS: usize = 8;

fn tasks_of(dir: &Path, manifest: &Manifest, salt: &[u8]) -> (Vec<CountedFile>, Vec<JudgedPart>) {
    let removed = [b"Hieronymus".to_vec()];
    let count = |file| count_file(dir, (manifest, file), &removed, (PARTS, salt), None).unwrap();
    let (counted, counts): (Vec<CountedFile>, Vec<Vec<Vec<u8>>>) = (0..manifest.files.len()).map(count).unzip();
    let whole = WholeValues::of(&counted);
    let judge = |part: usize| judge_part(manifest, &whole, counts.iter().map(|file| Ok(&file[part]))).unwrap();
    (counted, (0..PARTS).map(judge).collect())
}

fn end(dir: &Path, manifest: &Manifest, counted: &[CountedFile], parts: &[JudgedPart]) -> Verdict {
    verdict(dir, manifest, &[b"Hieronymus".to_vec()], counted, parts).unwrap().0
}

/// Tasks say of a release what one verifier says, however the classes are cut.
fn agreed(change: impl FnOnce(&mut Manifest)) -> Verdict {
    let (folder, manifest) = release(change);
    agreed_on(folder.path(), &manifest)
}

fn agreed_on(dir: &Path, manifest: &Manifest) -> Verdict {
    let one = verify_staged(dir, manifest, &Options::default()).unwrap();
    for salt in 0..4u8 {
        let (counted, parts) = tasks_of(dir, manifest, &[salt]);
        assert_eq!(end(dir, manifest, &counted, &parts), one, "salt {salt}");
    }
    one
}

#[test]
fn tasks_apply_to_one_table_without_people_population_or_treatments() {
    let of = |change: fn(&mut Manifest)| applies(&release(change).1);
    assert!(of(|_| ()));
    assert!(!of(|manifest| manifest.two_tables = small::two_tables().two_tables));
    let population = PopulationEntry { rows: 1, people: 1, count_column: None, sha256: String::new() };
    let (_folder, with) = release(|manifest| manifest.population = Some(population));
    assert!(!applies(&with));
    assert!(!of(|manifest| manifest.policy.known_rows = Some(json!("all"))));
    assert!(!of(|manifest| manifest.columns[3].treatment = Some("blank".into())));
}

#[test]
fn tasks_and_one_verifier_say_the_same_of_what_rows_cannot_show() {
    let verdict = agreed(|_| ());
    assert!(verdict.verified && verdict.notes.is_empty() && verdict.models.len() == 2, "{verdict:?}");
    assert_eq!((verdict.rows, verdict.classes, verdict.smallest_class), (8, 3, 2));
    let shares = |manifest: &mut Manifest| {
        let models = json!([
            { "model": "k-anonymity", "parameters": { "k": 2 } },
            { "model": "t-closeness", "parameters": { "t": 1 }, "sensitive": ["illness"] },
        ]);
        manifest.policy.models = serde_json::from_value(models).unwrap();
    };
    assert_eq!(agreed(shares).models.len(), 2);
    // The third class has gout only, which two of eight rows have: it is 3/4 away, and no other is further.
    for (t, failing) in [("3/4", 0), ("74/100", 1)] {
        let verdict = agreed(|manifest| {
            shares(manifest);
            manifest.policy.models[1].parameters["t"] = json!(t);
        });
        assert_eq!(verdict.models[1].classes_failing, failing, "{t}");
    }
    let people = agreed(|manifest| {
        shares(manifest);
        manifest.counts = Counts::People;
    });
    assert_eq!((people.models.len(), people.not_checked.len(), people.notes.len()), (1, 2, 1));
    let range = agreed(|manifest| {
        manifest.suppressed_rows = Count::between(0, 4).unwrap();
        manifest.source_rows = Count::between(8, 12).unwrap();
    });
    assert_eq!((range.verified, range.notes.len()), (true, 1));
}

#[test]
fn tasks_and_one_verifier_say_the_same_of_broken_promises_and_wrong_counts() {
    let verdict = agreed(|manifest| manifest.policy.models[0].parameters["k"] = json!(3));
    assert_eq!((verdict.models[0].classes_failing, verdict.faults.len()), (2, 1));
    assert_eq!(agreed(|manifest| manifest.policy.models[1].parameters["l"] = json!(2)).models[1].classes_failing, 1);
    assert_eq!(agreed(|manifest| manifest.smallest_class = 4).faults.len(), 1);
    assert_eq!(agreed(|manifest| manifest.policy.suppression = 2.0).faults.len(), 1, "the manifest contradicts itself");
    // A file that is not as the manifest describes it: nothing is judged.
    let verdict = agreed(|manifest| manifest.columns[3].technique = Technique::Removed);
    assert_eq!((verdict.faults.len(), verdict.models.len()), (2, 0));
}

#[test]
fn tasks_and_one_verifier_say_the_same_of_one_wrong_file_and_of_a_page() {
    let (folder, mut manifest) = release(|_| ());
    manifest.report = Some(ReportEntry::of("page.html", "page"));
    std::fs::write(folder.path().join("page.html"), "page").unwrap();
    assert!(agreed_on(folder.path(), &manifest).verified);
    std::fs::write(folder.path().join("page.html"), "pagf").unwrap();
    let verdict = agreed_on(folder.path(), &manifest);
    assert_eq!(told(&verdict.faults), ["Checksum: page.html: the SHA-256 differs from the manifest"]);
    assert_eq!(verdict.models.len(), 2, "the rows are judged all the same");
    // One of two files has other columns: nothing is judged.
    let (folder, mut manifest) = release(|_| ());
    let other = "age,note,illness\n1,a,flu\n";
    small::write(folder.path(), &mut manifest, &[("a.csv", DATA), ("b.csv", other)]);
    let verdict = agreed_on(folder.path(), &manifest);
    let expected = "Columns: the columns of b.csv are not the published columns of the manifest, in order";
    assert_eq!((told(&verdict.faults), verdict.models.len()), (vec![expected.to_string()], 0));
}

#[test]
fn a_file_is_counted_with_the_rows_of_each_value() {
    let (folder, manifest) = release(|_| ());
    let count = |file, parts| count_file(folder.path(), (&manifest, file), &[], (parts, b"salt"), None);
    let (counted, counts) = count(0, 0).unwrap();
    assert_eq!((counted.rows, counted.bytes, counted.whole, counts.len()), (4, DATA.len() as u64, true, 1));
    let value = |text: &str, rows| (Some(text.to_string()), rows);
    assert_eq!(counted.values, [vec![(None, 1), value("flu", 2), value("cold", 1)]]);
    assert_eq!(count(0, 5).unwrap().1.len(), 5);
    let (other, _) = count(1, 1).unwrap();
    assert_eq!(other.values, [vec![(None, 1), value("flu", 1), value("gout", 2)]]);
    let sums = vec![(None, 2), value("cold", 1), value("flu", 3), value("gout", 2)];
    assert_eq!(WholeValues::of(&[counted.clone(), other.clone()]).0, std::slice::from_ref(&sums));
    let none = CountedFile { values: Vec::new(), ..other.clone() };
    assert_eq!(WholeValues::of(&[counted, none, other]).0, [sums], "a file that could not be read has no values");
    assert!(WholeValues::of(&[]).0.is_empty());
    assert!(matches!(count(2, 1), Err(VerifyError::Folder(_))), "there is no third file");
    let cancel = AtomicBool::new(true);
    let cancelled = count_file(folder.path(), (&manifest, 0), &[], (1, b""), Some(&cancel));
    assert!(matches!(cancelled, Err(VerifyError::Cancelled)));
}

#[test]
fn a_file_without_missing_values_has_no_rows_of_them() {
    let (folder, mut manifest) = release(|_| ());
    small::write(folder.path(), &mut manifest, &[("a.csv", "age,illness,note\n1,flu,a\n")]);
    let (counted, _) = count_file(folder.path(), (&manifest, 0), &[], (1, b""), None).unwrap();
    assert_eq!(counted.values, [[(Some("flu".to_string()), 1)]]);
}

#[test]
fn a_file_that_is_missing_or_another_table_is_not_whole_and_not_searched() {
    let (folder, mut manifest) = release(|_| ());
    let count = |manifest: &Manifest| {
        let removed = [b"flu".to_vec()];
        let (counted, _) = count_file(folder.path(), (manifest, 0), &removed, (1, b""), None).unwrap();
        let bytes = serde_json::to_value(&counted.removed).unwrap()["bytes"].as_u64().unwrap();
        (counted.whole, counted.rows, counted.bytes, bytes, told(&counted.faults))
    };
    let bytes = DATA.len() as u64;
    assert_eq!(count(&manifest), (true, 4, bytes, bytes, vec![]));
    let name = std::mem::replace(&mut manifest.columns[3].name, "other".into());
    let expected = "Columns: the columns of a.csv are not the published columns of the manifest, in order";
    assert_eq!(count(&manifest), (false, 0, bytes, 0, vec![expected.to_string()]));
    manifest.columns[3].name = name;
    std::fs::remove_file(folder.path().join("a.csv")).unwrap();
    assert_eq!(count(&manifest), (false, 0, 0, 0, vec!["MissingFile: a.csv is missing".to_string()]));
}

#[test]
fn what_is_missing_in_the_end_is_told() {
    let (folder, manifest) = release(|_| ());
    let (counted, parts) = tasks_of(folder.path(), &manifest, b"salt");
    let end = |counted: &[CountedFile], parts: &[JudgedPart]| {
        let verdict = end(folder.path(), &manifest, counted, parts);
        assert_eq!(verdict.verified, verdict.faults.is_empty());
        (told(&verdict.faults), verdict)
    };
    assert!(end(&counted, &parts).1.verified);
    assert!(parts.iter().any(|part| part.classes == 0) && parts.iter().all(|part| part.models.len() == 2));
    let (told, verdict) = end(&counted[..1], &parts);
    assert_eq!((told, verdict.models.len()), (vec!["Unreadable: not every file was counted".to_string()], 0));
    let (told, _) = end(&counted, &[]);
    assert!(told.contains(&"Empty: no class was judged".to_string()), "{told:?}");
    let filled = parts.iter().position(|part| part.classes > 0).unwrap();
    let without = [&parts[..filled], &parts[filled + 1..]].concat();
    let (told, _) = end(&counted, &without);
    assert!(told.contains(&"Rows: the classes do not have the rows of the files".to_string()), "{told:?}");
    let incomplete = ["Policy: not every model was put before every class"];
    for lacking in [0..1, 1..2, 0..PARTS] {
        let mut fewer = parts.clone();
        fewer[lacking].iter_mut().for_each(|part| drop(part.models.pop()));
        assert_eq!(end(&counted, &fewer).0, incomplete);
    }
}

#[test]
fn what_is_noted_of_several_parts_is_noted_once() {
    let (folder, manifest) = release(|_| ());
    let (counted, mut parts) = tasks_of(folder.path(), &manifest, b"salt");
    let note = |note: &str| note.to_string();
    parts[0].notes = vec![note("a")];
    parts[1].notes = vec![note("a"), note("b")];
    parts[2].notes = vec![note("c"), note("b")];
    assert_eq!(end(folder.path(), &manifest, &counted, &parts).notes, ["a", "b", "c"]);
}

#[test]
fn a_part_is_judged_by_its_counts_from_all_files() {
    let (folder, manifest) = release(|_| ());
    let count = |file| count_file(folder.path(), (&manifest, file), &[], (1, b""), None).unwrap();
    let (counted, counts): (Vec<CountedFile>, Vec<Vec<Vec<u8>>>) = (0..2).map(count).unzip();
    let whole = WholeValues::of(&counted);
    let judged = judge_part(&manifest, &whole, counts.iter().map(|file| Ok(&file[0]))).unwrap();
    assert_eq!((judged.classes, judged.smallest_class, judged.rows), (3, 2, 8));
    let bytes = &counts[0][0];
    let cut = (0..bytes.len()).filter(|end| judge_part(&manifest, &whole, [Ok(&bytes[..*end])].into_iter()).is_ok());
    assert_eq!(cut.collect::<Vec<_>>(), [0; 0]);
    let none: [Result<Vec<u8>, VerifyError>; 1] = [Err(VerifyError::Cancelled)];
    assert!(matches!(judge_part(&manifest, &whole, none.into_iter()), Err(VerifyError::Cancelled)));
}
