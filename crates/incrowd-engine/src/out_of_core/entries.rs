//! Packed keys become the entries of a frequency table: sorted, equal ones added up.

use incrowd_core::{Attribute, FrequencyTable, add_up_equal};
use rayon::prelude::*;

/// Too few entries to be worth adding up.
const FEW: usize = 1 << 12;

/// Keys of any width that are being counted.
pub(crate) trait Entries: Send {
    /// Counts keys, each of the words it was made for.
    fn add(&mut self, keys: &[u64]);
    /// How many distinct keys there are for sure.
    fn distinct(&self) -> usize;
    /// The table of all that was added.
    fn finish(self: Box<Self>, attributes: Vec<Attribute>, subject: bool) -> FrequencyTable;
}

/// Nothing counted yet: keys of this many words, with room for this many.
pub(crate) fn entries(words: usize, room: usize) -> Box<dyn Entries> {
    match words {
        1 => Box::new(EntriesOf::<1, 2>::new(room)),
        2 => Box::new(EntriesOf::<2, 3>::new(room)),
        4 => Box::new(EntriesOf::<4, 5>::new(room)),
        8 => Box::new(EntriesOf::<8, 9>::new(room)),
        _ => Box::new(EntriesOf::<16, 17>::new(room)),
    }
}

/// `N = W + 1` words hold a key and its count.
struct EntriesOf<const W: usize, const N: usize> {
    entries: Vec<[u64; N]>,
    distinct: usize,
}

impl<const W: usize, const N: usize> EntriesOf<W, N> {
    fn new(room: usize) -> Self {
        EntriesOf { entries: Vec::with_capacity(room.max(FEW)), distinct: 0 }
    }

    fn settle(&mut self) {
        self.entries.par_sort_unstable();
        add_up_equal(&mut self.entries);
        self.distinct = self.entries.len();
    }
}

impl<const W: usize, const N: usize> Entries for EntriesOf<W, N> {
    fn add(&mut self, keys: &[u64]) {
        for key in keys.chunks_exact(W) {
            if self.entries.len() == self.entries.capacity() {
                self.settle();
                // Where hardly any were equal there is no room to be had by adding up.
                if self.entries.len() > self.entries.capacity() / 4 * 3 {
                    self.entries.reserve_exact(self.entries.len() / 2);
                }
            }
            let mut entry = [1; N];
            entry[..W].copy_from_slice(key);
            self.entries.push(entry);
        }
    }

    fn distinct(&self) -> usize {
        self.distinct
    }

    fn finish(mut self: Box<Self>, attributes: Vec<Attribute>, subject: bool) -> FrequencyTable {
        self.settle();
        FrequencyTable::from_entries(attributes, subject, self.entries.into_flattened())
    }
}

#[cfg(test)]
mod tests {
    use incrowd_core::{Dictionary, Role};

    use super::*;

    #[test]
    fn keys_are_counted_in_any_order_and_whatever_the_room() {
        let sexes = || Attribute::new("sex", Role::QuasiIdentifier, Dictionary::of_texts(["f", "m"]));
        // A person takes a word; with another column there are two.
        for (columns, room) in [(vec![], 0), (vec![], 100_000), (vec![sexes()], 0), (vec![sexes()], 5_000)] {
            let words = 1 + columns.len();
            let mut counting = entries(words, room);
            for row in 0..20_000u64 {
                let mut key = vec![0; words];
                key[words - 1] = row * 7919 % 6_001;
                counting.add(&key);
            }
            let table = counting.finish(columns, true);
            assert_eq!((table.rows(), table.tuples()), (20_000, 6_001), "{words} words, room for {room}");
        }
    }
}
