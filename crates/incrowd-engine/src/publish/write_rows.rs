//! Bucket by bucket, in order: rows get their class and are written.
//!
//! A wave of buckets is sorted on all threads. Classes are then drawn for rows in the order of the release, one after
//! the other, since what is left for a row depends on those before it. Rows are cut into blocks, which are encoded on
//! all threads and appended in order. Where blocks end depends on the rows alone, so that the same rows give the same
//! bytes whatever the buckets were.

use std::sync::Arc;

use arrow::array::types::{UInt32Type, UInt64Type};
use arrow::array::{Array, ArrayRef, AsArray, UInt32Array, new_empty_array};
use arrow::compute::interleave;
use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use incrowd_core::{Cell, Recoding, Stage};
use rayon::prelude::*;

use super::kept_cells::KeptColumn;
use super::labels::LabelTexts;
use super::publishing::ClassCells;
use super::recipe::PublishedColumn;
use super::release_file::{Encoded, Encoding, PublishedCells, ReleaseFile};
use super::row_assignment::ClassDraws;
use super::second_table::Second;
use super::staging::{OWN_COLUMNS, RowStaging, Staged, misfit};
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::number32;

/// The most bytes of kept text in a block, unless one row has more.
const BLOCK_BYTES: usize = 8 << 20;

/// This many rows are handed on to a second table at once.
const HANDED_ON: usize = 1 << 15;

/// A row of a bucket.
struct Row {
    /// What it is sorted by; then, so that no two are alike, what its class is drawn by.
    bits: u128,
    /// A class, or the number of a tuple that is split.
    seat: u32,
    segment: u32,
    index: u32,
    /// The bytes of its kept texts.
    bytes: u32,
}

/// A row that has its class.
struct Placed {
    class: u32,
    segment: u32,
    index: u32,
    bytes: u32,
}

/// Rows in the order of the release, and the cells they bring.
#[derive(Default)]
struct Wave {
    rows: Vec<Placed>,
    segments: Vec<Vec<ArrayRef>>,
}

/// The writing of one table of a release.
pub(crate) struct Writing<'a> {
    pub(crate) engine: &'a Engine,
    /// What each class publishes, and how it is written.
    pub(crate) cells: &'a dyn ClassCells,
    pub(crate) labels: &'a dyn LabelTexts,
    /// Its columns.
    pub(crate) columns: &'a [PublishedColumn],
    /// The kept cells that wait with its rows: those of its own columns first, in their order.
    pub(crate) kept: &'a [KeptColumn],
    /// What each class is called.
    pub(crate) class_ids: &'a [u32],
    pub(crate) encoding: Encoding,
    /// The most bytes that the labels of a row take, where these are long.
    pub(crate) label_bytes: usize,
    /// How many blocks are encoded at once.
    pub(crate) at_once: usize,
    /// Rows that are going to be written.
    pub(crate) total: u64,
}

impl Writing<'_> {
    /// Writes all rows, and hands what belongs to a second table on; returns how many were suppressed.
    pub(crate) fn run(
        &self,
        staging: &RowStaging,
        mut staged: Vec<Staged>,
        mut draws: ClassDraws,
        mut second: Option<&mut Second>,
        file: &mut ReleaseFile,
    ) -> Result<u64> {
        let mut withheld = 0;
        let mut wave = Wave::default();
        let buckets: Vec<usize> = (0..staging.buckets()).collect();
        for buckets in buckets.chunks(staging.at_once()) {
            self.engine.check_cancelled()?;
            let held: Vec<(usize, Vec<RecordBatch>)> = buckets
                .iter()
                .map(|&bucket| (bucket, staged.iter_mut().flat_map(|thread| thread.take(bucket)).collect()))
                .collect();
            let sorted = held.into_par_iter().map(|(bucket, mut batches)| {
                for thread in &staged {
                    batches.extend(thread.read(bucket)?);
                }
                Ok((self.sort(&batches), batches))
            });
            let placed = wave.rows.len();
            for (rows, batches) in sorted.collect::<Result<Vec<_>>>()? {
                let first = number32(wave.segments.len());
                for Row { bits, seat, segment, index, bytes } in rows {
                    match draws.class(seat, bits as u64).ok_or_else(misfit)? {
                        Recoding::WITHHELD => withheld += 1,
                        class => wave.rows.push(Placed { class, segment: first + segment, index, bytes }),
                    }
                }
                wave.segments.extend(batches.iter().map(|batch| batch.columns()[OWN_COLUMNS..].to_vec()));
            }
            if let Some(second) = &mut second {
                self.hand_on(&wave, &wave.rows[placed..], second)?;
            }
            wave = self.write(&wave, false, file)?;
        }
        self.write(&wave, true, file)?;
        Ok(withheld)
    }

    /// Gives rows that have just been placed to the second table.
    fn hand_on(&self, wave: &Wave, rows: &[Placed], second: &mut Second) -> Result<()> {
        for rows in rows.chunks(HANDED_ON) {
            let classes: Vec<u32> = rows.iter().map(|row| row.class).collect();
            let cells = second.columns().map(|column| self.gather(wave, rows, column)).collect::<Result<_>>()?;
            second.add(&classes, cells)?;
        }
        Ok(())
    }

    /// The rows of a bucket in the order of the release.
    fn sort(&self, batches: &[RecordBatch]) -> Vec<Row> {
        let texts: Vec<usize> =
            (0..self.kept.len()).filter(|&at| *self.kept[at].data_type() == DataType::Utf8).collect();
        let mut rows: Vec<Row> = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
        for (segment, batch) in (0..).zip(batches) {
            let [order, draw] = [0, 1].map(|column| batch.column(column).as_primitive::<UInt64Type>().values());
            let seats = batch.column(2).as_primitive::<UInt32Type>().values();
            let first = rows.len();
            rows.extend((0..).zip(order.iter().zip(draw).zip(seats)).map(|(index, ((&order, &draw), &seat))| Row {
                bits: u128::from(order) << 64 | u128::from(draw),
                seat,
                segment,
                index,
                bytes: 0,
            }));
            for &at in &texts {
                let lengths = batch.column(OWN_COLUMNS + at).as_string::<i32>().offsets().lengths();
                rows[first..].iter_mut().zip(lengths).for_each(|(row, length)| row.bytes += length as u32);
            }
        }
        rows.sort_unstable_by_key(|row| row.bits);
        rows
    }

    /// Writes the full blocks of a wave, or all of it; returns the rest.
    fn write(&self, wave: &Wave, all: bool, file: &mut ReleaseFile) -> Result<Wave> {
        let (mut blocks, mut start) = (Vec::new(), 0);
        for end in ends(&wave.rows, self.encoding.block_rows(), self.label_bytes) {
            blocks.push(&wave.rows[start..end]);
            start = end;
        }
        let mut rest = &wave.rows[start..];
        if all && !rest.is_empty() {
            blocks.push(std::mem::take(&mut rest));
        }
        let encode = |rows: &&[Placed]| Ok((self.encoding.encode(self.cells(wave, rows)?, rows.len())?, rows.len()));
        let mut ready: Vec<(Encoded, usize)> = Vec::new();
        for blocks in blocks.chunks(self.at_once) {
            self.engine.check_cancelled()?;
            // While some blocks are written the next are encoded.
            let (written, encoded) = rayon::join(
                || self.append(file, std::mem::take(&mut ready)),
                || blocks.par_iter().map(encode).collect::<Result<Vec<_>>>(),
            );
            written?;
            ready = encoded?;
        }
        self.append(file, ready)?;
        // What is left is copied: a few rows must not keep the buckets they came from.
        let segment = (0..self.kept.len()).map(|column| self.gather(wave, rest, column)).collect::<Result<_>>()?;
        let moved = |(index, row): (u32, &Placed)| Placed { segment: 0, index, ..*row };
        Ok(Wave { rows: (0..).zip(rest).map(moved).collect(), segments: vec![segment] })
    }

    fn append(&self, file: &mut ReleaseFile, blocks: Vec<(Encoded, usize)>) -> Result<()> {
        for (encoded, rows) in blocks {
            let written = file.append(encoded, rows as u64)?;
            self.engine.progress.update(Stage::Write, written, Some(self.total));
        }
        Ok::<(), EngineError>(())
    }

    /// The cells of every published column in these rows.
    fn cells<'s>(&'s self, wave: &Wave, rows: &[Placed]) -> Result<Vec<PublishedCells<'s>>> {
        let width = self.labels.columns();
        // A class is looked up once for all columns: where its cells stand is far from those of the class before.
        let mut cells: Vec<Cell> = Vec::with_capacity(rows.len() * width);
        rows.iter().for_each(|row| self.cells.append(row.class, &mut cells));
        let kept_before = |column: usize| {
            self.columns[..column].iter().filter(|column| matches!(column, PublishedColumn::Kept { .. })).count()
        };
        let cells = self.columns.par_iter().enumerate().map(|(at, column)| match column {
            PublishedColumn::Recoded { quasi_identifier, .. } => {
                let mut cells = cells.iter().skip(*quasi_identifier).step_by(width).copied();
                Ok(PublishedCells::Labels(self.labels.of_cells(*quasi_identifier, &mut cells)))
            }
            PublishedColumn::Kept { .. } => self.gather(wave, rows, kept_before(at)).map(PublishedCells::Kept),
            PublishedColumn::ClassId { .. } => {
                let ids = rows.iter().map(|row| self.class_ids[row.class as usize]);
                Ok(PublishedCells::Kept(Arc::new(UInt32Array::from_iter_values(ids))))
            }
        });
        cells.collect()
    }

    /// One kept column of some rows, copied into an array of their own.
    fn gather(&self, wave: &Wave, rows: &[Placed], column: usize) -> Result<ArrayRef> {
        if rows.is_empty() {
            return Ok(new_empty_array(self.kept[column].data_type()));
        }
        let arrays: Vec<&dyn Array> = wave.segments.iter().map(|segment| segment[column].as_ref()).collect();
        let places: Vec<(usize, usize)> = rows.iter().map(|row| (row.segment as usize, row.index as usize)).collect();
        interleave(&arrays, &places).map_err(|_| misfit())
    }
}

/// Where full blocks of at most this many rows end.
fn ends(rows: &[Placed], most: usize, label_bytes: usize) -> Vec<usize> {
    let (mut ends, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (at, row) in rows.iter().enumerate() {
        let more = row.bytes as usize + label_bytes;
        if at > start && (at - start == most || bytes + more > BLOCK_BYTES) {
            ends.push(at);
            (start, bytes) = (at, 0);
        }
        bytes += more;
    }
    ends
}
