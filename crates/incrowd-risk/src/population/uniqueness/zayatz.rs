//! L. V. Zayatz, "Estimation of the number of unique population elements using a sample", 1991.
//!
//! The model: the classes of the population are distributed over sizes as those of the sample are. A class of i people
//! leaves one row in the sample with the hypergeometric probability h(i), so a row that is unique in the sample comes
//! from a class of one person with the probability c₁·h(1) / Σ cᵢ·h(i), where cᵢ is the number of classes of size i. The
//! classes of a sample are smaller than those of the population, so the estimate is usually too high, the more so the
//! smaller the sample is.
//!
//! The standard error treats the cᵢ as independent Poisson counts.

use super::{Fitted, ObservedSample};

pub(super) fn fit(sample: &ObservedSample<'_>) -> Fitted {
    let ratios = hits(sample);
    let sum: f64 = sample.histogram.iter().zip(&ratios).map(|(&(_, classes), hit)| classes as f64 * hit).sum();
    let unique = sample.unique;
    let uniqueness = unique / sample.rows * unique / sum;
    let variance = sample.histogram.iter().zip(&ratios).map(|(&(size, classes), hit)| {
        let slope = if size == 1 { 2.0 / unique - hit / sum } else { -hit / sum };
        classes as f64 * slope * slope
    });
    Fitted { uniqueness, log_error: variance.sum::<f64>().sqrt() }
}

/// h(i) / h(1) for each size i of the histogram: i·Π (N − n − j) / (N − 1 − j) over j from 0 to i − 2.
fn hits(sample: &ObservedSample<'_>) -> Vec<f64> {
    let (population, rows) = (sample.population, sample.rows);
    let (mut product, mut reached) = (1.0, 1u64);
    let mut hits = Vec::with_capacity(sample.histogram.len());
    for &(size, _) in sample.histogram {
        while reached < size && product > 0.0 {
            let before = (reached - 1) as f64;
            product *= (population - rows - before).max(0.0) / (population - 1.0 - before).max(1.0);
            reached += 1;
        }
        hits.push(size as f64 * product);
    }
    hits
}
