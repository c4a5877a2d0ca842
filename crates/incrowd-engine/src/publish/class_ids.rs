//! What classes are called where a release distinguishes them by a number.
//!
//! A number that follows the order in which classes were found follows the input or the quasi-identifiers, and says
//! something about both. So numbers are dealt out by a shuffle of 1, 2, … with the key of the run.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::runtime::narrow::number32;

/// The stream that belongs to class ids.
const STREAM: u64 = u64::from_le_bytes(*b"class id");

/// The numbers of this many classes: each of 1, 2, … once, every order equally likely.
///
/// (Multiplying 64 random bits by n and taking the upper half favours none by more than n · 2⁻⁶⁴.)
pub(crate) fn class_ids(key: [u8; 32], classes: usize) -> Vec<u32> {
    let mut stream = ChaCha20Rng::from_seed(key);
    stream.set_stream(STREAM);
    let mut ids: Vec<u32> = (1..=number32(classes)).collect();
    for last in (1..classes).rev() {
        let drawn = (u128::from(stream.next_u64()) * (last as u128 + 1)) >> 64;
        ids.swap(last, drawn as usize);
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_dealt_out_once_and_another_key_deals_otherwise() {
        let ids = class_ids([3; 32], 1000);
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (1..=1000).collect::<Vec<u32>>());
        assert_ne!(ids, sorted);
        assert_ne!(ids, class_ids([4; 32], 1000));
        assert_eq!(ids, class_ids([3; 32], 1000));
    }

    #[test]
    fn every_order_of_three_is_equally_likely() {
        let mut met = std::collections::BTreeMap::new();
        for key in 0..6000u32 {
            let mut bytes = [0; 32];
            bytes[..4].copy_from_slice(&key.to_le_bytes());
            *met.entry(class_ids(bytes, 3)).or_insert(0u32) += 1;
        }
        assert_eq!(met.len(), 6);
        // A thousand each, with a deviation of 29.
        assert!(met.values().all(|met| met.abs_diff(1000) < 150), "{met:?}");
    }
}
