//! The same setting by name and in the file of a plan gives the same options, for every option that is declared.
#![cfg(test)]

use incrowd_engine::Format;
use serde_json::{Value, json};

use super::{NamedSettings, OptionEntry, OptionPlace, OptionValue, Plan, options, partial_plan};

/// Settings with which every option means something.
fn usual() -> NamedSettings {
    let usual = json!({ "k": 5, "qi": ["age", "sex"], "sensitive": ["illness", "wage"], "insensitive": ["birth"] });
    usual.as_object().cloned().expect("an object")
}

/// The file of a plan that says the same as [`usual`].
fn usual_plan() -> Value {
    let column = |name: &str, role: &str| json!({ "name": name, "role": role });
    let columns = [
        column("age", "quasi-identifier"),
        column("sex", "quasi-identifier"),
        column("illness", "sensitive"),
        column("wage", "sensitive"),
        column("birth", "insensitive"),
    ];
    json!({ "version": 1, "source": { "path": "" }, "policy": { "k": 5 }, "column": columns })
}

/// All that follows from a plan.
fn told(plan: &Plan) -> String {
    let options = plan.options(Format::Csv).expect("options");
    format!("{options:?} {:?} {:?}", plan.settings(), plan.run.cluster)
}

fn by_name(named: &NamedSettings) -> String {
    told(&Plan::default().overlay(partial_plan(named).expect("settings")))
}

fn by_plan(plan: &Value) -> String {
    let text = toml::to_string(plan).expect("toml");
    told(&Plan::parse(&text).unwrap_or_else(|fault| panic!("{fault}\n{text}")).overlay(Plan::default()))
}

/// The columns that a plan says something of.
fn of_column<'p>(plan: &'p mut Value, name: &str) -> &'p mut Value {
    let columns = plan["column"].as_array_mut().expect("columns");
    let at = columns.iter().position(|column| column["name"] == name).unwrap_or_else(|| {
        columns.push(json!({ "name": name, "role": "insensitive" }));
        columns.len() - 1
    });
    &mut columns[at]
}

/// The usual plan with this option, as it is written in a file; nothing if no file can contain it.
fn written(entry: &OptionEntry, value: &Value) -> Option<Value> {
    let mut plan = usual_plan();
    let names = || value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    match entry.place {
        OptionPlace::Plan(key) => {
            let place = key.split('.').fold(&mut plan, |place, key| &mut place[key]);
            *place = value.clone();
        }
        OptionPlace::EachColumn("role", word) => {
            let word: Value = serde_json::from_str(word).expect("json");
            let columns = plan["column"].as_array_mut().expect("columns");
            // Quasi-identifiers that are named are the only ones, and all that is named comes in its order.
            columns.retain(|column| column["role"] != word && !names().contains(&column["name"]));
            let named = names().into_iter().map(|name| json!({ "name": name, "role": word }));
            plan["column"] = named.chain(columns.clone()).collect();
        }
        OptionPlace::EachColumn(key, word) => {
            for name in names() {
                let word: Value = serde_json::from_str(word).expect("json");
                of_column(&mut plan, name.as_str().expect("a name"))[key] = word;
            }
        }
        OptionPlace::ByColumn(key) => {
            for (name, value) in value.as_object().expect("by column") {
                of_column(&mut plan, name)[key] = value.clone();
            }
        }
        OptionPlace::EverySensitive { model, parameter } => {
            let rule = |column: &str| json!({ "model": model, "column": column, parameter: value });
            plan["policy"]["rule"] = json!([rule("illness"), rule("wage")]);
        }
        OptionPlace::Rule { .. } => plan["policy"]["rule"] = value.clone(),
        OptionPlace::Call(_) | OptionPlace::Changes(_) => return None,
    }
    Some(plan)
}

#[test]
fn every_option_has_an_example_that_changes_something() {
    for entry in options() {
        let is_switch = matches!(entry.value, OptionValue::Switch | OptionValue::SwitchOff);
        assert!(is_switch || !entry.example.is_empty(), "{}: an example is missing", entry.name);
        let mut named = usual();
        let other = entry.requires.and_then(|flag| options().find(|other| other.flag == Some(flag)));
        named.extend(other.map(|other| (other.name.to_owned(), other.example_value().expect("an example"))));
        let before = by_name(&named);
        named
            .insert(entry.name.into(), entry.example_value().unwrap_or_else(|fault| panic!("{}: {fault}", entry.name)));
        assert_ne!(by_name(&named), before, "{}", entry.name);
    }
}

#[test]
fn every_option_means_the_same_by_name_and_in_a_plan() {
    let mut compared = 0;
    for entry in options() {
        let value = entry.example_value().expect("an example");
        let Some(plan) = written(entry, &value) else { continue };
        let mut named = usual();
        // A role that is named here is not another one of the usual roles, too.
        if let OptionPlace::EachColumn("role", _) = entry.place {
            let is_named = |name: &Value| value.as_array().map_or(value == *name, |names| names.contains(name));
            for other in named.values_mut().filter_map(Value::as_array_mut) {
                other.retain(|name| !is_named(name));
            }
        }
        named.insert(entry.name.into(), value);
        assert_eq!(by_name(&named), by_plan(&plan), "{}", entry.name);
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
}

/// A key that is added to the plan has to be declared, or be named here with the reason.
#[test]
fn every_key_of_the_plan_is_an_option() {
    const NO_OPTIONS: &[(&str, &str)] = &[
        ("source.path", "the table"),
        ("release.path", "the place of the release"),
        ("policy.limit", "an option of attack"),
        ("policy.confirmed", "said by confirm"),
        ("column.confirmed", "said by confirm"),
        ("column.name", "the name"),
        ("column.names", "the names"),
        ("run.memory_mib", "`memory` is given in bytes"),
    ];
    let schema = Plan::schema();
    let sections = ["source", "policy", "population", "solve", "release", "run", "column"];
    let types = ["SourcePlan", "PolicyPlan", "PopulationPlan", "SolvePlan", "ReleasePlan", "RunPlan", "ColumnPlan"];
    let declared: Vec<String> = options().filter_map(OptionEntry::plan_key).collect();
    for (section, name) in sections.iter().zip(types) {
        for key in schema["$defs"][name]["properties"].as_object().expect("keys").keys() {
            let key = format!("{section}.{key}");
            let is_known = declared.contains(&key) || NO_OPTIONS.iter().any(|(known, _)| *known == key);
            assert!(is_known, "{key} is a key of the plan and no option");
        }
    }
}
