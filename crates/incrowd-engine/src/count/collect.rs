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

use crate::count::parts::{CodedRows, PARTS, TupleParts, finished, mixed, odd_factor, parts_for};
use crate::count::question::AtOnce;
use crate::count::spill::{RunFile, Spills};
use crate::runtime::error::{EngineError, Result};

/// The memory that the tuples of all threads may take together.
#[derive(Debug)]
pub(crate) struct TupleRoom {
    used: AtomicU64,
    limit: u64,
    /// A thread that holds less does not spill: another holds the bulk, and many small runs are slow to merge.
    worth_spilling: u64,
    /// How many tuples may be worked on at once; more of them are not counted to the end.
    at_once: AtOnce,
    outgrown: AtomicBool,
}

impl TupleRoom {
    pub(crate) fn new(limit: Option<u64>, threads: usize) -> Self {
        let (limit, at_once) = (limit.unwrap_or(u64::MAX), AtOnce::default());
        let worth_spilling = limit / (4 * threads as u64);
        TupleRoom { used: AtomicU64::new(0), limit, worth_spilling, at_once, outgrown: AtomicBool::new(false) }
    }

    /// The same room, left when there are more tuples than can be worked on at once.
    pub(crate) fn left_beyond(self, at_once: AtOnce) -> Self {
        TupleRoom { at_once, ..self }
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

/// Counts the tuples that one thread meets.
pub(crate) struct Collector {
    layout: Layout,
    widths: Vec<u32>,
    /// How many of the attributes are quasi-identifiers: these come first, and name the part of a row.
    quasi_identifiers: usize,
    parts: Box<dyn TupleParts>,
    hashes: Vec<u64>,
    room: Arc<TupleRoom>,
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
        room: Arc<TupleRoom>,
        spills: Arc<Spills>,
    ) -> Self {
        let mut widths = vec![0; attributes];
        widths.extend(subject.then_some(64));
        let layout = Layout::new(widths.iter().copied());
        let parts = parts_for(&layout, quasi_identifiers, room.worth_spilling);
        Collector { layout, widths, quasi_identifiers, parts, hashes: Vec::new(), room, told: 0, spills, spilled: None }
    }

    /// Counts a batch of rows.
    pub(crate) fn add(&mut self, rows: &CodedRows<'_>, count: usize) -> Result<()> {
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

    /// Forgets what was counted: it is not needed any more.
    fn give_up(&mut self) {
        if self.told > 0 || self.spilled.is_some() {
            self.layout = Layout::new([]);
            self.parts = parts_for(&self.layout, 0, 0);
            self.spilled = None;
            self.room.resize(self.told, 0);
            self.told = 0;
        }
    }

    /// A hash of each row's quasi-identifiers.
    fn hash(&mut self, rows: &CodedRows<'_>, count: usize) {
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
    fn widen(&mut self, rows: &CodedRows<'_>) -> Result<()> {
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
        let mut parts = parts_for(&layout, self.quasi_identifiers, self.room.worth_spilling);
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
    pub(crate) fn finish(self) -> CountedTuples {
        CountedTuples { layout: self.layout, parts: self.parts, spilled: self.spilled }
    }
}

/// What one thread counted.
pub(crate) struct CountedTuples {
    layout: Layout,
    parts: Box<dyn TupleParts>,
    spilled: Option<RunFile>,
}

impl CountedTuples {
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
