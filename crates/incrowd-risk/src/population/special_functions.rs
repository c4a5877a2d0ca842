//! The logarithm of the gamma function and its first two derivatives, for positive arguments.
//!
//! Each is computed by its asymptotic series for arguments of at least 15, to which smaller ones are raised by the
//! recurrence Γ(x + 1) = x·Γ(x). M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions", 1964, 6.1.40,
//! 6.3.18 and 6.4.12. The first omitted term is below 10⁻¹⁶.

/// From here on the series are exact to double precision.
const LARGE: f64 = 15.0;

/// ln Γ(x).
pub(super) fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < LARGE {
        product *= x;
        x += 1.0;
    }
    let terms = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1_260.0, -1.0 / 1_680.0, 1.0 / 1_188.0, -691.0 / 360_360.0];
    let half_ln_tau = 0.5 * std::f64::consts::TAU.ln();
    (x - 0.5) * x.ln() - x + half_ln_tau + series(&terms, x) / x - f64::ln(product)
}

/// ψ(x), the derivative of ln Γ(x).
pub(super) fn digamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < LARGE {
        sum += 1.0 / x;
        x += 1.0;
    }
    let terms = [-1.0 / 12.0, 1.0 / 120.0, -1.0 / 252.0, 1.0 / 240.0, -1.0 / 132.0, 691.0 / 32_760.0];
    x.ln() - 0.5 / x + series(&terms, x) / (x * x) - sum
}

/// ψ′(x).
pub(super) fn trigamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < LARGE {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let terms = [1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2_730.0];
    1.0 / x + 0.5 / (x * x) + series(&terms, x) / (x * x * x) + sum
}

/// Σ termsᵢ / x²ⁱ.
fn series(terms: &[f64], x: f64) -> f64 {
    let inverse = 1.0 / (x * x);
    terms.iter().rev().fold(0.0, |sum, term| sum * inverse + term)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-14 * expected.abs().max(1.0), "{found} {expected}");
    }

    #[test]
    fn values_that_are_known_in_closed_form_are_met() {
        use std::f64::consts::PI;
        const EULER: f64 = 0.577_215_664_901_532_9;
        close(ln_gamma(0.5), 0.5 * PI.ln());
        close(ln_gamma(1.0), 0.0);
        close(ln_gamma(11.0), 3_628_800f64.ln());
        close(ln_gamma(21.0), 2_432_902_008_176_640_000f64.ln());
        close(digamma(1.0), -EULER);
        close(digamma(0.5), -EULER - 2.0 * 2f64.ln());
        close(trigamma(1.0), PI * PI / 6.0);
        close(trigamma(0.5), PI * PI / 2.0);
    }

    #[test]
    fn differences_are_the_sums_they_stand_for() {
        let sum: f64 = (0..1_000).map(|i| 1.0 / (0.3 + f64::from(i))).sum();
        close(digamma(1_000.3) - digamma(0.3), sum);
        let squares: f64 = (0..1_000).map(|i| (0.3 + f64::from(i)).powi(-2)).sum();
        close(trigamma(0.3) - trigamma(1_000.3), squares);
    }
}
