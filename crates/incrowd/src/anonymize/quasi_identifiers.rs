//! Each quasi-identifier with its hierarchy: the one named for it, else one built by its type.

use incrowd_core::{FrequencyTable, Hierarchy, QuasiIdentifier};

use super::AnonymizeOptions;
use crate::error::{Error, Result};

/// The quasi-identifiers bound to the table, and their hierarchies.
pub(super) fn build(
    table: &FrequencyTable,
    names: &[String],
    options: &AnonymizeOptions,
) -> Result<(Vec<QuasiIdentifier>, Vec<Hierarchy>)> {
    if let Some(name) = options.hierarchies.keys().find(|name| !names.contains(name)) {
        return Err(Error::UselessHierarchy(name.clone()));
    }
    let mut bound = Vec::with_capacity(names.len());
    let mut hierarchies = Vec::with_capacity(names.len());
    for (column, name) in names.iter().enumerate() {
        let dictionary = &table.attributes()[column].dictionary;
        let of_column = |error| Error::HierarchyOf { column: name.clone(), error };
        let hierarchy = match options.hierarchies.get(name) {
            Some(choice) => choice.plan.build(dictionary, &choice.folder)?,
            None => Hierarchy::suggest(dictionary).map_err(of_column)?.hierarchy,
        };
        bound.push(QuasiIdentifier::new(column, &hierarchy, dictionary).map_err(of_column)?);
        hierarchies.push(hierarchy);
    }
    Ok((bound, hierarchies))
}
