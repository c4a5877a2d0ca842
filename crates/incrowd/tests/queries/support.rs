//! Folders that are releases as far as a question sees, written by hand.

use std::collections::BTreeMap;
use std::path::PathBuf;

use incrowd::query::{Answered, Estimator, Figure, QueryOptions, parse_query, query};
use incrowd::{Engine, Manifest, Settings};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

pub(crate) struct Desk {
    folder: TempDir,
    pub(crate) engine: Engine,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { temp: Some(folder.path().join("temp")), threads: Some(2), ..Settings::default() };
        Desk { engine: Engine::new(&settings).unwrap(), folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    /// A release of one table. Columns are told with what was done to them; `generalized/integer` also declares that
    /// the labels describe themselves, and the type of the values.
    pub(crate) fn one_table(&self, columns: &[(&str, &str)], withheld: u64, data: &str) -> PathBuf {
        self.write("release/data.csv", data);
        let column = |(name, technique): &(&str, &str)| match technique.split_once('/') {
            None => json!({ "name": name, "role": "insensitive", "technique": technique }),
            Some((technique, kind)) => json!({
                "name": name, "role": "insensitive", "technique": technique, "labels": "self-describing", "type": kind,
            }),
        };
        let columns: Vec<_> = columns.iter().map(column).collect();
        let rows = data.lines().count() as u64 - 1;
        self.seal(rows, withheld, &json!({ "columns": columns, "files": [self.file("data.csv", rows)] }))
    }

    /// A release of two tables; the class ids stand in the column `class`.
    pub(crate) fn two_tables(&self, first: &str, second: &str) -> PathBuf {
        self.write("release/first.csv", first);
        self.write("release/second.csv", second);
        let names = |text: &str| text.lines().next().unwrap().split(',').map(String::from).collect::<Vec<_>>();
        let column = |technique: &'static str| move |name: String| json!({ "name": name, "role": "insensitive", "technique": technique });
        let columns: Vec<_> = names(first)
            .into_iter()
            .map(column("retained"))
            .chain(names(second).into_iter().map(column("moved-to-second-table")))
            .collect();
        let rows = first.lines().count() as u64 - 1;
        let more = json!({
            "columns": columns,
            "files": [self.file("first.csv", rows), self.file("second.csv", rows)],
            "two_tables": { "class_column": "class", "quasi_identifiers": "first.csv", "sensitive": "second.csv" },
        });
        self.seal(rows, 0, &more)
    }

    /// A file of the release as its manifest lists it.
    fn file(&self, name: &str, rows: u64) -> Value {
        let bytes = std::fs::read(self.path("release").join(name)).unwrap();
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        json!({ "name": name, "format": "csv", "rows": rows, "bytes": bytes.len(), "sha256": digest })
    }

    /// Writes the manifest with its seal.
    fn seal(&self, rows: u64, withheld: u64, more: &Value) -> PathBuf {
        let mut manifest = json!({
            "incrowd": 1, "policy": { "models": [] }, "counts": "rows", "source_rows": rows + withheld, "rows": rows,
            "suppressed_rows": withheld, "classes": 1, "smallest_class": 1,
        });
        manifest.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let manifest: Manifest = serde_json::from_value(manifest).unwrap();
        self.write("release/manifest.json", &manifest.to_sealed_json());
        self.path("release")
    }

    /// Changes the manifest and seals it anew.
    pub(crate) fn change_manifest(&self, change: impl FnOnce(&mut Manifest)) {
        let text = std::fs::read_to_string(self.path("release/manifest.json")).unwrap();
        let mut manifest: Manifest = serde_json::from_str(&text).unwrap();
        change(&mut manifest);
        self.write("release/manifest.json", &manifest.to_sealed_json());
    }

    pub(crate) fn ask(&self, sql: &str, estimator: Option<Estimator>, hierarchies: &[(&str, PathBuf)]) -> Answered {
        let hierarchies: BTreeMap<String, PathBuf> =
            hierarchies.iter().map(|(name, path)| ((*name).into(), path.clone())).collect();
        let options = QueryOptions { estimator, hierarchies, record: None };
        query(&self.engine, &self.path("release"), &parse_query(sql).unwrap(), &options).unwrap()
    }

    pub(crate) fn figure(&self, sql: &str) -> Figure {
        self.ask(sql, None, &[]).figure.unwrap()
    }
}

/// What a figure is over all originals that there could be: its mean, least and greatest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcomes(pub(crate) Vec<f64>);

impl Outcomes {
    pub(crate) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    pub(crate) fn ends(&self) -> (f64, f64) {
        let least = self.0.iter().copied().fold(f64::INFINITY, f64::min);
        (least, self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    }

    /// The estimate is the mean, and the interval is as narrow as it can be.
    pub(crate) fn are_met_by(&self, figure: &Figure, what: &str) {
        let close = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-9;
        let (least, greatest) = self.ends();
        assert!(close(figure.estimate, self.mean()), "{what}: {figure:?}, expected {}", self.mean());
        assert!(
            close(figure.lower, least) && close(figure.upper, greatest),
            "{what}: {figure:?}, {least} to {greatest}"
        );
    }
}

/// A small generator, the same in every run.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % end as u64) as usize
    }
}
