//! Extended p-sensitivity: every class has values from at least p different protected groups of each sensitive attribute.
//!
//! A. Campan and T. Truta, "Extended p-sensitive k-anonymity", Studia Informatica 2006, as told by Truta, Campan and Meyer
//! (Def. 4–6): the values of a sensitive attribute stand in a hierarchy, some of its inner nodes are protected, and a
//! class needs values below at least p different *strong* nodes, a strong node being a protected one without a protected
//! ancestor. Every ground value is protected, so one that is below no protected node is strong by itself. That is plain
//! p-sensitivity after each value is replaced, for judging only, by its strong ancestor.
//!
//! What the model has to know is only which values share a strong ancestor. So its parameter `groups` lists, for each
//! protected node, the values below it. Whoever has a hierarchy and the names of nodes makes such lists of it; where
//! groups overlap, the node that holds the other one is the strong one, and only its list is given.
//!
//! Values of a group need not all occur, so that a list can be that of a hierarchy and says nothing about the table. A
//! missing value is in no group.
//!
//! When people are counted, the values of each person are of one group: a table in which some people have values of several is
//! refused, for the reason that p-sensitivity refuses several values.

use super::ModelEntry;
use crate::policy::distinct_values::{Varied, Various};
use crate::policy::sensitive::Sensitive;
use crate::{BoundModel, FrequencyTable, Model, ModelError, Parameters, counted, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "People who look alike have at least p different kinds of sensitive values among them; a protected group of \
              values is one kind.",
    reference: "A. Campan and T. Truta, Extended p-sensitive k-anonymity, Studia Informatica 51(2), 2006",
    example: || Parameters::from_iter([("p", 2)]).with("groups", vec![vec!["flu".to_owned(), "cold".to_owned()]]),
    sensitive: true,
    new: |parameters| {
        parameters.only(ID, &["p", "groups"])?;
        let p = parameters.whole(ID, "p")?;
        let groups = parameters.lists(ID, "groups", NEEDED)?.unwrap_or_default();
        let mut values: Vec<&String> = groups.iter().flatten().collect();
        values.sort_unstable();
        if groups.is_empty() || values.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(ModelError::Parameter { model: ID, name: "groups", needed: NEEDED });
        }
        Ok(Box::new(ExtendedPSensitive { p, groups }))
    },
};

const ID: &str = "extended-p-sensitive";
const NEEDED: &str = "for each protected node the list of its values, no value in two of them";

/// Every class has values from at least p different groups of each named attribute; a value in no group is one by itself.
///
/// It survives growth, and so merging: rows that join a class take no group out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtendedPSensitive {
    /// The fewest different groups of a class.
    pub p: u64,
    /// The values below each strong node.
    pub groups: Vec<Vec<String>>,
}

impl Model for ExtendedPSensitive {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        match self.p {
            0 | 1 => "Nothing: all people of a class may share one kind of sensitive value.".into(),
            p => {
                let kinds = counted(p, "kind", "different kinds");
                format!(
                    "The people of a class have at least {kinds} of sensitive values among them, where values of one \
                     protected group count as one kind."
                )
            }
        }
    }

    fn breach(&self) -> String {
        format!("with fewer than p = {} kinds of values", thousands(self.p))
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
        let varied = |attribute: Sensitive| {
            let mut of: Vec<u32> = (0..attribute.codes as u32).collect();
            for group in &self.groups {
                let codes: Vec<u32> = group.iter().filter_map(|value| attribute.code(table, value)).collect();
                // As a whole it is the first of its values that occurs.
                let Some(&first) = codes.first() else {
                    return Err(ModelError::UnknownValue { column: attribute.name });
                };
                codes.into_iter().for_each(|code| of[code as usize] = first);
            }
            attribute.refuse_several(ID, table, |code| of[code as usize])?;
            Ok(Varied { attribute, of: Some(of) })
        };
        let attributes = Sensitive::of(ID, table, sensitive)?.into_iter().map(varied);
        let attributes = attributes.collect::<Result<Vec<_>, ModelError>>()?;
        Ok(Box::new(Various { model: ID, letter: "p", least: self.p, attributes }))
    }
}
