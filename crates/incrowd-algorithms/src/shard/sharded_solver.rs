//! Solvers that cut classes from the closed frequent records, whatever the size of the table.
//!
//! A table whose records can be mined whole is one shard. A longer one is cut first, and so is a shard with too many
//! records, as wide tables have: smaller parts have fewer rows to combine. Shards are solved side by side. When the
//! time is over or the effort spent before a shard's records are known, it is cut by Mondrian, which takes next to
//! none.

use std::sync::OnceLock;

use incrowd_core::Stopped;
use rayon::prelude::*;

use super::ShardCutter;
use crate::mining::{ClosedRecords, MiningLimits, Unmined};
use crate::solver::ClassMembers;
use crate::solver::kinds::Kinds;
use crate::solver::leftovers::place_in_classes;
use crate::solver::levels::LevelNodes;
use crate::solver::local::solve_local;
use crate::solver::median_cuts::MedianCuts;
use crate::solver::numbers::{share, to_usize};
use crate::{Budget, Problem, Solution, Statistics, Unsolved};

/// Maximum number of tuples of a shard, unless the budget says otherwise.
const TUPLES: usize = 1 << 17;
/// A shard with more records than this is cut: a number for each tuple, with a lower and an upper limit.
const RECORDS: (usize, usize, usize) = (1 << 7, 1 << 16, 1 << 22);
/// Then its parts have at most this share of its tuples.
const SMALLER: usize = 4;
/// Bytes for the supports of all shards that are solved at once.
const BYTES: usize = 1 << 30;
/// The work units of a point of a record that is mined, stored and gone through.
const RECORD_POINT: u64 = 8;
/// The share of a memory limit that mining may take, and the bytes it takes for each tuple of a shard, about.
const SHARE: u64 = 4;
const TUPLE_BYTES: u64 = 1 << 10;
/// Maximum number of shards that are solved at once. Their size must not depend on the number of threads, nor may the
/// classes.
const AT_ONCE: usize = 8;
/// Number of tuples that a shard may always have: with fewer there is nothing to combine.
const FEWEST: usize = 1 << 10;

/// A shard with its records.
pub(crate) struct MinedShard<'a, 't> {
    pub(crate) problem: &'a Problem<'t>,
    pub(crate) budget: &'a Budget,
    pub(crate) records: &'a ClosedRecords,
    pub(crate) rows: &'a [(usize, u64)],
    pub(crate) kinds: &'a Kinds,
    /// A class of fewer rows cannot keep the policy.
    pub(crate) least: u64,
}

/// The classes that were made of a shard.
#[derive(Default)]
pub(crate) struct ShardClasses {
    pub(crate) classes: Vec<ClassMembers>,
    /// The rows that are in no class.
    pub(crate) left: ClassMembers,
    pub(crate) rounds: Option<u64>,
    /// Whether the time was over before.
    pub(crate) cut_short: bool,
    /// The work units it took.
    pub(crate) work: u64,
}

/// A way to make classes of a shard.
pub(crate) trait ShardSolver: Sync {
    fn solve_shard(&self, shard: &MinedShard<'_, '_>) -> Result<ShardClasses, Stopped>;
}

/// A solution made shard by shard.
pub(crate) fn solve(problem: &Problem<'_>, budget: &Budget, solver: &impl ShardSolver) -> Result<Solution, Unsolved> {
    let mut cut_short = false;
    let solution = solve_local(problem, budget, |problem, budget, rows| {
        let (levels, kinds) = (LevelNodes::new(problem), Kinds::new(problem));
        let shards = ShardCutter { problem, levels: &levels, kinds: &kinds, budget };
        let finishing = OnceLock::new();
        let sharded = ShardedSolver { shards: &shards, budget, finishing, least: kinds.least(problem), solver };
        let all = rows.len() as u64;
        let parts = shards.cut(rows, budget.shard.unwrap_or_else(|| tuples_at_once(budget)));
        let mut solved: Vec<SolvedShard> = Vec::new();
        // As many at once as the memory is divided among, whatever the number of threads.
        let mut parts = parts.into_iter().peekable();
        while parts.peek().is_some() {
            let some: Vec<ClassMembers> = parts.by_ref().take(AT_ONCE).collect();
            let solve = |part: ClassMembers| {
                let share = budget.share_of_effort(part.len() as u64, all);
                sharded.solve(part, share.effort)
            };
            let some: Vec<Vec<SolvedShard>> = some.into_par_iter().map(solve).collect::<Result<_, Unsolved>>()?;
            solved.extend(some.into_iter().flatten());
        }
        let statistics = Statistics {
            rounds: solved.iter().map(|solved| solved.rounds).sum(),
            records: Some(solved.iter().map(|solved| solved.records).sum()),
            shards: Some(solved.len() as u64),
            work: Some(solved.iter().map(|solved| solved.work).sum()),
            ..Statistics::default()
        };
        cut_short = solved.iter().any(|solved| solved.cut_short);
        Ok((solved.into_iter().flat_map(|solved| solved.classes).collect(), statistics))
    })?;
    Ok(Solution { cut_short: cut_short || solution.cut_short, ..solution })
}

/// Bytes for all shards that are solved at once.
fn bytes_at_once(budget: &Budget) -> usize {
    budget.memory.map_or(BYTES, |memory| BYTES.min(to_usize(memory / SHARE)))
}

/// How many tuples a shard has at most.
fn tuples_at_once(budget: &Budget) -> usize {
    let fit = |memory: u64| to_usize(memory / SHARE / TUPLE_BYTES / AT_ONCE as u64);
    budget.memory.map_or(TUPLES, |memory| fit(memory).clamp(FEWEST, TUPLES))
}

struct ShardedSolver<'a, 't, S> {
    shards: &'a ShardCutter<'a, 't>,
    budget: &'a Budget,
    /// For all shards that are solved in no time, together.
    finishing: OnceLock<Budget>,
    least: u64,
    solver: &'a S,
}

/// A shard in classes. One of them may break the policy; then it is to be merged.
struct SolvedShard {
    classes: Vec<ClassMembers>,
    rounds: Option<u64>,
    records: u64,
    cut_short: bool,
    work: u64,
}

impl<S: ShardSolver> ShardedSolver<'_, '_, S> {
    /// The classes of a shard, or of the parts into which it had to be cut.
    fn solve(&self, part: ClassMembers, effort: Option<u64>) -> Result<Vec<SolvedShard>, Unsolved> {
        let (problem, budget) = (self.shards.problem, self.budget);
        if budget.is_over() {
            return self.in_no_time(part, true);
        }
        if effort.is_some_and(|effort| effort < part.len() as u64) {
            return self.in_no_time(part, false);
        }
        let most = part.len().saturating_mul(RECORDS.0).clamp(RECORDS.1, RECORDS.2);
        // Half is for finding records, and half for what is made of them, or for a second attempt in smaller parts.
        let half = effort.map(|effort| effort / 2);
        let limits = MiningLimits {
            records: most,
            // Whether supports fit decides how fast it is, and nothing else.
            bytes: bytes_at_once(budget) / rayon::current_num_threads().min(AT_ONCE),
            work: half.map_or(u64::MAX, |half| half / RECORD_POINT),
        };
        let records = match ClosedRecords::of_rows(problem, &part, self.least, limits, budget) {
            Err(Unmined::Stopped(stopped)) => return Err(stopped.into()),
            Err(Unmined::TooMany) => {
                let smaller = self.shards.cut(part.clone(), part.len() / SMALLER);
                if smaller.len() > 1 {
                    let all = part.len() as u64;
                    let share_of = |part: &ClassMembers| half.map(|half| share(half, part.len() as u64, all));
                    let solved: Result<Vec<Vec<SolvedShard>>, Unsolved> = smaller
                        .into_iter()
                        .map(|part| {
                            let effort = share_of(&part);
                            self.solve(part, effort)
                        })
                        .collect();
                    let mut solved: Vec<SolvedShard> = solved?.into_iter().flatten().collect();
                    // What was found in vain counts in full.
                    solved.first_mut().into_iter().for_each(|first| first.work += half.unwrap_or(0));
                    return Ok(solved);
                }
                if effort.is_some() {
                    return self.in_no_time(part, false);
                }
                ClosedRecords::for_solver(problem, &part, self.least, budget)?
            }
            Ok(records) => records,
        };
        if records.cut_short() {
            return self.in_no_time(part, true);
        }
        let (kinds, least) = (self.shards.kinds, self.least);
        let left = Budget { effort: half, ..budget.clone() };
        let mined = MinedShard { problem, budget: &left, records: &records, rows: &part, kinds, least };
        let ShardClasses { classes, left, rounds, cut_short, work } = self.solver.solve_shard(&mined)?;
        let (work, records) = (work + records.work() * RECORD_POINT, records.len() as u64);
        Ok(vec![SolvedShard {
            classes: place_in_classes(problem, budget, classes, left)?,
            rounds,
            records,
            cut_short,
            work,
        }])
    }

    fn in_no_time(&self, part: ClassMembers, cut_short: bool) -> Result<Vec<SolvedShard>, Unsolved> {
        let finishing = self.finishing.get_or_init(|| self.budget.finishing());
        let ShardCutter { problem, levels, kinds, .. } = *self.shards;
        let cuts = MedianCuts::new(problem, finishing, levels, kinds);
        let classes = cuts.cut(part)?.0;
        let cut_short = cut_short || cuts.was_late();
        Ok(vec![SolvedShard { classes, rounds: None, records: 0, cut_short, work: 0 }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_memory_means_smaller_shards() {
        let budget = |memory| Budget { memory, ..Budget::default() };
        assert_eq!((tuples_at_once(&budget(None)), bytes_at_once(&budget(None))), (TUPLES, BYTES));
        assert!(tuples_at_once(&budget(Some(64 << 20))) < TUPLES && bytes_at_once(&budget(Some(64 << 20))) == 16 << 20);
        assert_eq!(tuples_at_once(&budget(Some(1 << 20))), FEWEST);
    }
}
