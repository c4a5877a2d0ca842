//! The rows of each person.

use incrowd_core::FrequencyTable;

use crate::solver::numbers::{to_u32, to_usize};

/// People by number, with their rows.
pub(super) struct PersonHistories {
    /// Person by person, the tuple of each row, ascending: in the order of the codes, the first column first.
    rows: Vec<u32>,
    /// Where the rows of each person end.
    ends: Vec<usize>,
}

impl PersonHistories {
    /// The people of a table; without a subject column each row is a person.
    pub(super) fn of(table: &FrequencyTable) -> PersonHistories {
        let people = |tuple: u32| table.grouping().person(tuple as usize);
        let mut tuples: Vec<u32> = (0..to_u32(table.tuples())).collect();
        // Stable, so that the tuples of a person stay in their order.
        tuples.sort_by_key(|&tuple| people(tuple));
        let (mut rows, mut ends) = (Vec::with_capacity(to_usize(table.rows())), Vec::new());
        for of_person in tuples.chunk_by(|&a, &b| people(a).is_some() && people(a) == people(b)) {
            for &tuple in of_person {
                for _ in 0..table.count(tuple as usize) {
                    rows.push(tuple);
                    if !table.counts_people() {
                        ends.push(rows.len());
                    }
                }
            }
            if table.counts_people() {
                ends.push(rows.len());
            }
        }
        PersonHistories { rows, ends }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The tuples of the rows of a person.
    pub(super) fn rows(&self, person: u32) -> &[u32] {
        let person = person as usize;
        let start = if person == 0 { 0 } else { self.ends[person - 1] };
        &self.rows[start..self.ends[person]]
    }
}
