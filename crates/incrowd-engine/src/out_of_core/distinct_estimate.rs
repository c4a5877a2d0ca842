//! How many distinct keys there are, without holding them: HyperLogLog.
//!
//! P. Flajolet, É. Fusy, O. Gandouet and F. Meunier, "HyperLogLog: the analysis of a near-optimal cardinality
//! estimation algorithm", AofA 2007, with 4,096 registers (a standard error of 1.6 %) and its correction for small
//! counts. A hash has 64 bits, so none is needed for large ones.

/// The upper bits of a hash name a register.
const BITS: u32 = 12;

/// An estimate of how many distinct keys were added.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    registers: Vec<u8>,
}

impl Default for Sketch {
    fn default() -> Self {
        Sketch { registers: vec![0; 1 << BITS] }
    }
}

impl Sketch {
    /// Adds a key.
    #[inline]
    pub(crate) fn add(&mut self, key: &[u64]) {
        let hash = key.iter().fold(0x9E37_79B9_7F4A_7C15, |hash, &word| mixed(hash ^ word));
        let register = &mut self.registers[(hash >> (64 - BITS)) as usize];
        *register = (*register).max((hash << BITS | 1 << (BITS - 1)).leading_zeros() as u8 + 1);
    }

    /// What it holds, as bytes.
    #[cfg(feature = "cluster")]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.registers
    }

    /// The sketch of these bytes; an empty one if there are none.
    #[cfg(feature = "cluster")]
    pub(crate) fn of_bytes(registers: Vec<u8>) -> Option<Sketch> {
        match registers.len() {
            0 => Some(Sketch::default()),
            bytes => (bytes == 1 << BITS).then_some(Sketch { registers }),
        }
    }

    /// Takes over what another one met.
    pub(crate) fn merge(&mut self, other: &Sketch) {
        self.registers.iter_mut().zip(&other.registers).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
    }

    /// About how many distinct keys were added.
    pub(crate) fn estimate(&self) -> u64 {
        let count = self.registers.len() as f64;
        let sum: f64 = self.registers.iter().map(|&register| (-f64::from(register)).exp2()).sum();
        let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
        let empty = self.registers.iter().filter(|register| **register == 0).count();
        let estimate = if raw <= 2.5 * count && empty > 0 { count * (count / empty as f64).ln() } else { raw };
        estimate.round() as u64
    }
}

/// The finalizer of SplitMix64: every bit of the key reaches every bit of the hash.
#[inline]
pub(crate) fn mixed(mut word: u64) -> u64 {
    word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_keys_are_estimated_within_five_standard_errors() {
        for count in [0u64, 1, 100, 5_000, 20_000, 1_000_000] {
            let (mut one, mut other) = (Sketch::default(), Sketch::default());
            for key in 0..count {
                one.add(&[key << 20, key % 3]);
                one.add(&[key << 20, key % 3]);
                other.add(&[(key / 2) << 20, key / 2 % 3]);
            }
            one.merge(&other);
            let estimate = one.estimate();
            assert!(estimate.abs_diff(count) as f64 <= 0.08 * count as f64, "{estimate} for {count}");
        }
    }
}
