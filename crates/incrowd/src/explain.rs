//! Why a value changed, read from the custodian's record of a release.

use std::path::Path;

use serde::Serialize;

use crate::anonymize::{ColumnWhy, LevelWhy};
use crate::error::{Error, Result};
use crate::release::Record;

/// The way of a published value: column → level → the rule that forced it.
#[derive(Clone, Debug, Serialize)]
pub struct Explained {
    /// The column.
    pub column: String,
    /// The published value, when one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// How many levels its hierarchy has above the values.
    pub height: usize,
    /// The levels that are published, or the one of the value.
    pub levels: Vec<LevelWhy>,
}

/// Explains a column of a release, or one of its published values.
pub fn explain_value(release: &Path, column: &str, value: Option<&str>) -> Result<Explained> {
    let record = Record::of(release)?.ok_or_else(|| Error::NoRecord(release.into()))?;
    let why: &ColumnWhy =
        record.why.iter().find(|why| why.name == column).ok_or(Error::NothingToExplain { what: "quasi-identifier" })?;
    let hierarchy = record.hierarchy(release, column)?.ok_or_else(|| Error::NoRecord(release.into()))?;
    let unknown = Error::NothingToExplain { what: "value" };
    let levels = match value {
        None => why.levels.clone(),
        Some(value) => {
            let published = |level: &LevelWhy| {
                hierarchy.find(value).any(|node| node.level() == level.level)
                    || (level.level == hierarchy.height() && value == incrowd_core::ROOT_LABEL)
            };
            let found = why.levels.iter().find(|level| published(level));
            vec![found.cloned().ok_or(unknown)?]
        }
    };
    Ok(Explained { column: column.into(), value: value.map(Into::into), height: hierarchy.height(), levels })
}
