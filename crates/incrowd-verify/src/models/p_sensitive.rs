//! p-sensitivity: every class has at least p distinct values of the attribute. A missing value is one of them.
//!
//! T. Truta, A. Campan and P. Meyer, "Generating microdata with p-sensitive k-anonymity property", SDM 2007.

use super::shared::DistinctValues;
use super::shared::exact::whole;
use super::{Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "p-sensitive",
    protects_sensitive: true,
    of_population: false,
    parameters: &["p"],
    rows_say: RowsSay::Values,
    read,
};

fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
    Ok(Box::new(DistinctValues { least: whole(parameters, "p")?, groups: Vec::new() }))
}
