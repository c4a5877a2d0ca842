//! Settings that a front end names become a plan that says nothing of the rest.

use serde_json::{Map, Value, json};

use super::{CallPlan, OptionEntry, OptionPlace, OptionValue, Plan, RulePlan, options};
use crate::error::{Error, Result};

/// The settings of a command line or a Python call, by the names of their options.
pub type NamedSettings = Map<String, Value>;

/// The plan that says what these settings say. Refuses names that no option has, columns with two roles, and values
/// that their keys cannot have.
pub fn partial_plan(named: &NamedSettings) -> Result<Plan> {
    if let Some(name) = named.keys().find(|name| OptionEntry::find(name).is_none()) {
        return Err(refused(format!("unknown option “{name}”")));
    }
    let mut parts = PlanParts {
        plan: json!({ "version": 1, "source": { "path": "" }, "policy": { "k": null } }),
        ..PlanParts::default()
    };
    let given = || options().filter_map(|entry| named.get(entry.name).map(|value| (entry, value)));
    // Columns come in the order in which their roles are named, whatever else is said of them.
    let (roles, others): (Vec<_>, Vec<_>) =
        given().partition(|(entry, _)| matches!(entry.place, OptionPlace::EachColumn("role", _)));
    for (entry, value) in roles.into_iter().chain(others) {
        parts.add(entry, value)?;
    }
    let mut plan = parts.finished()?;
    for (entry, value) in given() {
        match entry.place {
            OptionPlace::Changes(change) if *value == Value::Bool(true) => change(&mut plan),
            _ => {}
        }
    }
    plan.check()?;
    Ok(plan)
}

fn refused(message: String) -> Error {
    Error::Plan { path: "plan".into(), message }
}

/// The parts of a plan, as JSON.
#[derive(Default)]
struct PlanParts {
    plan: Value,
    call: Map<String, Value>,
    /// The entries of columns, in the order in which they are named.
    columns: Vec<(String, Map<String, Value>)>,
    rules_of_every: Vec<RulePlan>,
}

impl PlanParts {
    fn add(&mut self, entry: &OptionEntry, value: &Value) -> Result<()> {
        match entry.place {
            OptionPlace::Plan(key) => set(&mut self.plan, key, in_a_list(entry.value, value)),
            OptionPlace::Call(key) => {
                self.call.insert(key.into(), value.clone());
            }
            OptionPlace::EachColumn(key, word) => {
                let word: Value = serde_json::from_str(word).unwrap_or_default();
                for column in names(value) {
                    self.set_once(column, key, &word)?;
                }
            }
            OptionPlace::ByColumn(key) => {
                for (column, value) in value.as_object().into_iter().flatten() {
                    self.of_column(column).insert(key.into(), value.clone());
                }
            }
            OptionPlace::EverySensitive { model, parameter } => {
                let rule = json!({ "model": model, "column": "", parameter: value });
                self.rules_of_every.push(serde_json::from_value(rule).map_err(|error| refused(error.to_string()))?);
            }
            OptionPlace::Rule { .. } => set(&mut self.plan, "policy.rule", value.clone()),
            OptionPlace::Changes(_) => {}
        }
        Ok(())
    }

    fn of_column(&mut self, name: &str) -> &mut Map<String, Value> {
        let at = self.columns.iter().position(|(column, _)| column == name).unwrap_or_else(|| {
            self.columns.push((name.into(), Map::new()));
            self.columns.len() - 1
        });
        &mut self.columns[at].1
    }

    /// Sets a key of a column's entry, unless it is set already: it would not be clear which of the two counts.
    fn set_once(&mut self, column: &str, key: &str, word: &Value) -> Result<()> {
        let said = self.of_column(column).insert(key.into(), word.clone());
        match said {
            Some(before) if key == "role" && before == *word => Err(Error::NamedTwice(column.into())),
            Some(_) if key == "role" => Err(Error::TwoRoles(column.into())),
            Some(before) if before != *word => Err(Error::Contradictory(format!(
                "the spellings of “{column}” cannot be both one value and different values"
            ))),
            _ => Ok(()),
        }
    }

    fn finished(mut self) -> Result<Plan> {
        let columns = self.columns.into_iter().map(|(name, mut entry)| {
            entry.insert("name".into(), name.into());
            entry.entry("role").or_insert(Value::Null);
            Value::Object(entry)
        });
        set(&mut self.plan, "column", columns.collect());
        let faulty = |error: serde_json::Error| refused(error.to_string());
        let mut plan: Plan = serde_json::from_value(self.plan).map_err(faulty)?;
        plan.call = serde_json::from_value::<CallPlan>(self.call.into()).map_err(faulty)?;
        plan.policy.every_sensitive = self.rules_of_every;
        Ok(plan)
    }
}

/// One text in the place of several, and bounds by column, as a call may have them, are lists in a plan.
fn in_a_list(kind: OptionValue, value: &Value) -> Value {
    match (kind, value) {
        (OptionValue::Texts, Value::String(_)) => json!([value]),
        (OptionValue::Alphas, Value::Object(bounds)) => {
            bounds.iter().map(|(column, alpha)| json!({ "column": column, "alpha": alpha })).collect()
        }
        _ => value.clone(),
    }
}

/// The names of columns: one, or several.
fn names(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().chain(value.is_string().then_some(value)).filter_map(Value::as_str)
}

/// Sets a key such as `solve.time`; a list is added to.
fn set(plan: &mut Value, key: &str, value: Value) {
    let place = key.split('.').fold(plan, |place, key| &mut place[key]);
    match (place, value) {
        (Value::Array(there), Value::Array(more)) => there.extend(more),
        (place, value) => *place = value,
    }
}

#[cfg(test)]
mod tests {
    use incrowd_core::Role;

    use super::*;

    fn partial(named: &Value) -> Result<Plan> {
        partial_plan(named.as_object().expect("an object"))
    }

    #[test]
    fn settings_that_are_not_named_are_not_set() {
        let plan =
            partial(&json!({ "time": 1.5, "qi": ["sex", "age"], "date_format": { "age": "%Y" } })).expect("a plan");
        assert_eq!((plan.policy.k, plan.solve.time, plan.solve.seed), (None, Some(1.5), None));
        assert_eq!(plan.columns[0].role, Some(Role::QuasiIdentifier));
        assert_eq!(plan.columns[1].date_format.as_deref(), Some("%Y"));
        assert_eq!(partial(&json!({})).expect("a plan"), Plan::default());
    }

    #[test]
    fn names_that_mean_nothing_and_columns_with_two_roles_are_refused() {
        let code = |named: Value| partial(&named).expect_err("refused").code();
        assert_eq!(code(json!({ "tyme": 1.5 })), "IC502");
        assert_eq!(code(json!({ "time": "soon" })), "IC502");
        assert_eq!(code(json!({ "time": -1.0 })), "IC502");
        assert!(matches!(partial(&json!({ "qi": ["age"], "sensitive": ["age"] })), Err(Error::TwoRoles(_))));
        assert!(matches!(partial(&json!({ "qi": ["age", "age"] })), Err(Error::NamedTwice(_))));
        let both = json!({ "fold_spellings": ["age"], "keep_spellings": ["age"] });
        assert!(matches!(partial(&both), Err(Error::Contradictory(_))));
    }
}
