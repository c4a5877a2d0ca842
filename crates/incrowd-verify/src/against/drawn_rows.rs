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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_drawn_for_its_person_or_for_its_place_among_all_rows() {
        let (treatment, key, day) = (ColumnTreatment::Shift(1000), [3; 32], "2024-02-29");
        let mut encoders = [CellEncoder::plain(), CellEncoder::plain()];
        let (cell, anna) = (encoders[0].code(day), encoders[1].code("Anna"));
        let drawn = DrawnColumn { at: 0, treatment: treatment.clone(), key };
        let mut rows = DrawnRows::new(Counter::new(encoders.into(), 1), 1, vec![drawn]);
        rows.add(&[vec![cell, cell], vec![anna, MISSING]], 2);
        rows.add(&[vec![cell, cell, MISSING], vec![anna, MISSING, MISSING]], 3);
        assert_eq!((rows.rows(), rows.counter.rows()), (5, 5));

        let of = |person, row| Some(treatment.drawn(day, &key, RowOwner { person, row }));
        let mut expected = vec![(None, 1), (of(Some("Anna"), 0), 2), (of(None, 1), 1), (of(None, 3), 1)];
        let mut found = Vec::new();
        let text = |code: u32| rows.counter.encoders[0].texts.text(code).map(ToString::to_string);
        rows.counter.each(|codes, rows| found.push((text(codes[0]), rows)));
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }
}
