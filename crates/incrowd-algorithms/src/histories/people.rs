//! The rows of each person, in one table or in several.

use incrowd_core::FrequencyTable;

use crate::solver::numbers::{to_u32, to_usize};

/// People by number, with their rows in each table.
pub(super) struct PersonHistories {
    tables: Vec<TableHistories>,
    people: usize,
}

/// The rows of all people in one table.
struct TableHistories {
    /// Person by person, the tuple of each row, ascending: in the order of the codes, the first column first.
    rows: Vec<u32>,
    /// Where the rows of each person end.
    ends: Vec<usize>,
}

impl PersonHistories {
    /// The people of tables whose subjects were hashed with one key. Rows without a subject are of different people, and
    /// without a subject column each row is a person.
    pub(super) fn of(tables: &[&FrequencyTable]) -> PersonHistories {
        let sorted: Vec<Vec<u32>> = tables.iter().map(|table| tuples_by_person(table)).collect();
        let mut known: Vec<u64> = Vec::new();
        for (table, tuples) in tables.iter().zip(&sorted) {
            let mut people: Vec<u64> =
                tuples.iter().filter_map(|&tuple| table.grouping().person(tuple as usize)).collect();
            people.dedup();
            known.extend(people);
        }
        known.sort_unstable();
        known.dedup();
        let mut histories: Vec<TableHistories> = Vec::with_capacity(tables.len());
        let mut people = known.len();
        for (table, tuples) in tables.iter().zip(&sorted) {
            let history = TableHistories::of(table, tuples, &known, people);
            people = history.ends.len();
            histories.push(history);
        }
        for history in &mut histories {
            history.ends.resize(people, history.rows.len());
        }
        PersonHistories { tables: histories, people }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.people
    }

    /// How many tables there are.
    pub(super) fn tables(&self) -> usize {
        self.tables.len()
    }

    /// The tuples of the rows of a person in a table.
    pub(super) fn rows(&self, person: u32, table: usize) -> &[u32] {
        let (person, table) = (person as usize, &self.tables[table]);
        let start = if person == 0 { 0 } else { table.ends[person - 1] };
        &table.rows[start..table.ends[person]]
    }
}

/// The tuples of a table, those of one person together and in their order.
fn tuples_by_person(table: &FrequencyTable) -> Vec<u32> {
    let mut tuples: Vec<u32> = (0..to_u32(table.tuples())).collect();
    // Stable, so that the tuples of a person stay in their order.
    tuples.sort_by_key(|&tuple| table.grouping().person(tuple as usize));
    tuples
}

impl TableHistories {
    /// The rows of the known people, who have the first numbers; rows of nobody get numbers from `nobody` on.
    fn of(table: &FrequencyTable, tuples: &[u32], known: &[u64], nobody: usize) -> TableHistories {
        let person = |tuple: u32| table.grouping().person(tuple as usize);
        let (of_nobody, of_known) = tuples.split_at(tuples.partition_point(|&tuple| person(tuple).is_none()));
        let (mut rows, mut ends) = (Vec::with_capacity(to_usize(table.rows())), Vec::with_capacity(nobody));
        let mut chunks = of_known.chunk_by(|&a, &b| person(a) == person(b)).peekable();
        for &id in known {
            for &tuple in chunks.next_if(|chunk| person(chunk[0]) == Some(id)).unwrap_or_default() {
                (0..table.count(tuple as usize)).for_each(|_| rows.push(tuple));
            }
            ends.push(rows.len());
        }
        ends.resize(nobody, rows.len());
        for &tuple in of_nobody {
            for _ in 0..table.count(tuple as usize) {
                rows.push(tuple);
                if !table.counts_people() {
                    ends.push(rows.len());
                }
            }
            if table.counts_people() {
                ends.push(rows.len());
            }
        }
        TableHistories { rows, ends }
    }
}
