//! Delta encodings (DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY), as far as sizes go.
//!
//! A few bytes can declare billions of lengths, and a prefix of a megabyte can be repeated by each value. Both are
//! added up here before a reader unpacks them.

/// Numbers that are unpacked by sum: how many there are, their sum, and the bytes behind them.
pub(super) struct Packed<'a> {
    pub(super) count: u64,
    /// The sum of the numbers, if it was requested; the largest number where one is negative.
    pub(super) sum: u64,
    pub(super) rest: &'a [u8],
}

/// Whether the numbers themselves matter. Adding them up takes longer than passing over them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Count,
    Sum,
}

/// Walks over a block of packed numbers of which there may be at most this many.
pub(super) fn packed(bytes: &[u8], most: u64, wanted: Wanted) -> Option<Packed<'_>> {
    let mut rest = bytes;
    let block = varint(&mut rest)?;
    let minis = varint(&mut rest)?;
    let count = varint(&mut rest)?;
    let first = zigzag(&mut rest)?;
    let sane = block > 0 && block <= 1 << 24 && block % 128 == 0 && minis > 0 && block % minis == 0;
    if !sane || block / minis % 32 != 0 || count > most {
        return None;
    }
    let per_mini = block / minis;
    let (mut sum, mut last) = (if count > 0 { u64::try_from(first).ok() } else { Some(0) }, first);
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let least = zigzag(&mut rest)?;
        let widths = rest.split_at_checked(usize::try_from(minis).ok()?)?;
        rest = widths.1;
        for &width in widths.0 {
            if left == 0 {
                break;
            }
            if width > 64 {
                return None;
            }
            let bytes = usize::try_from(per_mini * u64::from(width) / 8).ok()?;
            // The last block may be cut where its numbers end.
            let (values, behind) = rest.split_at_checked(bytes).unwrap_or((rest, &[]));
            rest = behind;
            let here = left.min(per_mini);
            for at in 0..if wanted == Wanted::Sum { here } else { 0 } {
                last = last.wrapping_add(least).wrapping_add(bits(values, at, width)? as i64);
                sum = sum.zip(u64::try_from(last).ok()).and_then(|(sum, last)| sum.checked_add(last));
            }
            left -= here;
        }
    }
    Some(Packed { count, sum: sum.unwrap_or(u64::MAX), rest })
}

/// The number of this many bits at this place.
fn bits(bytes: &[u8], at: u64, width: u8) -> Option<u64> {
    if width == 0 {
        return Some(0);
    }
    let from = at * u64::from(width);
    let (start, shift) = (usize::try_from(from / 8).ok()?, from % 8);
    let end = usize::try_from((from + u64::from(width)).div_ceil(8)).ok()?;
    let word = bytes.get(start..end)?.iter().rev().fold(0u128, |word, &byte| word << 8 | u128::from(byte));
    Some((word >> shift) as u64 & (u64::MAX >> (64 - u32::from(width))))
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 127) << shift;
        if first < 128 {
            return Some(number);
        }
    }
    None
}

fn zigzag(bytes: &mut &[u8]) -> Option<i64> {
    let number = varint(bytes)?;
    Some((number >> 1) as i64 ^ -((number & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_numbers_are_added_up() {
        // Blocks of 128 in 4 parts, 5 numbers from 1 on, each 1 more: 1 + 2 + 3 + 4 + 5.
        let bytes = [128, 1, 4, 5, 2, 2, 0, 0, 0, 0, 77];
        let numbers = packed(&bytes, 5, Wanted::Sum).expect("numbers");
        assert_eq!((numbers.count, numbers.sum, numbers.rest), (5, 15, &[77][..]));
        assert!(packed(&bytes, 4, Wanted::Count).is_none(), "more than there may be");
    }

    #[test]
    fn numbers_of_some_bits_are_cut_out() {
        assert_eq!([0, 1, 2].map(|at| bits(&[0b1101_0010, 0b1], at, 3)), [Some(2), Some(2), Some(7)]);
        assert_eq!(bits(&[1], 3, 3), None);
    }
}
