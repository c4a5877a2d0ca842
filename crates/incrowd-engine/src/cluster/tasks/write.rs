//! Writing a part of the release: its rows from all stretches, in the order of their places.

use std::path::Path;
use std::sync::Arc;

use ahash::RandomState;
use arrow::array::types::{UInt32Type, UInt64Type};
use arrow::array::{ArrayRef, AsArray, UInt32Array};
use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use hashbrown::HashMap;
use incrowd_core::Recoding;
use serde::{Deserialize, Serialize};

use super::folder::{TaskFolder, of_task};
use super::job::WRITE;
use super::labels::LabelTable;
use super::recode::{self, PLAN, RecodePlan, SOURCE};
use crate::count::spill::Spills;
use crate::publish::apply::kept_columns;
use crate::publish::kept_cells::KeptColumn;
use crate::publish::memory_shares::MemoryShares;
use crate::publish::publishing::ClassCells;
use crate::publish::recipe::PublishedColumn;
use crate::publish::release_file::{ReleaseFile, TextStyle, WrittenColumn};
use crate::publish::row_assignment::ClassDraws;
use crate::publish::staging::{RowStaging, Staged, misfit};
use crate::publish::tables::long_labels;
use crate::publish::text_dialect::TextDialect;
use crate::publish::write_rows::Writing;
use crate::runtime::engine::{Engine, on_threads};
use crate::runtime::error::{EngineError, Result};
use crate::source::encoding::TextEncoding;
use crate::source::files::Format;
use crate::source::table::Source;

/// A column of the release.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct TaskColumn {
    pub(super) name: String,
    /// The quasi-identifier whose labels it has; nothing for one that is published unchanged.
    pub(super) quasi_identifier: Option<usize>,
    /// Its instants are calendar days.
    pub(super) days: bool,
}

impl TaskColumn {
    pub(super) fn published(&self) -> PublishedColumn {
        let name = self.name.clone();
        match self.quasi_identifier {
            Some(quasi_identifier) => PublishedColumn::Recoded { name, quasi_identifier },
            None => PublishedColumn::Kept { name, treatment: None },
        }
    }

    fn written(&self, kept: &[KeptColumn]) -> WrittenColumn {
        let unchanged = kept.iter().find(|kept| self.quasi_identifier.is_none() && kept.name() == self.name);
        let data_type: Option<DataType> = unchanged.map(|kept| kept.data_type().clone());
        WrittenColumn { name: self.name.clone(), kept: data_type, days: self.days, statistics: None }
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

/// What a task wrote.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WrittenPart {
    pub(super) rows: u64,
    pub(super) withheld: u64,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// The file of a part, and that of the classes that its rows drew.
pub(super) fn part_file(part: usize) -> String {
    of_task("part", part)
}

pub(super) fn drawn_file(part: usize) -> String {
    of_task("drawn", part)
}

/// Writes a part.
pub(super) fn run(engine: &Engine, folder: TaskFolder<'_>, part: usize) -> Result<()> {
    // Tuples are not needed any more, and the memory is.
    recode::forget();
    let (plan, how): (RecodePlan, WritePlan) = (folder.json(PLAN)?, folder.json(WRITE_PLAN)?);
    let source = Source::of_parts(folder.json(SOURCE)?)?;
    let columns: Vec<PublishedColumn> = plan.columns.iter().map(TaskColumn::published).collect();
    let (kept, _) = kept_columns(&source, &columns.iter().collect::<Vec<_>>(), &mut Vec::new())?;
    let labels = LabelTable::read(folder)?;
    let mut rows = Vec::new();
    for stretch in 0..plan.first.len() {
        engine.check_cancelled()?;
        rows.extend(recode::read_rows(folder, stretch, part)?);
    }
    if how.drawn {
        let drawn = drawn(folder, part)?;
        rows = rows.iter().map(|batch| seated(batch, plan.classes, &drawn)).collect::<Result<_>>()?;
    }
    // A name of its own: the same task may run elsewhere.
    let unfinished = folder.unfinished(&part_file(part));
    std::fs::create_dir(&unfinished).map_err(|error| EngineError::io(&unfinished, error))?;
    let written = write(engine, &unfinished, (&plan, &how), (&columns, &kept, &labels), rows);
    let written = written.and_then(|(name, written)| {
        folder.finish(&unfinished.join(name), &part_file(part))?;
        folder.put_json(&of_task(WRITE, part), &written)
    });
    // What is left of it takes room that others need; the folder is removed as a whole later.
    let _ = std::fs::remove_dir_all(&unfinished);
    written
}

fn write(
    engine: &Engine,
    folder: &Path,
    (plan, how): (&RecodePlan, &WritePlan),
    (columns, kept, labels): (&[PublishedColumn], &[KeptColumn], &LabelTable),
    rows: Vec<RecordBatch>,
) -> Result<(String, WrittenPart)> {
    let rooms = MemoryShares::beside(engine, 0, 0)?;
    let staging = RowStaging::with_bits(kept, 0, rooms, Arc::new(Spills::new(engine.folder.path())));
    let described = plan.columns.iter().map(|column| column.written(kept)).collect();
    let (mut file, encoding) = ReleaseFile::create(folder, "data", how.format, described, how.style())?;
    let total = rows.iter().map(|batch| batch.num_rows() as u64).sum();
    let label_bytes = long_labels(labels);
    let writing = Writing {
        engine,
        cells: labels,
        labels,
        columns,
        kept,
        class_ids: &[],
        encoding,
        label_bytes,
        at_once: rooms.blocks,
        total,
    };
    let draws = ClassDraws::told(labels.classes());
    let staged = vec![Staged::of_one_bucket(rows)];
    let withheld = on_threads(engine.threads, || writing.run(&staging, staged, draws, None, &mut file))?;
    let file = file.finish()?;
    Ok((file.name, WrittenPart { rows: file.rows, withheld, bytes: file.bytes, sha256: file.sha256 }))
}

/// The classes that rows of a part drew, by their places.
type DrawnClasses = HashMap<(u64, u64), u32, RandomState>;

fn drawn(folder: TaskFolder<'_>, part: usize) -> Result<DrawnClasses> {
    let (name, mut classes) = (drawn_file(part), DrawnClasses::default());
    for row in folder.words(&name)?.as_chunks::<3>().0 {
        let class = u32::try_from(row[2]).map_err(|_| folder.damaged(&name))?;
        classes.insert((row[0], row[1]), class);
    }
    Ok(classes)
}

/// Where waiting rows go, what their class is drawn by, and their seats.
pub(super) fn own_columns(batch: &RecordBatch) -> (&[u64], &[u64], &[u32]) {
    let [order, draw] = [0, 1].map(|at| &**batch.column(at).as_primitive::<UInt64Type>().values());
    (order, draw, batch.column(2).as_primitive::<UInt32Type>().values())
}

/// Rows with the classes that they drew.
fn seated(batch: &RecordBatch, classes: u32, drawn: &DrawnClasses) -> Result<RecordBatch> {
    let (order, draw, seats) = own_columns(batch);
    let class = |((&order, &draw), &seat): ((&u64, &u64), &u32)| match seat {
        told if told < classes || told == Recoding::WITHHELD => Ok(told),
        _ => drawn.get(&(order, draw)).copied().ok_or_else(misfit),
    };
    let seats: Vec<u32> = order.iter().zip(draw).zip(seats).map(class).collect::<Result<_>>()?;
    let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
    columns[2] = Arc::new(UInt32Array::from(seats));
    RecordBatch::try_new(batch.schema(), columns).map_err(|_| misfit())
}
