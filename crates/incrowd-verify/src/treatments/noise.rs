//! Noise, from Canonne, Kamath and Steinke: The Discrete Gaussian for Differential Privacy (2020).

use super::draws::WordStream;
use super::numbers::{self, DecimalNumber};

/// Which noise was added to a number that was rounded to a multiple of `base`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoiseRule {
    /// Whether it is normal noise, and not Laplace noise.
    is_normal: bool,
    /// The scale, in multiples of the base.
    scale: u64,
    pub(super) base: DecimalNumber,
}

impl NoiseRule {
    /// `laplace:SCALE,round:BASE` or `normal:SCALE,round:BASE`, where the scale is 1 to 10⁶ times the base.
    pub(super) fn read(text: &str) -> Option<NoiseRule> {
        let (word, parameters) = text.split_once(':')?;
        let (scale, base) = parameters.split_once(",round:")?;
        let base = DecimalNumber::read(base).filter(|base| base.is_above_zero())?;
        let scale =
            DecimalNumber::read(scale)?.in_multiples_of(base).filter(|scale| (1..=1_000_000).contains(scale))?;
        let is_normal = match word {
            "laplace" => false,
            "normal" => true,
            _ => return None,
        };
        Some(NoiseRule { is_normal, scale: u64::try_from(scale).ok()?, base })
    }

    /// What is published of a number.
    pub(super) fn drawn(&self, number: DecimalNumber, words: &mut WordStream<'_>) -> Option<DecimalNumber> {
        let steps = if self.is_normal { normal(self.scale, words) } else { laplace(self.scale, words) };
        let rounded = numbers::mean(number, 1, self.base)?;
        rounded.plus_multiple(self.base, steps)
    }
}

/// z with a probability proportional to exp(−|z| / scale): |z| = u + scale · v, where u below scale is kept with probability
/// exp(−u / scale), v counts events of probability 1/e, and the sign is a coin; −0 is drawn again.
fn laplace(scale: u64, words: &mut WordStream<'_>) -> i128 {
    loop {
        let part = words.below(scale.into());
        if words.happens(part, scale.into()) {
            let mut size = part;
            while words.happens_once(1, 1) {
                size += u128::from(scale);
            }
            let size = i128::try_from(size).unwrap_or(0);
            match words.below(2) {
                0 => return size,
                _ if size > 0 => return -size,
                _ => {}
            }
        }
    }
}

/// z with a probability proportional to exp(−z² / 2σ²): Laplace noise of scale t = σ + 1 that is kept with probability
/// exp(−(|z| − σ²/t)² / 2σ²).
fn normal(sigma: u64, words: &mut WordStream<'_>) -> i128 {
    let (variance, t) = (u128::from(sigma) * u128::from(sigma), u128::from(sigma + 1));
    loop {
        let z = laplace(sigma + 1, words);
        let far = (z.unsigned_abs() * t).abs_diff(variance);
        if words.happens(far * far, 2 * variance * t * t) {
            return z;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::draws::RowOwner;
    use super::*;

    #[test]
    fn noise_has_the_mean_and_the_variance_of_its_distribution() {
        let moments = |draw: fn(u64, &mut WordStream<'_>) -> i128| {
            let mut words = RowOwner { person: Some("a"), row: 0 }.words(&[5; 32]);
            let drawn: Vec<f64> = (0..4_000).map(|_| draw(10, &mut words) as f64).collect();
            let mean = drawn.iter().sum::<f64>() / 4_000.0;
            (mean, drawn.iter().map(|z| z * z).sum::<f64>() / 4_000.0)
        };
        // A discrete Laplace number of scale 10 has the variance 2q / (1 − q)² with q = exp(−1/10), which is 199.8.
        let (mean, square) = moments(laplace);
        assert!(mean.abs() < 1.0 && (square - 199.8).abs() < 35.0, "{mean} {square}");
        let (mean, square) = moments(normal);
        assert!(mean.abs() < 0.8 && (square - 100.0).abs() < 12.0, "{mean} {square}");
    }
}
