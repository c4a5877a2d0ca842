//! Which files a log names: commits, checkpoints, versions, and what is refused.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, ListArray, StringArray, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Fields};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;

use super::*;

const PROTOCOL: &str = r#"{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}"#;
const METADATA: &str = r#"{"metaData":{"id":"1","schemaString":"{}","partitionColumns":[],"configuration":{}}}"#;

fn add(name: &str) -> String {
    format!(r#"{{"add":{{"path":"{name}","partitionValues":{{}},"size":1,"modificationTime":0,"dataChange":true}}}}"#)
}

fn remove(name: &str) -> String {
    format!(r#"{{"remove":{{"path":"{name}","dataChange":true}}}}"#)
}

/// A table whose commits are these lines.
fn table(commits: &[&[String]]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(LOG)).expect("made");
    for (version, lines) in commits.iter().enumerate() {
        std::fs::write(folder.path().join(LOG).join(format!("{version:020}.json")), lines.join("\n")).expect("written");
    }
    folder
}

fn looked(named: &str) -> Result<Option<Vec<TableFile>>> {
    find(named, &ReadLimits::within(None))
}

/// The names of the files of a table.
fn names(named: &str) -> Result<Vec<String>> {
    let files = looked(named)?.expect("a Delta table");
    Ok(files.iter().map(|file| file.file_name().unwrap_or_default().to_string_lossy().into_owned()).collect())
}

fn fault(folder: &tempfile::TempDir) -> LakehouseFault {
    match names(&folder.path().display().to_string()) {
        Err(EngineError::Lakehouse { fault, .. }) => fault,
        other => panic!("{other:?}"),
    }
}

fn three_versions() -> tempfile::TempDir {
    table(&[
        &[PROTOCOL.into(), METADATA.into(), add("a.parquet"), add("b%20c.parquet")],
        // As Spark writes it when rows are updated: what is removed may come last.
        &[add("d.parquet"), add("f g.parquet"), remove("a.parquet")],
        &[r#"{"commitInfo":{"operation":"WRITE"}}"#.into(), add("e.parquet"), remove("f%20g.parquet"), String::new()],
    ])
}

#[test]
fn a_file_that_was_removed_is_not_the_table_and_each_version_is() {
    let folder = three_versions();
    let named = folder.path().display().to_string();
    assert_eq!(names(&named).expect("read"), ["b c.parquet", "d.parquet", "e.parquet"]);
    assert_eq!(names(&format!("{named}@v0")).expect("read"), ["a.parquet", "b c.parquet"]);
    assert_eq!(names(&format!("{named}@v1")).expect("read"), ["b c.parquet", "d.parquet", "f g.parquet"]);
    let refused = names(&format!("{named}@v3")).expect_err("refused").to_string();
    assert!(refused.ends_with("version 3 of the Delta table is not in its log; the last version is 2"), "{refused}");
    assert!(looked("no-such-folder@v1").expect("looked").is_none());
}

/// A checkpoint of one added file and the protocol, as writers make them.
fn write_checkpoint(path: &Path, file: &str) {
    let text = |texts: Vec<Option<&str>>| Arc::new(StringArray::from(texts)) as ArrayRef;
    let there = |at: usize| Some(NullBuffer::from_iter((0..3).map(|row| row == at)));
    let one = |name: &str, column: ArrayRef, at: usize| {
        let fields = Fields::from(vec![Field::new(name, column.data_type().clone(), true)]);
        Arc::new(StructArray::new(fields, vec![column], there(at))) as ArrayRef
    };
    let no_columns = ListArray::new(
        Arc::new(Field::new("item", DataType::Utf8, true)),
        OffsetBuffer::from_lengths([0, 0, 0]),
        text(vec![]),
        None,
    );
    let columns = [
        ("add", one("path", text(vec![Some(file), None, None]), 0)),
        ("metaData", one("partitionColumns", Arc::new(no_columns), 1)),
        ("protocol", one("minReaderVersion", Arc::new(Int32Array::from(vec![0, 0, 1])), 2)),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let mut writer = ArrowWriter::try_new(File::create(path).expect("a file"), batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

#[test]
fn a_checkpoint_stands_for_the_commits_before_it() {
    let folder = three_versions();
    let (named, log) = (folder.path().display().to_string(), folder.path().join(LOG));
    write_checkpoint(&log.join(format!("{:020}.checkpoint.parquet", 1)), "from-checkpoint.parquet");
    for commit in [0, 1] {
        std::fs::remove_file(log.join(format!("{commit:020}.json"))).expect("removed");
    }
    assert_eq!(names(&named).expect("read"), ["e.parquet", "from-checkpoint.parquet"]);
    assert_eq!(names(&format!("{named}@v1")).expect("read"), ["from-checkpoint.parquet"]);
    assert!(names(&format!("{named}@v0")).is_err(), "its log was removed");
    // One of two parts of a checkpoint is none.
    std::fs::rename(
        log.join(format!("{:020}.checkpoint.parquet", 1)),
        log.join(format!("{:020}.checkpoint.{:010}.{:010}.parquet", 1, 1, 2)),
    )
    .expect("renamed");
    assert!(names(&named).is_err());
}

#[test]
fn what_changes_the_rows_of_a_file_is_refused() {
    let with = |line: &str| table(&[&[PROTOCOL.into(), METADATA.into(), add("a.parquet"), line.into()]]);
    let deleted = r#"{"add":{"path":"b.parquet","deletionVector":{"storageType":"u"}}}"#;
    assert_eq!(fault(&with(deleted)), LakehouseFault::Feature("deletionVectors".into()));
    let mapped = r#"{"metaData":{"configuration":{"delta.columnMapping.mode":"name"}}}"#;
    assert_eq!(fault(&with(mapped)), LakehouseFault::Feature("columnMapping".into()));
    let features = r#"{"protocol":{"minReaderVersion":3,"readerFeatures":["timestampNtz","v2Checkpoint"]}}"#;
    assert_eq!(fault(&with(features)), LakehouseFault::Feature("v2Checkpoint".into()));
    assert_eq!(
        fault(&with(r#"{"protocol":{"minReaderVersion":4}}"#)),
        LakehouseFault::Feature("readers of version 4".into())
    );
    let partitioned = r#"{"metaData":{"partitionColumns":["year"]}}"#;
    assert_eq!(fault(&with(partitioned)), LakehouseFault::Partitioned(vec!["year".into()]));
    assert_eq!(fault(&with("{")), LakehouseFault::Damaged);
    assert_eq!(fault(&table(&[&[add("a.parquet")]])), LakehouseFault::Damaged);
    for elsewhere in ["../a.parquet", "/etc/a.parquet", "file:///a.parquet", "s3://bucket/a.parquet"] {
        assert_eq!(fault(&with(&add(elsewhere))), LakehouseFault::FilesElsewhere, "{elsewhere}");
    }
    // Allowed, but not used.
    let unused = r#"{"protocol":{"minReaderVersion":3,"readerFeatures":["deletionVectors","columnMapping"]}}"#;
    assert_eq!(names(&with(unused).path().display().to_string()).expect("read"), ["a.parquet"]);
}

#[test]
fn an_iceberg_table_is_recognized_also_by_its_data() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["metadata", "data"] {
        std::fs::create_dir(folder.path().join(name)).expect("made");
    }
    assert!(looked(&folder.path().join("data").display().to_string()).expect("looked").is_none());
    std::fs::write(folder.path().join("metadata/v1.metadata.json"), "{}").expect("written");
    for named in [folder.path().into(), folder.path().join("data")] {
        let refused = looked(&named.display().to_string());
        assert!(matches!(refused, Err(EngineError::Lakehouse { fault: LakehouseFault::Iceberg, .. })), "{refused:?}");
    }
}
