//! The random questions that a release is held against: the workload of Xiao and Tao (Anatomy, VLDB 2006) as Wong et al.
//! (ER 2006 Workshops, section 7) use it.
//!
//! A question counts the rows that have one of b values in each of some quasi-identifiers and in a sensitive column. With
//! qd quasi-identifiers and an expected share s of rows, b = ⌈|A| · s^(1/(qd+1))⌉ values are drawn of a column of |A|
//! values. The relative error of an answer is |estimate − actual| / actual, so a question that no row answers is drawn
//! again.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::parameters;

/// Which questions are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// How many.
    pub queries: usize,
    /// Quasi-identifiers in each.
    pub dimensionality: usize,
    /// The expected share of rows that answer.
    pub selectivity: f64,
    /// The same seed gives the same questions.
    pub seed: u64,
}

impl Workload {
    /// Refuses questions that cannot be asked.
    pub(super) fn check(&self) -> Result<()> {
        parameters::at_least_one("queries", Some(self.queries as u64))?;
        parameters::at_least_one("dimensionality", Some(self.dimensionality as u64))?;
        parameters::share("selectivity", Some(self.selectivity), false)
    }
}

impl Default for Workload {
    fn default() -> Self {
        Workload { queries: 1000, dimensionality: 4, selectivity: 0.05, seed: 1 }
    }
}

/// A question: for some columns, by position, the values that a row may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnQuery {
    /// Columns with the codes of values, each sorted.
    pub conditions: Vec<(usize, Vec<u32>)>,
}

/// How well the answers of a release fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// The mean relative error.
    pub mean: f64,
    /// The median relative error.
    pub median: f64,
}

impl Errors {
    /// Of these relative errors.
    pub fn of(mut errors: Vec<f64>) -> Option<Errors> {
        errors.sort_by(f64::total_cmp);
        let (count, middle) = (errors.len(), errors.len() / 2);
        let last = errors.get(middle)?;
        let median = if count % 2 == 0 { (errors[middle - 1] + last) / 2.0 } else { *last };
        Some(Errors { mean: errors.iter().sum::<f64>() / count as f64, median })
    }
}

/// How many values of a column are drawn, given how many it has.
///
/// ```
/// use incrowd::compare::width;
/// assert_eq!([width(74, 0.05, 4), width(14, 0.05, 4), width(2, 0.05, 8)], [41, 8, 2]);
/// ```
pub fn width(values: usize, selectivity: f64, dimensionality: usize) -> usize {
    let share = selectivity.powf(1.0 / (dimensionality as f64 + 1.0));
    ((values as f64 * share - 1e-9).ceil() as usize).clamp(1, values.max(1))
}

/// Draws questions one after the other.
pub struct QueryDraws<'a> {
    workload: &'a Workload,
    /// How many values each quasi-identifier has, by position.
    quasi: &'a [(usize, usize)],
    /// The same of the sensitive columns, one of which is in each question; none when there is none.
    sensitive: &'a [(usize, usize)],
    random: Xoshiro256PlusPlus,
}

impl<'a> QueryDraws<'a> {
    /// Questions about these columns: (position, number of values) each.
    pub fn new(workload: &'a Workload, quasi: &'a [(usize, usize)], sensitive: &'a [(usize, usize)]) -> Self {
        QueryDraws { workload, quasi, sensitive, random: Xoshiro256PlusPlus::seed_from_u64(workload.seed) }
    }

    fn below(&mut self, limit: usize) -> usize {
        let drawn = (u128::from(self.random.next_u64()) * limit as u128) >> 64;
        // Below the limit, which is one of these.
        usize::try_from(drawn).unwrap_or_default()
    }

    /// This many distinct numbers below a limit, sorted.
    fn some(&mut self, count: usize, limit: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..limit).collect();
        for at in 0..count.min(limit) {
            let other = at + self.below(limit - at);
            all.swap(at, other);
        }
        all.truncate(count);
        all.sort_unstable();
        all
    }
}

impl Iterator for QueryDraws<'_> {
    type Item = DrawnQuery;

    fn next(&mut self) -> Option<DrawnQuery> {
        let dimensionality = self.workload.dimensionality.min(self.quasi.len());
        let mut columns: Vec<(usize, usize)> =
            self.some(dimensionality, self.quasi.len()).into_iter().map(|at| self.quasi[at]).collect();
        if !self.sensitive.is_empty() {
            columns.push(self.sensitive[self.below(self.sensitive.len())]);
        }
        let conditions = columns.into_iter().map(|(column, values)| {
            let width = width(values, self.workload.selectivity, dimensionality);
            (column, self.some(width, values).into_iter().filter_map(|code| u32::try_from(code).ok()).collect())
        });
        Some(DrawnQuery { conditions: conditions.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_as_wide_as_the_paper_says_and_a_seed_repeats_them() {
        let workload = Workload { dimensionality: 2, ..Workload::default() };
        let (quasi, sensitive) = ([(0, 74), (1, 16), (3, 2)], [(4, 14)]);
        let draw = |seed| {
            let workload = Workload { seed, ..workload.clone() };
            QueryDraws::new(&workload, &quasi, &sensitive).take(50).collect::<Vec<_>>()
        };
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
        for question in draw(3) {
            assert_eq!(question.conditions.len(), 3);
            assert_eq!(question.conditions[2].0, 4);
            for (column, codes) in question.conditions {
                let values = quasi.iter().chain(&sensitive).find(|known| known.0 == column).map(|known| known.1);
                let values = values.expect("a known column");
                assert_eq!(codes.len(), width(values, 0.05, 2));
                assert!(codes.is_sorted_by(|a, b| a < b) && codes.iter().all(|&code| (code as usize) < values));
            }
        }
    }

    #[test]
    fn mean_and_median_are_those_of_the_errors() {
        assert_eq!(Errors::of(vec![]), None);
        assert_eq!(Errors::of(vec![4.0, 1.0, 1.0]), Some(Errors { mean: 2.0, median: 1.0 }));
        assert_eq!(Errors::of(vec![4.0, 0.0, 1.0, 3.0]), Some(Errors { mean: 2.0, median: 2.0 }));
    }
}
