//! A release under another name is whole and verified there, or not there at all.

use incrowd::{Error, Record, copy_release};

use super::support::{Desk, change_lines, reseal};

#[test]
fn a_copy_is_a_release_with_its_record_and_true_to_the_table() {
    let desk = Desk::new();
    let (release, target) = (desk.made(), desk.path("copy"));
    assert!(copy_release(&release, &target, false).unwrap().verified);
    assert!(desk.verdict_against(&target).verified, "the record beside it tells the hierarchies");
    assert_eq!(Record::of(&target).unwrap().unwrap().release, Record::of(&release).unwrap().unwrap().release);
    assert!(matches!(copy_release(&release, &target, false), Err(Error::ReleaseExists(_))));
    assert!(copy_release(&release, &target, true).unwrap().verified);
}

#[test]
fn what_does_not_keep_its_promise_is_not_copied() {
    let desk = Desk::new();
    let (release, target) = (desk.made(), desk.path("copy"));
    change_lines(&release, |lines| drop(lines.pop()));
    assert!(matches!(copy_release(&release, &target, false), Err(Error::ReleaseChanged { .. })));
    reseal(&release, |_| {});
    assert!(matches!(copy_release(&release, &target, false), Err(Error::Unverified(_))));
    assert!(!target.exists() && !desk.path("copy.internal").exists());
    assert!(matches!(copy_release(&desk.path("nowhere"), &target, false), Err(Error::NotARelease(_))));
}

#[test]
fn a_manifest_that_names_files_elsewhere_is_refused() {
    let desk = Desk::new();
    let release = desk.made();
    std::fs::copy(release.join("data.csv"), desk.path("outside.csv")).unwrap();
    reseal(&release, |manifest| manifest.files[0].name = "../outside.csv".into());
    assert!(matches!(copy_release(&release, &desk.path("copy"), false), Err(Error::ReleaseChanged { .. })));
}
