//! Checkpoints of a log: all actions that make a version, as rows of a Parquet file.

use std::fs::File;
use std::path::Path;

use arrow::array::{Array, AsArray, StructArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::actions::{Action, AddedFile, ReaderProtocol, TableMetadata};
use crate::runtime::error::{EngineError, Result};
use crate::runtime::guard::guarded;
use crate::runtime::limits::ReadLimits;
use crate::source::parquet_file;

/// The actions of a file of a checkpoint; nothing when it is damaged. Files that were removed are not among them: they stay
/// in a checkpoint until they are deleted.
pub(super) fn read(path: &Path, limits: &ReadLimits) -> Result<Option<Vec<Action>>> {
    parquet_file::check(&path.to_path_buf().into(), limits)?;
    let file = File::open(path).map_err(|error| EngineError::io(path, error))?;
    Ok(guarded(|| actions(file)).unwrap_or(None))
}

fn actions(file: File) -> Option<Vec<Action>> {
    let mut actions = Vec::new();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).ok()?;
    let columns = ["add", "metaData", "protocol"];
    let mask = ProjectionMask::columns(reader.parquet_schema(), columns);
    for batch in reader.with_projection(mask).build().ok()? {
        let batch = batch.ok()?;
        let [add, metadata, protocol] =
            columns.map(|name| batch.column_by_name(name).and_then(|column| column.as_struct_opt()));
        for row in 0..batch.num_rows() {
            let there = |column: Option<&'_ StructArray>| column.is_some_and(|column| column.is_valid(row));
            let mut action = Action::default();
            if let Some(add) = add.filter(|_| there(add)) {
                let deletion = add.column_by_name("deletionVector").filter(|vector| vector.is_valid(row));
                let deletion_vector = deletion.map(|_| serde::de::IgnoredAny);
                action.add = Some(AddedFile { path: text(add, "path", row)?, deletion_vector });
            }
            if let Some(metadata) = metadata.filter(|_| there(metadata)) {
                action.meta_data = Some(TableMetadata {
                    partition_columns: texts(metadata, "partitionColumns", row)?,
                    configuration: configuration(metadata, row)?.into_iter().collect(),
                });
            }
            if let Some(protocol) = protocol.filter(|_| there(protocol)) {
                let version = cast(protocol.column_by_name("minReaderVersion")?, &DataType::Int64).ok()?;
                action.protocol = Some(ReaderProtocol {
                    min_reader_version: version.as_primitive::<Int64Type>().value(row).try_into().ok()?,
                    reader_features: Some(texts(protocol, "readerFeatures", row)?),
                });
            }
            actions.push(action);
        }
    }
    Some(actions)
}

/// A text of a row.
fn text(column: &StructArray, name: &str, row: usize) -> Option<String> {
    let texts = cast(&column.column_by_name(name)?.slice(row, 1), &DataType::Utf8).ok()?;
    texts.is_valid(0).then(|| texts.as_string::<i32>().value(0).to_owned())
}

/// The texts of a list of a row; none when there is no list.
fn texts(column: &StructArray, name: &str, row: usize) -> Option<Vec<String>> {
    let Some(list) = column.column_by_name(name).filter(|list| list.is_valid(row)) else { return Some(Vec::new()) };
    let items = cast(&list.as_list_opt::<i32>()?.value(row), &DataType::Utf8).ok()?;
    Some(items.as_string::<i32>().iter().flatten().map(str::to_owned).collect())
}

/// The configuration of a table.
fn configuration(metadata: &StructArray, row: usize) -> Option<Vec<(String, Option<String>)>> {
    let Some(map) = metadata.column_by_name("configuration").filter(|map| map.is_valid(row)) else {
        return Some(Vec::new());
    };
    let entries = map.as_map_opt()?.value(row);
    let [keys, values] = [0, 1].map(|at| cast(entries.column(at), &DataType::Utf8));
    let (keys, values) = (keys.ok()?, values.ok()?);
    let pairs = keys.as_string::<i32>().iter().zip(values.as_string::<i32>().iter());
    Some(pairs.filter_map(|(key, value)| Some((key?.to_owned(), value.map(str::to_owned)))).collect())
}
