//! A table of Arrow batches in memory, as a data frame hands them over.
//!
//! Rows are cut into as many contiguous stretches as there are threads, wherever batches end: a frame of one batch is
//! read by all threads, and a frame of thousands of small ones is not read by one.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;

use crate::runtime::error::{EngineError, Result};
use crate::source::file_table::TableShape;
use crate::source::header::check_names;
use crate::source::projection::{Projection, RowWindow};
use crate::source::stream::{BatchStream, stream};

/// Batches of one schema.
#[derive(Clone)]
pub(crate) struct MemoryTable {
    batches: Arc<[RecordBatch]>,
    rows: usize,
    /// The most entries of a dictionary in any batch.
    longest_dictionary: usize,
}

impl std::fmt::Debug for MemoryTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never the cells.
        f.debug_struct("Batches").field("batches", &self.batches.len()).field("rows", &self.rows).finish()
    }
}

impl MemoryTable {
    /// Refuses names by which columns would be confused, and batches of another schema.
    pub(crate) fn new(name: &str, schema: &Schema, batches: Vec<RecordBatch>) -> Result<(MemoryTable, TableShape)> {
        let path = Path::new(name);
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        check_names(path, &names)?;
        let types: Vec<&DataType> = schema.fields().iter().map(|field| field.data_type()).collect();
        for (at, batch) in batches.iter().enumerate() {
            let found: Vec<&DataType> = batch.columns().iter().map(Array::data_type).collect();
            let differs = (0..types.len().max(found.len())).find(|&column| types.get(column) != found.get(column));
            if let Some(position) = differs {
                let (path, other) =
                    (format!("{name}, batch {}", at + 1).into(), format!("the schema of {name}").into());
                return Err(EngineError::ColumnsDiffer { path, other, position: position + 1 });
            }
        }
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        let dictionaries = batches.iter().flat_map(RecordBatch::columns).map(|column| match column.data_type() {
            DataType::Dictionary(..) => column.as_any_dictionary().values().len(),
            _ => 0,
        });
        let fields = schema.fields().iter().map(|field| Field::new(field.name(), field.data_type().clone(), true));
        let shape = TableShape {
            fields: fields.collect(),
            rows: Some(rows as u64),
            // What is sliced takes no further room.
            row_bytes: 0,
            bytes: batches.iter().map(|batch| batch.get_array_memory_size() as u64).sum(),
        };
        Ok((MemoryTable { longest_dictionary: dictionaries.max().unwrap_or(0), batches: batches.into(), rows }, shape))
    }

    /// A stream of these columns for each stretch; one stretch when only the first rows are requested.
    pub(crate) fn streams(
        &self,
        schema: &SchemaRef,
        columns: &[String],
        window: RowWindow,
        threads: usize,
    ) -> Result<Vec<BatchStream>> {
        let projection = Projection::new(schema, columns)?;
        // A dictionary is looked through once for each piece: pieces are no shorter than it.
        let piece = window.batch_rows.max(self.longest_dictionary).max(1);
        let (rows, threads) = (self.rows.min(window.most_rows.unwrap_or(usize::MAX)), window.readers(threads));
        let stretches = (0..threads).map(|at| rows * at / threads..rows * (at + 1) / threads);
        let one = |stretch: Range<usize>| {
            let (batches, projection) = (self.batches.clone(), projection.clone());
            let pieces = pieces(&batches, stretch, piece).into_iter();
            stream(pieces.map(move |(batch, start, rows)| projection.of(&batches[batch].slice(start, rows))), None)
        };
        Ok(stretches.map(one).collect())
    }
}

/// The parts of batches that make up a stretch: the batch, the first row in it, and how many.
fn pieces(batches: &[RecordBatch], stretch: Range<usize>, most: usize) -> Vec<(usize, usize, usize)> {
    let (mut pieces, mut first) = (Vec::new(), 0);
    for (at, batch) in batches.iter().enumerate() {
        let (start, end) = (stretch.start.max(first), stretch.end.min(first + batch.num_rows()));
        let mut next = start;
        while next < end {
            let rows = most.min(end - next);
            pieces.push((at, next - first, rows));
            next += rows;
        }
        first += batch.num_rows();
    }
    pieces
}

#[cfg(test)]
mod tests {
    use arrow::array::Int32Array;

    use super::*;

    #[test]
    fn stretches_take_every_row_once_and_in_order_wherever_batches_end() {
        let batch = |rows: i32| {
            let numbers = Arc::new(Int32Array::from_iter_values(0..rows));
            RecordBatch::try_from_iter([("n", numbers as _)]).expect("a batch")
        };
        let batches = [3, 0, 5, 1].map(batch);
        for threads in 1..12 {
            for most in 1..6 {
                let taken =
                    (0..threads).flat_map(|at| pieces(&batches, 9 * at / threads..9 * (at + 1) / threads, most));
                let rows = taken.flat_map(|(batch, start, rows)| (start..start + rows).map(move |row| (batch, row)));
                let all = [3usize, 0, 5, 1]
                    .iter()
                    .enumerate()
                    .flat_map(|(batch, &rows)| (0..rows).map(move |row| (batch, row)));
                assert!(rows.eq(all), "{threads} threads, pieces of {most}");
            }
        }
    }
}
