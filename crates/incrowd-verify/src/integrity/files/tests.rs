//! Files of a release that are not as the manifest lists them, and what is said of each.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::manifest::ReportEntry;
use crate::release::small::{self, told};

/// The faults of a folder that was changed, the names of the files that may be opened, and their bytes.
fn found(change: impl FnOnce(&Path, &mut Manifest)) -> (Vec<String>, Vec<String>, u64) {
    let (folder, mut manifest) = (tempfile::tempdir().unwrap(), small::manifest());
    small::write(folder.path(), &mut manifest, &[("a.csv", "age\n1\n"), ("b.csv", "age\n22\n33\n")]);
    change(folder.path(), &mut manifest);
    let mut faults = Vec::new();
    let files = check(folder.path(), &manifest, &|| false, &mut faults).unwrap();
    let names = files.readable.iter().map(|file| file.name.clone()).collect();
    (told(&faults), names, files.bytes)
}

#[test]
fn a_plain_name_is_that_of_a_file_in_the_folder_itself() {
    for name in ["a", "data.csv", "a b", "..a", "a..", "_delta_log", "ä.csv", "-"] {
        assert!(is_plain(name), "{name}");
    }
    for name in ["", ".", "..", "a/b", "/a", "/", "a/", "./a", "../a", "a/..", "a/.", "a\\b", "\\", "c:a", "a\0"] {
        assert!(!is_plain(name), "{name}");
    }
}

#[test]
fn files_that_are_whole_are_opened_in_their_order() {
    let names = vec!["a.csv".to_string(), "b.csv".to_string()];
    assert_eq!(found(|_, _| ()), (vec![], names.clone(), 16));
    let upper = |_: &Path, manifest: &mut Manifest| manifest.files[0].sha256.make_ascii_uppercase();
    assert_eq!(found(upper), (vec![], names, 16));
}

#[test]
fn a_file_that_is_not_as_listed_is_told_and_opened_only_if_it_is_plain() {
    let extra = |name: &str| format!("ExtraFile: {name} is in the folder, but not in the manifest");
    let write = |dir: &Path, name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    let (faults, names, bytes) = found(|dir, _| write(dir, "a.csv", "age\n2\n"));
    assert_eq!((names.len(), bytes), (2, 16));
    assert_eq!(faults, ["Checksum: a.csv: the SHA-256 differs from the manifest"]);
    let (faults, names, bytes) = found(|_, manifest| manifest.files[0].bytes = 7);
    assert_eq!((names.len(), bytes), (2, 16), "the bytes that there are");
    assert_eq!(faults, ["Bytes: a.csv has 6 bytes, but the manifest says 7"]);
    let (faults, names, bytes) = found(|dir, _| std::fs::remove_file(dir.join("a.csv")).unwrap());
    assert_eq!((names, bytes), (vec!["b.csv".to_string()], 10));
    assert_eq!(faults, ["MissingFile: a.csv is missing"]);
    let (faults, names, _) = found(|dir, _| {
        std::fs::remove_file(dir.join("b.csv")).unwrap();
        std::fs::create_dir(dir.join("b.csv")).unwrap();
    });
    assert_eq!((names, faults), (vec!["a.csv".to_string()], vec!["FileName: b.csv is not a plain file".to_string()]));
    let (faults, names, _) = found(|_, manifest| manifest.files[1].name = "../a.csv".into());
    assert_eq!(names, ["a.csv"]);
    let not_plain = "FileName: a file name in the manifest is not a plain file name".to_string();
    assert_eq!(faults, [not_plain, extra("b.csv")]);
    for name in ["a.csv", "manifest.json"] {
        let (faults, names, _) = found(|_, manifest| manifest.files[1].name = name.into());
        assert_eq!(names, ["a.csv"]);
        let twice = format!("FileName: {name} is listed twice or is the manifest itself");
        assert_eq!(faults, [twice, extra("b.csv")]);
    }
    let (faults, names, bytes) = found(|dir, manifest| {
        std::fs::remove_file(dir.join("b.csv")).unwrap();
        manifest.files.clear();
    });
    assert_eq!((names.len(), bytes), (0, 0));
    assert_eq!(faults, ["Manifest: the manifest lists no file".to_string(), extra("a.csv")]);
}

#[test]
fn a_page_is_held_against_its_checksum_and_never_counted() {
    let page = |name: &'static str, text: &'static str| {
        move |dir: &Path, manifest: &mut Manifest| {
            manifest.report = Some(ReportEntry::of(name, "page"));
            std::fs::write(dir.join("page.html"), text).unwrap();
        }
    };
    let extra = "ExtraFile: page.html is in the folder, but not in the manifest";
    for (change, expected) in [
        (page("page.html", "page"), vec![]),
        (page("page.html", "pagf"), vec!["Checksum: page.html: the SHA-256 differs from the manifest"]),
        (
            page("a/page.html", "page"),
            vec!["FileName: the name of the report in the manifest is not a plain file name", extra],
        ),
        (page("a.csv", "page"), vec!["FileName: a.csv is listed as the report and as another file", extra]),
    ] {
        let (faults, names, bytes) = found(change);
        assert_eq!((names.len(), bytes), (2, 16));
        assert_eq!(faults, expected);
    }
}

#[test]
fn a_folder_that_cannot_be_looked_at_and_a_cancelled_check_have_no_result() {
    let (folder, mut manifest) = (tempfile::tempdir().unwrap(), small::manifest());
    small::write(folder.path(), &mut manifest, &[("a.csv", "age\n1\n")]);
    let check = |manifest: &Manifest, stop: bool| {
        check(folder.path(), manifest, &|| stop, &mut Vec::new()).map(|files| files.bytes)
    };
    assert!(matches!(check(&manifest, false), Ok(6)));
    assert!(matches!(check(&manifest, true), Err(VerifyError::Cancelled)));
    // No system has a file of such a name, and that is not to say that the file is missing.
    manifest.files[0].name = "a".repeat(5000);
    if cfg!(unix) {
        assert!(matches!(check(&manifest, false), Err(VerifyError::Folder(_))));
    }
}
