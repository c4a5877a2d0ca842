//! The population of a request: a table of the people whom the sample was drawn from, and what is promised about it.

mod entries;
mod risk;

use std::path::PathBuf;

use incrowd_core::{ModelError, Parameters, Policy, Ratio};
use incrowd_risk::population::{EstimatedKMap, USUAL_ERROR};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::parameters;

pub(super) use entries::OPTIONS;
pub use risk::{AttackerWord, EstimatorWord, RiskOptions};

/// A given population, and what a release has to promise about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PopulationPlan {
    /// The table of the population, relative to the plan: one CSV, Parquet or Arrow file with the quasi-identifiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The column of the population that says how many people a row stands for (default: one).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<String>,
    /// Minimum number of people of the population who match each class (k-map).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub k_map: Option<u64>,
    /// Minimum and maximum share of the matching people of the population who are in the table (δ-presence), such as
    /// "0,0.5" or "1/100,1/10".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_presence: Option<String>,
    /// The share of the population that is in the table, instead of the table of the population: k-map is then estimated,
    /// and the least k that suffices is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub sampling_fraction: Option<f64>,
    /// How k-map is estimated with a sampling fraction (default: `zero-truncated-poisson`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimator: Option<EstimatorWord>,
    /// Maximum risk of re-identification by the attacker; the least k-map that suffices is promised.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub risk: Option<f64>,
    /// Maximum individual risk of a row, estimated from the weights of a survey; the least k that suffices is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub individual_risk: Option<f64>,
    /// The column with the survey weight of each row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// The attacker of the risk: `journalist`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacker: Option<AttackerWord>,
}

/// The population of a release, as typed options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PopulationOptions {
    /// Its table: one CSV, Parquet or Arrow file.
    pub path: PathBuf,
    /// The column that says how many people a row stands for; one person each when left out.
    pub count_column: Option<String>,
}

impl PopulationPlan {
    pub(in crate::request) fn is_empty(&self) -> bool {
        *self == PopulationPlan::default()
    }

    pub(in crate::request) fn overlay(self, said: PopulationPlan) -> PopulationPlan {
        PopulationPlan {
            path: said.path.or(self.path),
            count: said.count.or(self.count),
            k_map: said.k_map.or(self.k_map),
            delta_presence: said.delta_presence.or(self.delta_presence),
            sampling_fraction: said.sampling_fraction.or(self.sampling_fraction),
            estimator: said.estimator.or(self.estimator),
            individual_risk: said.individual_risk.or(self.individual_risk),
            weight: said.weight.or(self.weight),
            risk: said.risk.or(self.risk),
            attacker: said.attacker.or(self.attacker),
        }
    }

    /// Whether something is promised about the population, so that k may be left out.
    pub(in crate::request) fn has_models(&self) -> bool {
        let of_rows = self.individual_risk.is_some() && self.weight.is_some();
        let of_attacker = self.risk.is_some() && self.attacker.is_some();
        self.k_map.is_some() || self.delta_presence.is_some() || of_attacker || of_rows
    }

    /// What is invalid.
    pub(in crate::request) fn fault(&self) -> Option<String> {
        if self.k_map == Some(0) {
            return Some("k_map has to be at least 1".into());
        }
        let faults = [self.bounds().err(), self.risk_options().err()];
        faults.into_iter().flatten().next().map(|error| error.to_string())
    }

    /// The bounds of δ-presence; the lower one is nothing when it is 0.
    fn bounds(&self) -> Result<Option<(Option<Ratio>, Ratio)>> {
        let Some(text) = &self.delta_presence else { return Ok(None) };
        let share = |text: &str| text.trim().parse::<Ratio>().ok();
        let both = text.split_once(',').and_then(|(min, max)| Some((share(min)?, share(max)?)));
        let ordered =
            |(min, max): &(Ratio, Ratio)| max.numerator() > 0 && max.allows(min.numerator(), min.denominator());
        let (min, max) = both.filter(ordered).ok_or_else(|| Error::Senseless {
            parameter: "delta_presence".into(),
            fact: "must be two shares, the minimum and the maximum, such as 0,0.5".into(),
        })?;
        Ok(Some((Some(min).filter(|min| min.numerator() > 0), max)))
    }

    /// The risk that is to be kept; refused when it is no share above 0.
    pub(in crate::request) fn risk_options(&self) -> Result<RiskOptions> {
        // The shortest text of a number is what its writer meant.
        let exact = |risk: f64| risk.to_string().parse::<Ratio>().ok().filter(|risk| risk.numerator() > 0);
        let risk = self.risk.map(|risk| {
            exact(risk).ok_or_else(|| Error::Senseless {
                parameter: "risk".into(),
                fact: "must be a share above 0 and at most 1, such as 0.09".into(),
            })
        });
        parameters::share("individual_risk", self.individual_risk, false)?;
        let risk = RiskOptions {
            risk: risk.transpose()?,
            attacker: self.attacker,
            sampling_fraction: self.sampling_fraction,
            estimator: self.estimator,
            individual_risk: self.individual_risk,
            weight: self.weight.clone(),
            estimated: None,
        };
        Ok(RiskOptions { estimated: self.estimate(self.k_map.max(risk.least_k()))?, ..risk })
    }

    /// The estimate for k-map with this k, if there is a sampling fraction.
    fn estimate(&self, k_map: Option<u64>) -> Result<Option<EstimatedKMap>> {
        let Some(fraction) = self.sampling_fraction else { return Ok(None) };
        let refused = |fact: &str| Error::Senseless { parameter: "sampling_fraction".into(), fact: fact.into() };
        if self.path.is_some() {
            return Err(Error::Contradictory("a population is given: it is counted, not estimated".into()));
        }
        if self.delta_presence.is_some() {
            return Err(ModelError::NoPopulation { model: "delta-presence" }.into());
        }
        if !(fraction > 0.0 && fraction <= 1.0) {
            return Err(refused("must be a share above 0 and at most 1, such as 0.1"));
        }
        let model = self.estimator.unwrap_or_default().into();
        Ok(k_map.map(|k_map| EstimatedKMap::new(k_map, fraction, model, USUAL_ERROR)))
    }

    /// The least k of the policy: that of an estimate, or 1 when something is promised about a given population.
    pub(in crate::request) fn least_k(&self) -> Result<Option<u64>> {
        Ok(self.risk_options()?.estimated.map(|estimate| estimate.k).or(self.has_models().then_some(1)))
    }

    /// The same policy and what is promised about the population.
    pub(in crate::request) fn add_to(&self, mut policy: Policy) -> Result<Policy> {
        let risk = self.risk_options()?;
        if let Some(k) = self.k_map.max(risk.least_k()).filter(|_| risk.estimated.is_none()) {
            policy = policy.asking("k-map", Parameters::from_iter([("k", k)]), &[]);
        }
        if let Some((min, max)) = self.bounds()? {
            let parameters = Parameters::default().with("max", max);
            let parameters = min.map_or(parameters.clone(), |min| parameters.with("min", min));
            policy = policy.asking("delta-presence", parameters, &[]);
        }
        Ok(policy)
    }

    /// The table of the population.
    pub(in crate::request) fn options(&self) -> Option<PopulationOptions> {
        let path = self.path.as_ref()?.into();
        Some(PopulationOptions { path, count_column: self.count.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_presence_are_read_exactly_and_others_are_refused() {
        let bounds = |text: &str| PopulationPlan { delta_presence: Some(text.into()), ..Default::default() }.bounds();
        let half = Ratio::new(1, 2);
        assert_eq!(bounds("0,0.5").expect("shares"), half.map(|half| (None, half)));
        assert_eq!(bounds("1/100, 1/2").expect("shares").and_then(|bounds| bounds.0), Ratio::new(1, 100));
        for wrong in ["0.5", "0.5,0.1", "0,0", "0,2", "a,b", ""] {
            assert!(bounds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_risk_becomes_the_least_k_that_keeps_it() {
        let k_of = |risk: f64| {
            let attacker = Some(AttackerWord::Journalist);
            let plan = PopulationPlan { risk: Some(risk), attacker, ..Default::default() };
            plan.add_to(Policy::default()).map(|policy| policy.models[0].parameters.clone())
        };
        for (risk, k) in [(0.09, 12), (0.05, 20), (0.2, 5), (1.0, 1), (0.33, 4)] {
            assert_eq!(k_of(risk).expect("a risk"), Parameters::from_iter([("k", k)]), "{risk}");
        }
        assert!(k_of(0.0).is_err() && k_of(1.5).is_err());
        let alone = PopulationPlan { risk: Some(0.09), ..Default::default() };
        assert!(!alone.has_models(), "a risk without an attacker is refused later");
    }

    #[test]
    fn a_sampling_fraction_becomes_the_least_k_of_the_table() {
        let plan = |k_map, fraction| PopulationPlan { k_map, sampling_fraction: Some(fraction), ..Default::default() };
        assert_eq!(plan(Some(12), 0.1).least_k().expect("an estimate"), Some(4));
        assert!(plan(Some(12), 0.1).add_to(Policy::default()).expect("nothing to promise").models.is_empty());
        assert_eq!(
            plan(None, 0.1).risk_options().expect("a fraction").incomplete(),
            Some(("sampling_fraction", "k_map or risk"))
        );
        assert!(plan(Some(12), 0.0).least_k().is_err() && plan(Some(12), 1.5).least_k().is_err());
        let both = PopulationPlan { path: Some("census.csv".into()), ..plan(Some(12), 0.1) };
        assert!(both.least_k().is_err(), "a population that is given is counted");
    }

    #[test]
    fn models_about_a_population_join_the_policy() {
        let plan = PopulationPlan { k_map: Some(12), delta_presence: Some("0,1/2".into()), ..Default::default() };
        let policy = plan.add_to(Policy::k_anonymity(2)).expect("valid");
        let models: Vec<&str> = policy.models.iter().map(|rule| rule.model.as_str()).collect();
        assert_eq!(models, ["k-anonymity", "k-map", "delta-presence"]);
        assert_eq!(policy.of_population().count(), 2);
    }
}
