//! Recoding a stretch of the table: each row gets its class and its place, and goes to the part that holds this place.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::RecordBatch;
use incrowd_core::Stage;
use serde::{Deserialize, Serialize};

use super::coded::{self, AssignedTuples};
use super::folder::{TaskFolder, of_task};
use super::job::RECODE;
use super::write::TaskColumn;
use crate::count::codebook::OpenCodebook;
use crate::count::packer::Packer;
use crate::count::scan::scan_stretch;
use crate::count::spill::Spills;
use crate::out_of_core::mixed;
use crate::publish::apply::{KeptPlaces, Waiting, kept_columns};
use crate::publish::kept_cells::KeptColumn;
use crate::publish::memory_shares::MemoryShares;
use crate::publish::recipe::PublishedColumn;
use crate::publish::staging::{RowStaging, Staged};
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::source::table::Source;

/// The files of the job.
pub(super) const SOURCE: &str = "source";
pub(super) const PLAN: &str = "plan";

/// What all tasks of a run share.
#[derive(Serialize, Deserialize)]
pub(super) struct RecodePlan {
    /// The key of the generator that shuffles rows.
    pub(super) key: [u8; 32],
    /// The number of the first row of each stretch.
    pub(super) first: Vec<u64>,
    /// How many upper bits of its place name the part of a row.
    pub(super) bits: u32,
    /// Seats from this number on are those of tuples that are split.
    pub(super) classes: u32,
    /// The columns of the release, or of its first table, and those of the second.
    pub(super) columns: Vec<TaskColumn>,
    pub(super) second: Option<Vec<TaskColumn>>,
    /// The rows of the table.
    pub(super) rows: u64,
}

impl RecodePlan {
    /// The columns of each table.
    pub(super) fn tables(&self) -> Vec<Vec<PublishedColumn>> {
        let tables = [Some(&self.columns), self.second.as_ref()].into_iter().flatten();
        tables.map(|columns| columns.iter().map(TaskColumn::published).collect()).collect()
    }
}

/// What a task found.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RecodedStretch {
    pub(super) rows: u64,
    /// What the tuples of its rows add up to ([`tuple_sum`]).
    pub(super) sum: u64,
    /// Rows whose tuple is split.
    pub(super) split: u64,
}

/// What a row of a tuple adds to a sum over all rows: rows are the counted ones if the sums agree, but for a chance of 2⁻⁶⁴
/// that nobody can improve without the key.
pub(super) fn tuple_sum(key: &[u8; 32], tuple: u32) -> u64 {
    let (salt, _) = key.as_chunks::<8>();
    mixed(u64::from_le_bytes(salt[0]) ^ mixed(u64::from(tuple) ^ u64::from_le_bytes(salt[1])))
}

/// What tasks of one process read once.
struct RecodeInputs {
    plan: RecodePlan,
    source: Source,
    codebook: OpenCodebook,
    tuples: AssignedTuples,
    kept: Vec<KeptColumn>,
    places: KeptPlaces,
    read: Vec<String>,
}

/// The inputs of the run that this process works for, by its folder.
static INPUTS: Mutex<Option<(PathBuf, Arc<RecodeInputs>)>> = Mutex::new(None);

/// Lets go of what tasks of this process have read.
pub(super) fn forget() {
    *INPUTS.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

fn inputs(folder: TaskFolder<'_>) -> Result<Arc<RecodeInputs>> {
    // Tasks of one process wait for the first: they need the same.
    let mut known = INPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((path, inputs)) = &*known
        && path == folder.0.address()
    {
        return Ok(inputs.clone());
    }
    *known = None;
    let plan: RecodePlan = folder.json(PLAN)?;
    let source = Source::of_parts(folder.json(SOURCE)?)?;
    let parts = coded::codebook(folder)?;
    let tuples = coded::tuples(folder, &parts)?;
    let mut read: Vec<String> = parts.codebook.names();
    let codebook = OpenCodebook::of_parts(&source, parts.codebook)?;
    let tables = plan.tables();
    let (kept, places) = kept_columns(&source, &tables.iter().flatten().collect::<Vec<_>>(), &mut read)?;
    let inputs = Arc::new(RecodeInputs { plan, source, codebook, tuples, kept, places, read });
    *known = Some((folder.0.address().into(), inputs.clone()));
    Ok(inputs)
}

/// One task's reader.
struct RecodeReader {
    packer: Packer,
    seats: Vec<u32>,
    waiting: Waiting,
    sum: u64,
}

/// Recodes a stretch.
pub(super) fn run(engine: &Engine, folder: TaskFolder<'_>, task: usize) -> Result<()> {
    let inputs = inputs(folder)?;
    let RecodeInputs { plan, source, codebook, tuples, kept, places, read } = &*inputs;
    let first = *plan.first.get(task).ok_or_else(|| folder.damaged(PLAN))?;
    let spills = Arc::new(Spills::new(engine.folder.path()));
    let rooms = MemoryShares::beside(engine, 0, 0)?;
    let staging = Arc::new(RowStaging::with_bits(kept, plan.bits, rooms, spills));
    let reader = RecodeReader {
        packer: Packer::new(codebook),
        seats: Vec::new(),
        waiting: Waiting::from_row(plan.key, first, &staging),
        sum: 0,
    };
    let step = |reader: &mut RecodeReader, batch: &RecordBatch| {
        let (lookup, words) = (&tuples.lookup, tuples.lookup.words());
        reader.seats.clear();
        for key in reader.packer.pack(codebook, lookup.fields(), words, batch)?.chunks_exact(words) {
            let tuple = lookup.find(key).ok_or_else(|| codebook.changed())?;
            reader.sum = reader.sum.wrapping_add(tuple_sum(&plan.key, tuple));
            reader.seats.push(tuples.seats[tuple as usize]);
        }
        reader.waiting.add(kept, places, batch, &reader.seats)
    };
    let reader = scan_stretch(engine, source, read, (Stage::Recode, task), reader, step)?;
    let (rows, sum) = (reader.waiting.rows, reader.sum);
    let staged = reader.waiting.stager.finish()?;
    let split = put_rows(folder, task, plan, &staging, staged)?;
    folder.put_json(&of_task(RECODE, task), &RecodedStretch { rows, sum, split })
}

/// The file of the rows of a stretch, and that of the rows whose class is still to be drawn.
fn rows_file(stretch: usize) -> String {
    of_task("rows-of", stretch)
}

pub(super) fn split_file(stretch: usize) -> String {
    of_task("split-of", stretch)
}

/// Writes the rows of a stretch, an Arrow stream for each part that has rows. Returns how many rows are still to draw
/// their class.
pub(super) fn put_rows(
    folder: TaskFolder<'_>,
    task: usize,
    plan: &RecodePlan,
    staging: &RowStaging,
    mut staged: Staged,
) -> Result<u64> {
    let mut split: Vec<u64> = Vec::new();
    folder.put_each_piece(&rows_file(task), 1 << plan.bits, |part, out| {
        let batches = staged.take(part);
        if batches.is_empty() {
            return Ok(());
        }
        split.extend(batches.iter().flat_map(|batch| split_rows(batch, plan.classes)));
        let written = StreamWriter::try_new(out, staging.schema()).and_then(|mut stream| {
            batches.iter().try_for_each(|batch| stream.write(batch))?;
            stream.finish()
        });
        written.map_err(|error| EngineError::io(folder.shown(&rows_file(task)), as_io(error)))
    })?;
    let rows = split.len() as u64 / 3;
    if rows > 0 {
        folder.put_words(&split_file(task), split.into_iter())?;
    }
    Ok(rows)
}

fn as_io(error: arrow::error::ArrowError) -> std::io::Error {
    match error {
        arrow::error::ArrowError::IoError(_, error) => error,
        other => std::io::Error::other(other),
    }
}

/// The places of rows whose tuple is split, with what their class is drawn by and their seat.
fn split_rows(batch: &RecordBatch, classes: u32) -> Vec<u64> {
    let (order, draw, seats) = super::part_rows::own_columns(batch);
    let rows = order.iter().zip(draw).zip(seats);
    let of_split = rows.filter(|(_, seat)| **seat >= classes && **seat != incrowd_core::Recoding::WITHHELD);
    of_split.flat_map(|((&order, &draw), &seat)| [order, draw, u64::from(seat)]).collect()
}

/// The rows that a stretch has for a part.
pub(super) fn read_rows(folder: TaskFolder<'_>, stretch: usize, part: usize) -> Result<Vec<RecordBatch>> {
    let name = rows_file(stretch);
    let (piece, length) = folder.open_piece(&name, part)?;
    if length == 0 {
        return Ok(Vec::new());
    }
    let stream = std::io::BufReader::with_capacity(1 << 18, piece);
    let batches = StreamReader::try_new(stream, None).and_then(Iterator::collect::<std::result::Result<_, _>>);
    batches.map_err(|error| EngineError::io(folder.shown(&name), as_io(error)))
}
