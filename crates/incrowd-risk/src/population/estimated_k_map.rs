//! k-map without the population: from which size on is a class of a sample taken to have k people in the population?
//!
//! K. El Emam and F. K. Dankar, "Protecting privacy using k-anonymity", JAMIA 2008, estimators D3 and D4. A class that k
//! people of the population have has on average λ = k·π rows in a simple random sample with sampling fraction π. Taken
//! for Poisson, it has s rows or more with probability P(X ≥ s); a class of fewer people has that many even more rarely.
//! The least s for which this is at most a chosen error is the size that is asked of every class of the sample:
//!
//! - D3 ([`SampledClass::Poisson`]): P(X ≥ s).
//! - D4 ([`SampledClass::ZeroTruncatedPoisson`]): P(X ≥ s | X ≥ 1), because a class that has no row is not seen. It asks
//!   for more.
//!
//! A class of k rows has at least k people, whatever the model: s is never above k.
//!
//! The error is one of a test for each class: of the classes of the population with at most k people, that share is
//! mistaken for larger ones. It is not the share of the accepted classes that are too small, which depends on how many
//! small classes the population has.

use serde::Serialize;

/// The error that is usual in the field.
pub const USUAL_ERROR: f64 = 0.05;

/// How the rows of a class in a sample are distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SampledClass {
    /// Poisson (D3).
    Poisson,
    /// Poisson, given that there is a row (D4).
    #[default]
    ZeroTruncatedPoisson,
}

impl SampledClass {
    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            SampledClass::Poisson => "Poisson (D3)",
            SampledClass::ZeroTruncatedPoisson => "zero-truncated Poisson (D4)",
        }
    }
}

/// The size that is asked of every class of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EstimatedKMap {
    /// The number of people of the population that a class is to have.
    pub k_map: u64,
    /// The share of the population that is in the sample.
    pub sampling_fraction: f64,
    /// How the rows of a class are distributed.
    pub model: SampledClass,
    /// The largest probability that a class of at most `k_map` people has `k` rows or more.
    pub error: f64,
    /// The least number of rows.
    pub k: u64,
}

impl EstimatedKMap {
    /// The least size for k-map in a simple random sample.
    ///
    /// ```
    /// use incrowd_risk::population::{EstimatedKMap, SampledClass, USUAL_ERROR};
    /// let least = |fraction| EstimatedKMap::new(12, fraction, SampledClass::Poisson, USUAL_ERROR).k;
    /// assert_eq!((least(0.01), least(0.1), least(0.5), least(1.0)), (2, 4, 11, 12));
    /// ```
    pub fn new(k_map: u64, sampling_fraction: f64, model: SampledClass, error: f64) -> EstimatedKMap {
        let mean = k_map as f64 * sampling_fraction;
        let seen = match model {
            SampledClass::Poisson => 1.0,
            SampledClass::ZeroTruncatedPoisson => -f64::exp_m1(-mean),
        };
        let least = least_rare(mean, (error * seen).min(1.0), k_map);
        // Every class that is seen has a row.
        EstimatedKMap { k_map, sampling_fraction, model, error, k: least.max(1) }
    }

    /// The same for other sampling fractions, a quarter to four times as large.
    pub fn sensitivity(&self) -> Vec<EstimatedKMap> {
        let factors = [0.25, 0.5, 1.0, 2.0, 4.0].map(|factor| factor * self.sampling_fraction);
        let possible = factors.into_iter().filter(|fraction| *fraction <= 1.0);
        possible.map(|fraction| EstimatedKMap::new(self.k_map, fraction, self.model, self.error)).collect()
    }
}

/// The least s ≤ `most` with P(X ≥ s) ≤ `rare` for a Poisson number X; `most` if there is none.
fn least_rare(mean: f64, rare: f64, most: u64) -> u64 {
    // Added up from the rarest on, so that no digit of a small tail is lost: beyond 40 standard deviations nothing is
    // left.
    let end = mean + 40.0 * (mean.sqrt() + 1.0);
    let log_probability = |x: f64| x * mean.ln() - mean - super::special_functions::ln_gamma(x + 1.0);
    let (mut tail, mut at) = (0.0, end.floor());
    while at >= 0.0 {
        tail += log_probability(at).exp();
        if tail > rare {
            // P(X ≥ at) is too much.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0 on")]
            return (at as u64 + 1).min(most);
        }
        at -= 1.0;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(X ≥ s) by its definition, for small means.
    fn tail(mean: f64, s: u64) -> f64 {
        let mut term = (-mean).exp();
        let mut below = 0.0;
        for x in 0..s {
            below += term;
            term *= mean / (x + 1) as f64;
        }
        1.0 - below
    }

    #[test]
    fn the_size_is_the_least_whose_tail_is_rare() {
        for k_map in 1..60 {
            for fraction in [0.001, 0.01, 0.05, 0.1, 0.33, 0.5, 0.9, 1.0] {
                for error in [0.01, 0.05, 0.2] {
                    let mean = k_map as f64 * fraction;
                    for (model, seen) in
                        [(SampledClass::Poisson, 1.0), (SampledClass::ZeroTruncatedPoisson, tail(mean, 1))]
                    {
                        let least = (1..=k_map).find(|&s| tail(mean, s) / seen <= error).unwrap_or(k_map);
                        let found = EstimatedKMap::new(k_map, fraction, model, error).k;
                        assert_eq!(found, least, "k {k_map}, fraction {fraction}, error {error}, {}", model.name());
                    }
                }
            }
        }
    }

    #[test]
    fn a_class_that_cannot_be_unseen_is_asked_for_more() {
        let least = |model| EstimatedKMap::new(12, 0.01, model, USUAL_ERROR).k;
        assert_eq!(least(SampledClass::Poisson), 2);
        assert_eq!(least(SampledClass::ZeroTruncatedPoisson), 3);
    }

    #[test]
    fn large_classes_are_no_trouble() {
        let found = EstimatedKMap::new(100_000, 0.1, SampledClass::ZeroTruncatedPoisson, USUAL_ERROR);
        // 10,000 on average, and 1.645 standard deviations of 100.
        assert!((10_160..10_170).contains(&found.k), "{}", found.k);
        assert_eq!(found.sensitivity().len(), 5);
        let half = EstimatedKMap { sampling_fraction: 0.5, ..found };
        assert_eq!(half.sensitivity().len(), 4, "no sample is larger than the population");
    }
}
