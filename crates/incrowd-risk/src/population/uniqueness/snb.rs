//! G. Chen and S. Keller-McNulty, "Estimation of identification disclosure risk in microdata", Journal of Official
//! Statistics 1998.
//!
//! The model: the population has K classes, whose sizes less one are negative binomial with parameters α and β, so
//! K·β^α are uniques; every person is in the sample with probability π. K is estimated by the third of Shlosser's
//! estimators in P. J. Haas and L. Stokes, "Estimating the number of classes in a finite population", JASA 1998. Then α
//! and β are those for which the expected numbers of unique rows and of pairs are the observed ones:
//!
//! - c₁ = K·π·B^α·(1 + α·d / (1 − d)), and
//! - c₂ = K·π²/2·B^α·α·(1 − β)·(2 − (1 − α)·d) / (1 − d)², with d = (1 − π)(1 − β) and B = β / (1 − d).
//!
//! Their quotient is quadratic in α with one positive solution for each β, which leaves one equation for β.
//!
//! The standard error treats the numbers of classes of each size as independent Poisson counts (delta method).

use super::super::root::root;
use super::{Fitted, NoEstimate, ObservedSample};

pub(super) fn fit(sample: &ObservedSample<'_>) -> Result<Fitted, NoEstimate> {
    if sample.classes >= sample.rows {
        return Err(NoEstimate::AllUnique);
    }
    let pairs = sample.of_size(2);
    if pairs == 0.0 {
        return Err(NoEstimate::NoPairs);
    }
    let shlosser = Shlosser::of(sample);
    let equations = Equations { fraction: sample.fraction(), unique: sample.unique, pairs, classes: shlosser.classes };
    let log_uniques = equations.log_uniques().ok_or(NoEstimate::NoFit)?;
    let variance = variance(sample, &shlosser, &equations).ok_or(NoEstimate::NoFit)?;
    Ok(Fitted { uniqueness: log_uniques.exp() / sample.population, log_error: variance.sqrt() })
}

/// The logarithm of the number of uniques of a population with this many classes, of which a sample has these numbers
/// of unique rows and pairs.
#[cfg(test)]
pub(super) fn log_uniques(fraction: f64, unique: f64, pairs: f64, classes: f64) -> Option<f64> {
    Equations { fraction, unique, pairs, classes }.log_uniques()
}

/// The variance of the logarithm of the number of uniques.
fn variance(sample: &ObservedSample<'_>, shlosser: &Shlosser, equations: &Equations) -> Option<f64> {
    /// By how much a count is changed to see its effect.
    const STEP: f64 = 1e-5;
    let slope = |change: fn(&mut Equations) -> &mut f64| {
        let at = |factor: f64| {
            let mut changed = *equations;
            *change(&mut changed) *= factor;
            changed.log_uniques()
        };
        let mut base = *equations;
        Some((at(1.0 + STEP)? - at(1.0 - STEP)?) / (2.0 * STEP * *change(&mut base)))
    };
    let by_unique = slope(|equations| &mut equations.unique)?;
    let by_pairs = slope(|equations| &mut equations.pairs)?;
    let by_classes = slope(|equations| &mut equations.classes)?;
    let term = |&(size, classes): &(u64, u64)| {
        let direct = match size {
            1 => by_unique,
            2 => by_pairs,
            _ => 0.0,
        };
        let slope = direct + by_classes * shlosser.slope(size as f64, sample.unique);
        classes as f64 * slope * slope
    };
    Some(sample.histogram.iter().map(term).sum())
}

/// Shlosser's third estimate of the number of classes of a population.
struct Shlosser {
    fraction: f64,
    /// The sums of the estimator: Σ iq²(1 − q²)^(i−1)·cᵢ, Σ (1 − q)^i((1 + q)^i − 1)·cᵢ, Σ (1 − q)^i·cᵢ and
    /// Σ iq(1 − q)^(i−1)·cᵢ.
    sums: [f64; 4],
    classes: f64,
}

impl Shlosser {
    fn of(sample: &ObservedSample<'_>) -> Shlosser {
        let fraction = sample.fraction();
        let mut sums = [0.0; 4];
        for &(size, classes) in sample.histogram {
            let terms = Self::terms(fraction, size as f64);
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term * classes as f64);
        }
        let mut shlosser = Shlosser { fraction, sums, classes: 0.0 };
        shlosser.classes = sample.classes + sample.unique * shlosser.unseen_per_unique();
        shlosser
    }

    fn terms(q: f64, size: f64) -> [f64; 4] {
        let unseen = (1.0 - q).powf(size);
        let both = (1.0 - q * q).powf(size);
        [size * q * q * (1.0 - q * q).powf(size - 1.0), both - unseen, unseen, size * q * (1.0 - q).powf(size - 1.0)]
    }

    /// Classes of the population that the sample does not show, per unique row.
    fn unseen_per_unique(&self) -> f64 {
        let [squared, both, unseen, once] = self.sums;
        if unseen == 0.0 { 0.0 } else { squared / both * (unseen / once).powi(2) }
    }

    /// The derivative of the number of classes by the number of classes of this size in the sample.
    fn slope(&self, size: f64, unique: f64) -> f64 {
        let per_unique = self.unseen_per_unique();
        if per_unique == 0.0 {
            return 1.0;
        }
        let [squared, both, unseen, once] = Self::terms(self.fraction, size);
        let [all_squared, all_both, all_unseen, all_once] = self.sums;
        let change = squared / all_squared - both / all_both + 2.0 * (unseen / all_unseen - once / all_once);
        let direct = if size == 1.0 { per_unique } else { 0.0 };
        1.0 + direct + unique * per_unique * change
    }
}

/// The equations for α and β.
#[derive(Clone, Copy)]
struct Equations {
    fraction: f64,
    unique: f64,
    pairs: f64,
    classes: f64,
}

impl Equations {
    /// The logarithm of the number of uniques of the population.
    fn log_uniques(&self) -> Option<f64> {
        /// The ends of ln(β / (1 − β)), and the steps between them in which a solution is looked for.
        const ENDS: (f64, f64) = (-35.0, 35.0);
        const STEPS: u32 = 140;
        let width = (ENDS.1 - ENDS.0) / f64::from(STEPS);
        let starts = (0..STEPS).map(|step| ENDS.0 + f64::from(step) * width);
        let log_odds = starts.into_iter().find_map(|low| root(low, low + width, |at| self.excess(at)))?;
        let beta = Beta::of(log_odds, self.fraction);
        Some(self.classes.ln() + self.alpha(&beta) * beta.log)
    }

    /// The logarithm of the expected number of unique rows, less that of the observed one.
    fn excess(&self, log_odds: f64) -> f64 {
        let beta = Beta::of(log_odds, self.fraction);
        let alpha = self.alpha(&beta);
        let expected = (self.classes * self.fraction).ln()
            + alpha * (beta.log - beta.stays.ln())
            + (alpha * beta.d / beta.stays).ln_1p();
        expected - self.unique.ln()
    }

    /// The α for which unique rows and pairs have the observed quotient.
    fn alpha(&self, beta: &Beta) -> f64 {
        let Beta { rest, d, stays, .. } = *beta;
        let quotient = 2.0 * self.pairs / (self.fraction * self.unique);
        let (a, b, c) = (rest * d, rest * (2.0 - d) - quotient * stays * d, -quotient * stays * stays);
        let root = (b * b - 4.0 * a * c).sqrt();
        // Of the two forms of the solution the one without a difference of equal numbers.
        if b > 0.0 { -2.0 * c / (b + root) } else { (root - b) / (2.0 * a) }
    }
}

/// β by its odds, which keeps it and 1 − β exact near 0 and 1.
struct Beta {
    /// ln β.
    log: f64,
    /// 1 − β.
    rest: f64,
    d: f64,
    /// 1 − d.
    stays: f64,
}

impl Beta {
    fn of(log_odds: f64, fraction: f64) -> Beta {
        let log = -(-log_odds).exp().ln_1p();
        let rest = 1.0 / (1.0 + log_odds.exp());
        let d = (1.0 - fraction) * rest;
        // 1 − (1 − π)(1 − β) = β + π(1 − β).
        Beta { log, rest, d, stays: log.exp() + fraction * rest }
    }
}
