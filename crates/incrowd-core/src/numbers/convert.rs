//! Conversions between numbers of different widths, each named by what happens to a number that does not fit.

/// An index as a 32-bit number. Codes, leaves, nodes and classes are numbered with 32 bits, and what reads or makes them
/// refuses more.
///
/// # Panics
/// If there are more.
pub(crate) fn to_u32(index: usize) -> u32 {
    u32::try_from(index).expect("codes, leaves, nodes and classes are numbered with 32 bits")
}

/// A count as a length in memory; a larger one is as long as can be.
pub(crate) fn to_usize(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// A quotient of products as a count; a larger one is the largest count.
pub(crate) fn to_u64(count: u128) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// A number without its fraction, as a count: 0 when it is negative, the largest count when it is larger.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn whole_part(number: f64) -> u64 {
    number as u64
}

/// The same with twice the width.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn wide_whole_part(number: f64) -> u128 {
    number as u128
}
