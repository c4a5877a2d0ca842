//! Distinct ℓ-diversity: every class has at least ℓ different values of each sensitive attribute.
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "ℓ-diversity: privacy beyond k-anonymity", ACM TKDD
//! 2007, section 4.2. The weakest of the ℓ-diversities: one value may still have almost all rows of a class.
//! A missing value is a value.
//!
//! When people are counted, each person has one value: a table in which some people have several is refused. Three people
//! who all have the same two values would have two different values among them, and everybody would know both of each.

use super::ModelEntry;
use crate::policy::distinct_values::{Varied, Various};
use crate::policy::sensitive::Sensitive;
use crate::{BoundModel, FrequencyTable, Model, ModelError, Parameters, counted, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "People who look alike have at least ℓ different sensitive values among them.",
    reference: "A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, ℓ-diversity, ACM TKDD 2007",
    example: || Parameters::from_iter([("l", 3)]),
    sensitive: true,
    new: |parameters| {
        parameters.only(ID, &["l"])?;
        Ok(Box::new(DistinctLDiversity { l: parameters.whole(ID, "l")? }))
    },
};

const ID: &str = "distinct-l-diversity";

/// Every class has at least ℓ different values of each named attribute.
///
/// It survives growth, and so merging: rows that join a class take no value out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistinctLDiversity {
    /// The fewest different values of a class.
    pub l: u64,
}

impl Model for DistinctLDiversity {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        match self.l {
            0 | 1 => "Nothing: all people of a class may share one sensitive value.".into(),
            l => {
                let values = counted(l, "value", "different sensitive values");
                format!("Whoever finds out in which class somebody is still sees at least {values} there.")
            }
        }
    }

    fn breach(&self) -> String {
        format!("with fewer than ℓ = {} different values", thousands(self.l))
    }

    fn survives_merging(&self) -> bool {
        true
    }

    fn survives_growth(&self) -> bool {
        true
    }

    fn least_rows(&self) -> u64 {
        self.l
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        let varied = |attribute| Varied { attribute, of: None };
        let attributes = Sensitive::one_each(ID, table, sensitive)?.into_iter().map(varied).collect();
        Ok(Box::new(Various { model: ID, letter: "ℓ", least: self.l, attributes }))
    }
}
