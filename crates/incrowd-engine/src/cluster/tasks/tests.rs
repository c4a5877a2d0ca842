//! Tasks that run in this process, each of them twice, write the rows of a local run in its order.

use std::path::{Path, PathBuf};

use incrowd_core::{Attribute, Cancel, Domain, FrequencyTable, Partition, QuasiIdentifier, Recoding, Stage};

use super::apply::{CountedByTasks, TaskSizes, apply};
use super::group::count;
use super::job::{TaskCall, run_task};
use super::shared_folder::SharedFolder;
use super::space::{TaskJobs, TaskSpace};
use crate::cluster::count::answer;
use crate::cluster::count_by_tasks::{agreeing_rows_in, by_tasks};
use crate::cluster::exchange::stamps;
use crate::count::codebook::Codebook;
use crate::count::dictionaries::Dictionaries;
use crate::count::groups::{ExecutorGroups, FileStamp};
use crate::count::question::Question;
use crate::publish::recipe::{Applied, PublishedColumn, Recipe};
use crate::publish::text_dialect::TextDialect;
use crate::runtime::cluster_session::TaskJob;
use crate::runtime::engine::{Engine, Settings};
use crate::runtime::error::{EngineError, Result};
use crate::source::files::{Format, ReadOptions};
use crate::source::table::Source;

/// Runs the tasks here, the last one first, and every one again.
pub(super) struct Here;

impl TaskJobs for Here {
    fn run(&self, _: &Engine, _: Stage, job: TaskJob) -> Result<()> {
        let tasks = (0..job.tasks).rev().chain(0..job.tasks);
        let settings = Settings { threads: Some(1), ..Settings::default() };
        let call = |task| TaskCall { job: job.clone(), task, settings: settings.clone(), cancel: Cancel::default() };
        tasks.map(call).try_for_each(|call| run_task(&call))
    }
}

pub(super) const SMALL: TaskSizes =
    TaskSizes { least_rows: 200, usual_tasks: 12, most_rows: 400, most_tasks: 100, part_bytes: 1 << 20 };

/// Three files with missing cells, two writings of a number, and a text that nobody may see.
fn table(folder: &Path) -> String {
    for file in 0..3 {
        let row = |row: u32| {
            let at = row * 7 + file;
            let age = ["n/a", "31", "31.0", "45", "46", "47.5"][(at % 6) as usize];
            format!("{age},{},{at},secret {at}\n", ["Ulm", "Wien", ""][(at / 5 % 3) as usize])
        };
        let rows: String = (0..700 + 100 * file).map(row).collect();
        std::fs::write(folder.join(format!("{file}.csv")), format!("age,town,visits,name\n{rows}")).expect("written");
    }
    folder.display().to_string()
}

/// Classes of two tuples each, with rows of some tuples in two classes and some suppressed.
pub(super) fn classes(table: &FrequencyTable) -> Partition {
    let mut partition = Partition::default();
    let mut left: Vec<(usize, u64)> = Vec::new();
    for tuple in 0..table.tuples() {
        let rows = table.count(tuple);
        match tuple % 4 {
            0 if rows > 4 => {
                partition.withhold([(tuple, 2)]);
                left.push((tuple, rows - 4));
                partition.push([(tuple, 2)]);
            }
            _ => left.push((tuple, rows)),
        }
    }
    left.chunks(2).for_each(|pair| partition.push(pair.iter().copied()));
    partition
}

/// A table in three files, counted here and by tasks.
pub(super) struct Desk {
    pub(super) engine: Engine,
    pub(super) source: Source,
    table: FrequencyTable,
    codebook: Codebook,
    files: Vec<FileStamp>,
    stretch_rows: Vec<u64>,
    folder: tempfile::TempDir,
    /// The folder of an object store for the files of tasks; next to the release if there is none.
    store: Option<&'static str>,
}

impl Desk {
    pub(super) fn new() -> Desk {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings { threads: Some(2), temp: Some(folder.path().into()), ..Settings::default() };
        let engine = Engine::new(&settings).expect("an engine");
        for name in ["in", "here", "there"] {
            std::fs::create_dir(folder.path().join(name)).expect("made");
        }
        let options = ReadOptions { nulls: vec!["n/a".into()], ..ReadOptions::default() };
        let source = Source::open(&engine, &table(&folder.path().join("in")), options).expect("a table");
        let counted = source.count(&engine, &asked()).and_then(|answer| answer.into_parts(&engine));
        let (table, codebook) = counted.expect("counted");
        let (files, stretch_rows) = (stamps(&source).expect("files"), Vec::new());
        let mut desk = Desk { engine, source, table, codebook, files, stretch_rows, folder, store: None };
        let stretches = SMALL.tasks(desk.table.rows());
        desk.stretch_rows = desk.count(&asked(), stretches).0.stretch_rows;
        desk
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What tasks count.
    fn count(&self, asked: &Question, stretches: usize) -> (ExecutorGroups, Dictionaries) {
        let names = &asked.quasi_identifiers;
        let dictionaries = Dictionaries::new(&self.source, &self.engine, names, 1).expect("dictionaries");
        let space = TaskSpace::beside(&Here, &self.engine, &self.path("there")).expect("a space");
        let columns = (&names[..], asked.subject.clone().zip(asked.person_key));
        let merged = count(&space, &self.source, columns, stretches).expect("counted").expect("tasks can read it");
        let columns = (&names[..], asked.subject.is_some());
        (by_tasks(&space, &self.source, columns, (&dictionaries, merged)).expect("coded"), dictionaries)
    }

    /// Recodes and writes by tasks, and hands the recipe to a local run.
    fn apply<T>(
        &self,
        jobs: &dyn TaskJobs,
        (format, one_file): (Format, bool),
        local: impl FnOnce(&Recipe<'_>) -> T,
    ) -> (T, Result<Option<Applied>>) {
        let quasi = quasi(self.table.attributes());
        let recoding = Recoding::tightened(&self.table, &quasi, &classes(&self.table));
        let columns = columns();
        let recipe = Recipe {
            table: &self.table,
            quasi_identifiers: &quasi,
            recoding: &recoding,
            columns: &columns,
            second: None,
            format,
            one_file,
            escape_formulas: true,
            dialect: &TextDialect::default(),
            key: [9; 32],
        };
        let space = match self.store {
            None => TaskSpace::beside(jobs, &self.engine, &self.path("there")),
            Some(named) => TaskSpace::within(jobs, &self.engine, named),
        };
        let space = space.expect("a space");
        let Desk { codebook, files, stretch_rows, .. } = self;
        let counted = CountedByTasks { codebook, files, stretch_rows };
        (local(&recipe), apply((&space, SMALL), &self.source, counted, &recipe, &self.path("there")))
    }
}

/// Both quasi-identifiers, as numbers in their order.
pub(super) fn quasi(attributes: &[Attribute]) -> Vec<QuasiIdentifier> {
    let of_column = |column: usize| {
        let dictionary = &attributes[column].dictionary;
        let leaves = (0..).take(dictionary.len()).collect();
        QuasiIdentifier { column, domain: Domain::ordered(dictionary), leaves }
    };
    (0..2).map(of_column).collect()
}

pub(super) fn columns() -> [PublishedColumn; 3] {
    [
        PublishedColumn::Recoded { name: "age".into(), quasi_identifier: 0 },
        PublishedColumn::Kept { name: "visits".into(), treatment: None },
        PublishedColumn::Recoded { name: "town".into(), quasi_identifier: 1 },
    ]
}

pub(super) fn asked() -> Question {
    Question { quasi_identifiers: vec!["age".into(), "town".into()], ..Question::default() }
}

/// What a local run publishes, and what tasks do.
fn both(format: Format, one_file: bool, store: Option<&'static str>) -> (Vec<String>, Vec<String>, Applied) {
    let desk = Desk { store, ..Desk::new() };
    let (local, by_tasks) = desk.apply(&Here, (format, one_file), |recipe| {
        desk.source.apply(&desk.engine, &desk.codebook, recipe, &desk.path("here")).expect("written here")
    });
    let by_tasks = by_tasks.expect("written by tasks").expect("tasks can write it");
    let left = std::fs::read_dir(desk.folder.path()).expect("a folder").flatten();
    assert!(!left.into_iter().any(|entry| entry.file_name().to_string_lossy().ends_with(".executors")));
    let [here, there] = [("here", &local), ("there", &by_tasks)].map(|(folder, applied)| {
        let files = applied.files.iter().map(|file| desk.path(folder).join(&file.name)).collect::<Vec<_>>();
        rows(&desk.engine, &files, format)
    });
    assert_eq!((local.rows, local.withheld), (by_tasks.rows, by_tasks.withheld));
    (here, there, by_tasks)
}

/// The rows of files, in their order.
pub(super) fn rows(engine: &Engine, files: &[std::path::PathBuf], format: Format) -> Vec<String> {
    let options = ReadOptions { format: Some(format), header: Some(true), ..ReadOptions::default() };
    let source = Source::open_files(engine, files, options).expect("a release");
    let columns = source.columns();
    let step = |rows: &mut Vec<String>, batch: &arrow::record_batch::RecordBatch| {
        let cells = batch.columns().iter().map(|cells| {
            arrow::compute::cast(cells, &arrow::datatypes::DataType::Utf8).expect("cells that can be written")
        });
        let cells: Vec<_> = cells.collect();
        for row in 0..batch.num_rows() {
            let cell = |cells: &arrow::array::ArrayRef| {
                let cells = arrow::array::AsArray::as_string::<i32>(cells);
                if arrow::array::Array::is_null(cells, row) { "–" } else { cells.value(row) }.to_string()
            };
            rows.push(cells.iter().map(cell).collect::<Vec<_>>().join("|"));
        }
        Ok(())
    };
    let stretches = crate::count::scan::scan(engine, &source, &columns, Stage::Count, None, |_| vec![], step);
    stretches.expect("read").into_iter().flatten().collect()
}

#[test]
fn parts_hold_the_rows_of_a_local_release_in_its_order() {
    for format in [Format::Csv, Format::Parquet, Format::Arrow] {
        let (here, there, applied) = both(format, false, None);
        assert!(here.len() > 2000 && applied.withheld > 0, "{} rows", here.len());
        assert_eq!(applied.files.len(), 16, "{format:?}");
        assert_eq!(applied.files.iter().map(|file| file.rows).sum::<u64>(), applied.rows);
        assert_eq!(here, there, "{format:?}");
    }
}

#[test]
fn a_release_in_one_file_has_one_part() {
    let (here, there, applied) = both(Format::Parquet, true, None);
    assert_eq!(applied.files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["data.parquet"]);
    assert_eq!(here, there);
}

#[test]
fn parts_in_an_object_store_are_the_same_and_stay_until_they_were_published() {
    let named = "s3://in-memory/parts";
    let (here, there, applied) = both(Format::Csv, false, Some(named));
    assert_eq!(here, there);
    let objects = applied.in_store.expect("objects");
    assert!(objects.folder.starts_with(named));
    let own = SharedFolder::open(Path::new(&objects.folder), None).expect("a store");
    let is_there = |part: &String| own.has(part);
    assert_eq!(objects.names.iter().filter(|part| is_there(part)).count(), 16);
    let part = objects.names[0].clone();
    drop(objects);
    assert!(!is_there(&part));
}

#[test]
fn tasks_count_what_a_local_scan_counts_and_people_as_often() {
    let desk = Desk::new();
    for subject in [None, Some("visits".to_string())] {
        let asked = Question { subject: subject.clone(), person_key: Some([5, 6, 7, 8]), ..asked() };
        let (groups, dictionaries) = desk.count(&asked, 7);
        let groups = (groups, subject.zip(asked.person_key));
        let (by_tasks, profiles) = answer(&desk.source, &asked, true, dictionaries, groups).expect("an answer");
        let local = desk.source.count(&desk.engine, &asked).expect("counted here");
        assert_eq!(by_tasks.sizes, local.sizes);
        assert_eq!(profiles.len(), 2);
        let [by_tasks, local] = [by_tasks, local].map(|answer| answer.into_table(&desk.engine).expect("a table"));
        assert_eq!(by_tasks, local);
        assert!(local.tuples() > 10);
    }
}

#[test]
fn rows_that_agree_are_counted_by_tasks_as_by_a_local_count() {
    let desk = Desk::new();
    let sets = [vec!["age"], vec!["town", "age"], vec!["visits", "town"], vec!["name"], vec!["town"]];
    let sets = sets.map(|set| set.into_iter().map(String::from).collect::<Vec<_>>());
    let space = TaskSpace::beside(&Here, &desk.engine, &desk.path("there")).expect("a space");
    let counted =
        agreeing_rows_in(&space, &desk.source, (&sets, [1, 2, 3, 4]), SMALL).expect("counted").expect("readable");
    for (set, by_tasks) in sets.iter().zip(&counted) {
        let asked = Question { quasi_identifiers: set.clone(), ..Question::default() };
        assert_eq!(by_tasks.sizes, desk.source.class_sizes(&desk.engine, &asked).expect("counted here"), "{set:?}");
    }
    let rows = desk.table.rows();
    let [age, _, _, name, town] = [0, 1, 2, 3, 4].map(|set| counted[set].values());
    assert!(town.0 == 2 && town.1 < rows, "a missing cell is no value: {town:?}");
    assert!(age.0 == 5 && age.1 < rows, "two writings of a number are two texts: {age:?}");
    assert_eq!(name, (rows, rows));
}

/// Loses the output of one task.
struct Losing(&'static str);

impl TaskJobs for Losing {
    fn run(&self, engine: &Engine, stage: Stage, job: TaskJob) -> Result<()> {
        let lost = job.folder.join(self.0);
        Here.run(engine, stage, job)?;
        // What is not there is not missed.
        let _ = std::fs::remove_file(lost);
        Ok(())
    }
}

#[test]
fn output_that_is_lost_ends_the_run() {
    let desk = Desk::new();
    for lost in ["recode-1", "rows-of-1", "write-3", "part-3"] {
        let ((), applied) = desk.apply(&Losing(lost), (Format::Parquet, false), |_| ());
        assert!(matches!(applied, Err(EngineError::Io { .. })), "{lost}: {applied:?}");
    }
}
