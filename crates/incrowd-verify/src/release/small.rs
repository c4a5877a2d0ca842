//! Small releases for tests: CSV files of a few rows, and a manifest that is right about them.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use serde_json::json;

use crate::manifest::{ColumnEntry, FileEntry, MANIFEST, Manifest, ReportEntry, Role, Technique, TwoTables};
use crate::verdict::Fault;

/// A column in which nothing is treated.
pub(crate) fn column(name: &str, role: Role, technique: Technique) -> ColumnEntry {
    ColumnEntry { name: name.into(), role, technique, treatment: None, labels: None, value_type: None }
}

/// A column of pseudonyms of the people.
pub(crate) fn people(name: &str) -> ColumnEntry {
    ColumnEntry { treatment: Some("pseudonym".into()), ..column(name, Role::Subject, Technique::Treated) }
}

/// The pseudonym of a person, who is a letter.
pub(crate) fn person(letter: &str) -> String {
    format!("p{}", letter.repeat(26))
}

/// A manifest of a file of four rows in two classes of two.
pub(crate) fn manifest() -> Manifest {
    serde_json::from_value(json!({
        "incrowd": 1,
        "release": "9f0c4be2a1d94c5e8f7a6b5c4d3e2f10",
        "policy": { "models": [
            { "model": "k-anonymity", "parameters": { "k": 2 } },
            { "model": "distinct-l-diversity", "parameters": { "l": 1 }, "sensitive": ["illness"] },
        ], "suppression": 0.0 },
        "counts": "rows", "source_rows": 4, "rows": 4, "suppressed_rows": 0, "classes": 2, "smallest_class": 2,
        "columns": [
            { "name": "name", "role": "identifier", "technique": "removed" },
            { "name": "age", "role": "quasi-identifier", "technique": "generalized" },
            { "name": "illness", "role": "sensitive", "technique": "retained" },
            { "name": "note", "role": "insensitive", "technique": "retained" },
        ],
        "files": [{ "name": "data.csv", "format": "csv", "rows": 4, "bytes": 0, "sha256": "" }],
        "verified": { "by": "by hand", "holds": true },
    }))
    .unwrap()
}

/// The file of that manifest.
pub(crate) const DATA: &str = "age,illness,note\n1,flu,a\n1,cold,b\n2,flu,c\n2,,d\n";

/// A manifest of two tables of four rows each.
pub(crate) fn two_tables() -> Manifest {
    let mut manifest = manifest();
    let file = |name: &str| FileEntry { name: name.into(), ..manifest.files[0].clone() };
    let two = TwoTables {
        class_column: "class".into(),
        quasi_identifiers: "first.csv".into(),
        sensitive: "second.csv".into(),
        does_not_hide: String::new(),
    };
    (manifest.files, manifest.two_tables) = (vec![file("first.csv"), file("second.csv")], Some(two));
    (manifest.columns[1].technique, manifest.columns[2].technique) =
        (Technique::Retained, Technique::MovedToSecondTable);
    manifest
}

/// Writes CSV files, and a sealed manifest that is right about their bytes and rows.
pub(crate) fn write(dir: &Path, manifest: &mut Manifest, files: &[(&str, &str)]) {
    let like = manifest.files[0].clone();
    let entry = |(name, text): &(&str, &str)| {
        std::fs::write(dir.join(name), text).unwrap();
        let ReportEntry { name, bytes, sha256 } = ReportEntry::of(name, text);
        FileEntry { name, bytes, sha256, rows: text.lines().count() as u64 - 1, ..like.clone() }
    };
    manifest.files = files.iter().map(entry).collect();
    manifest.rows = manifest.files.iter().map(|file| file.rows).sum();
    manifest.source_rows = manifest.rows.into();
    seal(dir, manifest);
}

/// Seals a manifest as it is.
pub(crate) fn seal(dir: &Path, manifest: &Manifest) {
    std::fs::write(dir.join(MANIFEST), manifest.to_sealed_json()).unwrap();
}

/// Each fault as one text.
pub(crate) fn told(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(|fault| format!("{:?}: {}", fault.kind, fault.message)).collect()
}
