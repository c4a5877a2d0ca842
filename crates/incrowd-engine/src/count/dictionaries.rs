//! The shared dictionaries of the columns that one scan codes.

use std::sync::Arc;

use crate::count::encode::ColumnEncoder;
use crate::count::intern::{DictionaryBudget, SharedDictionary};
use crate::count::profile::unshared;
use crate::count::typing::{Ranked, rank};
use crate::runtime::engine::{DICTIONARY_SHARE, Engine, share};
use crate::runtime::error::Result;
use crate::source::coding::Coding;
use crate::source::table::Source;

/// A code is a number of 32 bits, and none of them stands for a missing value.
const MOST_VALUES: usize = u32::MAX as usize - 1;

/// The dictionaries of some columns, which share one part of the memory.
pub(crate) struct Dictionaries {
    columns: Vec<(String, Coding, Arc<SharedDictionary>)>,
    most_bytes: u64,
}

impl Dictionaries {
    /// Empty dictionaries for these columns, which this many threads read.
    pub(crate) fn new(source: &Source, engine: &Engine, names: &[String], threads: usize) -> Result<Self> {
        let most_bytes = engine.memory.map_or(u64::MAX, |memory| share(memory, DICTIONARY_SHARE));
        let budget = Arc::new(DictionaryBudget::new(most_bytes, threads));
        let column = |name: &String| {
            let coding = Coding::of_column(name, source.data_type(name)?)?;
            Ok((name.clone(), coding, Arc::new(source.dictionary(name, MOST_VALUES, budget.clone()))))
        };
        Ok(Dictionaries { columns: names.iter().map(column).collect::<Result<_>>()?, most_bytes })
    }

    /// The bytes that all of them may take.
    pub(crate) fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// An encoder of each column, for one thread.
    pub(crate) fn encoders(&self) -> Vec<ColumnEncoder> {
        self.columns.iter().map(|(_, coding, shared)| ColumnEncoder::new(coding.clone(), shared.clone())).collect()
    }

    /// Sorts and types the values of each column, one column after the other, once no encoder is left. `missing` says
    /// for each column whether a missing cell was met.
    pub(crate) fn rank(self, source: &Source, missing: &[bool]) -> impl Iterator<Item = Result<(String, Ranked)>> {
        self.columns.into_iter().zip(missing).map(|((name, _, shared), &missing)| {
            let column = rank(&name, source.data_type(&name)?, unshared(shared)?, missing)?;
            Ok((name, column))
        })
    }
}
