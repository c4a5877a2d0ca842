//! Microaggregation: numbers are grouped so that each group has at least k records and its records are near each other, and
//! each number can then be published as the mean of its group.
//!
//! The loss is the sum of squared distances to the mean of the group (SSE). For one column [`optimal_groups`] finds the
//! partition of least SSE, and [`optimal_value_groups`] the one that keeps equal values together; for several columns, for which that is NP-hard (Oganian and Domingo-Ferrer: On the Complexity
//! of Optimal Microaggregation for Statistical Disclosure Control, 2001), [`mdav_groups`] is the usual heuristic.
//!
//! A group of k records hides a number among k means of one group. It makes no class of quasi-identifiers: other columns
//! may still tell the records of a group apart.

mod mdav;
mod univariate;

#[cfg(test)]
mod exhaustive;

pub use mdav::mdav_groups;
pub use univariate::{optimal_groups, optimal_value_groups};

/// The sum of squared distances of records to the mean of their group. A record is one number for each column, and
/// `groups` has the group of each record.
///
/// ```
/// use incrowd_algorithms::microaggregation::sum_of_squares;
/// assert_eq!(sum_of_squares(&[vec![1.0, 3.0, 8.0, 8.0]], &[0, 0, 1, 1]), 2.0);
/// ```
pub fn sum_of_squares(columns: &[Vec<f64>], groups: &[usize]) -> f64 {
    columns.iter().map(|column| sum_of_column(column, groups)).sum()
}

fn sum_of_column(column: &[f64], groups: &[usize]) -> f64 {
    let means = group_means(column, groups);
    column.iter().zip(groups).map(|(value, &group)| (value - means[group]).powi(2)).sum()
}

/// The mean of each group.
pub fn group_means(column: &[f64], groups: &[usize]) -> Vec<f64> {
    let count = groups.iter().max().map_or(0, |last| last + 1);
    let mut sums = vec![(0.0, 0.0); count];
    for (value, &group) in column.iter().zip(groups) {
        sums[group].0 += value;
        sums[group].1 += 1.0;
    }
    sums.into_iter().map(|(sum, rows)| sum / rows).collect()
}
