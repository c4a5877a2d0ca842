//! Pseudonyms of digits: FF1 of NIST SP 800-38G (2016), algorithm 7, for radix 10, AES-256 and no tweak.

use aes::Aes256;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};

/// Whether a text can be a pseudonym of digits.
pub(super) fn is_pseudonym(text: &str) -> bool {
    (6..=56).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The pseudonym of a text of 6 to 56 digits; nothing for other texts.
pub(super) fn pseudonym(key: &[u8; 32], text: &str) -> Option<String> {
    if !is_pseudonym(text) {
        return None;
    }
    let cipher = Aes256::new(&Array(*key));
    let mut x: Vec<u8> = text.bytes().map(|digit| digit - b'0').collect();
    let n = x.len();
    let (u, v) = (n / 2, n - n / 2);
    let mut b_part = x.split_off(u);
    let mut a_part = x;
    // b bytes hold every number of v digits, and d bytes are taken of the round function.
    let b = (1..).find(|&bytes| num(&vec![9; v]) < 1 << (8 * bytes))?;
    let d = 4 * usize::div_ceil(b, 4) + 4;
    let [.., n1, n0] = n.to_be_bytes();
    let p = [1, 2, 1, 0, 0, 10, 10, u8::try_from(u).ok()?, 0, 0, n1, n0, 0, 0, 0, 0];
    for i in 0..10 {
        let mut q = vec![0; (16 - (b + 1) % 16) % 16];
        q.push(i);
        q.extend_from_slice(&num(&b_part).to_be_bytes()[16 - b..]);
        let r = prf(&cipher, &[p.as_slice(), &q].concat());
        let y = r[..d].iter().fold(0, |y, byte| y << 8 | u128::from(*byte));
        let m = if i % 2 == 0 { u } else { v };
        let c = str_of(num(&a_part).checked_add(y % 10u128.pow(u32::try_from(m).ok()?))?, m);
        (a_part, b_part) = (b_part, c);
    }
    Some(a_part.into_iter().chain(b_part).map(|digit| char::from(b'0' + digit)).collect())
}

/// The number that digits stand for.
fn num(digits: &[u8]) -> u128 {
    digits.iter().fold(0, |number, digit| 10 * number + u128::from(*digit))
}

/// The last m digits of a number.
fn str_of(mut number: u128, m: usize) -> Vec<u8> {
    let mut digits = vec![0; m];
    for digit in digits.iter_mut().rev() {
        *digit = u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
    digits
}

/// The last block of CBC with a first block of zeros.
fn prf(cipher: &Aes256, blocks: &[u8]) -> [u8; 16] {
    blocks.chunks(16).fold([0; 16], |last, block| {
        let mut next: aes::Block = Array(std::array::from_fn(|at| last[at] ^ block[at]));
        cipher.encrypt_block(&mut next);
        next.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_of_nist_is_met() {
        // FF1samples.pdf, sample 7: AES-256, radix 10, no tweak.
        let hex = "2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94";
        let key = std::array::from_fn(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hexadecimal"));
        assert_eq!(pseudonym(&key, "0123456789").as_deref(), Some("6657667009"));
        assert_eq!(pseudonym(&key, "12345"), None);
    }

    /// Computed by the steps of the publication in Python, with AES of its `cryptography`.
    #[test]
    fn texts_of_each_length_have_the_pseudonyms_of_the_algorithm() {
        let hex = "2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94";
        let key = std::array::from_fn(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hexadecimal"));
        let nines = "9".repeat(55);
        for (text, expected) in [
            ("000000", "515643"),
            ("999999", "334546"),
            ("1234567", "4675887"),
            ("12345678901", "33177665353"),
            ("0000000000000000000", "4457941973178053397"),
            ("98765432109876543210987654321", "01117106008467918122832425561"),
            (&nines, "0238536302717122608315892041363700014295890587294438162"),
            (
                "01234567890123456789012345678901234567890123456789012345",
                "96686353300555004623539252207451945060220087287825395475",
            ),
        ] {
            assert_eq!(pseudonym(&key, text).as_deref(), Some(expected), "{text}");
            assert!(is_pseudonym(text), "{text}");
        }
        let long = "1".repeat(57);
        for text in ["", "12345", "12345a", "a12345", "abcdef", "-12345", "１23456", "123 456", &long] {
            assert!(!is_pseudonym(text), "{text}");
            assert_eq!(pseudonym(&key, text), None, "{text}");
        }
    }
}
