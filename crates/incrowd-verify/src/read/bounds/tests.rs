//! Bounds of memory: how each grows with what is allowed, between its least and its most.

use super::*;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

#[test]
fn each_bound_is_a_part_of_the_memory_between_its_least_and_its_most() {
    for (memory, line, about, page, piece) in [
        (None, 16 * MIB, 64 * MIB, 256 * MIB, u64::MAX),
        (Some(0), MIB, 512 * KIB, 4 * MIB, 8 * MIB),
        (Some(16 * MIB), MIB, 512 * KIB, 4 * MIB, 8 * MIB),
        (Some(64 * MIB), 4 * MIB, MIB, 8 * MIB, 32 * MIB),
        (Some(64 * MIB + 63), 4 * MIB + 3, MIB, 8 * MIB + 7, 32 * MIB + 31),
        (Some(u64::MAX), 16 * MIB, 64 * MIB, 256 * MIB, u64::MAX / 2),
    ] {
        let expected = MemoryBounds { line, header: 4 * MIB, columns: 16_384, about, page, piece };
        assert_eq!(MemoryBounds::new(memory), expected, "{memory:?}");
    }
}

#[test]
fn the_more_columns_there_are_the_fewer_rows_are_put_together() {
    for (columns, most, rows) in [
        (0, usize::MAX, 1 << 22),
        (1, usize::MAX, 1 << 22),
        (0, 1 << 16, 1 << 16),
        (63, 1 << 16, 1 << 16),
        (256, 1 << 16, 16_384),
        (300, 1 << 16, 13_981),
        (1 << 14, 1 << 15, 256),
        (1 << 16, 1 << 15, 64),
        (1 << 20, 1 << 15, 64),
    ] {
        assert_eq!(MemoryBounds::rows(columns, most), rows, "{columns} columns, at most {most}");
    }
}

#[test]
fn a_refusal_says_what_is_too_large() {
    let ReadError::Unreadable(why) = beyond("a page") else { panic!("nobody has cancelled") };
    assert_eq!(why, "a page needs more memory than allowed");
}
