//! A shard that is solved: the class of each of its rows is noted, in the order of the rows.
//!
//! Where rows of a tuple go to several classes, each row draws one with random bits of its own, as likely as places are
//! left: every assignment of them is equally likely, and the order of the input says nothing.

use incrowd_core::{FrequencyTable, Recoding};
use rayon::prelude::*;

use super::by_row::ByRow;
use super::route::Shards;
use crate::count::lookup::Lookup;
use crate::publish::row_assignment::{ClassDraws, RowAssignments};
use crate::publish::shuffle::RowBits;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::number32;
use crate::runtime::thread_pool::on_threads;

/// Gives the rows of a shard their classes, in the order of the rows.
pub(crate) struct ShardAssigner {
    lookup: Lookup,
    seats: RowAssignments,
    draws: ClassDraws,
    bits: RowBits,
    classes: u32,
}

impl ShardAssigner {
    /// For the rows of a table that is a shard. The key and the number of the shard decide what is drawn.
    pub(crate) fn new(table: &FrequencyTable, recoding: &Recoding, key: [u8; 32], shard: usize) -> ShardAssigner {
        let (lookup, seats) = (Lookup::new(table), RowAssignments::new(table, recoding));
        let (draws, bits) = (seats.draws(recoding), RowBits::of_shard(key, number32(shard)));
        ShardAssigner { lookup, seats, draws, bits, classes: number32(recoding.classes()) }
    }

    /// The classes of the next rows, given by their keys.
    pub(crate) fn classes(&mut self, keys: &[u64]) -> Result<Vec<u32>> {
        let (lookup, seats) = (&self.lookup, &self.seats);
        let seat = |key: &[u64]| lookup.find(key).and_then(|tuple| seats.take(tuple));
        let mut told: Vec<Option<u32>> = keys.par_chunks_exact(lookup.words()).map(seat).collect();
        for seat in &mut told {
            // Most rows are assigned their class, and draw nothing.
            let split = seat.is_some_and(|seat| seat >= self.classes && seat != Recoding::WITHHELD);
            *seat = seat.and_then(|seat| self.draws.class(seat, if split { self.bits.next().1 } else { 0 }));
        }
        told.into_iter().collect::<Option<Vec<u32>>>().ok_or_else(lost)
    }

    /// All rows were given a class, or this is not the table.
    pub(crate) fn finish(self) -> Result<()> {
        if self.seats.all_taken() { Ok(()) } else { Err(lost()) }
    }
}

fn lost() -> EngineError {
    EngineError::Engine { doing: "noting classes", kind: "a row is in no class" }
}

/// The rows of each class of a recoding, and those that are suppressed.
pub(crate) fn class_rows(table: &FrequencyTable, recoding: &Recoding) -> (Vec<u64>, u64) {
    let (mut rows, mut withheld) = (vec![0; recoding.classes()], 0);
    for &(class, more) in (0..table.tuples()).flat_map(|tuple| recoding.targets(tuple)) {
        *rows.get_mut(class as usize).unwrap_or(&mut withheld) += more;
    }
    (rows, withheld)
}

impl Shards {
    /// Notes the classes of a shard's rows, and what the classes publish. Shards are noted in their order, each once.
    ///
    /// # Panics
    /// If it is not the turn of this shard, or the recoding is not one of this table.
    pub fn seat(
        &mut self,
        engine: &Engine,
        shard: usize,
        table: &FrequencyTable,
        recoding: &Recoding,
        key: [u8; 32],
    ) -> Result<()> {
        let (first, classes) = (self.noted.classes(), recoding.classes());
        if first + classes + table.tuples() >= u32::MAX as usize {
            let tuples = (first + classes) as u64;
            return Err(EngineError::TooManyTuples { tuples, needed: 0, limit: engine.memory.unwrap_or(u64::MAX) });
        }
        let (first, mut assigner) = (number32(first), ShardAssigner::new(table, recoding, key, shard));
        let Shards { stretches, noted, spills, .. } = self;
        noted.begin(shard);
        on_threads(engine.threads, || {
            for (at, stretch) in stretches.iter().enumerate() {
                stretch.each(shard, |keys| {
                    engine.check_cancelled()?;
                    let mut classes = assigner.classes(keys)?;
                    let published = classes.iter_mut().filter(|class| **class != Recoding::WITHHELD);
                    published.for_each(|class| *class += first);
                    noted.add(at, shard, &classes, spills)
                })?;
            }
            assigner.finish()
        })?;
        let (rows, withheld) = class_rows(table, recoding);
        self.noted.withhold(withheld);
        self.noted.publish(recoding, &rows, &self.spills)
    }

    /// A shard without rows has its turn.
    ///
    /// # Panics
    /// If it is not the turn of this shard.
    pub fn skip(&mut self, shard: usize) {
        self.noted.begin(shard);
    }

    /// All shards are noted: the codes are removed, and rows can be asked for their class.
    pub fn finish(self) -> Result<ByRow> {
        let Shards { stretches, order, noted, spills, .. } = self;
        ByRow::new(stretches, order, noted, &spills)
    }
}
