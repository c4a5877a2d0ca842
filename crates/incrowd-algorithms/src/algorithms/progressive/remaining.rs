//! The rows that are still being generalized, grouped at the levels they have reached.

use std::collections::HashMap;

use ahash::RandomState;
use rayon::prelude::*;

use super::entropy::entropy;
use crate::Problem;
use crate::solver::kinds::Kinds;
use crate::solver::levels::LevelNodes;
use crate::solver::start::add_up;

/// Rows that agree at the current levels.
pub(super) struct RemainingClass {
    pub(super) members: Vec<(usize, u64)>,
    /// The rows by kind.
    pub(super) counts: Vec<(usize, u64)>,
    pub(super) rows: u64,
    /// Whether it keeps the policy.
    pub(super) keeps: bool,
}

impl RemainingClass {
    pub(super) fn new(problem: &Problem<'_>, kinds: &Kinds, members: Vec<(usize, u64)>) -> Self {
        let counts = kinds.count_up(&members);
        let rows = counts.iter().map(|entry| entry.1).sum();
        let keeps = problem.holds(&counts);
        RemainingClass { members, counts, rows, keeps }
    }
}

/// The remaining rows.
pub(super) struct Remaining {
    /// The level of each quasi-identifier.
    levels: Vec<usize>,
    pub(super) classes: Vec<RemainingClass>,
    /// For each kind its tuple and its rows, which may be 0.
    totals: Vec<(usize, u64)>,
}

impl Remaining {
    /// All rows at the lowest levels.
    pub(super) fn new(problem: &Problem<'_>, levels: &LevelNodes, kinds: &Kinds, rows: Vec<(usize, u64)>) -> Self {
        let mut totals: Vec<(usize, u64)> = (0..kinds.count()).map(|kind| (kinds.sample(kind), 0)).collect();
        rows.iter().for_each(|&(tuple, more)| totals[kinds.of(tuple)].1 += more);
        let alone = |member| RemainingClass { members: vec![member], counts: Vec::new(), rows: 0, keeps: false };
        let classes = rows.into_iter().map(alone).collect();
        let mut remaining = Remaining { levels: vec![0; levels.width()], classes, totals };
        remaining.group(problem, levels, kinds);
        remaining
    }

    /// Makes one class of those that agree at the current levels. Only classes that grew are judged again.
    fn group(&mut self, problem: &Problem<'_>, levels: &LevelNodes, kinds: &Kinds) {
        let width = self.levels.len();
        let mut keys: Vec<u32> = Vec::with_capacity(self.classes.len() * width);
        for class in &self.classes {
            let leaves = levels.leaves(class.members[0].0);
            let node = |quasi: usize| levels.nodes(quasi, self.levels[quasi])[leaves[quasi] as usize];
            keys.extend((0..width).map(node));
        }
        let mut places: HashMap<&[u32], usize, RandomState> =
            HashMap::with_capacity_and_hasher(self.classes.len(), RandomState::default());
        let mut grouped: Vec<RemainingClass> = Vec::new();
        for (at, class) in std::mem::take(&mut self.classes).into_iter().enumerate() {
            let place = *places.entry(&keys[at * width..][..width]).or_insert(grouped.len());
            if place == grouped.len() {
                grouped.push(class);
            } else {
                grouped[place].members.extend(class.members);
                grouped[place].rows = 0;
            }
        }
        grouped.par_iter_mut().filter(|class| class.rows == 0).for_each(|class| {
            add_up(&mut class.members);
            *class = RemainingClass::new(problem, kinds, std::mem::take(&mut class.members));
        });
        self.classes = grouped;
    }

    /// The quasi-identifier with the highest entropy among those below their root; the first one of several.
    fn highest(&self, levels: &LevelNodes) -> Option<usize> {
        let mut highest: Option<(f64, usize)> = None;
        for quasi in (0..self.levels.len()).filter(|&quasi| self.levels[quasi] < levels.height(quasi)) {
            let nodes = levels.nodes(quasi, self.levels[quasi]);
            let mut rows = vec![0u64; nodes.last().map_or(0, |&last| last as usize + 1)];
            for class in &self.classes {
                rows[nodes[levels.leaves(class.members[0].0)[quasi] as usize] as usize] += class.rows;
            }
            let entropy = entropy(rows.into_iter());
            if highest.is_none_or(|(most, _)| entropy > most) {
                highest = Some((entropy, quasi));
            }
        }
        highest.map(|(_, quasi)| quasi)
    }

    /// Raises the quasi-identifier with the highest entropy by a level. Nothing when all are at their root.
    pub(super) fn generalize(&mut self, problem: &Problem<'_>, levels: &LevelNodes, kinds: &Kinds) -> bool {
        let Some(quasi) = self.highest(levels) else { return false };
        self.levels[quasi] += 1;
        self.group(problem, levels, kinds);
        true
    }

    /// How many rows remain.
    pub(super) fn rows(&self) -> u64 {
        self.totals.iter().map(|entry| entry.1).sum()
    }

    /// The remaining rows by tuple.
    pub(super) fn members(&self) -> Vec<(usize, u64)> {
        let mut members: Vec<(usize, u64)> = self.classes.iter().flat_map(|class| &class.members).copied().collect();
        add_up(&mut members);
        members
    }

    /// The remaining rows by kind, as one class.
    pub(super) fn whole(&self) -> Vec<(usize, u64)> {
        self.totals.iter().copied().filter(|entry| entry.1 > 0).collect()
    }

    /// Whether what remains is nothing or keeps the policy as one class.
    pub(super) fn is_feasible(&self, problem: &Problem<'_>) -> bool {
        let whole = self.whole();
        whole.is_empty() || problem.holds(&whole)
    }

    /// Counts rows as removed.
    pub(super) fn take(&mut self, kinds: &Kinds, counts: &[(usize, u64)]) {
        counts.iter().for_each(|&(sample, rows)| self.totals[kinds.of(sample)].1 -= rows);
    }

    /// Counts removed rows as remaining again.
    pub(super) fn put_back(&mut self, kinds: &Kinds, counts: &[(usize, u64)]) {
        counts.iter().for_each(|&(sample, rows)| self.totals[kinds.of(sample)].1 += rows);
    }
}
