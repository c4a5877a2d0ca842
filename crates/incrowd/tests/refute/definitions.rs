//! The models, literally as their papers define them, on people: without a subject column every row is a person.

use std::collections::{BTreeMap, BTreeSet};

use incrowd::core::Rule;
use serde_json::Value;

/// The people of a class with the values they have, a pair for each row.
pub(crate) type Pairs = Vec<(String, Option<String>)>;

/// For each value, the number of people who have it at least once.
fn histogram(pairs: &Pairs) -> BTreeMap<&Option<String>, f64> {
    let mut people: BTreeMap<&Option<String>, BTreeSet<&str>> = BTreeMap::new();
    pairs.iter().for_each(|(person, value)| _ = people.entry(value).or_default().insert(person));
    people.into_iter().map(|(value, people)| (value, people.len() as f64)).collect()
}

fn people(pairs: &Pairs) -> f64 {
    pairs.iter().map(|(person, _)| person).collect::<BTreeSet<_>>().len() as f64
}

/// A share such as `1/2` or `0.4`, or a number.
fn number(value: &Value) -> f64 {
    let text = value.as_str().map_or_else(|| value.to_string(), Into::into);
    match text.split_once('/') {
        Some((above, below)) => above.parse::<f64>().unwrap() / below.parse::<f64>().unwrap(),
        None => text.parse().unwrap(),
    }
}

/// Whether a class keeps a rule; `whole` are all published people.
pub(crate) fn keeps(rule: &Rule, class: &Pairs, whole: &Pairs) -> bool {
    const SLACK: f64 = 1e-9;
    let parameters = serde_json::to_value(&rule.parameters).unwrap();
    let of = |name: &str| number(&parameters[name]);
    let (values, size) = (histogram(class), people(class));
    let most = values.values().copied().fold(0.0, f64::max);
    match rule.model.as_str() {
        "alpha-deassociation" => {
            let protected: Option<Vec<String>> = serde_json::from_value(parameters["values"].clone()).unwrap_or(None);
            let with = match protected {
                None => most,
                Some(protected) => {
                    let has = |value: &Option<String>| value.as_ref().is_some_and(|value| protected.contains(value));
                    people(&class.iter().filter(|(_, value)| has(value)).cloned().collect())
                }
            };
            let allowed = of("alpha") * size;
            with <= if parameters["rule"] == "refined" { (allowed - SLACK).ceil() } else { allowed } + SLACK
        }
        "p-sensitive" => values.len() as f64 >= of("p"),
        "distinct-l-diversity" => values.len() as f64 >= of("l"),
        "frequency-l-diversity" => most * of("l") <= size + SLACK,
        "entropy-l-diversity" => {
            -values.values().map(|people| people / size).map(|share| share * share.ln()).sum::<f64>()
                >= of("l").ln() - SLACK
        }
        "recursive-c-l-diversity" => {
            let mut counts: Vec<f64> = values.values().copied().collect();
            counts.sort_by(|a, b| b.total_cmp(a));
            counts[0] < of("c") * counts.iter().skip(of("l") as usize - 1).sum::<f64>() - SLACK
        }
        "t-closeness" | "beta-likeness" | "delta-disclosure" => {
            let (all, total) = (histogram(whole), people(whole));
            let shares =
                all.iter().map(|(value, people)| (people / total, values.get(value).copied().unwrap_or(0.0) / size));
            match rule.model.as_str() {
                "t-closeness" => shares.map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0 <= of("t") + SLACK,
                "beta-likeness" => shares.into_iter().all(|(p, q)| q <= p * (1.0 + of("beta")) + SLACK),
                _ => shares.into_iter().all(|(p, q)| (q / p).ln().abs() < of("delta") + SLACK),
            }
        }
        other => panic!("no definition of {other}"),
    }
}
