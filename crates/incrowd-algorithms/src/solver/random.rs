//! Numbers drawn from a seed, the same on every machine: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).

/// A sequence of numbers that look random. Nothing secret depends on it.
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    pub(crate) fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// The numbers of a seed and of what they are for.
    pub(crate) fn for_use(seed: u64, what_for: [u64; 2]) -> Self {
        let mut draw = SplitMix64(seed);
        for part in what_for {
            draw.0 = draw.next() ^ part;
        }
        draw
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One of the numbers below `end`, or 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from((u128::from(self.next()) * end as u128) >> 64).unwrap_or(end)
    }

    /// From 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts things into any order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for at in (1..things.len()).rev() {
            things.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the reference implementation for the seed 1234567.
    #[test]
    fn the_numbers_are_those_of_the_reference() {
        let mut draw = SplitMix64::new(1_234_567);
        assert_eq!([draw.next(), draw.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn a_shuffle_keeps_everything() {
        let mut things: Vec<usize> = (0..100).collect();
        SplitMix64::new(7).shuffle(&mut things);
        assert!(!things.is_sorted());
        things.sort_unstable();
        assert!(things.into_iter().eq(0..100));
    }
}
