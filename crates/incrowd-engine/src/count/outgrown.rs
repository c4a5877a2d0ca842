//! What the first scan knows of a table whose tuples are too many to be worked on at once.
//!
//! A question says how many tuples can be worked on at once ([`AtOnce`](super::question::AtOnce)), from the memory
//! there is and from what a solver takes for each tuple. When one thread holds more distinct tuples than that, counting
//! ends on all threads. The table has at least as many tuples, so the decision does not depend on the number of
//! threads, and it needs no estimate. The dictionaries and the codebook of the scan are kept, for the second scan
//! (`out_of_core/`).

use incrowd_core::{Attribute, FrequencyTable, Layout};

use crate::count::codebook::Codebook;
use crate::runtime::error::{EngineError, Result};

/// A table of which the first scan learned that its tuples are too many to be worked on at once.
#[derive(Clone)]
pub struct Outgrown {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) codebook: Codebook,
    pub(crate) rows: u64,
}

impl std::fmt::Debug for Outgrown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // No dictionary.
        f.debug_struct("Outgrown").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl Outgrown {
    pub(crate) fn new(attributes: Vec<Attribute>, codebook: Codebook, rows: u64) -> Result<Self> {
        let subject = codebook.has_subject();
        let widths = attributes.iter().map(|attribute| Layout::bits_for(attribute.dictionary.len()));
        if !Layout::fits(&widths.chain(subject.then_some(64)).collect::<Vec<_>>()) {
            return Err(EngineError::TooWide);
        }
        Ok(Outgrown { attributes, codebook, rows })
    }

    /// Rows of the table.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many words the key of a tuple has.
    pub fn words(&self) -> usize {
        self.layout().words()
    }

    /// A table of the same columns without a tuple, to which the columns are given.
    pub fn take_columns(&mut self) -> FrequencyTable {
        let attributes = std::mem::take(&mut self.attributes);
        FrequencyTable::from_entries(attributes, self.codebook.has_subject(), Vec::new())
    }

    /// Takes the columns back.
    pub fn give_columns(&mut self, table: FrequencyTable) {
        self.attributes = table.into_attributes();
    }

    /// The columns, when they are not given away.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    pub(crate) fn layout(&self) -> Layout {
        FrequencyTable::layout_for(&self.attributes, self.codebook.has_subject())
    }
}
