//! What a release loses, beside what any release must lose.

use std::time::Instant;

use incrowd_algorithms::{Budget, Effort, LowerBound, Problem, lower_bound};
use incrowd_core::{FrequencyTable, Lm, Measures, Partition, QuasiIdentifier};
use incrowd_engine::Engine;
use serde::Serialize;

use crate::anonymize::AnonymizeOptions;
use crate::error::Result;

/// The most tuples for which a bound is searched: the records of more would take too long.
const MOST_TUPLES: usize = 1_000_000;

/// Number of tuples up to which the bound of a solver is searched again.
const SMALL: usize = 1 << 12;

/// What a release loses, and what any release must lose.
#[derive(Clone, Debug, Serialize)]
pub struct LossReport {
    /// The measures.
    #[serde(flatten)]
    pub measures: Measures,
    /// A lower bound on LM of any release that generalizes this table along the same hierarchies and keeps the policy, when
    /// LM was looked at and the bound could be had. Rows that are suppressed count as `*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The weaker bound that looks at each row independently: the cheapest record with k rows that covers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_row_by_row: Option<f64>,
    /// LM divided by the bound; 1 when both meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

impl LossReport {
    pub(crate) fn new(measures: Measures, bound: Option<&BoundOnLoss>) -> Self {
        LossReport {
            bound: bound.map(|bound| bound.bound.best),
            bound_row_by_row: bound.map(|bound| bound.bound.row_by_row),
            ratio: bound.and_then(|bound| bound.ratio(&measures)),
            measures,
        }
    }
}

impl std::ops::Deref for LossReport {
    type Target = Measures;

    fn deref(&self) -> &Measures {
        &self.measures
    }
}

/// A lower bound on the loss, and whether a release meets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundOnLoss {
    pub(crate) bound: LowerBound,
    /// Whether no release of the same kind can lose less than this one.
    pub(crate) is_met: bool,
}

impl BoundOnLoss {
    /// How many times as much a release loses as any must; nothing when that is nothing.
    pub(crate) fn ratio(&self, measures: &Measures) -> Option<f64> {
        let times = if self.is_met { 1.0 } else { measures.lm / self.bound.best };
        Some(times).filter(|times| times.is_finite())
    }
}

/// By how little the losses of two releases of a table can differ, and how exactly they are known, both as a sum over all
/// cells.
///
/// A cell of a column with L values loses a multiple of 1 / (L − 1), so what all cells of a release lose together is a
/// multiple of one divided by the least common multiple of these. No release loses less than this one when the bound
/// is above the next smaller multiple. Sums of floating-point numbers are not exact, so their error is taken off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolution {
    cells: f64,
    /// The smallest difference; nothing when it is too small for floating-point numbers.
    step: Option<f64>,
    /// How many numbers are added up, at most.
    terms: f64,
}

impl Resolution {
    pub(crate) fn new(table: &FrequencyTable, quasi: &[QuasiIdentifier], partition: &Partition) -> Self {
        let parts = |quasi: &QuasiIdentifier| u64::from(quasi.domain.leaf_count().saturating_sub(1).max(1));
        let common = quasi.iter().map(parts).try_fold(1u64, least_common_multiple);
        Resolution {
            cells: table.rows() as f64 * quasi.len() as f64,
            step: common.map(|common| 1.0 / common as f64),
            terms: (table.tuples() + partition.len() + 64) as f64 * quasi.len() as f64,
        }
    }

    /// What a bound may lack and still prove that nothing loses less, in LM; nothing when rounding hides the difference.
    fn slack(&self, lm: f64) -> Option<f64> {
        // Each of the two sums errs by at most a rounding for each number added, and twice that is allowed for.
        let error = 4.0 * self.terms * f64::EPSILON * lm * self.cells;
        self.step.map(|step| (step - error) / self.cells).filter(|slack| *slack > 0.0)
    }

    /// Whether a lower bound proves that nothing loses less than this.
    fn proves(&self, bound: f64, lm: f64) -> bool {
        lm == 0.0 || self.slack(lm).is_some_and(|slack| lm - bound < slack)
    }
}

fn least_common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

/// The work for the lower bound: half of what the solver has.
pub(crate) fn effort_for_bound(options: &AnonymizeOptions, tuples: usize) -> u64 {
    options.effort.unwrap_or(Effort::NORMAL).units(tuples as u64) / 2
}

/// The bound that a solver has found by the linear programme of all releases, unless the table is small: there another
/// search takes next to nothing, and may end at the optimum.
pub(crate) fn of_solver(
    table: &FrequencyTable,
    bound: LowerBound,
    (measures, resolution): (&Measures, &Resolution),
) -> Option<BoundOnLoss> {
    let is_met = resolution.proves(bound.best, measures.lm);
    (is_met || table.tuples() > SMALL).then_some(BoundOnLoss { bound, is_met })
}

/// What any release of this table that keeps the policy must lose, by LM, if this one loses so much.
pub(crate) fn bound(
    engine: &Engine,
    table: &FrequencyTable,
    quasi: &[QuasiIdentifier],
    options: &AnonymizeOptions,
    (measures, resolution): (&Measures, &Resolution),
    deadline: Option<Instant>,
) -> Result<Option<BoundOnLoss>> {
    if table.tuples() > MOST_TUPLES {
        return Ok(None);
    }
    let policy = &options.policy;
    let problem = Problem::new(table, quasi, policy, &Lm, 0)?;
    let effort = Some(effort_for_bound(options, table.tuples()));
    let (watch, threads, memory) = (engine.watch(), Some(engine.threads()), engine.memory());
    let budget = Budget { deadline, effort, watch, threads, memory, ..Budget::default() };
    // The search ends where a better bound would prove no more.
    let enough = measures.lm - resolution.slack(measures.lm).unwrap_or(0.0) / 2.0;
    // Every model that asks for a number of rows in a class raises the bound, not only k.
    let found = lower_bound(&problem, policy.least_rows()?, Some(enough), &budget)?;
    Ok(found.map(|bound| BoundOnLoss { is_met: resolution.proves(bound.best, measures.lm), bound }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolution(rows: u64, values: &[u64]) -> Resolution {
        let common = values.iter().map(|values| values - 1).try_fold(1u64, least_common_multiple);
        let (cells, step) = ((rows * values.len() as u64) as f64, common.map(|common| 1.0 / common as f64));
        Resolution { cells, step, terms: 1e4 }
    }

    /// Ten million rows of eight columns: one cell that is generalized by one value of a hundred changes the mean by about
    /// 10⁻¹⁰, which an absolute tolerance of 10⁻⁹ takes for nothing.
    #[test]
    fn a_bound_that_one_cell_could_undercut_is_not_met() {
        let resolution = resolution(10_000_000, &[101, 2, 3, 5, 2, 2, 2, 2]);
        let lm = 1e-4;
        let one_cell = 1.0 / 100.0 / resolution.cells;
        assert!(one_cell < 1e-9);
        assert!(!resolution.proves(lm - one_cell, lm));
        assert!(!resolution.proves(lm - 5.0 * one_cell, lm));
        assert!(resolution.proves(lm - one_cell / 2.0, lm));
        assert!(resolution.proves(lm, lm));
    }

    /// With 3 and 4 values a cell costs halves and thirds: one cell up and another down differ by a sixth.
    #[test]
    fn releases_that_trade_cells_of_two_columns_differ_by_less_than_a_cell() {
        let resolution = resolution(100, &[3, 4]);
        let sixth = 1.0 / 6.0 / resolution.cells;
        assert!(!resolution.proves(0.5 - sixth, 0.5));
        assert!(resolution.proves(0.5 - 0.9 * sixth, 0.5));
    }

    #[test]
    fn what_rounding_hides_is_not_claimed_but_nothing_is_always_optimal() {
        let many = resolution(1_000, &[1_000_004, 1_000_038, 1_000_034]);
        assert!(!many.proves(0.5, 0.5) && many.proves(0.0, 0.0));
        let endless = resolution(1_000, &[u64::MAX, u64::MAX - 1]);
        assert!(endless.step.is_none() && !endless.proves(0.5, 0.5));
    }
}
