//! A small honest release, written by hand, and ways to change it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::ipc::writer::FileWriter;
use arrow::record_batch::RecordBatch;
use incrowd_verify::{
    Canaries, ColumnEntry, Counts, Fault, FaultKind, FileEntry, Format, Manifest, Options, Policy, Role, Technique,
    Verdict, Verified, verify,
};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

pub(crate) type Row = Vec<Option<String>>;

/// A row; nothing is written as `~`.
pub(crate) fn row(cells: &[&str]) -> Row {
    cells.iter().map(|cell| (*cell != "~").then(|| cell.to_string())).collect()
}

/// A release that is about to be written.
pub(crate) struct Draft {
    pub(crate) folder: TempDir,
    pub(crate) format: Format,
    /// The columns that stand in the file.
    pub(crate) names: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) manifest: Manifest,
}

pub(crate) const POLICY: &str = r#"{
    "models": [
        { "model": "k-anonymity", "parameters": { "k": 2 } },
        { "model": "alpha-deassociation", "parameters": { "alpha": "1/2", "values": ["flu"], "rule": "exact" },
          "sensitive": ["illness"] }
    ],
    "suppression": 0.0
}"#;

pub(crate) const ORIGINAL: &str = "name,age,town,illness,note
Anna,23,Ulm,flu,a
Bert,27,Ulm,cold,b
Cleo,25,Bonn,flu,a
Dora,29,Bonn,cold,b
Emil,41,Wien,flu,a
Fred,44,Graz,cold,
Gina,47,Wien,cold,b
Hugo,,Graz,flu,a
";

impl Draft {
    /// Three classes: two of two rows, one of four.
    pub(crate) fn honest(format: Format) -> Draft {
        let rows = [
            ["*", "Austria", "cold", "~"],
            ["[20, 30)", "Ulm", "flu", "a"],
            ["[20, 30)", "Bonn", "cold", "b"],
            ["*", "Austria", "flu", "a"],
            ["[20, 30)", "Ulm", "cold", "b"],
            ["*", "Austria", "cold", "b"],
            ["[20, 30)", "Bonn", "flu", "a"],
            ["*", "Austria", "flu", "a"],
        ];
        let mut draft = Draft::new(
            format,
            &[
                ("name", Role::Identifier, Technique::Removed),
                ("age", Role::QuasiIdentifier, Technique::Generalized),
                ("town", Role::QuasiIdentifier, Technique::Generalized),
                ("illness", Role::Sensitive, Technique::Retained),
                ("note", Role::Insensitive, Technique::Retained),
            ],
            rows.iter().map(|cells| row(cells)).collect(),
        );
        draft.manifest.policy = serde_json::from_str(POLICY).unwrap();
        (draft.manifest.classes, draft.manifest.smallest_class) = (3, 2);
        draft
    }

    /// Rows of some columns, whose classes are not counted yet.
    pub(crate) fn new(format: Format, columns: &[(&str, Role, Technique)], rows: Vec<Row>) -> Draft {
        let column = |(name, role, technique): &(&str, Role, Technique)| ColumnEntry {
            name: name.to_string(),
            role: *role,
            technique: *technique,
            treatment: None,
            labels: None,
            value_type: None,
        };
        let columns: Vec<ColumnEntry> = columns.iter().map(column).collect();
        let names = columns.iter().filter(|column| column.is_published()).map(|column| column.name.clone()).collect();
        let manifest = Manifest {
            incrowd: 1,
            version: "0.1.0".into(),
            release: "9f0c4be2a1d94c5e8f7a6b5c4d3e2f10".into(),
            created: "2026-11-15T05:00:00Z".into(),
            algorithm: "by hand".into(),
            loss_minimized: "none".into(),
            policy: Policy::default(),
            counts: Counts::Rows,
            source_rows: (rows.len() as u64).into(),
            rows: rows.len() as u64,
            suppressed_rows: 0.into(),
            classes: 0,
            smallest_class: 0,
            columns,
            files: Vec::new(),
            two_tables: None,
            population: None,
            delta: None,
            report: None,
            loss: serde_json::json!({ "lm": 0.1 }),
            canaries: Canaries::default(),
            verified: Verified { by: "by hand".into(), holds: true },
            seal: String::new(),
        };
        Draft { folder: tempfile::tempdir().unwrap(), format, names, rows, manifest }
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.folder.path().join("release")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir().join(&self.manifest.files[0].name)
    }

    /// Writes the rows as they are now, and a manifest that is right about the bytes.
    pub(crate) fn write(&mut self) -> &mut Draft {
        let name = match self.format {
            Format::Csv => "data.csv",
            Format::Parquet => "data.parquet",
            Format::Arrow => "data.arrow",
            Format::Xlsx => "data.xlsx",
            Format::Dta | Format::Sav => unreachable!("these tests write no files of statistics packages"),
        };
        std::fs::create_dir_all(self.dir()).unwrap();
        write_table(&self.dir().join(name), self.format, &self.names, &self.rows);
        self.manifest.files = vec![FileEntry { rows: self.rows.len() as u64, ..listed(name, self.format) }];
        self.seal()
    }

    /// Makes the manifest right about the bytes as they are now, and seals it: what is left is for the judgement.
    pub(crate) fn seal(&mut self) -> &mut Draft {
        let bytes = std::fs::read(self.data()).unwrap();
        self.manifest.files[0].bytes = bytes.len() as u64;
        self.manifest.files[0].sha256 = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        self.seal_as_is()
    }

    /// Seals the manifest without a look at the files.
    pub(crate) fn seal_as_is(&mut self) -> &mut Draft {
        std::fs::write(self.dir().join("manifest.json"), self.manifest.to_sealed_json()).unwrap();
        self
    }

    pub(crate) fn verify(&self) -> Verdict {
        verify(&self.dir(), &Options::default()).unwrap()
    }
}

/// A file as a manifest lists it, before its rows and bytes are counted.
pub(crate) fn listed(name: &str, format: Format) -> FileEntry {
    let (name, sha256) = (name.into(), String::new());
    FileEntry { name, format, rows: 0, bytes: 0, sha256, escaped: false, dialect: None }
}

/// The kinds of all faults.
pub(crate) fn kinds(verdict: &Verdict) -> Vec<FaultKind> {
    verdict.faults.iter().map(|Fault { kind, .. }| *kind).collect()
}

pub(crate) fn batch(names: &[String], rows: &[Row]) -> RecordBatch {
    let fields: Vec<Field> = names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
    let column =
        |at: usize| -> ArrayRef { Arc::new(rows.iter().map(|row| row[at].as_deref()).collect::<StringArray>()) };
    RecordBatch::try_new(Arc::new(Schema::new(fields)), (0..names.len()).map(column).collect()).unwrap()
}

/// Writes an Arrow file, whose columns may be of any type.
pub(crate) fn write_batch(path: &Path, batch: &RecordBatch) {
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

pub(crate) fn write_table(path: &Path, format: Format, names: &[String], rows: &[Row]) {
    match format {
        Format::Dta | Format::Sav => unreachable!("these tests write no files of statistics packages"),
        Format::Csv => {
            let mut writer = csv::Writer::from_path(path).unwrap();
            writer.write_record(names).unwrap();
            for row in rows {
                writer.write_record(row.iter().map(|cell| cell.as_deref().unwrap_or_default())).unwrap();
            }
            writer.flush().unwrap();
        }
        Format::Parquet => {
            // Small row groups, so that two threads have something to merge.
            let properties = WriterProperties::builder().set_max_row_group_row_count(Some(3)).build();
            let batch = batch(names, rows);
            let mut writer =
                ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
        }
        Format::Arrow => write_batch(path, &batch(names, rows)),
        Format::Xlsx => {
            let mut workbook = rust_xlsxwriter::Workbook::new();
            // Texts stand in their cells, as in a release.
            let sheet = workbook.add_worksheet_with_constant_memory().unwrap();
            let named = names.iter().map(|name| Some(name.clone())).collect::<Vec<_>>();
            for (at, row) in (0..).zip(std::iter::once(&named).chain(rows)) {
                for (column, cell) in (0..).zip(row).filter_map(|(column, cell)| Some((column, cell.as_ref()?))) {
                    sheet.write_string(at, column, cell).unwrap();
                }
            }
            workbook.save(path).unwrap();
        }
    }
}

/// Three people alike, with two illnesses among them, and no class too far from all.
pub(crate) fn three_models() -> Policy {
    serde_json::from_value(serde_json::json!({
        "models": [
            { "model": "k-anonymity", "parameters": { "k": 3 } },
            { "model": "distinct-l-diversity", "parameters": { "l": 2 }, "sensitive": ["illness"] },
            { "model": "t-closeness", "parameters": { "t": "1/2" }, "sensitive": ["illness"] },
        ],
        "suppression": 0.0
    }))
    .unwrap()
}
