//! Rows of codes become classes with sizes, and rows of each value in each class.

use super::keys::Keys;
use super::tally::Tally;
use crate::judge::files::Part;
use crate::read::Encoder;
use crate::read::Rows;

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
    /// Which classes are counted, when not all are.
    part: Option<Part>,
    /// The rows that were met, and how many have each value of the columns that are not of the class: in all parts.
    met: u64,
    whole: Vec<Vec<u64>>,
}

impl Counter {
    /// A counter whose first `classified` columns make the class.
    pub(crate) fn new(encoders: Vec<Encoder>, classified: usize) -> Counter {
        let tallies = encoders[classified..].iter().map(|_| Tally::default()).collect();
        let (keys, whole) = (Keys::new(classified), vec![Vec::new(); encoders.len() - classified]);
        let (sizes, classes) = (Vec::new(), Vec::new());
        Counter { encoders, classified, keys, sizes, tallies, classes, part: None, met: 0, whole }
    }

    /// The same for a part of the classes.
    pub(crate) fn of(self, part: Part) -> Counter {
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

    /// An empty counter that reads cells in the same way, for another thread.
    pub(crate) fn sibling(&self) -> Counter {
        let sibling = Counter::new(self.encoders.iter().map(Encoder::sibling).collect(), self.classified);
        Counter { part: self.part.as_ref().map(Part::sibling), ..sibling }
    }

    /// Takes over what a sibling counted.
    pub(crate) fn merge(&mut self, mut other: Counter) {
        if let Some(part) = &mut self.part {
            part.over |= other.is_over();
        }
        self.met += other.met;
        let translated = |(mine, theirs): (&mut Encoder, &Encoder)| -> Vec<u32> {
            let labels = theirs.texts.labels();
            labels.iter().map(|label| label.as_ref().map_or(0, |text| mine.texts.intern(text))).collect()
        };
        let codes: Vec<Vec<u32>> = self.encoders.iter_mut().zip(&other.encoders).map(translated).collect();
        let known: Vec<usize> = self.encoders[..self.classified].iter().map(|encoder| encoder.texts.codes()).collect();
        let translated = self.encoders[self.classified..].iter().zip(&codes[self.classified..]);
        for ((mine, theirs), (encoder, codes)) in self.whole.iter_mut().zip(&other.whole).zip(translated) {
            mine.resize(encoder.texts.codes(), 0);
            theirs.iter().zip(codes).for_each(|(rows, &code)| mine[code as usize] += rows);
        }
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

impl Counter {
    /// Counts rows by their classes.
    fn classify(&mut self, columns: &[Vec<u32>], rows: usize) {
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
}
