//! A further model of a plan's policy, in the words a custodian writes.
//!
//! One form for all models about a sensitive column: `[[policy.rule]]` names the model and the column, and gives the
//! parameters that the model has. What a hierarchy says about the column's values is read from its file: its paths for
//! t-closeness, the values below protected nodes for extended p-sensitivity.

use std::path::Path;

use incrowd_core::{Akin, Hierarchy, Node, Parameter, Parameters, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::texts::{most_hierarchy_bytes, text_of};

/// A model that protects a sensitive column, with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulePlan {
    /// The model: `incrowd list models`.
    pub model: String,
    /// The sensitive column.
    pub column: String,
    /// p of p-sensitive and extended-p-sensitive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub p: Option<u64>,
    /// ℓ of the ℓ-diversities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l: Option<NumberWord>,
    /// c of recursive-c-l-diversity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<NumberWord>,
    /// t of t-closeness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t: Option<NumberWord>,
    /// β of beta-likeness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<NumberWord>,
    /// δ of delta-disclosure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<NumberWord>,
    /// `equal`, `ordered` or `hierarchical`, for t-closeness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<String>,
    /// `basic` or `enhanced`, for beta-likeness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The values from the least to the greatest, for the ordered distance of texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// The values of each protected group, for extended-p-sensitive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Vec<String>>,
    /// A hierarchy file over the column's values, relative to the plan: for hierarchical distance or protected nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<String>,
    /// The labels of the protected nodes of the hierarchy, for extended-p-sensitive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
}

/// A number as it is written: 0.2, or a ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NumberWord {
    /// 0.2
    Number(f64),
    /// "1/5"
    Text(String),
}

impl NumberWord {
    fn parameter(&self) -> Parameter {
        let text = match self {
            // The shortest text of a number is what its writer meant.
            NumberWord::Number(number) => number.to_string(),
            NumberWord::Text(text) => text.trim().to_owned(),
        };
        text.parse().map(Parameter::Whole).unwrap_or(Parameter::Text(text))
    }
}

impl RulePlan {
    /// What cannot be, as far as it can be told without the hierarchy.
    pub fn fault(&self) -> Option<String> {
        let (model, column) = (&self.model, &self.column);
        match model.as_str() {
            "k-anonymity" => return Some("k-anonymity is asked for by `k`, not by a rule".into()),
            "alpha-deassociation" => return Some("bounds on shares are asked for by `alpha`, not by a rule".into()),
            _ => {}
        }
        if self.hierarchy.is_some() {
            let takes_nodes = model == "extended-p-sensitive";
            let fault = match (takes_nodes, model == "t-closeness", self.protected.is_empty()) {
                (false, false, _) => Some("takes no hierarchy"),
                (true, _, true) => Some("needs the labels of the protected nodes: `protected`"),
                (_, true, false) => Some("has no protected nodes"),
                _ => None,
            };
            let twice = takes_nodes && !self.groups.is_empty();
            let fault = fault.or_else(|| twice.then_some("takes `groups` or a hierarchy, not both"));
            return fault.map(|fault| format!("{model} of “{column}” {fault}"));
        }
        if !self.protected.is_empty() {
            return Some(format!(
                "{model} of “{column}” names protected nodes, but no hierarchy: `hierarchy` names its file (hierarchy=FILE)"
            ));
        }
        if model == "extended-p-sensitive" && self.groups.is_empty() {
            return Some(format!(
                "{model} of “{column}” needs its protected nodes: `hierarchy` and `protected` \
                 (hierarchy=FILE,protected=NODE|NODE), or the values below each: `groups` (groups=VALUE|VALUE/VALUE|VALUE)"
            ));
        }
        self.with(self.parameters()).model().err().map(|error| format!("“{column}”: {error}"))
    }

    /// The rule it stands for; its hierarchy is looked for in `folder`.
    pub fn rule(&self, folder: &Path) -> Result<Rule> {
        let mut parameters = self.parameters();
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
        self.with(self.parameters())
    }

    fn with(&self, parameters: Parameters) -> Rule {
        Rule { model: self.model.clone(), parameters, sensitive: vec![self.column.clone()] }
    }

    fn parameters(&self) -> Parameters {
        let numbers = [("l", &self.l), ("c", &self.c), ("t", &self.t), ("beta", &self.beta), ("delta", &self.delta)];
        let words = [("distance", &self.distance), ("rule", &self.rule)];
        let numbers = numbers.into_iter().filter_map(|(name, number)| Some((name, number.as_ref()?.parameter())));
        let words = words.into_iter().filter_map(|(name, word)| Some((name, Parameter::Text(word.clone()?))));
        let p = self.p.map(|p| ("p", Parameter::Whole(p)));
        let order = (!self.order.is_empty()).then(|| ("order", Parameter::List(self.order.clone())));
        let groups = (!self.groups.is_empty()).then(|| ("groups", Parameter::Lists(self.groups.clone())));
        Parameters::from_iter(numbers.chain(words).chain(p).chain(order).chain(groups))
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

/// What a hierarchy file over the values of a sensitive column says about them: its paths, and the values below the
/// protected nodes if some are named.
pub fn akin(column: &str, file: &Path, protected: &[String], memory: Option<u64>) -> Result<Akin> {
    let hierarchy = read(column, file, memory)?;
    let rule = RulePlan { column: column.into(), protected: protected.into(), ..RulePlan::default() };
    let groups = if protected.is_empty() { None } else { Some(rule.groups_of(&hierarchy)?) };
    Ok(Akin { tree: Some(paths(&hierarchy)), groups })
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

    #[test]
    fn the_paths_of_a_hierarchy_are_the_tree_of_t_closeness() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("diseases.csv"), DISEASES).unwrap();
        let close = RulePlan {
            t: Some(NumberWord::Number(0.2)),
            distance: Some("hierarchical".into()),
            hierarchy: Some("diseases.csv".into()),
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
            p: Some(2),
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
    fn a_rule_that_cannot_be_is_told() {
        let told = |rule: RulePlan| rule.fault().unwrap();
        assert_eq!(told(rule("k-anonymity")), "k-anonymity is asked for by `k`, not by a rule");
        assert!(told(rule("p-sensitive")).contains("needs `p`: a whole number of at least 1"));
        assert!(told(rule("m-invariance")).contains("there is no model `m-invariance`"));
        let useless = RulePlan { p: Some(2), t: Some(NumberWord::Text("0.2".into())), ..rule("p-sensitive") };
        assert!(told(useless).contains("has no parameter `t`"));
        let bare = RulePlan { p: Some(2), protected: vec!["lung".into()], ..rule("extended-p-sensitive") };
        assert!(told(bare).contains("names protected nodes, but no hierarchy: `hierarchy` names its file"));
        let bare = told(RulePlan { p: Some(2), ..rule("extended-p-sensitive") });
        assert!(bare.contains("hierarchy=FILE,protected=NODE|NODE") && bare.contains("groups=VALUE|VALUE/VALUE"));
        let whole = RulePlan { l: Some(NumberWord::Number(3.0)), ..rule("distinct-l-diversity") };
        assert_eq!(whole.fault(), None);
    }
}
