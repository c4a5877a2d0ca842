//! The search: every closed frequent record once, without remembering which were met.
//!
//! **The way to a record is unique.** A record is the set of the cells on the ways down to its cells, each cell an
//! item; items are ordered by quasi-identifier and within it by depth. A support is closed by narrowing each cell as
//! far as all its points allow. From a closed record P whose last step was taken along quasi-identifier i, a step goes
//! along any j ≥ i to a child of P's cell, takes the points below that child, and closes them to Q. It is kept only if
//! Q agrees with P before j (*prefix-preserving closure extension*: T. Uno, M. Kiyomi and H. Arimura, LCM ver. 2, FIMI
//! 2004): then Q has the items of P that come before the new one, and no other before it. Each closed record Q but the
//! root's closure has exactly one such P: the closure of the longest prefix of Q's items whose closure is not Q. A step
//! to a deeper descendant would skip the child, an item that comes first, so steps to children are enough. Hence every
//! closed frequent record is met exactly once. Narrowing only takes points away, so a branch ends where fewer than k
//! rows are left.
//!
//! It replaces the table of processed records of Algorithm 7, and with it the memory and the lock.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::points::DistinctPoints;
use super::tree::{CellTree, ROOT};
use super::{MiningLimits, Unmined};
use crate::Budget;
use crate::solver::clock::did;
use crate::solver::numbers::{pair, to_u32, unpair};

/// Records of more points than this are narrowed by all threads together, smaller ones by one thread to the end.
const LARGE: usize = 1 << 11;
/// The deadline is checked for records of more points than this, and once for this many of the others.
const CLOCK: usize = 64;

/// Receives the records. Each branch has a visitor of its own; they are joined in order.
pub(super) trait RecordVisitor: Send + Sync {
    /// A record: its cells by number, its rows and its points, ascending.
    fn record(&mut self, cells: &[u32], rows: u64, points: &[u32]);
    /// An empty part.
    fn part(&self) -> Self;
    /// Adds what a later branch was shown.
    fn join(&mut self, later: Self);
}

/// What every step needs to know.
pub(super) struct RecordWalk<'a> {
    points: &'a DistinctPoints,
    trees: &'a [CellTree],
    /// The quasi-identifiers in the order in which they are narrowed.
    order: &'a [usize],
    k: u64,
    limits: MiningLimits,
    budget: &'a Budget,
    met: AtomicUsize,
    work: AtomicU64,
    late: AtomicBool,
}

/// Memory that is used for one record after the other.
#[derive(Default)]
struct MiningScratch {
    /// For each child the rows, the points, and where its points stand.
    sums: Vec<(u64, u32, u32)>,
    pairs: Vec<u64>,
    /// Lists that are not in use.
    lists: Vec<Vec<u32>>,
    runs: Vec<ChildRun>,
}

/// The points below a child of a cell.
#[derive(Clone, Copy)]
struct ChildRun {
    child: u32,
    start: u32,
    end: u32,
    rows: u64,
}

/// A closed record that is to be narrowed from its `from`th quasi-identifier on.
struct RecordBranch {
    cells: Vec<u32>,
    from: usize,
    rows: u64,
    points: Vec<u32>,
}

impl<'a> RecordWalk<'a> {
    pub(super) fn new(
        (points, trees, order): (&'a DistinctPoints, &'a [CellTree], &'a [usize]),
        k: u64,
        limits: MiningLimits,
        budget: &'a Budget,
    ) -> Self {
        let (met, work, late) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicBool::new(false));
        RecordWalk { points, trees, order, k, limits, budget, met, work, late }
    }

    /// The points in all records together, once all were shown. Whether that is more than a limit does not depend on
    /// the order in which threads meet them.
    pub(super) fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// Shows every closed frequent record. Whether the deadline cut it short: then some are missing, never the first,
    /// which holds all points.
    pub(super) fn run<V: RecordVisitor>(&self, seen: &mut V) -> Result<bool, Unmined> {
        let (all, rows) = (self.points.numbers().collect::<Vec<u32>>(), self.points.all_rows());
        if rows >= self.k.max(1) {
            let cells = (0..self.trees.len()).map(|quasi| self.narrowed(quasi, ROOT, &all)).collect();
            self.large(RecordBranch { cells, from: 0, rows, points: all }, seen)?;
        }
        Ok(self.late.load(Ordering::Relaxed))
    }

    /// Shows a record and what is below it; the branches of a large one side by side.
    fn large<V: RecordVisitor>(&self, branch: RecordBranch, seen: &mut V) -> Result<(), Unmined> {
        let mut scratch = MiningScratch::default();
        let RecordBranch { mut cells, from, rows, points } = branch;
        if points.len() <= LARGE {
            return self.small(&mut cells, (from, rows, &points), &mut scratch, seen);
        }
        if !self.meet(&cells, rows, &points, seen)? {
            return Ok(());
        }
        let mut branches = Vec::new();
        for at in from..self.order.len() {
            if self.budget.is_over() {
                self.late.store(true, Ordering::Relaxed);
                return Ok(());
            }
            did(points.len());
            let mut sorted = scratch.lists.pop().unwrap_or_default();
            self.sort_into_children(self.order[at], cells[self.order[at]], &points, &mut scratch, &mut sorted);
            let narrow = |run: &ChildRun| {
                let points = &sorted[run.start as usize..run.end as usize];
                let mut cells = cells.clone();
                self.close(&mut cells, at, run.child, points).then(|| RecordBranch {
                    cells,
                    from: at,
                    rows: run.rows,
                    points: points.to_vec(),
                })
            };
            branches.par_extend(scratch.runs.par_iter().filter_map(narrow));
            scratch.runs.clear();
            scratch.lists.push(sorted);
        }
        let show = |branch: RecordBranch| {
            let mut part = seen.part();
            self.large(branch, &mut part).map(|()| part)
        };
        let parts: Vec<V> = branches.into_par_iter().map(show).collect::<Result<_, Unmined>>()?;
        parts.into_iter().for_each(|part| seen.join(part));
        Ok(())
    }

    /// Shows a record and what is below it, step by step. The cells are as they were when it returns.
    fn small<V: RecordVisitor>(
        &self,
        cells: &mut [u32],
        (from, rows, points): (usize, u64, &[u32]),
        scratch: &mut MiningScratch,
        seen: &mut V,
    ) -> Result<(), Unmined> {
        if !self.meet(cells, rows, points, seen)? {
            return Ok(());
        }
        let mut sorted = scratch.lists.pop().unwrap_or_default();
        let mut narrower = scratch.lists.pop().unwrap_or_default();
        for at in from..self.order.len() {
            let first = scratch.runs.len();
            self.sort_into_children(self.order[at], cells[self.order[at]], points, scratch, &mut sorted);
            for number in first..scratch.runs.len() {
                let run = scratch.runs[number];
                let points = &sorted[run.start as usize..run.end as usize];
                narrower.clear();
                narrower.extend_from_slice(cells);
                if self.close(&mut narrower, at, run.child, points) {
                    self.small(&mut narrower, (at, run.rows, points), scratch, seen)?;
                }
            }
            scratch.runs.truncate(first);
        }
        scratch.lists.extend([sorted, narrower]);
        Ok(())
    }

    /// Shows a record; whether it may be narrowed.
    fn meet<V: RecordVisitor>(&self, cells: &[u32], rows: u64, points: &[u32], seen: &mut V) -> Result<bool, Unmined> {
        self.budget.check()?;
        let work = self.work.fetch_add(points.len() as u64, Ordering::Relaxed) + points.len() as u64;
        let met = self.met.fetch_add(1, Ordering::Relaxed);
        if met >= self.limits.records || work > self.limits.work {
            return Err(Unmined::TooMany);
        }
        seen.record(cells, rows, points);
        did(points.len());
        if (points.len() > CLOCK || met.is_multiple_of(CLOCK)) && self.budget.is_over() {
            self.late.store(true, Ordering::Relaxed);
        }
        Ok(!self.late.load(Ordering::Relaxed))
    }

    /// Sorts points by the child of a cell that holds them and adds a run for each child with enough rows. The points
    /// of a run stay ascending; those of other children are left out.
    fn sort_into_children(
        &self,
        quasi: usize,
        cell: u32,
        points: &[u32],
        scratch: &mut MiningScratch,
        sorted: &mut Vec<u32>,
    ) {
        let (tree, leaves) = (&self.trees[quasi], self.points.leaves(quasi));
        let children = tree.children(cell);
        if children.is_empty() {
            return;
        }
        let below = tree.below(cell);
        let child = |point: u32| below[leaves[point as usize] as usize];
        let MiningScratch { sums, pairs, runs, .. } = scratch;
        sorted.clear();
        if children.len() <= 4 * points.len() + 64 {
            sums.clear();
            sums.resize(children.len(), (0, 0, 0));
            for &point in points {
                let sum = &mut sums[(child(point) - children.start) as usize];
                *sum = (sum.0 + self.points.rows(point), sum.1 + 1, 0);
            }
            let mut end = 0;
            for (child, sum) in children.clone().zip(sums.iter_mut()) {
                sum.2 = end;
                if sum.0 >= self.k {
                    runs.push(ChildRun { child, start: end, end: end + sum.1, rows: sum.0 });
                    end += sum.1;
                }
            }
            sorted.resize(end as usize, 0);
            for &point in points {
                let sum = &mut sums[(child(point) - children.start) as usize];
                if sum.0 >= self.k {
                    sorted[sum.2 as usize] = point;
                    sum.2 += 1;
                }
            }
        } else {
            // Too few points for an array of all children: they are sorted instead.
            pairs.clear();
            pairs.extend(points.iter().map(|&point| pair(child(point), point)));
            pairs.sort_unstable();
            for alike in pairs.chunk_by(|a, b| a >> 32 == b >> 32) {
                let rows = alike.iter().map(|&pair| self.points.rows(unpair(pair).1)).sum();
                if rows >= self.k {
                    let start = to_u32(sorted.len());
                    sorted.extend(alike.iter().map(|&pair| unpair(pair).1));
                    runs.push(ChildRun { child: unpair(alike[0]).0, start, end: to_u32(sorted.len()), rows });
                }
            }
        }
    }

    /// Narrows the cells to those of the points below a child; whether nothing changes before the place of the step.
    fn close(&self, cells: &mut [u32], at: usize, child: u32, points: &[u32]) -> bool {
        let before = &self.order[..at];
        if before.iter().any(|&quasi| self.narrowed(quasi, cells[quasi], points) != cells[quasi]) {
            return false;
        }
        cells[self.order[at]] = child;
        for &quasi in &self.order[at..] {
            cells[quasi] = self.narrowed(quasi, cells[quasi], points);
        }
        true
    }

    /// The smallest cell below a cell that holds all points. Most often the first few points tell.
    #[inline]
    fn narrowed(&self, quasi: usize, mut cell: u32, points: &[u32]) -> u32 {
        let (tree, leaves) = (&self.trees[quasi], self.points.leaves(quasi));
        while !tree.children(cell).is_empty() {
            let below = tree.below(cell);
            let mut children = points.iter().map(|&point| below[leaves[point as usize] as usize]);
            let Some(first) = children.next() else { break };
            if children.any(|child| child != first) {
                break;
            }
            cell = first;
        }
        cell
    }
}
