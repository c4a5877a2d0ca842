//! The least sum of squares over all partitions of a few records, by trying all of them.

use super::sum_of_squares;

/// The least sum of squares of any partition into groups of at least k records, or of all records as one group when there
/// are too few.
pub(super) fn least_sum(columns: &[Vec<f64>], k: usize) -> f64 {
    let count = columns[0].len();
    if count < 2 * k {
        return sum_of_squares(columns, &vec![0; count]);
    }
    let mut best = f64::INFINITY;
    each_partition(&mut vec![0; count], 0, 0, &mut |groups, used| {
        let is_full = |group: usize| groups.iter().filter(|&&other| other == group).count() >= k;
        if (0..used).all(is_full) {
            best = best.min(sum_of_squares(columns, groups));
        }
    });
    best
}

/// Every way to number the groups of records so that each number is first used after the one before it.
fn each_partition(groups: &mut Vec<usize>, at: usize, used: usize, take: &mut dyn FnMut(&[usize], usize)) {
    if at == groups.len() {
        return take(groups, used);
    }
    for group in 0..=used {
        groups[at] = group;
        each_partition(groups, at + 1, used.max(group + 1), take);
    }
}

/// Repeatable numbers without a pattern, from a linear congruential generator.
pub(super) struct DrawnNumbers(pub(super) u64);

impl DrawnNumbers {
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 31) >> 32;
        u32::try_from(mixed % u64::from(bound)).unwrap_or(0)
    }
}
