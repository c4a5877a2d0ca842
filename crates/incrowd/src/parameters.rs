//! Parameters that are invalid, repeated or contradictory are refused before any work is done.
//!
//! The command line and the plan refuse most of it when they are read. Here it is refused for every caller, so that no
//! parameter is silently replaced by another: of two limits on the same thing, none is chosen, and a limit that is NaN
//! would never be exceeded.

use incrowd_core::{Parameter, Policy, Ratio, Rule};
use incrowd_risk::attack::Threshold;

use crate::error::{Error, Result};

/// Words that mean the same as none: the default distance.
const USUAL: [&str; 1] = ["equal"];

/// Refuses a share that is not between 0 and 1, or 0 where it is invalid.
pub(crate) fn share(name: &str, share: Option<f64>, may_be_zero: bool) -> Result<()> {
    let makes_sense = |share: f64| (0.0..=1.0).contains(&share) && (may_be_zero || share > 0.0);
    if share.is_none_or(makes_sense) {
        return Ok(());
    }
    let fact = if may_be_zero { "must be a share between 0 and 1" } else { "must be a share above 0 and at most 1" };
    Err(Error::Senseless { parameter: name.into(), fact: fact.into() })
}

/// Refuses a number that has to be at least 1.
pub(crate) fn at_least_one(name: &str, number: Option<u64>) -> Result<()> {
    match number {
        Some(0) => Err(Error::Senseless { parameter: name.into(), fact: "must be an integer of at least 1".into() }),
        _ => Ok(()),
    }
}

/// Refuses limits that are not numbers of at least 0, and two limits of the same figure.
pub(crate) fn limits(limits: &[Threshold]) -> Result<()> {
    for (at, limit) in limits.iter().enumerate() {
        if let Some(fact) = limit_fault(limit.max) {
            return Err(Error::Senseless { parameter: format!("limit of {}", limit.name()), fact: fact.into() });
        }
        if limits[..at].iter().any(|other| (&other.attack, &other.figure) == (&limit.attack, &limit.figure)) {
            return Err(Error::Repeated { what: format!("the limit of {}", limit.name()) });
        }
    }
    Ok(())
}

/// What is wrong with a limit of an attack.
pub(crate) fn limit_fault(max: f64) -> Option<&'static str> {
    let fits = max.is_finite() && max >= 0.0;
    (!fits).then_some("must be a number of at least 0, such as 0.4")
}

/// Refuses a policy with the same model for the same column twice.
pub(crate) fn policy(policy: &Policy) -> Result<()> {
    share("suppress", Some(policy.suppression), true)?;
    match repeated(&policy.models) {
        Some(rule) => Err(Error::Repeated { what: in_words(rule) }),
        None => Ok(()),
    }
}

/// A rule that repeats one before it, but for its numbers.
pub(crate) fn repeated(rules: &[Rule]) -> Option<&Rule> {
    let same = |one: &Rule, other: &Rule| {
        one.model == other.model && one.sensitive == other.sensitive && words(one) == words(other)
    };
    rules.iter().enumerate().find(|(at, rule)| rules[..*at].iter().any(|other| same(rule, other))).map(|(_, rule)| rule)
}

/// The parameters of a rule that are not numbers: with another distance or other protected values it is another rule. What is
/// left out is the usual word.
fn words(rule: &Rule) -> Vec<(&str, &Parameter)> {
    let is_usual = |value: &Parameter| matches!(value, Parameter::Text(text) if USUAL.contains(&text.as_str()));
    // The rule of a comparison (exact or refined, basic or enhanced) does not make it another bound.
    let is_word = |&(name, value): &(&str, &Parameter)| name != "rule" && !is_number(value) && !is_usual(value);
    rule.parameters.iter().filter(is_word).collect()
}

fn is_number(value: &Parameter) -> bool {
    match value {
        Parameter::Whole(_) | Parameter::Fraction(_) => true,
        Parameter::Text(text) => text.parse::<Ratio>().is_ok() || text.parse::<f64>().is_ok(),
        Parameter::List(_) | Parameter::Lists(_) => false,
    }
}

/// The rule by its model and column.
fn in_words(rule: &Rule) -> String {
    match &rule.sensitive[..] {
        [] => rule.model.clone(),
        columns => format!("{} of “{}”", rule.model, columns.join("”, “")),
    }
}
