//! Distinct ℓ-diversity: every class has at least ℓ different values of the attribute. A missing value is one of them.

use super::shared::exact::whole;
use super::{Attribute, Class, Entry, Model, Parameters, RowsSay};
use crate::sql::different;

pub(super) const ENTRY: Entry = Entry {
    name: "distinct-l-diversity",
    protects_sensitive: true,
    parameters: &["l"],
    rows_say: RowsSay::Values,
    read: DistinctLDiversity::read,
};

struct DistinctLDiversity {
    l: u64,
}

impl DistinctLDiversity {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        Ok(Box::new(DistinctLDiversity { l: whole(parameters, "l")? }))
    }
}

impl Model for DistinctLDiversity {
    fn promise(&self, sensitive: Option<&str>) -> String {
        format!("Each class has at least {} different values of {}.", self.l, sensitive.unwrap_or_default())
    }

    fn sql(&self, quasi_identifiers: &[&str], sensitive: Option<&str>) -> String {
        different(quasi_identifiers, sensitive.unwrap_or_default(), &[], self.l)
    }

    fn bind<'a>(&'a self, _attribute: Option<&'a Attribute>) -> Box<dyn Fn(&Class<'_>) -> bool + 'a> {
        Box::new(|class| class.histogram().count() as u64 >= self.l)
    }
}
