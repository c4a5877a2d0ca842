//! Every number of a plan refuses values that make no sense, whichever key it stands under.
#![cfg(test)]

use std::collections::BTreeSet;

use incrowd_core::{MODELS, Parameter};

use super::{OptionPlace, Plan, options};

/// A plan with every key that holds a number.
const FULL: &str = r#"
version = 1
[source]
path = "visits.csv"
[policy]
k = 5
suppress = 0.02
[[policy.alpha]]
column = "illness"
alpha = 0.5
[[policy.rule]]
model = "p-sensitive"
column = "illness"
p = 2
[[policy.rule]]
model = "recursive-c-l-diversity"
column = "illness"
c = 2.5
l = 2
[[policy.rule]]
model = "t-closeness"
column = "illness"
t = 0.2
distance = "equal"
[[policy.rule]]
model = "beta-likeness"
column = "illness"
beta = 1.5
[[policy.rule]]
model = "delta-disclosure"
column = "illness"
delta = 1.5
[[policy.limit]]
attack = "prosecutor"
max = 0.2
[population]
k_map = 12
risk = 0.09
attacker = "journalist"
[solve]
effort = 2.0
time = 60.0
until = 1.5
shard = 1000
seed = 1
diversity_weights = { illness = 0.7 }
[run]
memory_mib = 64
threads = 2
[[column]]
name = "age"
role = "quasi-identifier"
hierarchy = { intervals = [5.0, 10.0] }
"#;

/// Values that make sense although they look odd, and the keys whose limits are checked by the engine.
const SENSIBLE: [(&str, &[&str]); 6] = [
    // No row may be suppressed.
    ("suppress", &["0"]),
    // The first release that is found.
    ("time", &["0"]),
    // Any seed will do.
    ("seed", &["0"]),
    // No success is allowed.
    ("max", &["0"]),
    ("memory_mib", &["0", "-1", "nan", "inf", "1e400"]),
    ("threads", &["0", "-1", "nan", "inf", "1e400"]),
];

/// A plan with every key that holds a number: those of [`FULL`], and the examples of the options and of the models
/// that are not in it.
fn full() -> String {
    let mut text = FULL.to_owned();
    for entry in options() {
        let OptionPlace::Plan(key) = entry.place else { continue };
        let (Some((section, key)), Ok(value)) = (key.split_once('.'), entry.example_value()) else { continue };
        if value.is_number() && !text.contains(&format!("\n{key} = ")) {
            text = text.replace(&format!("\n[{section}]\n"), &format!("\n[{section}]\n{key} = {value}\n"));
        }
    }
    for model in MODELS.iter().filter(|model| model.sensitive) {
        let example = (model.example)();
        let line = |(name, value): (&str, &Parameter)| match value {
            Parameter::Whole(number) => Some((format!("\n{name} = "), format!("{name} = {number}\n"))),
            _ => None,
        };
        let numbers: Vec<(String, String)> = example.iter().filter_map(line).collect();
        if numbers.iter().any(|(key, _)| !text.contains(key)) {
            let lines: String = numbers.into_iter().map(|(_, line)| line).collect();
            let rule = format!("[[policy.rule]]\nmodel = \"{}\"\ncolumn = \"illness\"\n{lines}", model.id);
            text = text.replace("[[policy.limit]]", &format!("{rule}[[policy.limit]]"));
        }
    }
    text
}

/// The keys of a plan that hold numbers, as they are written in [`full`].
fn number_lines() -> Vec<(usize, String)> {
    let number = |(at, line): (usize, &str)| {
        let (key, value) = line.split_once(" = ")?;
        value.parse::<f64>().is_ok().then(|| (at, key.to_owned()))
    };
    full().lines().enumerate().filter_map(number).collect()
}

fn with_line(at: usize, line: &str) -> String {
    full().lines().enumerate().map(|(number, old)| format!("{}\n", if number == at { line } else { old })).collect()
}

#[test]
fn a_plan_refuses_numbers_that_make_no_sense_and_names_the_key() {
    assert!(Plan::parse(FULL).is_ok(), "{:?}", Plan::parse(FULL));
    for (at, key) in number_lines() {
        for value in ["nan", "inf", "-inf", "-1", "0", "1e400", "\"\"", "[]"] {
            let sensible = SENSIBLE.iter().any(|(known, values)| *known == key && values.contains(&value));
            let read = Plan::parse(&with_line(at, &format!("{key} = {value}")));
            match read {
                Err(message) => assert!(message.contains(&key), "{key} = {value}: {message}"),
                Ok(_) => assert!(sensible, "{key} = {value} is read"),
            }
        }
    }
    for widths in ["[]", "[0]", "[-5]", "[nan]", "[inf]", "[5, nan]"] {
        let text = FULL.replace("[5.0, 10.0]", widths);
        assert!(Plan::parse(&text).is_err_and(|message| message.contains("intervals")), "{widths}");
    }
    for weight in ["0", "-1", "nan", "inf"] {
        let text = FULL.replace("illness = 0.7", &format!("illness = {weight}"));
        assert!(Plan::parse(&text).is_err_and(|message| message.contains("weight of “illness”")), "{weight}");
    }
}

/// A key that is added to the plan and is no option has to be added to [`FULL`].
#[test]
fn every_number_of_the_schema_is_tried() {
    let mut numbers = BTreeSet::new();
    let schema = Plan::schema();
    collect(&schema, &schema, "", &mut numbers);
    let tried: BTreeSet<String> = number_lines().into_iter().map(|(_, key)| key).collect();
    let elsewhere = ["intervals", "diversity_weights"];
    let untried: Vec<&String> =
        numbers.iter().filter(|key| !tried.contains(*key) && !elsewhere.contains(&key.as_str())).collect();
    assert!(untried.is_empty(), "{untried:?}");
}

/// The names of properties that can be numbers.
fn collect(root: &serde_json::Value, schema: &serde_json::Value, name: &str, numbers: &mut BTreeSet<String>) {
    let Some(object) = schema.as_object() else {
        schema.as_array().into_iter().flatten().for_each(|one| collect(root, one, name, numbers));
        return;
    };
    let is_number = |kind: &serde_json::Value| {
        let words = kind.as_array().cloned().unwrap_or_else(|| vec![kind.clone()]);
        words.iter().any(|word| word == "number" || word == "integer")
    };
    if object.get("type").is_some_and(is_number) {
        numbers.insert(name.to_owned());
    }
    let named = object.get("$ref").and_then(|path| path.as_str()).and_then(|path| path.strip_prefix('#'));
    if let Some(found) = named.and_then(|named| root.pointer(named)) {
        collect(root, found, name, numbers);
    }
    for (key, value) in object {
        match key.as_str() {
            "properties" => {
                for (property, schema) in value.as_object().into_iter().flatten() {
                    collect(root, schema, property, numbers);
                }
            }
            "anyOf" | "oneOf" | "allOf" | "items" | "additionalProperties" => collect(root, value, name, numbers),
            _ => {}
        }
    }
}

#[test]
fn a_plan_that_asks_for_the_same_thing_twice_is_refused() {
    let twice = |more: &str, word: &str| {
        let refused = Plan::parse(&format!("{FULL}{more}"));
        assert!(refused.as_ref().is_err_and(|message| message.contains(word)), "{more}: {refused:?}");
    };
    twice("[[policy.rule]]\nmodel = \"t-closeness\"\ncolumn = \"illness\"\nt = 0.6\n", "t-closeness of “illness”");
    twice("[[policy.alpha]]\ncolumn = \"illness\"\nalpha = 0.9\n", "alpha-deassociation of “illness”");
    twice("[[policy.limit]]\nattack = \"prosecutor\"\nmax = 0.5\n", "limit of prosecutor");
    twice("[[column]]\nname = \"age\"\nrole = \"sensitive\"\n", "column “age” has two entries");
    let other = "[[policy.alpha]]\ncolumn = \"illness\"\nalpha = 0.9\nvalues = [\"flu\"]\n\
                 [[policy.rule]]\nmodel = \"t-closeness\"\ncolumn = \"illness\"\nt = 0.3\ndistance = \"ordered\"\n\
                 order = [\"flu\", \"gout\"]\n";
    assert!(Plan::parse(&format!("{FULL}{other}")).is_ok(), "other values and another distance are other rules");
}
