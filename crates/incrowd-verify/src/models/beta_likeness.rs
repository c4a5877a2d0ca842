//! β-likeness: with p the share of a value among all published rows and q its share in a class, q ≤ (1 + β)·p (basic),
//! or q ≤ (1 + min(β, −ln p))·p (enhanced).
//!
//! β is compared exactly. A share may be above the bound with −ln p by a part of 10⁻¹², which is rounding.
//!
//! J. Cao and P. Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012.

use serde_json::Value;

use super::shared::SensitiveAttribute;
use super::shared::exact::ExactNumber;
use super::shared::sql::ValueCounts;
use super::{ClassTest, Model, ModelEntry, Parameters, RowsSay};

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "beta-likeness",
    protects_sensitive: true,
    of_population: false,
    parameters: &["beta", "rule"],
    rows_say: RowsSay::Nothing,
    read: BetaLikeness::read,
};

/// By what part a share may be above a bound that is rounded.
const ROUNDING: f64 = 1e-12;

struct BetaLikeness {
    beta: ExactNumber,
    enhanced: bool,
}

impl BetaLikeness {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let enhanced = match parameters.get("rule").map(Value::as_str) {
            None | Some(Some("basic")) => false,
            Some(Some("enhanced")) => true,
            _ => return Err("rule is neither basic nor enhanced".to_string()),
        };
        let fits = |beta: ExactNumber| beta.above > 0 && beta.above.checked_add(beta.below).is_some();
        Ok(Box::new(BetaLikeness {
            beta: ExactNumber::parameter(parameters, "beta", fits, "a number above 0")?,
            enhanced,
        }))
    }

    /// 1 + β.
    fn times(&self) -> ExactNumber {
        ExactNumber { above: self.beta.above.saturating_add(self.beta.below), below: self.beta.below }
    }
}

impl Model for BetaLikeness {
    fn promise(&self, of: &str) -> String {
        let more = if self.enhanced { "; for frequent values the limit is lower" } else { "" };
        format!(
            "In each class, the share of any value of {} is at most {} times its share in all rows{more}.",
            of,
            self.times()
        )
    }

    fn promise_of_people(&self, of: &str) -> String {
        let more = if self.enhanced { "; for frequent values the limit is lower" } else { "" };
        format!(
            "In each class, the share of people who have any one value of {} is at most {} times its share among all people \
             of the release{more}.",
            of,
            self.times()
        )
    }

    fn sql(&self, quasi_identifiers: &[&str], of: &str) -> String {
        let weighed = ValueCounts::of_values(quasi_identifiers, of);
        let ValueCounts { own, class, whole, all, .. } = &weighed;
        let (ExactNumber { above, below }, most) = (self.times(), 1.0 + ROUNDING);
        let logarithm = format!(" OR {own} * {all} > (1 - LN({whole} / {all})) * {most:?} * {whole} * {class}");
        let enhanced = if self.enhanced { &logarithm } else { "" };
        format!(
            "SELECT * FROM {} WHERE {own} * {all} * {below} > {above} * {whole} * {class}{enhanced}",
            weighed.rows(&[class, whole, all])
        )
    }

    fn bind<'a>(&'a self, attribute: &'a SensitiveAttribute) -> ClassTest<'a> {
        let (whole, all) = (&attribute.rows, attribute.all());
        Box::new(move |class| {
            class.histogram().all(|(code, own)| {
                let expected = u128::from(whole[code]) * u128::from(class.size);
                let share = whole[code] as f64 / all as f64;
                let gained = own as f64 / class.size as f64 / share;
                let is_likely = !self.enhanced || gained <= (1.0 - share.ln()) * (1.0 + ROUNDING);
                self.times().is_at_least(u128::from(own) * u128::from(all), expected) && is_likely
            })
        })
    }
}
