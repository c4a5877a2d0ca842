//! Draws from a fixed distribution in constant time: Walker's alias method.
//!
//! Only sums, products and quotients of floating-point numbers are used, which every machine rounds alike; so a seed
//! gives the same table everywhere.

/// A distribution over `0..n`, ready to be drawn from.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    /// For each slot: the part of 2³² that stays, and where the rest goes.
    slots: Vec<(u32, u32)>,
}

impl Alias {
    /// The distribution proportional to the weights, of which at least one is above zero.
    pub(super) fn new(weights: impl IntoIterator<Item = f64>) -> Self {
        let weights: Vec<f64> = weights.into_iter().collect();
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        debug_assert!(mean > 0.0, "a distribution needs a weight above zero");
        let mut left: Vec<f64> = weights.iter().map(|weight| weight / mean).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..left.len()).partition(|&at| left[at] < 1.0);
        let mut slots: Vec<(u32, u32)> = (0..left.len() as u32).map(|at| (u32::MAX, at)).collect();
        while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
            small.pop();
            slots[poor] = ((left[poor] * (1u64 << 32) as f64) as u32, rich as u32);
            left[rich] -= 1.0 - left[poor];
            if left[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        Alias { slots }
    }

    /// The outcome for 64 random bits.
    #[inline]
    pub(super) fn pick(&self, bits: u64) -> u32 {
        let slot = ((bits >> 32) * self.slots.len() as u64) >> 32;
        let (stays, other) = self.slots[slot as usize];
        if (bits as u32) < stays { slot as u32 } else { other }
    }
}

#[cfg(test)]
mod tests {
    use super::Alias;

    #[test]
    fn outcomes_come_as_often_as_their_weights_say() {
        let alias = Alias::new([1.0, 0.0, 5.0, 2.0]);
        let mut counts = [0u32; 4];
        // Evenly spread bits: the first half of each number picks the slot, the second the part of it.
        for slot in 0..4u64 {
            for part in 0..1_000u64 {
                counts[alias.pick((slot << 62) | ((part << 32) / 1_000)) as usize] += 1;
            }
        }
        assert_eq!(counts[1], 0);
        for (count, expected) in [(counts[0], 500), (counts[2], 2_500), (counts[3], 1_000)] {
            assert!(count.abs_diff(expected) <= 2, "{counts:?}");
        }
    }
}
