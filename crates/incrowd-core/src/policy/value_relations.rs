//! Which values of a sensitive attribute are akin: what a hierarchy over them says, for the figures that need one.

use crate::policy::earth_movers_distance::Ground;
use crate::policy::sensitive::Sensitive;
use crate::{Apart, FrequencyTable, ModelEntry, ModelError, Parameters};

/// What is known about the values of a sensitive attribute. Nothing, unless told otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Akin {
    /// For each value its path: the value, its node on each level, and the root. For hierarchical t-closeness.
    pub tree: Option<Vec<Vec<String>>>,
    /// The values below each protected node, no value twice. For extended p-sensitivity.
    pub groups: Option<Vec<Vec<String>>>,
}

impl Akin {
    /// How far values are apart along the tree, if there is one; refused as t-closeness refuses it.
    pub(crate) fn ground(&self, table: &FrequencyTable, attribute: &Sensitive) -> Result<Option<Ground>, ModelError> {
        let Some(tree) = &self.tree else { return Ok(None) };
        let parameters = Parameters::from_iter([("t", "1"), ("distance", "hierarchical")]).with("tree", tree.clone());
        (ModelEntry::find("t-closeness")?.new)(&parameters)?;
        Apart::Hierarchical(tree.clone()).ground(table, attribute).map(Some)
    }

    /// For each code the number of the kind it is of, if there are groups; refused as extended p-sensitivity refuses
    /// them.
    pub(crate) fn kinds(&self, table: &FrequencyTable, attribute: &Sensitive) -> Result<Option<Vec<u32>>, ModelError> {
        let Some(groups) = &self.groups else { return Ok(None) };
        let parameters = Parameters::from_iter([("p", 1)]).with("groups", groups.clone());
        let model = (ModelEntry::find("extended-p-sensitive")?.new)(&parameters)?;
        let asked = model.bind(table, &[attribute.at])?.varieties().pop();
        Ok(asked.map(|variety| variety.things))
    }
}
