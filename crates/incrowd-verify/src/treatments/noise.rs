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

    /// The numbers were drawn by the definition of the paper with Python's `hmac`.
    #[test]
    fn noise_is_that_of_the_definition() {
        let drawn = |draw: fn(u64, &mut WordStream<'_>) -> i128, expected: &[(u64, [i128; 16])]| {
            let mut words = RowOwner { person: Some("a"), row: 0 }.words(&[3; 32]);
            for (scale, numbers) in expected {
                assert_eq!(std::array::from_fn(|_| draw(*scale, &mut words)), *numbers, "{scale}");
            }
        };
        drawn(
            laplace,
            &[
                (1, [1, 3, 0, 0, 0, 0, 1, -1, 4, 0, 0, 0, 0, -2, 0, 0]),
                (2, [1, -1, 0, 0, 1, -5, 1, -3, 2, -1, 7, 0, 1, -5, 1, 1]),
                (3, [3, -3, -3, -4, 3, 8, 0, 6, 6, -1, -14, 4, 0, 1, -5, -1]),
                (10, [7, -4, 1, -2, 29, 2, -7, -6, -1, 6, 7, -3, 8, -8, -2, -7]),
                (
                    1_000,
                    [1254, 1636, 183, -621, -656, -152, -245, -793, -79, -269, -534, 1196, 1044, -1450, 2197, 1276],
                ),
            ],
        );
        let largest = [
            271_985, -1_278_262, -1_151_184, 1_421_327, 96_246, 1_198_631, 1_561_973, -1_102_274, -801_981, -1_113_646,
            -1_609_619, -449_448, -310_172, -360_609, -895_044, -68_973,
        ];
        drawn(
            normal,
            &[
                (1, [0, 0, 0, 0, 1, 1, -2, 0, -1, 0, 0, -1, -1, 0, 1, 0]),
                (2, [0, -2, 0, 3, 0, 1, 3, 0, 1, 2, 0, -1, -1, 1, -2, 2]),
                (3, [1, 1, 3, 0, 1, -1, -2, -4, 1, 5, -5, 2, -1, -3, -6, -1]),
                (10, [-14, 24, 6, -20, 1, -3, -8, -14, 8, 12, -7, -6, -5, -13, -8, -23]),
                (1_000_000, largest),
            ],
        );
    }

    #[test]
    fn a_rule_has_a_known_word_a_base_and_a_scale_of_1_to_a_million_bases() {
        let rule =
            |is_normal, scale, base| NoiseRule { is_normal, scale, base: DecimalNumber::read(base).expect(base) };
        for (text, found) in [
            ("laplace:2,round:0.5", rule(false, 4, "0.5")),
            ("normal:15,round:5", rule(true, 3, "5")),
            ("laplace:5,round:5", rule(false, 1, "5")),
            ("normal:1e6,round:1", rule(true, 1_000_000, "1")),
        ] {
            assert_eq!(NoiseRule::read(text), Some(found), "{text}");
        }
        for text in [
            "laplace",
            "laplace:2",
            "laplace:2,round:",
            "laplace:,round:1",
            "laplace:2,round:0",
            "laplace:2,round:-1",
            "laplace:0,round:1",
            "laplace:-2,round:1",
            "laplace:3,round:2",
            "laplace:1000001,round:1",
            "normal:1,round:2",
            "gauss:2,round:1",
            ":2,round:1",
        ] {
            assert_eq!(NoiseRule::read(text), None, "{text}");
        }
    }
}
