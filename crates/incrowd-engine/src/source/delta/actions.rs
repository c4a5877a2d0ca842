//! What a log says: actions, and the table that they add up to.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use url::Url;

use crate::runtime::error::LakehouseFault;

/// Features of readers that change nothing about which rows a file has, and how its columns are called.
const UNDERSTOOD: [&str; 3] = ["timestampNtz", "vacuumProtocolCheck", "appendOnly"];
/// Features that do, where they are used: looked for file by file, and in the configuration.
const LOOKED_FOR: [&str; 2] = ["deletionVectors", "columnMapping"];

/// A line of a commit: one of these, or something that does not matter to a reader.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Action {
    pub(super) add: Option<AddedFile>,
    pub(super) remove: Option<RemovedFile>,
    pub(super) meta_data: Option<TableMetadata>,
    pub(super) protocol: Option<ReaderProtocol>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AddedFile {
    pub(super) path: String,
    /// Rows of the file that are deleted.
    pub(super) deletion_vector: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RemovedFile {
    pub(super) path: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TableMetadata {
    pub(super) partition_columns: Vec<String>,
    pub(super) configuration: BTreeMap<String, Option<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReaderProtocol {
    pub(super) min_reader_version: u64,
    #[serde(default)]
    pub(super) reader_features: Option<Vec<String>>,
}

/// A table, as far as the log was read.
#[derive(Debug)]
pub(super) struct DeltaState {
    /// The folder of the table, to which names in the log are relative.
    folder: Url,
    /// The files by their addresses, and whether some of their rows are deleted.
    files: BTreeMap<Url, bool>,
    metadata: Option<TableMetadata>,
    protocol: Option<ReaderProtocol>,
}

impl DeltaState {
    /// A table without files.
    pub(super) fn new(folder: Url) -> DeltaState {
        DeltaState { folder, files: BTreeMap::new(), metadata: None, protocol: None }
    }

    /// The address of a file: two writings of one name are one file.
    fn address(&self, name: &str) -> Result<Url, LakehouseFault> {
        self.folder.join(name).map_err(|_| LakehouseFault::FilesElsewhere)
    }

    /// Applies the actions of a commit, or of a file of a checkpoint.
    pub(super) fn commit(&mut self, actions: Vec<Action>) -> Result<(), LakehouseFault> {
        // In any order: a file that is removed, and added with other deleted rows, is there.
        for removed in actions.iter().filter_map(|action| action.remove.as_ref()) {
            self.files.remove(&self.address(&removed.path)?);
        }
        for Action { add, meta_data, protocol, .. } in actions {
            if let Some(added) = add {
                self.files.insert(self.address(&added.path)?, added.deletion_vector.is_some());
            }
            self.metadata = meta_data.or(self.metadata.take());
            self.protocol = protocol.or(self.protocol.take());
        }
        Ok(())
    }

    /// The addresses of its files, if reading them gives the table.
    pub(super) fn files(self) -> Result<Vec<Url>, LakehouseFault> {
        let (Some(protocol), Some(metadata)) = (self.protocol, self.metadata) else {
            return Err(LakehouseFault::Damaged);
        };
        let features = protocol.reader_features.unwrap_or_default();
        let is_known =
            |feature: &String| UNDERSTOOD.contains(&feature.as_str()) || LOOKED_FOR.contains(&feature.as_str());
        if let Some(feature) = features.into_iter().find(|feature| !is_known(feature)) {
            return Err(LakehouseFault::Feature(feature));
        }
        if protocol.min_reader_version > 3 {
            return Err(LakehouseFault::Feature(format!("readers of version {}", protocol.min_reader_version)));
        }
        let mapping = metadata.configuration.get("delta.columnMapping.mode").and_then(Option::as_deref);
        if mapping.is_some_and(|mode| mode != "none") {
            return Err(LakehouseFault::Feature("columnMapping".into()));
        }
        if self.files.values().any(|&has_deleted_rows| has_deleted_rows) {
            return Err(LakehouseFault::Feature("deletionVectors".into()));
        }
        if !metadata.partition_columns.is_empty() {
            return Err(LakehouseFault::Partitioned(metadata.partition_columns));
        }
        Ok(self.files.into_keys().collect())
    }
}
