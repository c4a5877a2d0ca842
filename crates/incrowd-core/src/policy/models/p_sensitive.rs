//! p-sensitivity: every class has at least p different values of each sensitive attribute.
//!
//! T. Truta, A. Campan and P. Meyer, "Generating microdata with p-sensitive k-anonymity property", SDM 2007, Def. 3:
//! together with k-anonymity it is p-sensitive k-anonymity. For one attribute it is distinct ℓ-diversity by another name.
//! The first of the paper's two necessary conditions, p different values in the whole table, is the feasibility test; the
//! second bounds how many classes there can be and is for solvers.
//!
//! When people are counted, each person has one value: a table in which some people have several is refused. Three people
//! who all have the same two values would have two different values among them, and everybody would know both of each.

use super::ModelEntry;
use crate::policy::distinct_values::{Varied, Various};
use crate::policy::sensitive::Sensitive;
use crate::{BoundModel, FrequencyTable, Model, ModelError, Parameters, counted, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "People who look alike have at least p different values of each sensitive attribute among them.",
    reference: "T. Truta, A. Campan and P. Meyer, Generating microdata with p-sensitive k-anonymity property, SDM 2007",
    example: || Parameters::from_iter([("p", 2)]),
    sensitive: true,
    new: |parameters| {
        parameters.only(ID, &["p"])?;
        Ok(Box::new(PSensitive { p: parameters.whole(ID, "p")? }))
    },
};

const ID: &str = "p-sensitive";

/// Every class has at least p different values of each named attribute.
///
/// It survives growth, and so merging: rows that join a class take no value out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PSensitive {
    /// The fewest different values of a class.
    pub p: u64,
}

impl Model for PSensitive {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        match self.p {
            0 | 1 => "Nothing: all people of a class may share one sensitive value.".into(),
            p => {
                let values = counted(p, "value", "different values");
                format!("The people of a class have at least {values} of each sensitive attribute among them.")
            }
        }
    }

    fn breach(&self) -> String {
        format!("with fewer than p = {} different values", thousands(self.p))
    }

    fn survives_merging(&self) -> bool {
        true
    }

    fn survives_growth(&self) -> bool {
        true
    }

    fn least_rows(&self) -> u64 {
        self.p
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        let varied = |attribute| Varied { attribute, of: None };
        let attributes = Sensitive::one_each(ID, table, sensitive)?.into_iter().map(varied).collect();
        Ok(Box::new(Various { model: ID, letter: "p", least: self.p, attributes }))
    }
}
