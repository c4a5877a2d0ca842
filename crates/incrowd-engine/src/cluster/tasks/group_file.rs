//! Groups as files: their cells, and the rows of each.

use std::io::{Read, Seek, Write};
use std::sync::Arc;

use ahash::RandomState;
use arrow::array::types::Int64Type;
use arrow::array::{ArrayRef, AsArray, Int64Array};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;
use arrow::record_batch::RecordBatch;
use arrow::row::{RowConverter, SortField};
use hashbrown::HashMap;
use incrowd_core::Stage;

use super::folder::TaskFolder;
use crate::cluster::misfit;
use crate::runtime::error::Result;

/// Groups that are written at once.
const BATCH: usize = 1 << 16;

/// Rows by their cells.
pub(super) type Groups = HashMap<Vec<u8>, u64, RandomState>;

pub(super) fn sort_fields(types: &[DataType]) -> Vec<SortField> {
    types.iter().map(|data_type| SortField::new(data_type.clone())).collect()
}

pub(super) fn converter(types: &[DataType]) -> Result<RowConverter> {
    RowConverter::new(sort_fields(types)).map_err(|_| misfit(Stage::Count))
}

/// Writes groups: their cells, and their rows.
pub(super) fn write_groups(
    out: impl Write,
    types: &[DataType],
    groups: &Groups,
) -> std::result::Result<(), ArrowError> {
    let fields = types.iter().chain([&DataType::Int64]).enumerate();
    let fields: Vec<Field> = fields.map(|(at, kind)| Field::new(at.to_string(), kind.clone(), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let converter = RowConverter::new(sort_fields(types))?;
    let parser = converter.parser();
    let mut writer = FileWriter::try_new_buffered(out, &schema)?;
    let groups: Vec<(&[u8], u64)> = groups.iter().map(|(group, &count)| (&**group, count)).collect();
    for groups in groups.chunks(BATCH) {
        let rows = groups.iter().map(|(group, _)| parser.parse(group));
        let mut columns: Vec<ArrayRef> = converter.convert_rows(rows)?;
        let counts = groups.iter().map(|(_, count)| i64::try_from(*count).unwrap_or(i64::MAX));
        columns.push(Arc::new(Int64Array::from_iter_values(counts)));
        writer.write(&RecordBatch::try_new(schema.clone(), columns)?)?;
    }
    writer.finish()
}

/// Reads groups.
pub(super) fn read_groups(
    folder: TaskFolder<'_>,
    name: &str,
    file: impl Read + Seek,
    take: &mut dyn FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    let damaged = |_| folder.damaged(name);
    for batch in FileReader::try_new_buffered(file, None).map_err(damaged)? {
        take(&batch.map_err(damaged)?)?;
    }
    Ok(())
}

/// The rows of groups, in the last column.
pub(super) fn counts(batch: &RecordBatch) -> Result<&[i64]> {
    let last = batch.columns().last().and_then(|column| column.as_primitive_opt::<Int64Type>());
    last.map(|counts| &**counts.values()).ok_or_else(|| misfit(Stage::Count))
}
