//! What a typed file says about itself, read without the query engine, which unites columns of the same name.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::reader::{FileReader, StreamReader};
use datafusion::parquet::file::metadata::ParquetMetaDataReader;

use crate::error::{EngineError, Result};
use crate::source::{Format, TableFile};

/// What is known of a typed file before it is read.
pub(crate) struct Footer {
    /// The names of the columns.
    pub(crate) names: Vec<String>,
    /// The rows, if the file says how many.
    pub(crate) rows: Option<u64>,
    /// The most bytes that a row takes in memory, on the average of a row group, if the file says so.
    pub(crate) row_bytes: u64,
}

/// The footer of a Parquet file.
pub(crate) fn parquet_footer(file: &TableFile) -> Result<Footer> {
    let path: &Path = file;
    // A few rows behind a large dictionary do not make the rows large.
    const FEWEST: u64 = 64;
    let reader = ParquetMetaDataReader::new();
    let metadata = match file.elsewhere() {
        Some(remote) => reader.parse_and_finish(remote),
        None => reader.parse_and_finish(&File::open(path).map_err(|error| EngineError::io(path, &error))?),
    };
    let metadata = metadata.map_err(|_| EngineError::Damaged { path: path.into(), format: Format::Parquet.name() })?;
    let positive = |number: i64| u64::try_from(number).unwrap_or(0);
    let groups = metadata.row_groups().iter();
    let row_bytes = groups.map(|group| positive(group.total_byte_size()) / positive(group.num_rows()).max(FEWEST));
    let columns = metadata.file_metadata().schema().get_fields();
    Ok(Footer {
        names: columns.iter().map(|column| column.name().to_string()).collect(),
        rows: Some(positive(metadata.file_metadata().num_rows())),
        row_bytes: row_bytes.max().unwrap_or(0),
    })
}

/// The schema of an Arrow file or stream, which do not say how many rows follow.
pub(crate) fn arrow_footer(file: &TableFile) -> Result<Footer> {
    let path: &Path = file;
    let schema = arrow_schema(file).map_err(|error| match error {
        ArrowError::IoError(_, error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            EngineError::io(path, &error)
        }
        _ => EngineError::Damaged { path: path.into(), format: Format::Arrow.name() },
    })?;
    let names = schema.fields().iter().map(|field| field.name().clone()).collect();
    Ok(Footer { names, rows: None, row_bytes: 0 })
}

fn arrow_schema(file: &TableFile) -> std::result::Result<Schema, ArrowError> {
    let mut file = BufReader::new(file.open()?);
    let mut start = [0; 6];
    let is_file = file.read_exact(&mut start).is_ok() && start == *b"ARROW1";
    file.rewind()?;
    let schema =
        if is_file { FileReader::try_new(file, None)?.schema() } else { StreamReader::try_new(file, None)?.schema() };
    Ok(schema.as_ref().clone())
}
