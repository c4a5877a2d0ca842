//! Each column on its own: its distinct values and how often each occurs, in one scan.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;
use incrowd_core::{ColumnProfile, Stage};

use crate::count::encode::ColumnEncoder;
use crate::count::intern::{CellWriting, DictionaryBudget, MISSING, NoCode, SharedDictionary};
use crate::count::scan::scan;
use crate::count::typing::{Ranked, rank};
use crate::runtime::engine::{DICTIONARY_SHARE, Engine, share};
use crate::runtime::error::{EngineError, Result};
use crate::source::coding::Coding;
use crate::source::table::Source;

/// Counting a column's distinct values stops here: a column with more is reported as nearly unique, without its values.
pub const MOST_DISTINCT: usize = 1 << 18;

/// One column on one thread.
pub(crate) struct ColumnTally {
    encoder: ColumnEncoder,
    counts: CodeCounts,
    rows: u64,
    stopped: bool,
}

/// The rows of each code.
#[derive(Clone, Default)]
pub(crate) struct CodeCounts(Vec<u64>);

impl CodeCounts {
    pub(crate) fn add(&mut self, codes: &[u32]) {
        let largest = codes.iter().copied().max().unwrap_or(MISSING) as usize;
        if largest >= self.0.len() {
            self.0.resize(largest + 1, 0);
        }
        codes.iter().for_each(|&code| self.0[code as usize] += 1);
    }

    /// As [`CodeCounts::add`], each code counted with its number of rows.
    #[cfg(feature = "cluster")]
    pub(crate) fn add_weighted(&mut self, codes: &[u32], rows: &[u64]) {
        let largest = codes.iter().copied().max().unwrap_or(MISSING) as usize;
        if largest >= self.0.len() {
            self.0.resize(largest + 1, 0);
        }
        codes.iter().zip(rows).for_each(|(&code, rows)| self.0[code as usize] += rows);
    }

    pub(crate) fn merge(&mut self, other: &CodeCounts) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(total, count)| *total += count);
    }

    /// Rows whose cell is missing.
    pub(crate) fn missing(&self) -> u64 {
        self.0.first().copied().unwrap_or(0)
    }

    /// The profile of a column of which every row was counted.
    pub(crate) fn profile(&self, name: &str, column: &Ranked, rows: u64) -> ColumnProfile {
        ColumnProfile {
            name: name.into(),
            rows,
            missing: self.missing(),
            dictionary: column.dictionary.clone(),
            counts: self.by_rank(column),
            exact: true,
            rows_counted: rows,
        }
    }

    /// The counts by rank instead of code.
    pub(crate) fn by_rank(&self, ranked: &Ranked) -> Vec<u64> {
        let mut counts = vec![0; ranked.dictionary.len()];
        for (code, count) in self.0.iter().enumerate().filter(|&(_, &count)| count > 0) {
            counts[ranked.ranks[code] as usize] += count;
        }
        counts
    }
}

impl ColumnTally {
    fn add(&mut self, column: &str, array: &ArrayRef, codes: &mut Vec<u32>) -> Result<()> {
        if self.stopped {
            return Ok(());
        }
        match self.encoder.encode(array, codes) {
            Ok(()) => {}
            Err(NoCode::Full) => self.stopped = true,
            Err(NoCode::Fault(fault)) => return Err(EngineError::BadValue { column: column.into(), fault }),
        }
        self.rows += codes.len() as u64;
        self.counts.add(codes);
        Ok(())
    }
}

/// The columns that are read on their own, with the dictionaries that all threads share.
pub(crate) struct Profiling {
    names: Vec<String>,
    codings: Vec<Coding>,
    dictionaries: Vec<Arc<SharedDictionary>>,
}

impl Profiling {
    pub(crate) fn new(source: &Source, engine: &Engine, names: Vec<String>) -> Result<Self> {
        let coding = |name: &String| Coding::of_column(name, source.data_type(name)?);
        let codings = names.iter().map(coding).collect::<Result<Vec<_>>>()?;
        let columns = source.columns().len().max(1) as u64;
        let most_bytes = engine.memory.map_or(u64::MAX, |memory| share(memory, DICTIONARY_SHARE) / columns);
        // Each column has its own room, so that one of many values does not stop the counting of the others.
        let dictionary = |name: &String| {
            let budget = Arc::new(DictionaryBudget::new(most_bytes, engine.threads));
            Arc::new(source.dictionary(name, MOST_DISTINCT, budget))
        };
        let dictionaries = names.iter().map(dictionary).collect();
        Ok(Profiling { names, codings, dictionaries })
    }

    /// A tally of each column for one thread.
    pub(crate) fn start(&self) -> Vec<ColumnTally> {
        let tally = |(coding, shared): (&Coding, &Arc<SharedDictionary>)| ColumnTally {
            encoder: ColumnEncoder::new(coding.clone(), shared.clone()),
            counts: CodeCounts::default(),
            rows: 0,
            stopped: false,
        };
        self.codings.iter().zip(&self.dictionaries).map(tally).collect()
    }

    /// Adds a batch whose columns from `first` on are these; `each` gets the place of each column among them, and its
    /// codes: too few of them when the column was not counted to the end.
    pub(crate) fn step(
        names: &[String],
        tallies: &mut [ColumnTally],
        batch: &RecordBatch,
        first: usize,
        codes: &mut Vec<u32>,
        each: &mut dyn FnMut(usize, &[u32]),
    ) -> Result<()> {
        let columns = tallies.iter_mut().zip(names).zip(&batch.columns()[first..]);
        for (at, ((tally, name), array)) in columns.enumerate() {
            codes.clear();
            tally.add(name, array, codes)?;
            each(at, codes);
        }
        Ok(())
    }

    /// Puts together what the threads tallied.
    pub(crate) fn finish(
        self,
        source: &Source,
        threads: Vec<Vec<ColumnTally>>,
        rows: u64,
    ) -> Result<Vec<ColumnProfile>> {
        let mut by_column: Vec<Vec<ColumnTally>> = self.names.iter().map(|_| Vec::new()).collect();
        for tallies in threads {
            by_column.iter_mut().zip(tallies).for_each(|(column, tally)| column.push(tally));
        }
        let mut profiles = Vec::with_capacity(self.names.len());
        for ((name, dictionary), tallies) in self.names.into_iter().zip(self.dictionaries).zip(by_column) {
            let exact = !tallies.iter().any(|tally| tally.stopped);
            let rows_counted = tallies.iter().map(|tally| tally.rows).sum();
            let mut counts = CodeCounts::default();
            tallies.iter().for_each(|tally| counts.merge(&tally.counts));
            drop(tallies);
            let missing = counts.missing();
            let ranked = rank(&name, source.data_type(&name)?, unshared(dictionary)?, missing > 0)?;
            let counts = counts.by_rank(&ranked);
            profiles.push(ColumnProfile {
                name,
                rows,
                missing,
                dictionary: ranked.dictionary,
                counts,
                exact,
                rows_counted,
            });
        }
        Ok(profiles)
    }
}

/// A dictionary that no thread holds any more.
pub(crate) fn unshared(dictionary: Arc<SharedDictionary>) -> Result<SharedDictionary> {
    Arc::into_inner(dictionary).ok_or(EngineError::Engine { doing: "reading columns", kind: "a task still runs" })
}

impl Source {
    /// As [`Source::profile_columns`], from the first rows only: enough for a first guess. They are few, so they are
    /// read in this process.
    pub fn profile_head(&self, engine: &Engine, columns: &[String], rows: usize) -> Result<Vec<ColumnProfile>> {
        self.profile_rows(engine, columns, Some(rows))
    }

    /// Reads these columns on their own in this process, of at most this many rows.
    pub(crate) fn profile_rows(
        &self,
        engine: &Engine,
        columns: &[String],
        most: Option<usize>,
    ) -> Result<Vec<ColumnProfile>> {
        let profiling = Profiling::new(self, engine, columns.to_vec())?;
        let names = columns.to_vec();
        let start = |_| (profiling.start(), Vec::new(), 0u64);
        let states = scan(engine, self, columns, Stage::Profile, most, start, move |(tallies, codes, rows), batch| {
            *rows += batch.num_rows() as u64;
            Profiling::step(&names, tallies, batch, 0, codes, &mut |_, _| {})
        })?;
        let rows = states.iter().map(|(_, _, rows)| rows).sum();
        profiling.finish(self, states.into_iter().map(|(tallies, _, _)| tallies).collect(), rows)
    }

    /// An empty dictionary for a column.
    pub(crate) fn dictionary(
        &self,
        column: &str,
        most_values: usize,
        budget: Arc<DictionaryBudget>,
    ) -> SharedDictionary {
        SharedDictionary::new(&self.options.nulls, most_values, budget).written(self.writing(column))
    }

    /// How the cells of a column are written, as far as the user said so.
    pub(crate) fn writing(&self, column: &str) -> CellWriting {
        let dated = self.options.date_formats.iter().find(|(name, _)| name == column);
        match dated {
            Some((_, format)) => CellWriting::Dates(format.clone()),
            None if self.options.decimal_commas.iter().any(|name| name == column) => CellWriting::DecimalComma,
            None => CellWriting::Plain,
        }
    }
}
