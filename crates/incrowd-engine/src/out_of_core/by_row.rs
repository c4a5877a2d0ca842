//! The class of every row, read in the order of the rows.
//!
//! For each row the number of its shard is read, and from that shard the next class. Every stretch of the input has its
//! own files, so that the threads of a scan read side by side.

use std::sync::Arc;

use incrowd_core::Cell;

use super::classes::{Noted, PackedClasses};
use super::number_file::{NumberFile, NumberReader};
use super::route::Stretch;
use super::row_order::RowOrder;
use crate::count::spill::Spills;
use crate::publish::publishing::ClassCells;
use crate::runtime::engine::Engine;
use crate::runtime::error::Result;

/// Rows whose shards are read at once.
const ROWS: u64 = 1 << 14;

/// Bytes of classes that are read at once, of all shards and on all threads.
const BYTES: u64 = 64 << 20;

/// The least and the most classes of a shard that are read at once.
const CLASSES: (u64, u64) = (1 << 8, 1 << 14);

/// The classes of all rows: what each publishes in memory, whose they are on disk.
#[derive(Debug)]
pub struct ByRow {
    stretches: Vec<AssignedStretch>,
    rows: Vec<u64>,
    order: Arc<RowOrder>,
    shards: usize,
    classes: PackedClasses,
    /// The rows of the classes as a reader sees them.
    sizes: Vec<u64>,
    withheld: u64,
    spills: Arc<Spills>,
}

#[derive(Debug)]
struct AssignedStretch {
    which: NumberFile,
    classes: NumberFile,
    starts: Vec<u64>,
}

impl ByRow {
    pub(super) fn new(
        stretches: Vec<Stretch>,
        order: Arc<RowOrder>,
        noted: Noted,
        spills: &Arc<Spills>,
    ) -> Result<Self> {
        let (classes, files, withheld) = noted.pack()?;
        let rows = stretches.iter().map(|stretch| stretch.rows).collect();
        let shards = files.first().map_or(0, |(_, starts)| starts.len());
        let seated = |(stretch, (classes, starts)): (Stretch, (NumberFile, Vec<u64>))| AssignedStretch {
            which: stretch.which,
            classes,
            starts,
        };
        let stretches = stretches.into_iter().zip(files).map(seated).collect();
        let sizes = classes.published_sizes();
        Ok(ByRow { stretches, rows, order, shards, classes, sizes, withheld, spills: spills.clone() })
    }

    /// Rows of the table.
    pub fn rows(&self) -> u64 {
        self.rows.iter().sum()
    }

    /// Rows that are suppressed.
    pub fn withheld(&self) -> u64 {
        self.withheld
    }

    /// The rows of each class as a reader of the release sees them.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Whether classes of different shards publish alike, and are one to a reader.
    pub fn has_merged(&self) -> bool {
        self.sizes.len() < self.classes.classes()
    }

    /// The distinct cells that are published of a quasi-identifier.
    pub fn cells_of(&self, quasi: usize) -> &[Cell] {
        self.classes.cells_of(quasi)
    }

    /// Bytes that were written to the disk for this table.
    pub fn spilled_bytes(&self) -> u64 {
        self.spills.bytes()
    }

    pub(crate) fn classes(&self) -> &PackedClasses {
        &self.classes
    }

    pub(crate) fn stretches(&self) -> &[u64] {
        &self.rows
    }

    /// The rows to which the classes belong, in their order.
    pub(crate) fn order(&self) -> &RowOrder {
        &self.order
    }

    /// The bytes that are held while rows are read.
    pub(crate) fn bytes(&self, engine: &Engine) -> u64 {
        let readers = self.shards as u64 * engine.threads as u64 * self.at_once(engine) * 8;
        self.classes.bytes() + self.sizes.len() as u64 * 8 + readers
    }

    /// How many classes of a shard are read at once, so that those of all shards take little.
    fn at_once(&self, engine: &Engine) -> u64 {
        let bytes = engine.memory.map_or(BYTES, |memory| BYTES.min(memory / 32));
        (bytes / 4 / (self.shards.max(1) as u64 * engine.threads as u64)).clamp(CLASSES.0, CLASSES.1)
    }

    /// Reads the classes of the rows of one stretch.
    pub(crate) fn read(&self, engine: &Engine, stretch: usize) -> Result<RowClassReader> {
        let AssignedStretch { which, classes, starts } = &self.stretches[stretch];
        let ends = starts.iter().skip(1).copied().chain([classes.bytes()]);
        let shard = |(&next, end): (&u64, u64)| Shard { next, end, classes: Vec::new(), at: 0 };
        Ok(RowClassReader {
            files: Some((which.open()?, classes.open()?)),
            row: 0,
            rows: self.rows[stretch],
            shards: starts.iter().zip(ends).map(shard).collect(),
            which: Vec::new(),
            at: 0,
            at_once: self.at_once(engine),
        })
    }
}

/// Reads the classes of consecutive rows. By default of none.
#[derive(Debug, Default)]
pub(crate) struct RowClassReader {
    files: Option<(NumberReader, NumberReader)>,
    row: u64,
    rows: u64,
    shards: Vec<Shard>,
    /// The shards of the next rows.
    which: Vec<u16>,
    at: usize,
    at_once: u64,
}

/// Where the next classes of a shard stand.
#[derive(Debug)]
struct Shard {
    next: u64,
    end: u64,
    classes: Vec<u32>,
    at: usize,
}

impl RowClassReader {
    /// Appends the classes of the next rows; fewer when there are no more.
    pub(crate) fn next(&mut self, count: usize, classes: &mut Vec<u32>) -> Result<()> {
        let Some((which, numbers)) = &mut self.files else { return Ok(()) };
        for _ in 0..count {
            if self.at == self.which.len() {
                let more = ROWS.min(self.rows - self.row);
                if more == 0 {
                    return Ok(());
                }
                let bytes = which.read(self.row * 2, more as usize * 2)?;
                self.which.clear();
                self.which.extend(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])));
                (self.row, self.at) = (self.row + more, 0);
            }
            let shard = &mut self.shards[usize::from(self.which[self.at])];
            self.at += 1;
            if shard.at == shard.classes.len() {
                let more = (self.at_once * 4).min(shard.end - shard.next);
                if more == 0 {
                    return Ok(());
                }
                let bytes = numbers.read(shard.next, more as usize)?;
                shard.classes.clear();
                shard
                    .classes
                    .extend(bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])));
                (shard.next, shard.at) = (shard.next + more, 0);
            }
            classes.push(shard.classes[shard.at]);
            shard.at += 1;
        }
        Ok(())
    }
}
