//! Walking the lattice of one subset of the attributes, bottom-up, with the generalization property.
//!
//! Nodes are visited in ascending order of their numbers, so whatever is below a node was decided before it. A node
//! with a passing node below it passes and is not computed; nor is a candidate with an attribute at the top, which is
//! the same table as its projection without that attribute (nine of ten tests on Adult). The walk is a trie over the
//! levels, attribute by attribute: a table is recoded to the finest levels that the nodes of a branch still need, and
//! the branch is rolled up from that, or from the branch before it when that is nowhere coarser. So most nodes are
//! rolled up from a table that differs in one attribute, and no more tables are held than the trie is deep, twice.
//!
//! Branches whose first levels have the same sum do not stand below each other. They are walked in parallel, sum by
//! sum, and every node is decided with the same knowledge as in one sequence.

use std::ops::Range;

use rayon::prelude::*;

use super::judge::NodeJudge;
use super::lattice::Lattice;
use super::recoded::Recoded;

/// The deadline is checked once for this many nodes.
const LOOK: usize = 1 << 16;

/// The lattice of some positions, to be walked.
pub(super) struct LatticeWalk<'j> {
    pub(super) judge: &'j NodeJudge<'j>,
    pub(super) positions: Vec<usize>,
    pub(super) lattice: Lattice,
    /// The nodes whose projections to fewer attributes all pass.
    pub(super) candidates: Vec<bool>,
    /// Whether each passing node is asked for the whole policy too.
    pub(super) asks_whole: bool,
}

/// What a walk found, node by node.
pub(super) struct NodeResults {
    /// Keeps what may be pruned by.
    pub(super) passing: Vec<bool>,
    /// Keeps the whole policy; only filled when it was asked for.
    pub(super) holding: Vec<bool>,
}

/// A branch of the trie under way: its nodes are `start..start + found.passing.len()`.
struct LatticeBranch<'f> {
    start: usize,
    found: NodeResults,
    /// What branches before this one found.
    before: &'f NodeResults,
}

impl LatticeBranch<'_> {
    fn passes(&self, node: usize) -> bool {
        if node < self.start { self.before.passing[node] } else { self.found.passing[node - self.start] }
    }
}

impl LatticeWalk<'_> {
    /// Walks the lattice. The answer is partial when the judge says that the search is over.
    pub(super) fn run(&self, parallel: bool) -> NodeResults {
        let nodes = self.lattice.nodes();
        let mut found = NodeResults { passing: vec![false; nodes], holding: vec![false; nodes] };
        let is_open = |&node: &usize| self.candidates[node] && (self.asks_whole || !self.is_projected(node));
        let Some(finest) = self.finest((0..nodes).filter(is_open)) else {
            self.judge.tell(nodes);
            found.passing.copy_from_slice(&self.candidates);
            return found;
        };
        let table = self.judge.recoder.recode(&self.judge.table, &finest);
        let depth = if parallel { self.lattice.width().min(2) } else { 0 };
        let stretch = self.lattice.stretch(depth);
        let sum = |start: &usize| (0..depth).map(|at| self.lattice.level(*start, at)).sum::<usize>();
        let most: usize = (0..depth).map(|at| self.lattice.height(at)).sum();
        for wave in 0..=most {
            let starts: Vec<usize> = (0..nodes).step_by(stretch).filter(|start| sum(start) == wave).collect();
            let branches: Vec<(usize, NodeResults)> = starts
                .into_par_iter()
                .map(|start| (start, self.branch(depth, start..start + stretch, &table, &found)))
                .collect();
            for (start, branch) in branches {
                found.passing[start..start + stretch].copy_from_slice(&branch.passing);
                found.holding[start..start + stretch].copy_from_slice(&branch.holding);
            }
        }
        found
    }

    fn branch(&self, depth: usize, nodes: Range<usize>, table: &Recoded, before: &NodeResults) -> NodeResults {
        let size = nodes.len();
        let found = NodeResults { passing: vec![false; size], holding: vec![false; size] };
        let mut branch = LatticeBranch { start: nodes.start, found, before };
        if let Some(levels) = self.open(&mut branch, nodes.clone()) {
            if table.levels() == levels {
                self.descend(&mut branch, depth, nodes.start, table);
            } else {
                self.descend(&mut branch, depth, nodes.start, &self.judge.recoder.recode(table, &levels));
            }
        }
        self.judge.tell(size);
        branch.found
    }

    /// Decides the nodes that share the first `depth` levels with the node `start`, from a table nowhere coarser.
    fn descend(&self, branch: &mut LatticeBranch<'_>, depth: usize, start: usize, table: &Recoded) {
        if depth == self.lattice.width() {
            self.test(branch, start, table);
            return;
        }
        let stretch = self.lattice.stretch(depth + 1);
        let mut last: Option<Recoded> = None;
        for level in 0..=self.lattice.height(depth) {
            let start = start + level * stretch;
            let Some(levels) = self.open(branch, start..start + stretch) else { continue };
            if self.judge.is_over() {
                return;
            }
            let from = last.as_ref().filter(|last| last.is_below(&levels)).unwrap_or(table);
            if from.levels() == levels {
                self.descend(branch, depth + 1, start, from);
            } else {
                let next = self.judge.recoder.recode(from, &levels);
                self.descend(branch, depth + 1, start, &next);
                last = Some(next);
            }
        }
    }

    /// The finest levels of those nodes that have to be computed, if any has. Marks the nodes that pass because a node
    /// below them or their own projection does.
    fn open(&self, branch: &mut LatticeBranch<'_>, nodes: Range<usize>) -> Option<Vec<usize>> {
        let mut open = Vec::new();
        for node in nodes.filter(|&node| self.candidates[node]) {
            if node % LOOK == 0 && self.judge.is_over() {
                return None;
            }
            if self.is_projected(node) || self.lattice.below(node).any(|below| branch.passes(below)) {
                branch.found.passing[node - branch.start] = true;
                if !self.asks_whole {
                    continue;
                }
            }
            open.push(node);
        }
        self.finest(open.into_iter())
    }

    /// Whether a candidate says nothing about one of its attributes: it is the same table as its projection without
    /// that attribute, which passes.
    fn is_projected(&self, node: usize) -> bool {
        self.lattice.width() > 1
            && (0..self.lattice.width()).any(|at| self.lattice.level(node, at) == self.lattice.height(at))
    }

    /// For each position the lowest level that one of these nodes has; the top for positions that are not walked.
    fn finest(&self, mut nodes: impl Iterator<Item = usize>) -> Option<Vec<usize>> {
        let first = nodes.next()?;
        let mut levels = self.judge.recoder.heights();
        let mut lower = |node: usize| {
            for (level, &position) in self.lattice.levels(node).zip(&self.positions) {
                levels[position] = levels[position].min(level);
            }
        };
        lower(first);
        nodes.for_each(lower);
        Some(levels)
    }

    fn test(&self, branch: &mut LatticeBranch<'_>, node: usize, table: &Recoded) {
        let at = node - branch.start;
        self.judge.count_test();
        branch.found.passing[at] = branch.found.passing[at] || self.judge.passes(table);
        branch.found.holding[at] = self.asks_whole && branch.found.passing[at] && self.judge.holds(table);
    }
}
