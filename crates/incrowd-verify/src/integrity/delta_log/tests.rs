//! Logs of Delta tables that differ from their manifest in one thing, and what is said of each.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::*;
use crate::manifest::{FileEntry, Role, Technique};
use crate::release::small::{self, told};

/// A manifest of two Parquet files.
fn manifest() -> Manifest {
    let mut manifest = small::manifest();
    let file = |name: &str, bytes, rows| FileEntry {
        name: name.into(),
        format: Format::Parquet,
        bytes,
        rows,
        ..manifest.files[0].clone()
    };
    manifest.files = vec![file("a.parquet", 100, 1), file("b.parquet", 200, 3)];
    manifest.columns.push(small::column("seen", Role::Insensitive, Technique::Retained));
    manifest
}

fn field(name: &str, of: &str) -> Value {
    json!({ "name": name, "type": of, "nullable": true, "metadata": {} })
}

fn schema() -> Value {
    json!({ "type": "struct", "fields": [
        field("age", "string"), field("illness", "decimal(5,2)"), field("note", "string"), field("seen", "date"),
    ] })
}

fn add(name: &str, size: u64, rows: u64) -> Value {
    json!({ "add": { "path": name, "partitionValues": {}, "size": size, "modificationTime": 1000, "dataChange": true,
        "stats": json!({ "numRecords": rows }).to_string() } })
}

/// The lines of the log of that manifest.
fn lines() -> Vec<Value> {
    vec![
        json!({ "protocol": { "minReaderVersion": 1, "minWriterVersion": 2 } }),
        json!({ "metaData": { "id": "9f0c4be2-a1d9-4c5e-8f7a-6b5c4d3e2f10",
            "format": { "provider": "parquet", "options": {} }, "schemaString": schema().to_string(),
            "partitionColumns": [], "configuration": {}, "createdTime": 1000 } }),
        add("a.parquet", 100, 1),
        add("b.parquet", 200, 3),
    ]
}

fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What is said of a log of which some values were replaced, each by its path in a line.
fn said(changes: &[(usize, &str, Value)]) -> Option<&'static str> {
    let mut lines = lines();
    for (line, path, value) in changes {
        *lines[*line].pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = value.clone();
    }
    fault_of(&text(&lines), &manifest())
}

/// What is said of a log whose columns were changed.
fn said_of_columns(change: impl FnOnce(&mut Vec<Value>)) -> Option<&'static str> {
    let mut schema = schema();
    change(schema["fields"].as_array_mut().unwrap());
    said(&[(1, "/metaData/schemaString", schema.to_string().into())])
}

const SETTINGS: Option<&str> = Some("has settings that a release does not have");
const COLUMNS: Option<&str> = Some("does not have the published columns");
const FILES: Option<&str> = Some("does not have the files of the manifest");
const LINE: Option<&str> = Some("has a line that a release does not have");
const LINES: Option<&str> = Some("does not have one protocol and one table");

#[test]
fn a_log_has_the_lines_of_a_release_and_no_other() {
    assert_eq!(said(&[]), None);
    let with = |change: fn(&mut Vec<Value>)| {
        let mut lines = lines();
        change(&mut lines);
        fault_of(&text(&lines), &manifest())
    };
    assert_eq!(with(|lines| lines.reverse()), None, "in any order");
    assert_eq!(with(|lines| lines.push(json!({ "commitInfo": {} }))), LINE);
    assert_eq!(with(|lines| lines.push(json!(""))), LINE);
    for at in [0, 1] {
        let mut without = lines();
        let line = without.remove(at);
        assert_eq!(fault_of(&text(&without), &manifest()), LINES);
        let twice = [lines(), vec![line]].concat();
        assert_eq!(fault_of(&text(&twice), &manifest()), LINES);
    }
    assert_eq!(with(|lines| lines.push(add("a.parquet", 100, 1))), Some("names a file twice"));
    let whole = text(&lines());
    for end in 1..whole.len() {
        assert_eq!(fault_of(&whole[..end], &manifest()).is_none(), end == whole.len() - 1, "cut at {end}");
    }
}

#[test]
fn a_log_has_the_files_of_the_manifest_and_no_other() {
    for (path, value) in [
        ("/add/path", json!("c.parquet")),
        ("/add/size", json!(99)),
        ("/add/size", json!(101)),
        ("/add/partitionValues", json!({ "age": "1" })),
        ("/add/modificationTime", json!(1001)),
        ("/add/dataChange", json!(false)),
        ("/add/stats", json!("{\"numRecords\":2}")),
        ("/add/stats", json!("{\"numRecords\":1,\"minValues\":{}}")),
        ("/add/stats", json!("")),
    ] {
        assert_eq!(said(&[(2, path, value.clone())]), FILES, "{path} {value}");
    }
    assert_eq!(said(&[(2, "/add/path", json!("b.parquet"))]), Some("names a file twice"));
    for at in [2, 3] {
        let mut without = lines();
        without.remove(at);
        assert_eq!(fault_of(&text(&without), &manifest()), FILES);
        let mut other = manifest();
        other.files[at - 2].format = Format::Arrow;
        assert_eq!(fault_of(&text(&lines()), &other), FILES, "a Delta table has Parquet files only");
    }
    let more = [lines(), vec![add("c.parquet", 1, 1)]].concat();
    assert_eq!(fault_of(&text(&more), &manifest()), FILES);
}

#[test]
fn a_log_has_no_settings_and_the_number_of_the_release() {
    for (path, value) in [
        ("/metaData/format/provider", json!("csv")),
        ("/metaData/format/options", json!({ "a": "b" })),
        ("/metaData/partitionColumns", json!(["age"])),
        ("/metaData/configuration", json!({ "a": "b" })),
    ] {
        assert_eq!(said(&[(1, path, value)]), SETTINGS, "{path}");
    }
    let number = |id: &str| said(&[(1, "/metaData/id", json!(id))]);
    assert_eq!(number("9f0c4be2a1d94c5e8f7a6b5c4d3e2f10"), None);
    for other in ["9f0c4be3-a1d9-4c5e-8f7a-6b5c4d3e2f10", "", "9f0c4be2a1d94c5e8f7a6b5c4d3e2f1", "----"] {
        assert_eq!(number(other), Some("has another number than the release"), "{other}");
    }
    let mut two = manifest();
    two.two_tables = small::two_tables().two_tables;
    assert_eq!(fault_of(&text(&lines()), &two), Some("is that of one table, but the release has two"));
}

#[test]
fn a_log_has_the_published_columns_in_their_order() {
    assert_eq!(said_of_columns(|_| ()), None);
    for at in 0..4 {
        assert_eq!(said_of_columns(|fields| fields[at]["name"] = json!("name")), COLUMNS);
        assert_eq!(said_of_columns(|fields| fields[at]["type"] = json!("void")), COLUMNS);
        assert_eq!(said_of_columns(|fields| fields[at]["nullable"] = json!(false)), COLUMNS);
        assert_eq!(said_of_columns(|fields| fields[at]["metadata"] = json!({ "a": "b" })), COLUMNS);
        assert_eq!(said_of_columns(|fields| drop(fields.remove(at))), COLUMNS);
    }
    assert_eq!(said_of_columns(|fields| fields.swap(0, 1)), COLUMNS);
    assert_eq!(said_of_columns(|fields| fields.push(field("more", "string"))), COLUMNS);
    let unreadable = Some("has columns that cannot be read");
    assert_eq!(said_of_columns(|fields| fields[0]["comment"] = json!("Ada")), unreadable);
    let list = schema().to_string().replace("struct", "list");
    assert_eq!(said(&[(1, "/metaData/schemaString", list.into())]), COLUMNS);
}

#[test]
fn a_protocol_is_the_plain_one_or_that_of_instants_without_a_zone() {
    let unknown = Some("needs readers that are not known");
    assert_eq!(said_of_columns(|fields| fields[3]["type"] = json!("timestamp_ntz")), unknown);
    let local: &[&str] = &["timestampNtz"];
    let (twice, other): (&[&str], &[&str]) = (&["timestampNtz"; 2], &["deletionVectors"]);
    for (versions, reader, writer, has_local, known) in [
        ((1, 2), &[][..], &[][..], false, true),
        ((1, 2), &[], &[], true, false),
        ((1, 2), local, &[], false, false),
        ((1, 2), &[], local, false, false),
        ((1, 2), local, local, true, false),
        ((3, 7), local, local, true, true),
        ((3, 7), local, local, false, true),
        ((3, 7), local, &[], true, false),
        ((3, 7), &[], local, true, false),
        ((3, 7), &[], &[], false, false),
        ((3, 7), twice, local, true, false),
        ((3, 7), local, other, true, false),
        ((3, 7), other, local, true, false),
        ((1, 7), local, local, true, false),
        ((3, 2), &[], &[], false, false),
        ((1, 1), &[], &[], false, false),
        ((2, 5), &[], &[], false, false),
    ] {
        let owned = |features: &[&str]| features.iter().map(ToString::to_string).collect();
        let (min_reader_version, min_writer_version) = versions;
        let (reader_features, writer_features) = (owned(reader), owned(writer));
        let protocol = Protocol { min_reader_version, min_writer_version, reader_features, writer_features };
        assert_eq!(is_known(&protocol, has_local), known, "{versions:?} {reader:?} {writer:?} {has_local}");
    }
}

#[test]
fn a_type_is_one_of_the_list_or_a_decimal_of_at_most_38_digits() {
    for word in TYPES.into_iter().chain(["decimal(1,0)", "decimal(1,1)", "decimal(38,0)", "decimal(38,38)"]) {
        assert!(is_type(word), "{word}");
    }
    let digits =
        ["decimal(0,0)", "decimal(39,0)", "decimal(1,2)", "decimal(37,38)", "decimal(256,0)", "decimal(-1,-1)"];
    let forms = ["decimal(5)", "decimal(5,2", "decimal5,2)", "decimal", "int", "", "String", "string "];
    for word in digits.into_iter().chain(forms) {
        assert!(!is_type(word), "{word}");
    }
}

/// The faults of a log of these bytes.
fn faults_of(log: &[u8]) -> Vec<String> {
    let (folder, mut faults) = (tempfile::tempdir().unwrap(), Vec::new());
    std::fs::create_dir(folder.path().join(FOLDER)).unwrap();
    std::fs::write(folder.path().join(DELTA_LOG), log).unwrap();
    assert!(is_alone(folder.path(), &mut faults).unwrap());
    check(folder.path(), &manifest(), &mut faults).unwrap();
    told(&faults)
}

#[test]
fn a_log_is_a_text_and_is_read_up_to_its_limit() {
    let log = text(&lines());
    assert_eq!(faults_of(log.as_bytes()), [""; 0]);
    assert_eq!(faults_of(&[log.as_bytes(), b"\xff"].concat()), [format!("DeltaLog: {DELTA_LOG} is not a text")]);
    let most = usize::try_from(MOST_BYTES + 2 * MOST_BYTES_OF_FILE).unwrap();
    for (more, whole) in [(0, true), (1, true), (2, false)] {
        // The end of the line is needed by none.
        let (first, last) = log.split_at(log.len() - 2);
        let padded = format!("{first}{}{last}", " ".repeat(most - log.len() + more));
        let line = format!("DeltaLog: {DELTA_LOG} has a line that a release does not have");
        assert_eq!(faults_of(padded.as_bytes()), if whole { vec![] } else { vec![line] }, "{more}");
    }
}

#[test]
fn a_log_stands_alone_in_a_plain_folder() {
    let (folder, mut faults) = (tempfile::tempdir().unwrap(), Vec::new());
    let dir = folder.path();
    assert!(is_alone(dir, &mut faults).unwrap(), "that it is missing is told where files are checked");
    assert!(faults.is_empty());
    std::fs::write(dir.join(FOLDER), "").unwrap();
    assert!(!is_alone(dir, &mut faults).unwrap());
    assert_eq!(told(&faults), ["FileName: _delta_log is not a folder"]);
    // Nothing is in a file: that is another error than a folder that is missing.
    if cfg!(unix) {
        assert!(matches!(is_alone(&dir.join(FOLDER), &mut faults), Err(VerifyError::Folder(_))));
    }
    std::fs::remove_file(dir.join(FOLDER)).unwrap();
    std::fs::create_dir_all(dir.join(DELTA_LOG)).unwrap();
    faults.clear();
    assert!(is_alone(dir, &mut faults).unwrap() && faults.is_empty());
    assert!(matches!(check(dir, &manifest(), &mut faults), Err(VerifyError::Folder(_))), "a folder is no text");
    std::fs::write(dir.join(FOLDER).join("1.json"), "").unwrap();
    assert!(is_alone(dir, &mut faults).unwrap());
    assert_eq!(told(&faults), ["ExtraFile: _delta_log/1.json is in the folder, but not in the manifest"]);
}
