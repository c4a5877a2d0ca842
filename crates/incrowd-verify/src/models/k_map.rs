//! k-map: every published row matches at least k people of a population.
//!
//! L. Sweeney, "Computational disclosure control", 2001; K. El Emam and F. K. Dankar, "Protecting privacy using
//! k-anonymity", JAMIA 2008. Who matches a class is counted in `population/`.

use serde_json::Value;

use super::shared::SensitiveAttribute;
use super::{ClassTest, Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "k-map",
    protects_sensitive: false,
    of_population: true,
    parameters: &["k"],
    rows_say: RowsSay::Nothing,
    read: KMap::read,
};

struct KMap {
    k: u64,
}

impl KMap {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        match parameters.get("k").and_then(Value::as_u64) {
            Some(k) if k > 0 => Ok(Box::new(KMap { k })),
            _ => Err("k is not an integer above 0".to_string()),
        }
    }
}

impl Model for KMap {
    fn promise(&self, _of: &str) -> String {
        format!("Each combination of published quasi-identifiers matches at least {} people of the population.", self.k)
    }

    fn sql(&self, _quasi_identifiers: &[&str], _of: &str) -> String {
        String::new()
    }

    fn bind<'a>(&'a self, _attribute: &'a SensitiveAttribute) -> ClassTest<'a> {
        Box::new(|class| class.matching >= self.k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::shared::ClassCounts;

    #[test]
    fn people_of_the_population_count_and_rows_do_not() {
        let attribute = SensitiveAttribute::default();
        let model = KMap { k: 5 };
        let is_kept = model.bind(&attribute);
        let class = |size, matching| ClassCounts { size, values: &[], holdings: None, matching };
        assert!(is_kept(&class(1, 5)) && is_kept(&class(1, 6)) && !is_kept(&class(9, 4)));
    }
}
