//! Solving one shard after the other.

use std::time::{Duration, Instant};

use incrowd_algorithms::{AlgorithmEntry, Statistics};
use incrowd_core::{Measures, MeasuresSum, QuasiIdentifier, ShardTree};
use incrowd_engine::{ByRow, Outgrown, RowCodes, Shards};

use crate::anonymize::ledger_entry::PendingEntry;
use crate::anonymize::prepare::Prepared;
use crate::anonymize::solve::{recode, solve_table};
use crate::anonymize::time_limit::TimeLimit;
use crate::anonymize::verify;
use crate::error::{Error, Result};

/// Shards are meant to have this share of the tuples they may have, in percent: drawn rows do not tell exactly.
const MEANT: u64 = 80;

/// What shards are solved with.
pub(super) struct ShardPolicySolver<'a> {
    pub(super) run: &'a Prepared<'a>,
    pub(super) quasi: &'a [QuasiIdentifier],
    pub(super) algorithm: &'static AlgorithmEntry,
    /// The most tuples of a shard.
    pub(super) most: u64,
}

/// The classes of all shards, and what was added up over them.
pub(super) struct SolvedShards {
    pub(super) by_row: ByRow,
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

impl ShardPolicySolver<'_> {
    /// Cuts the table into shards and solves each. Where one cannot keep the policy independently, the table is cut
    /// smaller, and such shards are put together with neighbours.
    pub(super) fn solve(&self, outgrown: &mut Outgrown, codes: &RowCodes) -> Result<SolvedShards> {
        let (_, shards) = self.cut(outgrown, codes, MEANT)?;
        match self.solve_each(outgrown, shards) {
            Err(Error::Infeasible(_)) => {}
            solved => return solved,
        }
        let (mut tree, mut shards) = self.cut(outgrown, codes, MEANT / 2)?;
        loop {
            let infeasible = self.infeasible(outgrown, &shards)?;
            if infeasible.is_empty() {
                return self.solve_each(outgrown, shards);
            }
            tree = put_together(tree, &shards, infeasible)?;
            shards = codes.route(self.run.engine, &tree, self.quasi)?;
        }
    }

    /// Solves shard after shard.
    fn solve_each(&self, outgrown: &mut Outgrown, mut shards: Shards) -> Result<SolvedShards> {
        let mut sums = ShardSums {
            measures: MeasuresSum::default(),
            smallest_class: u64::MAX,
            tuples: 0,
            statistics: Statistics::default(),
            cut_short: false,
            ledger_entry: PendingEntry::open(self.run.options.ledger.as_deref())?,
        };
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
        Ok(SolvedShards { by_row: shards.finish()?, sums })
    }

    /// Solves, recodes and judges one shard, and writes down the class of each of its rows.
    fn solve_one(
        &self,
        outgrown: &mut Outgrown,
        shards: &mut Shards,
        shard: usize,
        sums: &mut ShardSums,
    ) -> Result<()> {
        let Prepared { engine, source, options, .. } = *self.run;
        let left = shards.count() - shard;
        let deadline = self.run.time_limit.deadline.map(|deadline| Instant::now() + share_of(deadline, left));
        let table = shards.load(engine, shard, outgrown.take_columns(), self.most_loaded())?;
        let seed = self.run.randomness.solver_seed() ^ (shard as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let time_limit = TimeLimit { deadline, ..self.run.time_limit.clone() };
        let solved = solve_table(self.run, &table, self.quasi, self.algorithm, seed, &time_limit);
        let solution = match solved {
            Ok(solution) => solution,
            Err(error) => {
                // The table may be cut anew.
                outgrown.give_columns(table);
                return Err(error);
            }
        };
        let recoding = recode(&table, self.quasi, &solution);
        let judged = verify::judge(&table, &options.policy, &solution.partition, Some(&recoding))?;
        let measured = Measures::of(&table, self.quasi, &solution.partition, &recoding, options.policy.k());
        sums.measures.add(&measured, table.rows());
        sums.smallest_class = sums.smallest_class.min(judged.smallest_class);
        sums.tuples += table.tuples() as u64;
        sums.cut_short |= solution.cut_short;
        sums.statistics = added(&sums.statistics, &solution.statistics);
        drop(solution);
        shards.seat(engine, shard, &table, &recoding, self.run.randomness.shuffle_key())?;
        if let Some(entry) = &mut sums.ledger_entry {
            entry.add(&table, &self.run.question.quasi_identifiers, source);
        }
        outgrown.give_columns(table);
        Ok(())
    }
}

/// The tree with shards that cannot keep the policy independently put together with neighbours. The error is the
/// reasons of a shard that has none.
fn put_together(mut tree: ShardTree, shards: &Shards, infeasible: Vec<(usize, Error)>) -> Result<ShardTree> {
    // From the last to the first, so that the numbers of those that are left stay what they were.
    let mut taken_in = None;
    for (shard, reasons) in infeasible.into_iter().rev() {
        if taken_in == Some(shard) {
            continue;
        }
        let (before, size) = (tree.shards(), |shard: u32| shards.rows(shard as usize));
        tree = u32::try_from(shard).ok().and_then(|shard| tree.mended(shard, size)).ok_or(reasons)?;
        taken_in = shard.checked_sub(1);
        if tree.shards() + 1 < before {
            break;
        }
    }
    Ok(tree)
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
fn share_of(deadline: Instant, left: usize) -> Duration {
    let left = u32::try_from(left).unwrap_or(u32::MAX);
    deadline.saturating_duration_since(Instant::now()) / left.max(1)
}
