//! A shard in the task that solves it: its codes become a frequency table, and what its rows publish is noted.

use std::hash::BuildHasher;

use incrowd_core::{FrequencyTable, Layout, Recoding};
use serde::{Deserialize, Serialize};

use super::lay_out::{LayOutOrder, attributes};
use super::published;
use super::route::{routed_of, shards_with_rows};
use super::{attempt_of, of_attempt};
use crate::cluster::tasks::coded;
use crate::cluster::tasks::folder::{TaskFolder, of_task};
use crate::cluster::tasks::job::TaskCall;
use crate::out_of_core::{DistinctCells, ShardAssigner, class_rows, entries};
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::number32;
use crate::runtime::thread_pool::on_threads;

/// Whose notes of a shard are used: a solver that is stopped by the clock finds other classes when its task runs again, so
/// every run has files of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedShard {
    pub(super) shard: usize,
    run: u64,
}

impl NotedShard {
    /// The file of this run.
    pub(super) fn file(self, name: &str, attempt: u32) -> String {
        of_task(&format!("{}-{:016x}", of_attempt(name, attempt), self.run), self.shard)
    }
}

/// A shard, in the task that solves it.
#[derive(Debug)]
pub struct ShardTask<'a> {
    folder: TaskFolder<'a>,
    attempt: u32,
    /// The number of the shard.
    pub shard: usize,
    stretches: usize,
    subject: bool,
    layout: Layout,
}

/// What the rows of a shard publish: the distinct cells of each quasi-identifier, and how their numbers are packed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ShardCells {
    pub(super) cells: Vec<Vec<u64>>,
    pub(super) withheld: u64,
}

impl ShardCells {
    pub(super) fn read(folder: TaskFolder<'_>, attempt: u32, noted: NotedShard) -> Result<ShardCells> {
        folder.json(&noted.file(CELLS, attempt))
    }

    /// What a row publishes: whether it is suppressed, and the numbers of its cells.
    pub(super) fn layout(&self) -> Layout {
        let widths = self.cells.iter().map(|cells| Layout::bits_for(cells.len()));
        Layout::new([1].into_iter().chain(widths))
    }
}

/// The files of what the rows of a shard publish, stretch by stretch, and of the cells that their numbers mean.
pub(super) const ROWS: &str = "publish";
const CELLS: &str = "cells-of";

impl<'a> ShardTask<'a> {
    /// The shard of a task: its number is a place among the shards that have rows.
    ///
    /// # Errors
    /// The folder of the job does not hold a table that was cut.
    pub fn of(call: &TaskCall, folder: TaskFolder<'a>) -> Result<ShardTask<'a>> {
        let (_, attempt) = attempt_of(&call.job.name);
        let plan = LayOutOrder::read(folder)?;
        let shards = shards_with_rows(folder, attempt)?;
        let shard = *shards.get(call.task).ok_or_else(|| folder.damaged("shards"))?;
        let layout = coded::codebook(folder)?.layout();
        Ok(ShardTask { folder, attempt, shard, stretches: plan.first.len(), subject: plan.subject, layout })
    }

    /// The tuples of the shard. Refused when there are more than `most`.
    ///
    /// # Errors
    /// There are too many, or what was routed cannot be read.
    pub fn load(&self, engine: &Engine, most: u64) -> Result<FrequencyTable> {
        let words = self.layout.words();
        let mut counting = entries(words, 0);
        let refuse = |tuples: u64| {
            let (needed, limit) = (tuples * 8 * (words as u64 + 1), engine.memory.unwrap_or(u64::MAX));
            if tuples > most { Err(EngineError::TooManyTuples { tuples, needed, limit }) } else { Ok(()) }
        };
        for stretch in 0..self.stretches {
            engine.check_cancelled()?;
            counting.add(&self.keys(stretch)?);
            refuse(counting.distinct() as u64)?;
        }
        let columns = attributes(self.folder)?;
        let table = on_threads(engine.threads, || counting.finish(columns, self.subject));
        refuse(table.tuples() as u64)?;
        Ok(table)
    }

    fn keys(&self, stretch: usize) -> Result<Vec<u64>> {
        self.folder.piece_words(&routed_of(self.attempt, stretch), self.shard)
    }

    /// Notes what each row of the shard publishes, in the order of the rows, and what its classes publish. The key and
    /// the number of the shard decide which rows of a tuple go to which of several classes.
    ///
    /// # Errors
    /// The recoding is not one of this table, or the notes cannot be written.
    pub fn note(
        &self,
        engine: &Engine,
        table: &FrequencyTable,
        recoding: &Recoding,
        key: [u8; 32],
    ) -> Result<NotedShard> {
        let noted = NotedShard { shard: self.shard, run: std::hash::RandomState::new().hash_one(self.shard) };
        let (mut columns, mut numbers): (Vec<DistinctCells>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
        for class in 0..number32(recoding.classes()) {
            let cells = recoding.cells(class);
            columns.resize_with(cells.len(), DistinctCells::default);
            numbers.push(columns.iter_mut().zip(cells).map(|(column, &cell)| column.number(cell)).collect());
        }
        let (rows, withheld) = class_rows(table, recoding);
        let cells = columns.iter().map(|column| column.cells.iter().map(|cell| cell.bits()).collect());
        let cells = ShardCells { cells: cells.collect(), withheld };
        let layout = cells.layout();
        let (words, (suppressed, fields)) = (layout.words(), layout.fields().split_first().ok_or_else(misfit)?);
        let mut of_class = vec![0; numbers.len() * words];
        for (key, numbers) in of_class.chunks_exact_mut(words).zip(&numbers) {
            fields.iter().zip(numbers).for_each(|(field, &number)| field.put(key, u64::from(number)));
        }
        let mut of_withheld = vec![0; words];
        suppressed.put(&mut of_withheld, 1);
        let mut assigner = ShardAssigner::new(table, recoding, key, self.shard);
        let name = noted.file(ROWS, self.attempt);
        self.folder.put_each_piece(&name, self.stretches, |stretch, out| {
            engine.check_cancelled()?;
            let classes = assigner.classes(&self.keys(stretch)?)?;
            let published = |class: u32| of_class.get(class as usize * words..).unwrap_or_default().get(..words);
            for class in classes {
                let key = if class == Recoding::WITHHELD { Some(&of_withheld[..]) } else { published(class) };
                let bytes = key.ok_or_else(misfit)?.iter().map(|word| word.to_le_bytes());
                bytes
                    .into_iter()
                    .try_for_each(|word| std::io::Write::write_all(out, &word))
                    .map_err(|error| EngineError::io(self.folder.shown(&name), error))?;
            }
            Ok(())
        })?;
        assigner.finish()?;
        self.folder.put_json(&noted.file(CELLS, self.attempt), &cells)?;
        published::put_classes(self.folder, (self.attempt, noted), recoding, &rows)?;
        Ok(noted)
    }
}

fn misfit() -> EngineError {
    EngineError::Engine { doing: "noting classes", kind: "a class publishes nothing" }
}
