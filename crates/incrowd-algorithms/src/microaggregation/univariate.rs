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

/// Where the groups of distinct values begin, so that every group has at least k rows, equal values are in one group, and the
/// sum of squared distances of rows to the means of their groups is as small as possible. With fewer than 2k rows, all are one
/// group.
///
/// A value is given with its number of rows, in ascending order. Because equal values stay together, the sum can be larger
/// than that of [`optimal_groups`], and a group can have 2k rows or more. A group that could be cut into two with at least k
/// rows each is never needed, so each end of a group has few starts, as in Hansen and Mukherjee.
///
/// ```
/// use incrowd_algorithms::microaggregation::optimal_value_groups;
/// assert_eq!(optimal_value_groups(&[(1.0, 1), (2.0, 2), (7.0, 5), (9.0, 2)], 2), [0, 2, 3]);
/// ```
pub fn optimal_value_groups(values: &[(f64, u64)], k: u64) -> Vec<usize> {
    let runs = RunSums::of_values(values);
    let count = values.len();
    // For each end, the last start from which there are at least k rows.
    let mut last_start = vec![None; count + 1];
    let mut start = 0;
    for (end, last) in last_start.iter_mut().enumerate() {
        while start < end && runs.rows(start + 1, end) >= k as f64 {
            start += 1;
        }
        *last = (runs.rows(start, end) >= k.max(1) as f64).then_some(start);
    }
    let mut least = vec![(f64::INFINITY, 0); count + 1];
    least[0] = (0.0, 0);
    for end in 1..=count {
        let Some(last) = last_start[end] else { continue };
        // From an earlier start the group could be cut at the last one.
        let first = last_start[last].map_or(0, |cuttable| cuttable + 1);
        for start in first..=last {
            let sum = least[start].0 + runs.squares(start, end);
            if sum < least[end].0 {
                least[end] = (sum, start);
            }
        }
    }
    let mut starts = Vec::new();
    let mut end = count;
    while end > 0 {
        end = least[end].1;
        starts.push(end);
    }
    starts.reverse();
    starts
}

/// Sums over runs of sorted values, around their middle so that large numbers do not hide small differences.
struct RunSums {
    rows: Vec<f64>,
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl RunSums {
    fn new(sorted: &[f64]) -> RunSums {
        RunSums::of_values(&sorted.iter().map(|&value| (value, 1)).collect::<Vec<_>>())
    }

    /// Of values with their numbers of rows.
    fn of_values(sorted: &[(f64, u64)]) -> RunSums {
        let middle = sorted.get(sorted.len() / 2).map_or(0.0, |&(value, _)| value);
        let mut runs = RunSums { rows: vec![0.0], sums: vec![0.0], squares: vec![0.0] };
        let (mut all, mut sum, mut square) = (0.0, 0.0, 0.0);
        for &(value, rows) in sorted {
            let (value, rows) = (value - middle, rows as f64);
            all += rows;
            sum += rows * value;
            square += rows * value * value;
            runs.rows.push(all);
            runs.sums.push(sum);
            runs.squares.push(square);
        }
        runs
    }

    /// The rows of the values from `start` to before `end`.
    fn rows(&self, start: usize, end: usize) -> f64 {
        self.rows[end] - self.rows[start]
    }

    /// The sum of squared distances to the mean of the values from `start` to before `end`.
    fn squares(&self, start: usize, end: usize) -> f64 {
        let sum = self.sums[end] - self.sums[start];
        let square = self.squares[end] - self.squares[start];
        // Rounding may leave a little less than nothing.
        (square - sum * sum / self.rows(start, end)).max(0.0)
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
    fn no_partition_that_keeps_equal_values_together_is_better() {
        let mut numbers = DrawnNumbers(6);
        for round in 0..600 {
            let (count, k) = (1 + round % 8, 1 + u64::from(numbers.below(6)));
            let mut value = 0.0;
            let values: Vec<(f64, u64)> = (0..count)
                .map(|_| {
                    value += 1.0 + f64::from(numbers.below(9));
                    (value, 1 + u64::from(numbers.below(4)))
                })
                .collect();
            let column: Vec<f64> = values.iter().flat_map(|&(value, rows)| (0..rows).map(move |_| value)).collect();
            let squares = |starts: &[usize]| {
                let group = |at: usize| starts.iter().filter(|&&start| start <= at).count() - 1;
                let groups: Vec<usize> =
                    (0..count).flat_map(|at| (0..values[at].1).map(move |_| at)).map(group).collect();
                let sizes = (0..starts.len()).map(|one| groups.iter().filter(|&&other| other == one).count() as u64);
                (sum_of_squares(std::slice::from_ref(&column), &groups), sizes.min().unwrap_or(0))
            };
            // Every way to cut the list of values: a bit for each place between two of them.
            let best = (0..1u32 << (count - 1))
                .map(|cuts| {
                    let starts = (1..count).filter(|at| cuts >> (at - 1) & 1 == 1);
                    squares(&std::iter::once(0).chain(starts).collect::<Vec<_>>())
                })
                .filter(|(_, smallest)| *smallest >= k.min(column.len() as u64))
                .fold(f64::INFINITY, |best, (sum, _)| best.min(sum));
            let (found, smallest) = squares(&optimal_value_groups(&values, k));
            assert!(smallest >= k.min(column.len() as u64), "{values:?} {k}: a group of {smallest}");
            assert!((found - best).abs() < 1e-9, "{values:?} {k}: {found} instead of {best}");
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
