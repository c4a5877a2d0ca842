//! Keys that are derived from the key of a run, which is in the custodian's record.

use incrowd_core::Treatment;
use sha2::{Digest, Sha256};

/// A key of its own for each purpose, from which the others cannot be told.
pub(crate) fn derived(key: &[u8; 32], purpose: &str) -> [u8; 32] {
    Sha256::digest([key.as_slice(), purpose.as_bytes()].concat()).into()
}

/// The key of a run, and the one that several tables share.
#[derive(Clone, Copy)]
pub(crate) struct RunKeys {
    /// The key of the run; each of several tables has its own.
    pub(crate) own: [u8; 32],
    /// What all tables derive from it is the same for the same person. Nothing for a release of one table.
    pub(crate) linked: Option<[u8; 32]>,
}

impl RunKeys {
    /// The key that people are told apart by.
    pub(crate) fn people(&self) -> [u8; 32] {
        derived(&self.linked.unwrap_or(self.own), "people")
    }

    /// The key of the pseudonyms of a column, or of what is drawn for it.
    ///
    /// All columns whose dates are moved by at most the same number of days have one key, so that intervals between them
    /// stay. In several tables these columns and the subjects have the same keys, whatever their names are.
    pub(crate) fn treatment(&self, column: &str, is_subject: bool, treatment: &Treatment) -> [u8; 32] {
        let shared = self.linked.unwrap_or(self.own);
        match treatment {
            Treatment::Shift { days } => derived(&derived(&shared, "shift"), &days.to_string()),
            treatment if treatment.is_drawn() => derived(&derived(&self.own, "draws"), column),
            _ if is_subject && self.linked.is_some() => derived(&shared, "linked pseudonyms"),
            _ => derived(&derived(&self.own, "pseudonyms"), column),
        }
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
