//! Which class a row gets: rows of a tuple are split over classes exactly as the recoding says.
//!
//! Nearly all tuples go to one class as a whole, and their rows are assigned while they are read. A row of a tuple that
//! is split gets a number in place of a class, and its class is drawn when its turn comes in the order of the release.

use std::sync::atomic::{AtomicU64, Ordering};

use incrowd_core::{FrequencyTable, Recoding};

use crate::runtime::narrow::number32;

/// What the rows of each tuple are assigned, on any thread.
pub(crate) struct RowAssignments {
    classes: u32,
    tuples: Vec<TupleAssignment>,
}

/// What the rows of a tuple are assigned.
struct TupleAssignment {
    /// Rows that have not come yet.
    left: AtomicU64,
    /// A class; or, from the number of classes on, the number of a tuple that is split.
    seat: u32,
}

impl RowAssignments {
    /// The bytes that assignments take for each tuple.
    pub(crate) const ENTRY_BYTES: u64 = size_of::<TupleAssignment>() as u64;

    pub(crate) fn new(table: &FrequencyTable, recoding: &Recoding) -> Self {
        let classes = number32(recoding.classes());
        let mut split = 0;
        let tuples = (0..table.tuples()).map(|tuple| {
            let seat = match recoding.targets(tuple) {
                [(class, _)] => *class,
                _ => {
                    split += 1;
                    classes + (split - 1)
                }
            };
            TupleAssignment { left: AtomicU64::new(table.count(tuple)), seat }
        });
        RowAssignments { classes, tuples: tuples.collect() }
    }

    /// What the next row of a tuple is assigned, or nothing when the tuple had all its rows.
    pub(crate) fn take(&self, tuple: u32) -> Option<u32> {
        let TupleAssignment { left, seat } = &self.tuples[tuple as usize];
        // Wrapped around, the count is never zero in the end.
        (left.fetch_sub(1, Ordering::Relaxed) > 0).then_some(*seat)
    }

    /// What the rows of each tuple are assigned.
    #[cfg(feature = "cluster")]
    pub(crate) fn all(&self) -> impl Iterator<Item = u32> {
        self.tuples.iter().map(|tuple| tuple.seat)
    }

    /// Whether every row has come.
    pub(crate) fn all_taken(&self) -> bool {
        self.tuples.iter().all(|tuple| tuple.left.load(Ordering::Relaxed) == 0)
    }

    /// The drawing of classes for the tuples that are split.
    pub(crate) fn draws(&self, recoding: &Recoding) -> ClassDraws {
        let mut draws = ClassDraws { classes: self.classes, ends: Vec::new(), places: Vec::new() };
        for tuple in 0..self.tuples.len() {
            let targets = recoding.targets(tuple);
            if targets.len() != 1 {
                draws.places.extend_from_slice(targets);
                draws.ends.push(draws.places.len());
            }
        }
        draws
    }
}

/// The places that are left for rows of tuples that are split.
pub(crate) struct ClassDraws {
    classes: u32,
    /// Where the places of each tuple end.
    ends: Vec<usize>,
    /// Classes with the places left in each.
    places: Vec<(u32, u64)>,
}

impl ClassDraws {
    /// Nothing to draw: every row was assigned its class.
    pub(crate) fn told(classes: usize) -> ClassDraws {
        ClassDraws { classes: number32(classes), ends: Vec::new(), places: Vec::new() }
    }

    /// The class of a row that was assigned this, with 64 random bits of its own.
    ///
    /// Of several classes one is drawn, each as likely as places are left in it: every assignment of the rows is
    /// equally likely, and all places are taken in the end. (Multiplying 64 random bits by n and taking the upper half
    /// favours none by more than n · 2⁻⁶⁴.)
    pub(crate) fn class(&mut self, seat: u32, draw: u64) -> Option<u32> {
        if seat < self.classes || seat == Recoding::WITHHELD {
            return Some(seat);
        }
        let split = (seat - self.classes) as usize;
        let start = if split == 0 { 0 } else { self.ends[split - 1] };
        let places = &mut self.places[start..self.ends[split]];
        let left: u64 = places.iter().map(|place| place.1).sum();
        let mut drawn = ((u128::from(draw) * u128::from(left)) >> 64) as u64;
        for (class, left) in places {
            if drawn < *left {
                *left -= 1;
                return Some(*class);
            }
            drawn -= *left;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Attribute, Dictionary, Hierarchy, Partition, QuasiIdentifier, Role};

    use super::*;
    use crate::publish::shuffle::RowBits;

    fn split() -> (FrequencyTable, Recoding) {
        let dictionary = Dictionary::of_texts(["a", "b"]);
        let flat = Hierarchy::flat(&dictionary).unwrap();
        let quasi = [QuasiIdentifier::new(0, &flat, &dictionary).unwrap()];
        let attribute = Attribute::new("x", Role::QuasiIdentifier, dictionary);
        let table = FrequencyTable::from_tuples(vec![attribute], [([0], 6), ([1], 2)]);
        let mut partition = Partition::default();
        partition.push([(0, 3)]);
        partition.push([(0, 1), (1, 2)]);
        partition.withhold([(0, 2)]);
        let recoding = Recoding::tightened(&table, &quasi, &partition);
        (table, recoding)
    }

    #[test]
    fn all_places_are_taken_and_no_more() {
        let (table, recoding) = split();
        let mut bits = RowBits::from_row([1; 32], 0);
        let seats = RowAssignments::new(&table, &recoding);
        let mut draws = seats.draws(&recoding);
        let mut class = || draws.class(seats.take(0).unwrap(), bits.next().1);
        let mut classes: Vec<u32> = (0..6).map(|_| class().unwrap()).collect();
        classes.sort_unstable();
        assert_eq!(classes, [0, 0, 0, 1, Recoding::WITHHELD, Recoding::WITHHELD]);
        assert_eq!([seats.take(1), seats.take(1)], [Some(1), Some(1)], "a tuple that is not split");
        assert!(seats.all_taken());
        assert_eq!(seats.take(0), None, "there is no seventh row");
        assert!(!seats.all_taken(), "one row too many is not all");
    }

    #[test]
    fn the_first_row_that_comes_is_as_likely_as_the_last_to_get_a_class() {
        let (table, recoding) = split();
        let mut bits = RowBits::from_row([2; 32], 0);
        let mut met = [0u32; 6];
        for _ in 0..6000 {
            let seats = RowAssignments::new(&table, &recoding);
            let mut draws = seats.draws(&recoding);
            for place in &mut met {
                *place += u32::from(draws.class(seats.take(0).unwrap(), bits.next().1) == Some(1));
            }
        }
        // One of six rows goes to class 1: 1,000 times each, with a deviation of 29.
        assert!(met.iter().all(|met| met.abs_diff(1000) < 150), "{met:?}");
    }
}
