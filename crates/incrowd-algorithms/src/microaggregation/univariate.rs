//! The optimal microaggregation of one column.
//!
//! Hansen, Mukherjee: A Polynomial Algorithm for Optimal Univariate Microaggregation (2003): in an optimal partition every
//! group is a run of the sorted values, with at least k and at most 2k − 1 of them, because a larger group could be cut
//! without raising the sum of squares. So the optimum is a shortest path over the sorted values, found in O(n·k) steps
//! after sorting.

/// The group of each value, so that every group has at least k values and the sum of squared distances to the means of the
/// groups is as small as possible. With fewer than 2k values, all are one group.
///
/// Groups are numbered in the order of their values. Values have to be finite.
///
/// ```
/// use incrowd_algorithms::microaggregation::optimal_groups;
/// assert_eq!(optimal_groups(&[1.0, 9.0, 2.0, 8.0, 7.0], 2), [0, 1, 0, 1, 1]);
/// ```
pub fn optimal_groups(values: &[f64], k: usize) -> Vec<usize> {
    let (count, k) = (values.len(), k.max(1));
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    if count < 2 * k {
        return vec![0; count];
    }
    let sorted: Vec<f64> = order.iter().map(|&at| values[at]).collect();
    let runs = RunSums::new(&sorted);
    // The least sum of squares of the first values up to an end, and where its last group begins.
    let mut least = vec![(f64::INFINITY, 0); count + 1];
    least[0] = (0.0, 0);
    for end in k..=count {
        for start in end.saturating_sub(2 * k - 1)..=end - k {
            let sum = least[start].0 + runs.squares(start, end);
            if sum < least[end].0 {
                least[end] = (sum, start);
            }
        }
    }
    let mut starts = vec![count];
    while let Some(&end) = starts.last().filter(|&&end| end > 0) {
        starts.push(least[end].1);
    }
    starts.reverse();
    let mut groups = vec![0; count];
    for (group, run) in starts.windows(2).enumerate() {
        order[run[0]..run[1]].iter().for_each(|&at| groups[at] = group);
    }
    groups
}

/// Sums over runs of sorted values, around their middle so that large numbers do not hide small differences.
struct RunSums {
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl RunSums {
    fn new(sorted: &[f64]) -> RunSums {
        let middle = sorted[sorted.len() / 2];
        let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
        let (mut sum, mut square) = (0.0, 0.0);
        for value in sorted {
            let value = value - middle;
            sum += value;
            square += value * value;
            sums.push(sum);
            squares.push(square);
        }
        RunSums { sums, squares }
    }

    /// The sum of squared distances to the mean of the values from `start` to before `end`.
    fn squares(&self, start: usize, end: usize) -> f64 {
        let sum = self.sums[end] - self.sums[start];
        let square = self.squares[end] - self.squares[start];
        // Rounding may leave a little less than nothing.
        (square - sum * sum / (end - start) as f64).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::exhaustive::{DrawnNumbers, least_sum};
    use super::super::sum_of_squares;
    use super::*;

    #[test]
    fn no_partition_of_a_small_column_is_better() {
        let mut numbers = DrawnNumbers(1);
        for count in 1..=9 {
            for k in 1..=4 {
                for _ in 0..12 {
                    let column: Vec<f64> = (0..count).map(|_| f64::from(numbers.below(30))).collect();
                    let groups = optimal_groups(&column, k);
                    let columns = [column];
                    let (found, best) = (sum_of_squares(&columns, &groups), least_sum(&columns, k));
                    assert!((found - best).abs() < 1e-9, "{columns:?} {k}: {found} instead of {best}");
                }
            }
        }
    }

    #[test]
    fn every_group_has_at_least_k_and_fewer_than_2k_values() {
        let mut numbers = DrawnNumbers(2);
        let column: Vec<f64> = (0..500).map(|_| f64::from(numbers.below(1000))).collect();
        for k in 1..=20 {
            let groups = optimal_groups(&column, k);
            let last = groups.iter().max().expect("values");
            for group in 0..=*last {
                let size = groups.iter().filter(|&&other| other == group).count();
                assert!((k..2 * k).contains(&size), "{size} of {k}");
            }
        }
    }

    #[test]
    fn a_large_offset_changes_nothing() {
        let column = [1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 20.0];
        let moved: Vec<f64> = column.iter().map(|value| value + 1e9).collect();
        assert_eq!(optimal_groups(&column, 2), optimal_groups(&moved, 2));
        assert_eq!(optimal_groups(&column, 3), [0, 0, 0, 1, 1, 1, 1]);
    }
}
