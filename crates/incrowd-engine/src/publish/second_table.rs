//! The second table of a release: rows of the first that have their class are shuffled anew.
//!
//! A row must get the same class in both tables, and classes of split tuples are drawn in the order of the first. So
//! the cells of the second wait with those of the first; when a row of the first is placed, its class and these cells
//! move on to a stage of their own, where they are sorted by bits that have nothing to do with those before. What is
//! left of a row there is its class, random bits and what the second table publishes: nothing of its place in the
//! first.
//!
//! Rows of the first stage hold the cells of both tables, so what goes through the disk there joins what the release
//! keeps apart. It is in the private folder of the run and is removed with it.

use std::ops::Range;

use arrow::array::ArrayRef;

use super::shuffle::RowBits;
use super::staging::{Staged, Stager};
use crate::runtime::error::Result;

/// What becomes the second table.
pub(crate) struct Second {
    stager: Stager,
    /// Where its kept columns stand among those of the first stage.
    columns: Range<usize>,
    stream: RowBits,
    bits: Vec<(u64, u64)>,
}

impl Second {
    pub(crate) fn new(stager: Stager, columns: Range<usize>, key: [u8; 32]) -> Self {
        Second { stager, columns, stream: RowBits::of_second_table(key), bits: Vec::new() }
    }

    /// Where its kept columns stand among those of the first stage.
    pub(crate) fn columns(&self) -> Range<usize> {
        self.columns.clone()
    }

    /// Takes rows in the order of the first table: the class of each, and arrays of their own of the kept columns.
    pub(crate) fn add(&mut self, classes: &[u32], kept: Vec<ArrayRef>) -> Result<()> {
        self.bits.clear();
        self.bits.extend(classes.iter().map(|_| self.stream.next()));
        self.stager.add(&self.bits, classes, kept)
    }

    /// All rows are there.
    pub(crate) fn finish(self) -> Result<Staged> {
        self.stager.finish()
    }
}
