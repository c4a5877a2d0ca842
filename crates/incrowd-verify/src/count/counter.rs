//! Rows of codes become classes with sizes, and rows of each value in each class.

use super::keys::ClassKeys;
use super::part::ClassPart;
use super::tally::ValueTally;
use crate::read::{CellEncoder, MergeableSink, RowSink};

/// Counts the rows of a table by the cells of some columns.
///
/// The first columns make the class; of the others it is counted how many rows of a class have each value.
pub(crate) struct Counter {
    pub(crate) encoders: Vec<CellEncoder>,
    classified: usize,
    keys: ClassKeys,
    pub(crate) sizes: Vec<u64>,
    pub(crate) tallies: Vec<ValueTally>,
    classes: Vec<u32>,
    /// Which classes are counted, when not all are.
    part: Option<ClassPart>,
    /// The rows that were met, and how many have each value of the columns that are not of the class: in all parts.
    met: u64,
    whole: Vec<Vec<u64>>,
}

impl Counter {
    /// A counter whose first `classified` columns make the class.
    pub(crate) fn new(encoders: Vec<CellEncoder>, classified: usize) -> Counter {
        let tallies = encoders[classified..].iter().map(|_| ValueTally::default()).collect();
        let (keys, whole) = (ClassKeys::new(classified), vec![Vec::new(); encoders.len() - classified]);
        let (sizes, classes) = (Vec::new(), Vec::new());
        Counter { encoders, classified, keys, sizes, tallies, classes, part: None, met: 0, whole }
    }

    /// The same for a part of the classes.
    pub(crate) fn of(self, part: ClassPart) -> Counter {
        Counter { part: Some(part), ..self }
    }

    /// Whether there were more classes than the part may have, so that the rest was not counted.
    pub(crate) fn is_over(&self) -> bool {
        self.part.as_ref().is_some_and(|part| part.over)
    }

    /// How many rows of all parts have each value, for each column that is not of the class.
    pub(crate) fn whole_values(&mut self) -> Vec<Vec<u64>> {
        let encoders = &self.encoders[self.classified..];
        let mut whole = std::mem::take(&mut self.whole);
        whole.iter_mut().zip(encoders).for_each(|(rows, encoder)| rows.resize(encoder.texts.codes(), 0));
        whole
    }

    /// How many columns make the class.
    pub(super) fn classified(&self) -> usize {
        self.classified
    }

    /// Tells each class with its codes and its number, in no order.
    pub(super) fn each_class(&self, tell: impl FnMut(&[u32], u32)) {
        self.keys.each(tell);
    }

    /// Tells each class with its codes and rows, in no order.
    pub(crate) fn each(&self, mut tell: impl FnMut(&[u32], u64)) {
        self.keys.each(|codes, class| tell(codes, self.sizes[class as usize]));
    }
}

impl RowSink for Counter {
    fn encoders(&mut self) -> &mut [CellEncoder] {
        &mut self.encoders
    }

    fn add(&mut self, columns: &[Vec<u32>], rows: usize) {
        self.met += rows as u64;
        let Some(part) = &mut self.part else { return self.classify(columns, rows) };
        for ((whole, encoder), column) in
            self.whole.iter_mut().zip(&self.encoders[self.classified..]).zip(&columns[self.classified..])
        {
            whole.resize(encoder.texts.codes(), 0);
            column.iter().for_each(|&code| whole[code as usize] += 1);
        }
        if !part.goes_on(self.keys.len()) {
            return;
        }
        if part.is_all() {
            return self.classify(columns, rows);
        }
        let chosen = part.rows(&self.encoders, &columns[..self.classified], rows);
        let few: Vec<Vec<u32>> = columns.iter().map(|column| chosen.iter().map(|&row| column[row]).collect()).collect();
        self.classify(&few, chosen.len());
    }

    fn rows(&self) -> u64 {
        self.met
    }
}

impl MergeableSink for Counter {
    fn sibling(&self) -> Counter {
        let sibling = Counter::new(self.encoders.iter().map(CellEncoder::sibling).collect(), self.classified);
        Counter { part: self.part.as_ref().map(ClassPart::sibling), ..sibling }
    }

    fn merge(&mut self, mut other: Counter) {
        if let Some(part) = &mut self.part {
            part.over |= other.is_over();
        }
        self.met += other.met;
        let translated = |(mine, theirs): (&mut CellEncoder, &CellEncoder)| mine.texts.translate(&theirs.texts);
        let codes: Vec<Vec<u32>> = self.encoders.iter_mut().zip(&other.encoders).map(translated).collect();
        let of_values = &codes[self.classified..];
        self.merge_whole(&other.whole, of_values);
        let classes = self.merge_classes(&other, &codes[..self.classified]);
        for ((tally, theirs), codes) in self.tallies.iter_mut().zip(&mut other.tallies).zip(of_values) {
            for pair in std::mem::take(theirs).finish() {
                tally.add(classes[pair.class as usize], codes[pair.code as usize], pair.rows);
            }
        }
    }
}

impl Counter {
    /// Adds how many rows of all parts have each value. `codes` are this counter's codes for those of the other.
    fn merge_whole(&mut self, theirs: &[Vec<u64>], codes: &[Vec<u32>]) {
        let encoders = &self.encoders[self.classified..];
        for (((mine, theirs), encoder), codes) in self.whole.iter_mut().zip(theirs).zip(encoders).zip(codes) {
            mine.resize(encoder.texts.codes(), 0);
            theirs.iter().zip(codes).for_each(|(rows, &code)| mine[code as usize] += rows);
        }
    }

    /// Adds the classes of another counter; gives this counter's number for each of them.
    fn merge_classes(&mut self, other: &Counter, codes: &[Vec<u32>]) -> Vec<u32> {
        let theirs = other.keys.len();
        // Their classes, in their numbering, column by column.
        let mut columns = vec![vec![0; theirs]; self.classified];
        other.keys.each(|tuple, class| {
            for ((column, code), codes) in columns.iter_mut().zip(tuple).zip(codes) {
                column[class as usize] = codes[*code as usize];
            }
        });
        self.add_classes(&columns, &other.sizes)
    }

    /// Adds classes with these rows, given column by column; gives the number of each.
    pub(super) fn add_classes(&mut self, columns: &[Vec<u32>], rows: &[u64]) -> Vec<u32> {
        let known = self.codes_of_classes();
        let mut classes = Vec::with_capacity(rows.len());
        self.keys.classify(columns, &known, rows.len(), &mut classes);
        self.sizes.resize(self.keys.len(), 0);
        for (&class, rows) in classes.iter().zip(rows) {
            self.sizes[class as usize] += rows;
        }
        classes
    }

    /// How many codes each column of the class has so far.
    fn codes_of_classes(&self) -> Vec<usize> {
        self.encoders[..self.classified].iter().map(|encoder| encoder.texts.codes()).collect()
    }

    /// Counts rows by their classes.
    fn classify(&mut self, columns: &[Vec<u32>], rows: usize) {
        let codes = self.codes_of_classes();
        self.keys.classify(&columns[..self.classified], &codes, rows, &mut self.classes);
        self.sizes.resize(self.keys.len(), 0);
        for &class in &self.classes {
            self.sizes[class as usize] += 1;
        }
        for (tally, column) in self.tallies.iter_mut().zip(&columns[self.classified..]) {
            tally.add_rows(&self.classes, column);
        }
    }
}

#[cfg(test)]
mod tests;
