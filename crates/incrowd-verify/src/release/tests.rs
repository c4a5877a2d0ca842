//! Files of a release as they are read, and counts that are not those of the manifest.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;

use super::small::{self, DATA, told};
use super::*;
use crate::read::CellEncoder;

/// Counts the rows of two files, of which some may be opened; says whether all were read.
fn counted(
    open: usize,
    cancel: bool,
    change: impl FnOnce(&Path, &mut Manifest),
) -> Result<(bool, u64, Vec<String>), VerifyError> {
    let (folder, mut manifest) = (tempfile::tempdir().unwrap(), small::manifest());
    let files = [("a.csv", DATA), ("b.csv", "age,illness,note\n3,flu,a\n")];
    small::write(folder.path(), &mut manifest, &files);
    change(folder.path(), &mut manifest);
    let release = Release::new(folder.path(), &manifest, manifest.files.iter().take(open).collect(), None);
    let mut counter = Counter::new(vec![CellEncoder::plain()], 1);
    let cancel = AtomicBool::new(cancel);
    let (progress, mut verdict) = (ReadProgress::new(Some(&cancel), None, 5), Verdict::default());
    let whole = release.count(&[0], &mut counter, &progress, &mut verdict)?;
    Ok((whole, counter.rows(), told(&verdict.faults)))
}

#[test]
fn all_files_are_counted_as_the_manifest_describes_them() {
    let of = |open: usize, change: fn(&Path, &mut Manifest)| counted(open, false, change).unwrap();
    assert_eq!(of(2, |_, _| ()), (true, 5, vec![]));
    assert_eq!(of(1, |_, _| ()), (false, 4, vec![]), "a file that may not be opened is missing from the counts");
    let rows = |name: &str, rows: u64, said: u64| format!("Rows: {name} has {rows} rows, the manifest says {said}");
    assert_eq!(of(2, |_, manifest| manifest.files[0].rows = 3), (true, 5, vec![rows("a.csv", 4, 3)]));
    assert_eq!(of(2, |_, manifest| manifest.files[1].rows = 5), (true, 5, vec![rows("b.csv", 1, 5)]));
    let columns =
        |name: &str| format!("Columns: the columns of {name} are not the published columns of the manifest, in order");
    for header in ["age,illness\n", "age,note,illness\n", "age,illness,note,more\n", "Age,illness,note\n"] {
        let write = |dir: &Path, _: &mut Manifest| std::fs::write(dir.join("a.csv"), header).unwrap();
        assert_eq!(counted(2, false, write).unwrap(), (false, 1, vec![columns("a.csv")]), "{header}");
    }
    let last = of(2, |dir, _| std::fs::write(dir.join("b.csv"), "age\n").unwrap());
    assert_eq!(last, (false, 4, vec![columns("b.csv")]));
}

#[test]
fn a_file_that_cannot_be_read_is_told_and_a_cancelled_count_has_no_result() {
    // Its columns cannot be read, or a row cannot.
    for text in [&b"a,\xff\n"[..], b"age,illness,note\n1,flu\n"] {
        let write = |dir: &Path, _: &mut Manifest| std::fs::write(dir.join("a.csv"), text).unwrap();
        let (whole, _, told) = counted(2, false, write).unwrap();
        assert!(!whole && told.len() == 1 && told[0].starts_with("Unreadable: a.csv: "), "{told:?}");
    }
    assert!(matches!(counted(2, true, |_, _| ()), Err(VerifyError::Cancelled)));
}

#[test]
fn a_file_is_found_by_its_name_if_it_may_be_opened() {
    let manifest = small::two_tables();
    let release = Release::new(Path::new("release"), &manifest, manifest.files.iter().skip(1).collect(), None);
    assert_eq!(release.file("second.csv"), Some(&manifest.files[1]));
    assert_eq!(release.file("first.csv"), None);
    assert_eq!(release.entries().collect::<Vec<_>>(), [&manifest.files[1]]);
    assert_eq!(release.paths().collect::<Vec<_>>(), [(Path::new("release").join("second.csv"), &manifest.files[1])]);
    let names: Vec<&str> = release.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["age", "illness", "note"]);
}

#[test]
fn counts_are_compared_with_those_of_the_manifest() {
    let compared = |(rows, classes, smallest_class): (u64, u64, u64), change: fn(&mut Manifest)| {
        let mut manifest = small::manifest();
        change(&mut manifest);
        let mut verdict = Verdict { rows, classes, smallest_class, ..Verdict::default() };
        Release::new(Path::new(""), &manifest, Vec::new(), None).compare_counts(&mut verdict);
        told(&verdict.faults)
    };
    let smallest = |rows: u64| format!("Classes: the smallest class has {rows} rows, the manifest says 2");
    assert_eq!(compared((4, 2, 2), |_| ()), [""; 0]);
    assert_eq!(compared((4, 3, 2), |_| ()), ["Classes: there are 3 classes, the manifest says 2"]);
    assert_eq!(compared((4, 2, 1), |_| ()), [smallest(1)]);
    assert_eq!(compared((4, 2, 3), |_| ()), [smallest(3)]);
    let people: fn(&mut Manifest) = |manifest| manifest.counts = Counts::People;
    assert_eq!(compared((4, 2, 1), people), [smallest(1)]);
    assert_eq!(compared((4, 2, 2), people), [""; 0]);
    assert_eq!(compared((4, 2, 3), people), [""; 0], "a class has at least as many rows as people");
    assert_eq!(compared((0, 2, 2), |_| ()), ["Empty: the files have no rows"]);
    assert_eq!(compared((0, 2, 2), |manifest| manifest.rows = 0), [""; 0], "that is told of the manifest");
    assert_eq!(compared((0, 2, 2), |manifest| manifest.rows = 1), ["Empty: the files have no rows"]);
}
