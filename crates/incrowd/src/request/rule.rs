//! A further model of a request's policy, in the words a custodian writes.
//!
//! One form for all models about a sensitive column: `[[policy.rule]]` names the model and the column, and gives the
//! parameters that the model has; the model itself refuses those that it does not have. What a hierarchy says about the
//! column's values is read from its file: its paths for t-closeness, the values below protected nodes for extended
//! p-sensitivity.

use std::borrow::Cow;
use std::path::Path;

use incrowd_core::{Hierarchy, MODELS, ModelEntry, Node, Parameter, ParameterKind, Parameters, Rule, ValueRelations};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::texts::{most_hierarchy_bytes, text_of};

/// A model that protects a sensitive column, with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RulePlan {
    /// Model; see `incrowd list models`.
    pub model: String,
    /// The sensitive column.
    pub column: String,
    /// Hierarchy file of the column, relative to the plan: for the hierarchical distance or protected nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<String>,
    /// The labels of the protected nodes of the hierarchy, for extended-p-sensitive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    /// The parameters of the model, as they are written.
    #[serde(flatten)]
    pub parameters: Parameters,
}

/// A parameter that a rule can be given, as the models declare it.
#[derive(Clone, Debug)]
pub(super) struct RuleParameter {
    /// Its name.
    name: &'static str,
    /// The type of its value.
    pub(super) kind: RuleParameterKind,
    /// Which models have it and what it sets, for the schema.
    help: String,
}

/// The type of a parameter of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleParameterKind {
    /// A whole number of at least 1.
    Whole,
    /// A number or a ratio.
    Number,
    /// A word.
    Word,
    /// Values.
    List,
    /// Groups of values.
    Lists,
}

impl RuleParameterKind {
    /// How a parameter of a model is given in a rule; nothing for paths, which only a hierarchy says.
    fn of(kind: ParameterKind) -> Option<RuleParameterKind> {
        match kind {
            ParameterKind::Whole => Some(RuleParameterKind::Whole),
            ParameterKind::Share | ParameterKind::Number { .. } => Some(RuleParameterKind::Number),
            ParameterKind::Word(_) => Some(RuleParameterKind::Word),
            ParameterKind::Values => Some(RuleParameterKind::List),
            ParameterKind::Groups => Some(RuleParameterKind::Lists),
            ParameterKind::Paths => None,
        }
    }
}

impl RuleParameter {
    /// The parameters of all models that a rule can name, each once. Where models differ in its type, as for ℓ, any number
    /// is read and the model itself asks for a whole one.
    fn all() -> Vec<RuleParameter> {
        let mut all: Vec<RuleParameter> = Vec::new();
        let models = MODELS.iter().filter(|model| instead_of_rule(model.id).is_none());
        for (model, entry) in models.flat_map(|model| model.parameters.iter().map(move |entry| (model, entry))) {
            let Some(kind) = RuleParameterKind::of(entry.kind) else { continue };
            let help = format!("{}: {}", model.id, entry.help);
            match all.iter_mut().find(|parameter| parameter.name == entry.name) {
                Some(known) => {
                    known.help = format!("{} {help}", known.help);
                    known.kind = if known.kind == kind { kind } else { RuleParameterKind::Number };
                }
                None => all.push(RuleParameter { name: entry.name, kind, help }),
            }
        }
        all
    }

    /// The parameter of this name.
    pub(super) fn find(name: &str) -> Option<RuleParameter> {
        RuleParameter::all().into_iter().find(|parameter| parameter.name == name)
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = match self.kind {
            RuleParameterKind::Whole => generator.subschema_for::<Option<u64>>(),
            RuleParameterKind::Number => generator.subschema_for::<Option<NumberWord>>(),
            RuleParameterKind::Word => generator.subschema_for::<Option<String>>(),
            RuleParameterKind::List => generator.subschema_for::<Vec<String>>(),
            RuleParameterKind::Lists => generator.subschema_for::<Vec<Vec<String>>>(),
        };
        if self.kind == RuleParameterKind::Whole {
            schema.insert("minimum".into(), 1.into());
        }
        schema
    }
}

/// Why a model is not given as a rule: a policy has words of its own for it.
fn instead_of_rule(model: &str) -> Option<&'static str> {
    match model {
        "k-anonymity" => Some("set k-anonymity with `k`, not with a rule"),
        "alpha-deassociation" => Some("set limits on shares with `alpha`, not with a rule"),
        "k-map" => Some("set k-map with `k_map` of the population, not with a rule"),
        "delta-presence" => Some("set δ-presence with `delta_presence` of the population, not with a rule"),
        _ => None,
    }
}

impl JsonSchema for RulePlan {
    fn schema_name() -> Cow<'static, str> {
        "RulePlan".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        let mut add = |name: &str, mut schema: Schema, help: &str| {
            schema.insert("description".into(), help.into());
            properties.insert(name.into(), schema.into());
        };
        add("model", generator.subschema_for::<String>(), "Model; see `incrowd list models`.");
        add("column", generator.subschema_for::<String>(), "The sensitive column.");
        let file = "Hierarchy file of the column, relative to the plan: for the hierarchical distance or protected \
                    nodes.";
        add("hierarchy", generator.subschema_for::<Option<String>>(), file);
        let nodes = "The labels of the protected nodes of the hierarchy, for extended-p-sensitive.";
        add("protected", generator.subschema_for::<Vec<String>>(), nodes);
        for parameter in RuleParameter::all() {
            add(parameter.name, parameter.schema(generator), &parameter.help);
        }
        json_schema!({
            "type": "object",
            "description": "A model that protects a sensitive column, with its parameters.",
            "properties": Value::Object(properties),
            "required": ["model", "column"],
            "additionalProperties": false,
        })
    }
}

/// A number such as 0.2, or a ratio.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum NumberWord {
    /// 0.2
    Number(f64),
    /// "1/5"
    Text(String),
}

impl RulePlan {
    /// What is invalid, as far as it can be told without the hierarchy.
    pub fn fault(&self) -> Option<String> {
        let (model, column) = (&self.model, &self.column);
        if let Some(instead) = instead_of_rule(model) {
            return Some(instead.into());
        }
        if self.hierarchy.is_some() {
            let fault = match (FromHierarchy::of(model), self.protected.is_empty()) {
                (None, _) => Some("takes no hierarchy"),
                (Some(FromHierarchy::Groups), true) => Some("needs the labels of the protected nodes: `protected`"),
                (Some(FromHierarchy::Groups), false) if self.has_groups() => {
                    Some("takes `groups` or a hierarchy, not both")
                }
                (Some(FromHierarchy::Tree), false) => Some("has no protected nodes"),
                _ => None,
            };
            return fault.map(|fault| format!("{model} of “{column}” {fault}"));
        }
        if !self.protected.is_empty() {
            return Some(format!(
                "{model} of “{column}” has protected nodes, but no hierarchy: give its file with `hierarchy` \
                 (hierarchy=FILE)"
            ));
        }
        if FromHierarchy::of(model) == Some(FromHierarchy::Groups) && !self.has_groups() {
            return Some(format!(
                "{model} of “{column}” needs its protected nodes: `hierarchy` and `protected` \
                 (hierarchy=FILE,protected=NODE|NODE), or the values below each: `groups` (groups=VALUE|VALUE/VALUE|VALUE)"
            ));
        }
        self.with(self.exact_parameters()).model().err().map(|error| format!("“{column}”: {error}"))
    }

    /// The rule it stands for; its hierarchy is looked for in `folder`.
    pub fn rule(&self, folder: &Path) -> Result<Rule> {
        let mut parameters = self.exact_parameters();
        if let Some(file) = &self.hierarchy {
            let hierarchy = read(&self.column, &folder.join(file), None)?;
            parameters = if self.protected.is_empty() {
                parameters.with("tree", paths(&hierarchy))
            } else {
                parameters.with("groups", self.groups_of(&hierarchy)?)
            };
        }
        let rule = self.with(parameters);
        rule.model()?;
        Ok(rule)
    }

    /// The rule as far as it can be told without its hierarchy.
    pub(super) fn without_hierarchy(&self) -> Rule {
        self.with(self.exact_parameters())
    }

    fn with(&self, parameters: Parameters) -> Rule {
        Rule { model: self.model.clone(), parameters, sensitive: vec![self.column.clone()] }
    }

    /// Whether the values of protected groups are listed.
    fn has_groups(&self) -> bool {
        self.parameters.iter().any(|(name, value)| name == "groups" && !is_empty(value))
    }

    /// The parameters as a model takes them: numbers exactly as they are written, and nothing for an empty list.
    fn exact_parameters(&self) -> Parameters {
        let given = self.parameters.iter().filter(|(_, value)| !is_empty(value));
        given.map(|(name, value)| (name, exact(value))).collect()
    }

    /// The values below each protected node that has no protected node above it.
    fn groups_of(&self, hierarchy: &Hierarchy) -> Result<Vec<Vec<String>>> {
        let mut protected: Vec<&Node> = Vec::new();
        for label in &self.protected {
            let before = protected.len();
            protected.extend(hierarchy.find(label));
            if protected.len() == before {
                return Err(Error::UnknownNode(self.column.clone()));
            }
        }
        // The larger of two nodes that overlap holds the other one; of one node that is named twice one is enough.
        let holds = |node: &Node, other: &Node| {
            node.leaves().start() <= other.leaves().start() && other.leaves().end() <= node.leaves().end()
        };
        let mut strong: Vec<&Node> = Vec::new();
        for node in protected {
            if !strong.iter().any(|other| holds(other, node)) {
                strong.retain(|other| !holds(node, other));
                strong.push(node);
            }
        }
        let labels: Vec<&str> = hierarchy.leaf_labels().collect();
        let values = |node: &Node| {
            let labels = node.leaves().map(|leaf| labels[leaf as usize]);
            // The leaf without a label is the missing value, which is in no group.
            labels.filter(|label| !label.is_empty()).map(Into::into).collect::<Vec<String>>()
        };
        Ok(strong.into_iter().map(values).filter(|values| !values.is_empty()).collect())
    }
}

/// What a model takes from a hierarchy over the values of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FromHierarchy {
    /// The path of each value.
    Tree,
    /// The values below each protected node.
    Groups,
}

impl FromHierarchy {
    /// What the model of this id takes; nothing when it takes no hierarchy.
    fn of(model: &str) -> Option<FromHierarchy> {
        let parameters = ModelEntry::find(model).map_or(&[][..], |entry| entry.parameters);
        parameters.iter().find_map(|parameter| match parameter.kind {
            ParameterKind::Paths => Some(FromHierarchy::Tree),
            ParameterKind::Groups => Some(FromHierarchy::Groups),
            _ => None,
        })
    }
}

fn is_empty(value: &Parameter) -> bool {
    matches!(value, Parameter::List(values) if values.is_empty())
        || matches!(value, Parameter::Lists(lists) if lists.is_empty())
}

/// A number as its text, so that it is taken exactly; a whole number as one.
fn exact(value: &Parameter) -> Parameter {
    let text = match value {
        // The shortest text of a number is what its writer meant.
        Parameter::Fraction(number) => number.to_string(),
        Parameter::Text(text) => text.trim().to_owned(),
        other => return other.clone(),
    };
    text.parse().map(Parameter::Whole).unwrap_or(Parameter::Text(text))
}

/// What a hierarchy file over the values of a sensitive column says about them: its paths, and the values below the
/// protected nodes if some are named.
pub fn akin(column: &str, file: &Path, protected: &[String], memory: Option<u64>) -> Result<ValueRelations> {
    let hierarchy = read(column, file, memory)?;
    let rule = RulePlan { column: column.into(), protected: protected.into(), ..RulePlan::default() };
    let groups = if protected.is_empty() { None } else { Some(rule.groups_of(&hierarchy)?) };
    Ok(ValueRelations { tree: Some(paths(&hierarchy)), groups })
}

fn read(column: &str, path: &Path, memory: Option<u64>) -> Result<Hierarchy> {
    let text = text_of(path, most_hierarchy_bytes(memory))?;
    Hierarchy::read(&text).map_err(|error| Error::HierarchyOf { column: column.into(), error })
}

/// For each value its path to the root.
fn paths(hierarchy: &Hierarchy) -> Vec<Vec<String>> {
    let leaves = (0..hierarchy.leaf_count()).filter(|&leaf| Some(leaf) != hierarchy.missing());
    leaves.map(|leaf| hierarchy.path(leaf).map(|node| node.label().to_owned()).collect()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const DISEASES: &str = "flu;lung;*\npneumonia;lung;*\nulcer;stomach;*\ncancer;stomach;*\n";

    fn rule(model: &str) -> RulePlan {
        RulePlan { model: model.into(), column: "disease".into(), ..RulePlan::default() }
    }

    fn two() -> Parameters {
        Parameters::from_iter([("p", 2)])
    }

    #[test]
    fn the_paths_of_a_hierarchy_are_the_tree_of_t_closeness() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("diseases.csv"), DISEASES).unwrap();
        let close = RulePlan {
            hierarchy: Some("diseases.csv".into()),
            parameters: Parameters::default().with("t", Parameter::Fraction(0.2)).with("distance", "hierarchical"),
            ..rule("t-closeness")
        };
        assert_eq!(close.fault(), None);
        let read = serde_json::to_value(close.rule(folder.path()).unwrap()).unwrap();
        let path = ["flu", "lung", "*"];
        assert_eq!(read["parameters"]["tree"][0], serde_json::json!(path));
        assert_eq!(read["parameters"]["t"], "0.2");
        assert!(close.rule(Path::new("nowhere")).is_err());
    }

    #[test]
    fn the_strong_nodes_of_a_hierarchy_are_the_groups_of_extended_p_sensitivity() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("diseases.csv"), DISEASES).unwrap();
        let extended = |protected: &[&str]| RulePlan {
            parameters: two(),
            hierarchy: Some("diseases.csv".into()),
            protected: protected.iter().map(|&label| label.into()).collect(),
            ..rule("extended-p-sensitive")
        };
        let read = |protected: &[&str]| {
            let rule = extended(protected).rule(folder.path()).unwrap();
            serde_json::to_value(rule).unwrap()["parameters"]["groups"].clone()
        };
        // A node below a protected one is not strong.
        assert_eq!(read(&["flu", "lung", "cancer"]), serde_json::json!([["flu", "pneumonia"], ["cancer"]]));
        assert_eq!(extended(&["heart"]).rule(folder.path()).unwrap_err().code(), "IC503");
    }

    #[test]
    fn an_invalid_rule_is_refused_with_its_reason() {
        let told = |rule: RulePlan| rule.fault().unwrap();
        assert_eq!(told(rule("k-anonymity")), "set k-anonymity with `k`, not with a rule");
        assert!(told(rule("p-sensitive")).contains("needs `p`: an integer of at least 1"));
        assert!(told(rule("m-invariance")).contains("unknown model `m-invariance`"));
        let useless = RulePlan { parameters: two().with("t", "0.2"), ..rule("p-sensitive") };
        assert!(told(useless).contains("has no parameter `t`"));
        let bare = RulePlan { parameters: two(), protected: vec!["lung".into()], ..rule("extended-p-sensitive") };
        assert!(told(bare).contains("has protected nodes, but no hierarchy: give its file with `hierarchy`"));
        let bare = told(RulePlan { parameters: two(), ..rule("extended-p-sensitive") });
        assert!(bare.contains("hierarchy=FILE,protected=NODE|NODE") && bare.contains("groups=VALUE|VALUE/VALUE"));
        let three = Parameters::default().with("l", Parameter::Fraction(3.0));
        let whole = RulePlan { parameters: three, ..rule("distinct-l-diversity") };
        assert_eq!(whole.fault(), None);
    }
}
