//! Products of integers that do not fit 128 bits, for comparing shares of large tables exactly.

/// Whether a·b ≤ c·d.
#[inline]
pub(crate) fn at_most(a: u128, b: u128, c: u128, d: u128) -> bool {
    match (a.checked_mul(b), c.checked_mul(d)) {
        (Some(left), Some(right)) => left <= right,
        _ => product(a, b) <= product(c, d),
    }
}

/// a·b as its upper and its lower 128 bits.
fn product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (above, below) = (a >> 64, a & LOW);
    let (over, under) = (b >> 64, b & LOW);
    let low = below * under;
    // Neither sum can leave 128 bits: each product is at most (2⁶⁴ − 1)², and what is added is below 2⁶⁴.
    let middle = above * under + (low >> 64);
    let second = below * over + (middle & LOW);
    (above * over + (middle >> 64) + (second >> 64), second << 64 | low & LOW)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn wide_products_are_compared_as_small_ones_are(a in any::<u64>(), b in any::<u64>(), c in any::<u64>(), d in any::<u64>()) {
            let [a, b, c, d] = [a, b, c, d].map(u128::from);
            prop_assert_eq!(product(a, b), (0, a * b));
            // Two to the power of 120 on both sides changes nothing.
            prop_assert_eq!(at_most(a << 60, b << 60, c << 60, d << 60), a * b <= c * d);
            prop_assert!(at_most(a << 60, b << 60, b << 60, a << 60));
        }
    }

    #[test]
    fn the_largest_product_is_exact() {
        assert_eq!(product(u128::MAX, u128::MAX), (u128::MAX - 1, 1));
        assert!(!at_most(u128::MAX, u128::MAX, u128::MAX, u128::MAX - 1));
    }
}
