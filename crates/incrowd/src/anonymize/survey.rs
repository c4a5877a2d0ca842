//! A largest individual risk of a survey with weights, kept by the least k that suffices.
//!
//! The risk of a row falls with the rows of its class and grows with their share in the sum of their weights, which is at
//! most one divided by the smallest weight of the table (`incrowd_risk::population::least_class_for_risk`). So k-anonymity
//! with the k of the smallest weight keeps it in every class, and the verifier checks that k.

use incrowd_core::{Parameter, Values};
use incrowd_engine::{Engine, Source};
use incrowd_risk::population::least_class_for_risk;

use super::AnonymizeOptions;
use crate::error::{Error, Result};

/// The options with a k that keeps the individual risk, and what is said about it; nothing when none was asked for.
pub(super) fn with_k(
    engine: &Engine,
    source: &Source,
    options: &AnonymizeOptions,
) -> Result<Option<(AnonymizeOptions, String)>> {
    let Some((max, weight)) = options.risk.individual() else { return Ok(None) };
    let profile = source.profile_columns(engine, &[weight.to_owned()])?.pop();
    let refused = || Error::Senseless {
        parameter: format!("weight column “{weight}”"),
        fact: "must have a number above 0 in each row".into(),
    };
    let profile = profile.ok_or_else(refused)?;
    let least = match profile.dictionary.values() {
        Values::Integers(values) => values.iter().map(|&value| value as f64).reduce(f64::min),
        Values::Numbers { values, .. } => values.iter().copied().reduce(f64::min),
        _ => None,
    };
    let least = least.filter(|least| profile.exact && profile.missing == 0 && *least > 0.0).ok_or_else(refused)?;
    let k = least_class_for_risk(max, least);
    let mut raised = options.clone();
    let rule = raised.policy.models.iter_mut().find(|rule| rule.model == "k-anonymity");
    if let Some(rule) = rule.filter(|_| options.policy.k() < k) {
        rule.parameters = std::mem::take(&mut rule.parameters).with("k", Parameter::Whole(k));
    }
    let note = format!(
        "An individual risk of at most {max} needs classes of at least {k} rows, by the smallest weight of column “{weight}”. The \
         risk is estimated: given the rows of a class and the sum of their weights, the people of the class in \
         the population are taken for negative binomial (Benedetti and Franconi 1998). The estimate is too low if most \
         people are unique."
    );
    Ok(Some((raised, note)))
}
