//! The person's code: unique per row, in no order, and without a list of codes already given.
//!
//! A Feistel network over 50 bits is a permutation, so different rows get different codes; its keys come from the
//! seed. Ten characters of five bits each print it. The alphabet has no `I`, `L`, `O` and `U`, which are misread.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const HALF: u32 = 25;
const MASK: u64 = (1 << HALF) - 1;

/// The codes of one sample.
#[derive(Clone, Debug)]
pub(super) struct PersonCodes {
    keys: [u64; 4],
}

impl PersonCodes {
    /// The most rows that get different codes.
    pub(super) const CAPACITY: u64 = 1 << (2 * HALF);

    /// The codes for a seed.
    pub(super) fn new(seed: u64) -> Self {
        let mut generator = SplitMix64::seed_from_u64(seed);
        PersonCodes { keys: std::array::from_fn(|_| generator.next_u64()) }
    }

    /// The code of a row.
    #[inline]
    pub(super) fn code(&self, row: u64) -> String {
        let bits = self.permute(row);
        let mut code = String::with_capacity(12);
        code.push_str("P-");
        code.extend((0..10).rev().map(|digit| char::from(ALPHABET[(bits >> (5 * digit) & 31) as usize])));
        code
    }

    fn permute(&self, row: u64) -> u64 {
        let (left, right) = self.keys.iter().fold((row >> HALF & MASK, row & MASK), |(left, right), key| {
            let mixed = SplitMix64::seed_from_u64(right ^ key).next_u64();
            (right, left ^ (mixed & MASK))
        });
        left << HALF | right
    }
}
