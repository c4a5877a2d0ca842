//! α-deassociation: in no class is the share of protected values above α.
//!
//! When people are counted, the share is that of the people who have the value, or any of the named ones, at least
//! once.
//!
//! Protected are the named values taken together, or, when none is named, every value separately. `exact` asks for
//! share ≤ α, `refined` for count ≤ ⌈α·size⌉. α is a ratio of whole numbers, so nothing is rounded.
//!
//! R. Wong, J. Li, A. Fu and K. Wang, "(α, k)-anonymity", KDD 2006.

use serde_json::Value;

use super::shared::SensitiveAttribute;
use super::shared::exact::texts;
use super::shared::sql::{ClassColumns, identifier, literals, unused};
use super::{ClassTest, Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "alpha-deassociation",
    protects_sensitive: true,
    of_population: false,
    parameters: &["alpha", "values", "rule"],
    rows_say: RowsSay::Nothing,
    read: AlphaDeassociation::read,
};

struct AlphaDeassociation {
    numerator: u64,
    denominator: u64,
    /// The protected values taken together; nothing when every value is protected separately.
    values: Option<Vec<String>>,
    refined: bool,
}

impl AlphaDeassociation {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let (numerator, denominator) = parameters
            .get("alpha")
            .and_then(Value::as_str)
            .and_then(|text| text.split_once('/'))
            .and_then(|(above, below)| Some((digits(above)?, digits(below)?)))
            .filter(|(above, below)| *below > 0 && above <= below)
            .ok_or("alpha is not a ratio of integers between 0 and 1, such as 1/2")?;
        let refined = match parameters.get("rule").map(Value::as_str) {
            None | Some(Some("exact")) => false,
            Some(Some("refined")) => true,
            _ => return Err("rule is neither exact nor refined".to_string()),
        };
        let values = match parameters.get("values") {
            Some(values) => Some(texts(values).ok_or("values is not a list of values")?),
            None => None,
        };
        Ok(Box::new(AlphaDeassociation { numerator, denominator, values, refined }))
    }

    fn allows(&self, protected: u64, size: u64) -> bool {
        let (numerator, denominator) = (u128::from(self.numerator), u128::from(self.denominator));
        let (protected, size) = (u128::from(protected), u128::from(size));
        if self.refined {
            protected <= (numerator * size).div_ceil(denominator)
        } else {
            protected * denominator <= numerator * size
        }
    }

    /// The condition under which `protected` rows of `size` are too many, as SQL.
    ///
    /// c > ⌈x⌉ is c − 1 ≥ x for a whole number c, so the refined rule needs no ceiling either.
    fn exceeded(&self, protected: &str, size: &str) -> String {
        let (numerator, denominator) = (self.numerator, self.denominator);
        if self.refined {
            format!("({protected} - 1) * {denominator} >= {numerator} * {size}")
        } else {
            format!("{protected} * {denominator} > {numerator} * {size}")
        }
    }
}

fn digits(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

impl Model for AlphaDeassociation {
    fn promise(&self, of: &str) -> String {
        let what = match &self.values {
            Some(values) if values.len() == 1 => "the protected value",
            Some(_) => "one of the protected values",
            None => "the same value",
        };
        let limit = if self.refined { " (rounded up to a whole row)" } else { "" };
        format!(
            "In each class, at most {}/{} of the rows{limit} have {what} of {of}.",
            self.numerator, self.denominator
        )
    }

    fn promise_of_people(&self, of: &str) -> String {
        let what = match &self.values {
            Some(values) if values.len() == 1 => "the protected value",
            Some(_) => "any of the protected values",
            None => "the same value",
        };
        let limit = if self.refined { " (rounded up to a whole person)" } else { "" };
        format!(
            "In each class, and in the release as a whole, at most {}/{} of the people{limit} have {what} of {} in \
             their rows there.",
            self.numerator, self.denominator, of
        )
    }

    fn one_each(&self, _attribute: &SensitiveAttribute) -> Option<Vec<usize>> {
        None
    }

    fn sql(&self, quasi_identifiers: &[&str], of: &str) -> String {
        let classes = ClassColumns(quasi_identifiers);
        let attribute = identifier(of);
        if let Some(values) = &self.values {
            let missing = if names_missing(values) { format!(" OR {attribute} IS NULL") } else { String::new() };
            let named = format!("{attribute} IN ({})", literals(values));
            let protected = format!("SUM(CASE WHEN {named}{missing} THEN 1 ELSE 0 END)");
            let listed = classes.listed_before();
            let exceeded = self.exceeded(&protected, "COUNT(*)");
            return format!(
                "SELECT {listed}{protected}, COUNT(*) FROM \"release\"{} HAVING {exceeded}",
                classes.group_by()
            );
        }
        // One pass without a join, so that a missing value forms a class and a group of its own.
        let taken: Vec<&str> = quasi_identifiers.iter().copied().chain([of]).collect();
        let (protected, size) =
            (identifier(&unused("rows_of_value", &taken)), identifier(&unused("rows_of_class", &taken)));
        let partition =
            if quasi_identifiers.is_empty() { String::new() } else { format!("PARTITION BY {}", classes.listed()) };
        let listed = ClassColumns(&taken).listed();
        let exceeded = self.exceeded(&protected, &size);
        format!(
            "SELECT * FROM (SELECT {listed}, COUNT(*) AS {protected}, SUM(COUNT(*)) OVER ({partition}) AS {size} \
             FROM \"release\" GROUP BY {listed}) AS counted WHERE {exceeded}"
        )
    }

    fn bind<'a>(&'a self, attribute: &'a SensitiveAttribute) -> ClassTest<'a> {
        let Some(values) = &self.values else {
            return Box::new(|class| class.histogram().all(|(_, rows)| self.allows(rows, class.size)));
        };
        let is_named = |label: &Option<_>| {
            label.as_deref().map_or(names_missing(values), |label: &str| values.iter().any(|value| value == label))
        };
        let protected: Vec<bool> = attribute.labels.iter().map(is_named).collect();
        Box::new(move |class| self.allows(class.having(|code| protected[code]), class.size))
    }

    fn note(&self, attribute: &SensitiveAttribute) -> Option<String> {
        let values = self.values.as_ref()?;
        let published: Vec<&str> = attribute.published().collect();
        // Whether a missing value is published is not told by the texts; it may be.
        let occurs = |value: &String| value == MISSING || published.contains(&value.as_str());
        let absent = values.iter().filter(|value| !occurs(value)).count();
        let count = values.len();
        (absent > 0)
            .then(|| format!("{absent} of {count} protected values of {} are in no published row", attribute.name))
    }
}

/// How a policy names the missing value.
const MISSING: &str = "(missing)";

fn names_missing(values: &[String]) -> bool {
    values.iter().any(|value| value == MISSING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(numerator: u64, denominator: u64, refined: bool) -> AlphaDeassociation {
        AlphaDeassociation { numerator, denominator, values: None, refined }
    }

    #[test]
    fn refined_rounds_up_and_exact_does_not() {
        assert!(model(1, 10, true).allows(1, 2) && !model(1, 10, true).allows(2, 4));
        assert!(!model(1, 10, false).allows(1, 2) && model(1, 10, false).allows(1, 10));
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        assert!(model(u64::MAX, u64::MAX, false).allows(u64::MAX, u64::MAX));
        assert!(model(u64::MAX, u64::MAX, true).allows(u64::MAX, u64::MAX));
    }
}
