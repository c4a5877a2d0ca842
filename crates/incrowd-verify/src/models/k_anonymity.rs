//! k-anonymity: no one can be told from fewer than k − 1 others.
//!
//! P. Samarati and L. Sweeney, "Protecting privacy when disclosing information", 1998.

use serde_json::Value;

use super::shared::SensitiveAttribute;
use super::shared::sql::ClassColumns;
use super::{ClassTest, Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "k-anonymity",
    protects_sensitive: false,
    of_population: false,
    parameters: &["k"],
    rows_say: RowsSay::Necessary,
    read: KAnonymity::read,
};

struct KAnonymity {
    k: u64,
}

impl KAnonymity {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        match parameters.get("k").and_then(Value::as_u64) {
            Some(k) if k > 0 => Ok(Box::new(KAnonymity { k })),
            _ => Err("k is not an integer above 0".to_string()),
        }
    }
}

impl Model for KAnonymity {
    fn promise(&self, _of: &str) -> String {
        let rows = if self.k == 1 { "1 row".to_string() } else { format!("{} rows", self.k) };
        format!("Each combination of published quasi-identifiers occurs in at least {rows}.")
    }

    fn promise_by_id(&self, _of: &str) -> String {
        format!("Each class number occurs in at least {} rows of each table.", self.k)
    }

    fn promise_of_people(&self, _of: &str) -> String {
        format!("Each class has rows of at least {} people.", self.k)
    }

    fn sql(&self, quasi_identifiers: &[&str], _of: &str) -> String {
        let classes = ClassColumns(quasi_identifiers);
        let k = self.k;
        format!(
            "SELECT {}COUNT(*) FROM \"release\"{} HAVING COUNT(*) < {k}",
            classes.listed_before(),
            classes.group_by()
        )
    }

    fn bind<'a>(&'a self, _attribute: &'a SensitiveAttribute) -> ClassTest<'a> {
        Box::new(|class| class.size >= self.k)
    }
}
