//! Sequential clustering: rows move, one tuple after the other, to the cluster where the loss falls most.
//!
//! Goldberger and Tassa, "Efficient anonymizations with enhanced utility", Transactions on Data Privacy 2010, for any
//! policy. The tuples are dealt at random to clusters of half as many rows as a class needs. In each round every tuple
//! moves to the cluster where the loss of the table falls most by its move; a tuple that is alone moves in any case,
//! and its cluster is gone. After a round, clusters of more than one and a half times as many rows as a class needs are
//! cut in two at random. When nothing moved, or after [`ROUNDS`] rounds, clusters that do not keep the policy are
//! merged with their closest, as [agglomerative clustering](super::agglomerative) does, and the last of them is dealt
//! out.
//!
//! The rows of a tuple move together: parting them saves nothing. A tuple that keeps the policy by itself stays where
//! it is, and others may join it.
//!
//! **It ends**: rounds are bounded, and merging makes clusters fewer. In a round each tuple asks each cluster: n · 2n/k
//! comparisons. The order of moves is that of the tuples, and only the comparisons are made in parallel, so that
//! threads change nothing. When the time is over, the clusters are merged unchanged.

use incrowd_core::Stopped;

use super::agglomerative::ClusterMerger;
use super::{AlgorithmEntry, SolverTraits};
use crate::solver::clusters::{NumberedCells, RowCluster, cheapest};
use crate::solver::kinds::Kinds;
use crate::solver::levels::LevelNodes;
use crate::solver::local::solve_local;
use crate::solver::random::SplitMix64;
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "sequential",
    summary: "Moves tuples between random clusters as long as the loss decreases, and merges small clusters.",
    reference: "J. Goldberger and T. Tassa, Efficient anonymizations with enhanced utility, Transactions on Data \
                Privacy 2010",
    loss: "lm",
    counts_work: false,
    effort: None,
    traits: SolverTraits::LOCAL,
    new: || Box::new(Sequential),
};

/// Maximum number of rounds. On Adult at k = 10 tuples move still after 30 rounds (LM 0.0909); 15 rounds give
/// 0.0942 in half the time.
const ROUNDS: u64 = 15;

/// A move has to save more than rounding can.
const SAVED: f64 = 1e-9;

struct Sequential;

impl Algorithm for Sequential {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        solve_local(problem, budget, |problem, budget, rows| {
            let (levels, kinds) = (LevelNodes::new(problem), Kinds::new(problem));
            let mut moves = Moves::new(problem, budget, &kinds, NumberedCells::new(problem, &levels), rows);
            let rounds = moves.run()?;
            let (cells, clusters) = (moves.cells, moves.clusters);
            let clusters = clusters.into_iter().filter(|cluster| !cluster.members.is_empty()).collect();
            let mut merging = ClusterMerger::new(problem, budget, &kinds, cells);
            let classes = merging.run(&levels, clusters)?;
            Ok((classes, Statistics::of_rounds(rounds)))
        })
    }
}

/// The clusters and where each tuple is.
struct Moves<'a, 't> {
    problem: &'a Problem<'t>,
    budget: &'a Budget,
    kinds: &'a Kinds,
    cells: NumberedCells<'a, 't>,
    draw: SplitMix64,
    /// How many rows a class needs at least.
    least: u64,
    /// The clusters; those that all rows left are empty until the round is over.
    clusters: Vec<RowCluster>,
    /// What each cluster publishes, one after the other, so that they are compared without going astray in memory.
    published: Vec<u32>,
}

impl<'a, 't> Moves<'a, 't> {
    /// Deals the tuples to clusters.
    fn new(
        problem: &'a Problem<'t>,
        budget: &'a Budget,
        kinds: &'a Kinds,
        cells: NumberedCells<'a, 't>,
        mut rest: Vec<(usize, u64)>,
    ) -> Self {
        let least = kinds.least(problem);
        let mut draw = SplitMix64::new(problem.seed);
        draw.shuffle(&mut rest);
        let mut moves =
            Moves { problem, budget, kinds, cells, draw, least, clusters: Vec::new(), published: Vec::new() };
        let mut dealt: Vec<(usize, u64)> = Vec::new();
        let mut rows = 0;
        for member in rest {
            rows += member.1;
            dealt.push(member);
            if rows >= least.div_ceil(2) {
                moves.open(std::mem::take(&mut dealt));
                rows = 0;
            }
        }
        if rows > 0 {
            moves.open(dealt);
        }
        moves
    }

    fn open(&mut self, members: Vec<(usize, u64)>) {
        self.clusters.push(RowCluster::new(&mut self.cells, self.kinds, members));
    }

    /// Writes down what a cluster publishes now; an empty one keeps what it published.
    fn publish(&mut self, at: usize) {
        let cells = &self.clusters[at].cells;
        self.published[at * self.cells.width()..][..cells.len()].copy_from_slice(cells);
    }

    /// Makes rounds until nothing moves or the time is over; how many.
    fn run(&mut self) -> Result<u64, Stopped> {
        for round in 1..=ROUNDS {
            let mut moved = 0;
            self.published = self.clusters.iter().flat_map(|cluster| &cluster.cells).copied().collect();
            for (tuple, home) in self.homes() {
                self.budget.check()?;
                if self.budget.is_over() {
                    return Ok(round);
                }
                if let Some(other) = self.better(tuple, home) {
                    self.step(tuple, home, other);
                    moved += 1;
                }
            }
            self.budget.tell(round, Some(ROUNDS));
            self.clusters.retain(|cluster| !cluster.members.is_empty());
            self.split();
            if moved == 0 {
                return Ok(round);
            }
        }
        Ok(ROUNDS)
    }

    /// Each tuple with the cluster it is in, in the order of the tuples.
    fn homes(&self) -> Vec<(usize, usize)> {
        let mut homes: Vec<(usize, usize)> = Vec::new();
        for (home, cluster) in self.clusters.iter().enumerate() {
            homes.extend(cluster.members.iter().map(|member| (member.0, home)));
        }
        homes.sort_unstable();
        homes
    }

    /// The members of a cluster without a tuple, and the rows of the tuple.
    fn without(&self, tuple: usize, home: usize) -> (Vec<(usize, u64)>, u64) {
        let members = &self.clusters[home].members;
        let rows = members.iter().filter(|member| member.0 == tuple).map(|member| member.1).sum();
        (members.iter().copied().filter(|member| member.0 != tuple).collect(), rows)
    }

    /// The cluster where a tuple is better off: where the loss falls most, or any when it is alone and in need.
    fn better(&mut self, tuple: usize, home: usize) -> Option<usize> {
        let (others, rows) = self.without(tuple, home);
        let alone = others.is_empty();
        if alone && self.problem.holds(self.clusters[home].pile.rows()) {
            return None;
        }
        let cells = self.cells.of_all(&others);
        let left = (self.clusters[home].rows - rows) as f64 * self.cells.price(&cells);
        let saved = self.clusters[home].loss() - left;
        let towards = self.cells.towards(self.cells.of(tuple));
        let width = self.cells.width();
        let growth = |at: usize| {
            let cluster = &self.clusters[at];
            let here = at != home && cluster.rows > 0;
            // The tuple loses at least what the rows of the cluster lose now.
            let worth = here && (alone || rows as f64 * cluster.price < saved);
            worth.then(|| cluster.growth(towards.price(&self.published[at * width..][..width]), rows))
        };
        let (growth, at) = cheapest(self.clusters.len(), growth)?;
        (alone || growth + SAVED < saved).then_some(at)
    }

    /// Moves a tuple.
    fn step(&mut self, tuple: usize, home: usize, other: usize) {
        let (others, rows) = self.without(tuple, home);
        self.clusters[home] = RowCluster::new(&mut self.cells, self.kinds, others);
        self.clusters[other].add(&mut self.cells, self.kinds, (tuple, rows));
        self.publish(home);
        self.publish(other);
    }

    /// Cuts large clusters in two, at random.
    fn split(&mut self) {
        for at in 0..self.clusters.len() {
            let cluster = &mut self.clusters[at];
            if cluster.members.len() < 2 || 2 * cluster.rows <= 3 * self.least {
                continue;
            }
            let mut members = std::mem::take(&mut cluster.members);
            let half = cluster.rows / 2;
            // The order of the members tells of the moves that led here.
            members.sort_unstable();
            self.draw.shuffle(&mut members);
            let mut rows = 0;
            let mut fits = |member: &(usize, u64)| {
                rows += member.1;
                rows <= half
            };
            let cut = members.iter().take_while(|member| fits(member)).count().clamp(1, members.len() - 1);
            let second = members.split_off(cut);
            self.clusters[at] = RowCluster::new(&mut self.cells, self.kinds, members);
            self.open(second);
        }
    }
}
