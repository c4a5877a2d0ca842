//! EnhancedPKClustering: as many classes as the frequencies of the sensitive values allow, each begun by a rare value.
//!
//! Truta, Campan and Meyer, "Generating microdata with p-sensitive k-anonymity property", SDM 2007, for any policy.
//! The sensitive attribute that allows the fewest classes ([`max_clusters`]) is the hardest. Its values are dealt to
//! m groups:
//!
//! 1. *Split*: the rows of the rarer values, the rarest value first, are dealt to the groups round and round, each
//!    group taking its best match ([`crate::algorithms::pk`]) of the value, until each has i of them.
//! 2. *Fill*: of each of the p − i most frequent values every group takes one row, the best match of all pairs first.
//!    While the groups have no rows all pairs are alike, and rows that are spread over the table are taken.
//! 3. The rows that wait bring the other attributes what they lack, the most diverse group first. When no row helps,
//!    the last group is dissolved and its rows wait too.
//! 4. The groups grow to k by the nearest rows, the largest first; those that there are not enough rows for are
//!    dissolved before. Rows that are left join the group where the loss grows least.
//!
//! **Where it differs from the print.** The three orders, which are printed in reverse, are as above. m is capped at
//! ⌊n/k⌋. The printed i is that of maxClusters: with a smaller m a group may get one value twice, and the second step
//! can run dry. Here i is found from m, as the number of the p most frequent values that have at most m rows. Then no
//! value of the first step has more rows than there are groups, so dealing gives no group a value twice. It gives
//! each i rows, because by the second condition that number is left beside the p − i most frequent values. And
//! each value of the second step has more than m rows, so it cannot run dry. In step 3 a group is dissolved when the
//! best match brings nothing, rather than when no row waits. In step 4, u of the groups have k rows already,
//! and min(m, u + ⌊rows of all others / k⌋) groups are kept. Classes that would publish alike are told apart in the
//! end, where that costs little: the paper's measure is the number of classes, and a reader counts these as one.
//!
//! **Any policy.** Each attribute has its own p. What a policy asks besides k and distinct values is repaired by
//! merging ([`settle`](crate::solver::settle)). When it asks for no distinct values, the groups begin with rows that
//! are spread over the table. With a subject column all rows of a tuple go together, so that a group may be dealt too
//! few; step 3 completes or dissolves it.
//!
//! **It ends** because every row is taken once, but for those of dissolved groups, and groups only become fewer. Each
//! row asks all tuples at worst. When the time is over, the rows are cut by Mondrian instead.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use incrowd_core::{Members, Stopped, Variety};

use super::{GroupWork, RowGroup, RowPool, VarietyValues};
use crate::algorithms::{AlgorithmEntry, SolverTraits};
use crate::bounds::max_clusters;
use crate::solver::ClassMembers;
use crate::solver::clusters::NumberedCells;
use crate::solver::kinds::Kinds;
use crate::solver::levels::LevelNodes;
use crate::solver::local::solve_local;
use crate::solver::median_cuts::cut_after_deadline;
use crate::solver::numbers::to_usize;
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};

pub(in crate::algorithms) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "enhanced-pk",
    summary: "Distributes rare sensitive values over the maximum number of classes, then adds the values they lack \
              and the rows that cost least.",
    reference: "T. Truta, A. Campan and P. Meyer, Generating microdata with p-sensitive k-anonymity property, SDM 2007",
    loss: "il",
    counts_work: false,
    effort: None,
    traits: SolverTraits { weighs_diversity: true, ..SolverTraits::LOCAL },
    new: || Box::new(EnhancedPk),
};

/// What suits a group best, the less the better: diversity, growth (which is not below 0, so that its bits are in its
/// order), the group and the place in the pool.
type MatchRank = (Reverse<u64>, u64, usize, usize);

struct EnhancedPk;

impl Algorithm for EnhancedPk {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        solve_local(problem, budget, |problem, budget, rows| {
            let (levels, kinds) = (LevelNodes::new(problem), Kinds::new(problem));
            let (cells, things) = (NumberedCells::new(problem, &levels), VarietyValues::new(problem, &kinds));
            let mut growth = GroupBuilder(GroupWork { problem, budget, kinds: &kinds, things, cells });
            let classes: Vec<ClassMembers> = match growth.run(&rows)? {
                Some((groups, left)) => {
                    let clusters = growth.0.finish(groups, left)?;
                    clusters.into_iter().map(|cluster| cluster.members).collect()
                }
                None => cut_after_deadline(problem, budget, (&levels, &kinds), rows)?,
            };
            let statistics = Statistics::of_rounds(classes.len() as u64);
            Ok((classes, statistics))
        })
    }
}

/// The attribute that allows the fewest classes.
struct Hardest {
    /// Its place in the problem's varieties.
    variety: usize,
    /// How many values a group needs.
    p: usize,
    /// Its values, the most frequent first, with their rows.
    values: Vec<(u32, u64)>,
}

struct GroupBuilder<'a, 't>(GroupWork<'a, 't>);

impl GroupBuilder<'_, '_> {
    /// Finished groups and the rows that are in none; nothing when the time is over.
    fn run(&mut self, rest: &[(usize, u64)]) -> Result<Option<(Vec<RowGroup>, ClassMembers)>, Stopped> {
        let problem = self.0.problem;
        let all: u64 = rest.iter().map(|member| member.1).sum();
        let (hardest, most) = self.hardest(rest);
        // With a subject column there may be fewer people than rows; groups that find too few are dissolved later.
        let count = to_usize(most.min(all / problem.k).max(1));
        let mut groups: Vec<RowGroup> = (0..count).map(|_| RowGroup::new(problem)).collect();
        let mut pool = match hardest {
            Some(hardest) => {
                let mut pools: Vec<RowPool> =
                    hardest.values.iter().map(|value| self.rows_of(&hardest, value.0, rest)).collect();
                let frequent = hardest.values[..hardest.p].iter().filter(|value| value.1 > count as u64).count();
                let rare = (hardest.p - frequent) * count;
                if !(self.split(&mut pools[frequent..], &mut groups, rare)?
                    && self.fill(&mut pools[..frequent], &mut groups)?)
                {
                    return Ok(None);
                }
                let rows = pools.iter().flat_map(RowPool::members).collect();
                RowPool::new(&self.0.cells, &self.0.things, rows)
            }
            None => {
                let mut pool = RowPool::new(&self.0.cells, &self.0.things, rest.to_vec());
                self.0.seed(&mut pool, &mut groups);
                pool
            }
        };
        let done = self.vary(&mut pool, &mut groups)? && self.grow(&mut pool, &mut groups)?;
        Ok(done.then(|| (groups, pool.members().collect())))
    }

    /// The attribute that allows the fewest classes, and how many they are.
    fn hardest(&self, rest: &[(usize, u64)]) -> (Option<Hardest>, u64) {
        let problem = self.0.problem;
        let bound = |(variety, asked): (usize, &Variety)| {
            let values = asked.frequencies(&Members::new(problem.table, rest));
            let frequencies: Vec<u64> = values.iter().map(|value| value.1).collect();
            // The rows keep the policy as one class, so that there are p values.
            let (classes, _) = max_clusters(&frequencies, asked.least)?;
            Some((classes, Hardest { variety, p: to_usize(asked.least.max(1)), values }))
        };
        let hardest = (0..).zip(&problem.varieties[..]).filter_map(bound).min_by_key(|bound| bound.0);
        hardest.map_or((None, u64::MAX), |(classes, hardest)| (Some(hardest), classes))
    }

    /// The rows of one value.
    fn rows_of(&self, hardest: &Hardest, value: u32, rest: &[(usize, u64)]) -> RowPool {
        let has = |member: &&(usize, u64)| self.0.things.thing(member.0, hardest.variety) == value;
        RowPool::new(&self.0.cells, &self.0.things, rest.iter().filter(has).copied().collect())
    }

    /// Deals `rows` rows to the groups round and round, those of the last pool first; whether there was time.
    fn split(&mut self, pools: &mut [RowPool], groups: &mut [RowGroup], rows: usize) -> Result<bool, Stopped> {
        let mut turns = (0..groups.len()).cycle().take(rows);
        for pool in pools.iter_mut().rev() {
            while pool.rows() > 0 {
                self.0.budget.check()?;
                if self.0.budget.is_over() {
                    return Ok(false);
                }
                let Some(turn) = turns.next() else { return Ok(true) };
                pool.tidy();
                if let Some(found) = pool.best(&self.0, &groups[turn]) {
                    self.0.take(pool, found.at, &mut groups[turn]);
                }
            }
        }
        Ok(true)
    }

    /// Gives each group a row of each pool, the best pair of all first; whether there was time.
    fn fill(&mut self, pools: &mut [RowPool], groups: &mut [RowGroup]) -> Result<bool, Stopped> {
        for pool in pools.iter_mut().rev() {
            if groups[0].cluster.rows == 0 {
                self.0.seed(pool, groups);
                continue;
            }
            // What a group finds becomes only worse when rows go, so the best of what they found before is the best
            // still if the row is there still, and else the group looks again.
            let mut found = BinaryHeap::with_capacity(groups.len());
            for at in 0..groups.len() {
                if self.0.budget.is_over() {
                    return Ok(false);
                }
                found.extend(self.pair(pool, groups, at));
            }
            while let Some(Reverse((.., at, place))) = found.pop() {
                self.0.budget.check()?;
                if self.0.budget.is_over() {
                    return Ok(false);
                }
                if pool.rows_at(place) > 0 {
                    self.0.take(pool, place, &mut groups[at]);
                } else {
                    found.extend(self.pair(pool, groups, at));
                }
            }
        }
        Ok(true)
    }

    /// What suits a group best.
    fn pair(&self, pool: &RowPool, groups: &[RowGroup], at: usize) -> Option<Reverse<MatchRank>> {
        let found = pool.best(&self.0, &groups[at])?;
        Some(Reverse((Reverse(found.diversity), found.growth.max(0.0).to_bits(), at, found.at)))
    }

    /// Brings every group the values it lacks, and dissolves groups when there are none; whether there was time.
    fn vary(&mut self, pool: &mut RowPool, groups: &mut Vec<RowGroup>) -> Result<bool, Stopped> {
        groups.sort_by_cached_key(|group| group.lacks(&self.0.things));
        let mut at = 0;
        while at < groups.len() {
            if self.0.budget.is_over() {
                return Ok(false);
            }
            pool.tidy();
            if self.0.vary(pool, &mut groups[at])? {
                at += 1;
            } else {
                self.dissolve(pool, groups);
            }
        }
        Ok(true)
    }

    /// Grows every group to k rows, after those were dissolved that there are not enough rows for; whether there was
    /// time.
    fn grow(&mut self, pool: &mut RowPool, groups: &mut Vec<RowGroup>) -> Result<bool, Stopped> {
        let (problem, k) = (self.0.problem, self.0.problem.k);
        groups.sort_by_cached_key(|group| Reverse(group.size(problem)));
        let large = groups.iter().filter(|group| group.size(problem) >= k).count();
        let rest: u64 = groups[large..].iter().map(|group| group.cluster.rows).sum::<u64>() + pool.rows();
        while groups.len() > large + to_usize(rest / k) {
            if self.0.budget.is_over() {
                return Ok(false);
            }
            self.dissolve(pool, groups);
        }
        let mut at = 0;
        while at < groups.len() {
            if self.0.budget.is_over() {
                return Ok(false);
            }
            pool.tidy();
            if self.0.fill(pool, &mut groups[at])? {
                at += 1;
                self.0.budget.tell(at as u64, Some(groups.len() as u64));
            } else {
                self.dissolve(pool, groups);
            }
        }
        Ok(true)
    }

    /// Gives the rows of the last group back.
    fn dissolve(&self, pool: &mut RowPool, groups: &mut Vec<RowGroup>) {
        if let Some(group) = groups.pop() {
            pool.give(&self.0.cells, &self.0.things, group.cluster.members);
        }
    }
}
