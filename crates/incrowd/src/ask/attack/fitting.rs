//! Which classes of a release a person may be in, by what an outsider knows of them.
//!
//! A class fits a person when each of its published cells may stand for the person's value. With local recoding several
//! classes can fit; an attacker cannot tell which of them it is.

use incrowd_core::query::{CellColumn, Condition};
use incrowd_core::{Dictionary, FrequencyTable};
use incrowd_risk::attack::PublishedClass;

/// Classes by what fits them.
pub(super) struct Fitting<'c> {
    classes: &'c [PublishedClass],
    /// For each quasi-identifier, for each value of the known table, whether each published cell may stand for it.
    fits: Vec<Vec<Vec<bool>>>,
    /// The classes of each cell of the first quasi-identifier.
    by_first: Vec<Vec<u32>>,
}

impl<'c> Fitting<'c> {
    /// For the values of these columns: what the release publishes, and the dictionary of the known table.
    pub(super) fn new(classes: &'c [PublishedClass], columns: &[(&CellColumn, &Dictionary)]) -> Self {
        let of_value = |cells: &CellColumn, dictionary: &Dictionary, code: u32| -> Vec<bool> {
            let condition = Condition::exactly(dictionary.text(code).as_deref());
            cells.plausible(&condition)
        };
        let fits: Vec<Vec<Vec<bool>>> = columns
            .iter()
            .map(|(cells, dictionary)| {
                (0..).take(dictionary.len()).map(|code| of_value(cells, dictionary, code)).collect()
            })
            .collect();
        let mut by_first = vec![Vec::new(); columns.first().map_or(0, |(cells, _)| cells.len())];
        for (at, class) in (0..).zip(classes) {
            if let Some(&cell) = class.cells.first() {
                by_first[cell as usize].push(at);
            }
        }
        Fitting { classes, fits, by_first }
    }

    /// The classes that fit a person with these values, by number.
    pub(super) fn of(&self, values: &[u32]) -> Vec<u32> {
        let Some((first, others)) = values.split_first() else { return Vec::new() };
        let fits = |class: &u32| {
            let cells = &self.classes[*class as usize].cells[1..];
            let known = self.fits[1..].iter().zip(others).zip(cells);
            known.into_iter().all(|((fits, &value), &cell)| fits[value as usize][cell as usize])
        };
        let cells = self.fits[0][*first as usize].iter().zip(&self.by_first).filter(|(fits, _)| **fits);
        let mut found: Vec<u32> = cells.flat_map(|(_, classes)| classes.iter().copied().filter(fits)).collect();
        found.sort_unstable();
        found
    }

    /// For each class, how many rows of a table may be in it.
    pub(super) fn count(&self, table: &FrequencyTable) -> Vec<u64> {
        let mut counts = vec![0; self.classes.len()];
        for tuple in 0..table.tuples() {
            self.of_tuple(table, tuple).into_iter().for_each(|class| counts[class as usize] += table.count(tuple));
        }
        counts
    }

    /// The classes that fit a tuple of a table whose first columns are the quasi-identifiers.
    pub(super) fn of_tuple(&self, table: &FrequencyTable, tuple: usize) -> Vec<u32> {
        let values: Vec<u32> = (0..self.fits.len()).map(|at| table.code(tuple, at)).collect();
        self.of(&values)
    }
}
