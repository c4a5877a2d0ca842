//! Batches of checked Arrow files, in stretches that are the same in every scan.

use std::io::BufReader;

use arrow::array::{Array, AsArray};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};
use arrow::record_batch::RecordBatch;

use crate::runtime::error::Result;
use crate::source::arrow_file::ArrowParts;
use crate::source::files::TableFile;
use crate::source::projection::{Projection, RowWindow};
use crate::source::stream::{BatchResult, BatchStream, ReaderBatches, stream};
use crate::source::stretches::{FileParts, stretches};

/// Streams of these columns, as many streams as readers or fewer.
pub(crate) fn streams(
    files: &[(TableFile, ArrowParts)],
    schema: &SchemaRef,
    columns: &[String],
    rows: RowWindow,
    readers: usize,
) -> Result<Vec<BatchStream>> {
    let projection = Projection::new(schema, columns)?;
    // A stream is not cut.
    let weights = |(_, parts): &(TableFile, ArrowParts)| match parts.has_footer {
        true => vec![1; parts.batches],
        false => vec![parts.batches as u64],
    };
    let weights: Vec<Vec<u64>> = files.iter().map(weights).collect();
    let one = |stretch: Vec<FileParts>| {
        let parts: Vec<_> = stretch.into_iter().map(|parts| (files[parts.file].clone(), parts)).collect();
        let projection = projection.clone();
        let whole = parts.into_iter().flat_map({
            let projection = projection.clone();
            move |((file, shape), parts)| batches(&file, shape, &parts, &projection)
        });
        let most = rows.batch_rows.max(1);
        stream(whole.flat_map(move |batch| pieces(projection.renamed(batch), most)), rows.most_rows)
    };
    Ok(stretches(&weights, rows.readers(readers)).into_iter().map(one).collect())
}

/// The batches of some parts of a file, in their order.
fn batches(file: &TableFile, shape: ArrowParts, parts: &FileParts, projection: &Projection) -> ReaderBatches {
    let opened = || -> std::result::Result<ReaderBatches, ArrowError> {
        let file = BufReader::new(file.open()?);
        let columns = Some(projection.ascending().to_vec());
        if shape.has_footer {
            let mut reader = FileReader::try_new(file, columns)?;
            reader.set_index(parts.first)?;
            Ok(Box::new(reader.take(parts.parts)))
        } else {
            Ok(Box::new(StreamReader::try_new(file, columns)?))
        }
    };
    opened().unwrap_or_else(|error| Box::new(std::iter::once(Err(error))))
}

/// A batch in pieces of at most this many rows.
fn pieces(batch: BatchResult, most: usize) -> impl Iterator<Item = BatchResult> + Send + use<> {
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
