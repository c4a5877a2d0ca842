//! How much each sensitive attribute counts when the diversity of a group is measured.
//!
//! Truta, Campan and Meyer, "Generating microdata with p-sensitive k-anonymity property", SDM 2007, Def. 11 and 12:
//! both measures are sums over the sensitive attributes, each with a weight, and the weights add up to 1. "The data
//! owner can choose different criteria to define this weights vector. One possible selection … is to initialize them as
//! inversely proportional to the number of distinct sensitive attribute values." The paper's experiments weigh alike.
//!
//! EnhancedPKClustering takes rows from those of one value of the hardest attribute, so with two attributes only the
//! other one tells its rows apart, and weights change nothing there.
//!
//! Only the order of diversities matters, and ties have to be ties. So weights are whole numbers here, with the same
//! ratios: exact for equal and for inverse weights (unless the least common multiple of the numbers of values is beyond
//! [`MOST`]), and to nine decimals for numbers that are given. None is 0: an attribute without weight would never get
//! its distinct values.

use crate::solver::numbers::whole_part;
use std::sync::Arc;

use incrowd_core::{FrequencyTable, Members, Variety};
use serde::{Deserialize, Serialize};

/// How the sensitive attributes are weighed against each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum DiversityWeights {
    /// All alike.
    #[default]
    Equal,
    /// Inversely proportional to the number of distinct values of each.
    Inverse,
    /// By name; only the ratios of the numbers count.
    Named(Vec<(String, f64)>),
}

/// Why weights do not fit a table and its policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WrongWeights {
    /// An attribute has none.
    #[error("“{0}” has no weight; give one to each column for which the policy requires distinct values")]
    Missing(String),
    /// A name is not that of an attribute that is weighed.
    #[error("“{0}” has a weight, but the policy does not require distinct values of it")]
    Useless(String),
    /// A number that is no weight.
    #[error("the weight of “{0}” is not a number above 0")]
    NotAboveZero(String),
}

/// Numbers that are given add up to this.
const PARTS: f64 = 1e9;
/// The largest whole number that an inverse weight is made of.
const MOST: u64 = 1 << 40;

impl DiversityWeights {
    /// The weight of each variety, none of them 0.
    pub(crate) fn of(&self, table: &FrequencyTable, varieties: &[Variety]) -> Result<Arc<[u64]>, WrongWeights> {
        let name = |variety: &Variety| table.attributes()[variety.column].name.as_str();
        match self {
            DiversityWeights::Equal => Ok(varieties.iter().map(|_| 1).collect()),
            DiversityWeights::Inverse => {
                let whole = Members::whole(table);
                let values = |variety: &Variety| variety.frequencies(&whole).len().max(1) as u64;
                let values: Vec<u64> = varieties.iter().map(values).collect();
                let multiple = values.iter().try_fold(1, |multiple, &values| least_common_multiple(multiple, values));
                let above = multiple.unwrap_or(MOST);
                Ok(values.into_iter().map(|values| (above / values).max(1)).collect())
            }
            DiversityWeights::Named(given) => {
                let useless = given.iter().find(|(given, _)| !varieties.iter().any(|variety| name(variety) == given));
                if let Some((useless, _)) = useless {
                    return Err(WrongWeights::Useless(useless.clone()));
                }
                let weight = |variety: &Variety| {
                    let found = given.iter().find(|(given, _)| given == name(variety));
                    let (name, weight) = found.ok_or_else(|| WrongWeights::Missing(name(variety).into()))?;
                    let is_one = weight.is_finite() && *weight > 0.0;
                    is_one.then_some(*weight).ok_or_else(|| WrongWeights::NotAboveZero(name.clone()))
                };
                let weights = varieties.iter().map(weight).collect::<Result<Vec<f64>, WrongWeights>>()?;
                let largest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
                let sum: f64 = weights.iter().map(|weight| weight / largest).sum();
                let parts = |weight: f64| whole_part((weight / largest / sum * PARTS).round()).max(1);
                Ok(weights.into_iter().map(parts).collect())
            }
        }
    }
}

/// Nothing when it is beyond [`MOST`].
fn least_common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).checked_mul(b).filter(|&multiple| multiple <= MOST)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use incrowd_core::{Attribute, Dictionary, Parameters, Policy, Role};

    use super::*;

    fn weights(given: &DiversityWeights) -> Result<Vec<u64>, WrongWeights> {
        let attribute = |name: &str, values: &[&str]| {
            Attribute::new(name, Role::Sensitive, Dictionary::of_texts(values.iter().copied()))
        };
        let attributes = vec![attribute("job", &["a", "b", "c", "d"]), attribute("race", &["x", "y", "z"])];
        let rows = [([0, 0], 1), ([1, 1], 1), ([2, 2], 5), ([3, 0], 1)];
        let table = FrequencyTable::from_tuples(attributes, rows);
        let policy = Policy::k_anonymity(2).asking("p-sensitive", Parameters::from_iter([("p", 2)]), &["job", "race"]);
        given.of(&table, &policy.bind(&table).unwrap().varieties()).map(|weights| weights.to_vec())
    }

    fn named(given: &[(&str, f64)]) -> DiversityWeights {
        DiversityWeights::Named(given.iter().map(|&(name, weight)| (name.into(), weight)).collect())
    }

    #[test]
    fn weights_are_whole_numbers_with_the_ratios_that_were_asked_for() {
        assert_eq!(weights(&DiversityWeights::Equal).unwrap(), [1, 1]);
        // 1/4 to 1/3 is 3 to 4.
        assert_eq!(weights(&DiversityWeights::Inverse).unwrap(), [3, 4]);
        assert_eq!(weights(&named(&[("race", 0.3), ("job", 0.7)])).unwrap(), [700_000_000, 300_000_000]);
        assert_eq!(weights(&named(&[("race", 3.0), ("job", 7.0)])).unwrap(), [700_000_000, 300_000_000]);
        assert_eq!(weights(&named(&[("race", 1e300), ("job", 1e-300)])).unwrap(), [1, 1_000_000_000]);
    }

    #[test]
    fn weights_that_do_not_fit_are_refused() {
        let refused = |given: &[(&str, f64)]| weights(&named(given)).unwrap_err();
        assert_eq!(refused(&[("job", 1.0)]), WrongWeights::Missing("race".into()));
        assert_eq!(refused(&[("job", 1.0), ("race", 1.0), ("age", 1.0)]), WrongWeights::Useless("age".into()));
        for no_weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(refused(&[("job", no_weight), ("race", 1.0)]), WrongWeights::NotAboveZero("job".into()));
        }
        assert_eq!(least_common_multiple(1 << 30, 3 << 20), Some(3 << 30));
        assert_eq!(least_common_multiple(1 << 30, (1 << 20) - 1), None);
    }
}
