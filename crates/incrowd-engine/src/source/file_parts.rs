//! What an executor has to know to read a table in files: all that was found out when it was opened.
//!
//! An executor does not inspect the files again. It reads the stretch of its task, which is the same stretch in every
//! scan, and its rows are compared with what was counted.

use std::path::PathBuf;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use serde::{Deserialize, Serialize};

use crate::runtime::error::{EngineError, Result};
use crate::runtime::limits::ReadLimits;
use crate::source::arrow_file::ArrowParts;
use crate::source::files::{Compression, Format, TableFile};
use crate::source::spellings::Spellings;
use crate::source::stores;

/// A table in files, as it is described to executors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SourceParts {
    pub(super) named: String,
    pub(super) table: FileTableParts,
    /// The columns, as an Arrow stream without a row.
    pub(super) schema: Vec<u8>,
    pub(super) row_bytes: u64,
    pub(super) nulls: Vec<String>,
    pub(super) date_formats: Vec<(String, String)>,
    pub(super) decimal_commas: Vec<String>,
    pub(super) comma_labels: Vec<String>,
    pub(super) spellings: Spellings,
}

/// The files, and how they are cut into rows and cells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FileTableParts {
    pub(super) files: Vec<SharedFile>,
    pub(super) format: Format,
    pub(super) compression: Compression,
    pub(super) delimiter: Option<u8>,
    pub(super) can_be_cut: bool,
    pub(super) has_header: bool,
    pub(super) is_marked: bool,
    /// Into how many stretches they are cut.
    pub(super) stretches: usize,
    pub(super) arrow: Vec<ArrowParts>,
    pub(super) parquet: Vec<Vec<u64>>,
    pub(super) limits: ReadLimits,
}

/// A file that all machines see.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SharedFile {
    /// Its path or its address.
    path: PathBuf,
    /// The size and the version of an object in a store.
    object: Option<(u64, Option<String>)>,
}

impl SharedFile {
    /// A file as others see it; nothing for one that only this process sees.
    pub(super) fn of(file: &TableFile) -> Option<SharedFile> {
        if let Some(remote) = file.elsewhere() {
            return Some(SharedFile { path: file.to_path_buf(), object: Some((remote.size, remote.version.clone())) });
        }
        // Executors have a working directory of their own.
        let path = if file.is_copied() { None } else { std::path::absolute(&**file).ok() };
        path.map(|path| SharedFile { path, object: None })
    }

    /// The file, where it is read.
    pub(super) fn open(self) -> Result<TableFile> {
        match self.object {
            None => Ok(TableFile::from(self.path)),
            Some((size, version)) => stores::known_file(self.path, size, version),
        }
    }
}

/// Columns as bytes.
pub(super) fn schema_bytes(schema: &Schema) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let written = StreamWriter::try_new(&mut bytes, schema).and_then(|mut stream| {
        stream.write(&RecordBatch::new_empty(schema.clone().into()))?;
        stream.finish()
    });
    written.map_err(|_| unreadable())?;
    Ok(bytes)
}

/// Columns from their bytes.
pub(super) fn schema_of(bytes: &[u8]) -> Result<Schema> {
    let stream = StreamReader::try_new(bytes, None).map_err(|_| unreadable())?;
    Ok(stream.schema().as_ref().clone())
}

fn unreadable() -> EngineError {
    EngineError::Engine { doing: "describing the table", kind: "its columns cannot be described" }
}
