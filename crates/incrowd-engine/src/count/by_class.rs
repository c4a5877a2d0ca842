//! The rows of a table as codes, row by row: of one that is joined to another by class ids, or for callers that need
//! the order.
//!
//! Almost every row of such a table is a tuple of its own once its class is part of it, so there is nothing to add up.
//! Rows are kept as they come: four bytes for the class and for each column. Class ids are numbers from 1 on and are
//! taken unchanged, without a dictionary.

use arrow::array::AsArray;
use arrow::array::types::Int64Type;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use incrowd_core::{Dictionary, Stage};
use rayon::prelude::*;

use crate::count::dictionaries::Dictionaries;
use crate::count::encode::ColumnEncoder;
use crate::count::scan::scan;
use crate::runtime::engine::{Engine, TUPLE_SHARE, share};
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::capacity;
use crate::runtime::thread_pool::on_threads;
use crate::source::table::Source;

/// What stands for a class id that is none.
const NO_CLASS: u32 = u32::MAX;

/// Rows as codes, with their classes.
#[derive(Clone, Debug)]
pub struct RowsByClass {
    /// The class of each row: its id less 1; nothing when no class was requested.
    pub classes: Vec<u32>,
    /// One more than the largest of them.
    pub most_classes: usize,
    /// The values of each column.
    pub dictionaries: Vec<Dictionary>,
    /// For each column the code of each row.
    pub codes: Vec<Vec<u32>>,
}

/// One partition's reader.
struct RowReader {
    encoders: Vec<ColumnEncoder>,
    classes: Vec<u32>,
    codes: Vec<Vec<u32>>,
    batch: Vec<u32>,
}

impl Source {
    /// Reads these columns row by row, in the order of the table.
    pub fn rows_in_order(&self, engine: &Engine, columns: &[String]) -> Result<RowsByClass> {
        self.rows(engine, None, columns, None)
    }

    /// As [`Source::rows_in_order`], of at most this many rows.
    pub fn first_rows(&self, engine: &Engine, columns: &[String], most: usize) -> Result<RowsByClass> {
        self.rows(engine, None, columns, Some(most))
    }

    /// Reads these columns with the class ids of another column. Nothing when that does not hold integers from 1
    /// to the number of rows.
    pub fn rows_by_class(&self, engine: &Engine, class: &str, columns: &[String]) -> Result<Option<RowsByClass>> {
        let rows = self.rows(engine, Some(class), columns, None)?;
        Ok((rows.most_classes <= rows.classes.len()).then_some(rows))
    }

    fn rows(
        &self,
        engine: &Engine,
        class: Option<&str>,
        columns: &[String],
        most: Option<usize>,
    ) -> Result<RowsByClass> {
        self.check_room(engine, columns.len())?;
        let dictionaries = Dictionaries::new(self, engine, columns, engine.threads)?;
        // Room for a partition at once: vectors that double would be copied over and over.
        let part = capacity(self.rows_expected().unwrap_or(0)) / engine.threads + 1;
        let start = |_| RowReader {
            encoders: dictionaries.encoders(),
            classes: Vec::with_capacity(part),
            codes: columns.iter().map(|_| Vec::with_capacity(part)).collect(),
            batch: Vec::new(),
        };
        let read: Vec<String> = columns.iter().cloned().chain(class.map(str::to_owned)).collect();
        let (names, most_bytes) = (columns.to_vec(), dictionaries.most_bytes());
        let step = move |reader: &mut RowReader, batch: &RecordBatch| {
            for (index, (encoder, codes)) in reader.encoders.iter_mut().zip(&mut reader.codes).enumerate() {
                let encoded = encoder.encode(batch.column(index), &mut reader.batch);
                encoded.map_err(|no_code| no_code.refusal(&names[index], most_bytes))?;
                codes.extend_from_slice(&reader.batch);
            }
            if batch.num_columns() == names.len() {
                return Ok(());
            }
            // What cannot be cast is no class; the words of the cast may quote a cell.
            let id = |id: Option<i64>| id.and_then(|id| u32::try_from(id.checked_sub(1)?).ok()).unwrap_or(NO_CLASS);
            match cast(batch.column(names.len()), &DataType::Int64) {
                Ok(ids) => reader.classes.extend(ids.as_primitive::<Int64Type>().iter().map(id)),
                Err(_) => reader.classes.extend(std::iter::repeat_n(NO_CLASS, batch.num_rows())),
            }
            Ok(())
        };
        let mut readers = scan(engine, self, &read, Stage::Count, most, start, step)?;
        let met = |at: usize| readers.iter().any(|reader| reader.encoders[at].met_missing());
        let missing: Vec<bool> = (0..columns.len()).map(met).collect();
        // What the partitions hold, column by column.
        let mut parts: Vec<Vec<Vec<u32>>> = vec![Vec::new(); columns.len()];
        let mut classes = Vec::new();
        for reader in &mut readers {
            parts.iter_mut().zip(std::mem::take(&mut reader.codes)).for_each(|(parts, codes)| parts.push(codes));
            classes.push(std::mem::take(&mut reader.classes));
        }
        drop(readers);
        let (mut ranks, mut sorted) = (Vec::new(), Vec::new());
        for column in dictionaries.rank(self, &missing) {
            let (_, column) = column?;
            ranks.push(column.ranks);
            sorted.push(column.dictionary);
        }
        let (codes, classes) = on_threads(engine.threads, || {
            let in_order = |(parts, ranks): (Vec<Vec<u32>>, Vec<u32>)| {
                let mut codes = Vec::with_capacity(parts.iter().map(Vec::len).sum());
                parts.into_iter().for_each(|part| codes.extend(part.iter().map(|&code| ranks[code as usize])));
                codes
            };
            rayon::join(|| parts.into_par_iter().zip(ranks).map(in_order).collect(), || classes.concat())
        });
        let most_classes = classes.iter().max().map_or(0, |&class| class as usize + 1);
        Ok(RowsByClass { classes, most_classes, dictionaries: sorted, codes })
    }

    /// Rows are held as a whole, and for a moment twice.
    pub(crate) fn check_room(&self, engine: &Engine, columns: usize) -> Result<()> {
        let (Some(limit), Some(rows)) = (engine.memory, self.rows_expected()) else { return Ok(()) };
        let needed = rows.saturating_mul(8 * (columns as u64 + 1));
        if needed <= share(limit, TUPLE_SHARE) {
            return Ok(());
        }
        Err(EngineError::TooManyTuples { tuples: rows, needed, limit })
    }
}
