//! The tuple nearest to a class, found without comparing all tuples.
//!
//! Tuples are sorted cell by cell, quasi-identifiers of few values first: a step in one of those is the most expensive.
//! Tuples that begin with the same cells are a run, and what the class loses on these cells alone is lost with all of
//! them. So a run is passed over as soon as it cannot beat the best one found. At worst all tuples are looked at.

use crate::solver::clock::did;
use crate::solver::clusters::{JoinPrices, NumberedCells};
use crate::solver::numbers::to_u32;

/// Sorted tuples, each with a number of rows.
pub(crate) struct SortedTuples {
    width: usize,
    /// The quasi-identifiers in the order of the sort.
    order: Vec<usize>,
    /// The tuples with their rows.
    pub(crate) members: Vec<(usize, u64)>,
    /// Tuple by tuple, its cells in the order of the sort.
    cells: Vec<u32>,
    /// For each of these cells, the first tuple behind that has not the same cells up to this one.
    ends: Vec<u32>,
    /// With how many cells each tuple begins as the one before it does.
    shared: Vec<u32>,
}

impl SortedTuples {
    pub(crate) fn new(cells: &NumberedCells<'_, '_>, members: Vec<(usize, u64)>) -> Self {
        SortedTuples::ranked(cells, members, |_| 0)
    }

    /// The same with tuples of equal cells in the order of their ranks: of those that are equally near the first is
    /// found.
    pub(crate) fn ranked(
        cells: &NumberedCells<'_, '_>,
        mut members: Vec<(usize, u64)>,
        rank: impl Fn(usize) -> u64,
    ) -> Self {
        let mut order: Vec<usize> = (0..cells.width()).collect();
        order.sort_by_key(|&quasi| (cells.leaves(quasi), quasi));
        let key = |tuple: usize| order.iter().map(move |&quasi| cells.of(tuple)[quasi]);
        members.sort_by(|a, b| key(a.0).cmp(key(b.0)).then_with(|| (rank(a.0), a.0).cmp(&(rank(b.0), b.0))));
        let flat = members.iter().flat_map(|member| key(member.0)).collect();
        let mut sorted =
            SortedTuples { width: cells.width(), order, members, cells: flat, ends: Vec::new(), shared: Vec::new() };
        sorted.find_runs();
        sorted
    }

    /// Finds out which tuples begin alike.
    fn find_runs(&mut self) {
        let (width, count) = (self.width, self.members.len());
        self.ends = vec![to_u32(count); count * width];
        self.shared = vec![0; count];
        for at in (0..count.saturating_sub(1)).rev() {
            let (these, those) = self.cells[at * width..][..2 * width].split_at(width);
            let shared = these.iter().zip(those).take_while(|(a, b)| a == b).count();
            self.shared[at + 1] = to_u32(shared);
            for depth in 0..width {
                let same = depth < shared;
                self.ends[at * width + depth] = if same { self.ends[(at + 1) * width + depth] } else { to_u32(at + 1) };
            }
        }
    }

    /// Takes out the tuples that have no rows.
    pub(crate) fn tidy(&mut self) {
        let mut gone = self.members.iter().flat_map(|member| std::iter::repeat_n(member.1 == 0, self.width));
        self.cells.retain(|_| gone.next() != Some(true));
        self.members.retain(|member| member.1 > 0);
        self.find_runs();
    }

    /// The place of the tuple for which a row of the class loses least more, of those that have rows and are `wanted`;
    /// the first one of several in the order of the sort.
    pub(crate) fn nearest(&self, towards: &JoinPrices, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let mut best = f64::INFINITY;
        self.search(
            |cell| towards.growth(cell),
            &vec![0.0; self.width],
            |at, growth| {
                let better = growth < best && self.members[at].1 > 0 && wanted(at);
                best = if better { growth } else { best };
                (better, best)
            },
        )
    }

    /// The place of the tuple for which a row of the class loses most, of those that have rows.
    pub(crate) fn furthest(&self, towards: &JoinPrices) -> Option<usize> {
        // Searched as the nearest, of what is saved against the most that the remaining cells could lose.
        let most: Vec<f64> = self.order.iter().map(|&quasi| towards.most(quasi)).collect();
        let mut best = f64::INFINITY;
        self.search(
            |cell| -towards.growth(cell),
            &most,
            |at, saved| {
                let better = saved < best && self.members[at].1 > 0;
                best = if better { saved } else { best };
                (better, best)
            },
        )
    }

    /// Visits tuples whose value may be below the best so far. The value of a tuple is the sum of the values of its
    /// cells, each of which is at least −`slack`; `visit` says whether it is taken and what is to be beaten from now
    /// on.
    fn search(
        &self,
        value: impl Fn(u32) -> f64,
        slack: &[f64],
        mut visit: impl FnMut(usize, f64) -> (bool, f64),
    ) -> Option<usize> {
        let mut after = vec![0.0; self.width + 1];
        for depth in (0..self.width).rev() {
            after[depth] = after[depth + 1] + slack[depth];
        }
        let mut sums = vec![0.0; self.width + 1];
        let (mut found, mut best, mut at) = (None, f64::INFINITY, 0);
        'tuples: while at < self.members.len() {
            did(1);
            let cells = &self.cells[at * self.width..][..self.width];
            for depth in self.shared[at] as usize..self.width {
                let sum = sums[depth] + value(cells[depth]);
                if sum - after[depth + 1] >= best {
                    at = self.ends[at * self.width + depth] as usize;
                    continue 'tuples;
                }
                sums[depth + 1] = sum;
            }
            let (taken, beat) = visit(at, sums[self.width]);
            found = if taken { Some(at) } else { found };
            best = beat;
            at += 1;
        }
        found
    }
}
