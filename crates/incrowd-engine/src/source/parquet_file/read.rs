//! Row groups of checked Parquet files, in stretches that are the same in every scan.

use std::fs::File;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use parquet::file::reader::ChunkReader;

use crate::runtime::error::Result;
use crate::source::files::TableFile;
use crate::source::projection::{Projection, RowWindow};
use crate::source::stream::{BatchStream, ReaderBatches, stream};
use crate::source::stretches::{FileParts, stretches};

/// Streams of these columns from files with these rows in their row groups, as many streams as readers or fewer.
pub(crate) fn streams(
    files: &[(TableFile, Vec<u64>)],
    schema: &SchemaRef,
    columns: &[String],
    window: RowWindow,
    readers: usize,
) -> Result<Vec<BatchStream>> {
    let projection = Projection::new(schema, columns)?;
    let weights: Vec<Vec<u64>> = files.iter().map(|(_, groups)| groups.clone()).collect();
    let one = |stretch: Vec<FileParts>| {
        let parts: Vec<_> = stretch.into_iter().map(|parts| (files[parts.file].0.clone(), parts)).collect();
        let read = projection.clone();
        let batches = parts.into_iter().flat_map(move |(file, parts)| batches(&file, &parts, &read, window.batch_rows));
        let projection = projection.clone();
        stream(batches.map(move |batch| projection.renamed(batch)), window.most_rows)
    };
    Ok(stretches(&weights, window.readers(readers)).into_iter().map(one).collect())
}

/// The batches of some row groups of a file, in their order.
fn batches(file: &TableFile, parts: &FileParts, projection: &Projection, batch_rows: usize) -> ReaderBatches {
    let opened = match file.elsewhere() {
        Some(remote) => read(remote.clone(), parts, projection, batch_rows),
        // A file of its own: readers that share one would share the place in it.
        None => {
            File::open(&**file).map_err(ArrowError::from).and_then(|file| read(file, parts, projection, batch_rows))
        }
    };
    opened.unwrap_or_else(|error| Box::new(std::iter::once(Err(error))))
}

fn read(
    input: impl ChunkReader + 'static,
    parts: &FileParts,
    projection: &Projection,
    batch_rows: usize,
) -> std::result::Result<ReaderBatches, ArrowError> {
    let metadata = ArrowReaderMetadata::load(&input, options())?;
    let supplied = options().with_schema(Arc::new(in_views(metadata.schema())));
    let metadata = ArrowReaderMetadata::try_new(metadata.metadata().clone(), supplied)?;
    let columns = ProjectionMask::roots(metadata.parquet_schema(), projection.ascending().iter().copied());
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(input, metadata)
        .with_row_groups((parts.first..parts.first + parts.parts).collect())
        .with_projection(columns)
        .with_batch_size(batch_rows.max(1))
        .build()?;
    Ok(Box::new(reader))
}

/// The columns of a file as they will be read.
pub(super) fn columns(metadata: ParquetMetaData) -> std::result::Result<Schema, ParquetError> {
    Ok(in_views(ArrowReaderMetadata::try_new(Arc::new(metadata), options())?.schema()))
}

/// Pages are read one behind the other, as they were checked, and not by an index of theirs.
fn options() -> ArrowReaderOptions {
    ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Skip)
}

/// The columns with texts as views into the pages, which are not copied.
fn in_views(schema: &Schema) -> Schema {
    let view = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => field.as_ref().clone().with_data_type(DataType::Utf8View),
        DataType::Binary | DataType::LargeBinary => field.as_ref().clone().with_data_type(DataType::BinaryView),
        _ => field.as_ref().clone(),
    };
    Schema::new(schema.fields().iter().map(view).collect::<Vec<_>>())
}
