//! The rows of a stretch, read again: each with the cells that are kept and the numbers of what it publishes.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use hashbrown::HashMap;
use incrowd_core::{Layout, Recoding, Stage};

use super::lay_out::codes_of;
use super::route::which_of;
use super::shard::{NotedShard, ROWS, ShardCells};
use super::{attempt_of, published};
use crate::cluster::tasks::coded;
use crate::cluster::tasks::folder::{TaskFolder, of_task};
use crate::cluster::tasks::recode::{PLAN, RecodePlan, RecodedStretch, SOURCE, put_rows};
use crate::count::codebook::OpenCodebook;
use crate::count::packer::Packer;
use crate::count::scan::scan_stretch;
use crate::count::spill::Spills;
use crate::publish::apply::{Waiting, kept_columns};
use crate::publish::kept_cells::KeptColumn;
use crate::publish::memory_shares::MemoryShares;
use crate::publish::staging::{RowStaging, misfit};
use crate::runtime::engine::Engine;
use crate::runtime::error::Result;
use crate::source::table::Source;

pub(in crate::cluster::tasks) const BY_ROW: &str = "by-row";

/// What the rows of a stretch publish, in their order.
struct RowsToPublish {
    /// The shard of each row.
    which: Vec<u16>,
    shards: HashMap<u16, ShardRows>,
    row: usize,
    width: usize,
}

/// The rows of one shard.
struct ShardRows {
    layout: Layout,
    keys: Vec<u64>,
    next: usize,
    /// The number of each cell among those of all shards.
    numbers: Vec<Vec<u32>>,
}

impl RowsToPublish {
    fn read(folder: TaskFolder<'_>, attempt: u32, stretch: usize) -> Result<RowsToPublish> {
        let name = which_of(attempt, stretch);
        let which = folder.bytes(&name)?;
        let which: Vec<u16> = which.as_chunks::<2>().0.iter().map(|two| u16::from_le_bytes(*two)).collect();
        let numbers = published::numbers(folder)?;
        let noted = published::noted_shards(folder, attempt)?;
        let noted: HashMap<usize, NotedShard> = noted.into_iter().map(|noted| (noted.shard, noted)).collect();
        let mut shards = HashMap::new();
        for &shard in &which {
            if shards.contains_key(&shard) {
                continue;
            }
            let noted = *noted.get(&usize::from(shard)).ok_or_else(|| folder.damaged(&name))?;
            let cells = ShardCells::read(folder, attempt, noted)?;
            let number = |(cells, numbers): (&Vec<u64>, &HashMap<u64, u32, _>)| {
                cells.iter().map(|cell| numbers.get(cell).copied()).collect::<Option<Vec<u32>>>()
            };
            let of_all = cells.cells.iter().zip(&numbers).map(number).collect::<Option<Vec<_>>>();
            let keys = folder.piece_words(&noted.file(ROWS, attempt), stretch)?;
            let numbers = of_all.ok_or_else(|| folder.damaged(&name))?;
            shards.insert(shard, ShardRows { layout: cells.layout(), keys, next: 0, numbers });
        }
        Ok(RowsToPublish { which, shards, row: 0, width: numbers.len() })
    }

    /// Of the next rows whether they are suppressed, and the numbers of their cells; fewer when there are no more.
    fn next(&mut self, rows: usize) -> (Vec<u32>, Vec<Vec<u32>>) {
        let (mut seats, mut columns) = (Vec::with_capacity(rows), vec![Vec::with_capacity(rows); self.width]);
        for shard in self.which[self.row..].iter().take(rows) {
            let Some(shard) = self.shards.get_mut(shard) else { break };
            let words = shard.layout.words();
            let Some(key) = shard.keys.get(shard.next..shard.next + words) else { break };
            shard.next += words;
            let Some((suppressed, fields)) = shard.layout.fields().split_first() else { break };
            let numbers = match suppressed.get(key) {
                0 => fields
                    .iter()
                    .zip(&shard.numbers)
                    .map(|(field, of_all)| of_all.get(field.get(key) as usize))
                    .collect(),
                // A shard whose rows are all suppressed publishes no cell.
                _ => Some(vec![&0; self.width]),
            };
            let Some(numbers) = numbers.filter(|numbers: &Vec<&u32>| numbers.len() == self.width) else { break };
            seats.push(if suppressed.get(key) == 0 { 0 } else { Recoding::WITHHELD });
            columns.iter_mut().zip(numbers).for_each(|(column, &number)| column.push(number));
        }
        self.row += seats.len();
        (seats, columns)
    }
}

/// The columns of numbers, which wait with the rows.
pub(in crate::cluster::tasks) fn number_columns(width: usize) -> Vec<KeptColumn> {
    (0..width).map(|at| KeptColumn::of_numbers(&format!("label {at}"))).collect()
}

/// One task's reader.
struct StretchReader {
    packer: Packer,
    published: RowsToPublish,
    waiting: Waiting,
    /// What was laid out, and how much of it was met again.
    codes: Vec<u64>,
    met: usize,
}

/// Recodes a stretch.
pub(in crate::cluster::tasks) fn by_row(engine: &Engine, folder: TaskFolder<'_>, job: &str, task: usize) -> Result<()> {
    let (_, attempt) = attempt_of(job);
    let (plan, source): (RecodePlan, _) = (folder.json(PLAN)?, Source::of_parts(folder.json(SOURCE)?)?);
    let first = *plan.first.get(task).ok_or_else(|| folder.damaged(PLAN))?;
    let parts = coded::codebook(folder)?;
    let (mut read, layout) = (parts.codebook.names(), parts.layout());
    let codebook = OpenCodebook::of_parts(&source, parts.codebook)?;
    let tables = plan.tables();
    let (mut kept, places) = kept_columns(&source, &tables.iter().flatten().collect::<Vec<_>>(), &mut read)?;
    let published = RowsToPublish::read(folder, attempt, task)?;
    let places = places.followed_by(read.len()..read.len() + published.width);
    kept.extend(number_columns(published.width));
    let rooms = MemoryShares::beside(engine, 0, 0)?;
    let staging = RowStaging::with_bits(&kept, plan.bits, rooms, Arc::new(Spills::new(engine.folder.path())));
    let staging = Arc::new(staging);
    let reader = StretchReader {
        packer: Packer::new(&codebook),
        published,
        waiting: Waiting::from_row(plan.key, first, &staging),
        codes: folder.words(&codes_of(task))?,
        met: 0,
    };
    let step = |reader: &mut StretchReader, batch: &RecordBatch| {
        let keys = reader.packer.pack(&codebook, layout.fields(), layout.words(), batch)?;
        if reader.codes.get(reader.met..reader.met + keys.len()) != Some(keys) {
            return Err(codebook.changed());
        }
        reader.met += keys.len();
        let (seats, numbers) = reader.published.next(batch.num_rows());
        if seats.len() < batch.num_rows() {
            return Err(codebook.changed());
        }
        reader.waiting.add(&kept, &places, &with_numbers(batch, numbers)?, &seats)
    };
    let reader = scan_stretch(engine, &source, &read, (Stage::Recode, task), reader, step)?;
    let rows = reader.waiting.rows;
    let staged = reader.waiting.stager.finish()?;
    put_rows(folder, task, &plan, &staging, staged)?;
    folder.put_json(&of_task(job, task), &RecodedStretch { rows, sum: 0, split: 0 })
}

/// A batch, followed by columns of numbers.
fn with_numbers(batch: &RecordBatch, numbers: Vec<Vec<u32>>) -> Result<RecordBatch> {
    let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
    let mut fields: Vec<Arc<Field>> = batch.schema().fields().iter().cloned().collect();
    for (at, numbers) in numbers.into_iter().enumerate() {
        fields.push(Arc::new(Field::new(format!("label {at}"), DataType::UInt32, false)));
        columns.push(Arc::new(UInt32Array::from(numbers)));
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(|_| misfit())
}
