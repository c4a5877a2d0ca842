//! A shard that is solved: the class of each of its rows is noted, in the order of the rows.
//!
//! Where rows of a tuple go to several classes, each row draws one with random bits of its own, as likely as places are
//! left: every assignment of them is equally likely, and the order of the input says nothing.

use incrowd_core::{FrequencyTable, Recoding};
use rayon::prelude::*;

use super::by_row::ByRow;
use super::route::Shards;
use crate::count::lookup::Lookup;
use crate::publish::row_assignment::RowAssignments;
use crate::publish::shuffle::RowBits;
use crate::runtime::engine::{Engine, on_threads};
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::number32;

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
        let words = self.layout.words();
        let (first, classes) = (self.noted.classes(), recoding.classes());
        if first + classes + table.tuples() >= u32::MAX as usize {
            let tuples = (first + classes) as u64;
            return Err(EngineError::TooManyTuples { tuples, needed: 0, limit: engine.memory.unwrap_or(u64::MAX) });
        }
        let (first, classes) = (number32(first), number32(classes));
        let (lookup, seats) = (Lookup::new(table), RowAssignments::new(table, recoding));
        let (mut draws, mut bits) = (seats.draws(recoding), RowBits::of_shard(key, number32(shard)));
        let lost = || EngineError::Engine { doing: "noting classes", kind: "a row is in no class" };
        let Shards { stretches, noted, spills, .. } = self;
        noted.begin(shard);
        on_threads(engine.threads, || {
            for (at, stretch) in stretches.iter().enumerate() {
                stretch.each(shard, |keys| {
                    engine.check_cancelled()?;
                    let seat = |key: &[u64]| lookup.find(key).and_then(|tuple| seats.take(tuple));
                    let mut told: Vec<Option<u32>> = keys.par_chunks_exact(words).map(seat).collect();
                    for seat in &mut told {
                        // Most rows are assigned their class, and draw nothing.
                        let split = seat.is_some_and(|seat| seat >= classes && seat != Recoding::WITHHELD);
                        let class = seat.and_then(|seat| draws.class(seat, if split { bits.next().1 } else { 0 }));
                        *seat = class.map(|class| if class == Recoding::WITHHELD { class } else { class + first });
                    }
                    let told: Option<Vec<u32>> = told.into_iter().collect();
                    noted.add(at, shard, &told.ok_or_else(lost)?, spills)
                })?;
            }
            Ok::<(), EngineError>(())
        })?;
        if !seats.all_taken() {
            return Err(lost());
        }
        let mut rows = vec![0; recoding.classes()];
        for &(class, more) in (0..table.tuples()).flat_map(|tuple| recoding.targets(tuple)) {
            match rows.get_mut(class as usize) {
                Some(rows) => *rows += more,
                None => self.noted.withhold(more),
            }
        }
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
