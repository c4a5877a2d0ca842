//! Extended p-sensitivity: every class has values of at least p different kinds, where the values of a protected group
//! are of one kind, and every other value, the missing one included, is of its own.
//!
//! A. Campan and T. Truta, "Extended p-sensitive k-anonymity", Studia Informatica 51(2), 2006.

use std::collections::BTreeSet;

use super::shared::DistinctValues;
use super::shared::exact::{lists, whole};
use super::{Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "extended-p-sensitive",
    protects_sensitive: true,
    of_population: false,
    parameters: &["p", "groups"],
    rows_say: RowsSay::Values,
    read,
};

fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
    let groups = parameters.get("groups").and_then(lists).ok_or("groups is not a list of lists of values")?;
    let distinct: BTreeSet<&String> = groups.iter().flatten().collect();
    if distinct.len() < groups.iter().map(Vec::len).sum() {
        return Err("a value is in groups twice".to_string());
    }
    Ok(Box::new(DistinctValues { least: whole(parameters, "p")?, groups }))
}
