//! The population of a request: a table of the people whom the sample was drawn from, and what is promised about it.

use std::path::PathBuf;

use incrowd_core::{ModelError, Parameters, Policy, Ratio};
use incrowd_risk::population::{EstimatedKMap, SampledClass, USUAL_ERROR};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{OptionEntry, OptionPlace, OptionValue};
use crate::error::{Error, Result};
use crate::parameters;

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

/// An estimator of k-map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EstimatorWord {
    /// The rows of a class are Poisson (D3).
    Poisson,
    /// The rows of a class are Poisson, given that there is one (D4); asks for more.
    #[default]
    ZeroTruncatedPoisson,
}

impl From<EstimatorWord> for SampledClass {
    fn from(word: EstimatorWord) -> SampledClass {
        match word {
            EstimatorWord::Poisson => SampledClass::Poisson,
            EstimatorWord::ZeroTruncatedPoisson => SampledClass::ZeroTruncatedPoisson,
        }
    }
}

/// An attacker whose risk is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AttackerWord {
    /// Has the population and does not know who in it is in the table.
    Journalist,
}

const POPULATION: OptionEntry = OptionEntry { heading: "Population", ..OptionEntry::EMPTY };

/// The options about a given population.
pub(super) const OPTIONS: &[OptionEntry] = &[
    OptionEntry {
        name: "population",
        flag: Some("population"),
        place: OptionPlace::Plan("population.path"),
        value: OptionValue::Path,
        value_name: "FILE",
        help: "Table of the population that the sample was drawn from, with the same quasi-identifier columns",
        example: "census.csv",
        ..POPULATION
    },
    OptionEntry {
        name: "population_count",
        flag: Some("population-count"),
        place: OptionPlace::Plan("population.count"),
        value: OptionValue::Column,
        value_name: "COLUMN",
        help: "Column of the population that says how many people a row stands for",
        default: Some("one person per row"),
        requires: Some("population"),
        example: "people",
        ..POPULATION
    },
    OptionEntry {
        name: "k_map",
        flag: Some("k-map"),
        place: OptionPlace::Plan("population.k_map"),
        value: OptionValue::ClassSize,
        value_name: "N",
        help: "Minimum number of people of the population per class (k-map)",
        example: "12",
        ..POPULATION
    },
    OptionEntry {
        name: "delta_presence",
        flag: Some("delta-presence"),
        place: OptionPlace::Plan("population.delta_presence"),
        value: OptionValue::Text,
        value_name: "MIN,MAX",
        help: "Minimum and maximum probability that a person of the population is in the table (δ-presence), such as \
               0,0.5; needs --algorithm incognito",
        example: "0,1/2",
        ..POPULATION
    },
    OptionEntry {
        name: "sampling_fraction",
        flag: Some("sampling-fraction"),
        place: OptionPlace::Plan("population.sampling_fraction"),
        value: OptionValue::Share,
        value_name: "SHARE",
        help: "Share of the population that is in the table, instead of --population; estimates the least k for --k-map or \
               --risk",
        example: "0.1",
        ..POPULATION
    },
    OptionEntry {
        name: "estimator",
        flag: Some("estimator"),
        place: OptionPlace::Plan("population.estimator"),
        value: OptionValue::Word(&[
            ("poisson", "the rows of a class are Poisson (D3)"),
            ("zero-truncated-poisson", "the same, given that the class has a row (D4); asks for more"),
        ]),
        value_name: "ESTIMATOR",
        help: "How --sampling-fraction estimates the least k",
        default: Some("zero-truncated-poisson"),
        requires: Some("sampling-fraction"),
        example: "poisson",
        ..POPULATION
    },
    OptionEntry {
        name: "risk",
        flag: Some("risk"),
        place: OptionPlace::Plan("population.risk"),
        value: OptionValue::Share,
        value_name: "SHARE",
        help: "Maximum risk of re-identification by --attacker, such as 0.09; promises the least k-map that suffices",
        requires: Some("attacker"),
        example: "0.09",
        ..POPULATION
    },
    OptionEntry {
        name: "attacker",
        flag: Some("attacker"),
        place: OptionPlace::Plan("population.attacker"),
        value: OptionValue::Word(&[("journalist", "has the population, and does not know who in it is in the table")]),
        value_name: "ATTACKER",
        help: "Attacker of --risk",
        requires: Some("risk"),
        example: "journalist",
        ..POPULATION
    },
    OptionEntry {
        name: "individual_risk",
        flag: Some("individual-risk"),
        place: OptionPlace::Plan("population.individual_risk"),
        value: OptionValue::Share,
        value_name: "SHARE",
        help: "Maximum individual risk of a row by --weight, such as 0.05; keeps the least k that suffices",
        requires: Some("weight"),
        example: "0.05",
        ..POPULATION
    },
    OptionEntry {
        name: "weight",
        flag: Some("weight"),
        place: OptionPlace::Plan("population.weight"),
        value: OptionValue::Column,
        value_name: "COLUMN",
        help: "Column with the survey weight of each row",
        requires: Some("individual-risk"),
        example: "weight",
        ..POPULATION
    },
];

/// The population of a release, as typed options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PopulationOptions {
    /// Its table: one CSV, Parquet or Arrow file.
    pub path: PathBuf,
    /// The column that says how many people a row stands for; one person each when left out.
    pub count_column: Option<String>,
}

/// A risk that is to be kept, as typed options. Of risk and attacker both are given or neither, and of the individual risk
/// and the weight, too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RiskOptions {
    /// The largest risk.
    pub risk: Option<Ratio>,
    /// The attacker.
    pub attacker: Option<AttackerWord>,
    /// The share of the population that is in the table.
    pub sampling_fraction: Option<f64>,
    /// The estimator, if one was named.
    pub estimator: Option<EstimatorWord>,
    /// The estimate from which k of the policy follows, when the population is not given.
    pub estimated: Option<EstimatedKMap>,
    /// The largest individual risk of a row by its weight.
    pub individual_risk: Option<f64>,
    /// The column with the weights.
    pub weight: Option<String>,
}

impl RiskOptions {
    /// The first option that is given without the one that it needs.
    pub(crate) fn incomplete(&self) -> Option<(&'static str, &'static str)> {
        let pairs = [
            ("risk", self.risk.is_some(), "attacker", self.attacker.is_some()),
            ("individual_risk", self.individual_risk.is_some(), "weight", self.weight.is_some()),
        ];
        let lacking = |&(one, has_one, other, has_other): &(&'static str, bool, &'static str, bool)| {
            (has_one != has_other).then_some(if has_one { (one, other) } else { (other, one) })
        };
        let unused = self.sampling_fraction.is_some() && self.estimated.is_none();
        pairs.iter().find_map(lacking).or(unused.then_some(("sampling_fraction", "k_map or risk")))
    }

    /// The largest individual risk, and the column with the weights.
    pub(crate) fn individual(&self) -> Option<(f64, &str)> {
        self.individual_risk.zip(self.weight.as_deref())
    }

    /// The least k of k-map with which the risk is not exceeded: 1/12 ≤ 0.09 < 1/11.
    fn least_k(&self) -> Option<u64> {
        self.risk.filter(|_| self.attacker.is_some())?.least_whole(1)
    }
}

impl PopulationPlan {
    pub(super) fn is_empty(&self) -> bool {
        *self == PopulationPlan::default()
    }

    pub(super) fn overlay(self, said: PopulationPlan) -> PopulationPlan {
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
    pub(super) fn has_models(&self) -> bool {
        let of_rows = self.individual_risk.is_some() && self.weight.is_some();
        let of_attacker = self.risk.is_some() && self.attacker.is_some();
        self.k_map.is_some() || self.delta_presence.is_some() || of_attacker || of_rows
    }

    /// What is invalid.
    pub(super) fn fault(&self) -> Option<String> {
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
    pub(super) fn risk_options(&self) -> Result<RiskOptions> {
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
    pub(super) fn least_k(&self) -> Result<Option<u64>> {
        Ok(self.risk_options()?.estimated.map(|estimate| estimate.k).or(self.has_models().then_some(1)))
    }

    /// The same policy and what is promised about the population.
    pub(super) fn add_to(&self, mut policy: Policy) -> Result<Policy> {
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
    pub(super) fn options(&self) -> Option<PopulationOptions> {
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
