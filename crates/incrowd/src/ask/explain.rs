//! Why a value changed, read from the custodian's record of a release.

use std::path::Path;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::release::{ColumnWhy, LevelWhy, OpenedRelease, Record};

/// The way of a published value: column → level → the rule that forced it.
#[derive(Clone, Debug, Serialize)]
pub struct Explained {
    /// The column.
    pub column: String,
    /// The published value, when one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// How many levels its hierarchy has above the values; nothing for sets and free intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<usize>,
    /// The levels that are published, or the one of the value.
    pub levels: Vec<LevelWhy>,
}

/// Explains a column of a release, or one of its published values, by the record next to it.
pub fn explain_value(release: &Path, column: &str, value: Option<&str>) -> Result<Explained> {
    explain_by(OpenedRelease::open(release, None)?.required_record()?, column, value)
}

/// As [`explain_value`], by this record.
pub fn explain_by(record: &Record, column: &str, value: Option<&str>) -> Result<Explained> {
    let why: &ColumnWhy =
        record.why.iter().find(|why| why.name == column).ok_or(Error::NothingToExplain { what: "quasi-identifier" })?;
    let hierarchy = record.hierarchy(column)?;
    let unknown = Error::NothingToExplain { what: "value" };
    let levels = match value {
        None => why.levels.clone(),
        Some(value) => {
            let published = |level: &LevelWhy| match &hierarchy {
                Some(hierarchy) => {
                    hierarchy.find(value).any(|node| node.level() == level.level)
                        || (level.level == hierarchy.height() && value == incrowd_core::ROOT_LABEL)
                }
                // Sets and free intervals have one level above the values.
                None => (level.level > 0) == (value == incrowd_core::ROOT_LABEL || value.starts_with(['{', '['])),
            };
            let found = why.levels.iter().find(|level| published(level));
            vec![found.cloned().ok_or(unknown)?]
        }
    };
    let height = hierarchy.map(|hierarchy| hierarchy.height());
    Ok(Explained { column: column.into(), value: value.map(Into::into), height, levels })
}
