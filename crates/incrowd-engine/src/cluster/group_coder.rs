//! Codes the groups that come back from executors, and compares their rows with those that were expected.

use arrow::array::AsArray;
use arrow::array::types::Int64Type;
use arrow::record_batch::RecordBatch;

use super::exchange;
use crate::count::dictionaries::Dictionaries;
use crate::count::encode::ColumnEncoder;
use crate::count::groups::{ExecutorGroups, TupleHash};
use crate::runtime::engine::{Engine, TUPLE_SHARE, share};
use crate::runtime::error::{EngineError, Result};
use crate::source::table::Source;

/// Codes the groups that come back.
pub(super) struct GroupCoder<'a> {
    names: &'a [String],
    dictionaries: &'a Dictionaries,
    encoders: Vec<ColumnEncoder>,
    codes: Vec<Vec<u32>>,
    pub(super) groups: ExecutorGroups,
    /// The most bytes that groups may take.
    limit: Option<u64>,
}

impl<'a> GroupCoder<'a> {
    pub(super) fn new(
        engine: &Engine,
        source: &Source,
        names: &'a [String],
        dictionaries: &'a Dictionaries,
    ) -> Result<GroupCoder<'a>> {
        let (encoders, codes) = (dictionaries.encoders(), vec![Vec::new(); names.len()]);
        let groups = ExecutorGroups::new(names.len(), exchange::stamps(source)?);
        let limit = engine.memory.map(|memory| share(memory, TUPLE_SHARE));
        Ok(GroupCoder { names, dictionaries, encoders, codes, groups, limit })
    }

    /// Takes some groups, whose rows are in this column. Refuses what does not fit.
    pub(super) fn add(
        &mut self,
        batch: &RecordBatch,
        counts_at: usize,
        hashes: impl Iterator<Item = TupleHash>,
    ) -> Result<()> {
        for (at, (encoder, codes)) in self.encoders.iter_mut().zip(&mut self.codes).enumerate() {
            let encoded = encoder.encode(batch.column(at), codes);
            encoded.map_err(|no_code| no_code.refusal(&self.names[at], self.dictionaries.most_bytes()))?;
        }
        let counts = batch.column(counts_at).as_primitive::<Int64Type>().values();
        let counts: Vec<u64> = counts.iter().map(|&count| count.unsigned_abs()).collect();
        self.groups.add(&self.codes, hashes, &counts);
        match self.limit.filter(|&limit| self.groups.bytes() > limit) {
            Some(limit) => {
                let (tuples, needed) = (self.groups.len() as u64, self.groups.bytes());
                Err(EngineError::TooManyTuples { tuples, needed, limit })
            }
            None => Ok(()),
        }
    }
}

/// Refuses other rows than those that were expected: a row that executors lost, or read twice, is never lost silently.
pub(super) fn as_expected(source: &Source, read: u64) -> Result<()> {
    let name = || source.name().to_string();
    match source.rows_expected() {
        Some(expected) if expected != read => Err(EngineError::RowsDiffer { name: name(), read, expected }),
        None if read == 0 => Err(EngineError::Empty(name())),
        _ => Ok(()),
    }
}
