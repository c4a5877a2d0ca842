//! What the classes of all shards publish, packed: a class is the numbers of its cells, each as wide as its column
//! needs.

use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;
use incrowd_core::{Cell, Layout, Recoding};

use super::number_file::NumberFile;
use crate::count::spill::Spills;
use crate::publish::publishing::ClassCells;
use crate::runtime::error::Result;
use crate::runtime::narrow::number32;

/// Bytes of cell numbers that are read at once.
const READ: usize = 1 << 18;

/// The classes of the rows of a stretch, shard by shard, and where each shard starts.
pub(super) type StretchClasses = (NumberFile, Vec<u64>);

/// What was noted of the shards that are solved: the classes of rows on disk, and what classes publish.
#[derive(Debug)]
pub(super) struct Noted {
    /// For each stretch of the input.
    pub(super) rows: Vec<StretchClasses>,
    /// The numbers of the cells of each class. How wide they are is known when all classes are there.
    numbers: NumberFile,
    columns: Vec<DistinctCells>,
    sizes: Vec<u64>,
    withheld: u64,
}

/// The distinct cells of one quasi-identifier.
#[derive(Debug, Default)]
pub(crate) struct DistinctCells {
    numbers: HashMap<u64, u32, RandomState>,
    pub(crate) cells: Vec<Cell>,
}

impl Noted {
    pub(super) fn new(stretches: usize, shards: usize, width: usize, spills: &Arc<Spills>) -> Result<Self> {
        let file = |_| Ok((NumberFile::create(spills, "classes")?, Vec::with_capacity(shards)));
        Ok(Noted {
            rows: (0..stretches).map(file).collect::<Result<_>>()?,
            numbers: NumberFile::create(spills, "cells")?,
            columns: (0..width).map(|_| DistinctCells::default()).collect(),
            sizes: Vec::new(),
            withheld: 0,
        })
    }

    /// How many classes were noted.
    pub(super) fn classes(&self) -> usize {
        self.sizes.len()
    }

    /// It is the turn of this shard.
    pub(super) fn begin(&mut self, shard: usize) {
        for (file, starts) in &mut self.rows {
            assert_eq!(starts.len(), shard, "shards are noted in their order");
            starts.push(file.bytes());
        }
    }

    /// The classes of the next rows of a shard in a stretch.
    pub(super) fn add(&mut self, stretch: usize, shard: usize, classes: &[u32], spills: &Spills) -> Result<()> {
        let (file, starts) = &mut self.rows[stretch];
        debug_assert_eq!(starts.len(), shard + 1);
        let bytes: Vec<u8> = classes.iter().flat_map(|class| class.to_le_bytes()).collect();
        file.append(&bytes, spills).map(|_| ())
    }

    /// This number of rows is suppressed.
    pub(super) fn withhold(&mut self, rows: u64) {
        self.withheld += rows;
    }

    /// What the classes of the next shard publish, and their rows.
    pub(super) fn publish(&mut self, recoding: &Recoding, rows: &[u64], spills: &Spills) -> Result<()> {
        let mut bytes = Vec::with_capacity(READ + 4 * self.columns.len());
        for class in 0..number32(recoding.classes()) {
            for (column, &cell) in self.columns.iter_mut().zip(recoding.cells(class)) {
                bytes.extend(column.number(cell).to_le_bytes());
            }
            if bytes.len() >= READ {
                self.numbers.append(&bytes, spills)?;
                bytes.clear();
            }
        }
        self.numbers.append(&bytes, spills)?;
        self.sizes.extend_from_slice(rows);
        Ok(())
    }

    /// Packs what the classes publish.
    pub(super) fn pack(self) -> Result<(PackedClasses, Vec<StretchClasses>, u64)> {
        let layout = Layout::new(self.columns.iter().map(|column| Layout::bits_for(column.cells.len())));
        let (words, width) = (layout.words(), self.columns.len());
        let mut keys = vec![0u64; self.sizes.len() * words];
        let mut reader = self.numbers.open()?;
        let at_once = (READ / 4 / width.max(1)).max(1);
        for (block, keys) in keys.chunks_mut(at_once * words).enumerate() {
            let classes = keys.len() / words;
            let bytes = reader.read((block * at_once * width * 4) as u64, classes * width * 4)?;
            for (key, numbers) in keys.chunks_exact_mut(words).zip(bytes.chunks_exact(4 * width.max(1))) {
                for (field, number) in layout.fields().iter().zip(numbers.chunks_exact(4)) {
                    let number = number.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
                    field.put(key, number);
                }
            }
        }
        let cells = self.columns.into_iter().map(|column| column.cells).collect();
        Ok((PackedClasses { layout, keys, cells, sizes: self.sizes }, self.rows, self.withheld))
    }
}

impl DistinctCells {
    /// The number of a cell.
    pub(crate) fn number(&mut self, cell: Cell) -> u32 {
        let next = number32(self.cells.len());
        let number = *self.numbers.entry(cell.bits()).or_insert(next);
        if number == next {
            self.cells.push(cell);
        }
        number
    }
}

/// What every class publishes.
#[derive(Debug)]
pub(crate) struct PackedClasses {
    layout: Layout,
    keys: Vec<u64>,
    /// The distinct cells of each quasi-identifier.
    cells: Vec<Vec<Cell>>,
    sizes: Vec<u64>,
}

impl ClassCells for PackedClasses {
    fn classes(&self) -> usize {
        self.sizes.len()
    }

    fn append(&self, class: u32, cells: &mut Vec<Cell>) {
        let key = self.key(class);
        let numbers = self.layout.fields().iter().map(|field| field.get(key) as usize);
        cells.extend(numbers.zip(&self.cells).map(|(number, cells)| cells[number]));
    }
}

impl PackedClasses {
    fn key(&self, class: u32) -> &[u64] {
        &self.keys[class as usize * self.layout.words()..][..self.layout.words()]
    }

    /// The distinct cells of a quasi-identifier.
    pub(crate) fn cells_of(&self, quasi: usize) -> &[Cell] {
        &self.cells[quasi]
    }

    /// The rows of each class as a reader sees them: classes of two shards that publish alike are one.
    pub(crate) fn published_sizes(&self) -> Vec<u64> {
        let mut order: Vec<u32> = (0..number32(self.sizes.len())).collect();
        order.sort_unstable_by(|&a, &b| self.key(a).cmp(self.key(b)));
        let alike = order.chunk_by(|&a, &b| self.key(a) == self.key(b));
        alike.map(|alike| alike.iter().map(|&class| self.sizes[class as usize]).sum()).collect()
    }

    /// The bytes it holds.
    pub(crate) fn bytes(&self) -> u64 {
        let cells: usize = self.cells.iter().map(Vec::len).sum();
        ((self.keys.len() + self.sizes.len() + cells) * 8) as u64
    }
}
