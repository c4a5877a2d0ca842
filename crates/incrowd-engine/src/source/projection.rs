//! Which columns and rows of a table a scan reads.

use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use crate::runtime::error::Result;
use crate::source::stream::{BatchResult, StreamFault};

/// The rows that a scan reads, and in which batches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowWindow {
    /// At most this many rows, from the first on.
    pub(crate) most_rows: Option<usize>,
    /// About how many rows a batch has.
    pub(crate) batch_rows: usize,
}

impl RowWindow {
    /// How many of these readers are used: the first rows are read by one.
    pub(crate) fn readers(&self, readers: usize) -> usize {
        if self.most_rows.is_some() { 1 } else { readers }
    }
}

/// Some columns of a table, in the order in which they were requested.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    places: Vec<usize>,
    /// The same places as a reader of a typed file takes them.
    ascending: Vec<usize>,
    /// The place of each requested column among the ascending ones.
    order: Vec<usize>,
    schema: SchemaRef,
}

impl Projection {
    /// The columns of these names, all of which are in the schema.
    pub(crate) fn new(schema: &Schema, columns: &[String]) -> Result<Projection> {
        let by_name: std::collections::HashMap<&str, usize> =
            schema.fields().iter().enumerate().rev().map(|(place, field)| (field.name().as_str(), place)).collect();
        let places: Vec<usize> = columns.iter().filter_map(|name| by_name.get(name.as_str()).copied()).collect();
        let mut ascending = places.clone();
        ascending.sort_unstable();
        ascending.dedup();
        let order = places.iter().map(|place| ascending.partition_point(|other| other < place)).collect();
        let projected =
            schema.project(&places).map_err(|error| StreamFault::from(error).refusal("planning the scan"))?;
        Ok(Projection { places, ascending, order, schema: Arc::new(projected) })
    }

    /// The places of the columns as they were requested.
    pub(crate) fn places(&self) -> &[usize] {
        &self.places
    }

    /// The places of the columns, ascending, each once.
    pub(crate) fn ascending(&self) -> &[usize] {
        &self.ascending
    }

    /// A batch of the ascending columns as it was requested, under the columns as they are known: without metadata, all
    /// nullable.
    pub(crate) fn renamed(&self, batch: std::result::Result<RecordBatch, ArrowError>) -> BatchResult {
        let batch = batch?;
        let arrays = self.order.iter().map(|&at| batch.column(at).clone()).collect();
        // Rows are counted even where no column is read.
        let counted = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), arrays, &counted)?)
    }

    /// The requested columns of a batch that has all of them.
    pub(crate) fn of(&self, batch: &RecordBatch) -> BatchResult {
        let arrays = self.places.iter().map(|&at| batch.column(at).clone()).collect();
        let counted = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), arrays, &counted)?)
    }
}
