//! Rows of codes become classes: how many rows each class has, and how many of them have each value.

mod counter;
mod keys;
mod part;
mod part_bytes;
mod tally;

pub(crate) use counter::Counter;
pub(crate) use keys::ClassKeys;
pub(crate) use part::{ClassPart, ClassParts};
pub(crate) use tally::{ValueRows, ValueTally};

/// The number of a class, a tuple or a row at a place of a list. 2³² of them do not fit into memory.
pub(crate) fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_place_is_its_number() {
        for (place, number) in [(0, 0), (1, 1), (70_000, 70_000), (usize::MAX, u32::MAX)] {
            assert_eq!(super::number(place), number);
        }
    }
}
