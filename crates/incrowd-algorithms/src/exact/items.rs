//! The items of a small table: tuples that are the same to the policy and to the loss.

use std::collections::HashMap;

use incrowd_core::Cell;

use super::MOST_TUPLES;
use crate::Problem;
use crate::solver::ClassMembers;
use crate::solver::kinds::Kinds;
use crate::solver::numbers::to_u32;
use crate::solver::price::join_cells;

/// A number of rows of each item.
pub(super) type ItemCounts = [u16; MOST_TUPLES];

/// The items, and what each set of them publishes.
pub(super) struct Items {
    /// The tuples of each item with their rows.
    members: Vec<ClassMembers>,
    /// The rows of each item.
    rows: Vec<u64>,
    /// The kind of each item, by place in `samples`; items are ordered by kind.
    kinds: Vec<usize>,
    /// A tuple of each kind.
    samples: Vec<usize>,
    /// For each set of items, by its bits, what a row loses.
    prices: Vec<f64>,
    /// For each set of items which cells it publishes: sets with the same number publish alike.
    cells: Vec<u32>,
}

impl Items {
    pub(super) fn new(problem: &Problem<'_>, rows: &[(usize, u64)]) -> Self {
        let kinds = Kinds::new(problem);
        let only_rows = kinds.only_rows_count(problem);
        let leaves = |tuple: usize| -> Vec<Cell> {
            let quasis = problem.quasi_identifiers.iter().enumerate();
            quasis.map(|(at, quasi)| quasi.domain.leaf(problem.leaf(tuple, at))).collect()
        };
        let mut keyed: Vec<(usize, Vec<Cell>, (usize, u64))> = rows
            .iter()
            .map(|&member| (if only_rows { 0 } else { kinds.of(member.0) }, leaves(member.0), member))
            .collect();
        keyed.sort();
        let (mut items, mut samples) = (Items::empty(), Vec::new());
        let mut points: Vec<Vec<Cell>> = Vec::new();
        let mut last = None;
        for (kind, leaves, member) in keyed {
            if last != Some(kind) {
                samples.push(kinds.sample(kind));
            }
            if last != Some(kind) || points.last() != Some(&leaves) {
                items.members.push(Vec::new());
                items.rows.push(0);
                items.kinds.push(samples.len() - 1);
                points.push(leaves);
            }
            last = Some(kind);
            let at = items.rows.len() - 1;
            items.members[at].push(member);
            items.rows[at] += member.1;
        }
        items.samples = samples;
        items.publish(problem, &points);
        items
    }

    fn empty() -> Self {
        Items { members: vec![], rows: vec![], kinds: vec![], samples: vec![], prices: vec![], cells: vec![] }
    }

    /// Computes what each set of items publishes and loses.
    fn publish(&mut self, problem: &Problem<'_>, points: &[Vec<Cell>]) {
        let mut published: Vec<Vec<Cell>> = vec![Vec::new()];
        let mut known: HashMap<Vec<Cell>, u32> = HashMap::new();
        (self.prices, self.cells) = (vec![0.0], vec![0]);
        for set in 1..1usize << points.len() {
            let (first, others) = (&points[set.trailing_zeros() as usize], &published[set & (set - 1)]);
            let joined: Vec<Cell> = match others.is_empty() {
                true => first.clone(),
                false => join_cells(problem, first, others).collect(),
            };
            self.prices.push(problem.prices.row(&joined));
            let next = to_u32(known.len() + 1);
            self.cells.push(*known.entry(joined.clone()).or_insert(next));
            published.push(joined);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The rows of an item.
    pub(super) fn rows(&self, item: usize) -> u64 {
        self.rows[item]
    }

    pub(super) fn total(&self) -> u64 {
        self.rows.iter().sum()
    }

    pub(super) fn kind(&self, item: usize) -> usize {
        self.kinds[item]
    }

    /// The rows of each kind, with a tuple that stands for it.
    pub(super) fn rows_by_kind(&self) -> Vec<(usize, u64)> {
        let mut rows: Vec<(usize, u64)> = self.samples.iter().map(|&sample| (sample, 0)).collect();
        self.kinds.iter().zip(&self.rows).for_each(|(&kind, more)| rows[kind].1 += more);
        rows
    }

    /// All items as a set.
    pub(super) fn all(&self) -> usize {
        (1 << self.len()) - 1
    }

    /// What a row of a class with these items loses.
    pub(super) fn price(&self, set: usize) -> f64 {
        self.prices[set]
    }

    /// What a class with these items publishes.
    pub(super) fn cells(&self, set: usize) -> u32 {
        self.cells[set]
    }

    /// The classes of tuples for classes of items. The classes have every row of every item once.
    pub(super) fn deal(&self, classes: &[ItemCounts]) -> Vec<ClassMembers> {
        let mut left = self.members.clone();
        let take = |counts: &ItemCounts| {
            let mut class = Vec::new();
            for (members, &count) in left.iter_mut().zip(counts) {
                let mut wanted = u64::from(count);
                while let Some(member) = members.last_mut().filter(|_| wanted > 0) {
                    let rows = member.1.min(wanted);
                    class.push((member.0, rows));
                    (member.1, wanted) = (member.1 - rows, wanted - rows);
                    if member.1 == 0 {
                        members.pop();
                    }
                }
            }
            class.sort_unstable();
            class
        };
        classes.iter().map(take).collect()
    }
}
