//! Whether a node keeps the policy, or the part of it that may be pruned by.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use incrowd_core::{Cell, Members};

use super::recoded::{Recoded, Recoder};
use crate::solver::clock::did;
use crate::{Budget, Problem};

/// The deadline is checked once for this many classes.
const LOOK: usize = 1 << 10;

/// Which classes are kept when those that fail are suppressed.
///
/// A policy that compares classes with the whole compares them with the rows that are published. Without the classes
/// that fail these are others, so what is left is judged anew against them, until nothing more fails. `cells` are what
/// each class publishes, for policies that look at it.
pub(super) fn kept(problem: &Problem<'_>, classes: &[Members<'_>], cells: impl Fn(usize) -> Vec<Cell>) -> Vec<bool> {
    let looks_at_cells = problem.policy.looks_at_cells();
    let holds = |(at, class): (usize, &Members<'_>)| match looks_at_cells {
        true => problem.policy.holds_published(class, &cells(at)),
        false => problem.policy.holds(class),
    };
    let mut kept: Vec<bool> = classes.iter().enumerate().map(holds).collect();
    let mut fewer = problem.policy.compares() && kept.contains(&false);
    while fewer {
        let published: Vec<Members<'_>> = classes.iter().zip(&kept).filter(|one| *one.1).map(|one| *one.0).collect();
        let policy = problem.policy.against(&published);
        fewer = false;
        for ((at, class), kept) in classes.iter().enumerate().zip(&mut kept).filter(|(_, kept)| **kept) {
            *kept = if looks_at_cells { policy.holds_published(class, &cells(at)) } else { policy.holds(class) };
            fewer |= !*kept;
        }
    }
    kept
}

/// A problem as the search asks about it, and how far the search is.
pub(super) struct NodeJudge<'p> {
    pub(super) problem: &'p Problem<'p>,
    pub(super) recoder: Recoder,
    /// The unchanged table.
    pub(super) table: Recoded,
    budget: &'p Budget,
    tests: AtomicU64,
    done: AtomicU64,
    total: u64,
    cut: AtomicBool,
}

impl<'p> NodeJudge<'p> {
    pub(super) fn new(problem: &'p Problem<'p>, budget: &'p Budget) -> Self {
        let recoder = Recoder::new(problem);
        let table = recoder.table(problem);
        // Each attribute is left out of a subset or stands on one of its levels there.
        let total = recoder.heights().iter().fold(1u64, |nodes, &height| nodes.saturating_mul(height as u64 + 2));
        let (tests, done, cut) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        NodeJudge { problem, recoder, table, budget, tests, done, total, cut }
    }

    /// The nodes of the lattices of all subsets of the attributes.
    pub(super) fn nodes_of_all_subsets(&self) -> u64 {
        self.total
    }

    /// Whether the prunable part is the whole policy.
    pub(super) fn prunes_by_all(&self) -> bool {
        if self.problem.budget == 0 {
            self.problem.policy.survives_merging()
        } else {
            self.problem.policy.survives_growth()
        }
    }

    /// Whether a node keeps what may be pruned by.
    pub(super) fn passes(&self, node: &Recoded) -> bool {
        let policy = &self.problem.policy;
        match (self.problem.budget == 0, policy.looks_at_cells()) {
            (true, false) => self.keeps(node, |_, class| policy.holds_what_survives_merging(class)),
            (false, false) => self.keeps(node, |_, class| policy.holds_what_survives_growth(class)),
            (true, true) => {
                let holds = |start, class: &Members<'_>| {
                    policy.holds_published_what_survives_merging(class, &self.cells(node, start))
                };
                self.keeps(node, holds) && self.holds_for_release(node)
            }
            (false, true) => self.keeps(node, |start, class| {
                policy.holds_published_what_survives_growth(class, &self.cells(node, start))
            }),
        }
    }

    /// Whether a node keeps the policy.
    pub(super) fn holds(&self, node: &Recoded) -> bool {
        let policy = &self.problem.policy;
        let whole_counts = policy.whole_counts(self.problem.table);
        if !whole_counts && (self.problem.budget == 0 || !policy.compares()) {
            if policy.looks_at_cells() {
                return self.keeps(node, |start, class| policy.holds_published(class, &self.cells(node, start)))
                    && self.holds_for_release(node);
            }
            return self.keeps(node, |_, class| policy.holds(class));
        }
        let (starts, classes): (Vec<usize>, Vec<Members<'_>>) = self.recoder.classes(node).unzip();
        let kept = kept(self.problem, &classes, |at| self.cells(node, starts[at]));
        let withheld =
            classes.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(class, _)| class.rows()).sum::<u64>();
        let published = || classes.iter().zip(&kept).filter(|one| *one.1).map(|one| *one.0).collect::<Vec<_>>();
        withheld <= self.problem.budget
            && (kept.contains(&true) || classes.is_empty())
            && (!whole_counts || policy.holds_as_whole(&published()))
    }

    /// What the class with this first entry publishes.
    pub(super) fn cells(&self, node: &Recoded, start: usize) -> Vec<Cell> {
        self.recoder.cells(self.problem, node, start)
    }

    /// Whether the classes of a node, all of which are published, keep what is asked of a release as a whole.
    fn holds_for_release(&self, node: &Recoded) -> bool {
        let cells: Vec<Vec<Cell>> = self.recoder.classes(node).map(|(start, _)| self.cells(node, start)).collect();
        self.problem.policy.holds_for_release(&cells)
    }

    /// Whether the rows of failing classes are within the budget and some class is kept. `holds` gets the first entry of
    /// a class, too.
    fn keeps(&self, node: &Recoded, holds: impl Fn(usize, &Members<'_>) -> bool) -> bool {
        let (mut failing, mut kept) = (0, self.problem.table.tuples() == 0);
        for (at, (start, class)) in self.recoder.classes(node).enumerate() {
            did(1);
            if at % LOOK == LOOK - 1 && self.is_over() {
                return false;
            }
            if holds(start, &class) {
                kept = true;
                continue;
            }
            failing += class.rows();
            if failing > self.problem.budget {
                return false;
            }
        }
        kept
    }

    /// Counts a node whose classes were computed.
    pub(super) fn count_test(&self) {
        self.tests.fetch_add(1, Ordering::Relaxed);
    }

    /// How many nodes' classes were computed.
    pub(super) fn tests(&self) -> u64 {
        self.tests.load(Ordering::Relaxed)
    }

    /// Reports that this many more nodes are decided.
    pub(super) fn tell(&self, nodes: usize) {
        let done = self.done.fetch_add(nodes as u64, Ordering::Relaxed) + nodes as u64;
        self.budget.tell(done, Some(self.total));
    }

    /// Whether the search must end: it was stopped, or the time is over. Once it was said, it stays so for all threads.
    pub(super) fn is_over(&self) -> bool {
        if !self.was_cut() && (self.budget.watch.cancel.is_cancelled() || self.budget.is_over()) {
            self.cut.store(true, Ordering::Relaxed);
        }
        self.was_cut()
    }

    /// Whether some step of the search was cut.
    pub(super) fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }
}
