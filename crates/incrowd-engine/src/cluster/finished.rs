//! What executors wrote gets the form of the release: a Parquet file is taken unchanged, other formats are written
//! here.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use arrow::compute::cast;
use incrowd_core::Kind;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use sha2::{Digest, Sha256};

use crate::publish::kept_cells::KeptColumn;
use crate::publish::recipe::{PublishedColumn, Recipe};
use crate::publish::release_file::{PublishedCells, ReleaseFile, TextStyle, WrittenColumn, WrittenFile};
use crate::publish::staging::misfit;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::limits::ReadLimits;
use crate::runtime::steady_file::SteadyFile;
use crate::source::files::{Format, TableFile};

/// Puts rows that were staged as Parquet, in their order, into the release's folder.
pub(crate) fn finished(
    recipe: &Recipe<'_>,
    kept: &[KeptColumn],
    staged: &Path,
    folder: &Path,
    rows: ParquetRecordBatchReader,
) -> Result<WrittenFile> {
    if recipe.format == Format::Parquet { taken(staged, folder) } else { rewritten(recipe, kept, folder, rows) }
}

/// The file itself, under the release's name. A process that still writes to the old name does not reach it.
fn taken(staged: &Path, folder: &Path) -> Result<WrittenFile> {
    let name = "data.parquet";
    let path = folder.join(name);
    let failed = |error: std::io::Error| EngineError::io(&path, error);
    if path.exists() {
        return Err(failed(std::io::ErrorKind::AlreadyExists.into()));
    }
    std::fs::rename(staged, &path).map_err(failed)?;
    let checked = crate::source::parquet_file::check(&TableFile::from(path.clone()), &ReadLimits::within(None))?;
    let rows = checked.groups.iter().sum();
    let mut file = SteadyFile(File::open(&path).map_err(failed)?);
    let (mut sum, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 20]);
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => break,
            read => {
                sum.update(&buffer[..read]);
                bytes += read as u64;
            }
        }
    }
    file.0.sync_all().map_err(failed)?;
    let sha256 = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(WrittenFile { name: name.into(), format: Format::Parquet, rows, bytes, sha256, style: TextStyle::default() })
}

/// The rows in another format, by the same writer as in a local run.
fn rewritten(
    recipe: &Recipe<'_>,
    kept: &[KeptColumn],
    folder: &Path,
    rows: ParquetRecordBatchReader,
) -> Result<WrittenFile> {
    let columns: Vec<WrittenColumn> = recipe.columns.iter().map(|column| described(recipe, kept, column)).collect();
    let types: Vec<_> = columns.iter().map(|column| column.kept.clone()).collect();
    let style = TextStyle { escape: recipe.escape_formulas, dialect: recipe.dialect.clone() };
    let (mut file, encoding) = ReleaseFile::create(folder, "data", recipe.format, columns, style)?;
    for batch in rows {
        let batch = batch.map_err(|_| misfit())?;
        let cells = batch.columns().iter().zip(&types).map(|(cells, data_type)| match data_type {
            Some(data_type) if data_type != cells.data_type() => cast(cells, data_type).map_err(|_| misfit()),
            _ => Ok(cells.clone()),
        });
        let cells = cells.map(|cells| cells.map(PublishedCells::Kept)).collect::<Result<Vec<_>>>()?;
        let encoded = encoding.encode(cells, batch.num_rows())?;
        file.append(encoded, batch.num_rows() as u64)?;
    }
    file.finish()
}

/// How a column is stored in its file. Labels come written out, as texts.
fn described(recipe: &Recipe<'_>, kept: &[KeptColumn], column: &PublishedColumn) -> WrittenColumn {
    let name = column.name();
    let attribute = recipe.table.position(name).map(|at| &recipe.table.attributes()[at]);
    let days = attribute.is_some_and(|attribute| attribute.dictionary.kind() == Kind::Date);
    let data_type = match column {
        PublishedColumn::Kept { .. } => {
            kept.iter().find(|kept| kept.name() == name).map(|kept| kept.data_type().clone())
        }
        _ => None,
    };
    WrittenColumn {
        name: name.clone(),
        kept: data_type.or(Some(arrow::datatypes::DataType::Utf8)),
        days,
        statistics: None,
    }
}
