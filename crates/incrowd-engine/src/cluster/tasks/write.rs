//! Writing a part of the release: its rows from all stretches, in the order of their places.

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::DataType;
use serde::{Deserialize, Serialize};

use super::folder::{TaskFolder, of_task};
use super::job::WRITE;
use super::labels::LabelTable;
use super::part_rows::PartReader;
use super::recode::{self, PLAN, RecodePlan, SOURCE};
use crate::count::spill::Spills;
use crate::publish::apply::kept_columns;
use crate::publish::class_ids::class_ids;
use crate::publish::kept_cells::KeptColumn;
use crate::publish::memory_shares::MemoryShares;
use crate::publish::publishing::ClassCells;
use crate::publish::recipe::PublishedColumn;
use crate::publish::release_file::{Encoding, ReleaseFile, TextStyle, WrittenColumn, WrittenFile};
use crate::publish::row_assignment::ClassDraws;
use crate::publish::second_table::Second;
use crate::publish::staging::{RowStaging, Staged, Stager, misfit};
use crate::publish::tables::long_labels;
use crate::publish::text_dialect::TextDialect;
use crate::publish::write_rows::Writing;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::thread_pool::on_threads;
use crate::source::encoding::TextEncoding;
use crate::source::files::Format;
use crate::source::table::Source;

/// A column of the release.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct TaskColumn {
    pub(super) name: String,
    pub(super) cells: TaskCells,
    /// Its instants are calendar days.
    pub(super) days: bool,
}

/// The cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum TaskCells {
    /// The labels of the quasi-identifier at this place.
    Labels(usize),
    /// The cells of the table.
    Unchanged,
    /// The number of the class.
    ClassId,
}

impl TaskColumn {
    pub(super) fn published(&self) -> PublishedColumn {
        let name = self.name.clone();
        match self.cells {
            TaskCells::Labels(quasi_identifier) => PublishedColumn::Recoded { name, quasi_identifier },
            TaskCells::Unchanged => PublishedColumn::Kept { name, treatment: None },
            TaskCells::ClassId => PublishedColumn::ClassId { name },
        }
    }

    fn written(&self, kept: &[KeptColumn]) -> WrittenColumn {
        let unchanged = kept.iter().find(|kept| kept.name() == self.name).map(|kept| kept.data_type().clone());
        let kept = match self.cells {
            TaskCells::Labels(_) => None,
            TaskCells::Unchanged => unchanged,
            TaskCells::ClassId => Some(DataType::UInt32),
        };
        WrittenColumn { name: self.name.clone(), kept, days: self.days, statistics: None }
    }
}

/// How a part is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WritePlan {
    pub(super) format: Format,
    pub(super) escape: bool,
    pub(super) delimiter: u8,
    pub(super) encoding: Option<String>,
    pub(super) decimal_commas: Vec<String>,
    /// Whether some rows drew their class after they were recoded.
    pub(super) drawn: bool,
    /// One task writes all parts into one file.
    pub(super) one_file: bool,
    /// Rows carry the numbers of this many labels each, in place of a class.
    pub(super) numbered: Option<usize>,
}

/// The file of the job.
pub(super) const WRITE_PLAN: &str = "write-plan";

impl WritePlan {
    fn style(&self) -> TextStyle {
        let dialect = TextDialect {
            delimiter: self.delimiter,
            encoding: self.encoding.as_deref().and_then(TextEncoding::named),
            decimal_commas: self.decimal_commas.clone(),
        };
        TextStyle { escape: self.escape, dialect }
    }
}

/// What a task wrote: a file for each table.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WrittenPart {
    pub(super) withheld: u64,
    pub(super) files: Vec<TaskFile>,
}

/// A file that a task wrote.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TaskFile {
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// The file that a task wrote of a table.
pub(super) fn part_file(task: usize, table: usize) -> String {
    of_task(["part", "second-part"][table.min(1)], task)
}

/// Writes a part, or all of them.
pub(super) fn run(engine: &Engine, folder: TaskFolder<'_>, task: usize) -> Result<()> {
    // Tuples are not needed any more, and the memory is.
    recode::forget();
    let (plan, how): (RecodePlan, WritePlan) = (folder.json(PLAN)?, folder.json(WRITE_PLAN)?);
    let source = Source::of_parts(folder.json(SOURCE)?)?;
    let tables = plan.tables();
    let (kept, _) = kept_columns(&source, &tables.iter().flatten().collect::<Vec<_>>(), &mut Vec::new())?;
    let parts = if how.one_file { 0..1 << plan.bits } else { task..task + 1 };
    let reader = PartReader::new(folder, &plan, &how, parts)?;
    let labels = match &reader.met {
        Some((_, met)) => LabelTable::of_met(folder, met)?,
        None => LabelTable::read(folder)?,
    };
    let part = PartWriter { engine, labels, plan, how, tables, kept };
    // A name of its own: the same task may run elsewhere.
    let unfinished = folder.unfinished(&part_file(task, 0));
    std::fs::create_dir(&unfinished).map_err(|error| EngineError::io(&unfinished, error))?;
    let written = part.write(reader, &unfinished).and_then(|(withheld, written)| {
        for (table, file) in written.iter().enumerate() {
            folder.finish(&unfinished.join(&file.name), &part_file(task, table))?;
        }
        let files = written.into_iter().map(|WrittenFile { rows, bytes, sha256, .. }| TaskFile { rows, bytes, sha256 });
        folder.put_json(&of_task(WRITE, task), &WrittenPart { withheld, files: files.collect() })
    });
    // What is left of it takes room that others need; the folder is removed as a whole later.
    let _ = std::fs::remove_dir_all(&unfinished);
    written
}

/// What a task writes with.
struct PartWriter<'a> {
    engine: &'a Engine,
    plan: RecodePlan,
    how: WritePlan,
    labels: LabelTable,
    /// The columns of one or two tables.
    tables: Vec<Vec<PublishedColumn>>,
    /// The cells that are kept, of the first table and then of the second.
    kept: Vec<KeptColumn>,
}

impl PartWriter<'_> {
    fn write(&self, reader: PartReader, into: &Path) -> Result<(u64, Vec<WrittenFile>)> {
        let (engine, spills) = (self.engine, Arc::new(Spills::new(self.engine.folder.path())));
        let rooms = MemoryShares::beside(engine, 0, 0)?;
        let bits = if self.how.one_file { self.plan.bits } else { 0 };
        let staging = RowStaging::with_bits(&self.kept, bits, rooms, spills.clone());
        let staged = vec![Staged::elsewhere(move |bucket| reader.rows(reader.first + bucket))];
        let told = || ClassDraws::told(self.labels.classes());
        let [first_table, second_table @ ..] = &self.tables[..] else { return Err(misfit()) };
        let ids = class_ids(self.plan.key, if second_table.is_empty() { 0 } else { self.labels.classes() });
        let own = first_table.iter().filter(|column| matches!(column, PublishedColumn::Kept { .. })).count();
        let rows = Arc::new(RowStaging::new(&self.kept[own..], self.plan.rows, 1, rooms, spills));
        let mut second = (!second_table.is_empty())
            .then(|| Second::new(Stager::new(rows.clone()), own..self.kept.len(), self.plan.key));
        let names = if second.is_some() { ["quasi_identifiers", "sensitive"] } else { ["data", ""] };
        let (mut file, encoding) = self.begin(into, names[0], &self.plan.columns)?;
        let writing = self.writing(first_table, &self.kept, (encoding, &ids), rooms);
        let withheld =
            on_threads(engine.threads, || writing.run(&staging, staged, told(), second.as_mut(), &mut file))?;
        let mut written = vec![file.finish()?];
        if let (Some(second), [columns], Some(described)) = (second, second_table, &self.plan.second) {
            let (mut file, encoding) = self.begin(into, names[1], described)?;
            let writing = self.writing(columns, &self.kept[own..], (encoding, &ids), rooms);
            let staged = vec![second.finish()?];
            on_threads(engine.threads, || writing.run(&rows, staged, told(), None, &mut file))?;
            written.push(file.finish()?);
        }
        Ok((withheld, written))
    }

    fn begin(&self, into: &Path, name: &str, columns: &[TaskColumn]) -> Result<(ReleaseFile, Encoding)> {
        let described = columns.iter().map(|column| column.written(&self.kept)).collect();
        ReleaseFile::create(into, name, self.how.format, described, self.how.style())
    }

    fn writing<'w>(
        &'w self,
        columns: &'w [PublishedColumn],
        kept: &'w [KeptColumn],
        (encoding, class_ids): (Encoding, &'w [u32]),
        rooms: MemoryShares,
    ) -> Writing<'w> {
        let (labels, total) = (&self.labels, self.plan.rows);
        let (label_bytes, at_once) = (long_labels(labels), rooms.blocks);
        Writing {
            engine: self.engine,
            cells: labels,
            labels,
            columns,
            kept,
            class_ids,
            encoding,
            label_bytes,
            at_once,
            total,
        }
    }
}
