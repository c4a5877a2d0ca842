//! Rows of codes become classes with sizes, and rows of each value in each class.

use crate::encode::Encoder;
use crate::keys::Keys;
use crate::read::Rows;
use crate::tally::Tally;

/// Counts the rows of a table by the cells of some columns.
///
/// The first columns make the class; of the others it is counted how many rows of a class have each value.
pub(crate) struct Counter {
    pub(crate) encoders: Vec<Encoder>,
    classified: usize,
    keys: Keys,
    pub(crate) sizes: Vec<u64>,
    pub(crate) tallies: Vec<Tally>,
    classes: Vec<u32>,
}

impl Counter {
    /// A counter whose first `classified` columns make the class.
    pub(crate) fn new(encoders: Vec<Encoder>, classified: usize) -> Counter {
        let tallies = encoders[classified..].iter().map(|_| Tally::default()).collect();
        Counter { encoders, classified, keys: Keys::new(classified), sizes: Vec::new(), tallies, classes: Vec::new() }
    }

    /// An empty counter that reads cells in the same way, for another thread.
    pub(crate) fn sibling(&self) -> Counter {
        Counter::new(self.encoders.iter().map(Encoder::sibling).collect(), self.classified)
    }

    /// Takes over what a sibling counted.
    pub(crate) fn merge(&mut self, mut other: Counter) {
        let translated = |(mine, theirs): (&mut Encoder, &Encoder)| -> Vec<u32> {
            let labels = theirs.texts.labels();
            labels.iter().map(|label| label.as_ref().map_or(0, |text| mine.texts.intern(text))).collect()
        };
        let codes: Vec<Vec<u32>> = self.encoders.iter_mut().zip(&other.encoders).map(translated).collect();
        let known: Vec<usize> = self.encoders[..self.classified].iter().map(|encoder| encoder.texts.codes()).collect();
        // Their classes, in their numbering, column by column.
        let theirs = other.keys.len();
        let mut columns = vec![vec![0; theirs]; self.classified];
        other.keys.each(|tuple, class| {
            for ((column, code), translation) in columns.iter_mut().zip(tuple).zip(&codes) {
                column[class as usize] = translation[*code as usize];
            }
        });
        let mut classes = Vec::with_capacity(theirs);
        self.keys.classify(&columns, &known, theirs, &mut classes);
        self.sizes.resize(self.keys.len(), 0);
        for (&class, rows) in classes.iter().zip(&other.sizes) {
            self.sizes[class as usize] += rows;
        }
        for ((tally, other), translation) in
            self.tallies.iter_mut().zip(&mut other.tallies).zip(&codes[self.classified..])
        {
            for (key, rows) in std::mem::take(other).finish() {
                tally.add(classes[(key >> 32) as usize], translation[(key & u64::from(u32::MAX)) as usize], rows);
            }
        }
    }

    /// Tells each class with its codes and rows, in no order.
    pub(crate) fn each(&self, mut tell: impl FnMut(&[u32], u64)) {
        self.keys.each(|codes, class| tell(codes, self.sizes[class as usize]));
    }
}

impl Rows for Counter {
    fn encoders(&mut self) -> &mut [Encoder] {
        &mut self.encoders
    }

    fn add(&mut self, columns: &[Vec<u32>], rows: usize) {
        let codes: Vec<usize> = self.encoders[..self.classified].iter().map(|encoder| encoder.texts.codes()).collect();
        self.keys.classify(&columns[..self.classified], &codes, rows, &mut self.classes);
        self.sizes.resize(self.keys.len(), 0);
        for &class in &self.classes {
            self.sizes[class as usize] += 1;
        }
        for (tally, column) in self.tallies.iter_mut().zip(&columns[self.classified..]) {
            tally.add_rows(&self.classes, column);
        }
    }

    fn rows(&self) -> u64 {
        self.sizes.iter().sum()
    }
}
