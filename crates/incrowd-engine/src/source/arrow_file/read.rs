//! Batches of checked Arrow files, in stretches that are the same in every scan.

use std::io::BufReader;
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::reader::{FileReader, StreamReader};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;

use crate::runtime::error::{EngineError, Result};
use crate::source::files::TableFile;

/// Some batches of one file: all of a stream, or those from a place on.
#[derive(Clone)]
struct Unit {
    file: TableFile,
    has_footer: bool,
    first: usize,
    batches: usize,
}

type BatchResult = std::result::Result<RecordBatch, ArrowError>;

/// Streams of these columns from files with this many batches each, as many streams as readers or fewer.
pub(crate) fn streams(
    files: &[(TableFile, bool, usize)],
    schema: &SchemaRef,
    columns: &[String],
    (most_rows, batch_rows): (Option<usize>, usize),
    readers: usize,
) -> Result<Vec<SendableRecordBatchStream>> {
    let places: Vec<usize> = columns.iter().filter_map(|name| schema.index_of(name).ok()).collect();
    let read = schema.project(&places).map_err(|error| EngineError::engine("planning the scan", &error.into()))?;
    let read = Arc::new(read);
    let readers = if most_rows.is_some() { 1 } else { readers };
    let stream = |units: Vec<Unit>| {
        let (schema, places) = (read.clone(), places.clone());
        let pieces = units
            .into_iter()
            .flat_map(move |unit| batches(&unit, &places))
            .flat_map(move |batch| pieces(batch, &schema, batch_rows.max(1)));
        let mut left = most_rows.unwrap_or(usize::MAX);
        let limited = pieces.map_while(move |batch| {
            let batch = match batch {
                Ok(batch) if left == 0 && batch.num_rows() > 0 => return None,
                Ok(batch) => batch.slice(0, batch.num_rows().min(left)),
                Err(error) => return Some(Err(error)),
            };
            left -= batch.num_rows();
            Some(Ok(batch))
        });
        Box::pin(RecordBatchStreamAdapter::new(read.clone(), futures::stream::iter(limited)))
            as SendableRecordBatchStream
    };
    Ok(stretches(files, readers).into_iter().map(stream).collect())
}

/// The batches of all files, cut into as many contiguous stretches as there are readers. A stream is not cut.
fn stretches(files: &[(TableFile, bool, usize)], readers: usize) -> Vec<Vec<Unit>> {
    let all: usize = files.iter().map(|(_, _, batches)| batches).sum();
    let readers = readers.clamp(1, all.max(1));
    let mut stretches: Vec<Vec<Unit>> = vec![Vec::new(); readers];
    let mut before = 0;
    for (file, has_footer, batches) in files {
        let (has_footer, batches) = (*has_footer, *batches);
        let mut first = 0;
        while first < batches {
            let at = (before + first) * readers / all;
            // The first place that the next stretch begins with.
            let next = ((at + 1) * all).div_ceil(readers) - before;
            let end = if has_footer { next.min(batches) } else { batches };
            stretches[at].push(Unit { file: file.clone(), has_footer, first, batches: end - first });
            first = end;
        }
        before += batches;
    }
    stretches
}

/// The columns at these places, in this order, of each batch of a unit.
fn batches(unit: &Unit, places: &[usize]) -> Box<dyn Iterator<Item = BatchResult> + Send> {
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    let order: Vec<usize> = places.iter().map(|place| sorted.partition_point(|other| other < place)).collect();
    let opened = || -> std::result::Result<Box<dyn Iterator<Item = BatchResult> + Send>, ArrowError> {
        let file = BufReader::new(unit.file.open()?);
        if unit.has_footer {
            let mut reader = FileReader::try_new(file, Some(sorted))?;
            reader.set_index(unit.first)?;
            Ok(Box::new(reader.take(unit.batches)))
        } else {
            Ok(Box::new(StreamReader::try_new(file, Some(sorted))?))
        }
    };
    match opened() {
        Ok(batches) => Box::new(batches.map(move |batch| batch?.project(&order))),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// A batch in pieces of at most this many rows, under the columns as they are known: without metadata, all nullable.
fn pieces(
    batch: BatchResult,
    schema: &SchemaRef,
    most: usize,
) -> impl Iterator<Item = std::result::Result<RecordBatch, DataFusionError>> + Send + use<> {
    let counted = |batch: RecordBatch| {
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(schema.clone(), batch.columns().to_vec(), &options)
    };
    let batch = batch.and_then(counted).map_err(DataFusionError::from);
    // A dictionary is looked through once for each piece: pieces are no shorter than it.
    let entries = batch.iter().flat_map(RecordBatch::columns).filter_map(|column| column.as_any_dictionary_opt());
    let most = entries.map(|dictionary| dictionary.values().len()).fold(most, usize::max);
    let rows = batch.as_ref().map_or(1, RecordBatch::num_rows);
    let mut batch = Some(batch);
    (0..rows.div_ceil(most)).filter_map(move |at| match batch.as_ref()? {
        Ok(batch) => Some(Ok(batch.slice(at * most, most.min(rows - at * most)))),
        Err(_) => batch.take(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_take_every_batch_once_and_in_order_and_never_cut_a_stream() {
        let file = |has_footer, batches| (TableFile::from(std::path::PathBuf::from("t")), has_footer, batches);
        for files in [vec![file(true, 7)], vec![file(true, 3), file(false, 4), file(true, 0), file(true, 5)]] {
            let all: usize = files.iter().map(|file| file.2).sum();
            for readers in 1..15 {
                let cut = stretches(&files, readers);
                assert!(cut.len() <= readers);
                let taken: Vec<&Unit> = cut.iter().flatten().collect();
                assert_eq!(taken.iter().map(|unit| unit.batches).sum::<usize>(), all, "{readers}");
                assert!(taken.iter().all(|unit| unit.has_footer || unit.first == 0 && unit.batches == 4));
            }
        }
    }
}
