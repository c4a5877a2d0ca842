//! p-sensitivity: every class has at least p different values of the attribute. A missing value is one of them.

use super::shared::exact::whole;
use super::{Attribute, Class, Entry, Model, Parameters, RowsSay};
use crate::sql::different;

pub(super) const ENTRY: Entry = Entry {
    name: "p-sensitive",
    protects_sensitive: true,
    parameters: &["p"],
    rows_say: RowsSay::Values,
    read: PSensitive::read,
};

struct PSensitive {
    p: u64,
}

impl PSensitive {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        Ok(Box::new(PSensitive { p: whole(parameters, "p")? }))
    }
}

impl Model for PSensitive {
    fn promise(&self, sensitive: Option<&str>) -> String {
        format!("Each class has at least {} different values of {}.", self.p, sensitive.unwrap_or_default())
    }

    fn sql(&self, quasi_identifiers: &[&str], sensitive: Option<&str>) -> String {
        different(quasi_identifiers, sensitive.unwrap_or_default(), &[], self.p)
    }

    fn bind<'a>(&'a self, _attribute: Option<&'a Attribute>) -> Box<dyn Fn(&Class<'_>) -> bool + 'a> {
        Box::new(|class| class.histogram().count() as u64 >= self.p)
    }
}
