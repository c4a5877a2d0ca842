//! Sums of numbers that are packed by their differences.

use super::*;

fn unsigned(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Numbers as the format packs them: in blocks of parts, each part with as many bits as it needs. A part that has no
/// numbers says that it has 7 bits, and has no bytes.
fn packed(block: usize, parts: usize, numbers: &[i64]) -> Vec<u8> {
    let first = numbers.first().copied().unwrap_or(5);
    let head = [block as u64, parts as u64, numbers.len() as u64].map(unsigned).concat();
    let mut bytes = [head, zigzagged(first)].concat();
    let steps: Vec<i64> = numbers.windows(2).map(|two| two[1].wrapping_sub(two[0])).collect();
    for steps in steps.chunks(block) {
        let least = steps.iter().copied().min().unwrap_or_default();
        bytes.extend(zigzagged(least));
        let more: Vec<u64> = steps.iter().map(|step| step.wrapping_sub(least).cast_unsigned()).collect();
        let widths: Vec<u32> = more
            .chunks(block / parts)
            .map(|part| part.iter().map(|more| 64 - more.leading_zeros()).max().unwrap_or(0))
            .collect();
        bytes.extend(widths.iter().map(|width| *width as u8));
        bytes.extend(vec![7; parts - widths.len()]);
        for (part, width) in more.chunks(block / parts).zip(&widths) {
            let bit = |at: usize| {
                let (number, place) = (at / *width as usize, at % *width as usize);
                u8::from(part.get(number).is_some_and(|more| more >> place & 1 == 1))
            };
            let size = block / parts * *width as usize / 8;
            bytes.extend((0..size).map(|byte| (0..8).fold(0, |bits, place| bits | bit(byte * 8 + place) << place)));
        }
    }
    bytes
}

/// The sum of packed numbers, and how many bytes follow them.
fn sum(bytes: &[u8], most: u64, wanted: bool) -> Option<(u64, usize)> {
    let mut rest = bytes;
    packed_sum(&mut rest, most, wanted).map(|sum| (sum, rest.len()))
}

#[test]
fn packed_numbers_are_summed_and_passed_over() {
    let growing = |count: i64| (0..count).map(|at| at * at % 97 + 3 * at).collect::<Vec<i64>>();
    let mut lists: Vec<Vec<i64>> = [0, 1, 2, 32, 33, 34, 65, 128, 129, 130, 200, 257].map(growing).to_vec();
    lists.extend([vec![7; 40], vec![1 << 40, 0, 5, 1 << 50], vec![0, 1, 0, 1, 0], vec![300, 200, 100, 0]]);
    for (block, parts) in [(128, 4), (32, 1), (64, 1), (256, 2), (96, 3)] {
        for numbers in &lists {
            let count = numbers.len() as u64;
            let of = |more: &[u8]| [&packed(block, parts, numbers), more].concat();
            let expected = numbers.iter().sum::<i64>().cast_unsigned();
            let name = format!("{count} numbers in blocks of {block} in {parts} parts");
            assert_eq!(sum(&of(&[1, 2, 3]), count, true), Some((expected, 3)), "{name}");
            assert_eq!(sum(&of(&[]), count + 1, true), Some((expected, 0)), "{name}");
            assert_eq!(sum(&of(&[1, 2, 3]), count, false), Some((4 * count, 3)), "{name}");
            assert_eq!(count.checked_sub(1).and_then(|most| sum(&of(&[]), most, true)), None, "{name}");
        }
    }
}

#[test]
fn a_length_below_zero_is_as_bad_as_one_beyond_all_bounds() {
    for numbers in [&[-1][..], &[5, -1], &[5, -1, 7], &[0, i64::MAX, -1], &[i64::MAX, i64::MAX, 2]] {
        let count = numbers.len() as u64;
        assert_eq!(sum(&packed(128, 4, numbers), count, true), Some((u64::MAX, 0)), "{numbers:?}");
    }
    // A difference of all 64 bits.
    let wide = packed(32, 1, &[0, i64::MAX, 0, 0]);
    assert_eq!(sum(&wide, 4, true), Some((i64::MAX as u64, 0)));
    assert_eq!(sum(&wide, 4, false), Some((16, 0)));
    // And one of more bits than there are.
    let mut wider = wide.clone();
    let width = wider.iter().rposition(|byte| *byte == 64).expect("the width");
    wider[width] = 65;
    assert_eq!((sum(&wider, 4, true), sum(&wider, 4, false)), (None, None));
}

#[test]
fn blocks_that_the_format_does_not_know_are_refused() {
    for (block, parts, is_known) in [
        (128u64, 4u64, true),
        (32, 1, true),
        (1 << 24, 4, true),
        ((1 << 24) + 128, 4, false),
        (128, 0, false),
        (0, 4, false),
        (0, 0, false),
        (128, 8, false),
        (130, 4, false),
        (16, 1, false),
        (48, 1, false),
        (4, 128, false),
        (u64::MAX, 1, false),
    ] {
        let bytes = [unsigned(block), unsigned(parts), vec![1, 10]].concat();
        assert_eq!(sum(&bytes, 1, true), is_known.then_some((5, 0)), "{block} in {parts} parts");
    }
}

#[test]
fn packed_numbers_that_are_cut_off_are_refused() {
    // Each number of the only part is read to its last bit.
    let numbers: Vec<i64> = (0..33).map(|at| at * at).collect();
    let bytes = packed(32, 1, &numbers);
    for end in 0..bytes.len() {
        assert_eq!(sum(&bytes[..end], 33, true), None, "{end} of {} bytes", bytes.len());
    }
    // Without a sum the last part may be shorter, but not what stands before it.
    let (head, widths) = (4, 2);
    for end in 0..head + widths {
        assert_eq!(sum(&bytes[..end], 33, false), None, "{end} of {} bytes", bytes.len());
    }
    assert_eq!(sum(&bytes[..head + widths], 33, false), Some((132, 0)));
}
