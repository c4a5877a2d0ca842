//! Counting tuples: rows of codes become packed keys, cut into parts, each part sorted and added up.
//!
//! A hash table of strings is what a general engine groups by. Codes allow better: a row is one to a few words (see
//! [`Layout`]), appended to one of 256 parts by a hash of its quasi-identifiers; a part that has grown by half is
//! sorted and equal keys are added up. No hash table, no pointers, sequential memory, and 10⁸ distinct tuples of ten
//! columns fit in 2 GB. All rows of a class meet in one part, so parts can be judged, spilled and merged one by one.
//!
//! Widths follow the dictionaries: when one outgrows its field, the parts are packed anew. Dictionaries double, so that
//! is rare.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use incrowd_core::Layout;

use crate::count::AtOnce;
use crate::dense::Dense;
use crate::error::{EngineError, Result};
use crate::spill::{RunFile, Spills};

/// Into how many parts the tuples are cut.
pub(crate) const PARTS: usize = 256;

/// A part with fewer new keys than this waits before it is sorted.
const FEWEST: usize = 4096;

/// The memory that the tuples of all threads may take together.
#[derive(Debug)]
pub(crate) struct Room {
    used: AtomicU64,
    limit: u64,
    /// A thread that holds less does not spill: another holds the bulk, and many small runs are slow to merge.
    worth_spilling: u64,
    /// How many tuples may be worked on at once; more of them are not counted to the end.
    at_once: AtOnce,
    outgrown: AtomicBool,
}

impl Room {
    pub(crate) fn new(limit: Option<u64>, threads: usize) -> Self {
        let (limit, at_once) = (limit.unwrap_or(u64::MAX), AtOnce::default());
        let worth_spilling = limit / (4 * threads as u64);
        Room { used: AtomicU64::new(0), limit, worth_spilling, at_once, outgrown: AtomicBool::new(false) }
    }

    /// The same room, left when there are more tuples than can be worked on at once.
    pub(crate) fn left_beyond(self, at_once: AtOnce) -> Self {
        Room { at_once, ..self }
    }

    /// Whether some thread met more tuples than can be worked on at once, so that nothing is counted any more.
    pub(crate) fn is_outgrown(&self) -> bool {
        self.outgrown.load(Ordering::Relaxed)
    }

    fn resize(&self, from: u64, to: u64) {
        self.used.fetch_add(to.wrapping_sub(from), Ordering::Relaxed);
    }

    /// Whether a thread that holds this much must spill it.
    fn must_spill(&self, held: u64) -> bool {
        self.used.load(Ordering::Relaxed) > self.limit && held > self.worth_spilling
    }
}

/// One batch of rows as codes.
pub(crate) struct Rows<'a> {
    /// One column of codes per attribute.
    pub(crate) codes: &'a [Vec<u32>],
    /// A hash of the person for each row, when there is a subject column.
    pub(crate) people: Option<&'a [u64]>,
}

/// The parts of one thread, whatever the width of their keys.
pub(crate) trait Parts: Send {
    /// Packs rows and appends each key to the part that its hash names.
    fn add(&mut self, rows: &Rows<'_>, count: usize, layout: &Layout, hashes: &[u64]);
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
struct PartsOf<const W: usize, const N: usize> {
    parts: Vec<Part<W, N>>,
    keys: Vec<[u64; W]>,
}

#[derive(Default)]
struct Part<const W: usize, const N: usize> {
    /// Sorted distinct keys with counts.
    done: Vec<[u64; N]>,
    /// Keys of rows that came since.
    fresh: Vec<[u64; W]>,
}

impl<const W: usize, const N: usize> Part<W, N> {
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

impl<const W: usize, const N: usize> PartsOf<W, N> {
    fn boxed() -> Box<dyn Parts> {
        let empty = || Part { done: Vec::new(), fresh: Vec::new() };
        let parts = std::iter::repeat_with(empty).take(PARTS).collect();
        Box::new(PartsOf::<W, N> { parts, keys: Vec::new() })
    }
}

impl<const W: usize, const N: usize> Parts for PartsOf<W, N> {
    fn add(&mut self, rows: &Rows<'_>, count: usize, layout: &Layout, hashes: &[u64]) {
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
        self.parts.iter().map(Part::bytes).sum()
    }

    fn entries(&self) -> usize {
        self.parts.iter().map(|part| part.done.len() + part.fresh.len()).sum()
    }

    fn distinct(&self) -> usize {
        self.parts.iter().map(|part| part.done.len()).sum()
    }
}

fn parts_for(layout: &Layout, quasi_identifiers: usize, room: &Room) -> Box<dyn Parts> {
    if let Some(dense) = Dense::fitting(layout, quasi_identifiers, room.worth_spilling) {
        return Box::new(dense);
    }
    match layout.words() {
        1 => PartsOf::<1, 2>::boxed(),
        2 => PartsOf::<2, 3>::boxed(),
        4 => PartsOf::<4, 5>::boxed(),
        8 => PartsOf::<8, 9>::boxed(),
        _ => PartsOf::<16, 17>::boxed(),
    }
}

/// Counts the tuples that one thread meets.
pub(crate) struct Collector {
    layout: Layout,
    widths: Vec<u32>,
    /// The first so many attributes are the quasi-identifiers, by which rows find their part.
    quasi_identifiers: usize,
    parts: Box<dyn Parts>,
    hashes: Vec<u64>,
    room: Arc<Room>,
    told: u64,
    spills: Arc<Spills>,
    spilled: Option<RunFile>,
}

impl Collector {
    /// A collector for this many attributes, quasi-identifiers first, and a subject when people are counted.
    pub(crate) fn new(
        attributes: usize,
        quasi_identifiers: usize,
        subject: bool,
        room: Arc<Room>,
        spills: Arc<Spills>,
    ) -> Self {
        let mut widths = vec![0; attributes];
        widths.extend(subject.then_some(64));
        let layout = Layout::new(widths.iter().copied());
        let parts = parts_for(&layout, quasi_identifiers, &room);
        Collector { layout, widths, quasi_identifiers, parts, hashes: Vec::new(), room, told: 0, spills, spilled: None }
    }

    /// Counts a batch of rows.
    pub(crate) fn add(&mut self, rows: &Rows<'_>, count: usize) -> Result<()> {
        if self.room.is_outgrown() {
            self.give_up();
            return Ok(());
        }
        self.widen(rows)?;
        if self.parts.wants_hashes() {
            self.hash(rows, count);
        }
        self.parts.add(rows, count, &self.layout, &self.hashes);
        let bytes = self.parts.bytes();
        self.room.resize(self.told, bytes);
        self.told = bytes;
        // One thread's tuples are distinct, so the table has as many at least, whatever the other threads met.
        if self.parts.distinct() as u64 > self.room.at_once.tuples(self.layout.words()) {
            self.room.outgrown.store(true, Ordering::Relaxed);
            self.give_up();
            return Ok(());
        }
        if self.room.must_spill(bytes) { self.spill() } else { Ok(()) }
    }

    /// Forgets what was counted: nobody is going to ask for it.
    fn give_up(&mut self) {
        if self.told > 0 || self.spilled.is_some() {
            self.parts = PartsOf::<1, 2>::boxed();
            self.layout = Layout::new([]);
            self.spilled = None;
            self.room.resize(self.told, 0);
            self.told = 0;
        }
    }

    /// A hash of each row's quasi-identifiers.
    fn hash(&mut self, rows: &Rows<'_>, count: usize) {
        self.hashes.clear();
        self.hashes.resize(count, 0);
        for (column, codes) in rows.codes[..self.quasi_identifiers].iter().enumerate() {
            let factor = odd_factor(column);
            for (hash, &code) in self.hashes.iter_mut().zip(codes) {
                *hash = mixed(*hash, code, factor);
            }
        }
        self.hashes.iter_mut().for_each(|hash| *hash = finished(*hash));
    }

    /// Gives wider fields to the attributes whose codes no longer fit, and packs what is held anew.
    fn widen(&mut self, rows: &Rows<'_>) -> Result<()> {
        let mut widened = false;
        for (width, codes) in self.widths.iter_mut().zip(rows.codes) {
            let largest = codes.iter().copied().max().unwrap_or(0);
            let needed = Layout::bits_for(largest as usize + 1);
            widened |= needed > *width;
            *width = needed.max(*width);
        }
        if !widened {
            return Ok(());
        }
        if !Layout::fits(&self.widths) {
            return Err(EngineError::TooWide);
        }
        let layout = Layout::new(self.widths.iter().copied());
        let mut parts = parts_for(&layout, self.quasi_identifiers, &self.room);
        let mut key = vec![0; layout.words()];
        for part in 0..PARTS {
            self.parts.drain(part, &mut |old, count| {
                key.fill(0);
                for (from, to) in self.layout.fields().iter().zip(layout.fields()) {
                    to.put(&mut key, from.get(old));
                }
                parts.put(part, &key, count);
            });
        }
        (self.layout, self.parts) = (layout, parts);
        Ok(())
    }

    /// Writes all parts to a run on disk and starts with empty ones.
    fn spill(&mut self) -> Result<()> {
        let file = match &mut self.spilled {
            Some(file) => file,
            empty => empty.insert(self.spills.file()?),
        };
        let mut run = file.start(self.layout.clone())?;
        for part in 0..PARTS {
            run.begin_part();
            let mut failed = None;
            self.parts.drain(part, &mut |key, count| {
                if failed.is_none() {
                    failed = run.write(key, count).err();
                }
            });
            failed.map_or(Ok(()), Err)?;
        }
        run.finish(&self.spills)?;
        self.room.resize(self.told, 0);
        self.told = 0;
        Ok(())
    }

    /// What was counted, in memory and on disk.
    pub(crate) fn finish(self) -> Counted {
        Counted { layout: self.layout, parts: self.parts, spilled: self.spilled }
    }
}

/// The part of a tuple with these quasi-identifiers.
pub(crate) fn part_of(codes: &[u32]) -> usize {
    let hash = codes.iter().enumerate().fold(0, |hash, (column, &code)| mixed(hash, code, odd_factor(column)));
    part_named(finished(hash))
}

#[inline]
fn mixed(hash: u64, code: u32, factor: u64) -> u64 {
    hash.wrapping_add(u64::from(code + 1).wrapping_mul(factor))
}

#[inline]
fn finished(hash: u64) -> u64 {
    (hash ^ hash >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[inline]
fn part_named(hash: u64) -> usize {
    (hash >> 56) as usize
}

/// An odd number for each column, so that tuples spread evenly over the parts.
fn odd_factor(column: usize) -> u64 {
    (column as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93) | 1
}

/// What one thread counted.
pub(crate) struct Counted {
    layout: Layout,
    parts: Box<dyn Parts>,
    spilled: Option<RunFile>,
}

impl Counted {
    /// At most how many entries are in memory.
    pub(crate) fn entries(&self) -> usize {
        self.parts.entries()
    }

    /// Whether some of it is on disk.
    pub(crate) fn is_spilled(&self) -> bool {
        self.spilled.is_some()
    }

    /// Hands out the entries of a part with the layout of their keys, and forgets them.
    pub(crate) fn drain(&mut self, part: usize, take: &mut dyn FnMut(&Layout, &[u64], u64)) -> Result<()> {
        self.parts.drain(part, &mut |key, count| take(&self.layout, key, count));
        self.spilled.as_mut().map_or(Ok(()), |file| file.read(part, take))
    }
}
