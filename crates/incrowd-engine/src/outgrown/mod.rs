//! A table whose tuples outgrow memory: solved shard by shard, with codes on disk.
//!
//! ```text
//! scan 1   dictionaries; the tuples turn out to be too many                              Outgrown
//! scan 2   packed codes of every row, in the order of the rows; some rows are drawn      RowCodes   lay_out.rs
//! pass     codes go to the shard that a tree names; which one is noted for each row      Shards     route.rs
//! a shard  its codes become a frequency table, which is solved; each row's class is      Shards     load.rs, seat.rs
//!          noted in the order of the rows
//! scan 3   rows are read with the cells that are kept, and each gets its class; were      ByRow      by_row.rs
//!          they the rows of scan 2, in the same order?                                   RowOrder   row_order.rs
//! ```
//!
//! **Nothing is ever looked up at random on disk.** Rows of a shard stand in the order of the table, so the class of the
//! next row is the next class of its shard: two streams, one of shards (16 bits a row) and one of classes (32 bits a row),
//! are all the third scan needs.
//!
//! **What is on disk is codes**: ranks in dictionaries that stay in memory, numbers of shards and of classes. (With a
//! subject column also its keyed hashes, whose key stays in memory.)

mod by_row;
mod classes;
mod entries;
mod file;
mod lay_out;
mod load;
mod route;
mod row_order;
mod seat;
mod sketch;

use incrowd_core::{Attribute, FrequencyTable, Layout};

use crate::apply::Codebook;
use crate::error::{EngineError, Result};

pub use by_row::ByRow;
pub(crate) use by_row::RowClasses;
pub use lay_out::RowCodes;
pub use route::Shards;
pub(crate) use row_order::RowHash;

/// A table of which the first scan learned that its tuples are too many to be worked on at once.
#[derive(Clone)]
pub struct Outgrown {
    attributes: Vec<Attribute>,
    codebook: Codebook,
    rows: u64,
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

    fn layout(&self) -> Layout {
        FrequencyTable::layout_for(&self.attributes, self.codebook.has_subject())
    }
}
