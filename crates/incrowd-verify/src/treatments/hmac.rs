//! Pseudonyms, from RFC 2104 (HMAC) and RFC 4648 (base 32), on SHA-256.

use sha2::{Digest, Sha256};

/// The bytes of a block of SHA-256.
const BLOCK: usize = 64;

/// SHA-256((key ⊕ opad) ‖ SHA-256((key ⊕ ipad) ‖ text)), for keys of at most a block.
pub(super) fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let padded = |pad: u8| {
        let mut block = [pad; BLOCK];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let inner = Sha256::digest([&padded(0x36), text].concat());
    Sha256::digest([&padded(0x5c), inner.as_slice()].concat()).into()
}

/// `p` and the first 128 bits of the HMAC in base 32, without padding.
pub(super) fn pseudonym(key: &[u8; 32], text: &str) -> String {
    const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut letters = String::from("p");
    let (mut bits, mut held) = (0u32, 0u32);
    for byte in &hmac(key, text.as_bytes())[..16] {
        bits = bits << 8 | u32::from(*byte);
        held += 8;
        while held >= 5 {
            held -= 5;
            letters.push(char::from(ALPHABET[(bits >> held & 31) as usize]));
        }
    }
    // 3 bits are left; two zeros complete the last letter.
    letters.push(char::from(ALPHABET[(bits << (5 - held) & 31) as usize]));
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hmac_is_that_of_rfc_4231() {
        let shown = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(
            shown(hmac(&[0x0b; 20], b"Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            shown(hmac(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn a_pseudonym_has_27_characters_and_follows_from_key_and_text() {
        let [a, b, c] = [([1; 32], "x"), ([1; 32], "y"), ([2; 32], "x")].map(|(key, text)| pseudonym(&key, text));
        assert_eq!(a.len(), 27);
        assert_eq!(a, pseudonym(&[1; 32], "x"));
        assert!(a != b && a != c);
    }

    /// Computed with Python's `hmac` and `base64`.
    #[test]
    fn a_pseudonym_is_the_hmac_in_base_32() {
        let long = "x".repeat(200);
        for (text, expected) in [
            ("", "ptwwgu5cadndo3g2ituhbtvundm"),
            ("Anna", "pz4qufcaolsfepggjxz5tlrnrcu"),
            ("Bert", "pcjiqttqujbhaei6mdmmsnnstsa"),
            ("Änne", "pj7tr2ydoqjsxgvne6kudy7gbse"),
            (&long, "pzkehxy34jjehj5h6r6xj2umdui"),
        ] {
            assert_eq!(pseudonym(&[7; 32], text), expected, "{text}");
        }
    }
}
