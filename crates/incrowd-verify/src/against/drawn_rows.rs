//! Original rows with cells that were drawn for a person or row: they are counted with the cells that the draw gives.
//!
//! What was drawn for a row of nobody depends on its number, so the rows are read in the order of the file.

use crate::count::Counter;
use crate::read::{CellEncoder, MISSING, RowSink};
use crate::treatments::{ColumnTreatment, RowOwner};

/// A column whose cells were drawn.
pub(super) struct DrawnColumn {
    /// Its place among the counted columns.
    pub(super) at: usize,
    pub(super) treatment: ColumnTreatment,
    pub(super) key: [u8; 32],
}

/// Counts rows by their cells, those of some columns as they were drawn. The column that says whose a row is stands behind
/// the counted ones, if there is one.
pub(super) struct DrawnRows {
    pub(super) counter: Counter,
    counted: usize,
    columns: Vec<DrawnColumn>,
}

impl DrawnRows {
    /// For the first `counted` columns of the counter, which has one more if people are known.
    pub(super) fn new(counter: Counter, counted: usize, columns: Vec<DrawnColumn>) -> DrawnRows {
        DrawnRows { counter, counted, columns }
    }
}

impl RowSink for DrawnRows {
    fn encoders(&mut self) -> &mut [CellEncoder] {
        &mut self.counter.encoders
    }

    fn add(&mut self, columns: &[Vec<u32>], rows: usize) {
        let (mut cells, first) = (columns[..self.counted].to_vec(), self.counter.rows());
        for drawn in &self.columns {
            for (row, code) in cells[drawn.at].iter_mut().enumerate().filter(|(_, code)| **code != MISSING) {
                let encoders = &self.counter.encoders;
                let people = columns.get(self.counted).zip(encoders.get(self.counted));
                let person = people.and_then(|(codes, people)| people.texts.text(codes[row]));
                let owner = RowOwner { person: person.map(|person| &**person), row: first + row as u64 };
                let text = encoders[drawn.at].texts.text(*code).map(|text| &**text).unwrap_or_default();
                let treated = drawn.treatment.drawn(text, &drawn.key, owner);
                *code = self.counter.encoders[drawn.at].treated(&treated);
            }
        }
        self.counter.add(&cells, rows);
    }

    fn rows(&self) -> u64 {
        self.counter.rows()
    }
}
