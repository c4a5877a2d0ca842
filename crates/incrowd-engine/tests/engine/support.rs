//! A desk to work at: a folder of tables, an engine with its own temporary folder, and the oracle.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;
use incrowd_core::{Cancel, ClassSizes, FrequencyTable, Progress, Role, Stage};
use incrowd_engine::{Answer, Engine, EngineError, Question, ReadOptions, Result, Setting, Settings, Source};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;

/// A cell's value that no message may repeat.
pub(crate) const CANARY: &str = "SECRET-CANARY-77";

/// An engine and a folder. The engine goes first when both are dropped.
pub(crate) struct Desk {
    pub(crate) engine: Engine,
    folder: TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Desk::with(&Settings { threads: Some(2), ..Settings::default() })
    }

    /// A desk with limits; the temporary folder is its own.
    pub(crate) fn with(settings: &Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::new(&Settings { temp: Some(folder.path().join("temp")), ..settings.clone() }).unwrap();
        Desk { engine, folder }
    }

    /// A desk whose work is watched; the watcher is made for the temporary folder and the flag that stops the work.
    pub(crate) fn watched(settings: &Settings, watcher: impl FnOnce(PathBuf, Cancel) -> Arc<dyn Progress>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let temp = folder.path().join("temp");
        let cancel = Cancel::default();
        let progress = watcher(temp.clone(), cancel.clone());
        let engine = Engine::watched(&Settings { temp: Some(temp), ..settings.clone() }, cancel, progress).unwrap();
        Desk { engine, folder }
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().canonicalize().unwrap().join(name).to_str().unwrap().into()
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Writes a Parquet file and returns its path.
    pub(crate) fn parquet(&self, name: &str, columns: Vec<(&str, ArrayRef)>) -> String {
        self.parquet_with(name, columns, WriterProperties::default())
    }

    pub(crate) fn parquet_with(
        &self,
        name: &str,
        columns: Vec<(&str, ArrayRef)>,
        properties: WriterProperties,
    ) -> String {
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
                .unwrap();
        let path = self.path(name);
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        path
    }

    pub(crate) fn open(&self, named: &str) -> Result<Source> {
        Source::open(&self.engine, named, ReadOptions::default())
    }

    pub(crate) fn open_with(&self, named: &str, options: ReadOptions) -> Result<Source> {
        Source::open(&self.engine, named, options)
    }

    /// Counts the tuples of some columns.
    pub(crate) fn count(&self, named: &str, columns: &[&str]) -> Result<Answer> {
        self.open(named)?.count(&self.engine, &question(columns))
    }

    /// What runs have left in the temporary folder, besides the locks of those that live.
    pub(crate) fn left_behind(&self) -> Vec<PathBuf> {
        files_below(&self.folder.path().join("temp"))
    }
}

/// The files below a folder that are no locks.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if !["lock", ".starting"].iter().any(|lock| path.ends_with(lock)) {
            files.push(path);
        }
    }
    files
}

pub(crate) fn question(columns: &[&str]) -> Question {
    Question { quasi_identifiers: columns.iter().map(ToString::to_string).collect(), ..Question::default() }
}

/// Null markers and nothing else.
pub(crate) fn nulls(markers: &[&str]) -> ReadOptions {
    ReadOptions { nulls: markers.iter().map(ToString::to_string).collect(), ..ReadOptions::default() }
}

/// What to do about an error, with settings written as in a plan.
pub(crate) fn remedy(error: &EngineError) -> String {
    error.remedy().sentence().written(Setting::as_in_a_plan)
}

/// The refusal, which never repeats the canary.
pub(crate) fn refusal<T: Debug>(result: Result<T>) -> EngineError {
    let error = result.expect_err("it should be refused");
    for said in [error.to_string(), format!("{error:?}"), remedy(&error), error.code().into()] {
        assert!(!said.contains("CANARY"), "a message repeats a cell: {said}");
    }
    error
}

/// Asserts a refusal's words, its way out and its code.
#[track_caller]
pub(crate) fn assert_refused<T: Debug>(result: Result<T>, code: &str, words: &str, hint: &str) {
    let error = refusal(result);
    assert_eq!((error.to_string().as_str(), remedy(&error).as_str(), error.code()), (words, hint, code));
}

/// The labels of every tuple with its count.
pub(crate) fn tuples(table: &FrequencyTable) -> BTreeMap<Vec<String>, u64> {
    let mut tuples = BTreeMap::new();
    for tuple in 0..table.tuples() {
        let label = |(at, attribute): (usize, &incrowd_core::Attribute)| {
            attribute.dictionary.label(table.code(tuple, at)).into_owned()
        };
        let labels = table.attributes().iter().enumerate().map(label).collect();
        *tuples.entry(labels).or_insert(0) += table.count(tuple);
    }
    tuples
}

/// One column's labels, in code order.
pub(crate) fn labels(table: &FrequencyTable, column: usize) -> Vec<String> {
    let dictionary = &table.attributes()[column].dictionary;
    (0..dictionary.len() as u32).map(|code| dictionary.label(code).into_owned()).collect()
}

/// A small generator whose stream never changes (SplitMix64; Steele, Lea, Flood 2014).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % sides
    }
}

/// A generated table: rows of texts, the empty text being a missing cell.
pub(crate) struct Rows {
    pub(crate) names: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Rows {
    /// Rows whose columns have this many distinct values; every value of the first kind of digits keeps its column
    /// text.
    pub(crate) fn generate(seed: u64, rows: usize, distinct: &[u64]) -> Self {
        let mut dice = Dice(seed);
        let row = |_| distinct.iter().map(|&values| format!("v{}", dice.roll(values))).collect();
        let rows = (0..rows).map(row).collect();
        Rows { names: (0..distinct.len()).map(|column| format!("c{column}")).collect(), rows }
    }

    pub(crate) fn csv(&self) -> String {
        let lines = std::iter::once(&self.names).chain(&self.rows).map(|cells| cells.join(","));
        lines.collect::<Vec<_>>().join("\n") + "\n"
    }

    pub(crate) fn columns(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// The naive answer: a hash map of whole rows.
    pub(crate) fn tuples(&self) -> BTreeMap<Vec<String>, u64> {
        let mut counted: HashMap<&Vec<String>, u64> = HashMap::new();
        self.rows.iter().for_each(|row| *counted.entry(row).or_default() += 1);
        let shown = |cell: &String| if cell.is_empty() { incrowd_core::MISSING_LABEL.into() } else { cell.clone() };
        counted.into_iter().map(|(row, count)| (row.iter().map(shown).collect(), count)).collect()
    }

    /// The naive class sizes by this many columns, from the first on.
    pub(crate) fn class_sizes(&self, columns: usize) -> ClassSizes {
        let mut counted: HashMap<&[String], u64> = HashMap::new();
        self.rows.iter().for_each(|row| *counted.entry(&row[..columns]).or_default() += 1);
        ClassSizes::from_sizes(counted.into_values())
    }
}

/// The table of an answer, all of whose columns are quasi-identifiers or sensitive.
pub(crate) fn whole(answer: &Answer) -> &FrequencyTable {
    let table = answer.table.as_ref().expect("the tuples fit");
    assert!(table.attributes().iter().all(|attribute| attribute.role != Role::Identifier));
    table
}

/// Asks to stop after some rows of a stage.
pub(crate) struct Stopper {
    pub(crate) cancel: Cancel,
    pub(crate) stage: Stage,
    pub(crate) after: u64,
    pub(crate) updates: Arc<AtomicU64>,
}

impl Progress for Stopper {
    fn update(&self, stage: Stage, done: u64, _: Option<u64>) {
        if stage == self.stage && done >= self.after {
            self.updates.fetch_add(1, Ordering::Relaxed);
            self.cancel.cancel();
        }
    }
}
