//! Depth-first search for the set of candidates that has every row once and loses least.

use std::collections::HashMap;

use ahash::RandomState;

use super::candidates::Candidate;
use super::items::{ItemCounts, Items};
use super::prices::{RowPrices, value};
use super::{ROUNDING, SearchLimits};
use crate::{Budget, Problem};

/// Number of candidates between two checks of the deadline.
const STRIDE: u64 = 1 << 12;

/// Rows that are left, and the published cells that may not be used again for them.
type State = (ItemCounts, Vec<u32>);

pub(super) struct ExactSearch<'a> {
    items: &'a Items,
    budget: &'a Budget,
    prices: RowPrices,
    /// Each with what it loses beyond the price of its rows, ascending.
    candidates: Vec<(f64, Candidate)>,
    /// For each item the candidates that have it, and for the cells of each candidate all items inside them.
    having: Vec<Vec<u32>>,
    inside: HashMap<u32, usize, RandomState>,
    /// Whether no two classes may publish alike.
    distinct: bool,
    best: f64,
    best_classes: Option<Vec<ItemCounts>>,
    chosen: Vec<u32>,
    /// For states that were searched, the least that their rows can lose.
    searched: HashMap<State, f64, RandomState>,
    reach: SearchLimits,
    looks: u64,
    is_over: bool,
    late: bool,
}

impl<'a> ExactSearch<'a> {
    pub(super) fn new(
        problem: &Problem<'_>,
        items: &'a Items,
        candidates: Vec<Candidate>,
        prices: RowPrices,
        (known, reach): (f64, SearchLimits),
        budget: &'a Budget,
    ) -> Self {
        let bound: f64 = (0..items.len()).map(|item| prices[item] * items.rows(item) as f64).sum();
        let beyond = |candidate: &Candidate| (candidate.loss - value(&prices, &candidate.counts)).max(0.0);
        let with = |candidate: Candidate| (beyond(&candidate), candidate);
        // A release that has the candidate loses at least what the candidate adds to the bound.
        let mut useful: Vec<(f64, Candidate)> =
            candidates.into_iter().map(with).filter(|(beyond, _)| bound + beyond < below(known)).collect();
        useful.sort_by(|a, b| {
            a.0.total_cmp(&b.0).then(b.1.rows.cmp(&a.1.rows)).then_with(|| a.1.counts.cmp(&b.1.counts))
        });
        let mut having = vec![Vec::new(); items.len()];
        let mut inside: HashMap<u32, usize, RandomState> = HashMap::default();
        for (at, (_, candidate)) in (0..).zip(&useful) {
            let has = |item: &usize| candidate.counts[*item] > 0;
            (0..items.len()).filter(has).for_each(|item| having[item].push(at));
            let cells = items.cells(candidate.set);
            inside.entry(cells).or_insert_with(|| {
                let is_inside = |item: &usize| items.cells(candidate.set | 1 << item) == cells;
                (0..items.len()).filter(is_inside).fold(0, |set, item| set | 1 << item)
            });
        }
        ExactSearch {
            items,
            budget,
            prices,
            candidates: useful,
            having,
            inside,
            distinct: !problem.policy.survives_merging() && !problem.has_class_ids,
            best: known,
            best_classes: None,
            chosen: Vec::new(),
            searched: HashMap::default(),
            reach,
            looks: 0,
            is_over: false,
            late: false,
        }
    }

    pub(super) fn run(&mut self) {
        let mut left = ItemCounts::default();
        (0..self.items.len()).for_each(|item| left[item] = u16::try_from(self.items.rows(item)).unwrap_or(u16::MAX));
        self.cover(&left, 0.0);
    }

    /// The classes that were found to lose less than what was known.
    pub(super) fn best(&self) -> Option<&[ItemCounts]> {
        self.best_classes.as_deref()
    }

    /// Whether everything was looked at that could lose less.
    pub(super) fn is_complete(&self) -> bool {
        !self.is_over
    }

    /// Whether a deadline or a cancellation cut the search.
    pub(super) fn was_late(&self) -> bool {
        self.late
    }

    /// The work units that were spent.
    pub(super) fn work(&self) -> u64 {
        self.looks
    }

    /// Covers the rows that are left, given what the chosen candidates lose.
    fn cover(&mut self, left: &ItemCounts, lost: f64) {
        let bound = lost + value(&self.prices, left);
        if bound >= below(self.best) {
            return;
        }
        // The item with the fewest candidates leaves the least choice.
        let open = (0..self.items.len()).filter(|&item| left[item] > 0);
        let Some(item) = open.min_by_key(|&item| self.having[item].len()) else {
            let counts = |&at: &u32| self.candidates[at as usize].1.counts;
            (self.best, self.best_classes) = (lost, Some(self.chosen.iter().map(counts).collect()));
            return;
        };
        let state = (*left, self.forbidden(left));
        if self.searched.get(&state).is_some_and(|least| lost + least >= below(self.best)) {
            return;
        }
        for at in 0..self.having[item].len() {
            let number = self.having[item][at];
            self.look();
            let (beyond, candidate) = &self.candidates[number as usize];
            if self.is_over || bound + beyond >= below(self.best) {
                break;
            }
            if candidate.counts.iter().zip(left).any(|(count, left)| count > left) {
                continue;
            }
            if self.distinct && state.1.contains(&self.items.cells(candidate.set)) {
                continue;
            }
            let mut rest = *left;
            rest.iter_mut().zip(&candidate.counts).for_each(|(rest, count)| *rest -= count);
            let lost = lost + candidate.loss;
            self.chosen.push(number);
            self.cover(&rest, lost);
            self.chosen.pop();
        }
        if !self.is_over && self.searched.len() < self.reach.states {
            self.searched.insert(state, self.best - lost);
        }
    }

    /// The cells of chosen candidates that rows that are left could publish again.
    fn forbidden(&self, left: &ItemCounts) -> Vec<u32> {
        if !self.distinct {
            return Vec::new();
        }
        let open = (0..self.items.len()).filter(|&item| left[item] > 0).fold(0, |set, item| set | 1 << item);
        let cells = |&at: &u32| self.items.cells(self.candidates[at as usize].1.set);
        let is_possible = |cells: &u32| {
            let inside = self.inside.get(cells).map_or(0, |inside| inside & open);
            inside > 0 && self.items.cells(inside) == *cells
        };
        let mut forbidden: Vec<u32> = self.chosen.iter().map(cells).filter(is_possible).collect();
        forbidden.sort_unstable();
        forbidden
    }

    /// Counts a look at a candidate, and looks at the clock from time to time.
    fn look(&mut self) {
        self.looks += 1;
        if self.looks.is_multiple_of(STRIDE) && (self.budget.is_over() || self.budget.check().is_err()) {
            (self.is_over, self.late) = (true, true);
        }
        self.is_over |= self.looks >= self.reach.looks;
    }
}

/// What has to be undercut to lose less than this.
fn below(loss: f64) -> f64 {
    loss - ROUNDING * (1.0 + loss.abs())
}
