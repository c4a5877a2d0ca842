//! What a grouped scan answers.

use incrowd_core::{ClassSizes, FrequencyTable};

use crate::count::codebook::Codebook;
use crate::count::outgrown::Outgrown;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};

/// What one grouped scan found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The distinct tuples; nothing when only sizes were wanted, or when they do not fit in the allowed memory.
    pub table: Option<FrequencyTable>,
    /// How cells became codes, so that a second scan finds the tuples of the table; there when the table is.
    pub codebook: Option<Codebook>,
    /// The rows as they are to be laid out on disk, when there are more tuples than can be worked on at once.
    pub outgrown: Option<Outgrown>,
    /// The class sizes by the quasi-identifiers of the tuples.
    pub sizes: ClassSizes,
    /// The class sizes by all quasi-identifiers, when some are not in the tuples.
    pub sizes_of_all: Option<ClassSizes>,
    /// Rows of the table.
    pub rows: u64,
    /// Distinct tuples (distinguished by person, too, when there is a subject column).
    pub tuples: u64,
    /// Bytes of codes that went through the disk because memory was short.
    pub spilled_bytes: u64,
    /// The bytes it takes to put the tuples together in memory.
    pub(super) needed: u64,
}

impl Answer {
    /// What a scan on a cluster found, which is complete.
    #[cfg(feature = "cluster")]
    pub(crate) fn of_table(table: FrequencyTable, codebook: Codebook, sizes: ClassSizes, sizes_only: bool) -> Answer {
        let (rows, tuples, needed) = (table.rows(), table.tuples() as u64, table.bytes());
        let (table, codebook) = if sizes_only { (None, None) } else { (Some(table), Some(codebook)) };
        let sizes_of_all = None;
        Answer { table, codebook, outgrown: None, sizes, sizes_of_all, rows, tuples, spilled_bytes: 0, needed }
    }

    /// What a scan on a cluster found of a table with too many tuples to be worked on at once.
    #[cfg(feature = "cluster")]
    pub(crate) fn of_outgrown(outgrown: Outgrown) -> Answer {
        Answer {
            rows: outgrown.rows(),
            outgrown: Some(outgrown),
            table: None,
            codebook: None,
            sizes: ClassSizes::default(),
            sizes_of_all: None,
            tuples: 0,
            spilled_bytes: 0,
            needed: 0,
        }
    }

    /// The tuples, or why they are not there.
    pub fn into_table(self, engine: &Engine) -> Result<FrequencyTable> {
        let (tuples, needed, limit) = (self.tuples, self.needed, engine.memory.unwrap_or(u64::MAX));
        self.table.ok_or(EngineError::TooManyTuples { tuples, needed, limit })
    }

    /// The tuples with the codebook that finds them again, or why they are not there.
    pub fn into_parts(mut self, engine: &Engine) -> Result<(FrequencyTable, Codebook)> {
        let (tuples, needed, limit) = (self.tuples, self.needed, engine.memory.unwrap_or(u64::MAX));
        let codebook = self.codebook.take().ok_or(EngineError::TooManyTuples { tuples, needed, limit })?;
        Ok((self.into_table(engine)?, codebook))
    }
}
