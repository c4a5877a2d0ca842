//! k-ANON-CF: a greedy cover of the rows by closed frequent generalized records, then classes from the cover.
//!
//! B. Kenig and T. Tassa, A practical approximation algorithm for optimal k-anonymity, DMKD 2012, Algorithms 4 and 2.
//! The record whose support S covers new rows at the least price is taken again and again, each time for a set of k to
//! 2k − 1 of its rows. What is done differently:
//!
//! - **The ratio.** The printed one, d(S) / min(|new|, 2k − 1), minimizes the sum of d(S) over the sets of the cover.
//!   What is lost is the sum of |set|·d(S), so the ratio here is |set|·d(S) / |new|: the same greedy for a set cover
//!   whose sets weigh what they will lose. The printed ratio is `k-anon-cf-printed`; the paper's guarantee is proven
//!   for that one only.
//! - **The greedy is lazy.** Covering rows makes a ratio grow and never fall, so the ratios stand in a heap as they
//!   were when last looked at. When the top, looked at again, stays the top, it is the least of all.
//! - **Which rows are taken** is free by the paper's proof. Of too many new rows those in a stretch of sorted points
//!   whose join is cheapest are taken. A set with fewer than k new rows is filled up with rows whose join with them is
//!   cheap, and only with such that can leave the set they are in: Algorithm 2's first case, a row that two sets hold
//!   leaves one that has more than k. Where too few can leave, the new rows join one of those sets: Algorithm 2's other
//!   case, two sets of k that hold a row become one of at most 2k − 1; the set where the loss grows least is chosen. So
//!   sets are disjoint at all times, and rows are looked at instead of pairs of sets.
//! - Records with nothing to cover are dropped, and records that lose nothing come first, the largest first.
//!
//! Long and wide tables are solved in shards ([`shard`]). It ends: each step covers a row. Other policies than
//! k-anonymity are kept by `settle`, which merges classes that fail.

mod cover;
mod sets;

use incrowd_core::Stopped;

use super::{AlgorithmEntry, SolverTraits};
use crate::shard::{self, MinedShard, ShardClasses, ShardSolver};
use crate::{Algorithm, Budget, Problem, Solution, Unsolved};

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "k-anon-cf",
    summary: "Covers the rows with closed frequent generalized records, by the loss of each new row.",
    reference: "Kenig and Tassa, A practical approximation algorithm for optimal k-anonymity, DMKD 2012",
    loss: "lm",
    counts_work: true,
    effort: None,
    traits: SolverTraits { uses_shards: true, ..SolverTraits::LOCAL },
    new: || Box::new(KAnonCf(Pricing::Weighted)),
};

/// What a set of a cover costs.
#[derive(Clone, Copy)]
pub(super) enum Pricing {
    /// Its price for each of its rows.
    Weighted,
    /// Its price.
    Printed,
}

pub(super) struct KAnonCf(pub(super) Pricing);

impl Algorithm for KAnonCf {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        shard::solve(problem, budget, self)
    }
}

impl ShardSolver for KAnonCf {
    fn solve_shard(&self, shard: &MinedShard<'_, '_>) -> Result<ShardClasses, Stopped> {
        cover::cover(shard, self.0)
    }
}
