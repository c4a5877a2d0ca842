//! N. Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk assessment", Journal of Official
//! Statistics 2001.
//!
//! The class sizes of the population, and of every random sample of it, follow Pitman's sampling formula with
//! parameters 0 < α < 1 and θ > −α. They are fitted by maximum likelihood: for every α the θ at which the derivative by
//! θ is 0, then the α at which the derivative by α is 0 along these θ. Both derivatives change their sign once, so the
//! fit does not depend on a starting point. If the second has no root between 0 and 1, the model has no fit. A
//! population of N people has about Γ(θ + 1) / Γ(θ + α) · N^α uniques.
//!
//! The standard error comes from the observed information and the delta method, plus the variance of the number of
//! uniques around its mean.

use super::super::root::root;
use super::super::special_functions::{digamma, ln_gamma, trigamma};
use super::{Fitted, NoEstimate, ObservedSample};

pub(super) fn fit(sample: &ObservedSample<'_>) -> Result<Fitted, NoEstimate> {
    if sample.classes >= sample.rows {
        return Err(NoEstimate::AllUnique);
    }
    let likelihood = Likelihood { sample };
    let (theta, alpha) = likelihood.maximum().ok_or(NoEstimate::NoFit)?;
    let log_population = sample.population.ln();
    let log_uniques = ln_gamma(theta + 1.0) - ln_gamma(theta + alpha) + alpha * log_population;
    let at_theta = digamma(theta + 1.0) - digamma(theta + alpha);
    let at_alpha = log_population - digamma(theta + alpha);
    let [theta_theta, theta_alpha, alpha_alpha] = likelihood.information(theta, alpha);
    let determinant = theta_theta * alpha_alpha - theta_alpha * theta_alpha;
    if determinant.is_nan() || determinant <= 0.0 {
        return Err(NoEstimate::NoFit);
    }
    let variance = (alpha_alpha * at_theta * at_theta - 2.0 * theta_alpha * at_theta * at_alpha
        + theta_theta * at_alpha * at_alpha)
        / determinant;
    let log_error = (variance + (-log_uniques).exp()).sqrt();
    Ok(Fitted { uniqueness: (log_uniques - log_population).exp(), log_error })
}

/// The logarithm of the likelihood of the class sizes of a sample.
struct Likelihood<'a> {
    sample: &'a ObservedSample<'a>,
}

impl Likelihood<'_> {
    /// The θ and α with the largest likelihood.
    fn maximum(&self) -> Option<(f64, f64)> {
        /// The ends of α, which is between 0 and 1.
        const ENDS: (f64, f64) = (1e-6, 1.0 - 1e-9);
        let along = |alpha: f64| {
            let theta = self.theta(alpha)?;
            Some(self.by_alpha(theta, alpha))
        };
        let alpha = root(ENDS.0, ENDS.1, |alpha| along(alpha).unwrap_or(f64::NAN))?;
        let theta = self.theta(alpha)?;
        Some((theta, alpha))
    }

    /// The θ with the largest likelihood for an α.
    fn theta(&self, alpha: f64) -> Option<f64> {
        /// The logarithm of the least θ + α, and the largest θ per row.
        const ENDS: (f64, f64) = (-30.0, 1e7);
        let above = root(ENDS.0, (ENDS.1 * self.sample.rows).ln(), |log| self.by_theta(log.exp() - alpha, alpha))?;
        Some(above.exp() - alpha)
    }

    /// Σ 1 / (θ + iα) over 0 < i < classes.
    fn by_class(&self, theta: f64, alpha: f64) -> f64 {
        let ratio = theta / alpha;
        (digamma(self.sample.classes + ratio) - digamma(1.0 + ratio)) / alpha
    }

    /// The derivative by θ.
    fn by_theta(&self, theta: f64, alpha: f64) -> f64 {
        self.by_class(theta, alpha) - (digamma(self.sample.rows + theta) - digamma(1.0 + theta))
    }

    /// The derivative by α.
    fn by_alpha(&self, theta: f64, alpha: f64) -> f64 {
        let opened = (self.sample.classes - 1.0 - theta * self.by_class(theta, alpha)) / alpha;
        let first = digamma(1.0 - alpha);
        let grown = self.larger().map(|(size, classes)| classes * (digamma(size - alpha) - first));
        opened - grown.sum::<f64>()
    }

    /// The negative second derivatives by θ twice, by θ and α, and by α twice.
    fn information(&self, theta: f64, alpha: f64) -> [f64; 3] {
        let ObservedSample { rows, classes, .. } = *self.sample;
        let ratio = theta / alpha;
        // Σ 1/(θ + iα)², Σ i/(θ + iα)² and Σ i²/(θ + iα)².
        let squares = (trigamma(1.0 + ratio) - trigamma(classes + ratio)) / (alpha * alpha);
        let by_class = self.by_class(theta, alpha);
        let weighted = (by_class - theta * squares) / alpha;
        let twice = (classes - 1.0 - 2.0 * theta * by_class + theta * theta * squares) / (alpha * alpha);
        let first = trigamma(1.0 - alpha);
        let grown: f64 = self.larger().map(|(size, classes)| classes * (first - trigamma(size - alpha))).sum();
        let drawn = trigamma(1.0 + theta) - trigamma(rows + theta);
        [squares - drawn, weighted, twice + grown]
    }

    /// The classes of more than one row.
    fn larger(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let histogram = self.sample.histogram.iter().filter(|&&(size, _)| size > 1);
        histogram.map(|&(size, classes)| (size as f64, classes as f64))
    }
}
