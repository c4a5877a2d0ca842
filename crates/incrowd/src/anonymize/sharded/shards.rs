//! Cutting a table into shards that fit and keep the policy by themselves, and solving one after the other.

use std::time::{Duration, Instant};

use incrowd_algorithms::{AlgorithmEntry, Problem, Statistics, shard_tree};
use incrowd_core::{Measures, MeasuresSum, QuasiIdentifier, ShardTree};
use incrowd_engine::{ByRow, EngineError, Outgrown, RowCodes, Shards};

use super::Asked;
use crate::anonymize::ledger_entry::Booking;
use crate::anonymize::{recode, solve, verify};
use crate::error::{Error, Result};

/// Shards are meant to have this share of the tuples they may have, in percent: drawn rows do not tell exactly.
const MEANT: u64 = 80;
/// How often smaller shards are tried.
const TRIES: u32 = 6;

/// What came of solving all shards.
pub(super) struct Solved {
    pub(super) by_row: ByRow,
    pub(super) measures: MeasuresSum,
    pub(super) smallest: u64,
    pub(super) tuples: u64,
    pub(super) statistics: Statistics,
    pub(super) cut_short: bool,
    pub(super) booking: Option<Booking>,
}

impl Asked<'_> {
    /// Cuts the table into shards and solves each. Where one cannot keep the policy by itself, the table is cut smaller, and
    /// such shards are put together with neighbours.
    pub(super) fn solve(
        &self,
        outgrown: &mut Outgrown,
        codes: &RowCodes,
        quasi: &[QuasiIdentifier],
        algorithm: &'static AlgorithmEntry,
        most: u64,
    ) -> Result<Solved> {
        let (_, shards) = self.cut(outgrown, codes, quasi, most, percent(most, MEANT))?;
        if let Ok(solved) = self.solve_each(outgrown, shards, quasi, algorithm, most) {
            return solved;
        }
        let (mut tree, mut shards) = self.cut(outgrown, codes, quasi, most, percent(most, MEANT / 2))?;
        loop {
            let infeasible = self.infeasible(outgrown, &shards, quasi, most)?;
            if infeasible.is_empty() {
                return match self.solve_each(outgrown, shards, quasi, algorithm, most) {
                    Ok(solved) => solved,
                    Err(reasons) => Err(reasons),
                };
            }
            // From the last to the first, so that the numbers of those that are left stay what they were.
            let mut taken_in = None;
            for (shard, reasons) in infeasible.into_iter().rev() {
                if taken_in == Some(shard) {
                    continue;
                }
                let (before, size) = (tree.shards(), |shard: u32| shards.rows(shard as usize));
                tree = tree.mended(shard as u32, size).ok_or(reasons)?;
                taken_in = shard.checked_sub(1);
                if tree.shards() + 1 < before {
                    break;
                }
            }
            shards = codes.route(self.engine, &tree, quasi)?;
        }
    }

    /// The shards that cannot keep the policy by themselves, with the reasons.
    fn infeasible(
        &self,
        outgrown: &mut Outgrown,
        shards: &Shards,
        quasi: &[QuasiIdentifier],
        most: u64,
    ) -> Result<Vec<(usize, Error)>> {
        let mut infeasible = Vec::new();
        for shard in (0..shards.count()).filter(|&shard| shards.rows(shard) > 0) {
            let table = shards.load(self.engine, shard, outgrown.take_columns(), most + most / 10)?;
            let problem = Problem::new(&table, quasi, &self.options.policy, (self.loss.new)().as_ref(), 0)?;
            if let Err(reasons) = problem.policy.withhold(&table, problem.budget) {
                infeasible.push((shard, Error::Infeasible(reasons)));
            }
            drop(problem);
            outgrown.give_columns(table);
        }
        Ok(infeasible)
    }

    /// Shards that fit, as far as the table can be cut.
    fn cut(
        &self,
        outgrown: &mut Outgrown,
        codes: &RowCodes,
        quasi: &[QuasiIdentifier],
        most: u64,
        mut meant: u64,
    ) -> Result<(ShardTree, Shards)> {
        let (engine, policy) = (self.engine, &self.options.policy);
        let drawn = codes.drawn(engine, outgrown.take_columns());
        let mut cut = None;
        for _ in 0..TRIES {
            let problem =
                Problem::new(&drawn, quasi, policy, (self.loss.new)().as_ref(), self.randomness.solver_seed())?;
            // As many of the drawn rows as stand for the tuples a shard may have.
            let rows = u128::from(codes.drawn_rows()) * u128::from(meant) / u128::from(codes.tuples().max(1));
            let tree = shard_tree(&problem, u64::try_from(rows).unwrap_or(u64::MAX).max(1));
            if tree.shards() > RowCodes::MOST_SHARDS {
                break;
            }
            let shards = codes.route(engine, &tree, quasi)?;
            let fits = (0..shards.count()).all(|shard| shards.tuples(shard) <= most);
            cut = Some((tree, shards));
            if fits {
                break;
            }
            meant = percent(meant, 66);
        }
        outgrown.give_columns(drawn);
        cut.ok_or_else(|| self.too_many(codes.tuples()))
    }

    /// Solves shard after shard. The error is the reasons why a shard cannot keep the policy by itself.
    fn solve_each(
        &self,
        outgrown: &mut Outgrown,
        mut shards: Shards,
        quasi: &[QuasiIdentifier],
        algorithm: &'static AlgorithmEntry,
        most: u64,
    ) -> std::result::Result<Result<Solved>, Error> {
        let Asked { engine, options, randomness, .. } = *self;
        let (mut measures, mut statistics) = (MeasuresSum::default(), Statistics::default());
        let (mut smallest, mut tuples, mut cut_short) = (u64::MAX, 0, false);
        let mut booking = match Booking::open(options.ledger.as_deref()) {
            Ok(booking) => booking,
            Err(error) => return Ok(Err(error)),
        };
        for shard in 0..shards.count() {
            if shards.rows(shard) == 0 {
                // A cut may leave a part that nobody is in.
                shards.skip(shard);
                continue;
            }
            let left = (shards.count() - shard) as u32;
            let deadline = self.deadline.map(|deadline| Instant::now() + share_of(deadline, left));
            let mut solve_one = || -> Result<()> {
                // A sketch errs by a few percent.
                let table = shards.load(engine, shard, outgrown.take_columns(), most + most / 10)?;
                let seed = randomness.solver_seed() ^ (shard as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let solution = match solve(engine, &table, quasi, options, (algorithm, self.loss), seed, deadline) {
                    Err(error) => {
                        outgrown.give_columns(table);
                        return Err(error);
                    }
                    solved => solved?,
                };
                let recoding = recode(&table, quasi, &solution);
                let judged = verify::judge(&table, &options.policy, &solution.partition, Some(&recoding))?;
                let measured = Measures::of(&table, quasi, &solution.partition, &recoding, options.policy.k());
                measures.add(&measured, table.rows());
                smallest = smallest.min(judged.smallest_class);
                tuples += table.tuples() as u64;
                cut_short |= solution.cut_short;
                let rounds = statistics.rounds.max(solution.statistics.rounds);
                let records = statistics.records.into_iter().chain(solution.statistics.records);
                let records = records.reduce(|sum, more| sum + more);
                let work = statistics.work.into_iter().chain(solution.statistics.work).reduce(|sum, more| sum + more);
                statistics = Statistics { rounds, records, work, ..Statistics::default() };
                drop(solution);
                shards.seat(engine, shard, &table, &recoding, randomness.shuffle_key())?;
                if let Some(booking) = &mut booking {
                    booking.add(&table, &self.question.quasi_identifiers, self.source);
                }
                outgrown.give_columns(table);
                Ok(())
            };
            match solve_one() {
                Err(error @ Error::Infeasible(_)) => return Err(error),
                Err(error) => return Ok(Err(error)),
                Ok(()) => {}
            }
        }
        statistics.shards = Some(shards.count() as u64);
        if let Some(booking) = &mut booking {
            booking.warn(engine);
        }
        Ok(shards.finish().map_err(Error::from).map(|by_row| Solved {
            by_row,
            measures,
            smallest,
            tuples,
            statistics,
            cut_short,
            booking,
        }))
    }

    fn too_many(&self, tuples: u64) -> Error {
        let needed = tuples * self.question.at_once.beside;
        EngineError::TooManyTuples { tuples, needed, limit: self.engine.memory().unwrap_or(u64::MAX) }.into()
    }
}

fn percent(of: u64, percent: u64) -> u64 {
    u64::try_from(u128::from(of) * u128::from(percent) / 100).unwrap_or(u64::MAX).max(1)
}

/// The time for one of so many shards that are left.
fn share_of(deadline: Instant, left: u32) -> Duration {
    deadline.saturating_duration_since(Instant::now()) / left.max(1)
}
