//! A shard's codes become a frequency table.

use incrowd_core::FrequencyTable;

use super::entries::entries;
use super::route::Shards;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::capacity;
use crate::runtime::thread_pool::on_threads;

impl Shards {
    /// The tuples of a shard, as a table of these columns, which are given away. Refused when there are more than
    /// `most`.
    pub fn load(&self, engine: &Engine, shard: usize, columns: FrequencyTable, most: u64) -> Result<FrequencyTable> {
        let words = self.layout.words();
        // A sketch says about how many there are; rows say how many there are at most.
        let room = (self.tuples(shard) + self.tuples(shard) / 8).min(self.rows(shard)).min(most + most / 4);
        let mut counting = entries(words, capacity(room));
        let too_many = |tuples: u64| {
            let (needed, limit) = (tuples * 8 * (words as u64 + 1), engine.memory.unwrap_or(u64::MAX));
            EngineError::TooManyTuples { tuples, needed, limit }
        };
        on_threads(engine.threads, || {
            for stretch in &self.stretches {
                stretch.each(shard, |keys| {
                    engine.check_cancelled()?;
                    counting.add(keys);
                    let distinct = counting.distinct() as u64;
                    if distinct > most { Err(too_many(distinct)) } else { Ok(()) }
                })?;
            }
            let table = counting.finish(columns.into_attributes(), self.subject);
            let tuples = table.tuples() as u64;
            if tuples > most { Err(too_many(tuples)) } else { Ok(table) }
        })
    }
}
