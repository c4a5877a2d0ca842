//! Entropy ℓ-diversity: in every class −Σ p·ln p over the shares p of the values is at least ln ℓ.
//!
//! ℓ equally frequent values have just ln ℓ, so rounding must not break the rule: an entropy may be short by 10⁻¹².
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "ℓ-diversity: privacy beyond k-anonymity", ACM
//! TKDD 2007.

use super::shared::SensitiveAttribute;
use super::shared::exact::ExactNumber;
use super::shared::sql::ValueCounts;
use super::{ClassTest, Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "entropy-l-diversity",
    protects_sensitive: true,
    of_population: false,
    parameters: &["l"],
    rows_say: RowsSay::Nothing,
    read: EntropyLDiversity::read,
};

/// By how much an entropy may be short because it is rounded.
const ROUNDING: f64 = 1e-12;

struct EntropyLDiversity {
    l: ExactNumber,
}

impl EntropyLDiversity {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let l = ExactNumber::parameter(parameters, "l", |l| l.above >= l.below, "a number of at least 1")?;
        Ok(Box::new(EntropyLDiversity { l }))
    }

    fn least(&self) -> f64 {
        self.l.to_f64().ln() - ROUNDING
    }
}

impl Model for EntropyLDiversity {
    fn promise(&self, of: &str) -> String {
        format!("In each class, the entropy of {of} is at least that of {} equally frequent values.", self.l)
    }

    fn promise_of_people(&self, of: &str) -> String {
        format!(
            "In each class, and in the release as a whole, the values of {} of the people have at least the entropy \
             of {} equally frequent values.",
            of, self.l
        )
    }

    fn sql(&self, quasi_identifiers: &[&str], of: &str) -> String {
        let weighed = ValueCounts::of_values(quasi_identifiers, of);
        let (own, class) = (&weighed.own, &weighed.class);
        let entropy = format!("SUM({own} / {class} * LN({class} / {own}))");
        let (listed, rows, by_class) = (weighed.listed_before(), weighed.rows(&[class]), weighed.by_class());
        format!("SELECT {listed}{entropy} FROM {rows}{by_class} HAVING {entropy} < {:?}", self.least())
    }

    fn bind<'a>(&'a self, _attribute: &'a SensitiveAttribute) -> ClassTest<'a> {
        let least = self.least();
        Box::new(move |class| {
            let shares = class.histogram().map(|(_, rows)| rows as f64 / class.size as f64);
            shares.map(|share| -share * share.ln()).sum::<f64>() >= least
        })
    }
}
