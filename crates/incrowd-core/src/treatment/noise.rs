//! Noise of an exact distribution: whole multiples of a base, drawn without floating-point numbers.
//!
//! Canonne, Kamath, Steinke: The Discrete Gaussian for Differential Privacy (2020), algorithms 1 to 3. Noise that is computed
//! with floating-point logarithms has a distribution that nobody can state, differs between machines, and can reveal the number
//! by its last digits (Mironov: On Significance of the Least Significant Bits for Differential Privacy, 2012).

use std::fmt;

use super::decimal::Decimal;
use super::draws::{RandomWords, drawn_below};

/// The most multiples of the base that a scale may have.
const MOST_STEPS: u64 = 1_000_000;

/// The distribution of noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoiseKind {
    /// The discrete Laplace distribution: a multiple z of the base has a probability proportional to exp(−|z| / scale).
    Laplace,
    /// The discrete normal distribution: proportional to exp(−z² / (2 · scale²)).
    Normal,
}

/// Noise that is added to a number after it was rounded to a multiple of the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoiseTreatment {
    /// The distribution.
    pub kind: NoiseKind,
    /// Its scale, a multiple of the base, at most 10⁶ times as large.
    pub scale: Decimal,
    /// What is published is a multiple of this number.
    pub base: Decimal,
}

impl NoiseTreatment {
    /// `laplace:SCALE,round:BASE` or `normal:SCALE,round:BASE`; nothing for other texts and scales.
    pub(super) fn parse(text: &str) -> Option<NoiseTreatment> {
        let (kind, parameters) = match text.split_once(':')? {
            ("laplace", parameters) => (NoiseKind::Laplace, parameters),
            ("normal", parameters) => (NoiseKind::Normal, parameters),
            _ => return None,
        };
        let (scale, base) = parameters.split_once(",round:")?;
        let (scale, base) = (Decimal::parse(scale)?, Decimal::parse(base).filter(|base| base.is_positive())?);
        let noise = NoiseTreatment { kind, scale, base };
        noise.steps().map(|_| noise)
    }

    /// The scale in multiples of the base.
    fn steps(&self) -> Option<u64> {
        self.scale.ratio(self.base).filter(|steps| (1..=MOST_STEPS).contains(steps))
    }

    /// What is published of a number; nothing when its digits do not suffice.
    pub(super) fn drawn(&self, number: Decimal, words: RandomWords<'_>) -> Option<Decimal> {
        let steps = self.steps()?;
        let (is_negative, size) = match self.kind {
            NoiseKind::Laplace => laplace(steps, words),
            NoiseKind::Normal => normal(steps, words),
        };
        let noise = self.base.times(size)?;
        number.rounded(self.base)?.plus(if is_negative { noise.negated() } else { noise })
    }

    /// What a column with it is, in words that follow “is published”.
    pub(super) fn words(&self) -> String {
        let NoiseTreatment { kind, scale, base } = self;
        let kind = match kind {
            NoiseKind::Laplace => "Laplace",
            NoiseKind::Normal => "normal",
        };
        format!("with {kind} noise of scale {scale}, as multiples of {base}")
    }
}

impl fmt::Display for NoiseTreatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.kind {
            NoiseKind::Laplace => "laplace",
            NoiseKind::Normal => "normal",
        };
        write!(f, "{word}:{},round:{}", self.scale, self.base)
    }
}

/// True with probability exp(−numerator / denominator), for a quotient of at most 1.
fn is_below_exp_of_fraction(numerator: u128, denominator: u128, words: RandomWords<'_>) -> bool {
    let mut tries = 1;
    while drawn_below(denominator * tries, words) < numerator {
        tries += 1;
    }
    tries % 2 == 1
}

/// True with probability exp(−numerator / denominator).
fn is_below_exp(numerator: u128, denominator: u128, words: RandomWords<'_>) -> bool {
    (0..numerator / denominator).all(|_| is_below_exp_of_fraction(1, 1, words))
        && is_below_exp_of_fraction(numerator % denominator, denominator, words)
}

/// A whole number with a probability proportional to exp(−|z| / scale): whether it is negative, and its size.
fn laplace(scale: u64, words: RandomWords<'_>) -> (bool, u64) {
    loop {
        let rest = drawn_below(scale.into(), words);
        if !is_below_exp_of_fraction(rest, scale.into(), words) {
            continue;
        }
        let mut turns = 0;
        while is_below_exp_of_fraction(1, 1, words) {
            turns += 1;
        }
        let size = u64::try_from(rest).unwrap_or(0) + scale * turns;
        let is_negative = drawn_below(2, words) == 1;
        // 0 has one sign.
        if !(is_negative && size == 0) {
            return (is_negative, size);
        }
    }
}

/// A whole number with a probability proportional to exp(−z² / (2 · scale²)).
fn normal(scale: u64, words: RandomWords<'_>) -> (bool, u64) {
    let (steps, wide) = (u128::from(scale), u128::from(scale) + 1);
    loop {
        let (is_negative, size) = laplace(scale + 1, words);
        // Accepted with probability exp(−(|z| − σ² / t)² / (2 σ²)), where t = σ + 1.
        let distance = (u128::from(size) * wide).abs_diff(steps * steps);
        if is_below_exp(distance * distance, 2 * steps * steps * wide * wide, words) {
            return (is_negative, size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words without a pattern: SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
    fn words(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ mixed >> 31
        }
    }

    /// The largest distance between how often numbers from −40 to 40 are drawn and their probabilities, in standard
    /// deviations.
    fn worst(weight: impl Fn(f64) -> f64, mut draw: impl FnMut() -> (bool, u64)) -> f64 {
        const DRAWS: u32 = 40_000;
        let mut counts = [0u32; 81];
        for _ in 0..DRAWS {
            let (is_negative, size) = draw();
            if let Ok(size @ 0..=40) = usize::try_from(size) {
                counts[if is_negative { 40 - size } else { 40 + size }] += 1;
            }
        }
        let total: f64 = (-400..=400).map(|z| weight(f64::from(z))).sum();
        let distance = |(at, &count): (usize, &u32)| {
            let expected = f64::from(DRAWS) * weight(at as f64 - 40.0) / total;
            (f64::from(count) - expected).abs() / expected.max(1.0).sqrt()
        };
        counts.iter().enumerate().map(distance).fold(0.0, f64::max)
    }

    #[test]
    fn numbers_are_drawn_with_their_probabilities() {
        for scale in [1u64, 2, 5, 9] {
            let width = scale as f64;
            let mut source = words(scale);
            assert!(worst(|z| (-z.abs() / width).exp(), || laplace(scale, &mut source)) < 5.0, "Laplace {scale}");
            assert!(worst(|z| (-z * z / (2.0 * width * width)).exp(), || normal(scale, &mut source)) < 5.0, "{scale}");
        }
    }

    #[test]
    fn the_largest_scale_can_be_drawn() {
        let mut source = words(7);
        let mean = |sizes: &[u64]| sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
        let sizes: Vec<u64> = (0..2_000).map(|_| laplace(MOST_STEPS, &mut source).1).collect();
        assert!((mean(&sizes) / 1e6 - 1.0).abs() < 0.15, "the mean size of a Laplace number is its scale");
        let sizes: Vec<u64> = (0..2_000).map(|_| normal(MOST_STEPS, &mut source).1).collect();
        assert!((mean(&sizes) / 797_885.0 - 1.0).abs() < 0.1, "that of a normal number is scale times √(2/π)");
    }

    #[test]
    fn noise_is_a_multiple_of_the_base() {
        let noise = NoiseTreatment::parse("laplace:30,round:10").expect("a treatment");
        let mut source = words(3);
        for _ in 0..100 {
            let drawn = noise.drawn(Decimal::parse("1234.5").expect("a number"), &mut source).expect("few digits");
            assert_eq!(drawn.rounded(noise.base), Some(drawn));
        }
        for text in
            ["laplace:30", "laplace:35,round:10", "normal:0,round:1", "laplace:1000001,round:1", "cauchy:1,round:1"]
        {
            assert_eq!(NoiseTreatment::parse(text), None, "{text}");
        }
    }
}
