//! Numbers that go from a wider type into a narrower one.

/// A code, a tuple, a class or a shard as a number of 32 bits. Tables with more of them are refused before.
///
/// # Panics
/// If there are more all the same: a number that was cut off would name another tuple or class.
#[track_caller]
pub(crate) fn number32(number: usize) -> u32 {
    u32::try_from(number).expect("tables with 2³² codes, tuples or classes are refused")
}

/// Bytes or entries to make room for; on a machine of 32 bits, as many as can be.
pub(crate) fn capacity(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}
