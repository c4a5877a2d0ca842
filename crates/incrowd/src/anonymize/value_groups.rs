//! Columns whose treatment looks at all cells before it publishes one: microaggregated numbers and sets of items.
//!
//! What is decided from the whole table may not hold for the rows that are published, because rows can be suppressed. So
//! the staged rows are counted again, and what does not hold is made coarser.

use std::sync::Arc;

use incrowd_engine::{Engine, Source};

use super::columns::{ColumnGroups, Columns};
use super::{AnonymizeOptions, item_labels, mean_groups};
use crate::error::Result;
use crate::exposure::PublishedRows;

/// Counts the cells of each such column, and decides what is published of them.
pub(super) fn group(
    engine: &Engine,
    source: &Source,
    columns: &Columns,
    options: &AnonymizeOptions,
) -> Result<ColumnGroups> {
    let mut groups = mean_groups::group(engine, source, columns)?;
    groups.extend(item_labels::group(engine, source, columns, options)?);
    Ok(groups)
}

/// The same after what does not hold for the published rows was made coarser; nothing when all of it holds.
pub(super) fn merged(
    engine: &Engine,
    columns: &Columns,
    options: &AnonymizeOptions,
    groups: &ColumnGroups,
    rows: &PublishedRows,
) -> Result<Option<ColumnGroups>> {
    let mut changed = mean_groups::merged(engine, columns, groups, rows)?;
    changed.extend(item_labels::raised(engine, columns, options, groups, rows)?);
    if changed.is_empty() {
        return Ok(None);
    }
    let unchanged = groups.iter().map(|(column, groups)| (column.clone(), Arc::clone(groups)));
    Ok(Some(unchanged.chain(changed).collect()))
}
