//! The rows of a table as they stand in it, each as the numbers of what it is made of.

use crate::count::ClassKeys;
use crate::read::{CellEncoder, RowSink};

/// The rows of a table in order. Its columns are taken in groups, and a row is one number for each group: which of the
/// different combinations of cells it has there.
pub(super) struct RowsInOrder {
    pub(super) encoders: Vec<CellEncoder>,
    pub(super) groups: Vec<ColumnGroup>,
    numbers: Vec<u32>,
}

/// Some columns that stand beside each other.
pub(super) struct ColumnGroup {
    /// The combinations of cells met so far.
    pub(super) keys: ClassKeys,
    /// For each row the number of its combination.
    pub(super) rows: Vec<u32>,
}

impl RowsInOrder {
    /// No rows yet. The keys say how many columns each group has, in the order of the encoders.
    pub(super) fn new(encoders: Vec<CellEncoder>, keys: Vec<ClassKeys>) -> RowsInOrder {
        let groups = keys.into_iter().map(|keys| ColumnGroup { keys, rows: Vec::new() }).collect();
        RowsInOrder { encoders, groups, numbers: Vec::new() }
    }

    /// For each row the code of its cell in the first column, which is a group of its own.
    pub(super) fn first_column(&self) -> Vec<u32> {
        let codes = self.groups[0].codes(0);
        self.groups[0].rows.iter().map(|number| codes[*number as usize]).collect()
    }
}

impl ColumnGroup {
    /// For each combination the code of its cell in one of the group's columns.
    pub(super) fn codes(&self, column: usize) -> Vec<u32> {
        let mut codes = vec![0; self.keys.len()];
        self.keys.each(|tuple, number| codes[number as usize] = tuple[column]);
        codes
    }
}

impl RowSink for RowsInOrder {
    fn encoders(&mut self) -> &mut [CellEncoder] {
        &mut self.encoders
    }

    fn add(&mut self, columns: &[Vec<u32>], rows: usize) {
        let codes: Vec<usize> = self.encoders.iter().map(|encoder| encoder.texts.codes()).collect();
        let mut from = 0;
        for group in &mut self.groups {
            let to = from + group.keys.columns();
            group.keys.classify(&columns[from..to], &codes[from..to], rows, &mut self.numbers);
            group.rows.extend_from_slice(&self.numbers);
            from = to;
        }
    }

    fn rows(&self) -> u64 {
        self.groups.first().map_or(0, |group| group.rows.len() as u64)
    }
}
