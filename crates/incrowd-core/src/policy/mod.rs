//! A policy: the models that must all hold, each for named sensitive attributes, and how many rows may be suppressed.
//!
//! A policy is a conjunction: a class keeps it when it keeps every model. `model.rs` says what a model is, `models/`
//! has one file for each model, and `bound_policy.rs` binds a policy to a table. Code that several models share is in
//! files named by what they compute: `distinct_values.rs`, `largest_share.rs`, `earth_movers_distance.rs`,
//! `compared_with_whole.rs` and `sensitive.rs`. `tightest.rs` answers the reverse question, for a diagnosis: with which
//! parameters does each model hold? `known_rows.rs` defines what protects people with several linked rows.

mod bound_policy;
mod compared_with_whole;
mod distinct_values;
mod earth_movers_distance;
mod earth_movers_limits;
mod known_rows;
mod largest_share;
mod model;
mod model_error;
#[cfg(test)]
mod model_laws;
mod models;
mod parameter_entry;
mod parameters;
mod samples;
mod sensitive;
mod tightest;
mod value_relations;

pub use bound_policy::{BoundPolicy, Withheld};
pub use distinct_values::Variety;
pub use known_rows::{AlikePeople, KnownRows, NoKnownRows, PersonRows};
pub use model::{BoundModel, BoundedShare, ExcessRows, Infeasible, Model, OrderLimit, ShareLimits, Survives, TooMany};
pub use model_error::ModelError;
pub use models::{
    AlphaDeassociation, BetaLikeness, DeltaDisclosure, DeltaPresence, DistinctLDiversity, EntropyLDiversity,
    ExtendedPSensitive, FrequencyLDiversity, KAnonymity, KMap, MODELS, ModelEntry, PSensitive, RecursiveCLDiversity,
    TCloseness, ValueDistance,
};
pub use parameter_entry::{ParameterEntry, ParameterKind};
pub use parameters::{Parameter, Parameters};
pub use tightest::{HoldsFor, TightestEntry, TightestParameters, TightestValue};
pub use value_relations::ValueRelations;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{ClassSizes, FrequencyTable, GivenPopulation, Ratio};
use bound_policy::PolicyModel;

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
        ModelEntry::find(&self.model)?.model(&self.parameters)
    }
}

/// What a release has to keep: a conjunction of models, and the share of rows that may be suppressed to keep them.
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
    /// The share of rows that may be suppressed.
    #[serde(default)]
    pub suppression: f64,
    /// How many rows of a person an attacker may know, where rows of a person are linked. It is about the release and not
    /// about single classes, so that it is no model: see [`AlikePeople`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_rows: Option<KnownRows>,
    /// The population that models about one are bound to. A plan and a manifest do not hold it.
    #[serde(skip)]
    pub population: Option<Arc<GivenPopulation>>,
}

impl Policy {
    /// Only k-anonymity, nothing suppressed.
    pub fn k_anonymity(k: u64) -> Self {
        let parameters = Parameters::from_iter([("k", k)]);
        let models = vec![Rule { model: "k-anonymity".into(), parameters, sensitive: vec![] }];
        Policy { models, ..Policy::default() }
    }

    /// The same policy and a bound α on the share of values of a sensitive attribute: of these taken together, or of
    /// every value separately when none is named.
    pub fn deassociating(self, attribute: &str, alpha: Ratio, values: &[&str], refined: bool) -> Self {
        let mut parameters = Parameters::default().with("alpha", alpha);
        if !values.is_empty() {
            let values: Vec<String> = values.iter().map(|&value| value.into()).collect();
            parameters = parameters.with("values", values);
        }
        parameters = parameters.with("rule", if refined { "refined" } else { "exact" });
        self.asking("alpha-deassociation", parameters, &[attribute])
    }

    /// The same policy and one more model with its parameters, for these sensitive attributes.
    pub fn asking(mut self, model: &str, parameters: Parameters, sensitive: &[&str]) -> Self {
        let sensitive = sensitive.iter().map(|&name| name.into()).collect();
        self.models.push(Rule { model: model.into(), parameters, sensitive });
        self
    }

    /// A class of fewer rows cannot keep the policy, whatever the table.
    pub fn least_rows(&self) -> Result<u64, ModelError> {
        self.models.iter().try_fold(1, |least, rule| Ok(rule.model()?.least_rows().max(least)))
    }

    /// The largest k that is asked for; 1 when none is.
    pub fn k(&self) -> u64 {
        let k = |rule: &Rule| match rule.parameters.get("k") {
            Some(&Parameter::Whole(k)) if rule.model == "k-anonymity" => Some(k),
            _ => None,
        };
        self.models.iter().filter_map(k).max().unwrap_or(1).max(1)
    }

    /// The sensitive attributes that the policy is about, each once, in the order of its rules.
    pub fn sensitive(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.models.iter().flat_map(|rule| &rule.sensitive) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// How many rows of this number may be suppressed: ⌊share · rows⌋.
    pub fn budget(&self, rows: u64) -> u64 {
        ClassSizes::budget(self.suppression, rows)
    }

    /// How many rows a table of which `published` rows are left can have lost at most: the largest `w` that is within the
    /// budget of `published + w` rows. Anyone who reads a release can compute it.
    pub fn most_withheld(&self, published: u64) -> u64 {
        let fits = |withheld: u64| withheld <= self.budget(published.saturating_add(withheld));
        if self.suppression >= 1.0 {
            return u64::MAX - published;
        }
        let (mut fitting, mut beyond) = (0, 1);
        while fits(beyond) && beyond < u64::MAX / 4 {
            (fitting, beyond) = (beyond, beyond * 2);
        }
        while beyond - fitting > 1 {
            let middle = fitting + (beyond - fitting) / 2;
            if fits(middle) { fitting = middle } else { beyond = middle }
        }
        fitting
    }

    /// The same policy with this share of rows that may be suppressed.
    pub fn suppressing(self, suppression: f64) -> Self {
        Policy { suppression, ..self }
    }

    /// The same policy for an attacker who knows several rows of a person.
    pub fn knowing(self, known_rows: KnownRows) -> Self {
        Policy { known_rows: Some(known_rows), ..self }
    }

    /// The same policy about this population.
    pub fn about(self, population: Arc<GivenPopulation>) -> Self {
        Policy { population: Some(population), ..self }
    }

    /// The models about a population, in the order of the policy.
    pub fn of_population(&self) -> impl Iterator<Item = &Rule> {
        self.models.iter().filter(|rule| rule.model().is_ok_and(|model| model.needs_population()))
    }

    /// Whether every model of the policy survives merging, and so the policy does, when rows are counted. The bound policy
    /// says it for a table: see [`BoundPolicy::survives_merging`].
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
        if self.models.is_empty() {
            return Err(ModelError::Nothing);
        }
        let bind = |rule: &Rule| {
            let sensitive = rule.sensitive.iter().map(position).collect::<Result<Vec<usize>, _>>()?;
            let model = rule.model()?;
            Ok(PolicyModel {
                survives_merging: match table.counts_people() {
                    true => model.survives_growth(),
                    false => model.survives_merging(),
                },
                survives_growth: model.survives_growth(),
                compares: model.compares(),
                model: match model.needs_population() {
                    true => self.bind_population(&*model, table, &sensitive)?.into(),
                    false => model.bind(table, &sensitive)?.into(),
                },
            })
        };
        Ok(BoundPolicy::new(self.models.iter().map(bind).collect::<Result<_, ModelError>>()?))
    }

    /// Binds a model about a population, which is about rows and about no sensitive attribute.
    fn bind_population(
        &self,
        model: &dyn Model,
        table: &FrequencyTable,
        sensitive: &[usize],
    ) -> Result<Box<dyn BoundModel>, ModelError> {
        let (id, population) = (model.id(), self.population.as_ref());
        let bound = population.and_then(|population| model.bind_population(population));
        let bound = bound.ok_or(ModelError::NoPopulation { model: id })?;
        if !sensitive.is_empty() {
            return Err(ModelError::NotAboutSensitive { model: id });
        }
        if table.counts_people() {
            return Err(ModelError::PopulationOfRows { model: id });
        }
        Ok(bound)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Attribute, Dictionary, Members, Role, TupleRows};

    #[test]
    fn the_maximum_of_suppressed_rows_is_within_the_budget_and_no_more_is() {
        for (share, published) in [(0.0, 9), (0.02, 40), (0.02, 49), (0.05, 950), (0.1, 9), (0.5, 7), (0.99, 3)] {
            let policy = Policy::k_anonymity(2).suppressing(share);
            let most = policy.most_withheld(published);
            assert!(most <= policy.budget(published + most), "{share} {published}");
            assert!(most + 1 > policy.budget(published + most + 1), "{share} {published}");
        }
        assert_eq!(Policy::k_anonymity(2).suppressing(0.02).most_withheld(49), 1);
    }

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
        policy.models[0].parameters = Parameters::from_iter([("K", 5)]);
        let refused = policy.bind(&table()).err().unwrap().to_string();
        assert_eq!(refused, "model `k-anonymity` has no parameter `K`. Parameters: k");
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
        let holds = |members: &[TupleRows]| policy.bind(&table).unwrap().holds(&Members::new(&table, members));
        assert!(!holds(&[(0, 3)]));
        assert!(holds(&[(0, 3), (1, 1)]));
    }
}
