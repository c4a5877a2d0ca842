//! MDAV: microaggregation of several columns by groups around distant records.
//!
//! Domingo-Ferrer, Torra: Ordinal, Continuous and Heterogeneous k-Anonymity Through Microaggregation (2005), algorithm
//! MDAV-generic. While at least 3k records are left, the record that is farthest from the mean of all of them is grouped with
//! its k − 1 nearest, and then the record that is farthest from it with its k − 1 nearest. At least 2k records that are
//! left become two groups, and fewer one. It takes O(n² / k) distances.
//!
//! The paper takes the second record before the first group is made; here it is taken from the records that are left,
//! so that it cannot be in the first group. Of records that are equally far the first is taken.

/// The group of each record, so that every group has at least k and fewer than 2k records; fewer than 2k records are one
/// group. A record is one finite number for each column; columns of different units have to be standardized before.
///
/// ```
/// use incrowd_algorithms::microaggregation::mdav_groups;
/// let columns = [vec![0.0, 9.0, 0.1, 9.1], vec![0.0, 9.0, 0.1, 9.1]];
/// let groups = mdav_groups(&columns, 2);
/// assert!(groups[0] == groups[2] && groups[1] == groups[3] && groups[0] != groups[1]);
/// ```
pub fn mdav_groups(columns: &[Vec<f64>], k: usize) -> Vec<usize> {
    let (count, k) = (columns.first().map_or(0, Vec::len), k.max(1));
    let mut records = RecordsLeft { columns, left: (0..count).collect(), groups: vec![0; count], next: 0 };
    while records.left.len() >= 3 * k {
        let far = records.farthest(&records.mean());
        records.group_around(far, k);
        let opposite = records.farthest(&records.record(far));
        records.group_around(opposite, k);
    }
    if records.left.len() >= 2 * k {
        let far = records.farthest(&records.mean());
        records.group_around(far, k);
    }
    for at in std::mem::take(&mut records.left) {
        records.groups[at] = records.next;
    }
    records.groups
}

struct RecordsLeft<'a> {
    columns: &'a [Vec<f64>],
    /// The records that have no group yet, in their order.
    left: Vec<usize>,
    groups: Vec<usize>,
    /// The number of the next group.
    next: usize,
}

impl RecordsLeft<'_> {
    fn record(&self, at: usize) -> Vec<f64> {
        self.columns.iter().map(|column| column[at]).collect()
    }

    /// The mean of the records that are left.
    fn mean(&self) -> Vec<f64> {
        let mean = |column: &Vec<f64>| self.left.iter().map(|&at| column[at]).sum::<f64>() / self.left.len() as f64;
        self.columns.iter().map(mean).collect()
    }

    /// The squared distance of a record to a point.
    fn distance(&self, at: usize, point: &[f64]) -> f64 {
        self.columns.iter().zip(point).map(|(column, value)| (column[at] - value).powi(2)).sum()
    }

    /// The record that is farthest from a point, of those that are left.
    fn farthest(&self, point: &[f64]) -> usize {
        let mut found = (f64::NEG_INFINITY, 0);
        for &at in &self.left {
            let distance = self.distance(at, point);
            if distance > found.0 {
                found = (distance, at);
            }
        }
        found.1
    }

    /// Makes a group of a record and its k − 1 nearest, of those that are left.
    fn group_around(&mut self, center: usize, k: usize) {
        let point = self.record(center);
        let mut near: Vec<(f64, usize)> = self.left.iter().map(|&at| (self.distance(at, &point), at)).collect();
        // The record itself comes first, whatever else stands on the same point.
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1 != center).cmp(&(b.1 != center))).then(a.1.cmp(&b.1)));
        near[..k].iter().for_each(|&(_, at)| self.groups[at] = self.next);
        let mut taken: Vec<usize> = near[..k].iter().map(|&(_, at)| at).collect();
        taken.sort_unstable();
        self.left.retain(|at| taken.binary_search(at).is_err());
        self.next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::exhaustive::{DrawnNumbers, least_sum};
    use super::super::{group_means, sum_of_squares};
    use super::*;

    fn drawn(numbers: &mut DrawnNumbers, count: usize) -> Vec<Vec<f64>> {
        (0..2).map(|_| (0..count).map(|_| f64::from(numbers.below(20))).collect()).collect()
    }

    #[test]
    fn every_group_has_at_least_k_and_fewer_than_2k_records() {
        let mut numbers = DrawnNumbers(3);
        for count in 1..60 {
            let columns = drawn(&mut numbers, count);
            for k in 1..=7 {
                let groups = mdav_groups(&columns, k);
                let last = *groups.iter().max().expect("records");
                for group in 0..=last {
                    let size = groups.iter().filter(|&&other| other == group).count();
                    assert!(size >= k.min(count) && size < 2 * k, "{size} of {k}, {count} records");
                }
            }
        }
    }

    #[test]
    fn it_is_never_better_than_the_optimum_and_finds_groups_that_are_far_apart() {
        let mut numbers = DrawnNumbers(4);
        for _ in 0..40 {
            let columns = drawn(&mut numbers, 8);
            let groups = mdav_groups(&columns, 3);
            assert!(sum_of_squares(&columns, &groups) >= least_sum(&columns, 3) - 1e-9);
        }
        let apart = [vec![0.0, 100.0, 1.0, 101.0, 2.0, 102.0, 50.0, 51.0, 52.0]];
        let groups = mdav_groups(&apart, 3);
        assert!((sum_of_squares(&apart, &groups) - least_sum(&apart, 3)).abs() < 1e-9);
    }

    #[test]
    fn the_mean_of_a_column_stays() {
        let mut numbers = DrawnNumbers(5);
        let columns = drawn(&mut numbers, 50);
        let groups = mdav_groups(&columns, 5);
        let means = group_means(&columns[0], &groups);
        let (before, after): (f64, f64) = (columns[0].iter().sum(), groups.iter().map(|&group| means[group]).sum());
        assert!((before - after).abs() < 1e-9);
    }
}
