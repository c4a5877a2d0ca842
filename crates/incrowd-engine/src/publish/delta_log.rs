//! The log that makes the Parquet files of a release a Delta table.
//!
//! A Delta table is a folder of Parquet files with a log in `_delta_log`. A release has one version, the first: an earlier
//! release under the same name is replaced as a whole and is not a version that can be read, because two releases about the
//! same people reveal more than each alone. The log holds names and types of columns, the names, sizes and numbers of rows of
//! the files, and the time in the manifest; statistics of columns are left out.
//!
//! Source: the Delta transaction log protocol, actions `protocol`, `metaData` and `add`.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

use super::release_file::WrittenFile;
use crate::runtime::error::{DeltaReleaseFault, EngineError, Result};
use crate::source::table::Source;

/// A feature that readers need for instants without a time zone.
const LOCAL_INSTANTS: &str = "timestampNtz";

/// The log of a table with these files, which are in a folder. `id` is its number in 32 hexadecimal digits; `created` is in
/// milliseconds since 1970.
pub fn delta_log(folder: &Path, files: &[WrittenFile], id: &str, created: i64) -> Result<String> {
    let first = files.first().ok_or_else(|| EngineError::Empty(folder.display().to_string()))?;
    let schema = schema_of(&folder.join(&first.name))?;
    let named = |field: &Arc<Field>| Ok((field.name().clone(), type_of(field.name(), field.data_type())?));
    let fields = schema.fields().iter().map(named).collect::<Result<Vec<_>>>()?;
    check_names(fields.iter().map(|(name, _)| name.as_str()))?;
    let features: Vec<&str> =
        if fields.iter().any(|(_, of)| of == "timestamp_ntz") { vec![LOCAL_INSTANTS] } else { Vec::new() };
    let columns = fields.iter().map(|(name, of)| json!({"name": name, "type": of, "nullable": true, "metadata": {}}));
    let schema = json!({"type": "struct", "fields": columns.collect::<Vec<_>>()}).to_string();
    let metadata = json!({"metaData": {
        "id": dashed(id), "format": {"provider": "parquet", "options": {}}, "schemaString": schema,
        "partitionColumns": [], "configuration": {}, "createdTime": created,
    }});
    let added = files.iter().map(|file| {
        json!({"add": {
            "path": file.name, "partitionValues": {}, "size": file.bytes, "modificationTime": created,
            "dataChange": true, "stats": json!({"numRecords": file.rows}).to_string(),
        }})
    });
    let actions = [protocol(&features), metadata].into_iter().chain(added);
    Ok(actions.map(|action| format!("{action}\n")).collect())
}

fn protocol(features: &[&str]) -> Value {
    match features {
        [] => json!({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}),
        _ => json!({"protocol": {
            "minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features, "writerFeatures": features,
        }}),
    }
}

fn schema_of(path: &Path) -> Result<Schema> {
    let file = File::open(path).map_err(|error| EngineError::io(path, error))?;
    let read = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|_| super::staging::misfit())?;
    Ok(read.schema().as_ref().clone())
}

/// The word of the protocol for a type.
fn type_of(column: &str, of: &DataType) -> Result<String> {
    Ok(match of {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "string".into(),
        DataType::Dictionary(_, values) => return type_of(column, values),
        DataType::Boolean => "boolean".into(),
        DataType::Int8 => "byte".into(),
        // A type without a sign becomes the next larger one.
        DataType::Int16 | DataType::UInt8 => "short".into(),
        DataType::Int32 | DataType::UInt16 => "integer".into(),
        DataType::Int64 | DataType::UInt32 => "long".into(),
        DataType::Float32 => "float".into(),
        DataType::Float64 => "double".into(),
        &DataType::Decimal128(digits, places) if (0..=digits.cast_signed()).contains(&places) => {
            format!("decimal({digits},{places})")
        }
        DataType::Date32 => "date".into(),
        // Finer instants would be cut by readers.
        DataType::Timestamp(TimeUnit::Millisecond | TimeUnit::Microsecond, zone) => {
            if zone.is_some() { "timestamp" } else { "timestamp_ntz" }.into()
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "binary".into(),
        _ => return Err(EngineError::NotDelta(DeltaReleaseFault::Type { column: column.into() })),
    })
}

/// Names that differ in their letter case alone are one name to readers.
fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.to_lowercase()) {
            return Err(EngineError::NotDelta(DeltaReleaseFault::Name { column: name.into() }));
        }
    }
    Ok(())
}

/// 32 digits in the groups of a UUID.
fn dashed(id: &str) -> String {
    let cuts = [0, 8, 12, 16, 20, id.len()];
    let group = |cut: &[usize]| id.get(cut[0]..cut[1]).unwrap_or_default();
    cuts.windows(2).map(group).collect::<Vec<_>>().join("-")
}

impl Source {
    /// Refuses, before anything is solved, columns that are published unchanged and have no type in a Delta table, and
    /// names of published columns that its readers take for one.
    pub fn check_delta(&self, unchanged: &[String], published: &[String]) -> Result<()> {
        check_names(published.iter().map(String::as_str))?;
        unchanged.iter().try_for_each(|column| type_of(column, self.data_type(column)?).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_words_of_the_protocol() {
        let word = |of: DataType| type_of("a", &of).ok();
        assert_eq!(
            word(DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))).as_deref(),
            Some("string")
        );
        assert_eq!(word(DataType::UInt32).as_deref(), Some("long"));
        assert_eq!(word(DataType::Decimal128(20, 2)).as_deref(), Some("decimal(20,2)"));
        let instant = |unit, zone: Option<&str>| word(DataType::Timestamp(unit, zone.map(Into::into)));
        assert_eq!(instant(TimeUnit::Microsecond, None).as_deref(), Some("timestamp_ntz"));
        assert_eq!(instant(TimeUnit::Microsecond, Some("UTC")).as_deref(), Some("timestamp"));
        assert_eq!(instant(TimeUnit::Nanosecond, None), None, "readers would cut it");
        assert_eq!(
            [DataType::UInt64, DataType::Time64(TimeUnit::Microsecond), DataType::Null].map(word),
            [None, None, None]
        );
        assert_eq!(word(DataType::Decimal128(2, 3)), None);
    }

    #[test]
    fn names_that_differ_in_case_alone_are_refused() {
        assert!(check_names(["a", "b"].into_iter()).is_ok());
        assert!(check_names(["Straße", "STRASSE", "straße"].into_iter()).is_err());
    }

    #[test]
    fn a_number_is_written_in_the_groups_of_a_uuid() {
        assert_eq!(dashed("9f0c4be2a1d94c5e8f7a6b5c4d3e2f10"), "9f0c4be2-a1d9-4c5e-8f7a-6b5c4d3e2f10");
    }
}
