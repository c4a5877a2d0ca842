//! A policy: the models that must all hold, each for named sensitive attributes, and how many rows may be withheld.

use serde::{Deserialize, Serialize};

use crate::{BoundModel, FrequencyTable, Members, Model, ModelEntry, ModelError, Parameter, Parameters};

/// One model of a policy, as it is written in a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The model's id.
    pub model: String,
    /// Its parameters.
    #[serde(default)]
    pub parameters: Parameters,
    /// The sensitive attributes it is for; empty for models that are not about any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<String>,
}

impl Rule {
    /// The recipe this rule asks for.
    pub fn model(&self) -> Result<Box<dyn Model>, ModelError> {
        (ModelEntry::find(&self.model)?.new)(&self.parameters)
    }
}

/// What a release has to keep: a conjunction of models, and the share of rows that may be withheld to keep them.
///
/// ```
/// use incrowd_core::{Attribute, Dictionary, FrequencyTable, Members, Policy, Role};
/// let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["Ulm", "Wien"]));
/// let table = FrequencyTable::from_tuples(vec![town], [([0], 3), ([1], 1)]);
/// let policy = Policy::k_anonymity(2).suppressing(0.25);
/// let bound = policy.bind(&table)?;
/// assert!(bound.holds(&Members::new(&table, &[(0, 3)])));
/// assert!(!bound.holds(&Members::new(&table, &[(1, 1)])));
/// assert!(policy.survives_merging()?);
/// # Ok::<(), incrowd_core::ModelError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The models that must all hold.
    pub models: Vec<Rule>,
    /// The share of rows that may be withheld.
    #[serde(default)]
    pub suppression: f64,
}

impl Policy {
    /// Only k-anonymity, nothing withheld.
    pub fn k_anonymity(k: u64) -> Self {
        let parameters = Parameters::from_iter([("k", Parameter::Whole(k))]);
        Policy { models: vec![Rule { model: "k-anonymity".into(), parameters, sensitive: vec![] }], suppression: 0.0 }
    }

    /// The same policy with this share of rows that may be withheld.
    pub fn suppressing(self, suppression: f64) -> Self {
        Policy { suppression, ..self }
    }

    /// Whether every model of the policy survives merging, and so the policy does.
    pub fn survives_merging(&self) -> Result<bool, ModelError> {
        self.models.iter().try_fold(true, |all, rule| Ok(all && rule.model()?.survives_merging()))
    }

    /// Binds every model to the table and to its sensitive attributes.
    pub fn bind<'t>(&self, table: &'t FrequencyTable) -> Result<BoundPolicy<'t>, ModelError> {
        if !(0.0..=1.0).contains(&self.suppression) {
            return Err(ModelError::Share { share: self.suppression });
        }
        let position =
            |name: &String| table.position(name).ok_or_else(|| ModelError::UnknownColumn { name: name.clone() });
        let bind = |rule: &Rule| {
            let sensitive = rule.sensitive.iter().map(position).collect::<Result<Vec<usize>, _>>()?;
            rule.model()?.bind(table, &sensitive)
        };
        Ok(BoundPolicy { models: self.models.iter().map(bind).collect::<Result<_, _>>()? })
    }
}

/// A policy that knows its table.
pub struct BoundPolicy<'t> {
    models: Vec<Box<dyn BoundModel + 't>>,
}

impl BoundPolicy<'_> {
    /// Whether a class keeps every model.
    pub fn holds(&self, class: &Members<'_>) -> bool {
        self.models.iter().all(|model| model.holds(class))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Attribute, Dictionary, Role};

    fn table() -> FrequencyTable {
        let attribute = |name, role| Attribute::new(name, role, Dictionary::of_texts(["0", "1"]));
        let attributes = vec![attribute("town", Role::QuasiIdentifier), attribute("illness", Role::Sensitive)];
        FrequencyTable::from_tuples(attributes, [([0, 0], 3), ([1, 1], 1)])
    }

    #[test]
    fn a_policy_is_read_as_it_was_written() {
        let text = r#"{"models":[{"model":"k-anonymity","parameters":{"k":5}}],"suppression":0.02}"#;
        let policy: Policy = serde_json::from_str(text).unwrap();
        assert_eq!(policy, Policy::k_anonymity(5).suppressing(0.02));
        assert_eq!(serde_json::to_string(&policy).unwrap(), text);
    }

    #[test]
    fn a_misspelt_word_of_a_policy_is_refused() {
        assert!(serde_json::from_str::<Policy>(r#"{"models":[],"supression":0.02}"#).is_err());
        let mut policy = Policy::k_anonymity(5);
        policy.models[0].parameters = Parameters::from_iter([("K", Parameter::Whole(5))]);
        let refused = policy.bind(&table()).err().unwrap().to_string();
        assert_eq!(refused, "model `k-anonymity` has no parameter `K`; it has: k");
    }

    #[test]
    fn a_policy_that_does_not_fit_the_table_is_refused() {
        let refused = |policy: Policy| policy.bind(&table()).err().unwrap();
        assert!(matches!(refused(Policy::k_anonymity(2).suppressing(1.5)), ModelError::Share { .. }));
        let mut policy = Policy::k_anonymity(2);
        policy.models[0].sensitive = vec!["salary".into()];
        assert!(matches!(refused(policy.clone()), ModelError::UnknownColumn { .. }));
        policy.models[0].sensitive = vec!["illness".into()];
        assert!(matches!(refused(policy), ModelError::NotAboutSensitive { .. }));
    }

    #[test]
    fn every_model_of_a_policy_must_hold() {
        let table = table();
        let mut policy = Policy::k_anonymity(2);
        policy.models.extend(Policy::k_anonymity(4).models);
        let holds = |members: &[(usize, u64)]| policy.bind(&table).unwrap().holds(&Members::new(&table, members));
        assert!(!holds(&[(0, 3)]));
        assert!(holds(&[(0, 3), (1, 1)]));
    }
}
