//! Pseudonyms of digits that are digits of the same length: FF1 with AES-256.
//!
//! Dworkin: Recommendation for Block Cipher Modes of Operation: Methods for Format-Preserving Encryption, NIST SP 800-38G
//! (2016), algorithm 7, for radix 10. A Feistel network of 10 rounds on the two halves of the digits; its round function is the
//! CBC-MAC of AES. It permutes the texts of a length, so different values have different pseudonyms. Fewer than 10⁶ texts could
//! be tried out; the revision of 2025 requires that many.

use std::ops::RangeInclusive;

use aes::Aes256;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};

/// How many digits a value may have: at least 10⁶ values are possible, and a half fits into 128 bits with room for a round.
pub(super) const LENGTHS: RangeInclusive<usize> = 6..=56;

/// The cipher with the key of a column.
#[derive(Clone)]
pub(super) struct DigitCipher(Aes256);

impl DigitCipher {
    pub(super) fn new(key: &[u8; 32]) -> DigitCipher {
        DigitCipher(Aes256::new(&Array(*key)))
    }

    /// The pseudonym of a text of 6 to 56 digits; nothing for any other text. `tweak` is at most 255 bytes that make another
    /// permutation.
    pub(super) fn encrypt(&self, tweak: &[u8], digits: &str) -> Option<String> {
        let length = digits.len();
        if !LENGTHS.contains(&length) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let (left, right) = (length / 2, length - length / 2);
        let (mut a, mut b): (u128, u128) = (digits[..left].parse().ok()?, digits[left..].parse().ok()?);
        // The bytes of a half, and of the number that a round adds.
        let half_bytes = bits_of_digits(right).div_ceil(8);
        let round_bytes = 4 * half_bytes.div_ceil(4) + 4;
        for round in 0..10u8 {
            let mut block = Vec::from([1, 2, 1, 0, 0, 10, 10]);
            block.push(u8::try_from(left % 256).ok()?);
            block.extend(u32::try_from(length).ok()?.to_be_bytes());
            block.extend(u32::try_from(tweak.len()).ok()?.to_be_bytes());
            block.extend(tweak);
            // Zeros up to where the round and the half end a block.
            block.resize((block.len() + 1 + half_bytes).next_multiple_of(16) - 1 - half_bytes, 0);
            block.push(round);
            block.extend(&b.to_be_bytes()[16 - half_bytes..]);
            let mac = self.cbc_mac(&block);
            let added = mac[..round_bytes].iter().fold(0u128, |number, &byte| number << 8 | u128::from(byte));
            let modulus = 10u128.pow(u32::try_from(if round % 2 == 0 { left } else { right }).ok()?);
            let sum = (a + added % modulus) % modulus;
            (a, b) = (b, sum);
        }
        Some(format!("{a:0left$}{b:0right$}"))
    }

    fn cbc_mac(&self, blocks: &[u8]) -> [u8; 16] {
        let mut state = aes::Block::default();
        for block in blocks.chunks_exact(16) {
            state.iter_mut().zip(block).for_each(|(state, byte)| *state ^= byte);
            self.0.encrypt_block(&mut state);
        }
        state.0
    }
}

/// The bits of the numbers of so many digits.
fn bits_of_digits(digits: usize) -> usize {
    let largest = 10u128.pow(u32::try_from(digits).unwrap_or(u32::MAX)) - 1;
    128 - largest.leading_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [
        0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c, 0xef, 0x43,
        0x59, 0xd8, 0xd5, 0x80, 0xaa, 0x4f, 0x7f, 0x03, 0x6d, 0x6f, 0x04, 0xfc, 0x6a, 0x94,
    ];

    #[test]
    fn the_samples_of_nist_are_met() {
        // FF1samples.pdf, samples 7 and 8 (AES-256, radix 10).
        let cipher = DigitCipher::new(&KEY);
        assert_eq!(cipher.encrypt(b"", "0123456789").as_deref(), Some("6657667009"));
        assert_eq!(cipher.encrypt(b"9876543210", "0123456789").as_deref(), Some("1001623463"));
    }

    #[test]
    fn different_values_have_different_pseudonyms_of_their_length() {
        let cipher = DigitCipher::new(&[9; 32]);
        for length in LENGTHS {
            let found: std::collections::BTreeSet<String> =
                (0..50).map(|at| cipher.encrypt(b"", &format!("{at:0length$}")).expect("digits")).collect();
            assert!(found.len() == 50 && found.iter().all(|text| text.len() == length), "{length}");
        }
    }

    #[test]
    fn other_texts_have_no_pseudonym() {
        let cipher = DigitCipher::new(&KEY);
        for text in ["", "12345", "12345a", "-123456", "123 456", "１２３４５６", &"1".repeat(57)] {
            assert_eq!(cipher.encrypt(b"", text), None, "{text}");
        }
    }
}
