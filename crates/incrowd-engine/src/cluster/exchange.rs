//! The folder in which we and the executors hand each other files while rows are recoded.
//!
//! It stands next to the folder of the release, hidden and closed to others, on a disk that all see, and is removed
//! whatever happens. For plain plans it holds hashes of tuples with published labels, numbers of rows with published labels,
//! and rows as they will be published: no quasi-identifier as it was, no identifier, nothing that is removed. What it holds
//! for tasks is told in `tasks/mod.rs`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::prelude::{DataFrame, SessionContext};
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use crate::count::groups::FileStamp;
use crate::publish::table_writer::parquet_options;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::platform;
use crate::source::files::{Format, TableFile};
use crate::source::stores::is_remote;
use crate::source::table::Source;

/// The folder. Dropped, it is gone.
pub(super) struct ExchangeFolder {
    path: PathBuf,
}

impl ExchangeFolder {
    /// A folder next to the one that is written to.
    pub(super) fn beside(folder: &Path) -> Result<ExchangeFolder> {
        // Executors have a working directory of their own.
        let folder = folder.canonicalize().map_err(|error| EngineError::io(folder, error))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let path = folder.with_file_name(format!(".{name}.executors"));
        platform::create_private_folder(&path).map_err(|error| EngineError::io(&path, error))?;
        Ok(ExchangeFolder { path })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes some rows, in batches, for executors to read.
    pub(super) fn write(
        &self,
        name: &str,
        schema: SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch>>,
    ) -> Result<PathBuf> {
        let path = self.file(name);
        let failed = |_| EngineError::io(&path, std::io::ErrorKind::Other.into());
        let file = File::create_new(&path).map_err(|error| EngineError::io(&path, error))?;
        let mut writer = ArrowWriter::try_new_with_options(file, schema, parquet_options()).map_err(failed)?;
        for batch in batches {
            writer.write(&batch?).map_err(failed)?;
        }
        writer.close().map_err(failed)?;
        Ok(path)
    }
}

impl Drop for ExchangeFolder {
    fn drop(&mut self) {
        // A failure here is repaired by the next sweep: the folder is inside the hidden one of the run.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// A Parquet file of the exchange as a table of a plan.
pub(super) fn read(context: &SessionContext, path: &Path, schema: &Schema) -> Result<DataFrame> {
    let failed = |error| super::failed("planning the scan", &error);
    let options = ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension("");
    let config = ListingTableConfig::new(ListingTableUrl::parse(url(path)?).map_err(failed)?)
        .with_listing_options(options)
        .with_schema(Arc::new(schema.clone()));
    let table = ListingTable::try_new(config).map_err(failed)?;
    context.read_table(Arc::new(table)).map_err(failed)
}

/// A Parquet file of the exchange, read here: all columns, or the first few.
pub(super) fn open(path: &Path, first: Option<usize>) -> Result<(u64, ParquetRecordBatchReader)> {
    let damaged = |_| EngineError::Damaged { path: path.into(), format: Format::Parquet.name() };
    let file = File::open(path).map_err(|error| EngineError::io(path, error))?;
    let mut builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
    let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
    if let Some(first) = first {
        let mask = ProjectionMask::leaves(builder.parquet_schema(), 0..first);
        builder = builder.with_projection(mask);
    }
    Ok((rows, builder.with_batch_size(1 << 15).build().map_err(damaged)?))
}

/// The address of a file.
pub(super) fn url(path: &Path) -> Result<String> {
    let url = url::Url::from_file_path(path).map_err(|()| EngineError::NotFound(path.into()))?;
    Ok(url.into())
}

/// Size and time of each file of a table: they change when the table is written to.
pub(super) fn stamps(source: &Source) -> Result<Vec<FileStamp>> {
    let stamp = |file: &TableFile| {
        // An object of a store is read as the version that was found, or not at all.
        if file.to_str().is_some_and(is_remote) {
            return Ok((file.size()?, None));
        }
        let found = file.metadata().map_err(|error| EngineError::io(file.to_path_buf(), error))?;
        Ok((found.len(), found.modified().ok()))
    };
    source.file_table().map_or(Ok(Vec::new()), |table| table.files.paths.iter().map(stamp).collect())
}
