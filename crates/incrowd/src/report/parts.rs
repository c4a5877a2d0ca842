//! The parts of a dossier that the manifest and the attacks tell, in words.

use incrowd_core::{Figure, KnownRows, Outcome, Policy, Role};
use incrowd_report::dossier::{Adversary, AdversaryRisk, Column, Promise, Standing, Technique, Test, TestNumbers};
use incrowd_risk::attack::AttackEntry;
use incrowd_verify::Manifest;
use serde_json::Value;

pub(super) fn columns(manifest: &Manifest) -> Vec<Column> {
    let role = |role: incrowd_verify::Role| match role {
        incrowd_verify::Role::Identifier => Role::Identifier,
        incrowd_verify::Role::Subject => Role::Subject,
        incrowd_verify::Role::QuasiIdentifier => Role::QuasiIdentifier,
        incrowd_verify::Role::Sensitive => Role::Sensitive,
        incrowd_verify::Role::Insensitive => Role::Insensitive,
    };
    let technique = |technique: incrowd_verify::Technique| match technique {
        incrowd_verify::Technique::Removed => Technique::Removed,
        incrowd_verify::Technique::Generalized => Technique::Generalized,
        incrowd_verify::Technique::Suppressed => Technique::Suppressed,
        incrowd_verify::Technique::Retained => Technique::Retained,
        incrowd_verify::Technique::MovedToSecondTable => Technique::MovedToSecondTable,
        incrowd_verify::Technique::Treated => Technique::Treated,
    };
    let column = |column: &incrowd_verify::ColumnEntry| Column {
        name: column.name.clone(),
        role: role(column.role),
        reason: None,
        technique: Some(technique(column.technique)),
        treatment: column.treatment.clone(),
    };
    manifest.columns.iter().map(column).collect()
}

pub(super) fn promises(manifest: &Manifest, policy: Option<&Policy>, standing: Standing) -> Vec<Promise> {
    let quasi = manifest.published(incrowd_verify::Role::QuasiIdentifier);
    let promise = |(at, rule): (usize, &incrowd_verify::Rule)| {
        let known = policy.and_then(|policy| policy.models.get(at)).and_then(|rule| rule.model().ok());
        let sentence = match (manifest.two_tables.is_some() && rule.sensitive.is_empty(), known) {
            (true, _) => "Each person's sensitive values are published in one class with those of others.".into(),
            (false, Some(model)) if manifest.counts == incrowd_verify::Counts::People => model.promise_for_people(),
            (false, Some(model)) => model.promise(),
            (false, None) => format!("{} holds, as defined in the manifest.", rule.model),
        };
        Promise {
            model: rule.model.clone(),
            parameters: parameters(rule),
            quasi_identifiers: quasi.clone(),
            sensitive: rule.sensitive.clone(),
            sentence,
            standing,
        }
    };
    // Classes of one person are no promise beside others.
    let alone = manifest.policy.models.len() == 1;
    let promises_something = |(_, rule): &(usize, &incrowd_verify::Rule)| alone || k_of(rule) != Some(1);
    let linked = known_rows(manifest).map(|known| Promise {
        model: "known-rows".into(),
        parameters: format!("known rows = {known}"),
        sentence: known.promise(manifest.policy.models.iter().filter_map(k_of).max().unwrap_or(1)),
        quasi_identifiers: quasi.clone(),
        sensitive: Vec::new(),
        standing,
    });
    manifest.policy.models.iter().enumerate().filter(promises_something).map(promise).chain(linked).collect()
}

/// The k of k-anonymity.
fn k_of(rule: &incrowd_verify::Rule) -> Option<u64> {
    rule.parameters.get("k").and_then(Value::as_u64).filter(|_| rule.model == "k-anonymity")
}

/// How many rows of a person an attacker may know by the policy.
fn known_rows(manifest: &Manifest) -> Option<KnownRows> {
    serde_json::from_value(manifest.policy.known_rows.clone()?).ok()
}

/// The numbers of a rule; lists of values are not told.
fn parameters(rule: &incrowd_verify::Rule) -> String {
    let told = rule.parameters.iter().filter_map(|(name, value)| match value {
        Value::Number(number) => Some(format!("{name} = {number}")),
        Value::String(text) => Some(format!("{name} = {text}")),
        _ => None,
    });
    told.collect::<Vec<_>>().join(", ")
}

pub(super) fn not_promised(manifest: &Manifest) -> Vec<String> {
    let mut told = vec![
        "Protection against attackers who know more than the quasi-identifiers.".to_owned(),
        "Protection against attackers who have another release of the same people.".to_owned(),
        "Protection against attackers who know that the solver minimizes the loss, beyond what the attacks measured."
            .to_owned(),
    ];
    if manifest.counts == incrowd_verify::Counts::People {
        told.push(match known_rows(manifest) {
            None => {
                "Protection against attackers who know several rows of one person and combine their classes.".to_owned()
            }
            Some(KnownRows::AtMost(rows)) => {
                format!("Protection against attackers who know more than {rows} rows of one person, or their number.")
            }
            Some(KnownRows::All) => {
                "Protection of the combination of sensitive values in all rows of one person.".to_owned()
            }
        });
    }
    if manifest.population.is_some() {
        told.push(known_presence(manifest.policy.models.iter().filter_map(k_of).max().unwrap_or(1)));
    }
    told.extend(manifest.two_tables.as_ref().map(|two| two.does_not_hide.clone()).filter(|words| !words.is_empty()));
    told
}

/// Whom promises about a population do not protect against.
pub(crate) fn known_presence(k: u64) -> String {
    let then = match k {
        1 => "classes of one row are allowed".into(),
        k => format!("only k = {k} counts"),
    };
    format!(
        "What is promised about the population does not protect against attackers who know that a person is in the table: \
         for them, {then}."
    )
}

pub(super) fn journalist(outcome: &Outcome) -> AdversaryRisk {
    AdversaryRisk {
        adversary: Adversary::Journalist,
        max: outcome.figure("max"),
        mean: outcome.figure("mean").unwrap_or_default(),
        above: outcome.figure("above_threshold"),
    }
}

pub(super) fn tries(outcome: &Outcome) -> &'static str {
    AttackEntry::find(&outcome.attack).map_or("", |entry| entry.summary)
}

pub(super) fn test_numbers(attacks: &[Outcome]) -> Vec<TestNumbers> {
    let figures = |ids: &[&str]| -> Vec<Figure> {
        let outcomes = attacks.iter().filter(|one| ids.contains(&one.attack.as_str()));
        outcomes.map(|one| Figure::new(format!("{} {}", one.attack, one.column).trim_end(), one.success)).collect()
    };
    vec![
        TestNumbers { test: Test::SinglingOut, figures: figures(&["prosecutor"]) },
        TestNumbers { test: Test::Linkability, figures: figures(&["journalist", "marketer", "intersection"]) },
        TestNumbers {
            test: Test::Inference,
            figures: figures(&["homogeneity", "inference", "background", "learning"]),
        },
    ]
}

/// The command that makes such a release, as far as the manifest tells; the rest of the policy and the record are left
/// to fill in.
pub(super) fn command(manifest: &Manifest) -> String {
    let names = |role| manifest.published(role).join(",");
    let (quasi, sensitive) = (names(incrowd_verify::Role::QuasiIdentifier), names(incrowd_verify::Role::Sensitive));
    let mut words = format!("incrowd anonymize TABLE --qi {}", quoted(&quasi));
    if !sensitive.is_empty() {
        words += &format!(" --sensitive {}", quoted(&sensitive));
    }
    let k = manifest.policy.models.iter().find_map(k_of);
    words += &k.map(|k| format!(" --k {k}")).unwrap_or_default();
    words += &known_rows(manifest).map(|known| format!(" --known-rows {known}")).unwrap_or_default();
    words + &format!(" --algorithm {} … --repeat RECORD -o DIR", quoted(&manifest.algorithm))
}

/// A word as a shell takes it for one, whatever it holds.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_.,".contains(letter);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// What a motivated intruder is to try (ICO).
pub(super) fn intruder(manifest: &Manifest) -> Vec<String> {
    let quasi = manifest.published(incrowd_verify::Role::QuasiIdentifier);
    vec![
        format!(
            "Choose ten people whom you know to be in the table, and write down what you know of: {}.",
            quasi.join(", ")
        ),
        "Find the rows of the release that match each of them, and count them.".into(),
        "For each person, write down what you now believe about the sensitive columns, and how sure you are.".into(),
        "Let someone who has the table count how often you were right, compared with guessing.".into(),
    ]
}
