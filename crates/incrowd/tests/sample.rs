//! The sample table through the whole of the library: written in every format, read back, checked.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use incrowd::core::{Cancel, Role, Silent};
use incrowd::risk::roles::Confidence;
use incrowd::sample::{Sample, hierarchies, write};
use incrowd::{Check, CheckOptions, Engine, ReadOptions, Settings, Source, TableWriter, Target, check};

const ROWS: u64 = 2_000;

fn write_sample(path: &Path, rows: u64, seed: u64) {
    let writer = TableWriter::new(Target::new(path).unwrap());
    write(&Sample::new(rows, seed), writer, &Cancel::default(), &Silent).unwrap();
}

fn checked(path: &Path) -> Check {
    let temp = tempfile::tempdir().unwrap();
    let settings = Settings { temp: Some(temp.path().join("temp")), ..Settings::default() };
    let engine = Engine::new(&settings).unwrap();
    let source = Source::open(&engine, path.to_str().unwrap(), ReadOptions::default()).unwrap();
    check(&engine, &source, &CheckOptions { max_set_size: 2, ..CheckOptions::default() }).unwrap()
}

#[test]
fn every_column_is_taken_for_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("census.csv");
    write_sample(&path, ROWS, 42);
    let found = checked(&path);
    let role = |name: &str| match name {
        "person_id" => Role::Identifier,
        "diagnosis" | "salary-class" => Role::Sensitive,
        _ => Role::QuasiIdentifier,
    };
    assert_eq!(found.columns.len(), 13);
    for column in &found.columns {
        assert_eq!((column.role, column.confidence), (role(&column.name), Confidence::Sure), "{}", column.name);
    }
    assert!(!found.safe && found.diagnosis.findings.iter().any(|finding| finding.code.code == "IC201"));
}

#[test]
fn the_format_of_a_file_does_not_change_the_diagnosis() {
    let folder = tempfile::tempdir().unwrap();
    let found = |name: &str| {
        let path = folder.path().join(name);
        write_sample(&path, ROWS, 7);
        checked(&path)
    };
    let csv = found("census.csv");
    for name in ["census.csv.gz", "census.csv.zst", "census.tsv", "census.parquet", "census.arrow"] {
        let other = found(name);
        assert_eq!(other.diagnosis, csv.diagnosis, "{name}");
        assert_eq!(other.columns, csv.columns, "{name}");
        assert_eq!(other.verdict, csv.verdict, "{name}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let folder = tempfile::tempdir().unwrap();
    for ending in ["csv", "csv.gz", "tsv", "parquet", "arrow"] {
        let bytes = |name: &str, seed: u64| {
            let path = folder.path().join(format!("{name}.{ending}"));
            write_sample(&path, ROWS, seed);
            std::fs::read(path).unwrap()
        };
        let first = bytes("first", 1);
        assert!(first == bytes("second", 1), "{ending}: the same seed gave other bytes");
        assert!(first != bytes("third", 2), "{ending}: another seed gave the same bytes");
    }
}

#[test]
fn a_stopped_sample_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let cancel = Cancel::default();
    cancel.cancel();
    let writer = TableWriter::new(Target::new(&folder.path().join("census.csv")).unwrap());
    let stopped = write(&Sample::new(ROWS, 1), writer, &cancel, &Silent).expect_err("stopped");
    assert_eq!(stopped.code(), "IC412");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_hierarchies_cover_the_columns_they_are_named_after() {
    use incrowd::core::{Coverage, Hierarchy};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("census.csv");
    write_sample(&path, ROWS, 42);
    let engine = Engine::new(&Settings { temp: Some(folder.path().join("temp")), ..Settings::default() }).unwrap();
    let source = Source::open(&engine, path.to_str().unwrap(), ReadOptions::default()).unwrap();
    let profiles = source.profile(&engine).unwrap();
    for (column, text) in hierarchies() {
        let profile = profiles.iter().find(|profile| profile.name == column).unwrap();
        let hierarchy = Hierarchy::read(&text).unwrap();
        assert!(Coverage::of(&hierarchy, &profile.dictionary).is_complete(), "{column}");
    }
}
