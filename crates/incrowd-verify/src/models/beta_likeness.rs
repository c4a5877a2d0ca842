//! β-likeness: with p the share of a value among all published rows and q its share in a class, q ≤ (1 + β)·p (basic), or
//! q ≤ (1 + min(β, −ln p))·p (enhanced).
//!
//! β is compared exactly. A share may be above the bound with −ln p by a part of 10⁻¹², which is rounding.

use serde_json::Value;

use super::shared::exact::Exact;
use super::{Attribute, Class, Entry, Model, Parameters, RowsSay};
use crate::sql::Weighed;

pub(super) const ENTRY: Entry = Entry {
    name: "beta-likeness",
    protects_sensitive: true,
    parameters: &["beta", "rule"],
    rows_say: RowsSay::Nothing,
    read: BetaLikeness::read,
};

/// By what part a share may be above a bound that is rounded.
const ROUNDING: f64 = 1e-12;

struct BetaLikeness {
    beta: Exact,
    enhanced: bool,
}

impl BetaLikeness {
    fn read(parameters: &Parameters) -> Result<Box<dyn Model>, String> {
        let enhanced = match parameters.get("rule").map(Value::as_str) {
            None | Some(Some("basic")) => false,
            Some(Some("enhanced")) => true,
            _ => return Err("rule is neither basic nor enhanced".to_string()),
        };
        let fits = |beta: Exact| beta.above > 0 && beta.above.checked_add(beta.below).is_some();
        Ok(Box::new(BetaLikeness { beta: Exact::parameter(parameters, "beta", fits, "a number above 0")?, enhanced }))
    }

    /// 1 + β.
    fn times(&self) -> Exact {
        Exact { above: self.beta.above.saturating_add(self.beta.below), below: self.beta.below }
    }
}

impl Model for BetaLikeness {
    fn promise(&self, sensitive: Option<&str>) -> String {
        let more = if self.enhanced { ", and of frequent values even less" } else { "" };
        format!(
            "In each class the share of any value of {} is at most {} times its share in all rows{more}.",
            sensitive.unwrap_or_default(),
            self.times()
        )
    }

    fn promise_of_people(&self, sensitive: Option<&str>) -> String {
        let more = if self.enhanced { ", and for frequent values even less" } else { "" };
        format!(
            "In each class, the share of people who have any one value of {} is at most {} times its share among all people \
             of the release{more}.",
            sensitive.unwrap_or_default(),
            self.times()
        )
    }

    fn sql(&self, quasi_identifiers: &[&str], sensitive: Option<&str>) -> String {
        let weighed = Weighed::of_values(quasi_identifiers, sensitive.unwrap_or_default());
        let Weighed { own, class, whole, all, .. } = &weighed;
        let (Exact { above, below }, most) = (self.times(), 1.0 + ROUNDING);
        let logarithm = format!(" OR {own} * {all} > (1 - LN({whole} / {all})) * {most:?} * {whole} * {class}");
        let enhanced = if self.enhanced { &logarithm } else { "" };
        format!(
            "SELECT * FROM {} WHERE {own} * {all} * {below} > {above} * {whole} * {class}{enhanced}",
            weighed.rows(&[class, whole, all])
        )
    }

    fn bind<'a>(&'a self, attribute: Option<&'a Attribute>) -> Box<dyn Fn(&Class<'_>) -> bool + 'a> {
        let whole: &[u64] = attribute.map(|attribute| attribute.rows.as_slice()).unwrap_or_default();
        let all: u64 = whole.iter().sum();
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
