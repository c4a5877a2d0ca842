//! Agglomerative clustering: the closest two clusters become one, until each keeps the policy.
//!
//! Gionis and Tassa, "k-anonymization with minimal loss of information", TKDE 2009, for any policy. Every tuple begins
//! as a cluster, those that keep the policy by themselves as finished ones. The closest two are merged ([`pairs`]). A
//! cluster that keeps the policy is finished, after the *modified* step: as long as it keeps the policy without one of
//! its tuples, the one without which its rows lose least leaves it and is a cluster by itself again. When a single
//! cluster is left that does not keep the policy, its rows join the clusters where the loss grows least.
//!
//! **It ends**: a merge makes one cluster of two, and what leaves a finished cluster is less than what stays in it. The
//! tuples that are not in finished clusters are fewer after each finished one. Each merge asks all clusters: n²
//! comparisons and some more, for tables of up to some ten thousand tuples. Where a policy wants rare values, clusters
//! grow large before they keep it and shed most of what they took: many times as much. When the time is over or a part
//! of the effort is spent ([`SHARE`]), the unfinished clusters are cut by Mondrian together.

mod pairs;

use incrowd_core::Stopped;

use super::{AlgorithmEntry, SolverTraits};
use crate::solver::ClassMembers;
use crate::solver::clock::did;
use crate::solver::clusters::{NumberedCells, RowCluster};
use crate::solver::kinds::Kinds;
use crate::solver::leftovers::place_in_clusters;
use crate::solver::levels::LevelNodes;
use crate::solver::local::solve_local;
use crate::solver::median_cuts::cut_after_deadline;
use crate::solver::start::add_up;
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};
use pairs::NearestPairs;

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "agglomerative",
    summary: "Merges the two closest clusters until each meets the policy, and releases tuples that are not needed.",
    reference: "A. Gionis and T. Tassa, k-Anonymization with minimal loss of information, TKDE 2009",
    loss: "lm",
    counts_work: true,
    effort: None,
    traits: SolverTraits::LOCAL,
    new: || Box::new(Agglomerative),
};

/// It may take this part of the effort: what it cannot do with that, refinement does better.
const SHARE: u64 = 4;
/// The work of finding out what a cluster loses without each of its members, for each member and quasi-identifier.
const SHEDDING: u64 = 24;

/// Number of tuples that are tried to be removed from their cluster, the most expensive first.
const ASKED: usize = 16;

struct Agglomerative;

impl Algorithm for Agglomerative {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        solve_local(problem, budget, |problem, budget, rows| {
            let (levels, kinds) = (LevelNodes::new(problem), Kinds::new(problem));
            let mut cells = NumberedCells::new(problem, &levels);
            let single = |member| RowCluster::new(&mut cells, &kinds, vec![member]);
            let singles = rows.into_iter().map(single).collect();
            let most = budget.effort.map(|effort| effort / SHARE);
            let mut merging = ClusterMerger { sheds: true, most, ..ClusterMerger::new(problem, budget, &kinds, cells) };
            let classes = merging.run(&levels, singles)?;
            Ok((classes, Statistics { work: Some(merging.work), ..Statistics::of_rounds(merging.merges) }))
        })
    }
}

/// What every merge needs to know.
pub(super) struct ClusterMerger<'a, 't> {
    pub(super) problem: &'a Problem<'t>,
    pub(super) budget: &'a Budget,
    pub(super) kinds: &'a Kinds,
    pub(super) cells: NumberedCells<'a, 't>,
    /// Whether finished clusters shed what they can do without.
    pub(super) sheds: bool,
    pub(super) merges: u64,
    /// The work units that may be spent.
    pub(super) most: Option<u64>,
    /// Those that were spent.
    pub(super) work: u64,
}

impl<'a, 't> ClusterMerger<'a, 't> {
    /// Finished clusters keep all they have, however much work that is.
    pub(super) fn new(
        problem: &'a Problem<'t>,
        budget: &'a Budget,
        kinds: &'a Kinds,
        cells: NumberedCells<'a, 't>,
    ) -> Self {
        ClusterMerger { problem, budget, kinds, cells, sheds: false, merges: 0, most: None, work: 0 }
    }

    /// Merges clusters until all keep the policy or the time is over; the classes.
    pub(super) fn run(&mut self, levels: &LevelNodes, clusters: Vec<RowCluster>) -> Result<Vec<ClassMembers>, Stopped> {
        let (mut done, open): (Vec<RowCluster>, Vec<RowCluster>) =
            clusters.into_iter().partition(|cluster| self.problem.holds(cluster.pile.rows()));
        let mut finished: u64 = done.iter().map(|cluster| cluster.rows).sum();
        self.budget.check()?;
        let asking = open.len() as u64 * self.cells.comparing(open.len());
        let mut open = if self.budget.is_over() || self.most.is_some_and(|most| asking > most) {
            NearestPairs::unasked(&self.cells, open)
        } else {
            NearestPairs::new(&self.cells, self.budget, open)
        };
        let mut shedding = 0;
        while open.len() > 1 && !self.budget.is_over() {
            self.budget.check()?;
            self.work = open.work + shedding;
            if self.most.is_some_and(|most| self.work > most) {
                break;
            }
            let Some((mut cluster, other)) = open.pop(&self.cells, self.budget) else { break };
            cluster.merge(&mut self.cells, other);
            self.merges += 1;
            if !self.problem.holds(cluster.pile.rows()) {
                open.push(&self.cells, self.budget, cluster);
                continue;
            }
            if self.sheds {
                cluster.members = together(cluster.members);
                for member in self.shed(&mut cluster, &mut shedding) {
                    let single = RowCluster::new(&mut self.cells, self.kinds, vec![member]);
                    open.push(&self.cells, self.budget, single);
                }
            }
            finished += cluster.rows;
            self.budget.tell(finished, Some(self.problem.table.rows()));
            done.push(cluster);
        }
        let cut_short = open.len() > 1;
        let left = together(open.into_left().flat_map(|cluster| cluster.members).collect());
        let mut classes = Vec::new();
        if cut_short {
            classes = cut_after_deadline(self.problem, self.budget, (levels, self.kinds), left)?;
        } else {
            place_in_clusters(self.problem, self.budget, self.kinds, &mut self.cells, &mut done, left)?;
        }
        classes.extend(done.into_iter().map(|cluster| cluster.members));
        Ok(classes)
    }

    /// Takes tuples out of a cluster that keeps the policy, as long as it does so without them; the most expensive
    /// first.
    fn shed(&mut self, cluster: &mut RowCluster, work: &mut u64) -> ClassMembers {
        let mut shed = Vec::new();
        while cluster.members.len() > 1 && !self.budget.is_over() {
            let prices = self.prices_without(&cluster.members);
            *work += SHEDDING * (prices.len() * self.cells.width()) as u64;
            let mut order: Vec<usize> = (0..prices.len()).collect();
            order.sort_by(|&a, &b| prices[a].total_cmp(&prices[b]).then(a.cmp(&b)));
            let without = |at: usize| {
                let (tuple, rows) = cluster.members[at];
                let gone = self.kinds.sample(self.kinds.of(tuple));
                let left = |&(sample, all): &(usize, u64)| (sample, if sample == gone { all - rows } else { all });
                cluster.pile.rows().iter().map(left).filter(|entry| entry.1 > 0).collect::<ClassMembers>()
            };
            let spare = order.into_iter().take(ASKED).find(|&at| self.problem.holds(&without(at)));
            let Some(at) = spare else { break };
            shed.push(cluster.members.remove(at));
            *cluster = RowCluster::new(&mut self.cells, self.kinds, std::mem::take(&mut cluster.members));
        }
        shed
    }

    /// What a row of the others would lose without each of these members.
    fn prices_without(&mut self, members: &[(usize, u64)]) -> Vec<f64> {
        let count = members.len();
        did(count);
        let joins = |cells: &mut NumberedCells<'_, '_>, order: &mut dyn Iterator<Item = usize>| {
            let mut joins: Vec<Vec<u32>> = Vec::with_capacity(count);
            for at in order {
                let own = cells.of(members[at].0).to_vec();
                let mut joined = joins.last().cloned().unwrap_or_else(|| own.clone());
                cells.join(&mut joined, &own);
                joins.push(joined);
            }
            joins
        };
        let before = joins(&mut self.cells, &mut (0..count));
        let behind = joins(&mut self.cells, &mut (0..count).rev());
        let without = |at: usize| {
            let mut joined = if at == 0 { behind[count - 2].clone() } else { before[at - 1].clone() };
            if at > 0 && at + 1 < count {
                self.cells.join(&mut joined, &behind[count - 2 - at]);
            }
            self.cells.price(&joined)
        };
        (0..count).map(without).collect()
    }
}

/// Members with the rows of each tuple added up.
fn together(mut members: ClassMembers) -> ClassMembers {
    add_up(&mut members);
    members
}
