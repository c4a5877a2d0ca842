//! Keys that are derived from the key of a run, which is in the custodian's record.

use incrowd_core::Treatment;
use sha2::{Digest, Sha256};

/// A key of its own for each purpose, from which the others cannot be told.
pub(crate) fn derived(key: &[u8; 32], purpose: &str) -> [u8; 32] {
    Sha256::digest([key.as_slice(), purpose.as_bytes()].concat()).into()
}

/// The key of the pseudonyms of a column, or of what is drawn for it.
///
/// All columns whose dates are moved by at most the same number of days have one key, so that intervals between them stay.
pub(crate) fn treatment_key(key: &[u8; 32], column: &str, treatment: &Treatment) -> [u8; 32] {
    match treatment {
        Treatment::Shift { days } => derived(&derived(key, "shift"), &days.to_string()),
        treatment if treatment.is_drawn() => derived(&derived(key, "draws"), column),
        _ => derived(&derived(key, "pseudonyms"), column),
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The 32 bytes of 64 hexadecimal digits.
pub(crate) fn unhex(text: &str) -> Option<[u8; 32]> {
    let digits: Vec<u8> = text
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    bytes.try_into().ok().filter(|_| digits.len() == 64)
}
