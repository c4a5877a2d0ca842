//! What an attack may achieve at most, and what follows for the release.
//!
//! A limit that was given comes first. Otherwise an attack is held against what the release promises: where a rule of
//! the policy bounds what the attack can achieve, that bound is its limit. An attack that neither bounds has no limit,
//! and then nothing is said about whether it achieves too much.

use std::ops::Deref;

use incrowd_core::{Outcome, Ratio, counted};
use incrowd_risk::attack::{AttackEntry, Evaluation, Exceeded, PolicyBound, Threshold};
use incrowd_verify::{Counts, Manifest, Rule};
use serde::Serialize;
use serde_json::Value;

/// Sums of shares are not exact.
const WITHIN: f64 = 1e-12;
/// Where a limit is from that was given.
const GIVEN: &str = "given";

/// What an attack achieved, beside its limit.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// What it achieved.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The most that its success may be; nothing when no limit is set.
    pub limit: Option<f64>,
    /// Where the limit is from.
    pub limit_source: Option<String>,
    /// Whether the success, or a figure with a limit of its own, is above it; nothing when no limit is set.
    pub above: Option<bool>,
}

impl Deref for Judged {
    type Target = Outcome;

    fn deref(&self) -> &Outcome {
        &self.outcome
    }
}

/// What the limits say about all attacks that were run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttackVerdict {
    /// At least one attack is above its limit.
    AboveLimit,
    /// None is above its limit, but a limit is set for something that was not measured.
    NotMeasured,
    /// No attack that has a limit is above it. Attacks without a limit are not judged.
    WithinLimits,
    /// No attack has a limit.
    NoLimits,
}

/// Attacks beside their limits, what is above them or not measured, and the verdict with its words.
pub(super) struct JudgedAttacks {
    pub(super) attacks: Vec<Judged>,
    pub(super) evaluation: Evaluation,
    pub(super) verdict: AttackVerdict,
    pub(super) words: String,
}

/// Holds outcomes against the limits that were given, and against those that follow from the policy.
pub(super) fn judge(manifest: &Manifest, given: &[Threshold], outcomes: Vec<Outcome>) -> JudgedAttacks {
    let mut evaluation = Evaluation::of(given, &outcomes);
    let mut attacks = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        let named = given.iter().find(|limit| limit.attack == outcome.attack && limit.figure.is_none());
        let by_figure = given.iter().any(|limit| limit.attack == outcome.attack && limit.figure.is_some());
        let limit = named.map(|limit| (limit.max, GIVEN.to_owned())).or_else(|| promised(manifest, &outcome));
        if let (None, Some((max, _))) = (named, &limit)
            && (outcome.success > max + WITHIN || outcome.success.is_nan())
        {
            evaluation.exceeded.push(Exceeded {
                threshold: Threshold::success(&outcome.attack, *max),
                column: outcome.column.clone(),
                value: outcome.success,
            });
        }
        let is = |one: &Exceeded| (&one.threshold.attack, &one.column) == (&outcome.attack, &outcome.column);
        let above = (limit.is_some() || by_figure).then(|| evaluation.exceeded.iter().any(is));
        let (limit, limit_source) = limit.unzip();
        attacks.push(Judged { outcome, limit, limit_source, above });
    }
    let limited = attacks.iter().any(|one| one.above.is_some());
    let verdict = match &evaluation {
        found if !found.exceeded.is_empty() => AttackVerdict::AboveLimit,
        found if !found.unmeasured.is_empty() => AttackVerdict::NotMeasured,
        _ if limited => AttackVerdict::WithinLimits,
        _ => AttackVerdict::NoLimits,
    };
    let words = words(&attacks, &evaluation);
    JudgedAttacks { attacks, evaluation, verdict, words }
}

/// What the policy promises about an attack, and by which rule; nothing when no rule bounds it.
fn promised(manifest: &Manifest, outcome: &Outcome) -> Option<(f64, String)> {
    let rules = || manifest.policy.models.iter();
    match AttackEntry::find(&outcome.attack)?.bounded_by? {
        // In two tables people are published as they are; k is about the sensitive values.
        PolicyBound::ClassSize if manifest.two_tables.is_some() => None,
        PolicyBound::ClassSize => {
            let k = rules().filter_map(|rule| rule.parameters.get("k")?.as_u64()).max().filter(|k| *k > 0)?;
            Some((1.0 / k as f64, format!("1/k, from k-anonymity with k = {k}")))
        }
        PolicyBound::KnownRows => {
            let known = manifest.policy.known_rows.as_ref()?;
            let k = rules().filter_map(|rule| rule.parameters.get("k")?.as_u64()).max().filter(|k| *k > 0)?;
            let known = known.as_str().map_or_else(|| known.to_string(), str::to_owned);
            Some((1.0 / k as f64, format!("1/k, from k = {k} people with the same rows, for known rows: {known}")))
        }
        PolicyBound::SeveralValues => {
            let rule = rules().find(|rule| about(rule, outcome) && has_two_values(rule))?;
            Some((0.0, format!("0, from {}: every class has several values", rule.model)))
        }
        // Rules about people say nothing exact about rows, which are what is published.
        PolicyBound::LargestShare if manifest.counts == Counts::People => None,
        PolicyBound::LargestShare => {
            let shares =
                rules().filter(|rule| about(rule, outcome)).filter_map(|rule| Some((largest_share(rule)?, rule)));
            let (share, rule) = shares.min_by(|one, other| one.0.total_cmp(&other.0))?;
            Some((share, format!("the largest share of a value in a class, from {}", rule.model)))
        }
    }
}

fn about(rule: &Rule, outcome: &Outcome) -> bool {
    rule.sensitive.contains(&outcome.column)
}

/// A parameter as a number, written as one or as the text of one or of a ratio.
fn number(rule: &Rule, name: &str) -> Option<f64> {
    match rule.parameters.get(name)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => {
            let ratio = text.parse::<Ratio>().ok().map(|ratio| ratio.numerator() as f64 / ratio.denominator() as f64);
            ratio.or_else(|| text.parse().ok())
        }
        _ => None,
    }
}

/// Whether the rule is about every value, and not about some that it names.
fn of_every_value(rule: &Rule) -> bool {
    rule.parameters.get("values").is_none_or(Value::is_null)
}

/// Whether a rule leaves no class with a single value.
fn has_two_values(rule: &Rule) -> bool {
    let above_one = |name: &str| number(rule, name).is_some_and(|number| number > 1.0);
    match rule.model.as_str() {
        "distinct-l-diversity" | "entropy-l-diversity" | "frequency-l-diversity" => above_one("l"),
        "p-sensitive" | "extended-p-sensitive" => above_one("p"),
        "alpha-deassociation" => largest_share(rule).is_some_and(|share| share < 1.0),
        _ => false,
    }
}

/// The largest share that a value may have in a class by a rule, where the rule bounds that for every value.
fn largest_share(rule: &Rule) -> Option<f64> {
    match rule.model.as_str() {
        "alpha-deassociation" => {
            let exact = rule.parameters.get("rule").is_none_or(|rule| rule.as_str() == Some("exact"));
            number(rule, "alpha").filter(|_| exact && of_every_value(rule))
        }
        "frequency-l-diversity" => number(rule, "l").filter(|l| *l >= 1.0).map(|l| 1.0 / l),
        _ => None,
    }
}

/// How many attacks are above their limit, and for which none is set.
fn words(attacks: &[Judged], evaluation: &Evaluation) -> String {
    let name = |one: &Judged| match one.column.is_empty() {
        true => one.attack.clone(),
        false => format!("{} on {}", one.attack, one.column),
    };
    let of =
        |above: Option<bool>| -> Vec<String> { attacks.iter().filter(|one| one.above == above).map(name).collect() };
    let (above, within, free) = (of(Some(true)), of(Some(false)), of(None));
    let all = counted((above.len() + within.len()) as u64, "attack", "attacks");
    let mut words = match (above.len(), within.len()) {
        (0, 0) => "No attack has a limit, so there is no verdict.".to_owned(),
        (0, _) => format!("None of the {all} with a limit exceeds it."),
        (1, _) => format!("1 of {all} with a limit exceeds it: {}.", above[0]),
        (some, _) => format!("{some} of {all} with a limit exceed it: {}.", above.join(", ")),
    };
    if !free.is_empty() {
        words += &format!(" No limit is set for {}.", free.join(", "));
    }
    if !evaluation.unmeasured.is_empty() {
        let names: Vec<&str> = evaluation.unmeasured.iter().map(|limit| limit.attack.as_str()).collect();
        words += &format!(" A limit is set, but nothing was measured, for {}.", names.join(", "));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(models: &str) -> Manifest {
        let text = format!(
            r#"{{ "incrowd": 1, "policy": {{ "models": {models}, "suppression": 0.0 }}, "counts": "rows",
                 "source_rows": 9, "rows": 9, "suppressed_rows": 0, "classes": 1, "smallest_class": 9, "columns": [], "files": [] }}"#
        );
        serde_json::from_str(&text).expect("a manifest")
    }

    fn outcomes() -> Vec<Outcome> {
        vec![
            Outcome::proved("prosecutor", "", 0.2, 0.001, 9),
            Outcome::proved("homogeneity", "illness", 0.1, 0.0, 9),
            Outcome::proved("inference", "illness", 0.4, 0.2, 9),
            Outcome::proved("homogeneity", "pay", 0.5, 0.0, 9),
        ]
    }

    #[test]
    fn limits_follow_from_the_rules_and_what_no_rule_bounds_has_none() {
        let rules = r#"[{ "model": "k-anonymity", "parameters": { "k": 5 } },
            { "model": "alpha-deassociation", "parameters": { "alpha": "1/2", "rule": "exact" },
              "sensitive": ["illness"] }]"#;
        let found = judge(&manifest(rules), &[], outcomes());
        let limits: Vec<Option<f64>> = found.attacks.iter().map(|one| one.limit).collect();
        assert_eq!(limits, [Some(0.2), Some(0.0), Some(0.5), None]);
        assert_eq!(found.verdict, AttackVerdict::AboveLimit);
        let words =
            "1 of 3 attacks with a limit exceeds it: homogeneity on illness. No limit is set for homogeneity on pay.";
        assert_eq!(found.words, words);
        assert!(!found.evaluation.is_met());
    }

    #[test]
    fn without_a_rule_nothing_is_called_safe() {
        let found = judge(&manifest("[]"), &[], outcomes());
        assert_eq!((found.verdict, found.evaluation.is_met()), (AttackVerdict::NoLimits, true));
        assert!(
            found.words.starts_with("No attack has a limit, so there is no verdict. No limit is set for prosecutor, ")
        );
        let named = r#"[{ "model": "alpha-deassociation", "sensitive": ["illness"],
            "parameters": { "alpha": "1/2", "values": ["flu"], "rule": "exact" } }]"#;
        assert_eq!(judge(&manifest(named), &[], outcomes()).verdict, AttackVerdict::NoLimits, "other values are free");
    }

    #[test]
    fn a_limit_that_is_given_stands_for_that_of_the_policy() {
        let rules = r#"[{ "model": "k-anonymity", "parameters": { "k": 5 } }]"#;
        let given = [Threshold::success("prosecutor", 0.1), Threshold::success("learning", 0.5)];
        let found = judge(&manifest(rules), &given, outcomes());
        assert_eq!((found.attacks[0].limit, found.attacks[0].above), (Some(0.1), Some(true)));
        assert_eq!(found.attacks[0].limit_source.as_deref(), Some("given"));
        assert!(found.words.ends_with("A limit is set, but nothing was measured, for learning."), "{}", found.words);
    }
}
