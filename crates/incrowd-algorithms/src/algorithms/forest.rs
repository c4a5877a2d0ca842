//! Forest: every tuple holds on to a nearest one until all components keep the policy; large components are cut.
//!
//! Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas and Zhu, "Approximation algorithms for k-anonymity", Journal
//! of Privacy Technology 2005, for any policy. A component that does not keep the policy has exactly one tuple that
//! holds on to no other. That one picks the nearest tuple of another component, and both components become one. So
//! every component stays a tree whose edges lead to its root.
//!
//! **Any policy.** Of the nearest tuples the first one is picked with whose component the policy's gap falls; when none
//! of those that were asked does that, the nearest of all.
//!
//! **Large components are cut** along their trees, from the leaves up: the branches of a tuple are gathered until they
//! keep the policy and then are a class; what was gathered too little goes on with the tuple itself. What is left at
//! the root joins the part where the loss grows least. So parts are small, and all keep the policy.
//!
//! **It ends**: each edge makes two components one. Each tuple asks for its nearest once: n² comparisons at worst.
//! There is no sampling of candidates: with the runs of [`SortedTuples`] most of them are passed over (26,207 tuples of
//! Adult: 2 s). When the time is over, components that do not keep the policy are cut by Mondrian together.

use incrowd_core::Stopped;

use super::{AlgorithmEntry, SolverTraits};
use crate::solver::clock::did;
use crate::solver::clusters::{NumberedCells, RowCluster};
use crate::solver::donors::KindRows;
use crate::solver::kinds::Kinds;
use crate::solver::leftovers::place_in_clusters;
use crate::solver::levels::LevelNodes;
use crate::solver::local::solve_local;
use crate::solver::median_cuts::cut_after_deadline;
use crate::solver::nearest::SortedTuples;
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "forest",
    summary: "Connects every tuple with a nearest one until all components meet the policy, and splits large \
              components.",
    reference: "G. Aggarwal et al., Approximation algorithms for k-anonymity, Journal of Privacy Technology 2005",
    loss: "lm",
    counts_work: false,
    effort: None,
    traits: SolverTraits::LOCAL,
    new: || Box::new(Forest),
};

/// Number of nearest tuples for which it is tried whether the gap falls with them.
const ASKED: usize = 16;

struct Forest;

impl Algorithm for Forest {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        solve_local(problem, budget, |problem, budget, rows| {
            let (levels, kinds) = (LevelNodes::new(problem), Kinds::new(problem));
            let mut cells = NumberedCells::new(problem, &levels);
            let mut trees = Trees::new((problem, budget), &kinds, &cells, rows);
            let (rounds, open) = trees.grow(&cells)?;
            let (mut clusters, mut left) = (Vec::new(), Vec::new());
            for (root, members) in trees.components() {
                budget.check()?;
                if trees.gap(root) > 0 {
                    left.extend(members.iter().map(|&at| trees.sorted.members[at]));
                } else {
                    trees.cut(&mut cells, &members, &mut clusters);
                }
            }
            let mut classes = Vec::new();
            if open {
                classes = cut_after_deadline(problem, budget, (&levels, &kinds), left)?;
            } else {
                place_in_clusters(problem, budget, &kinds, &mut cells, &mut clusters, left)?;
            }
            classes.extend(clusters.into_iter().map(|cluster: RowCluster| cluster.members));
            Ok((classes, Statistics::of_rounds(rounds)))
        })
    }
}

/// The tuples, each with the one it holds on to.
struct Trees<'a, 't> {
    problem: &'a Problem<'t>,
    budget: &'a Budget,
    kinds: &'a Kinds,
    sorted: SortedTuples,
    /// The tuple that each one holds on to; the root of a component holds on to itself.
    parents: Vec<usize>,
    /// A way to the number of each one's component, in a few steps.
    ways: Vec<usize>,
    /// The rows by kind, the root and the number of tuples of each component, by its number.
    components: Vec<(KindRows, usize, usize)>,
}

impl<'a, 't> Trees<'a, 't> {
    fn new(
        (problem, budget): (&'a Problem<'t>, &'a Budget),
        kinds: &'a Kinds,
        cells: &NumberedCells<'_, '_>,
        rest: Vec<(usize, u64)>,
    ) -> Self {
        let sorted = SortedTuples::new(cells, rest);
        let pile = |&(tuple, rows): &(usize, u64)| {
            let mut pile = KindRows::default();
            pile.extend(std::iter::once((kinds.sample(kinds.of(tuple)), rows)));
            pile
        };
        let components = (0..).zip(&sorted.members).map(|(at, member)| (pile(member), at, 1)).collect();
        let all: Vec<usize> = (0..sorted.members.len()).collect();
        Trees { problem, budget, kinds, sorted, parents: all.clone(), ways: all, components }
    }

    /// The number of a tuple's component.
    fn component(&self, mut at: usize) -> usize {
        while self.ways[at] != at {
            at = self.ways[at];
        }
        at
    }

    /// How far a component is from keeping the policy.
    fn gap(&self, component: usize) -> u64 {
        self.problem.gap(self.components[component].0.rows())
    }

    /// Adds edges until all components keep the policy; how many, and whether the deadline came first.
    fn grow(&mut self, cells: &NumberedCells<'_, '_>) -> Result<(u64, bool), Stopped> {
        let budget = self.budget;
        let mut edges = 0;
        let total = self.sorted.members.len() as u64;
        // Components in the order of their first tuple; one that grew and fails still is asked again at once.
        for first in 0..self.sorted.members.len() {
            budget.tell(first as u64, Some(total));
            let mut component = self.component(first);
            loop {
                let gap = self.gap(component);
                if gap == 0 {
                    break;
                }
                budget.check()?;
                if budget.is_over() {
                    return Ok((edges, true));
                }
                let Some(other) = self.pick(cells, component, gap) else { break };
                component = self.hold_on(component, other);
                edges += 1;
            }
        }
        Ok((edges, false))
    }

    /// The tuple that the root of a component picks.
    fn pick(&self, cells: &NumberedCells<'_, '_>, component: usize, gap: u64) -> Option<usize> {
        let (pile, root, _) = &self.components[component];
        let towards = cells.towards(cells.of(self.sorted.members[*root].0));
        let mut passed: Vec<usize> = Vec::new();
        while passed.len() < ASKED && !self.budget.is_over() {
            let wanted = |at: usize| {
                let other = self.component(at);
                other != component && !passed.iter().any(|&passed| self.component(passed) == other)
            };
            let Some(other) = self.sorted.nearest(&towards, wanted) else { break };
            let mut both = pile.clone();
            both.extend(self.components[self.component(other)].0.rows().to_vec().into_iter());
            if self.problem.gap(both.rows()) < gap {
                return Some(other);
            }
            passed.push(other);
        }
        passed.first().copied()
    }

    /// Lets the root of a component hold on to a tuple of another one; the number of what both are now.
    fn hold_on(&mut self, component: usize, other: usize) -> usize {
        let number = self.component(other);
        let (root, kept) = (self.components[component].1, self.components[number].1);
        self.parents[root] = other;
        // The way of the smaller one leads to the larger one, so that ways stay short.
        let is_smaller = self.components[component].2 <= self.components[number].2;
        let (smaller, larger) = if is_smaller { (component, number) } else { (number, component) };
        let (pile, _, tuples) = std::mem::take(&mut self.components[smaller]);
        self.ways[smaller] = larger;
        let both = &mut self.components[larger];
        both.0.extend(pile.rows().to_vec().into_iter());
        (both.1, both.2) = (kept, both.2 + tuples);
        larger
    }

    /// The components, each with its tuples in the order of the sort.
    fn components(&self) -> Vec<(usize, Vec<usize>)> {
        let mut tuples: Vec<(usize, usize)> = (0..self.parents.len()).map(|at| (self.component(at), at)).collect();
        tuples.sort_unstable();
        let component = |tuples: &[(usize, usize)]| (tuples[0].0, tuples.iter().map(|tuple| tuple.1).collect());
        tuples.chunk_by(|a, b| a.0 == b.0).map(component).collect()
    }

    /// Cuts a component that keeps the policy.
    fn cut(&self, cells: &mut NumberedCells<'_, '_>, members: &[usize], clusters: &mut Vec<RowCluster>) {
        let place = |at: usize| members.binary_search(&at).unwrap_or(0);
        let parents: Vec<usize> = members.iter().map(|&at| place(self.parents[at])).collect();
        let mut waiting = vec![0; members.len()];
        parents.iter().for_each(|&parent| waiting[parent] += 1);
        // A root waits for itself.
        let root = (0..members.len()).find(|&at| parents[at] == at);
        root.into_iter().for_each(|root| waiting[root] -= 1);
        let mut gathered: Vec<RowCluster> = vec![RowCluster::default(); members.len()];
        let mut ready: Vec<usize> = (0..members.len()).rev().filter(|&at| waiting[at] == 0).collect();
        let first = clusters.len();
        while let Some(at) = ready.pop() {
            let mut branch = std::mem::take(&mut gathered[at]);
            branch.add(cells, self.kinds, self.sorted.members[members[at]]);
            if self.problem.holds(branch.pile.rows()) {
                clusters.push(std::mem::take(&mut branch));
            }
            let parent = parents[at];
            if parent == at {
                self.finish(cells, branch, first, clusters);
                break;
            }
            if !branch.members.is_empty() {
                let gathered = &mut gathered[parent];
                if gathered.members.is_empty() {
                    *gathered = branch;
                } else {
                    gathered.merge(cells, branch);
                }
                if self.problem.holds(gathered.pile.rows()) {
                    clusters.push(std::mem::take(gathered));
                }
            }
            waiting[parent] -= 1;
            ready.extend((waiting[parent] == 0).then_some(parent));
        }
    }

    /// Adds what is left at the root to the part where the loss grows least, or to all of them until it holds or the
    /// time is over; then it is a part by itself.
    fn finish(
        &self,
        cells: &mut NumberedCells<'_, '_>,
        mut rest: RowCluster,
        first: usize,
        clusters: &mut Vec<RowCluster>,
    ) {
        while !rest.members.is_empty() && clusters.len() > first && !self.budget.is_over() {
            did(clusters.len() - first);
            let towards = cells.towards(&rest.cells);
            let growth = |at: &usize| {
                let price = towards.price(&clusters[*at].cells);
                clusters[*at].growth(price, rest.rows)
            };
            let cheapest = (first..clusters.len()).min_by(|a, b| growth(a).total_cmp(&growth(b)));
            let Some(at) = cheapest else { break };
            let mut part = clusters.swap_remove(at);
            part.merge(cells, rest);
            rest = if self.problem.holds(part.pile.rows()) {
                clusters.push(part);
                RowCluster::default()
            } else {
                part
            };
        }
        clusters.extend((!rest.members.is_empty()).then_some(rest));
    }
}
