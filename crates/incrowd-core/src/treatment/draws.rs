//! Numbers drawn at random for treatments, exactly uniform.

/// Gives 64 random bits at a time, all of them independent and uniform.
pub type RandomWords<'a> = &'a mut dyn FnMut() -> u64;

/// A number below a bound above 0, every one with the same probability.
///
/// One word is drawn for bounds up to 2⁶⁴ and two for larger ones. The remainder of a word by the bound alone would
/// prefer small numbers, so the words of the last, incomplete run of remainders are drawn again.
///
/// ```
/// let mut words = [u64::MAX, 17].into_iter();
/// assert_eq!(incrowd_core::drawn_below(10, &mut || words.next().unwrap()), 7);
/// ```
pub fn drawn_below(bound: u128, words: RandomWords<'_>) -> u128 {
    let is_wide = bound > 1 << 64;
    // The largest word, and how many words are in the incomplete run.
    let last = if is_wide { u128::MAX } else { u128::from(u64::MAX) };
    let incomplete = (last % bound + 1) % bound;
    loop {
        let mut drawn = u128::from(words());
        if is_wide {
            drawn = drawn << 64 | u128::from(words());
        }
        if drawn <= last - incomplete {
            return drawn % bound;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_run_is_drawn_again() {
        // 2⁶⁴ = 16 (mod 2⁶⁴ − 16): the last 16 words are refused.
        let bound = u128::from(u64::MAX) - 15;
        let mut words = [u64::MAX, u64::MAX - 15, u64::MAX - 16].into_iter();
        assert_eq!(drawn_below(bound, &mut || words.next().expect("a word")), u128::from(u64::MAX) - 16);
    }

    #[test]
    fn a_bound_that_divides_all_words_refuses_none() {
        for (bound, words, drawn) in [
            (1, vec![u64::MAX], 0),
            (8, vec![u64::MAX], 7),
            (1 << 64, vec![u64::MAX], u128::from(u64::MAX)),
            (1 << 100, vec![u64::MAX, 5], (1 << 100) - (1 << 64) + 5),
        ] {
            let mut words = words.into_iter();
            assert_eq!(drawn_below(bound, &mut || words.next().expect("enough words")), drawn);
            assert_eq!(words.next(), None);
        }
    }

    #[test]
    fn all_numbers_are_drawn_equally_often() {
        let (mut state, mut counts) = (1u64, [0u32; 7]);
        let mut next = || {
            // SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ mixed >> 31
        };
        for _ in 0..70_000 {
            counts[usize::try_from(drawn_below(7, &mut next)).expect("below 7")] += 1;
        }
        // Each count has mean 10000 and a standard deviation of 93.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 470), "{counts:?}");
    }
}
