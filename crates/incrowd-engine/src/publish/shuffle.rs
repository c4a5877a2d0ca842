//! Where a row goes in the release, and which class it gets when its tuple is split.
//!
//! Every row has its own place in the stream of a cryptographic generator (ChaCha20), found by its number: 64 bits by
//! which the release is sorted and 64 bits by which a class is drawn. Sorting by independent random bits is a uniformly
//! random permutation that says nothing about the order of the input. The two are independent, so neither the place of
//! a row in the input nor that in the release says which class was drawn. And since a row's bits depend on nothing but
//! the key and its number, the release is the same whatever the threads, and whatever had to go through the disk.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// The stream that belongs to the rows; others of the same key are free for other uses.
const ROWS: u64 = u64::from_le_bytes(*b"row bits");

/// The stream that belongs to the rows of a second table.
const SECOND: u64 = u64::from_le_bytes(*b"2nd bits");

/// The stream that belongs to shards.
const SHARDS: u64 = u64::from_le_bytes(*b"shards  ");

/// Words of 32 bits that each row takes from the stream.
const WORDS: u128 = 4;

/// The random bits of consecutive rows.
pub(crate) struct RowBits(ChaCha20Rng);

impl RowBits {
    /// The bits of the rows from this number on.
    pub(crate) fn from_row(key: [u8; 32], row: u64) -> Self {
        Self::of(key, ROWS, row)
    }

    /// The bits of the rows of a second table, from the first on. They have nothing to do with those of the first.
    pub(crate) fn of_second_table(key: [u8; 32]) -> Self {
        Self::of(key, SECOND, 0)
    }

    /// The bits by which classes are drawn for rows of a shard whose tuples are split; those of two shards do not meet.
    pub(crate) fn of_shard(key: [u8; 32], shard: u32) -> Self {
        Self::of(key, SHARDS, u64::from(shard) << 40)
    }

    fn of(key: [u8; 32], purpose: u64, row: u64) -> Self {
        let mut stream = ChaCha20Rng::from_seed(key);
        stream.set_stream(purpose);
        stream.set_word_pos(u128::from(row) * WORDS);
        RowBits(stream)
    }

    /// The next row's: by which it is sorted, by which its class is drawn.
    pub(crate) fn next(&mut self) -> (u64, u64) {
        (self.0.next_u64(), self.0.next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_of_a_row_do_not_hang_on_where_reading_began() {
        let mut all = RowBits::from_row([7; 32], 0);
        let bits: Vec<_> = (0..100).map(|_| all.next()).collect();
        for start in [1, 15, 16, 17, 63, 99] {
            assert_eq!(RowBits::from_row([7; 32], start).next(), bits[start as usize]);
        }
        assert_ne!(RowBits::from_row([8; 32], 0).next(), bits[0], "another key, other bits");
    }
}
