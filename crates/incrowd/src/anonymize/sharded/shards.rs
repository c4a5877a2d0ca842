//! Solving one shard after the other.

use std::time::{Duration, Instant};

use incrowd_algorithms::{AlgorithmEntry, Statistics};
use incrowd_core::{FrequencyTable, Measures, MeasuresSum, Policy, QuasiIdentifier, Recoding};
use incrowd_engine::{Outgrown, Shards};

use super::classes::ShardedClasses;
use crate::anonymize::ledger_entry::PendingEntry;
use crate::anonymize::prepare::Prepared;
use crate::anonymize::solve::{recode, solve_table};
use crate::anonymize::solver_request::SolverRequest;
use crate::anonymize::time_limit::TimeLimit;
use crate::anonymize::verify;
use crate::error::Result;

/// What shards are solved with.
pub(super) struct ShardPolicySolver<'a> {
    pub(super) run: &'a Prepared<'a>,
    pub(super) policy: &'a Policy,
    pub(super) quasi: &'a [QuasiIdentifier],
    pub(super) algorithm: &'static AlgorithmEntry,
    /// The most tuples of a shard.
    pub(super) most: u64,
}

/// The classes of all shards, and what was added up over them.
pub(super) struct SolvedShards {
    pub(super) rows: ShardedClasses,
    pub(super) sums: ShardSums,
}

/// What is added up over shards.
pub(super) struct ShardSums {
    pub(super) measures: MeasuresSum,
    /// The size of the smallest class, in what k counts.
    pub(super) smallest_class: u64,
    pub(super) tuples: u64,
    pub(super) statistics: Statistics,
    pub(super) cut_short: bool,
    pub(super) ledger_entry: Option<PendingEntry>,
}

impl<'a> ShardPolicySolver<'a> {
    /// What is asked of the solver of a shard.
    pub(super) fn request(&self) -> SolverRequest<'a> {
        SolverRequest { policy: self.policy, whole: self.run.whole.as_ref(), ..SolverRequest::of(self.run) }
    }

    /// Solves shard after shard.
    pub(super) fn solve_here(&self, outgrown: &mut Outgrown, mut shards: Shards) -> Result<SolvedShards> {
        let mut sums = ShardSums::new(PendingEntry::open(self.run.options.ledger.as_deref())?);
        for shard in 0..shards.count() {
            if shards.rows(shard) == 0 {
                // A cut may leave a part that no one is in.
                shards.skip(shard);
                continue;
            }
            self.solve_one(outgrown, &mut shards, shard, &mut sums)?;
        }
        sums.statistics.shards = Some(shards.count() as u64);
        if let Some(entry) = &mut sums.ledger_entry {
            entry.warn(self.run.engine);
        }
        Ok(SolvedShards { rows: ShardedClasses::OnDisk(shards.finish()?), sums })
    }

    /// Solves, recodes and judges one shard, and writes down the class of each of its rows.
    fn solve_one(
        &self,
        outgrown: &mut Outgrown,
        shards: &mut Shards,
        shard: usize,
        sums: &mut ShardSums,
    ) -> Result<()> {
        let Prepared { engine, source, .. } = *self.run;
        let left = shards.count() - shard;
        let deadline = self.run.time_limit.deadline.map(|deadline| Instant::now() + share_of(deadline, left));
        let table = shards.load(engine, shard, outgrown.take_columns(), self.most_loaded())?;
        let seed = seed_of(self.run.randomness.solver_seed(), shard);
        let time_limit = TimeLimit { deadline, ..self.run.time_limit.clone() };
        let request = self.request();
        let (recoding, solved) = match solve_shard(&request, (&table, self.quasi), self.algorithm, seed, &time_limit) {
            Ok(solved) => solved,
            Err(error) => {
                // The table may be cut anew.
                outgrown.give_columns(table);
                return Err(error);
            }
        };
        sums.add(&solved);
        shards.seat(engine, shard, &table, &recoding, self.run.randomness.shuffle_key())?;
        if let Some(entry) = &mut sums.ledger_entry {
            entry.add(&table, &self.run.question.quasi_identifiers, source);
        }
        outgrown.give_columns(table);
        Ok(())
    }
}

/// The figures of a shard that is solved and judged.
#[derive(Debug)]
#[cfg_attr(feature = "cluster", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ShardFigures {
    rows: u64,
    tuples: u64,
    smallest_class: u64,
    measures: Measures,
    cut_short: bool,
    statistics: Statistics,
}

/// Solves, recodes and judges a shard.
pub(super) fn solve_shard(
    request: &SolverRequest<'_>,
    (table, quasi): (&FrequencyTable, &[QuasiIdentifier]),
    algorithm: &AlgorithmEntry,
    seed: u64,
    time_limit: &TimeLimit,
) -> Result<(Recoding, ShardFigures)> {
    let solution = solve_table(request, table, quasi, algorithm, seed, time_limit)?;
    let recoding = recode(table, quasi, &solution);
    let judged = verify::judge(table, request.policy, (&solution.partition, Some(&recoding)), request.whole)?;
    let solved = ShardFigures {
        rows: table.rows(),
        tuples: table.tuples() as u64,
        smallest_class: judged.smallest_class,
        measures: Measures::of(table, quasi, &solution.partition, &recoding, request.policy.k()),
        cut_short: solution.cut_short,
        statistics: solution.statistics,
    };
    Ok((recoding, solved))
}

/// The seed of a shard.
pub(super) fn seed_of(seed: u64, shard: usize) -> u64 {
    seed ^ (shard as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl ShardSums {
    pub(super) fn new(ledger_entry: Option<PendingEntry>) -> ShardSums {
        ShardSums {
            measures: MeasuresSum::default(),
            smallest_class: u64::MAX,
            tuples: 0,
            statistics: Statistics::default(),
            cut_short: false,
            ledger_entry,
        }
    }

    pub(super) fn add(&mut self, shard: &ShardFigures) {
        self.measures.add(&shard.measures, shard.rows);
        self.smallest_class = self.smallest_class.min(shard.smallest_class);
        self.tuples += shard.tuples;
        self.cut_short |= shard.cut_short;
        self.statistics = added(&self.statistics, &shard.statistics);
    }
}

/// The figures of two searches that make sense for both.
fn added(one: &Statistics, other: &Statistics) -> Statistics {
    let sum = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).reduce(|sum, more| sum + more);
    Statistics {
        rounds: one.rounds.max(other.rounds),
        records: sum(one.records, other.records),
        work: sum(one.work, other.work),
        ..Statistics::default()
    }
}

/// The time for one of the shards that are left.
pub(super) fn share_of(deadline: Instant, left: usize) -> Duration {
    let left = u32::try_from(left).unwrap_or(u32::MAX);
    deadline.saturating_duration_since(Instant::now()) / left.max(1)
}
