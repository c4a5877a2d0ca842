//! The inner loop of a roll-up: masking packed keys and adding up those that became equal.
//!
//! A key is split at the first dropped field. What stands before it, the *prefix*, is still sorted; what is kept behind
//! it, the *suffix*, is not. Entries of one prefix stand together, so only suffixes have to be brought into order.

use crate::Field;
use crate::numbers::to_usize;

/// Suffixes of at most this many bits are counted by index: 2¹⁸ counters are 2 MiB and stay in a core's cache.
const DENSE_BITS: u32 = 18;

/// Below this many entries a stretch is sorted: walking a bit map costs more.
const SHORT: usize = 24;

/// How keys of a wider grouping become keys of a narrower one. `N` is the words of a key plus one for the count.
pub(crate) struct RollUp<const N: usize> {
    kept: [u64; N],
    prefix: [u64; N],
    spans: Vec<Span>,
    bits: u32,
}

/// A run of kept bits of the suffix.
#[derive(Clone, Copy)]
struct Span {
    word: usize,
    shift: u32,
    bits: u32,
}

impl<const N: usize> RollUp<N> {
    /// Keeps the masked bits of each word; `first` is the first dropped field in key order.
    pub(crate) fn new(masks: &[u64], first: Option<Field>) -> Self {
        let mut kept = [u64::MAX; N];
        kept[..N - 1].copy_from_slice(masks);
        let mut prefix = [0; N];
        for word in 0..N - 1 {
            prefix[word] = match first {
                Some(first) if word > first.word() => 0,
                Some(first) if word == first.word() => {
                    kept[word] & u64::MAX.checked_shl(first.shift() + first.bits()).unwrap_or(0)
                }
                _ => kept[word],
            };
        }
        let spans: Vec<Span> = (0..N - 1).flat_map(|word| spans_of(word, kept[word] & !prefix[word])).collect();
        let bits = spans.iter().map(|span| span.bits).sum();
        RollUp { kept, prefix, spans, bits }
    }

    /// The rolled-up entries of sorted ones.
    pub(crate) fn apply(&self, entries: &[u64]) -> Vec<u64> {
        let (entries, _) = entries.as_chunks::<N>();
        let mut out: Vec<[u64; N]> = Vec::new();
        let mut counters = (self.bits <= DENSE_BITS).then(|| Counters::new(self.bits));
        for stretch in entries.chunk_by(|a, b| self.same_prefix(a, b)) {
            match &mut counters {
                Some(counters) if stretch.len() >= SHORT => self.count(stretch, counters, &mut out),
                _ => self.sort(stretch, &mut out),
            }
        }
        out.shrink_to_fit();
        out.into_flattened()
    }

    fn same_prefix(&self, a: &[u64; N], b: &[u64; N]) -> bool {
        (0..N - 1).fold(0, |differing, word| differing | (a[word] ^ b[word]) & self.prefix[word]) == 0
    }

    fn masked(&self, entry: &[u64; N]) -> [u64; N] {
        std::array::from_fn(|word| entry[word] & self.kept[word])
    }

    fn sort(&self, stretch: &[[u64; N]], out: &mut Vec<[u64; N]>) {
        let start = out.len();
        out.extend(stretch.iter().map(|entry| self.masked(entry)));
        sort_by_key(&mut out[start..]);
        let mut last = start;
        for next in start + 1..out.len() {
            if out[next][..N - 1] == out[last][..N - 1] {
                out[last][N - 1] += out[next][N - 1];
            } else {
                last += 1;
                out[last] = out[next];
            }
        }
        out.truncate(last + 1);
    }

    fn count(&self, stretch: &[[u64; N]], counters: &mut Counters, out: &mut Vec<[u64; N]>) {
        match self.spans[..] {
            [span] => stretch.iter().for_each(|entry| counters.add(span.get(entry), entry[N - 1])),
            _ => stretch.iter().for_each(|entry| {
                let index = self.spans.iter().fold(0, |index, span| index << span.bits | span.get(entry));
                counters.add(index, entry[N - 1]);
            }),
        }
        let prefix: [u64; N] = std::array::from_fn(|word| stretch[0][word] & self.prefix[word]);
        counters.drain(|index, count| {
            let mut entry = prefix;
            let mut rest = index;
            for span in self.spans.iter().rev() {
                entry[span.word] |= (rest & low_bits(span.bits)) << span.shift;
                rest >>= span.bits;
            }
            entry[N - 1] = count;
            out.push(entry);
        });
    }
}

/// Sorts entries by their keys.
///
/// Stable, because the standard library's stable sort merges the sorted runs that a roll-up leaves. Keys of one and two
/// words are compared as one number, which needs no branch.
pub(crate) fn sort_by_key<const N: usize>(entries: &mut [[u64; N]]) {
    match N {
        2 => entries.sort_by_key(|entry| entry[0]),
        3 => entries.sort_by_key(|entry| u128::from(entry[0]) << 64 | u128::from(entry[1])),
        _ => entries.sort_by(|a, b| a[..N - 1].cmp(&b[..N - 1])),
    }
}

impl Span {
    fn get<const N: usize>(self, entry: &[u64; N]) -> u64 {
        entry[self.word] >> self.shift & low_bits(self.bits)
    }
}

/// The runs of set bits in a mask, most significant first.
fn spans_of(word: usize, mask: u64) -> impl Iterator<Item = Span> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let above = (rest != 0).then(|| rest.leading_zeros())?;
        let bits = (rest << above).leading_ones();
        let shift = 64 - above - bits;
        rest &= !(low_bits(bits) << shift);
        Some(Span { word, shift, bits })
    })
}

/// The lowest `bits` bits set.
fn low_bits(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }
}

/// Counters by index, with a bit map of three levels that finds those in use in ascending order.
struct Counters {
    counts: Vec<u64>,
    used: Vec<u64>,
    used_words: Vec<u64>,
}

impl Counters {
    fn new(bits: u32) -> Self {
        let size = 1usize << bits;
        Counters {
            counts: vec![0; size],
            used: vec![0; size.div_ceil(64)],
            used_words: vec![0; size.div_ceil(64 * 64)],
        }
    }

    fn add(&mut self, index: u64, count: u64) {
        let index = to_usize(index);
        self.counts[index] += count;
        self.used[index >> 6] |= 1 << (index & 63);
        self.used_words[index >> 12] |= 1 << (index >> 6 & 63);
    }

    /// Gives every counter in use, ascending by index, and sets it back to zero.
    fn drain(&mut self, mut each: impl FnMut(u64, u64)) {
        for (block, words) in self.used_words.iter_mut().enumerate() {
            for word in set_bits(std::mem::take(words)) {
                let word = block << 6 | word;
                for bit in set_bits(std::mem::take(&mut self.used[word])) {
                    let index = word << 6 | bit;
                    each(index as u64, std::mem::take(&mut self.counts[index]));
                }
            }
        }
    }
}

fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use crate::{ColumnSet, Grouping, Layout};

    /// The codes of some rows, then their person, and how many rows.
    type CountedRows = (Vec<u64>, u64);

    fn grouping(widths: &[u32], people: bool, rows: &[CountedRows]) -> Grouping {
        let layout = Layout::new(widths.iter().copied().chain(people.then_some(64)));
        let mut entries: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
        for (codes, count) in rows {
            let mut key = vec![0; layout.words()];
            layout.fields().iter().zip(codes).for_each(|(field, &code)| field.put(&mut key, code));
            *entries.entry(key).or_default() += count;
        }
        let entries = entries.into_iter().flat_map(|(key, count)| key.into_iter().chain([count])).collect();
        let fields = layout.fields()[..widths.len()].to_vec();
        Grouping::from_entries(fields, people.then(|| layout.fields()[widths.len()]), layout.words(), entries)
    }

    /// Key → (people or rows, rows), the slow way.
    fn oracle(columns: ColumnSet, width: usize, people: bool, rows: &[CountedRows]) -> Vec<(Vec<u64>, u64, u64)> {
        let mut classes: BTreeMap<Vec<u64>, (BTreeSet<u64>, u64)> = BTreeMap::new();
        for (codes, count) in rows {
            let class = classes.entry(columns.iter().map(|column| codes[column]).collect()).or_default();
            class.0.extend(people.then(|| codes[width]));
            class.1 += count;
        }
        let size = |set: &BTreeSet<u64>, rows| if people { set.len() as u64 } else { rows };
        classes.into_iter().map(|(key, (set, rows))| (key, size(&set, rows), rows)).collect()
    }

    fn classes(grouping: &Grouping) -> Vec<(Vec<u64>, u64, u64)> {
        let columns = grouping.columns();
        let key = |class: &crate::Class<'_>| columns.iter().map(|c| u64::from(class.code(grouping, c))).collect();
        grouping.classes().map(|class| (key(&class), class.size, class.rows)).collect()
    }

    /// Widths (short, long, many words), whether people are counted, and rows that fit.
    fn tables() -> impl Strategy<Value = (Vec<u32>, bool, Vec<CountedRows>)> {
        let widths = prop_oneof![
            prop::collection::vec(0u32..4, 1..6),
            prop::collection::vec(prop_oneof![0u32..4, Just(20), Just(32)], 1..9),
        ];
        (widths, any::<bool>()).prop_flat_map(|(widths, people)| {
            let low = |bits: u32| if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
            let codes: Vec<_> = widths.iter().map(|&bits| prop_oneof![0..=low(bits.min(2)), 0..=low(bits)]).collect();
            let row = ((codes, 0u64..5), 1u64..4).prop_map(|((mut codes, person), count)| {
                codes.push(person);
                (codes, count)
            });
            (Just(widths), Just(people), prop::collection::vec(row, 0..120))
        })
    }

    proptest! {
        #[test]
        fn a_roll_up_has_the_classes_of_the_rows((widths, people, rows) in tables(), chosen in any::<u16>(), again in any::<u16>()) {
            let columns: ColumnSet = (0..widths.len()).filter(|column| chosen >> column & 1 == 1).collect();
            let fewer: ColumnSet = columns.iter().filter(|column| again >> column & 1 == 1).collect();
            let widest = grouping(&widths, people, &rows);
            let rolled = widest.roll_up(columns);
            prop_assert_eq!(classes(&rolled), oracle(columns, widths.len(), people, &rows));
            prop_assert_eq!(classes(&rolled.roll_up(fewer)), oracle(fewer, widths.len(), people, &rows));
        }

        #[test]
        fn columns_in_another_order_have_the_same_classes((widths, people, rows) in tables(), chosen in any::<u16>()) {
            let widest = grouping(&widths, people, &rows);
            let order: Vec<usize> = (0..widths.len()).rev().filter(|column| chosen >> column & 1 == 1).collect();
            let columns: ColumnSet = order.iter().copied().collect();
            let arranged = widest.arranged(&order);
            let mut found = classes(&arranged);
            found.sort();
            prop_assert_eq!(found, oracle(columns, widths.len(), people, &rows));
            for column in order {
                let fewer = columns.without(column);
                let mut found = classes(&arranged.roll_up(fewer));
                found.sort();
                prop_assert_eq!(found, oracle(fewer, widths.len(), people, &rows));
            }
        }
    }
}
