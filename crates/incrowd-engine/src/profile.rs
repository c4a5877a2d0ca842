//! Each column by itself: its distinct values and how often each occurs, in one scan.

use std::sync::Arc;

use datafusion::arrow::record_batch::RecordBatch;
use incrowd_core::{ColumnProfile, Stage};

use crate::encode::{Coding, Encoder};
use crate::engine::{DICTIONARY_SHARE, Engine, share};
use crate::error::{EngineError, Result};
use crate::intern::{Budget, MISSING, NoCode, Shared};
use crate::scan::scan;
use crate::table::Source;
use crate::typing::rank;

/// Counting a column's distinct values stops here: what has more is told by being nearly unique, not by its values.
pub const MOST_DISTINCT: usize = 1 << 18;

/// One column on one thread.
struct Tally {
    encoder: Encoder,
    /// Rows of each code.
    counts: Vec<u64>,
    rows: u64,
    stopped: bool,
}

impl Tally {
    fn add(&mut self, column: &str, batch: &RecordBatch, index: usize, codes: &mut Vec<u32>) -> Result<()> {
        if self.stopped {
            return Ok(());
        }
        match self.encoder.encode(batch.column(index), codes) {
            Ok(()) => {}
            Err(NoCode::Full) => self.stopped = true,
            Err(NoCode::Fault(fault)) => return Err(EngineError::BadValue { column: column.into(), fault }),
        }
        self.rows += codes.len() as u64;
        let largest = codes.iter().copied().max().unwrap_or(MISSING) as usize;
        if largest >= self.counts.len() {
            self.counts.resize(largest + 1, 0);
        }
        codes.iter().for_each(|&code| self.counts[code as usize] += 1);
        Ok(())
    }
}

impl Source {
    /// Reads every column by itself.
    pub fn profile(&self, engine: &Engine) -> Result<Vec<ColumnProfile>> {
        self.profile_columns(engine, self.columns())
    }

    /// As [`Source::profile`], for some columns only: those of lists or documents can be left out.
    pub fn profile_columns(&self, engine: &Engine, columns: Vec<String>) -> Result<Vec<ColumnProfile>> {
        let codings =
            columns.iter().map(|name| Coding::of_column(name, self.data_type(name)?)).collect::<Result<Vec<_>>>()?;
        let most_bytes =
            engine.memory.map_or(u64::MAX, |memory| share(memory, DICTIONARY_SHARE) / columns.len().max(1) as u64);
        // Each column has its own room, so that one of many values does not stop the counting of the others.
        let dictionary = |_| {
            let budget = Arc::new(Budget::new(most_bytes, engine.threads));
            Arc::new(Shared::new(&self.options.nulls, MOST_DISTINCT, budget))
        };
        let dictionaries: Vec<Arc<Shared>> = columns.iter().map(dictionary).collect();
        let start = || {
            let tally = |(coding, shared): (&Coding, &Arc<Shared>)| Tally {
                encoder: Encoder::new(coding.clone(), shared.clone()),
                counts: Vec::new(),
                rows: 0,
                stopped: false,
            };
            (codings.iter().zip(&dictionaries).map(tally).collect::<Vec<_>>(), Vec::new(), 0u64)
        };
        let names = columns.clone();
        let states = scan(engine, self, &columns, Stage::Profile, start, move |(tallies, codes, rows), batch| {
            *rows += batch.num_rows() as u64;
            let mut columns = tallies.iter_mut().zip(&names).enumerate();
            columns.try_for_each(|(index, (tally, name))| tally.add(name, batch, index, codes))
        })?;
        let rows = states.iter().map(|(_, _, rows)| rows).sum();
        let mut by_column: Vec<Vec<Tally>> = columns.iter().map(|_| Vec::new()).collect();
        for (tallies, _, _) in states {
            by_column.iter_mut().zip(tallies).for_each(|(column, tally)| column.push(tally));
        }
        let columns = columns.into_iter().zip(dictionaries).zip(by_column);
        columns.map(|((name, dictionary), tallies)| self.finish_profile(name, dictionary, tallies, rows)).collect()
    }

    fn finish_profile(
        &self,
        name: String,
        dictionary: Arc<Shared>,
        tallies: Vec<Tally>,
        rows: u64,
    ) -> Result<ColumnProfile> {
        let exact = !tallies.iter().any(|tally| tally.stopped);
        let rows_counted = tallies.iter().map(|tally| tally.rows).sum();
        let mut arrived = vec![0u64; dictionary.len() + 1];
        for tally in &tallies {
            arrived.iter_mut().zip(&tally.counts).for_each(|(total, count)| *total += count);
        }
        drop(tallies);
        let missing = arrived[MISSING as usize];
        let dictionary = Arc::into_inner(dictionary)
            .ok_or(EngineError::Engine { doing: "reading columns", kind: "a task still runs" })?;
        let ranked = rank(&name, self.data_type(&name)?, dictionary, missing > 0, self.date_format(&name))?;
        let mut counts = vec![0; ranked.dictionary.len()];
        for (code, count) in arrived.into_iter().enumerate().filter(|&(_, count)| count > 0) {
            counts[ranked.ranks[code] as usize] += count;
        }
        Ok(ColumnProfile { name, rows, missing, dictionary: ranked.dictionary, counts, exact, rows_counted })
    }

    pub(crate) fn date_format(&self, column: &str) -> Option<&str> {
        self.options.date_formats.iter().find(|(name, _)| name == column).map(|(_, format)| format.as_str())
    }
}
