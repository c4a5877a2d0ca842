//! The second scan: the packed codes of every row, in the order of the rows.
//!
//! Some rows are drawn by a hash of their numbers, to find the shards, and the number of distinct tuples is estimated
//! (`distinct_estimate.rs`).

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use incrowd_core::{FrequencyTable, Layout, Stage};

use super::distinct_estimate::{Sketch, mixed};
use super::entries::entries;
use super::number_file::{NumberFile, put_words};
use super::row_order::{RowHash, RowOrder};
use crate::count::codebook::OpenCodebook;
use crate::count::outgrown::Outgrown;
use crate::count::packer::Packer;
use crate::count::scan::scan;
use crate::count::spill::Spills;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::capacity;
use crate::runtime::thread_pool::on_threads;
use crate::source::table::Source;

/// Bytes that are written at once.
const WRITTEN: usize = 1 << 18;

/// The codes of every row, and some rows that stand for all.
#[derive(Debug)]
pub struct RowCodes {
    pub(super) layout: Layout,
    pub(super) subject: bool,
    /// One file for each stretch of the input, with its rows.
    pub(super) stretches: Vec<(NumberFile, u64)>,
    pub(super) spills: Arc<Spills>,
    pub(super) order: Arc<RowOrder>,
    drawn: DrawnRows,
    tuples: u64,
}

/// One partition's reader.
struct LayOutReader {
    packer: Packer,
    file: NumberFile,
    bytes: Vec<u8>,
    sketch: Sketch,
    hash: RowHash,
    drawn: Vec<u64>,
    /// The number of the next row, and those read.
    row: u64,
    rows: u64,
}

/// What the threads of the scan share.
struct LayOutPlan {
    codebook: OpenCodebook,
    layout: Layout,
    spills: Arc<Spills>,
    /// Rows whose hash is below are drawn.
    below: u64,
    seed: u64,
}

impl Source {
    /// Reads the rows again and writes their codes to the disk, in the run's private folder. About this many rows are
    /// drawn; which ones depends on the seed and on their numbers only.
    pub fn lay_out(&self, engine: &Engine, outgrown: &Outgrown, draw: u64, seed: u64) -> Result<RowCodes> {
        let codebook = &outgrown.codebook;
        let read: Vec<String> = codebook.names().cloned().collect();
        let order = RowOrder::new(read.clone());
        let changed = || EngineError::Changed(self.name().into());
        let stretches = codebook.stretches(engine.threads).ok_or_else(changed)?.to_vec();
        let spills = Arc::new(Spills::new(engine.folder.path()));
        let reading = Arc::new(LayOutPlan {
            codebook: codebook.open(self, &outgrown.attributes)?,
            layout: outgrown.layout(),
            spills: spills.clone(),
            below: drawn_below(draw, outgrown.rows),
            seed,
        });
        let files = stretches.iter().map(|_| NumberFile::create(&spills, "codes")).collect::<Result<Vec<_>>>()?;
        let files: Vec<_> = files.into_iter().map(|file| std::sync::Mutex::new(Some(file))).collect();
        let taken = |partition: usize| files.get(partition).and_then(|file| file.lock().ok()?.take());
        let start = |partition: usize| {
            taken(partition).map(|file| LayOutReader {
                packer: Packer::new(&reading.codebook),
                file,
                bytes: Vec::with_capacity(WRITTEN),
                sketch: Sketch::default(),
                hash: order.begin(),
                drawn: Vec::new(),
                row: stretches.iter().take(partition).sum(),
                rows: 0,
            })
        };
        let shared = reading.clone();
        let step = move |reader: &mut Option<LayOutReader>, batch: &RecordBatch| {
            reader.as_mut().ok_or_else(|| shared.codebook.changed())?.step(&shared, batch)
        };
        let readers = scan(engine, self, &read, Stage::LayOut, None, start, step)?;
        let (mut sketch, mut drawn, mut written) = (Sketch::default(), Vec::new(), Vec::new());
        let order = Arc::new(order.clone().of(readers.iter().flatten().map(|reader| reader.hash.finish()).collect()));
        for mut reader in readers.into_iter().flatten() {
            reader.file.append(&reader.bytes, &spills)?;
            sketch.merge(&reader.sketch);
            drawn.append(&mut reader.drawn);
            written.push((reader.file, reader.rows));
        }
        if !written.iter().map(|(_, rows)| *rows).eq(stretches) {
            return Err(changed());
        }
        let (subject, tuples) = (codebook.has_subject(), sketch.estimate());
        let drawn = DrawnRows { words: outgrown.words(), subject, keys: drawn };
        Ok(RowCodes { layout: outgrown.layout(), subject, stretches: written, spills, order, drawn, tuples })
    }
}

/// A sample of rows.
#[derive(Debug)]
pub(crate) struct DrawnRows {
    /// The words of a key.
    pub(crate) words: usize,
    pub(crate) subject: bool,
    pub(crate) keys: Vec<u64>,
}

impl DrawnRows {
    /// How many there are.
    pub(crate) fn rows(&self) -> u64 {
        (self.keys.len() / self.words) as u64
    }

    /// The rows as a table of these columns, which are given away.
    pub(crate) fn table(&self, engine: &Engine, columns: FrequencyTable) -> FrequencyTable {
        let mut counting = entries(self.words, capacity(self.rows()));
        on_threads(engine.threads, || {
            counting.add(&self.keys);
            counting.finish(columns.into_attributes(), self.subject)
        })
    }
}

/// Rows whose hash is not above are drawn: about this many of all.
pub(crate) fn drawn_below(draw: u64, rows: u64) -> u64 {
    let share = draw as f64 / rows.max(1) as f64;
    if share >= 1.0 { u64::MAX } else { (share * u64::MAX as f64) as u64 }
}

/// Whether the row with this number is drawn.
pub(crate) fn is_drawn(row: u64, seed: u64, below: u64) -> bool {
    mixed(mixed(row) ^ seed) <= below
}

impl LayOutReader {
    fn step(&mut self, reading: &LayOutPlan, batch: &RecordBatch) -> Result<()> {
        let words = reading.layout.words();
        self.hash.add(&batch.columns().iter().collect::<Vec<_>>())?;
        let keys = self.packer.pack(&reading.codebook, reading.layout.fields(), words, batch)?;
        for key in keys.chunks_exact(words) {
            self.sketch.add(key);
            if is_drawn(self.row, reading.seed, reading.below) {
                self.drawn.extend_from_slice(key);
            }
            self.row += 1;
        }
        self.rows += batch.num_rows() as u64;
        put_words(keys, &mut self.bytes);
        if self.bytes.len() >= WRITTEN {
            self.file.append(&self.bytes, &reading.spills)?;
            self.bytes.clear();
        }
        Ok(())
    }
}

impl RowCodes {
    /// About how many distinct tuples there are.
    pub fn tuples(&self) -> u64 {
        self.tuples
    }

    /// How many rows were drawn.
    pub fn drawn_rows(&self) -> u64 {
        self.drawn.rows()
    }

    /// The rows that were drawn, as a table of these columns, which are given away.
    pub fn drawn(&self, engine: &Engine, columns: FrequencyTable) -> FrequencyTable {
        self.drawn.table(engine, columns)
    }

    /// Bytes that were written so far for this table.
    pub fn spilled_bytes(&self) -> u64 {
        self.spills.bytes()
    }
}
