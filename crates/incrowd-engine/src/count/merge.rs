//! Putting together what the threads counted: codes become ranks, equal tuples are added up, all is sorted.

use incrowd_core::{Attribute, ClassSizes, ColumnSet, FrequencyTable, Grouping, Layout, Stage, add_up_equal};
use rayon::prelude::*;

use crate::count::collect::CountedTuples;
use crate::count::parts::PARTS;
use crate::count::question::Question;
use crate::runtime::engine::{Engine, TUPLE_SHARE, share};
use crate::runtime::error::{EngineError, Result};
use crate::runtime::thread_pool::on_threads;

/// The attributes of the table to be, each with the ranks of the codes given out during the scan.
#[derive(Default)]
pub(crate) struct Ranks {
    attributes: Vec<Attribute>,
    ranks: Vec<Vec<u32>>,
}

impl Ranks {
    pub(crate) fn push(&mut self, attribute: Attribute, ranks: Vec<u32>) {
        self.attributes.push(attribute);
        self.ranks.push(ranks);
    }

    /// The attributes alone.
    pub(crate) fn into_attributes(self) -> Vec<Attribute> {
        self.attributes
    }

    /// The key under the final layout, ranks in place of codes; a subject's hash, the field after the attributes, is
    /// copied.
    fn repack(&self, from: &Layout, old: &[u64], to: &Layout, key: &mut [u64]) {
        for (index, (from, to)) in from.fields().iter().zip(to.fields()).enumerate() {
            let code = from.get(old);
            to.put(key, self.ranks.get(index).map_or(code, |ranks| u64::from(ranks[code as usize])));
        }
    }
}

/// The whole table's tuples, or what is left of them when they do not fit.
pub(crate) struct Merged {
    pub(crate) table: Option<FrequencyTable>,
    /// The table's attributes, when there is no table that holds them.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) sizes: ClassSizes,
    pub(crate) rows: u64,
    pub(crate) tuples: u64,
    /// Words of a tuple's key.
    pub(crate) words: usize,
    /// The bytes it takes to put the tuples together in memory.
    pub(crate) needed: u64,
}

impl Merged {
    /// The columns of a table whose tuples were not counted to the end.
    pub(crate) fn uncounted(attributes: Vec<Attribute>, rows: u64) -> Self {
        Merged { table: None, attributes, sizes: ClassSizes::default(), rows, tuples: 0, words: 0, needed: 0 }
    }
}

/// A vector that grows holds up to twice its content for a moment.
fn bytes_needed<const N: usize>(tuples: u64) -> u64 {
    tuples.saturating_mul(16 * N as u64)
}

/// Merges what the threads counted.
pub(crate) fn merge(engine: &Engine, counted: Vec<CountedTuples>, ranks: Ranks, question: &Question) -> Result<Merged> {
    let subject = question.subject.is_some();
    // No thread may have met all codes, so each may have had narrower keys than all together need.
    let widths = ranks.attributes.iter().map(|attribute| Layout::bits_for(attribute.dictionary.len()));
    if !Layout::fits(&widths.chain(subject.then_some(64)).collect::<Vec<_>>()) {
        return Err(EngineError::TooWide);
    }
    let layout = FrequencyTable::layout_for(&ranks.attributes, subject);
    let columns = ColumnSet::first(question.quasi_identifiers.len());
    let merging = TupleMerge { engine, ranks, layout, columns, subject, keep: !question.sizes_only };
    match merging.layout.words() {
        1 => merging.run::<2>(counted),
        2 => merging.run::<3>(counted),
        4 => merging.run::<5>(counted),
        8 => merging.run::<9>(counted),
        _ => merging.run::<17>(counted),
    }
}

struct TupleMerge<'a> {
    engine: &'a Engine,
    ranks: Ranks,
    layout: Layout,
    columns: ColumnSet,
    subject: bool,
    keep: bool,
}

impl TupleMerge<'_> {
    /// `N` is the words of a key and its count.
    fn run<const N: usize>(self, counted: Vec<CountedTuples>) -> Result<Merged> {
        let whole = self.keep && !counted.iter().any(CountedTuples::is_spilled);
        if whole { self.at_once::<N>(counted) } else { self.part_by_part::<N>(counted) }
    }

    /// Everything is in memory: one vector, sorted as a whole.
    fn at_once<const N: usize>(self, mut counted: Vec<CountedTuples>) -> Result<Merged> {
        let mut entries: Vec<[u64; N]> = Vec::with_capacity(counted.iter().map(CountedTuples::entries).sum());
        for part in 0..PARTS {
            self.step(part)?;
            self.drain(&mut counted, part, &mut entries)?;
        }
        drop(counted);
        on_threads(self.engine.threads, || entries.par_sort_unstable());
        add_up_equal(&mut entries);
        entries.shrink_to_fit();
        let table = FrequencyTable::from_entries(self.ranks.attributes, self.subject, entries.into_flattened());
        let sizes = table.class_sizes(self.columns);
        let (rows, tuples) = (table.rows(), table.tuples() as u64);
        let (needed, attributes) = (bytes_needed::<N>(tuples), Vec::new());
        Ok(Merged { sizes, rows, tuples, words: N - 1, needed, table: Some(table), attributes })
    }

    /// Some is on disk, or the tuples are not wanted: all tuples of a class are in one part, so each part is judged by
    /// itself, and kept while there is room for the whole.
    fn part_by_part<const N: usize>(self, mut counted: Vec<CountedTuples>) -> Result<Merged> {
        let limit = self.engine.memory.map_or(u64::MAX, |memory| share(memory, TUPLE_SHARE));
        let (sizes, attributes) = (ClassSizes::default(), Vec::new());
        let mut merged = Merged { table: None, attributes, sizes, rows: 0, tuples: 0, words: N - 1, needed: 0 };
        let mut kept: Option<Vec<[u64; N]>> = self.keep.then(Vec::new);
        for part in 0..PARTS {
            self.step(part)?;
            let mut entries = Vec::new();
            self.drain(&mut counted, part, &mut entries)?;
            entries.sort_unstable();
            add_up_equal(&mut entries);
            merged.tuples += entries.len() as u64;
            if let Some(all) = &mut kept {
                all.extend_from_slice(&entries);
            }
            merged.needed = bytes_needed::<N>(merged.tuples);
            if merged.needed > limit {
                kept = None;
            }
            let (fields, person) = self.layout.fields().split_at(self.ranks.attributes.len());
            let all = Grouping::from_entries(fields.to_vec(), person.first().copied(), N - 1, entries.into_flattened());
            merged.rows += all.rows();
            merged.sizes = merged.sizes.merge(&all.roll_up(self.columns).class_sizes());
        }
        if let Some(mut all) = kept {
            on_threads(self.engine.threads, || all.par_sort_unstable());
            let entries = all.into_flattened();
            merged.table = Some(FrequencyTable::from_entries(self.ranks.attributes, self.subject, entries));
        } else {
            merged.attributes = self.ranks.attributes;
        }
        Ok(merged)
    }

    /// Moves one part of every thread to the end of `entries`, under the final layout.
    fn drain<const N: usize>(
        &self,
        counted: &mut [CountedTuples],
        part: usize,
        entries: &mut Vec<[u64; N]>,
    ) -> Result<()> {
        for thread in counted {
            thread.drain(part, &mut |from, old, count| {
                let mut entry = [0; N];
                self.ranks.repack(from, old, &self.layout, &mut entry[..N - 1]);
                entry[N - 1] = count;
                entries.push(entry);
            })?;
        }
        Ok(())
    }

    fn step(&self, part: usize) -> Result<()> {
        self.engine.check_cancelled()?;
        self.engine.progress.update(Stage::Merge, part as u64, Some(PARTS as u64));
        Ok::<(), EngineError>(())
    }
}
