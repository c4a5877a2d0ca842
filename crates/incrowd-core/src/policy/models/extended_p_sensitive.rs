//! Extended p-sensitivity: every class has values from at least p different protected groups of each sensitive attribute.
//!
//! A. Campan and T. Truta, "Extended p-sensitive k-anonymity", Studia Informatica 2006, as described by Truta, Campan and Meyer
//! (Def. 4–6): the values of a sensitive attribute stand in a hierarchy, some of its inner nodes are protected, and a
//! class needs values below at least p different *strong* nodes, a strong node being a protected one without a protected
//! ancestor. Every ground value is protected, so one that is below no protected node is itself strong. That is plain
//! p-sensitivity after each value is replaced, for judging only, by its strong ancestor.
//!
//! What the model has to know is only which values share a strong ancestor. So its parameter `groups` lists, for each
//! protected node, the values below it. A caller with a hierarchy and the names of nodes makes such lists of them; where
//! groups overlap, the node that holds the other one is the strong one, and only its list is given.
//!
//! Values of a group need not all occur, so that a list can be that of a hierarchy and says nothing about the table. A
//! missing value is in no group.
//!
//! When people are counted, the values of each person are of one group: a table in which some people have values of several is
//! refused, for the reason that p-sensitivity refuses several values.

use super::ModelEntry;
use crate::policy::distinct_values::{CountedAttribute, DistinctValues, FewestDistinct};
use crate::policy::parameter_entry::GivenParameters;
use crate::policy::samples::{each_with, whole_numbers};
use crate::policy::sensitive::Sensitive;
use crate::policy::{BoundModel, HoldsFor, Model, ModelError, ParameterEntry, Parameters, Survives, TightestEntry};
use crate::{FrequencyTable, counted, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "Every class has at least p distinct categories of sensitive values; a protected group of values is one \
              category.",
    reference: "A. Campan and T. Truta, Extended p-sensitive k-anonymity, Studia Informatica 51(2), 2006",
    parameters: &[P, GROUPS],
    example: || Parameters::from_iter([("p", 2)]).with("groups", vec![vec!["flu".to_owned(), "cold".to_owned()]]),
    samples: |values| {
        let pair = |a: usize, b: usize| vec![values[a % values.len()].clone(), values[b % values.len()].clone()];
        let with_unknown = vec![values[0].clone(), values[values.len() - 1].clone(), "unknown".to_owned()];
        let groups = [vec![pair(0, 1)], vec![with_unknown, vec![values[1].clone()]], vec![pair(0, 1), pair(2, 3)]];
        let groups = &groups[..if values.len() > 3 { 3 } else { 2 }];
        each_with(&whole_numbers("p", 1..5), groups, |sample, groups| sample.with("groups", groups.clone()))
    },
    sensitive: true,
    population: false,
    several_values: false,
    tightest: &[TightestEntry::with("p_extended", "p", HoldsFor::UpTo, |relations| {
        Some(Parameters::default().with("groups", relations.groups.clone()?))
    })],
    new: |given| Ok(Box::new(ExtendedPSensitive::read(given)?)),
    worst_class: |column| {
        let Some(groups) = &column.relations.groups else { return Ok(None) };
        let parameters = Parameters::from_iter([("p", 1)]).with("groups", groups.clone());
        let model = ExtendedPSensitive::read(GivenParameters::new(ID, ENTRY.parameters, &parameters)?)?;
        match model.groups_of(column.table, &column.attribute) {
            Ok(groups) => Ok(Some(FewestDistinct::of_things(column, Some(groups)))),
            Err(ModelError::SeveralValues { .. }) => Ok(None),
            Err(refused) => Err(refused),
        }
    },
    #[cfg(test)]
    definition: |asked, class, _| {
        let groups = asked.lists("groups");
        let strong = |value: &String| groups.iter().position(|group| group.contains(value)).ok_or(value.clone());
        let strong: std::collections::BTreeSet<_> = class.values().iter().map(strong).collect();
        Some(strong.len() as u64 >= asked.ratio("p").0)
    },
};

const ID: &str = "extended-p-sensitive";
const P: ParameterEntry = ParameterEntry::whole("p", "p", "Minimum number of distinct groups of values per class.");
const GROUPS: ParameterEntry = ParameterEntry::groups(
    "groups",
    "for each protected node the list of its values, no value in two of them",
    "The values of each protected group.",
);

/// Every class has values from at least p different groups of each named attribute; a value in no group is a group of its own.
///
/// It survives growth, and so merging: rows that join a class take no group out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtendedPSensitive {
    /// The fewest different groups of a class.
    pub p: u64,
    /// The values below each strong node.
    pub groups: Vec<Vec<String>>,
}

impl ExtendedPSensitive {
    fn read(given: GivenParameters<'_>) -> Result<Self, ModelError> {
        let p = given.whole(&P)?;
        let groups = given.value_lists(&GROUPS)?.unwrap_or_default();
        let mut values: Vec<&String> = groups.iter().flatten().collect();
        values.sort_unstable();
        if groups.is_empty() || values.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(given.refused(&GROUPS));
        }
        Ok(ExtendedPSensitive { p, groups })
    }

    /// For each code of an attribute the number of the group it is in; refused when a group has no value that occurs, or
    /// when some people have values of several groups.
    fn groups_of(&self, table: &FrequencyTable, attribute: &Sensitive) -> Result<Vec<u32>, ModelError> {
        let mut of: Vec<u32> = (0..).take(attribute.codes).collect();
        for group in &self.groups {
            let codes: Vec<u32> = group.iter().filter_map(|value| attribute.code(table, value)).collect();
            // As a whole it is the first of its values that occurs.
            let Some(&first) = codes.first() else {
                return Err(ModelError::UnknownValue { column: attribute.name.clone() });
            };
            codes.into_iter().for_each(|code| of[code as usize] = first);
        }
        attribute.refuse_several(ID, table, |code| of[code as usize])?;
        Ok(of)
    }
}

impl Model for ExtendedPSensitive {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        match self.p {
            0 | 1 => "Nothing: all people of a class may have the same category of sensitive values.".into(),
            p => {
                let kinds = counted(p, "category", "distinct categories");
                format!(
                    "Every class has at least {kinds} of sensitive values; the values of a protected group count as \
                     one category."
                )
            }
        }
    }

    fn breach(&self) -> String {
        format!("with fewer than p = {} categories of values", thousands(self.p))
    }

    fn survives(&self) -> Survives {
        Survives::Growth
    }

    fn least_rows(&self) -> u64 {
        self.p
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        let counted = |attribute: Sensitive| {
            let things = Some(self.groups_of(table, &attribute)?);
            Ok(CountedAttribute { attribute, things })
        };
        let attributes = Sensitive::of(ID, table, sensitive)?.into_iter().map(counted);
        let attributes = attributes.collect::<Result<Vec<_>, ModelError>>()?;
        Ok(Box::new(DistinctValues { model: ID, symbol: P.symbol, least: self.p, attributes }))
    }
}
