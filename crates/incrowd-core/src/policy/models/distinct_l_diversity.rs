//! Distinct ℓ-diversity: every class has at least ℓ distinct values of each sensitive attribute.
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "ℓ-diversity: privacy beyond k-anonymity", ACM TKDD
//! 2007, section 4.2. The weakest of the ℓ-diversities: one value may still have almost all rows of a class.
//! A missing value is a value.

use super::ModelEntry;
use crate::policy::distinct_values::{DistinctValues, FewestDistinct};
use crate::policy::samples::whole_numbers;
use crate::policy::{BoundModel, HoldsFor, Model, ModelError, ParameterEntry, Parameters, Survives, TightestEntry};
use crate::{FrequencyTable, counted, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "Every class has at least ℓ distinct sensitive values.",
    reference: "A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, ℓ-diversity, ACM TKDD 2007",
    parameters: &[L],
    example: || Parameters::from_iter([("l", 3)]),
    samples: |_| whole_numbers("l", 1..6),
    sensitive: true,
    population: false,
    several_values: false,
    tightest: &[TightestEntry::of("distinct_l", "l", HoldsFor::UpTo)],
    new: |given| Ok(Box::new(DistinctLDiversity { l: given.whole(&L)? })),
    worst_class: |column| Ok(FewestDistinct::of_values(column)),
    #[cfg(test)]
    definition: |asked, class, _| Some(class.distinct() >= asked.ratio("l").0),
};

const ID: &str = "distinct-l-diversity";
const L: ParameterEntry = ParameterEntry::whole("l", "ℓ", "Minimum number of distinct values per class.");

/// Every class has at least ℓ distinct values of each named attribute.
///
/// It survives growth, and so merging: rows that join a class take no value out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistinctLDiversity {
    /// The fewest distinct values of a class.
    pub l: u64,
}

impl Model for DistinctLDiversity {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        match self.l {
            0 | 1 => "Nothing: all people of a class may have the same sensitive value.".into(),
            l => {
                let values = counted(l, "value", "distinct sensitive values");
                format!("Every class has at least {values}.")
            }
        }
    }

    fn breach(&self) -> String {
        format!("with fewer than ℓ = {} distinct values", thousands(self.l))
    }

    fn survives(&self) -> Survives {
        Survives::Growth
    }

    fn least_rows(&self) -> u64 {
        self.l
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        DistinctValues::of_values(ID, L.symbol, self.l, table, sensitive)
    }
}
