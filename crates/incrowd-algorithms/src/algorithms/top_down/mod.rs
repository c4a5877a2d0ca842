//! Top-Down: all rows start in one class at `*` and are specialized as far as the policy allows.
//!
//! Wong, Li, Fu and Wang, "(α, k)-anonymity", KDD 2006, section 4.2 (Algorithm 2), for any policy. A node is a set of
//! rows that keeps the policy as one class. For each quasi-identifier it is tried what a step down its hierarchy makes
//! of the node: children that break the policy go back to the parent, and when what went back breaks it too, rows of
//! the other children follow ([`unspecialize`]). The quasi-identifier that specializes most rows is taken (then the one
//! with the fewest branches, then the first one), and the children are nodes of the next round.
//!
//! Where the paper errs or is silent: `S ← S′` stands after the loop; what stays in the parent is a node too, that may
//! still be specialized along the other quasi-identifiers; a level on which all rows of a node agree is passed without
//! being tried, because it specializes all of them at no price.
//!
//! **It ends.** A child's rows agree on a lower level of one quasi-identifier than its parent's and on no higher level
//! of the others, so the sum of the levels falls. What stays in the parent keeps the sum but may not try the same
//! quasi-identifier again before it was specialized along another one, so the number of those to try falls. The pair of
//! both falls in lexicographic order with every step.

mod look_ahead;
mod trial;
mod unspecialize;

use std::sync::atomic::{AtomicU64, Ordering};

use incrowd_core::{ColumnSet, Stopped};
use rayon::prelude::*;

use super::{AlgorithmEntry, SolverTraits};
use crate::solver::clock::did;
use crate::solver::kinds::Kinds;
use crate::solver::levels::LevelNodes;
use crate::solver::local::solve_local;
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};
use trial::{NodeRows, Sums, Trial};
use unspecialize::SpecializationPlan;

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "top-down",
    summary: "Starts with one class and specializes rows, attribute by attribute, as far as the policy allows.",
    reference: "R. Wong, J. Li, A. Fu and K. Wang, (α, k)-anonymity, KDD 2006, section 4.2",
    loss: "distortion",
    counts_work: false,
    effort: None,
    traits: SolverTraits::LOCAL,
    new: || Box::new(TopDown),
};

/// Nodes of more tuples than this are specialized by all threads together, smaller ones by one thread to the end.
const LARGE: usize = 1 << 14;

struct TopDown;

impl Algorithm for TopDown {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        solve_local(problem, budget, |problem, budget, rows| {
            let walk = Specializer::new(problem, budget);
            let grown = walk.run(rows)?;
            Ok((grown.classes, Statistics::of_rounds(grown.rounds)))
        })
    }
}

/// Rows that keep the policy as one class and may be specialized further.
struct SpecializationNode {
    members: Vec<(usize, u64)>,
    /// The quasi-identifiers along which these rows just stayed behind.
    blocked: ColumnSet,
    /// How many steps led here.
    depth: u64,
}

/// Memory that is used for one node after the other.
#[derive(Default)]
struct TrialScratch {
    local: NodeRows,
    trials: Vec<Trial>,
    sums: Sums,
}

/// What came of some nodes.
#[derive(Default)]
pub(super) struct Grown {
    pub(super) classes: Vec<Vec<(usize, u64)>>,
    rounds: u64,
}

/// What every node needs to know.
pub(super) struct Specializer<'a, 't> {
    pub(super) problem: &'a Problem<'t>,
    pub(super) budget: &'a Budget,
    pub(super) levels: LevelNodes,
    pub(super) kinds: Kinds,
    /// A class of fewer rows than this cannot keep the policy.
    least: u64,
    done: AtomicU64,
}

impl<'a, 't> Specializer<'a, 't> {
    pub(super) fn new(problem: &'a Problem<'t>, budget: &'a Budget) -> Self {
        let kinds = Kinds::new(problem);
        let least = kinds.least(problem);
        Specializer { problem, budget, levels: LevelNodes::new(problem), kinds, least, done: AtomicU64::new(0) }
    }

    /// Specializes one class of these rows as far as it goes.
    pub(super) fn run(&self, rows: Vec<(usize, u64)>) -> Result<Grown, Stopped> {
        let total: u64 = rows.iter().map(|member| member.1).sum();
        self.done.store(self.problem.table.rows() - total, Ordering::Relaxed);
        let mut grown = Grown::default();
        let mut front = vec![SpecializationNode { members: rows, blocked: ColumnSet::EMPTY, depth: 0 }];
        while !front.is_empty() {
            let results: Vec<(Grown, Vec<SpecializationNode>)> =
                front.into_par_iter().map(|node| self.grow(node)).collect::<Result<_, Stopped>>()?;
            front = Vec::new();
            for (more, nodes) in results {
                grown.classes.extend(more.classes);
                grown.rounds = grown.rounds.max(more.rounds);
                front.extend(nodes);
            }
        }
        Ok(grown)
    }

    /// One step of a large node, all steps of a small one.
    fn grow(&self, node: SpecializationNode) -> Result<(Grown, Vec<SpecializationNode>), Stopped> {
        let (mut grown, mut large) = (Grown::default(), Vec::new());
        let mut scratch = TrialScratch::default();
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            self.budget.check()?;
            let is_large = node.members.len() > LARGE;
            let best = if self.budget.is_over() { None } else { self.best(&node, &mut scratch) };
            match best {
                Some((trial, plan)) => {
                    let nodes = look_ahead::split(self, &node, &scratch.local, (&scratch.trials[trial], &plan), true);
                    if is_large { large.extend(nodes) } else { todo.extend(nodes) }
                }
                None => {
                    let rows: u64 = node.members.iter().map(|member| member.1).sum();
                    let done = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
                    self.budget.tell(done, Some(self.problem.table.rows()));
                    grown.rounds = grown.rounds.max(node.depth);
                    grown.classes.push(node.members);
                }
            }
        }
        Ok((grown, large))
    }

    /// The best way to specialize a node: most rows, then fewest branches, then the first quasi-identifier. Which of
    /// the scratch's trials it is, and which rows stay behind.
    fn best(&self, node: &SpecializationNode, scratch: &mut TrialScratch) -> Option<(usize, SpecializationPlan)> {
        let rows: u64 = node.members.iter().map(|member| member.1).sum();
        if rows < self.least.saturating_mul(2) {
            return None;
        }
        let TrialScratch { local, trials, sums } = scratch;
        local.fill(self, &node.members);
        did(node.members.len() * self.levels.width());
        let open = |quasi: &usize| !node.blocked.contains(*quasi) && local.spans[*quasi].0 != local.spans[*quasi].1;
        let quasis: Vec<usize> = (0..self.levels.width()).filter(open).collect();
        trials.resize_with(quasis.len().max(trials.len()), Trial::default);
        let open = quasis.iter().zip(trials.iter_mut());
        if node.members.len() > LARGE {
            let open: Vec<(&usize, &mut Trial)> = open.collect();
            let fill = |(&quasi, trial): (&usize, &mut Trial)| {
                trial.fill(self, &node.members, local, quasi, &mut Sums::default());
            };
            open.into_par_iter().for_each(fill);
        } else {
            open.for_each(|(&quasi, trial)| trial.fill(self, &node.members, local, quasi, sums));
        }
        // A trial that specializes all rows has as many branches as children, so the first of them in this order is
        // the best of all, and the others need not be judged.
        let mut order: Vec<usize> = (0..quasis.len()).collect();
        order.sort_by_key(|&at| (trials[at].children.len(), trials[at].quasi));
        let mut best: Option<(usize, SpecializationPlan)> = None;
        for at in order {
            if self.budget.is_over() {
                return None;
            }
            let plan = unspecialize::judge(self, &trials[at]);
            let rank =
                |at: usize, plan: &SpecializationPlan| (u64::MAX - plan.specialized, plan.branches, trials[at].quasi);
            if plan.specialized > 0 && best.as_ref().is_none_or(|(other, least)| rank(at, &plan) < rank(*other, least))
            {
                let complete = plan.is_complete();
                best = Some((at, plan));
                if complete {
                    break;
                }
            }
        }
        best
    }
}
