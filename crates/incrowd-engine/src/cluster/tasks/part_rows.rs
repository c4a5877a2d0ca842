//! The rows of a part of the release: those that all stretches have for it, with their classes.

use std::ops::Range;
use std::sync::Arc;

use ahash::RandomState;
use arrow::array::types::{UInt32Type, UInt64Type};
use arrow::array::{ArrayRef, AsArray, UInt32Array};
use arrow::record_batch::RecordBatch;
use hashbrown::HashMap;
use incrowd_core::Recoding;

use super::folder::{TaskFolder, of_task};
use super::labels::MetClasses;
use super::recode::{self, RecodePlan};
use super::shared_folder::SharedFolder;
use super::write::WritePlan;
use crate::publish::staging::misfit;
use crate::runtime::error::Result;

/// The file of the classes that rows of a part drew.
pub(super) fn drawn_file(part: usize) -> String {
    of_task("drawn", part)
}

/// Reads the rows of parts from what all stretches have for them.
pub(super) struct PartReader {
    folder: Arc<SharedFolder>,
    stretches: usize,
    classes: u32,
    drawn: bool,
    /// The first part.
    pub(super) first: usize,
    /// How many numbers of labels rows carry, and the classes that they make.
    pub(super) met: Option<(usize, MetClasses)>,
}

impl PartReader {
    pub(super) fn new(
        folder: TaskFolder<'_>,
        plan: &RecodePlan,
        how: &WritePlan,
        parts: Range<usize>,
    ) -> Result<PartReader> {
        let (stretches, classes, drawn, first) = (plan.first.len(), plan.classes, how.drawn, parts.start);
        let reader = PartReader { folder: folder.0.clone(), stretches, classes, drawn, first, met: None };
        let Some(width) = how.numbered else { return Ok(reader) };
        let mut met = MetClasses::default();
        for part in parts {
            for batch in reader.read(part)? {
                for_each_numbered(&batch, width, |_, numbers| {
                    met.class(numbers);
                });
            }
        }
        Ok(PartReader { met: Some((width, met)), ..reader })
    }

    fn read(&self, part: usize) -> Result<Vec<RecordBatch>> {
        let (folder, mut rows) = (self.folder.folder(), Vec::new());
        for stretch in 0..self.stretches {
            rows.extend(recode::read_rows(folder, stretch, part)?);
        }
        Ok(rows)
    }

    pub(super) fn rows(&self, part: usize) -> Result<Vec<RecordBatch>> {
        let (folder, rows) = (self.folder.folder(), self.read(part)?);
        if let Some((width, met)) = &self.met {
            return rows.iter().map(|batch| with_classes(batch, *width, met)).collect();
        }
        if !self.drawn {
            return Ok(rows);
        }
        let drawn = drawn(folder, part)?;
        rows.iter().map(|batch| with_drawn_classes(batch, self.classes, &drawn)).collect()
    }
}

/// Visits the numbers of labels that the rows of a batch carry in its last columns.
fn for_each_numbered(batch: &RecordBatch, width: usize, mut visit: impl FnMut(usize, &[u32])) {
    let columns = &batch.columns()[batch.num_columns().saturating_sub(width)..];
    let columns: Vec<&[u32]> = columns.iter().map(|column| &**column.as_primitive::<UInt32Type>().values()).collect();
    let mut numbers = vec![0; columns.len()];
    for row in 0..batch.num_rows() {
        numbers.iter_mut().zip(&columns).for_each(|(number, column)| *number = column[row]);
        visit(row, &numbers);
    }
}

/// Rows with their classes in place of the numbers of their labels.
fn with_classes(batch: &RecordBatch, width: usize, met: &MetClasses) -> Result<RecordBatch> {
    let (_, _, seats) = own_columns(batch);
    let mut classes = Vec::with_capacity(batch.num_rows());
    for_each_numbered(batch, width, |row, numbers| {
        classes.push(if seats[row] == Recoding::WITHHELD { Some(Recoding::WITHHELD) } else { met.met(numbers) });
    });
    let classes = classes.into_iter().collect::<Option<Vec<u32>>>().ok_or_else(misfit)?;
    let own: Vec<usize> = (0..batch.num_columns() - width).collect();
    let rows = batch.project(&own).map_err(|_| misfit())?;
    with_seats(&rows, classes)
}

/// Rows with other seats.
fn with_seats(batch: &RecordBatch, seats: Vec<u32>) -> Result<RecordBatch> {
    let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
    columns[2] = Arc::new(UInt32Array::from(seats));
    RecordBatch::try_new(batch.schema(), columns).map_err(|_| misfit())
}

/// The classes that rows of a part drew, by their places.
type DrawnClasses = HashMap<(u64, u64), u32, RandomState>;

fn drawn(folder: TaskFolder<'_>, part: usize) -> Result<DrawnClasses> {
    let (name, mut classes) = (drawn_file(part), DrawnClasses::default());
    for row in folder.words(&name)?.as_chunks::<3>().0 {
        let class = u32::try_from(row[2]).map_err(|_| folder.damaged(&name))?;
        classes.insert((row[0], row[1]), class);
    }
    Ok(classes)
}

/// Where waiting rows go, what their class is drawn by, and their seats.
pub(super) fn own_columns(batch: &RecordBatch) -> (&[u64], &[u64], &[u32]) {
    let [order, draw] = [0, 1].map(|at| &**batch.column(at).as_primitive::<UInt64Type>().values());
    (order, draw, batch.column(2).as_primitive::<UInt32Type>().values())
}

/// Rows with the classes that they drew.
fn with_drawn_classes(batch: &RecordBatch, classes: u32, drawn: &DrawnClasses) -> Result<RecordBatch> {
    let (order, draw, seats) = own_columns(batch);
    let class = |((&order, &draw), &seat): ((&u64, &u64), &u32)| match seat {
        told if told < classes || told == Recoding::WITHHELD => Ok(told),
        _ => drawn.get(&(order, draw)).copied().ok_or_else(misfit),
    };
    with_seats(batch, order.iter().zip(draw).zip(seats).map(class).collect::<Result<_>>()?)
}
