//! Numbers that look drawn and are not: the same seed gives the same ones (SplitMix64).

/// A stream of numbers.
pub(super) struct Chance(u64);

impl Chance {
    /// The stream of a seed and of what it is for.
    pub(super) fn new(seed: u64, what_for: [u64; 2]) -> Self {
        let mut chance = Chance(seed);
        for part in what_for {
            chance.0 = chance.next() ^ part;
        }
        chance
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One of the first numbers below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// From 0 to 1.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
