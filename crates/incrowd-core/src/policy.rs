//! A policy: the models that must all hold, each for named sensitive attributes, and how many rows may be withheld.

use serde::{Deserialize, Serialize};

use crate::{
    BoundModel, BoundedShare, ClassSizes, FrequencyTable, Infeasible, Members, Model, ModelEntry, ModelError,
    Parameters, Ratio,
};

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
        let parameters = Parameters::from_iter([("k", k)]);
        Policy { models: vec![Rule { model: "k-anonymity".into(), parameters, sensitive: vec![] }], suppression: 0.0 }
    }

    /// The same policy and a bound α on the share of values of a sensitive attribute: of these taken together, or of
    /// every value by itself when none is named.
    pub fn deassociating(mut self, attribute: &str, alpha: Ratio, values: &[&str], refined: bool) -> Self {
        let mut parameters = Parameters::default().with("alpha", alpha);
        if !values.is_empty() {
            let values: Vec<String> = values.iter().map(|&value| value.into()).collect();
            parameters = parameters.with("values", values);
        }
        parameters = parameters.with("rule", if refined { "refined" } else { "exact" });
        self.models.push(Rule { model: "alpha-deassociation".into(), parameters, sensitive: vec![attribute.into()] });
        self
    }

    /// The largest k that is asked for; 1 when none is.
    pub fn k(&self) -> u64 {
        let k = |rule: &Rule| rule.parameters.whole("k-anonymity", "k").ok().filter(|_| rule.model == "k-anonymity");
        self.models.iter().filter_map(k).max().unwrap_or(1)
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

    /// How many of so many rows may be withheld: ⌊share · rows⌋.
    pub fn budget(&self, rows: u64) -> u64 {
        ClassSizes::budget(self.suppression, rows)
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
        if self.models.is_empty() {
            return Err(ModelError::Nothing);
        }
        let bind = |rule: &Rule| {
            let sensitive = rule.sensitive.iter().map(position).collect::<Result<Vec<usize>, _>>()?;
            let model = rule.model()?;
            let (survives_merging, survives_growth) = (model.survives_merging(), model.survives_growth());
            Ok(Bound { model: model.bind(table, &sensitive)?, survives_merging, survives_growth })
        };
        Ok(BoundPolicy { models: self.models.iter().map(bind).collect::<Result<_, ModelError>>()? })
    }
}

/// A policy that knows its table.
pub struct BoundPolicy<'t> {
    models: Vec<Bound<'t>>,
}

/// A model of a bound policy with its claims.
struct Bound<'t> {
    model: Box<dyn BoundModel + 't>,
    survives_merging: bool,
    survives_growth: bool,
}

impl<'t> BoundPolicy<'t> {
    /// Whether a class keeps every model.
    pub fn holds(&self, class: &Members<'_>) -> bool {
        self.models.iter().all(|bound| bound.model.holds(class))
    }

    /// Whether a class keeps every model that survives merging: what Incognito may prune by.
    pub fn holds_what_survives_merging(&self, class: &Members<'_>) -> bool {
        self.models.iter().filter(|bound| bound.survives_merging).all(|bound| bound.model.holds(class))
    }

    /// Whether a class keeps every model that survives growth: what may be pruned by when rows may be withheld.
    pub fn holds_what_survives_growth(&self, class: &Members<'_>) -> bool {
        self.models.iter().filter(|bound| bound.survives_growth).all(|bound| bound.model.holds(class))
    }

    /// Whether every model survives merging, and so the policy does.
    pub fn survives_merging(&self) -> bool {
        self.models.iter().all(|bound| bound.survives_merging)
    }

    /// Whether every model survives growth, and so the policy does.
    pub fn survives_growth(&self) -> bool {
        self.models.iter().all(|bound| bound.survives_growth)
    }

    /// How far a class is from keeping the policy: 0 when it does, else the largest gap of its models.
    pub fn gap(&self, class: &Members<'_>) -> u64 {
        self.models.iter().map(|bound| bound.model.gap(class)).max().unwrap_or(0)
    }

    /// How many rows may leave a class that keeps the policy, whichever they are, so that the rest keeps it.
    pub fn spare(&self, class: &Members<'_>) -> u64 {
        self.models.iter().map(|bound| bound.model.spare(class)).min().unwrap_or(u64::MAX)
    }

    /// The first model, by position in the policy, that a class does not keep.
    pub fn broken_by(&self, class: &Members<'_>) -> Option<usize> {
        self.models.iter().position(|bound| !bound.model.holds(class))
    }

    /// The bound on a share of protected values, when the policy has exactly one such bound.
    pub fn bounded_share(&self) -> Option<BoundedShare<'_>> {
        let mut shares = self.models.iter().filter_map(|bound| bound.model.bounded_share());
        shares.next().filter(|_| shares.next().is_none())
    }

    /// Whether trunks make sense: besides k there is only one bound on one set of values.
    pub fn is_alpha_k(&self) -> bool {
        let share = |bound: &Bound<'_>| bound.model.bounded_share().is_some();
        self.models.iter().filter(|bound| share(bound)).count() == 1
            && self.models.iter().all(|bound| share(bound) || bound.survives_growth)
    }

    /// The rows to withhold, at most `budget` of them, so that the rest of the table keeps the policy as a single
    /// class: (tuple, rows) each, none when it does already. The rarest tuples first: they are the hardest to hide.
    pub fn withhold(&self, table: &FrequencyTable, budget: u64) -> Result<Vec<(usize, u64)>, Vec<Infeasible>> {
        let mut rest: Vec<(usize, u64)> = (0..table.tuples()).map(|tuple| (tuple, table.count(tuple))).collect();
        let mut withheld: Vec<(usize, u64)> = Vec::new();
        loop {
            let whole = Members::new(table, &rest);
            let broken: Vec<&Bound<'_>> = self.models.iter().filter(|bound| !bound.model.holds(&whole)).collect();
            if broken.is_empty() && !rest.is_empty() {
                return Ok(withheld);
            }
            let excess: Vec<(usize, u32, u64)> =
                broken.first().map(|bound| bound.model.excess(&whole)).unwrap_or_default();
            let more: u64 = excess.iter().map(|&(_, _, rows)| rows).sum();
            let gone: u64 = withheld.iter().map(|&(_, rows)| rows).sum();
            if more == 0 || gone + more > budget {
                let whole = Members::whole(table);
                let broken = self.models.iter().filter(|bound| !bound.model.holds(&whole));
                return Err(broken.map(|bound| bound.model.infeasible(&whole)).collect());
            }
            rest.sort_by_key(|&(tuple, rows)| (rows, tuple));
            for (attribute, code, mut rows) in excess {
                for member in rest.iter_mut().filter(|member| table.code(member.0, attribute) == code) {
                    let take = rows.min(member.1);
                    if take > 0 {
                        withheld.push((member.0, take));
                    }
                    (member.1, rows) = (member.1 - take, rows - take);
                }
            }
            rest.retain(|&(_, rows)| rows > 0);
            rest.sort_unstable();
        }
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
        policy.models[0].parameters = Parameters::from_iter([("K", 5)]);
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
