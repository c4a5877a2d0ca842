//! Where a run's chance comes from: the operating system, or a seed that makes the run repeatable (trust 4).
//!
//! Whoever learns a seed can replay the shuffle, so it is kept in the custodian's record and never published. Nothing that
//! is published may be a function of it either: seeds are small numbers, and a guess could be held against it.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// The key that everything random in a run is derived from.
pub(super) struct Randomness {
    key: [u8; 32],
    seed: Option<u64>,
    release: [u8; 16],
}

/// How a run can be repeated. Internal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomnessRecord {
    /// The seed that was given, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The key of the run, in hexadecimal digits.
    pub key: String,
}

impl Randomness {
    pub(super) fn new(seed: Option<u64>) -> Result<Randomness> {
        let mut key = [0; 32];
        match seed {
            Some(seed) => key = Sha256::digest([b"incrowd seed ".as_slice(), &seed.to_le_bytes()].concat()).into(),
            None => getrandom::fill(&mut key).map_err(|_| Error::NoRandomness)?,
        }
        let mut release = [0; 16];
        getrandom::fill(&mut release).map_err(|_| Error::NoRandomness)?;
        Ok(Randomness { key, seed, release })
    }

    /// A key of its own for each purpose, from which the others cannot be told.
    fn derived(&self, purpose: &str) -> [u8; 32] {
        Sha256::digest([self.key.as_slice(), purpose.as_bytes()].concat()).into()
    }

    pub(super) fn shuffle_key(&self) -> [u8; 32] {
        self.derived("shuffle")
    }

    pub(super) fn solver_seed(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.derived("solver");
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    pub(super) fn person_key(&self) -> [u64; 4] {
        let key = self.derived("people");
        std::array::from_fn(|word| key[8 * word..][..8].iter().fold(0, |key, &byte| key << 8 | u64::from(byte)))
    }

    /// The key of the input's fingerprint: without the custodian's record nobody can try tables against it.
    pub(super) fn fingerprint_key(&self) -> [u8; 32] {
        self.derived("fingerprint")
    }

    /// A name that no other release has, from the operating system also when a seed is given.
    pub(super) fn release_id(&self) -> String {
        hex(&self.release)
    }

    pub(super) fn record(&self) -> RandomnessRecord {
        RandomnessRecord { seed: self.seed, key: hex(&self.key) }
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_a_run_and_without_one_no_run_is_repeated() {
        let [a, b] = [7, 7].map(|seed| Randomness::new(Some(seed)).expect("seeded").shuffle_key());
        assert_eq!(a, b);
        let [a, b] = [7, 7].map(|seed| Randomness::new(Some(seed)).expect("seeded").release_id());
        assert_ne!(a, b, "what is published does not hang on the seed");
        let [a, b] = [None, None].map(|seed| Randomness::new(seed).expect("the system's").shuffle_key());
        assert_ne!(a, b);
    }
}
