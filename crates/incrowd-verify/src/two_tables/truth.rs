//! Are the rows of both tables rows of the original?
//!
//! Let a row of the original be (q, s): its quasi-identifiers and kept columns, and its sensitive values. The release
//! says of each class how often it has each q and how often each s. It is true when the published rows of the original
//! can be put into classes so that both counts come out: when a three-dimensional table of counts (q, s, class) exists
//! with given two-dimensional sums. To decide that is NP-complete (R. W. Irving and M. R. Jerrum, Three-dimensional
//! statistical data security problems, 1994). So three necessary conditions are asked, each a flow of its own:
//!
//! - each row (q, class) of the first table gets a row (q, s) of the original whose s the class has in the second;
//! - each row (class, s) of the second gets a row (q, s) of the original whose q the class has in the first;
//! - what the first table leaves over of each q goes with what the second leaves over of each s, where the original has
//!   rows (q, s): these are the rows suppressed.
//!
//! How often a class has the s of the first condition, or the q of the second, and how many rows (q, s) there are for
//! the third, is left out.
//! A true release keeps all three. One that keeps them may still be untrue.

use crate::against::flow;
use crate::count::{ValueRows, ValueTally};
use crate::verdict::{Fault, FaultKind};

/// Both tables and the original, row by row. Combinations of values have one number in a table and in the original.
pub(super) struct TwoTableTruth<'a> {
    pub(super) names: [&'a str; 2],
    /// The class of each row of both tables.
    pub(super) classes: [&'a [u32]; 2],
    /// The combination of values of each row of both tables.
    pub(super) tables: [&'a [u32]; 2],
    /// The combination of values that each row of the original has of each table's columns.
    pub(super) originals: [&'a [u32]; 2],
    pub(super) stop: &'a dyn Fn() -> bool,
}

/// Pairs of numbers with their rows, sorted: a tally whose classes are the first numbers and whose codes are the
/// second.
struct PairRows(Vec<ValueRows>);

impl PairRows {
    fn new(one: &[u32], other: &[u32]) -> PairRows {
        let mut tally = ValueTally::default();
        tally.add_rows(one, other);
        PairRows(tally.finish())
    }

    /// The pairs whose first number this is.
    fn of(&self, first: u32) -> &[ValueRows] {
        let from = self.0.partition_point(|pair| pair.class < first);
        let to = from + self.0[from..].partition_point(|pair| pair.class == first);
        &self.0[from..to]
    }

    /// The pairs, those with one first number together.
    fn groups(&self) -> impl Iterator<Item = &[ValueRows]> {
        self.0.chunk_by(|one, other| one.class == other.class)
    }
}

fn counts(rows: &[u32], numbers: usize) -> Vec<u64> {
    let mut counts = vec![0; numbers];
    rows.iter().for_each(|row| counts[*row as usize] += 1);
    counts
}

impl TwoTableTruth<'_> {
    /// What is not true; nothing when it was stopped.
    pub(super) fn faults(&self) -> Option<Vec<Fault>> {
        let mut faults = Vec::new();
        // What the original has more of each combination than the table.
        let left = [0, 1].map(|side| {
            let rows = || self.tables[side].iter().chain(self.originals[side]);
            let numbers = rows().max().map_or(0, |most| *most as usize + 1);
            let (here, there) = (counts(self.tables[side], numbers), counts(self.originals[side], numbers));
            let invented: u64 = here.iter().zip(&there).map(|(here, there)| here.saturating_sub(*there)).sum();
            if invented > 0 {
                let (rows, name) = (self.tables[side].len(), self.names[side]);
                let message = format!("{invented} of {rows} rows of {name} are not rows of the original");
                faults.push(Fault::new(FaultKind::Untruthful, message));
            }
            there.into_iter().zip(here).map(|(there, here)| there.saturating_sub(here)).collect::<Vec<u64>>()
        });
        if !faults.is_empty() {
            return Some(faults);
        }
        for side in [0, 1] {
            let unmet = self.unmet(side)?;
            if unmet > 0 {
                let (rows, [name, other]) = (self.tables[side].len(), [self.names[side], self.names[1 - side]]);
                let message = format!(
                    "{unmet} of {rows} rows of {name} cannot be matched with rows of the original, given the values \
                     of their classes in {other}"
                );
                faults.push(Fault::new(FaultKind::Untruthful, message));
            }
        }
        if self.tables[0].len() == self.tables[1].len() && self.unmet_withheld(left) > 0 {
            let message = "the rows suppressed in one table cannot be those suppressed in the other";
            faults.push(Fault::new(FaultKind::LostOrInvented, message));
        }
        Some(faults)
    }

    /// How many rows of one table no row of the original is left for whose other values the class has.
    fn unmet(&self, side: usize) -> Option<u64> {
        let other = 1 - side;
        let originals = PairRows::new(self.originals[side], self.originals[other]);
        let published = PairRows::new(self.tables[side], self.classes[side]);
        let bags = PairRows::new(self.classes[other], self.tables[other]);
        let mut unmet = 0;
        for cells in published.groups() {
            if (self.stop)() {
                return None;
            }
            let values = originals.of(cells[0].class);
            let mut candidates = vec![Vec::new(); values.len()];
            for (to, cell) in (0u32..).zip(cells) {
                let bag = bags.of(cell.code);
                let holds = |list: &[ValueRows], value: u32| list.binary_search_by_key(&value, |pair| pair.code);
                // The shorter list is walked, the longer one searched.
                if values.len() <= bag.len() {
                    let fitting = (0..values.len()).filter(|at| holds(bag, values[*at].code).is_ok());
                    fitting.for_each(|at| candidates[at].push(to));
                } else {
                    let fitting = bag.iter().filter_map(|pair| holds(values, pair.code).ok());
                    fitting.for_each(|at| candidates[at].push(to));
                }
            }
            let rows = |pairs: &[ValueRows]| pairs.iter().map(|pair| pair.rows).collect::<Vec<u64>>();
            unmet += flow::unmet(&candidates, rows(values), rows(cells));
        }
        Some(unmet)
    }

    /// How many rows left over of the second table's combinations no row left over of the first's can be.
    fn unmet_withheld(&self, [first, second]: [Vec<u64>; 2]) -> u64 {
        let places = |left: &[u64]| -> Vec<u32> {
            (0..).zip(left).filter(|(_, rows)| **rows > 0).map(|(number, _)| number).collect()
        };
        let (from, to) = (places(&first), places(&second));
        // Both tables have the same rows, so nothing is left over of one when nothing is of the other.
        if to.is_empty() {
            return 0;
        }
        let originals = PairRows::new(self.originals[0], self.originals[1]);
        let place = |pair: &ValueRows| u32::try_from(to.binary_search(&pair.code).ok()?).ok();
        let fitting = |number: &u32| originals.of(*number).iter().filter_map(place).collect();
        let candidates: Vec<Vec<u32>> = from.iter().map(fitting).collect();
        let rows = |places: &[u32], left: &[u64]| places.iter().map(|number| left[*number as usize]).collect();
        flow::unmet(&candidates, rows(&from, &first), rows(&to, &second))
    }
}

#[cfg(test)]
mod tests;
