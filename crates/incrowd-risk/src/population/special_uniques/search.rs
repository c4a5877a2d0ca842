//! The search for minimal sample uniques.
//!
//! A class is split by one column after the other. A row that is alone is unique on the set of columns by which its
//! class was split, and it is left out from there on: it is unique on every larger set too, and no other row's class
//! depends on it. So rows leave early, and classes of a few rows are all that is split often.
//!
//! Sets are visited in an order in which all subsets of a set come before it: of the columns in a fixed order, a set is
//! extended only by later ones, the last one first. A set on which a row is unique is therefore minimal for it unless
//! it includes one that was found before.
//!
//! The order is that of SUDA2 (A. M. Manning, D. J. Haglin and J. A. Keane, "A recursive search algorithm for
//! statistical disclosure assessment", Data Mining and Knowledge Discovery 2008) turned around; its answers are the
//! same. Classes of the first column share no row, so they are searched in parallel.

use incrowd_core::{FrequencyTable, Stage, Stopped, Watch};
use rayon::prelude::*;

/// A set of columns by their positions in the order of the search.
pub(super) type Positions = u64;

/// The most columns that are searched.
pub(super) const MOST_COLUMNS: usize = 64;

/// The rows of a table, arranged for the search.
pub(super) struct Search<'a> {
    /// The columns of the table in the order of the search, those with most values first.
    pub(super) order: Vec<usize>,
    depth: usize,
    /// For each row the codes of the columns in this order.
    codes: Vec<u32>,
    /// How many codes each column has.
    values: Vec<usize>,
    owners: Owners,
    watch: &'a Watch,
}

/// What makes a class of several entries one of a single person.
enum Owners {
    /// How many rows an entry stands for.
    Rows(Vec<u64>),
    /// The person of an entry.
    People(Vec<u64>),
}

/// An entry of the table with the minimal sets found for it.
struct Owned {
    entry: u32,
    found: Vec<Positions>,
}

impl<'a> Search<'a> {
    /// Arranges the entries of a table; sets have at most `depth` columns.
    pub(super) fn new(table: &FrequencyTable, columns: &[usize], depth: usize, watch: &'a Watch) -> Self {
        let values_of = |column: usize| table.attributes()[column].dictionary.len();
        let mut order = columns.to_vec();
        order.sort_by_key(|&column| std::cmp::Reverse(values_of(column)));
        let entries = table.tuples();
        let codes = (0..entries).flat_map(|entry| order.iter().map(move |&column| table.code(entry, column))).collect();
        let owners = match table.counts_people() {
            true => Owners::People((0..entries).map(|entry| table.grouping().person(entry).unwrap_or(0)).collect()),
            false => Owners::Rows((0..entries).map(|entry| table.count(entry)).collect()),
        };
        let values = order.iter().map(|&column| values_of(column).max(1)).collect();
        Search { depth, codes, values, owners, watch, order }
    }

    /// For each entry its minimal sets.
    pub(super) fn run(&self) -> Result<Vec<Vec<Positions>>, Stopped> {
        let entries = self.codes.len() / self.order.len().max(1);
        let mut found: Vec<Vec<Positions>> = vec![Vec::new(); entries];
        let total = Some(self.order.len() as u64);
        for first in (0..self.order.len()).rev() {
            let mut rows: Vec<u32> = (0..to_u32(entries)).collect();
            let mut buffer = Buffer::default();
            buffer.sort(self, first, &rows);
            std::mem::swap(&mut rows, &mut buffer.rows);
            let classes = rows.chunk_by(|&a, &b| self.code(a, first) == self.code(b, first));
            let owned: Vec<Vec<Owned>> = classes
                .map(|class| {
                    let owned = |&entry: &u32| Owned { entry, found: std::mem::take(&mut found[entry as usize]) };
                    class.iter().map(owned).collect()
                })
                .collect();
            let searched: Result<Vec<Vec<Owned>>, Stopped> =
                owned.into_par_iter().map(|class| self.search_class(first, class)).collect();
            for owned in searched?.into_iter().flatten() {
                found[owned.entry as usize] = owned.found;
            }
            self.watch.progress.update(Stage::Diagnose, (self.order.len() - first) as u64, total);
        }
        Ok(found)
    }

    /// Visits all sets that begin with a column, for one class of it.
    fn search_class(&self, first: usize, mut class: Vec<Owned>) -> Result<Vec<Owned>, Stopped> {
        class.sort_unstable_by_key(|owned| owned.entry);
        let rows: Vec<u32> = class.iter().map(|owned| owned.entry).collect();
        let mut buffers: Vec<Buffer> = (1..self.depth).map(|_| Buffer::default()).collect();
        self.judge(&rows, first, 0, 1, &mut buffers, &mut class)?;
        Ok(class)
    }

    /// Notes the set of a class if the class is of one person, and splits the class further otherwise.
    fn judge(
        &self,
        rows: &[u32],
        last: usize,
        before: Positions,
        size: usize,
        buffers: &mut [Buffer],
        class: &mut [Owned],
    ) -> Result<(), Stopped> {
        let set = before | 1 << last;
        if self.is_unique(rows) {
            for &row in rows {
                let at = class.partition_point(|owned| owned.entry < row);
                let found = &mut class[at].found;
                if found.iter().all(|&smaller| smaller & !set != 0) {
                    found.push(set);
                }
            }
            return Ok(());
        }
        if rows.len() == 1 || size == self.depth {
            return Ok(());
        }
        if self.watch.cancel.is_cancelled() {
            return Err(Stopped);
        }
        let Some((buffer, others)) = buffers.split_first_mut() else { return Ok(()) };
        for column in (last + 1..self.order.len()).rev() {
            buffer.sort(self, column, rows);
            for part in buffer.rows.chunk_by(|&a, &b| self.code(a, column) == self.code(b, column)) {
                self.judge(part, column, set, size + 1, others, class)?;
            }
        }
        Ok(())
    }

    fn code(&self, row: u32, column: usize) -> u32 {
        self.codes[row as usize * self.order.len() + column]
    }

    /// Whether the rows of a class are one row, or all of one person.
    fn is_unique(&self, rows: &[u32]) -> bool {
        match &self.owners {
            Owners::Rows(counts) => matches!(rows, [row] if counts[*row as usize] == 1),
            Owners::People(people) => rows.iter().all(|&row| people[row as usize] == people[rows[0] as usize]),
        }
    }
}

/// Space for the rows of one class, sorted by a column.
#[derive(Default)]
struct Buffer {
    rows: Vec<u32>,
    starts: Vec<u32>,
}

impl Buffer {
    /// Sorts the rows of a class by the codes of a column.
    fn sort(&mut self, search: &Search<'_>, column: usize, rows: &[u32]) {
        /// Codes are counted if a column has at most this many per row of the class.
        const DENSE: usize = 2;
        self.rows.clear();
        let values = search.values[column];
        if values > rows.len() * DENSE {
            self.rows.extend_from_slice(rows);
            self.rows.sort_unstable_by_key(|&row| search.code(row, column));
            return;
        }
        self.starts.clear();
        self.starts.resize(values + 1, 0);
        rows.iter().for_each(|&row| self.starts[search.code(row, column) as usize + 1] += 1);
        (0..values).for_each(|code| self.starts[code + 1] += self.starts[code]);
        self.rows.resize(rows.len(), 0);
        for &row in rows {
            let start = &mut self.starts[search.code(row, column) as usize];
            self.rows[*start as usize] = row;
            *start += 1;
        }
    }
}

/// Entries are numbered with 32 bits.
fn to_u32(entries: usize) -> u32 {
    u32::try_from(entries).expect("a table in memory has fewer than 2³² tuples")
}
