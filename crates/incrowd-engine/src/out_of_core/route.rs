//! Codes go to their shards: one pass over them, one file for each stretch of the input, blocks of it for each shard.
//!
//! One filtered scan of the source for each shard would need no second copy of the codes on disk. But the number of
//! shards grows with the table, and so the cost of such scans would grow with its square.

use std::sync::Arc;

use incrowd_core::{Layout, QuasiIdentifier, ShardTree, Stage};
use rayon::prelude::*;

use super::classes::Noted;
use super::distinct_estimate::Sketch;
use super::lay_out::RowCodes;
use super::number_file::{NumberFile, NumberReader, put_words};
use super::row_order::RowOrder;
use crate::count::spill::Spills;
use crate::runtime::engine::Engine;
use crate::runtime::error::Result;
use crate::runtime::narrow::number32;
use crate::runtime::thread_pool::on_threads;

/// Bytes of codes that are read at once.
const READ: usize = 1 << 18;

/// The least and the most bytes of a block.
const BLOCK: (u64, u64) = (1 << 10, 1 << 18);

/// A table cut into shards, whose codes are on disk.
#[derive(Debug)]
pub struct Shards {
    pub(super) layout: Layout,
    pub(super) subject: bool,
    pub(super) spills: Arc<Spills>,
    pub(super) stretches: Vec<Stretch>,
    pub(super) order: Arc<RowOrder>,
    /// About how many distinct tuples each shard has.
    tuples: Vec<u64>,
    /// What was noted of the shards that are solved.
    pub(super) noted: Noted,
}

/// The rows of one stretch of the input.
#[derive(Debug)]
pub(super) struct Stretch {
    /// The codes of its rows, shard by shard in blocks, in each shard in the order of the rows.
    codes: NumberFile,
    /// For each shard where its blocks start, and their bytes.
    blocks: Vec<Vec<(u64, u32)>>,
    /// The shard of each row, in 16 bits.
    pub(super) which: NumberFile,
    pub(super) rows: u64,
}

impl RowCodes {
    /// The most shards there may be: a row's shard is noted in 16 bits.
    pub const MOST_SHARDS: usize = 1 << 16;

    /// Brings every row to its shard.
    ///
    /// # Panics
    /// If there are more shards than [`RowCodes::MOST_SHARDS`].
    pub fn route(&self, engine: &Engine, tree: &ShardTree, quasi: &[QuasiIdentifier]) -> Result<Shards> {
        let shards = tree.shards();
        assert!(shards <= Self::MOST_SHARDS, "a shard is noted in 16 bits");
        let most = engine.memory.map_or(BLOCK.1, |memory| memory / 16 / engine.threads as u64 / shards as u64);
        let block = most.clamp(BLOCK.0, BLOCK.1) as usize;
        let routed = on_threads(engine.threads, || {
            let routes = self.stretches.par_iter().map(|(file, rows)| {
                let mut route = Route::new(self, shards, block)?;
                route.run(engine, file, *rows, tree, quasi)?;
                route.finish()
            });
            routes.collect::<Result<Vec<(Stretch, Vec<Sketch>)>>>()
        })?;
        let mut sketches = vec![Sketch::default(); shards];
        let mut stretches = Vec::with_capacity(routed.len());
        for (stretch, met) in routed {
            sketches.iter_mut().zip(&met).for_each(|(sketch, met)| sketch.merge(met));
            stretches.push(stretch);
        }
        let tuples = sketches.iter().map(Sketch::estimate).collect();
        let noted = Noted::new(stretches.len(), shards, quasi.len(), &self.spills)?;
        let (layout, spills, order) = (self.layout.clone(), self.spills.clone(), self.order.clone());
        Ok(Shards { layout, subject: self.subject, spills, stretches, order, tuples, noted })
    }
}

/// One stretch on its way.
struct Route<'a> {
    codes: &'a RowCodes,
    file: NumberFile,
    blocks: Vec<Vec<(u64, u32)>>,
    which: NumberFile,
    waiting: Vec<Vec<u8>>,
    noted: Vec<u8>,
    sketches: Vec<Sketch>,
    rows: u64,
    block: usize,
}

impl<'a> Route<'a> {
    fn new(codes: &'a RowCodes, shards: usize, block: usize) -> Result<Self> {
        Ok(Route {
            codes,
            file: NumberFile::create(&codes.spills, "shards")?,
            blocks: vec![Vec::new(); shards],
            which: NumberFile::create(&codes.spills, "which")?,
            waiting: vec![Vec::new(); shards],
            noted: Vec::with_capacity(READ),
            sketches: vec![Sketch::default(); shards],
            rows: 0,
            block,
        })
    }

    fn run(
        &mut self,
        engine: &Engine,
        file: &NumberFile,
        rows: u64,
        tree: &ShardTree,
        quasi: &[QuasiIdentifier],
    ) -> Result<()> {
        let layout = &self.codes.layout;
        let words = layout.words();
        let fields: Vec<_> = quasi.iter().map(|quasi| (layout.fields()[quasi.column], &quasi.leaves[..])).collect();
        let (mut reader, mut keys) = (file.open()?, Vec::new());
        let at_once = (READ / 8 / words).max(1) as u64;
        while self.rows < rows {
            engine.check_cancelled()?;
            let count = at_once.min(rows - self.rows);
            reader.words(self.rows * words as u64 * 8, count as usize * words, &mut keys)?;
            for key in keys.chunks_exact(words) {
                let shard = tree.shard(|at| fields[at].1[fields[at].0.get(key) as usize]) as usize;
                self.sketches[shard].add(key);
                let number = u16::try_from(shard).expect("there are at most MOST_SHARDS of them");
                self.noted.extend(number.to_le_bytes());
                put_words(key, &mut self.waiting[shard]);
                if self.waiting[shard].len() >= self.block {
                    self.flush(shard)?;
                }
            }
            self.rows += count;
            self.which.append(&self.noted, &self.codes.spills)?;
            self.noted.clear();
            engine.progress.update(Stage::LayOut, self.rows, Some(rows));
        }
        Ok(())
    }

    fn flush(&mut self, shard: usize) -> Result<()> {
        let waiting = &mut self.waiting[shard];
        if !waiting.is_empty() {
            let start = self.file.append(waiting, &self.codes.spills)?;
            self.blocks[shard].push((start, number32(waiting.len())));
            waiting.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(Stretch, Vec<Sketch>)> {
        (0..self.waiting.len()).try_for_each(|shard| self.flush(shard))?;
        let Route { file, blocks, which, rows, sketches, .. } = self;
        Ok((Stretch { codes: file, blocks, which, rows }, sketches))
    }
}

impl Stretch {
    /// The rows of a shard in this stretch.
    pub(super) fn rows_in(&self, shard: usize, words: usize) -> u64 {
        self.blocks[shard].iter().map(|&(_, bytes)| u64::from(bytes)).sum::<u64>() / (8 * words as u64)
    }

    /// Tells the codes of a shard, block by block, in the order of the rows.
    pub(super) fn each(&self, shard: usize, mut tell: impl FnMut(&[u64]) -> Result<()>) -> Result<()> {
        let mut reader: NumberReader = self.codes.open()?;
        let mut words = Vec::new();
        for &(start, bytes) in &self.blocks[shard] {
            reader.words(start, bytes as usize / 8, &mut words)?;
            tell(&words)?;
        }
        Ok(())
    }
}

impl Shards {
    /// How many shards there are.
    pub fn count(&self) -> usize {
        self.tuples.len()
    }

    /// The rows of a shard.
    pub fn rows(&self, shard: usize) -> u64 {
        self.stretches.iter().map(|stretch| stretch.rows_in(shard, self.layout.words())).sum()
    }

    /// About how many distinct tuples a shard has.
    pub fn tuples(&self, shard: usize) -> u64 {
        self.tuples[shard]
    }
}
