//! Greedy k-member clustering: a class grows from one row by the rows that cost least, until it keeps the policy.
//!
//! Byun, Kamra, Bertino and Li, "Efficient k-anonymization using clustering techniques", DASFAA 2007, for any policy.
//! The next class starts with the row that is furthest from the last row that was taken, the first one at a random row.
//! Then the row whose joining makes the class lose least is taken, again and again. Rows that are left in the end join
//! the class where the loss grows least.
//!
//! A first row whose tuple keeps the policy by itself brings all rows of the tuple, and they are a class.
//!
//! **Any policy.** A row is taken only when the policy's gap falls by it; rows that do not help are passed over until
//! another one was taken. Of a tuple as many rows are taken at once as help. A class that cannot be completed gives its
//! rows back, except the first one, which is left over; after some of these in a row everything else is left over too.
//!
//! **It ends** because each start takes a row out of the pool. Each step asks all tuples at worst, n² comparisons; most
//! of them are passed over in runs ([`SortedTuples`]). When the time is over, the rows in the pool are cut by Mondrian
//! instead.

use incrowd_core::Stopped;

use super::{AlgorithmEntry, SolverTraits};
use crate::solver::ClassMembers;
use crate::solver::clusters::{JoinPrices, NumberedCells, RowCluster};
use crate::solver::kinds::Kinds;
use crate::solver::leftovers::place_in_clusters;
use crate::solver::levels::LevelNodes;
use crate::solver::local::solve_local;
use crate::solver::median_cuts::cut_after_deadline;
use crate::solver::nearest::SortedTuples;
use crate::solver::random::SplitMix64;
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "k-member",
    summary: "Builds classes one by one from the rows that cost least, each starting far from the last one.",
    reference: "J.-W. Byun, A. Kamra, E. Bertino and N. Li, Efficient k-anonymization using clustering techniques, \
                DASFAA 2007",
    loss: "lm",
    counts_work: false,
    effort: None,
    traits: SolverTraits::LOCAL,
    new: || Box::new(KMember),
};

/// Number of rows that may be passed over, or taken without reducing the gap, before a class is given up.
const PATIENCE: usize = 64;

/// Number of classes given up in a row after which the rest is left over.
const GIVEN_UP: usize = 8;

struct KMember;

impl Algorithm for KMember {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        solve_local(problem, budget, |problem, budget, rows| {
            let (levels, kinds) = (LevelNodes::new(problem), Kinds::new(problem));
            let mut growth = ClassGrowth::new(problem, budget, &kinds, NumberedCells::new(problem, &levels), rows);
            let (mut clusters, mut left) = growth.run()?;
            let cut_short = growth.left > 0 && budget.was_late();
            let rest = growth.pool.members.iter().copied().filter(|member| member.1 > 0);
            let mut classes = Vec::new();
            if cut_short {
                classes = cut_after_deadline(problem, budget, (&levels, &kinds), rest.collect())?;
            } else {
                left.extend(rest);
            }
            let rounds = clusters.len() as u64;
            place_in_clusters(problem, budget, &kinds, &mut growth.cells, &mut clusters, left)?;
            classes.extend(clusters.into_iter().map(|cluster| cluster.members));
            Ok((classes, Statistics::of_rounds(rounds)))
        })
    }
}

/// The rows that are in no class yet.
struct ClassGrowth<'a, 't> {
    problem: &'a Problem<'t>,
    budget: &'a Budget,
    kinds: &'a Kinds,
    cells: NumberedCells<'a, 't>,
    /// The tuples with the rows that are left of them; those without any are taken out now and then.
    pool: SortedTuples,
    /// How many of the tuples have rows left.
    left: usize,
}

impl<'a, 't> ClassGrowth<'a, 't> {
    fn new(
        problem: &'a Problem<'t>,
        budget: &'a Budget,
        kinds: &'a Kinds,
        cells: NumberedCells<'a, 't>,
        rest: Vec<(usize, u64)>,
    ) -> Self {
        ClassGrowth { problem, budget, kinds, left: rest.len(), pool: SortedTuples::new(&cells, rest), cells }
    }

    /// Makes clusters until nothing is in the pool, nothing more can be made of it, or the time is over; the clusters,
    /// and the rows that were left over on the way.
    fn run(&mut self) -> Result<(Vec<RowCluster>, ClassMembers), Stopped> {
        let (mut clusters, mut left) = (Vec::new(), Vec::new());
        let (mut done, mut given_up) = (0, 0);
        let mut last = self.pool.members[SplitMix64::new(self.problem.seed).below(self.pool.members.len())].0;
        while self.left > 0 && given_up < GIVEN_UP && !self.budget.is_over() {
            self.budget.check()?;
            if self.left < self.pool.members.len() / 4 * 3 {
                self.pool.tidy();
            }
            let Some(seed) = self.pool.furthest(&self.cells.towards(self.cells.of(last))) else { break };
            let mut cluster = RowCluster::default();
            let mut places = vec![seed];
            self.take(&mut cluster, seed, self.all_if_they_hold(seed));
            if self.grow(&mut cluster, &mut places)? {
                last = cluster.members[cluster.members.len() - 1].0;
                (done, given_up) = (done + cluster.rows, 0);
                self.budget.tell(done, Some(self.problem.table.rows()));
                clusters.push(cluster);
            } else {
                given_up += 1;
                last = cluster.members[0].0;
                left.push(cluster.members[0]);
                for (&at, member) in places.iter().zip(&cluster.members).skip(1) {
                    let back = &mut self.pool.members[at].1;
                    self.left += usize::from(*back == 0);
                    *back += member.1;
                }
            }
        }
        Ok((clusters, left))
    }

    /// All rows of a tuple when they keep the policy by themselves, otherwise one.
    fn all_if_they_hold(&self, at: usize) -> u64 {
        let (tuple, rows) = self.pool.members[at];
        if self.problem.holds(&[(tuple, rows)]) { rows } else { 1 }
    }

    /// Moves rows from the pool to a cluster.
    fn take(&mut self, cluster: &mut RowCluster, at: usize, rows: u64) {
        let (tuple, left) = &mut self.pool.members[at];
        *left -= rows;
        self.left -= usize::from(*left == 0);
        cluster.add(&mut self.cells, self.kinds, (*tuple, rows));
    }

    /// Adds rows, the cheapest first, until the policy is kept; whether it is. `places` are where they came from.
    fn grow(&mut self, cluster: &mut RowCluster, places: &mut Vec<usize>) -> Result<bool, Stopped> {
        let mut gap = self.problem.gap(cluster.pile.rows());
        let (mut idle, mut towards) = (0, self.cells.towards(&cluster.cells));
        while gap > 0 {
            self.budget.check()?;
            if self.budget.is_over() {
                return Ok(false);
            }
            let Some((at, rows)) = self.next(cluster, &towards, gap) else { return Ok(false) };
            let published = cluster.cells.clone();
            self.take(cluster, at, rows);
            places.push(at);
            if published != cluster.cells {
                towards = self.cells.towards(&cluster.cells);
            }
            let nearer = self.problem.gap(cluster.pile.rows());
            idle = if nearer < gap { 0 } else { idle + 1 };
            if idle > PATIENCE {
                return Ok(false);
            }
            gap = nearer;
        }
        Ok(true)
    }

    /// The place of the cheapest rows that bring a cluster nearer to the policy, and how many of them; otherwise the
    /// cheapest row that does not lead away from it.
    fn next(&self, cluster: &RowCluster, towards: &JoinPrices, gap: u64) -> Option<(usize, u64)> {
        let people = self.problem.table.counts_people();
        let combination = |at: usize| self.kinds.combination(self.kinds.of(self.pool.members[at].0));
        let (mut passed, mut neutral): (Vec<usize>, Option<(usize, u64)>) = (Vec::new(), None);
        while passed.len() <= PATIENCE && !self.budget.is_over() {
            // Rows of the same combination do not help either, unless it matters whose they are.
            let is_passed =
                |at: usize| passed.iter().any(|&other| at == other || !people && combination(at) == combination(other));
            let Some(at) = self.pool.nearest(towards, |at| !is_passed(at)) else { break };
            let (tuple, left) = self.pool.members[at];
            let mut rows = left.min(gap);
            while rows > 0 {
                let mut pile = cluster.pile.clone();
                pile.extend(std::iter::once((self.kinds.sample(self.kinds.of(tuple)), rows)));
                let left = self.problem.gap(pile.rows());
                if left.saturating_add(rows.div_ceil(2)) <= gap {
                    return Some((at, rows));
                }
                neutral = neutral.or((rows == 1 && left <= gap).then_some((at, 1)));
                rows /= 2;
            }
            passed.push(at);
        }
        neutral
    }
}
