//! The log of a Delta table says what the manifest says, and nothing else.

use incrowd_verify::{DELTA_LOG, DeltaEntry, FaultKind, Format, Manifest, files_are_whole};

use super::support::{Draft, kinds};

/// The log of the draft, as a release has it.
fn log_of(draft: &Draft) -> String {
    let file = &draft.manifest.files[0];
    let columns: Vec<_> = draft
        .names
        .iter()
        .map(|name| serde_json::json!({ "name": name, "type": "string", "nullable": true, "metadata": {} }))
        .collect();
    let schema = serde_json::json!({ "type": "struct", "fields": columns }).to_string();
    let lines = [
        serde_json::json!({ "protocol": { "minReaderVersion": 1, "minWriterVersion": 2 } }),
        serde_json::json!({ "metaData": { "id": "9f0c4be2-a1d9-4c5e-8f7a-6b5c4d3e2f10",
            "format": { "provider": "parquet", "options": {} }, "schemaString": schema, "partitionColumns": [],
            "configuration": {}, "createdTime": 1000 } }),
        serde_json::json!({ "add": { "path": file.name, "partitionValues": {}, "size": file.bytes,
            "modificationTime": 1000, "dataChange": true,
            "stats": format!("{{\"numRecords\":{}}}", file.rows) } }),
    ];
    lines.map(|line| format!("{line}\n")).concat()
}

/// The faults of a release whose log was changed before it was sealed.
fn faults_of(change: impl FnOnce(String) -> String) -> Vec<FaultKind> {
    let mut draft = Draft::honest(Format::Parquet);
    draft.write();
    let log = change(log_of(&draft));
    std::fs::create_dir(draft.dir().join("_delta_log")).unwrap();
    std::fs::write(draft.dir().join(DELTA_LOG), &log).unwrap();
    draft.manifest.delta = Some(DeltaEntry::of(&log));
    kinds(&draft.seal_as_is().verify())
}

/// The faults of a release whose log is honest, and whose folder was changed afterwards.
fn faults_after(change: impl FnOnce(&Draft)) -> Vec<FaultKind> {
    let mut draft = Draft::honest(Format::Parquet);
    draft.write();
    let log = log_of(&draft);
    std::fs::create_dir(draft.dir().join("_delta_log")).unwrap();
    std::fs::write(draft.dir().join(DELTA_LOG), &log).unwrap();
    draft.manifest.delta = Some(DeltaEntry::of(&log));
    draft.seal_as_is();
    change(&draft);
    let verdict = draft.verify();
    let whole = files_are_whole(&draft.dir(), &Manifest::read(&draft.dir()).unwrap(), None).unwrap();
    assert_eq!(whole.is_empty(), verdict.verified);
    kinds(&verdict)
}

#[test]
fn a_log_that_says_what_the_manifest_says_is_accepted() {
    assert_eq!(faults_of(|log| log), []);
    assert_eq!(faults_after(|_| ()), []);
}

#[test]
fn a_log_that_says_something_else_is_a_fault() {
    let changes: [(&str, &str); 18] = [
        ("data.parquet", "other.parquet"),
        ("\"size\":", "\"size\":1"),
        ("numRecords\\\":", "numRecords\\\":1"),
        ("{\\\"numRecords\\\"", "{\\\"minValues\\\":{\\\"age\\\":\\\"34\\\"},\\\"numRecords\\\""),
        ("\\\"name\\\":\\\"age\\\"", "\\\"name\\\":\\\"Age\\\""),
        ("\\\"type\\\":\\\"string\\\"", "\\\"type\\\":\\\"void\\\""),
        ("\\\"metadata\\\":{}", "\\\"metadata\\\":{\\\"comment\\\":\\\"Ada\\\"}"),
        ("\\\"nullable\\\":true", "\\\"nullable\\\":false"),
        ("\"partitionColumns\":[]", "\"partitionColumns\":[\"age\"]"),
        ("\"partitionValues\":{}", "\"partitionValues\":{\"age\":\"34\"}"),
        ("\"configuration\":{}", "\"configuration\":{\"delta.columnMapping.mode\":\"name\"}"),
        ("\"options\":{}", "\"options\":{\"a\":\"b\"}"),
        ("\"dataChange\":true", "\"dataChange\":false"),
        ("\"minReaderVersion\":1", "\"minReaderVersion\":3"),
        ("\"modificationTime\":1000", "\"modificationTime\":1001"),
        ("9f0c4be2", "9f0c4be3"),
        ("{\"add\"", "{\"commitInfo\":{\"userName\":\"Ada\"}}\n{\"add\""),
        ("\"provider\":\"parquet\"", "\"provider\":\"csv\""),
    ];
    for (old, new) in changes {
        let changed = faults_of(|log| {
            assert!(log.contains(old), "{old}");
            log.replacen(old, new, 1)
        });
        assert_eq!(changed, [FaultKind::DeltaLog], "{old} → {new}");
    }
}

#[test]
fn a_log_without_a_line_or_with_one_twice_is_a_fault() {
    for line in 0..3 {
        let without = |log: String| {
            let lines = log.lines().enumerate().filter(|(at, _)| *at != line);
            lines.map(|(_, text)| format!("{text}\n")).collect::<String>()
        };
        assert_eq!(faults_of(without), [FaultKind::DeltaLog], "without line {line}");
        let twice = |log: String| log.lines().nth(line).unwrap().to_owned() + "\n" + &log;
        assert_eq!(faults_of(twice), [FaultKind::DeltaLog], "line {line} twice");
    }
    assert_eq!(faults_of(|_| String::new()), [FaultKind::DeltaLog]);
}

#[test]
fn instants_without_a_zone_need_their_feature() {
    let features = "\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"timestampNtz\"],\"writerFeatures\":[\"timestampNtz\"]";
    let plain = "\"minReaderVersion\":1,\"minWriterVersion\":2";
    let local = |log: String| log.replacen("\\\"type\\\":\\\"string\\\"", "\\\"type\\\":\\\"timestamp_ntz\\\"", 1);
    assert_eq!(faults_of(local), [FaultKind::DeltaLog]);
    assert_eq!(faults_of(|log| local(log).replace(plain, features)), []);
    assert_eq!(faults_of(|log| local(log).replace(plain, &features.replace("Ntz", ""))), [FaultKind::DeltaLog]);
}

#[test]
fn decimals_have_digits_and_places() {
    let of = |word: &'static str| move |log: String| log.replacen("\\\"string\\\"", &format!("\\\"{word}\\\""), 1);
    for word in ["decimal(20,2)", "decimal(38,38)", "decimal(1,0)"] {
        assert_eq!(faults_of(of(word)), [], "{word}");
    }
    for word in ["decimal(39,0)", "decimal(2,3)", "decimal(0,0)", "decimal(2)", "decimal(a,b)"] {
        assert_eq!(faults_of(of(word)), [FaultKind::DeltaLog], "{word}");
    }
}

#[test]
fn a_log_is_held_against_its_checksum_and_stands_alone() {
    let gone = |draft: &Draft| std::fs::remove_file(draft.dir().join(DELTA_LOG)).unwrap();
    assert_eq!(faults_after(gone), [FaultKind::MissingFile]);
    let changed = |draft: &Draft| {
        let log = std::fs::read_to_string(draft.dir().join(DELTA_LOG)).unwrap();
        std::fs::write(draft.dir().join(DELTA_LOG), log.replace("9f0c4be2", "9f0c4be3")).unwrap();
    };
    assert_eq!(faults_after(changed), [FaultKind::Checksum, FaultKind::DeltaLog]);
    let next = |draft: &Draft| {
        std::fs::write(draft.dir().join("_delta_log/00000000000000000001.json"), "").unwrap();
    };
    assert_eq!(faults_after(next), [FaultKind::ExtraFile], "a second version");
    let file = |draft: &Draft| {
        std::fs::remove_dir_all(draft.dir().join("_delta_log")).unwrap();
        std::fs::write(draft.dir().join("_delta_log"), "").unwrap();
    };
    assert_eq!(faults_after(file), [FaultKind::FileName]);
}

#[test]
fn a_log_that_no_manifest_names_does_not_belong_to_a_release() {
    let mut draft = Draft::honest(Format::Parquet);
    draft.write();
    std::fs::create_dir(draft.dir().join("_delta_log")).unwrap();
    std::fs::write(draft.dir().join(DELTA_LOG), log_of(&draft)).unwrap();
    assert_eq!(kinds(&draft.verify()), [FaultKind::ExtraFile]);
}

#[test]
fn only_parquet_files_are_a_delta_table() {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    let log = log_of(&draft);
    std::fs::create_dir(draft.dir().join("_delta_log")).unwrap();
    std::fs::write(draft.dir().join(DELTA_LOG), &log).unwrap();
    draft.manifest.delta = Some(DeltaEntry::of(&log));
    assert_eq!(kinds(&draft.seal_as_is().verify()), [FaultKind::DeltaLog]);
}
