//! The 256 parts of counted tuples: packed keys, sorted when enough new ones have come, and what names a key's part.

use incrowd_core::Layout;

use crate::count::dense::Dense;

/// Into how many parts the tuples are cut.
pub(crate) const PARTS: usize = 256;

/// A part with fewer new keys than this waits before it is sorted.
const FEWEST: usize = 4096;

/// One batch of rows as codes.
pub(crate) struct CodedRows<'a> {
    /// One column of codes per attribute.
    pub(crate) codes: &'a [Vec<u32>],
    /// A hash of the person for each row, when there is a subject column.
    pub(crate) people: Option<&'a [u64]>,
}

/// The parts of one thread, whatever the width of their keys.
pub(crate) trait TupleParts: Send {
    /// Packs rows and appends each key to the part that its hash names.
    fn add(&mut self, rows: &CodedRows<'_>, count: usize, layout: &Layout, hashes: &[u64]);
    /// Takes a packed key with its count. Keys of a part come sorted and distinct.
    fn put(&mut self, part: usize, key: &[u64], count: u64);
    /// Hands out the sorted entries of a part and forgets them.
    fn drain(&mut self, part: usize, take: &mut dyn FnMut(&[u64], u64));
    /// The bytes held.
    fn bytes(&self) -> u64;
    /// At most how many entries are held.
    fn entries(&self) -> usize;
    /// At least how many distinct entries are held.
    fn distinct(&self) -> usize {
        0
    }
    /// Whether rows are added with the hashes that name their parts.
    fn wants_hashes(&self) -> bool {
        true
    }
}

/// Parts whose keys have `W` words; `N = W + 1` words hold a key and its count.
struct TuplePartsOf<const W: usize, const N: usize> {
    parts: Vec<TuplePart<W, N>>,
    keys: Vec<[u64; W]>,
}

#[derive(Default)]
struct TuplePart<const W: usize, const N: usize> {
    /// Sorted distinct keys with counts.
    done: Vec<[u64; N]>,
    /// Keys of rows that came since.
    fresh: Vec<[u64; W]>,
}

impl<const W: usize, const N: usize> TuplePart<W, N> {
    /// Sorts the fresh keys into the done ones.
    fn compact(&mut self) {
        self.fresh.sort_unstable();
        let distinct = self.fresh.chunk_by(|a, b| a == b).count();
        let mut merged: Vec<[u64; N]> = Vec::with_capacity(self.done.len() + distinct);
        let mut done = std::mem::take(&mut self.done).into_iter().peekable();
        for run in self.fresh.chunk_by(|a, b| a == b) {
            while let Some(smaller) = done.next_if(|entry| entry[..W] < run[0][..]) {
                merged.push(smaller);
            }
            let mut entry = [0; N];
            entry[..W].copy_from_slice(&run[0]);
            entry[W] = run.len() as u64;
            if let Some(equal) = done.next_if(|entry| entry[..W] == run[0][..]) {
                entry[W] += equal[W];
            }
            merged.push(entry);
        }
        merged.extend(done);
        self.done = merged;
        self.fresh.clear();
    }

    /// Makes room for the keys that come before the next sort.
    fn make_room(&mut self) {
        // Exactly as much room as will be used before the next sort: vectors that double would waste half.
        let due = self.due();
        if self.fresh.capacity() != due {
            self.fresh = Vec::with_capacity(due);
        }
    }

    /// How many fresh keys make it worth sorting: half of what is done, so that each key is merged about twice.
    fn due(&self) -> usize {
        (self.done.len() / 2).max(FEWEST)
    }

    fn bytes(&self) -> u64 {
        ((self.done.capacity() * N + self.fresh.capacity() * W) * 8) as u64
    }
}

impl<const W: usize, const N: usize> TuplePartsOf<W, N> {
    fn boxed() -> Box<dyn TupleParts> {
        let empty = || TuplePart { done: Vec::new(), fresh: Vec::new() };
        let parts = std::iter::repeat_with(empty).take(PARTS).collect();
        Box::new(TuplePartsOf::<W, N> { parts, keys: Vec::new() })
    }
}

impl<const W: usize, const N: usize> TupleParts for TuplePartsOf<W, N> {
    fn add(&mut self, rows: &CodedRows<'_>, count: usize, layout: &Layout, hashes: &[u64]) {
        self.keys.clear();
        self.keys.resize(count, [0; W]);
        for (field, codes) in layout.fields().iter().zip(rows.codes) {
            let (word, shift) = (field.word(), field.shift());
            for (key, &code) in self.keys.iter_mut().zip(codes) {
                key[word] |= u64::from(code) << shift;
            }
        }
        if let (Some(people), Some(field)) = (rows.people, layout.fields().last()) {
            for (key, &person) in self.keys.iter_mut().zip(people) {
                key[field.word()] |= person;
            }
        }
        for (&key, hash) in self.keys.iter().zip(hashes) {
            let part = &mut self.parts[part_named(*hash)];
            part.fresh.push(key);
            if part.fresh.len() >= part.due() {
                part.compact();
                part.make_room();
            }
        }
    }

    fn put(&mut self, part: usize, key: &[u64], count: u64) {
        let mut entry = [0; N];
        entry[..W].copy_from_slice(key);
        entry[W] = count;
        self.parts[part].done.push(entry);
    }

    fn drain(&mut self, part: usize, take: &mut dyn FnMut(&[u64], u64)) {
        let mut part = std::mem::take(&mut self.parts[part]);
        part.compact();
        part.done.iter().for_each(|entry| take(&entry[..W], entry[W]));
    }

    fn bytes(&self) -> u64 {
        self.parts.iter().map(TuplePart::bytes).sum()
    }

    fn entries(&self) -> usize {
        self.parts.iter().map(|part| part.done.len() + part.fresh.len()).sum()
    }

    fn distinct(&self) -> usize {
        self.parts.iter().map(|part| part.done.len()).sum()
    }
}

/// Parts for keys of this layout; a small space of keys is counted without any, in at most this many bytes.
pub(crate) fn parts_for(layout: &Layout, quasi_identifiers: usize, dense_bytes: u64) -> Box<dyn TupleParts> {
    if let Some(dense) = Dense::fitting(layout, quasi_identifiers, dense_bytes) {
        return Box::new(dense);
    }
    match layout.words() {
        1 => TuplePartsOf::<1, 2>::boxed(),
        2 => TuplePartsOf::<2, 3>::boxed(),
        4 => TuplePartsOf::<4, 5>::boxed(),
        8 => TuplePartsOf::<8, 9>::boxed(),
        _ => TuplePartsOf::<16, 17>::boxed(),
    }
}

/// The part of a tuple with these quasi-identifiers.
pub(crate) fn part_of(codes: &[u32]) -> usize {
    let hash = codes.iter().enumerate().fold(0, |hash, (column, &code)| mixed(hash, code, odd_factor(column)));
    part_named(finished(hash))
}

#[inline]
pub(crate) fn mixed(hash: u64, code: u32, factor: u64) -> u64 {
    hash.wrapping_add(u64::from(code + 1).wrapping_mul(factor))
}

#[inline]
pub(crate) fn finished(hash: u64) -> u64 {
    (hash ^ hash >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[inline]
fn part_named(hash: u64) -> usize {
    (hash >> 56) as usize
}

/// An odd number for each column, so that tuples spread evenly over the parts.
pub(crate) fn odd_factor(column: usize) -> u64 {
    (column as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93) | 1
}
