//! What is asked of a solver, here and in a task that solves a shard.

use incrowd_algorithms::{AlgorithmEntry, Budget, DiversityWeights, Effort, Problem};
use incrowd_core::{FrequencyTable, LossEntry, Policy, QuasiIdentifier, Watch, WholeCounts};

use super::prepare::Prepared;
use super::time_limit::TimeLimit;
use super::{AnonymizeOptions, Publish};
use crate::error::Result;

/// What is asked of a solver, whatever tuples it is given.
pub(super) struct SolverRequest<'a> {
    pub(super) policy: &'a Policy,
    pub(super) weights: &'a DiversityWeights,
    /// What the classes of a shard are compared with, if the policy compares classes with the whole.
    pub(super) whole: Option<&'a WholeCounts>,
    /// Classes have ids.
    pub(super) has_class_ids: bool,
    pub(super) loss: &'static LossEntry,
    pub(super) effort: Option<Effort>,
    pub(super) until: Option<f64>,
    /// The rows of a shard, for a solver that works in shards.
    pub(super) shard: Option<usize>,
    pub(super) watch: Watch,
    pub(super) threads: usize,
    pub(super) memory: Option<u64>,
}

impl<'a> SolverRequest<'a> {
    pub(super) fn of(run: &Prepared<'a>) -> SolverRequest<'a> {
        let (engine, options) = (run.engine, run.options);
        SolverRequest {
            policy: &options.policy,
            weights: &options.diversity_weights,
            whole: None,
            has_class_ids: options.publish == Publish::TwoTables,
            loss: run.loss,
            effort: options.effort,
            until: options.until.or_else(|| default_until(options)),
            shard: options.shard,
            watch: engine.watch(),
            threads: engine.threads(),
            memory: engine.memory(),
        }
    }

    /// The problem of these tuples.
    pub(super) fn problem<'t>(
        &self,
        table: &'t FrequencyTable,
        quasi: &'t [QuasiIdentifier],
        seed: u64,
    ) -> Result<Problem<'t>> {
        let problem = Problem::new(table, quasi, self.policy, (self.loss.new)().as_ref(), seed)?;
        let problem = problem.weighing(self.weights)?;
        let problem = match self.whole {
            Some(whole) => problem.within(&whole.table(table.attributes())),
            None => problem,
        };
        Ok(if self.has_class_ids { problem.with_class_ids() } else { problem })
    }

    /// What the solver may use for this number of tuples.
    pub(super) fn budget(&self, algorithm: &AlgorithmEntry, tuples: u64, time_limit: &TimeLimit) -> Budget {
        let effort = self.effort.or(algorithm.effort);
        Budget {
            deadline: time_limit.deadline,
            effort: effort.map(|effort| effort.units(tuples)),
            until: self.until,
            watch: self.watch.clone(),
            threads: Some(self.threads),
            shard: self.shard,
            memory: self.memory,
            ..Budget::default()
        }
    }
}

/// The ratio of loss and bound at which a search ends that nobody limited.
const UNTIL: f64 = 1.05;

fn default_until(options: &AnonymizeOptions) -> Option<f64> {
    (options.effort.is_none() && options.time.is_none()).then_some(UNTIL)
}
