//! Arrow IPC, as a file or as a stream.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use arrow::datatypes::{DataType, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};
use arrow::record_batch::RecordBatch;

use super::arrow_sizes::{MAGIC, file_fits, stream_fits};
use super::{FileColumn, ReadError, Rows, Watch, add_batch, places};

const NOT_WHOLE: &str = "it is not a whole Arrow file, or its compression is not known here";

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

fn broken(_: impl std::error::Error) -> ReadError {
    ReadError::unreadable(NOT_WHOLE)
}

/// The schema and the batches of a file, of all columns or of some.
pub(crate) fn batches(path: &Path, wanted: Option<Vec<usize>>) -> Result<(SchemaRef, Batches), ReadError> {
    let mut file = BufReader::new(File::open(path).map_err(|_| ReadError::unreadable("it cannot be opened"))?);
    let mut magic = [0; 6];
    let is_file = file.read_exact(&mut magic).is_ok() && magic == *MAGIC;
    let fits = if is_file { file_fits(&mut file) } else { stream_fits(&mut file) };
    if fits != Some(true) {
        return Err(ReadError::unreadable(NOT_WHOLE));
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

pub(super) fn columns(path: &Path) -> Result<Vec<FileColumn>, ReadError> {
    let (schema, _) = batches(path, None)?;
    let is_float = |of: &DataType| matches!(of, DataType::Float16 | DataType::Float32 | DataType::Float64);
    let column = |field: &arrow::datatypes::FieldRef| FileColumn {
        name: field.name().clone(),
        is_float: is_float(field.data_type()),
    };
    Ok(schema.fields().iter().map(column).collect())
}

pub(super) fn read<R: Rows>(path: &Path, wanted: &[usize], into: &mut R, watch: &Watch<'_>) -> Result<(), ReadError> {
    let places = places(wanted);
    let mut in_order = wanted.to_vec();
    in_order.sort_unstable();
    let (_, batches) = batches(path, Some(in_order))?;
    let mut columns = vec![Vec::new(); wanted.len()];
    for batch in batches {
        let batch = batch.map_err(broken)?;
        add_batch(&batch, &places, into, &mut columns)?;
        watch.step(batch.num_rows())?;
    }
    Ok(())
}
