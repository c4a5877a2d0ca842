//! The types and the published schema agree, in both directions, on a dossier in which everything is filled.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use incrowd_core::{Diagnosis, Finding, SetRisk, codes};

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

fn example() -> InternalDossier {
    serde_json::from_str(EXAMPLE).unwrap()
}

/// The part of the schema that a reference names.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(name) => &root["$defs"][name.strip_prefix("#/$defs/").unwrap()],
        None => schema,
    }
}

/// What is wrong with a value by the words of JSON Schema that ours uses. Properties that were met are written down.
fn fault(root: &Value, schema: &Value, value: &Value, at: &str, met: &mut BTreeSet<String>) -> Option<String> {
    let schema = resolved(root, schema);
    if let Some(choices) = schema["oneOf"].as_array() {
        let fits = choices.iter().filter(|choice| fault(root, choice, value, at, met).is_none()).count();
        return (fits != 1).then(|| format!("{at}: {fits} forms fit"));
    }
    if let Some(words) = schema["enum"].as_array() {
        return (!words.contains(value)).then(|| format!("{at}: {value} is not a word"));
    }
    if !schema["const"].is_null() {
        return (schema["const"] != *value).then(|| format!("{at}: {value}"));
    }
    let wrong = || Some(format!("{at}: {value} is no {}", schema["type"]));
    match schema["type"].as_str().unwrap_or_else(|| panic!("{at}: the schema has no type")) {
        "object" => {
            let Some(fields) = value.as_object() else { return wrong() };
            assert_eq!(schema["additionalProperties"], false, "{at} lets unknown keys in");
            let missing =
                schema["required"].as_array().unwrap().iter().find(|key| !fields.contains_key(key.as_str().unwrap()));
            let inner = |(key, value): (&String, &Value), met: &mut BTreeSet<String>| {
                let Some(property) = schema["properties"].get(key) else {
                    return Some(format!("{at}: {key} is unknown"));
                };
                let place = format!("{}.{key}", schema["description"].as_str().unwrap_or(at));
                met.insert(place.clone());
                fault(root, property, value, &place, met)
            };
            missing
                .map(|key| format!("{at}: {key} is missing"))
                .or_else(|| fields.iter().find_map(|field| inner(field, met)))
        }
        "array" => {
            let Some(items) = value.as_array() else { return wrong() };
            items.iter().find_map(|item| fault(root, &schema["items"], item, at, met))
        }
        "string" => {
            if value.is_string() {
                None
            } else {
                wrong()
            }
        }
        "boolean" => {
            if value.is_boolean() {
                None
            } else {
                wrong()
            }
        }
        "integer" => {
            if value.is_u64() {
                None
            } else {
                wrong()
            }
        }
        "number" => {
            if value.is_number() {
                None
            } else {
                wrong()
            }
        }
        other => panic!("{at}: {other}"),
    }
}

/// Every property of the schema, named as [`fault`] names it.
fn properties(root: &Value, all: &mut BTreeSet<String>) {
    if let Some(fields) = root["properties"].as_object() {
        all.extend(fields.keys().map(|key| format!("{}.{key}", root["description"].as_str().unwrap_or_default())));
    }
    let inner: Vec<&Value> = match root {
        Value::Object(fields) => fields.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    inner.into_iter().for_each(|value| properties(value, all));
}

#[test]
fn the_schema_knows_every_key_that_is_written_and_no_other() {
    let root = schema();
    let written = serde_json::to_value(example()).unwrap();
    assert!(
        written == serde_json::from_str::<Value>(EXAMPLE).unwrap(),
        "the example is not read back as it was written"
    );
    let (mut met, mut all) = (BTreeSet::new(), BTreeSet::new());
    assert_eq!(fault(&root, &root["$defs"]["InternalDossier"], &written, "dossier", &mut met), None);
    properties(&root, &mut all);
    // Steps of counts and shares have no description of their own: they are named by where they stand.
    let unmet: Vec<_> = all.difference(&met).filter(|key| !key.starts_with('.')).collect();
    assert!(unmet.is_empty(), "in the schema and not in the types: {unmet:?}");
}

#[test]
fn both_forms_fit_the_schema_and_only_as_what_they_are() {
    let root = schema();
    let mut met = BTreeSet::new();
    let mut fits = |dossier: &Value| fault(&root, &root, dossier, "dossier", &mut met);
    let empty = PublicDossier::new(DossierKind::Check, "visits.csv", 10, Conclusion::default());
    assert_eq!(fits(&serde_json::to_value(&empty).unwrap()), None);
    assert_eq!(fits(&serde_json::to_value(InternalDossier::new(empty)).unwrap()), None);
    assert_eq!(fits(&serde_json::to_value(example().public).unwrap()), None);
    let mut broken = serde_json::to_value(example().public).unwrap();
    broken["seed"] = "1".into();
    assert!(fits(&broken).is_some());
    assert!(serde_json::from_value::<PublicDossier>(broken).is_err());
}

/// Every number that the public type can hold unchanged.
#[test]
fn no_exact_number_is_public_but_those_named_here() {
    fn numbers(root: &Value, schema: &Value, at: &str, found: &mut BTreeSet<String>) {
        let name = schema["$ref"].as_str().unwrap_or_default();
        if ["Coarse", "Share", "Rounded"].iter().any(|kind| name.ends_with(&format!("/{kind}"))) {
            return;
        }
        let schema = resolved(root, schema);
        if ["integer", "number"].iter().any(|kind| schema["type"] == *kind) {
            found.insert(at.to_owned());
        }
        numbers_of_items(root, &schema["items"], at, found);
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            numbers(root, property, &format!("{at}.{key}"), found);
        }
    }
    fn numbers_of_items(root: &Value, items: &Value, at: &str, found: &mut BTreeSet<String>) {
        if items.is_object() {
            numbers(root, items, at, found);
        }
    }
    let root = schema();
    let mut found = BTreeSet::new();
    numbers(&root, &root["$defs"]["PublicDossier"], "", &mut found);
    let named = [
        ".column_sets.k",
        ".column_sets.measured",
        ".data.rows",
        ".form",
        ".identity.files.bytes",
        ".least_told",
        ".risk.chosen.by_sampling_fraction.k",
        ".risk.chosen.by_sampling_fraction.sampling_fraction",
        ".risk.chosen.people",
        ".risk.threshold.value",
        ".utility.columns.levels.level",
        ".utility.curve.k",
        ".utility.k",
        ".utility.queries.asked",
        ".verification.canaries.bytes",
        ".verification.canaries.found",
        ".verification.canaries.searched",
    ];
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), named);
}

#[test]
fn a_finding_is_published_without_its_message_and_count() {
    let finding = Finding::new(&codes::UNIQUE_ROWS, "3 of 100 rows stand alone").about(["age"]).counting(3, 100);
    let public = serde_json::to_string(&PublicFinding::from(&finding)).unwrap();
    assert!(!public.contains("3 of") && !public.contains("100") && public.contains("IC102"), "{public}");
    let internal = FindingNumbers::from(&finding);
    assert_eq!((internal.rows, internal.share), (Some(3), Some(0.03)));
    let back: FindingNumbers = serde_json::from_str(&serde_json::to_string(&internal).unwrap()).unwrap();
    assert_eq!(back, internal);
}

#[test]
fn column_sets_are_published_by_name_alone() {
    let set = SetRisk { columns: vec!["age".into()], k: 1, unique: 4, below: 17 };
    let diagnosis = Diagnosis {
        rows: 90,
        tuples: 80,
        people: 90,
        appearances: 90,
        quasi_identifiers: vec!["age".into()],
        k_asked: 5,
        k: 1,
        classes: 70,
        unique: 4,
        below: 17,
        mean_risk: 0.7,
        curve: vec![],
        attributes: vec![],
        largest_safe: vec![],
        smallest_dangerous: vec![set.clone()],
        groupings: 1,
        complete: true,
        not_searched: vec![],
        exposed_values: None,
        findings: vec![],
    };
    let sets = ColumnSets::from(&diagnosis);
    assert_eq!((sets.k, sets.standing, sets.measured), (5, Standing::Fails, 1));
    assert_eq!(sets.dangerous, [["age"]]);
    assert_eq!(SetNumbers::from(&set).rows_below_k, 17);
    let safe = Diagnosis { smallest_dangerous: vec![], complete: false, ..diagnosis };
    assert_eq!(ColumnSets::from(&safe).standing, Standing::NotFound);
}

#[test]
fn the_side_of_the_threshold_that_counts_is_said_and_kept() {
    let threshold = |rule| RiskThreshold { value: 0.2, source: "house rule".into(), rule };
    let classes = ClassSizes::from_sizes([5, 5, 10]);
    let verdict = |rule| Risk::of(threshold(rule), None, Some(&classes)).verdict().adversaries[0].standing;
    assert_eq!(verdict(ThresholdSide::AtMost), Standing::Proved);
    assert_eq!(verdict(ThresholdSide::Below), Standing::Fails);
    let risk = Risk::of(threshold(ThresholdSide::Below), Some(&classes), None);
    assert_eq!(risk.before[0].above, Some(0.5));
    assert_eq!(risk.verdict().adversaries.len(), 2);
}

#[test]
fn subgroups_are_told_by_their_extremes_without_a_label() {
    let group =
        |label: &str, rows, withheld| SubgroupNumbers { column: "sex".into(), label: label.into(), rows, withheld };
    let groups = [group("rare label", 400, 90), group("frequent label", 9_000, 2)];
    let spread = SubgroupSpread::of("sex", &groups, 10).unwrap();
    assert!(spread.least.is_small() && spread.most.range().is_some_and(|(from, to)| from <= 22 && to >= 23));
    assert!(!serde_json::to_string(&spread).unwrap().contains("label"));
    assert_eq!(SubgroupSpread::of("age", &groups, 10), None);
}

#[test]
fn an_attack_gains_something_when_its_interval_is_above_the_baseline() {
    let mut outcome = example().attacks[2].clone();
    assert_eq!(AttackConclusion::of(&outcome, "guesses").standing, Standing::Fails);
    outcome.baseline = outcome.low;
    assert_eq!(AttackConclusion::of(&outcome, "guesses").standing, Standing::NotFound);
    assert!(!serde_json::to_string(&AttackConclusion::of(&outcome, "guesses")).unwrap().contains("0."));
}
