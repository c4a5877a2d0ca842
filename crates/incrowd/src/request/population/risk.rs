//! A risk that a release has to keep: the attacker, how it is estimated, and what it needs.

use incrowd_core::Ratio;
use incrowd_risk::population::{EstimatedKMap, SampledClass};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

    /// Whether something is asked about the risk in a population.
    pub(crate) fn is_given(&self) -> bool {
        self.risk.is_some() || self.individual_risk.is_some() || self.estimated.is_some()
    }

    /// The largest individual risk, and the column with the weights.
    pub(crate) fn individual(&self) -> Option<(f64, &str)> {
        self.individual_risk.zip(self.weight.as_deref())
    }

    /// The least k of k-map with which the risk is not exceeded: 1/12 ≤ 0.09 < 1/11.
    pub(super) fn least_k(&self) -> Option<u64> {
        self.risk.filter(|_| self.attacker.is_some())?.least_whole(1)
    }
}
