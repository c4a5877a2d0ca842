//! A release can be a Delta table: its files with a log of one version.

use std::path::Path;

use incrowd::{AnonymizeOptions, Error, Format, Publish, Verdict, copy_release};

use super::support::Desk;

const LOG: &str = "_delta_log/00000000000000000000.json";

fn options(desk: &Desk) -> AnonymizeOptions {
    AnonymizeOptions { format: Format::Parquet, delta: true, ..desk.options() }
}

fn verdict(folder: &Path) -> Verdict {
    incrowd_verify::verify(folder, &incrowd_verify::Options::default()).unwrap()
}

#[test]
fn a_release_with_a_log_is_verified_and_read_as_a_delta_table() {
    let desk = Desk::new();
    desk.release("release", &options(&desk)).unwrap();
    let folder = desk.path("release");
    assert!(desk.verdict_against(&folder).verified);
    assert!(folder.join(LOG).is_file() && folder.join("report.html").is_file());
    let table = desk.source("release");
    let files = table.files();
    assert!(files.len() == 1 && files[0].ends_with("data.parquet"), "the log names one file: {files:?}");
    assert_eq!(table.columns(), ["age", "town", "visits", "diagnosis"]);
    let log = std::fs::read_to_string(folder.join(LOG)).unwrap();
    assert!(!log.contains("ZQX") && !log.contains("minValues"), "{log}");
}

#[test]
fn a_delta_table_is_replaced_as_a_whole_and_never_by_a_second_version() {
    let desk = Desk::new();
    desk.release("release", &options(&desk)).unwrap();
    let first = std::fs::read(desk.path("release").join(LOG)).unwrap();
    desk.release("release", &AnonymizeOptions { force: true, seed: Some(8), ..options(&desk) }).unwrap();
    assert_ne!(std::fs::read(desk.path("release").join(LOG)).unwrap(), first);
    let logs = std::fs::read_dir(desk.path("release/_delta_log")).unwrap().count();
    assert_eq!(logs, 1);
    desk.release("release", &AnonymizeOptions { delta: false, force: true, ..options(&desk) }).unwrap();
    assert!(!desk.path("release/_delta_log").exists());
}

#[test]
fn a_second_version_that_somebody_added_is_neither_verified_nor_deleted() {
    let desk = Desk::new();
    desk.release("release", &options(&desk)).unwrap();
    let added = desk.path("release/_delta_log/00000000000000000001.json");
    std::fs::write(&added, "{}\n").unwrap();
    assert!(!verdict(&desk.path("release")).verified);
    let again = desk.release("release", &AnonymizeOptions { force: true, ..options(&desk) });
    assert!(matches!(again, Err(Error::ForeignFiles { .. })), "{again:?}");
    assert!(added.exists());
}

#[test]
fn a_copy_of_a_delta_table_is_one() {
    let desk = Desk::new();
    desk.release("release", &options(&desk)).unwrap();
    assert!(copy_release(&desk.path("release"), &desk.path("copy"), false).unwrap().verified);
    assert!(verdict(&desk.path("copy")).verified && desk.path("copy").join(LOG).is_file());
}

#[test]
fn two_tables_and_names_that_differ_in_case_are_refused_before_a_row_is_read() {
    let desk = Desk::new();
    let two = AnonymizeOptions { publish: Publish::TwoTables, ..options(&desk) };
    let refused = desk.release("release", &two).unwrap_err();
    assert_eq!(refused.code(), "IC440", "{refused}");
    let text = std::fs::read_to_string(desk.path("patients.csv")).unwrap();
    std::fs::write(desk.path("patients.csv"), text.replacen("visits", "Town", 1)).unwrap();
    let mut asked = options(&desk);
    asked.declared.insensitive = vec!["Town".into()];
    asked.keep_identifying = vec!["Town".into()];
    let refused = desk.release("release", &asked).unwrap_err();
    assert_eq!(refused.code(), "IC440", "{refused}");
    assert!(!desk.path("release").exists());
}
