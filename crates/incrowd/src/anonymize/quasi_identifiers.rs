//! Each quasi-identifier with what it may become: along the hierarchy named for it, as sets or free intervals when these
//! are asked for, else along a hierarchy built by its type.

use incrowd_core::{FrequencyTable, Hierarchy, QuasiIdentifier, Treatment};

use super::AnonymizeOptions;
use crate::error::{Error, Result};
use crate::request::{BuildPlan, HierarchyPlan};

/// The quasi-identifiers bound to the table, and the hierarchies of those that have one.
pub(super) fn build(
    table: &FrequencyTable,
    names: &[String],
    options: &AnonymizeOptions,
    memory: Option<u64>,
) -> Result<(Vec<QuasiIdentifier>, Vec<Option<Hierarchy>>)> {
    let is_used =
        |name: &String| names.contains(name) || matches!(options.treatments.get(name), Some(Treatment::Items(_)));
    if let Some(name) = options.hierarchies.keys().find(|name| !is_used(name)) {
        return Err(Error::UselessHierarchy(name.clone()));
    }
    let mut bound = Vec::with_capacity(names.len());
    let mut hierarchies = Vec::with_capacity(names.len());
    for (column, name) in names.iter().enumerate() {
        let dictionary = &table.attributes()[column].dictionary;
        let of_column = |error| Error::HierarchyOf { column: name.clone(), error };
        let choice = options.hierarchies.get(name);
        let hierarchy = match choice {
            Some(choice) => choice.plan.build(dictionary, &choice.folder, memory).map_err(|error| match error {
                Error::Hierarchy(error) => of_column(error),
                other => other,
            })?,
            None => Some(Hierarchy::suggest(dictionary).map_err(of_column)?.hierarchy),
        };
        let quasi = match (&hierarchy, choice.map(|choice| &choice.plan)) {
            (Some(hierarchy), _) => QuasiIdentifier::new(column, hierarchy, dictionary),
            (None, Some(HierarchyPlan::Build(BuildPlan::FreeIntervals))) => {
                QuasiIdentifier::intervals(column, dictionary)
            }
            (None, _) => QuasiIdentifier::sets(column, dictionary),
        };
        bound.push(quasi.map_err(of_column)?);
        hierarchies.push(hierarchy);
    }
    Ok((bound, hierarchies))
}
