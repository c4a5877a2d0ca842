//! Entropy ℓ-diversity: in every class −Σ p·ln p over the shares p of the values is at least ln ℓ.
//!
//! ℓ equally frequent values have just ln ℓ, so rounding must not break the rule: an entropy may be short by 10⁻¹².

use super::shared::exact::Exact;
use super::{Attribute, Class, Entry, Model, Parameters, RowsSay};
use crate::sql::Weighed;

pub(super) const ENTRY: Entry = Entry {
    name: "entropy-l-diversity",
    protects_sensitive: true,
    parameters: &["l"],
    rows_say: RowsSay::Nothing,
    read: EntropyLDiversity::read,
};

/// By how much an entropy may be short because it is rounded.
const ROUNDING: f64 = 1e-12;

struct EntropyLDiversity {
    l: Exact,
}

impl EntropyLDiversity {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let l = Exact::parameter(parameters, "l", |l| l.above >= l.below, "a number of at least 1")?;
        Ok(Box::new(EntropyLDiversity { l }))
    }

    fn least(&self) -> f64 {
        self.l.to_f64().ln() - ROUNDING
    }
}

impl Model for EntropyLDiversity {
    fn promise(&self, sensitive: Option<&str>) -> String {
        let of = sensitive.unwrap_or_default();
        format!("In each class the values of {of} are at least as uncertain as {} equally frequent ones.", self.l)
    }

    fn promise_of_people(&self, sensitive: Option<&str>) -> String {
        format!(
            "In each class, and in the release as a whole, the values of {} of the people have at least the entropy of {} \
             equally frequent ones.",
            sensitive.unwrap_or_default(),
            self.l
        )
    }

    fn sql(&self, quasi_identifiers: &[&str], sensitive: Option<&str>) -> String {
        let weighed = Weighed::of_values(quasi_identifiers, sensitive.unwrap_or_default());
        let (own, class) = (&weighed.own, &weighed.class);
        let entropy = format!("SUM({own} / {class} * LN({class} / {own}))");
        let (listed, rows, by_class) = (weighed.listed_before(), weighed.rows(&[class]), weighed.by_class());
        format!("SELECT {listed}{entropy} FROM {rows}{by_class} HAVING {entropy} < {:?}", self.least())
    }

    fn bind<'a>(&'a self, _attribute: Option<&'a Attribute>) -> Box<dyn Fn(&Class<'_>) -> bool + 'a> {
        let least = self.least();
        Box::new(move |class| {
            let shares = class.histogram().map(|(_, rows)| rows as f64 / class.size as f64);
            shares.map(|share| -share * share.ln()).sum::<f64>() >= least
        })
    }
}
