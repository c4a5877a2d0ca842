//! The comparison of releases with their original: all figures that are needed to decide whether one is good enough.

use serde::Serialize;

use super::distribution::Distribution;
use super::workload::{Errors, Workload};

/// Releases held against their original.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// The original.
    pub original: String,
    /// Its rows.
    pub rows: u64,
    /// The columns that are compared.
    pub columns: Vec<String>,
    /// The questions that were asked.
    pub workload: Workload,
    /// What can be learnt from the original about a named column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier: Option<Learnt>,
    /// Each release, in the order in which they were named.
    pub releases: Vec<ComparedRelease>,
    /// What the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What can be learnt from the original.
#[derive(Clone, Debug, Serialize)]
pub struct Learnt {
    /// The column that is guessed.
    pub target: String,
    /// The share of rows guessed right by a classifier that was trained on the original.
    pub accuracy: f64,
    /// The share guessed right by always saying the most frequent value.
    pub most_frequent: f64,
}

/// One release next to the original.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedRelease {
    /// Where it is.
    pub release: String,
    /// `one-table` or `two-tables`.
    pub publish: &'static str,
    /// The solver.
    pub algorithm: String,
    /// Published rows.
    pub rows: u64,
    /// Rows that were suppressed.
    pub suppressed_rows: u64,
    /// How large its classes are.
    pub class_sizes: ClassSizesTold,
    /// What generalization loses, over all columns and by column, as the manifest says it.
    pub loss: serde_json::Value,
    /// How well questions are answered, by estimator; the better-founded one first.
    pub queries: Vec<QueryErrors>,
    /// How far the values of each column are from those of the original.
    pub marginals: Vec<Marginal>,
    /// The mean of their distances.
    pub marginal_distance: f64,
    /// How much each pair of columns says about each other, before and after.
    pub dependence: Vec<Dependence>,
    /// The mean difference of dependence.
    pub dependence_difference: f64,
    /// The share of rows of the original whose target is guessed right by a classifier trained on the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// What the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The values of each column before and after, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub distributions: Vec<Distribution>,
}

/// The relative errors of the answers of one estimator.
#[derive(Clone, Debug, Serialize)]
pub struct QueryErrors {
    /// The estimator.
    pub estimator: &'static str,
    /// Mean and median.
    #[serde(flatten)]
    pub errors: Errors,
}

/// The values of one column before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Marginal {
    /// The column.
    pub column: String,
    /// Half the sum of the differences of shares: 0 alike, 1 nothing in common.
    pub distance: f64,
    /// The mean of a column of numbers in the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_before: Option<f64>,
    /// The mean as the release gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_after: Option<f64>,
}

/// How much two columns say about each other, as Cramér's V: 0 nothing, 1 everything.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dependence {
    /// The columns.
    pub columns: [String; 2],
    /// In the original.
    pub before: f64,
    /// As the release gives it.
    pub after: f64,
}

/// How large classes are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassSizesTold {
    /// How many there are.
    pub classes: u64,
    /// The smallest.
    pub smallest: u64,
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: u64,
    /// The largest.
    pub largest: u64,
    /// Classes and rows by size, in steps that double.
    pub steps: Vec<SizeStep>,
}

/// Classes of similar size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SizeStep {
    /// The least size of the step.
    pub from: u64,
    /// The greatest.
    pub to: u64,
    /// Classes of such a size.
    pub classes: u64,
    /// Their rows.
    pub rows: u64,
}

impl ClassSizesTold {
    /// Of classes of these sizes.
    pub(super) fn of(mut sizes: Vec<u64>) -> Self {
        sizes.retain(|&size| size > 0);
        sizes.sort_unstable();
        let rows: u64 = sizes.iter().sum();
        let mut steps: Vec<SizeStep> = Vec::new();
        for &size in &sizes {
            let from = 1 << size.ilog2();
            match steps.last_mut().filter(|step| step.from == from) {
                Some(step) => (step.classes, step.rows) = (step.classes + 1, step.rows + size),
                None => steps.push(SizeStep { from, to: 2 * from - 1, classes: 1, rows: size }),
            }
        }
        ClassSizesTold {
            classes: sizes.len() as u64,
            smallest: sizes.first().copied().unwrap_or(0),
            mean: rows as f64 / sizes.len().max(1) as f64,
            median: sizes.get(sizes.len() / 2).copied().unwrap_or(0),
            largest: sizes.last().copied().unwrap_or(0),
            steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_sizes_are_reported_in_steps_that_double() {
        let told = ClassSizesTold::of(vec![9, 2, 3, 2, 0]);
        assert_eq!((told.classes, told.smallest, told.median, told.largest, told.mean), (4, 2, 3, 9, 4.0));
        let step = |from, to, classes, rows| SizeStep { from, to, classes, rows };
        assert_eq!(told.steps, [step(2, 3, 3, 7), step(8, 15, 1, 9)]);
    }
}
