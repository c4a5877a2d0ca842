//! Arrow IPC, as a file or as a stream.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use arrow::datatypes::{DataType, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};
use arrow::record_batch::RecordBatch;

use super::arrow_sizes::{MAGIC, check_file, check_stream};
use super::{FileColumn, MemoryBounds, ReadError, ReadProgress, RowSink, TableFile, add_batch, places};

const NOT_WHOLE: &str = "it is not a complete Arrow file, or its compression is not supported";

type ArrowBatches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

fn broken(_: impl std::error::Error) -> ReadError {
    ReadError::unreadable(NOT_WHOLE)
}

/// The schema and the batches of a file, of all columns or of some.
pub(crate) fn batches(
    path: &Path,
    wanted: Option<Vec<usize>>,
    bounds: &MemoryBounds,
) -> Result<(SchemaRef, ArrowBatches), ReadError> {
    let mut file = BufReader::new(File::open(path).map_err(|_| ReadError::unreadable("it cannot be opened"))?);
    let mut magic = [0; 6];
    let is_file = file.read_exact(&mut magic).is_ok() && magic == *MAGIC;
    if is_file {
        check_file(&mut file, bounds)?;
    } else {
        check_stream(&mut file, bounds)?;
    }
    file.seek(SeekFrom::Start(0)).map_err(broken)?;
    if is_file {
        let reader = FileReader::try_new(file, wanted).map_err(broken)?;
        Ok((reader.schema(), Box::new(reader)))
    } else {
        let reader = StreamReader::try_new(file, wanted).map_err(broken)?;
        Ok((reader.schema(), Box::new(reader)))
    }
}

pub(super) fn columns(path: &Path, bounds: &MemoryBounds) -> Result<Vec<FileColumn>, ReadError> {
    let (schema, _) = batches(path, None, bounds)?;
    let is_float = |of: &DataType| matches!(of, DataType::Float16 | DataType::Float32 | DataType::Float64);
    let column = |field: &arrow::datatypes::FieldRef| FileColumn {
        name: field.name().clone(),
        is_float: is_float(field.data_type()),
        is_instant: matches!(field.data_type(), DataType::Timestamp(..)),
    };
    Ok(schema.fields().iter().map(column).collect())
}

pub(super) fn read<R: RowSink>(
    table: &TableFile<'_>,
    wanted: &[usize],
    into: &mut R,
    progress: &ReadProgress<'_>,
) -> Result<(), ReadError> {
    let places = places(wanted);
    let mut in_order = wanted.to_vec();
    in_order.sort_unstable();
    let (_, batches) = batches(table.path, Some(in_order), &table.bounds)?;
    let mut columns = vec![Vec::new(); wanted.len()];
    for batch in batches {
        let batch = batch.map_err(broken)?;
        let together = MemoryBounds::rows(wanted.len(), 1 << 16);
        for first in (0..batch.num_rows()).step_by(together) {
            let piece = batch.slice(first, together.min(batch.num_rows() - first));
            add_batch(&piece, &places, into, &mut columns)?;
            progress.step(piece.num_rows())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
