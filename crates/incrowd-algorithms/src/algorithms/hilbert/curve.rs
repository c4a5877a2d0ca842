//! The place of a point on a Hilbert curve of any number of dimensions.
//!
//! Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004: coordinates are changed in place
//! into the *transpose* of the index, whose bits, dealt out to the coordinates in turn, are read row by row.

/// Changes coordinates of `bits` bits into the transpose of their index.
fn transpose(point: &mut [u32], bits: u32) {
    let Some(last) = point.len().checked_sub(1) else { return };
    for bit in (1..bits).rev() {
        let (one, below) = (1 << bit, (1 << bit) - 1);
        for at in 0..=last {
            if point[at] & one != 0 {
                point[0] ^= below;
            } else {
                let swapped = (point[0] ^ point[at]) & below;
                point[0] ^= swapped;
                point[at] ^= swapped;
            }
        }
    }
    // Gray code.
    for at in 1..=last {
        point[at] ^= point[at - 1];
    }
    let flips = (1..bits).filter(|bit| point[last] & (1 << bit) != 0).fold(0, |flips, bit| flips ^ ((1 << bit) - 1));
    point.iter_mut().for_each(|coordinate| *coordinate ^= flips);
}

/// How many words an index has.
pub(super) fn words(dimensions: usize, bits: u32) -> usize {
    (dimensions * bits as usize).div_ceil(64)
}

/// The index of a point on the curve, in words of which the first counts most. The point is used up.
pub(super) fn index(point: &mut [u32], bits: u32, index: &mut [u64]) {
    transpose(point, bits);
    index.fill(0);
    let ones = (0..bits).rev().flat_map(|bit| point.iter().map(move |coordinate| u64::from(coordinate >> bit & 1)));
    // The last bit of the index is the last bit of the last word.
    let skipped = index.len() * 64 - point.len() * bits as usize;
    for (at, one) in (skipped..).zip(ones) {
        index[at / 64] |= one << (63 - at % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::numbers::{to_u32, unpair};

    /// All points of a cube in the order of the curve.
    fn walk(dimensions: usize, bits: u32) -> Vec<(u64, Vec<u32>)> {
        let points = 1u64 << (to_u32(dimensions) * bits);
        let point = |number: u64| -> Vec<u32> {
            (0..to_u32(dimensions)).map(|at| unpair(number >> (at * bits)).1 & ((1 << bits) - 1)).collect()
        };
        let mut walk: Vec<(u64, Vec<u32>)> = (0..points)
            .map(|number| {
                let mut place = vec![0; words(dimensions, bits)];
                index(&mut point(number), bits, &mut place);
                (place[0], point(number))
            })
            .collect();
        walk.sort();
        walk
    }

    #[test]
    fn the_curve_visits_every_point_once_and_goes_one_step_at_a_time() {
        for (dimensions, bits) in [(1, 5), (2, 1), (2, 5), (3, 4), (4, 3), (6, 2), (12, 1)] {
            let walk = walk(dimensions, bits);
            assert!(walk.iter().map(|step| step.0).eq(0..walk.len() as u64), "{dimensions} dimensions, {bits} bits");
            for pair in walk.windows(2) {
                let steps: u32 = pair[0].1.iter().zip(&pair[1].1).map(|(a, b)| a.abs_diff(*b)).sum();
                assert_eq!(steps, 1, "{dimensions} dimensions, {bits} bits");
            }
        }
    }

    #[test]
    fn an_index_of_several_words_orders_as_its_leading_bits_do() {
        let place = |x: u32, y: u32| {
            let mut place = vec![0; words(20, 8)];
            let mut point = [[x, y].as_slice(), &[0; 18]].concat();
            index(&mut point, 8, &mut place);
            place
        };
        assert_eq!((words(20, 8), place(0, 0)), (3, vec![0, 0, 0]));
        assert!(place(0, 1) < place(255, 255) && place(1, 0) < place(0, 255));
    }
}
