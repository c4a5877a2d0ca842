//! Conversions between the widths of counts and numbers, none of which loses digits unnoticed.

/// A count or a number in 32 bits, the width in which long lists hold them.
///
/// # Panics
/// From 2³² on. The tuples, points, records and cells of a table are fewer: their lists would take more memory than there
/// is.
#[inline]
#[allow(clippy::expect_used)]
pub(crate) fn to_u32(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2³² tuples, points, records and cells")
}

/// A number of rows, classes or bytes as the length of a list; the largest there is beyond that.
#[inline]
pub(crate) fn to_usize(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// The whole part of a number; 0 below 0, and the largest there is beyond that.
#[inline]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn whole_part(number: f64) -> u64 {
    // This conversion saturates.
    number as u64
}

/// The share of a number that a part of a whole has, rounded down.
pub(crate) fn share(number: u64, part: u64, whole: u64) -> u64 {
    let share = u128::from(number) * u128::from(part) / u128::from(whole.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}

/// Two numbers as one that is ordered by the first, then by the second.
#[inline]
pub(crate) fn pair(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// The numbers of a [`pair`].
#[inline]
pub(crate) fn unpair(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, (pair & 0xffff_ffff) as u32)
}

/// The bits of a number in an order of their own: the smaller number has the smaller bits.
pub(crate) fn ordered(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The number of [`ordered`] bits.
pub(crate) fn from_ordered(bits: u64) -> f64 {
    f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_bits_is_that_of_numbers() {
        let numbers = [-7.5, -1e-9, 0.0, 1e-9, 3.0, f64::INFINITY];
        assert!(numbers.map(ordered).is_sorted());
        assert_eq!(numbers.map(|number| from_ordered(ordered(number))), numbers);
    }

    #[test]
    fn pairs_are_ordered_by_the_first_number_and_come_apart_again() {
        let numbers = [(0, 0), (0, u32::MAX), (1, 0), (u32::MAX, 7)];
        let pairs = numbers.map(|(first, second)| pair(first, second));
        assert!(pairs.is_sorted());
        assert_eq!(pairs.map(unpair), numbers);
    }

    #[test]
    fn whole_parts_saturate() {
        assert_eq!([-1.0, 2.9, f64::INFINITY].map(whole_part), [0, 2, u64::MAX]);
    }
}
