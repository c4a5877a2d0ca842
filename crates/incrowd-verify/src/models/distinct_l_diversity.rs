//! Distinct ℓ-diversity: every class has at least ℓ distinct values of the attribute. A missing value is one of them.
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "ℓ-diversity: privacy beyond k-anonymity", ACM
//! TKDD 2007.

use super::shared::DistinctValues;
use super::shared::exact::whole;
use super::{Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "distinct-l-diversity",
    protects_sensitive: true,
    of_population: false,
    parameters: &["l"],
    rows_say: RowsSay::Values,
    read,
};

fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
    Ok(Box::new(DistinctValues { least: whole(parameters, "l")?, groups: Vec::new() }))
}
