//! p-sensitivity: every class has at least p distinct values of each sensitive attribute.
//!
//! T. Truta, A. Campan and P. Meyer, "Generating microdata with p-sensitive k-anonymity property", SDM 2007, Def. 3:
//! together with k-anonymity it is p-sensitive k-anonymity. For one attribute it is distinct ℓ-diversity by another name.
//! The first of the paper's two necessary conditions, p distinct values in the whole table, is the feasibility test; the
//! second bounds how many classes there can be and is for solvers.

use super::ModelEntry;
use crate::policy::distinct_values::{DistinctValues, FewestDistinct};
use crate::policy::samples::whole_numbers;
use crate::policy::{BoundModel, HoldsFor, Model, ModelError, ParameterEntry, Parameters, Survives, TightestEntry};
use crate::{FrequencyTable, counted, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "Every class has at least p distinct sensitive values.",
    reference: "T. Truta, A. Campan and P. Meyer, Generating microdata with p-sensitive k-anonymity property, SDM 2007",
    parameters: &[P],
    example: || Parameters::from_iter([("p", 2)]),
    samples: |_| whole_numbers("p", 1..5),
    sensitive: true,
    population: false,
    several_values: false,
    tightest: &[TightestEntry::of("p", "p", HoldsFor::UpTo)],
    new: |given| Ok(Box::new(PSensitive { p: given.whole(&P)? })),
    worst_class: |column| Ok(FewestDistinct::of_values(column)),
    #[cfg(test)]
    definition: |asked, class, _| Some(class.distinct() >= asked.ratio("p").0),
};

const ID: &str = "p-sensitive";
const P: ParameterEntry = ParameterEntry::whole("p", "p", "Minimum number of distinct values per class.");

/// Every class has at least p distinct values of each named attribute.
///
/// It survives growth, and so merging: rows that join a class take no value out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PSensitive {
    /// The fewest distinct values of a class.
    pub p: u64,
}

impl Model for PSensitive {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        match self.p {
            0 | 1 => "Nothing: all people of a class may have the same sensitive value.".into(),
            p => {
                let values = counted(p, "sensitive value", "distinct sensitive values");
                format!("Every class has at least {values}.")
            }
        }
    }

    fn breach(&self) -> String {
        format!("with fewer than p = {} distinct values", thousands(self.p))
    }

    fn survives(&self) -> Survives {
        Survives::Growth
    }

    fn least_rows(&self) -> u64 {
        self.p
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        DistinctValues::of_values(ID, P.symbol, self.p, table, sensitive)
    }
}
