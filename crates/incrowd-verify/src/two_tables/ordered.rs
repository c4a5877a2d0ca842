//! The rows of a table as they stand in it, each as the numbers of what it is made of.

use crate::count::Keys;
use crate::read::Encoder;
use crate::read::Rows;

/// The rows of a table in order. Its columns are taken in groups, and a row is one number for each group: which of the
/// different combinations of cells it has there.
pub(super) struct Ordered {
    pub(super) encoders: Vec<Encoder>,
    pub(super) groups: Vec<Group>,
    numbers: Vec<u32>,
}

/// Some columns that stand beside each other.
pub(super) struct Group {
    /// The combinations of cells met so far.
    pub(super) keys: Keys,
    /// For each row the number of its combination.
    pub(super) rows: Vec<u32>,
}

impl Ordered {
    /// No rows yet. The keys say how many columns each group has, in the order of the encoders.
    pub(super) fn new(encoders: Vec<Encoder>, keys: Vec<Keys>) -> Ordered {
        let groups = keys.into_iter().map(|keys| Group { keys, rows: Vec::new() }).collect();
        Ordered { encoders, groups, numbers: Vec::new() }
    }

    /// For each row the code of its cell in the first column, which is a group by itself.
    pub(super) fn first_column(&self) -> Vec<u32> {
        let codes = self.groups[0].codes(0);
        self.groups[0].rows.iter().map(|number| codes[*number as usize]).collect()
    }
}

impl Group {
    /// For each combination the code of its cell in one of the group's columns.
    pub(super) fn codes(&self, column: usize) -> Vec<u32> {
        let mut codes = vec![0; self.keys.len()];
        self.keys.each(|tuple, number| codes[number as usize] = tuple[column]);
        codes
    }
}

impl Rows for Ordered {
    fn encoders(&mut self) -> &mut [Encoder] {
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
