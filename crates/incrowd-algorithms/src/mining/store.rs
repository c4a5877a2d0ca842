//! Mined records, held in little memory.
//!
//! A support is a list of point numbers, ascending; it is held as the differences of neighbours, seven bits to a byte.
//! Points are sorted, so most differences take one byte. Supports that do not fit the caller's limit are not held: they
//! are found again among the points, by the record's cells.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::points::DistinctPoints;
use super::tree::CellTree;
use super::walk::RecordVisitor;

/// Records in the order in which they were met: for each its cells by number, its rows, and where its support begins.
pub(super) struct RecordStore<'a> {
    width: usize,
    pub(super) cells: Vec<u32>,
    pub(super) rows: Vec<u64>,
    starts: Vec<usize>,
    bytes: Vec<u8>,
    /// How many more bytes may be held, by all parts together.
    left: &'a AtomicUsize,
}

/// The same when no more records come.
pub(super) struct StoredRecords {
    pub(super) cells: Vec<u32>,
    pub(super) rows: Vec<u64>,
    starts: Vec<usize>,
    bytes: Vec<u8>,
}

impl<'a> RecordStore<'a> {
    pub(super) fn new(width: usize, left: &'a AtomicUsize) -> Self {
        RecordStore { width, cells: vec![], rows: vec![], starts: vec![0], bytes: vec![], left }
    }

    pub(super) fn finish(self) -> StoredRecords {
        StoredRecords { cells: self.cells, rows: self.rows, starts: self.starts, bytes: self.bytes }
    }
}

impl RecordVisitor for RecordStore<'_> {
    fn record(&mut self, cells: &[u32], rows: u64, points: &[u32]) {
        self.cells.extend_from_slice(cells);
        self.rows.push(rows);
        let before = self.bytes.len();
        let mut last = 0;
        for &point in points {
            let mut step = point - last;
            last = point;
            while step >= 0x80 {
                self.bytes.push((step & 0x7f) as u8 | 0x80);
                step >>= 7;
            }
            self.bytes.push((step & 0x7f) as u8);
        }
        let more = self.bytes.len() - before;
        // Which supports still fit may depend on the threads; what a record holds does not.
        let fits = |left: usize| left.checked_sub(more);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_err() {
            self.bytes.truncate(before);
        }
        self.starts.push(self.bytes.len());
    }

    fn part(&self) -> Self {
        RecordStore::new(self.width, self.left)
    }

    fn join(&mut self, later: Self) {
        let before = self.bytes.len();
        self.cells.extend(later.cells);
        self.rows.extend(later.rows);
        self.bytes.extend(later.bytes);
        self.starts.extend(later.starts[1..].iter().map(|start| before + start));
    }
}

impl StoredRecords {
    /// Hands out the points of a record, ascending.
    #[inline]
    pub(super) fn for_each_point(
        &self,
        record: usize,
        points: &DistinctPoints,
        trees: &[CellTree],
        mut each: impl FnMut(u32),
    ) {
        let bytes = &self.bytes[self.starts[record]..self.starts[record + 1]];
        if bytes.is_empty() {
            let cells = &self.cells[record * trees.len()..][..trees.len()];
            let holds = |point: &u32| {
                let leaf = |quasi: usize| points.leaves(quasi)[*point as usize];
                (0..).zip(trees).zip(cells).all(|((quasi, tree), &cell)| tree.holds(cell, leaf(quasi)))
            };
            return points.numbers().filter(holds).for_each(each);
        }
        let (mut point, mut step, mut shift) = (0, 0, 0);
        for &byte in bytes {
            step |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                point += step;
                each(point);
                (step, shift) = (0, 0);
            }
        }
    }

    /// Whether no support was left out.
    pub(super) fn holds_supports(&self) -> bool {
        self.starts.windows(2).all(|ends| ends[0] < ends[1])
    }

    /// The bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len() + self.cells.len() * 4 + self.rows.len() * 16
    }
}
