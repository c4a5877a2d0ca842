//! Ranks, and how far two orders agree.
//!
//! C. Spearman, "The proof and measurement of association between two things", American Journal of Psychology 1904: the
//! correlation of ranks, 1 for the same order, −1 for the reverse, near 0 for orders that have nothing to do with each
//! other.

/// The rank of each number, from 0; equal numbers share the mean of their ranks.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&a, &b| numbers[a] == numbers[b]) {
        let mean = before as f64 + (equal.len() - 1) as f64 / 2.0;
        equal.iter().for_each(|&at| ranks[at] = mean);
        before += equal.len();
    }
    ranks
}

/// The rank correlation of pairs; 0 when all of a side are equal, because then it has no order.
pub(in crate::attack) fn spearman(first: &[f64], second: &[f64]) -> f64 {
    let (first, second) = (ranks(first), ranks(second));
    let middle = (first.len() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>();
    let spread = (product(&first, &first) * product(&second, &second)).sqrt();
    if spread > 0.0 { (product(&first, &second) / spread).clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_share_their_ranks() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [1.5, 0.0, 1.5, 3.0]);
    }

    #[test]
    fn the_same_order_correlates_fully_and_a_constant_not_at_all() {
        assert_eq!(spearman(&[1.0, 4.0, 9.0], &[-3.0, 0.0, 70.0]), 1.0);
        assert_eq!(spearman(&[1.0, 4.0, 9.0], &[3.0, 2.0, 1.0]), -1.0);
        assert_eq!([spearman(&[1.0, 2.0], &[7.0, 7.0]), spearman(&[], &[])], [0.0, 0.0]);
        // 1 − 6·Σd²/(n(n² − 1)) with d = 1, 1, 0, 0: 1 − 12/60.
        assert!((spearman(&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 3.0, 4.0]) - 0.8).abs() < 1e-12);
    }
}
