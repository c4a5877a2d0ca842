//! What a release loses, beside what any release must lose.

use std::time::{Duration, Instant};

use incrowd_algorithms::{Budget, LowerBound, Problem, lower_bound};
use incrowd_core::{FrequencyTable, Lm, Measures, Policy, QuasiIdentifier};
use incrowd_engine::Engine;
use serde::Serialize;

use crate::error::Result;

/// Losses that differ by less are the same: sums of so many prices are not exact.
const WITHIN: f64 = 1e-9;
/// Above so many tuples the bound is not looked for: its records would take too long.
const MOST_TUPLES: usize = 1_000_000;
/// How long it may be looked for.
const TIME: Duration = Duration::from_secs(30);

/// What a release loses, and what any release must lose.
#[derive(Clone, Debug, Serialize)]
pub struct LossReport {
    /// The measures.
    #[serde(flatten)]
    pub measures: Measures,
    /// A lower bound on LM of any release that keeps the policy, when LM was looked at and the bound could be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The weaker bound that looks at each row by itself: the cheapest record with k rows that covers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_row_by_row: Option<f64>,
    /// LM divided by the bound; 1 when both meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

impl LossReport {
    pub(super) fn new(measures: Measures, bound: Option<LowerBound>) -> Self {
        LossReport {
            bound: bound.map(|bound| bound.best),
            bound_row_by_row: bound.map(|bound| bound.row_by_row),
            ratio: bound.and_then(|bound| ratio(&bound, &measures)),
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

/// How many times as much a release loses as any must; nothing when that is nothing.
pub(super) fn ratio(bound: &LowerBound, measures: &Measures) -> Option<f64> {
    let times = if is_met(bound, measures) { 1.0 } else { measures.lm / bound.best };
    Some(times).filter(|times| times.is_finite())
}

/// Whether a release loses as little as any can.
pub(super) fn is_met(bound: &LowerBound, measures: &Measures) -> bool {
    measures.lm <= bound.best + WITHIN
}

/// What any release of this table that keeps the policy must lose, by LM, if this one loses so much.
pub(super) fn bound(
    engine: &Engine,
    table: &FrequencyTable,
    quasi: &[QuasiIdentifier],
    policy: &Policy,
    measures: &Measures,
) -> Result<Option<LowerBound>> {
    if table.tuples() > MOST_TUPLES {
        return Ok(None);
    }
    let problem = Problem::new(table, quasi, policy, &Lm, 0)?;
    let deadline = Some(Instant::now() + TIME);
    let budget = Budget { deadline, watch: engine.watch(), threads: Some(engine.threads()), shard: None, memory: None };
    // Every model that asks for so many rows in a class raises the bound, not only k.
    Ok(lower_bound(&problem, policy.least_rows()?, Some(measures.lm - WITHIN), &budget)?)
}
