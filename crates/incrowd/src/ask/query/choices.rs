//! The least sum and the least mean of rows of which it is not known which ones count.
//!
//! Rows stand in stretches; of each stretch a least and a greatest number count, and any of them may. The greatest
//! is the least of the negated values. The least mean is found by Dinkelbach's iteration: at a trial mean, taking every
//! row below it lowers the mean or proves it least.

use std::cmp::Ordering;

/// Integers below it are added without rounding.
const EXACT: f64 = (1u64 << 53) as f64;

/// Stretches of rows with values.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    /// Values with rows, sorted in each stretch.
    values: Vec<(f64, u64)>,
    /// For each stretch its end in `values`, and how many of its rows count at least and at most.
    stretches: Vec<(usize, u64, u64)>,
}

impl Choices {
    /// Adds a stretch; values need not be sorted.
    pub(super) fn push(&mut self, values: impl IntoIterator<Item = (f64, u64)>, least: u64, most: u64) {
        if most == 0 {
            return;
        }
        let start = self.values.len();
        self.values.extend(values);
        self.values[start..].sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        self.stretches.push((self.values.len(), least, most));
    }

    /// The least that the rows that count can add up to.
    pub(super) fn least_sum(&self) -> f64 {
        self.take_below(0.0).0
    }

    /// The least mean of the rows that count; nothing when none can.
    pub(super) fn least_mean(&self) -> Option<f64> {
        let (sum, rows) = self.take_below(f64::NEG_INFINITY);
        let smallest =
            self.values.iter().filter(|(_, rows)| *rows > 0).map(|(value, _)| *value).min_by(f64::total_cmp)?;
        let mut mean = if rows > 0 { sum / rows as f64 } else { smallest };
        loop {
            let (sum, rows) = self.take_below(mean);
            let next = sum / rows as f64;
            match next.partial_cmp(&mean) {
                Some(Ordering::Less) if rows > 0 => mean = next,
                _ => return Some(mean),
            }
        }
    }

    /// How far a sum, and how far a mean, of some of the rows may be from what is added up here: nothing for whole
    /// numbers that are added exactly, else what rounding can come to, in whatever order the original is added up.
    pub(super) fn slack(&self) -> (f64, f64) {
        let finite = || self.values.iter().filter(|(value, _)| value.is_finite());
        let rows: f64 = finite().map(|&(_, rows)| rows as f64).sum();
        let total: f64 = finite().map(|&(value, rows)| value.abs() * rows as f64).sum();
        let exact = total < EXACT && finite().all(|(value, _)| value.fract() == 0.0);
        let one = if exact { 0.0 } else { 4.0 * f64::EPSILON * total };
        (rows * one, one)
    }

    /// Sum and rows when all that must count do, and of the others those below a value.
    fn take_below(&self, bound: f64) -> (f64, u64) {
        let (mut sum, mut rows, mut start) = (0.0, 0, 0);
        for &(end, least, most) in &self.stretches {
            let mut taken = 0;
            for &(value, there) in &self.values[start..end] {
                let wanted = if value < bound { most } else { least };
                let more = there.min(wanted.saturating_sub(taken));
                if more > 0 {
                    sum += value * more as f64;
                    taken += more;
                }
            }
            rows += taken;
            start = end;
        }
        (sum, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to choose, literally.
    fn brute(stretches: &[(Vec<f64>, usize, usize)]) -> Vec<(f64, usize)> {
        let mut sums = vec![(0.0, 0)];
        for (values, least, most) in stretches {
            let subsets =
                (0..1usize << values.len()).filter(|set| (*least..=*most).contains(&(set.count_ones() as usize)));
            let subsets: Vec<(f64, usize)> = subsets
                .map(|set| {
                    let held = values.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
                    (held.map(|(_, value)| value).sum(), set.count_ones() as usize)
                })
                .collect();
            sums = sums.iter().flat_map(|a| subsets.iter().map(move |b| (a.0 + b.0, a.1 + b.1))).collect();
        }
        sums
    }

    #[test]
    fn the_least_sum_and_mean_are_those_of_the_best_choice() {
        let mut mixed = 7u64;
        let mut draw = |below: u64| {
            mixed = mixed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (mixed >> 33) % below
        };
        for _ in 0..500 {
            let stretches: Vec<(Vec<f64>, usize, usize)> = (0..draw(4))
                .map(|_| {
                    let values: Vec<f64> = (0..1 + draw(4)).map(|_| draw(13) as f64 - 6.0).collect();
                    let most = draw(values.len() as u64 + 1) as usize;
                    (values, draw(most as u64 + 1) as usize, most)
                })
                .collect();
            let mut choices = Choices::default();
            for (values, least, most) in &stretches {
                choices.push(values.iter().map(|&value| (value, 1)), *least as u64, *most as u64);
            }
            let all = brute(&stretches);
            let sum = all.iter().map(|(sum, _)| *sum).min_by(f64::total_cmp).unwrap_or(0.0);
            assert_eq!(choices.least_sum(), sum, "{stretches:?}");
            let means = all.iter().filter(|(_, rows)| *rows > 0).map(|(sum, rows)| sum / *rows as f64);
            let least = means.min_by(f64::total_cmp);
            let found = choices.least_mean();
            assert!(least.zip(found).is_none_or(|(a, b)| (a - b).abs() < 1e-9), "{stretches:?}: {least:?} {found:?}");
            assert_eq!(least.is_some(), found.is_some(), "{stretches:?}");
        }
    }

    #[test]
    fn rows_of_which_nothing_is_known_leave_no_bound() {
        let mut choices = Choices::default();
        choices.push([(3.0, 2)], 2, 2);
        choices.push([(f64::NEG_INFINITY, 1)], 0, 1);
        assert_eq!(choices.least_sum(), f64::NEG_INFINITY);
        assert_eq!(choices.least_mean(), Some(f64::NEG_INFINITY));
    }
}
