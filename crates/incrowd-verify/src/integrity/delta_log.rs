//! Does the log of a Delta table say what the manifest says, and nothing else?
//!
//! Readers of Delta tables look at the log and not at the manifest. So it must name the files of the manifest, all of them
//! and no other, with the published columns in their order; and it must have no place for something that was not looked at:
//! every key is known, statistics are the number of rows, and there is one version.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use crate::manifest::{ColumnEntry, DELTA_LOG, Format, Manifest};
use crate::verdict::{Fault, FaultKind, VerifyError};

/// The folder of the log.
pub(super) const FOLDER: &str = "_delta_log";

/// The longest log that is read, for each file of the release and for what else is in it.
const MOST_BYTES_OF_FILE: u64 = 1 << 10;
const MOST_BYTES: u64 = 16 << 20;

/// The types that a column may have.
const TYPES: [&str; 12] = [
    "string",
    "boolean",
    "byte",
    "short",
    "integer",
    "long",
    "float",
    "double",
    "date",
    "timestamp",
    "timestamp_ntz",
    "binary",
];

/// A line of the log.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum LogLine {
    Protocol(Protocol),
    MetaData(MetaData),
    Add(Add),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Protocol {
    min_reader_version: u64,
    min_writer_version: u64,
    #[serde(default)]
    reader_features: Vec<String>,
    #[serde(default)]
    writer_features: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MetaData {
    id: String,
    format: Provider,
    schema_string: String,
    partition_columns: Vec<String>,
    configuration: BTreeMap<String, String>,
    created_time: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Provider {
    provider: String,
    options: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Add {
    path: String,
    partition_values: BTreeMap<String, String>,
    size: u64,
    modification_time: u64,
    data_change: bool,
    stats: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stats {
    num_records: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Struct {
    #[serde(rename = "type")]
    of: String,
    fields: Vec<Field>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    name: String,
    #[serde(rename = "type")]
    of: String,
    nullable: bool,
    metadata: BTreeMap<String, String>,
}

/// Whether the log may be opened: it is in a plain folder, and there is nothing else.
pub(super) fn is_alone(dir: &Path, faults: &mut Vec<Fault>) -> Result<bool, VerifyError> {
    let folder = dir.join(FOLDER);
    match folder.symlink_metadata() {
        Ok(about) if about.is_dir() => {}
        Ok(_) => {
            faults.push(Fault::new(FaultKind::FileName, format!("{FOLDER} is not a folder")));
            return Ok(false);
        }
        // That the log is missing is found where files are checked.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(VerifyError::Folder(error)),
    }
    for entry in std::fs::read_dir(&folder).map_err(VerifyError::Folder)? {
        let name = entry.map_err(VerifyError::Folder)?.file_name();
        let name = format!("{FOLDER}/{}", name.to_string_lossy());
        if name != DELTA_LOG {
            faults.push(Fault::new(FaultKind::ExtraFile, format!("{name} is in the folder, but not in the manifest")));
        }
    }
    Ok(true)
}

/// Reads the log and compares it with the manifest.
pub(super) fn check(dir: &Path, manifest: &Manifest, faults: &mut Vec<Fault>) -> Result<(), VerifyError> {
    let mut text = String::new();
    let most = MOST_BYTES.saturating_add(MOST_BYTES_OF_FILE.saturating_mul(manifest.files.len() as u64));
    let file = File::open(dir.join(DELTA_LOG)).map_err(VerifyError::Folder)?;
    let why = match file.take(most).read_to_string(&mut text) {
        Ok(_) => fault_of(&text, manifest),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Some("is not a text"),
        Err(error) => return Err(VerifyError::Folder(error)),
    };
    faults.extend(why.map(|why| Fault::new(FaultKind::DeltaLog, format!("{DELTA_LOG} {why}"))));
    Ok(())
}

/// What is wrong with a log, if anything.
fn fault_of(text: &str, manifest: &Manifest) -> Option<&'static str> {
    let (mut protocols, mut tables, mut added) = (Vec::new(), Vec::new(), BTreeMap::new());
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(LogLine::Protocol(protocol)) => protocols.push(protocol),
            Ok(LogLine::MetaData(table)) => tables.push(table),
            Ok(LogLine::Add(add)) => {
                if added.insert(add.path.clone(), add).is_some() {
                    return Some("names a file twice");
                }
            }
            // The words of the parser may quote the text.
            Err(_) => return Some("has a line that a release does not have"),
        }
    }
    let ([protocol], [table]) = (protocols.as_slice(), tables.as_slice()) else {
        return Some("does not have one protocol and one table");
    };
    let (fields, has_local_instants) = match columns_of(table, manifest) {
        Ok(found) => found,
        Err(why) => return Some(why),
    };
    let created = table.created_time;
    let files_agree = added.len() == manifest.files.len()
        && manifest.files.iter().all(|file| {
            file.format == Format::Parquet
                && added.get(&file.name).is_some_and(|add| is_file(add, (file.bytes, file.rows), created))
        });
    match () {
        () if !is_known(protocol, has_local_instants) => Some("needs readers that are not known"),
        () if !fields => Some("does not have the published columns"),
        () if manifest.two_tables.is_some() => Some("is that of one table, but the release has two"),
        () if !files_agree => Some("does not have the files of the manifest"),
        () if table.id.chars().filter(|&letter| letter != '-').collect::<String>() != manifest.release => {
            Some("has another number than the release")
        }
        () => None,
    }
}

/// Whether a protocol is the plain one, or the one for instants without a time zone.
fn is_known(protocol: &Protocol, has_local_instants: bool) -> bool {
    let features = [&protocol.reader_features, &protocol.writer_features];
    match (protocol.min_reader_version, protocol.min_writer_version) {
        (1, 2) => !has_local_instants && features.iter().all(|features| features.is_empty()),
        (3, 7) => features.iter().all(|features| matches!(features.as_slice(), [one] if one == "timestampNtz")),
        _ => false,
    }
}

/// Whether the columns are the published ones in their order, and some has instants without a time zone.
fn columns_of(table: &MetaData, manifest: &Manifest) -> Result<(bool, bool), &'static str> {
    let MetaData { format, partition_columns, configuration, .. } = table;
    if format.provider != "parquet"
        || !(format.options.is_empty() && partition_columns.is_empty() && configuration.is_empty())
    {
        return Err("has settings that a release does not have");
    }
    let schema: Struct = serde_json::from_str(&table.schema_string).map_err(|_| "has columns that cannot be read")?;
    let published = manifest.columns.iter().filter(|column| column.is_published());
    let is_column = |(field, column): (&Field, &ColumnEntry)| field.name == column.name;
    let is_plain = |field: &Field| field.nullable && field.metadata.is_empty() && is_type(&field.of);
    let agree = schema.of == "struct"
        && published.clone().count() == schema.fields.len()
        && schema.fields.iter().zip(published).all(is_column)
        && schema.fields.iter().all(is_plain);
    Ok((agree, schema.fields.iter().any(|field| field.of == "timestamp_ntz")))
}

fn is_type(word: &str) -> bool {
    let decimal = || {
        let (digits, places) = word.strip_prefix("decimal(")?.strip_suffix(')')?.split_once(',')?;
        let (digits, places): (u8, u8) = (digits.parse().ok()?, places.parse().ok()?);
        (places <= digits && (1..=38).contains(&digits)).then_some(())
    };
    TYPES.contains(&word) || decimal().is_some()
}

/// Whether a file of the log is one of the manifest with this length and these rows.
fn is_file(add: &Add, (bytes, rows): (u64, u64), created: u64) -> bool {
    let stats = serde_json::from_str(&add.stats).is_ok_and(|stats: Stats| stats.num_records == rows);
    stats && add.size == bytes && add.data_change && add.partition_values.is_empty() && add.modification_time == created
}

#[cfg(test)]
mod tests;
