//! Ways to part a pool into classes, and the best of those that were tried.

use super::classes::{PointClass, RefineContext};
use super::pool::{PointPool, PoolRecords, each_bit};
use crate::solver::PointRows;

/// One way to part a pool.
pub(super) struct PoolDraft {
    loss: f64,
    pub(super) classes: Vec<PointClass>,
    /// Rows that go to places outside the pool.
    pub(super) moved: Vec<(PointRows, usize)>,
}

/// A pool that is parted.
pub(super) struct PoolParting<'p, 'a, 't> {
    context: &'p RefineContext<'a, 't>,
    pool: &'p PointPool,
    records: &'p PoolRecords,
    /// For each entry of the pool a class outside that holds it, and its price.
    outside: &'p [Option<(f64, usize)>],
    /// What the best draft loses, or what a draft has to beat.
    least: f64,
    best: Option<PoolDraft>,
    work: u64,
}

/// The entries of a pool that are not yet in a class, and the classes.
struct UnpartedPool {
    free: Vec<u64>,
    rows: u64,
    classes: Vec<PointClass>,
}

impl<'p, 'a, 't> PoolParting<'p, 'a, 't> {
    /// Nothing is tried yet; a draft counts when it loses less than `least`.
    pub(super) fn new(
        context: &'p RefineContext<'a, 't>,
        pool: &'p PointPool,
        records: &'p PoolRecords,
        outside: &'p [Option<(f64, usize)>],
        least: f64,
    ) -> Self {
        PoolParting { context, pool, records, outside, least, best: None, work: 0 }
    }

    /// How much work it was so far.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// The best draft, if any counts.
    pub(super) fn best(self) -> Option<PoolDraft> {
        self.best
    }

    /// Parts the pool: first a class of certain entries, then what is left of standing classes, then records in order.
    pub(super) fn part(&mut self, first: Option<&[u64]>, standing: &[Vec<u64>], order: &[u32]) {
        let mut open =
            UnpartedPool { free: self.pool.all(), rows: self.pool.rows(&self.pool.all()), classes: Vec::new() };
        let mut judged = 0;
        if first.is_some_and(|first| !self.close(first, &mut open, &mut judged)) {
            self.work += judged;
            return;
        }
        let mut inside = vec![0u64; self.pool.words];
        let mut free_of = |points: &[u64], open: &mut UnpartedPool| {
            inside.iter_mut().zip(points).zip(&open.free).for_each(|((inside, a), b)| *inside = a & b);
            self.close(&inside, open, &mut judged);
        };
        standing.iter().for_each(|points| free_of(points, &mut open));
        let mut looked_at = standing.len() + 1;
        for &record in order {
            if open.rows < self.context.judge.least() {
                break;
            }
            looked_at += 1;
            free_of(self.records.points(record as usize, self.pool.words), &mut open);
        }
        self.work += (looked_at * self.pool.words + self.pool.members.len()) as u64 + judged;
        if let Some(draft) = self.finish(open).filter(|draft| draft.loss < self.least) {
            self.least = draft.loss;
            self.best = Some(draft);
        }
    }

    /// Makes a class of some free entries if they keep the policy. Counts the entries that a policy had to look at.
    fn close(&self, inside: &[u64], open: &mut UnpartedPool, judged: &mut u64) -> bool {
        let rows = self.pool.rows(inside);
        if rows == 0 || rows < self.context.judge.least() {
            return false;
        }
        let mut members: Vec<PointRows> = Vec::new();
        each_bit(inside, |entry| {
            let (point, rows) = self.pool.members[entry];
            match members.last_mut() {
                Some(last) if last.0 == point => last.1 += rows,
                _ => members.push((point, rows)),
            }
        });
        if !self.context.judge.only_counts_rows() {
            *judged += members.len() as u64;
        }
        if !self.context.judge.holds(&self.context.points, members.iter().copied(), rows) {
            return false;
        }
        open.classes.push(PointClass::new(self.context, members));
        open.free.iter_mut().zip(inside).for_each(|(free, gone)| *free &= !gone);
        open.rows -= rows;
        true
    }

    /// Finds a class for every entry that is still free.
    fn finish(&self, UnpartedPool { free, mut classes, .. }: UnpartedPool) -> Option<PoolDraft> {
        let (mut loss, mut moved) = (0.0, Vec::new());
        let mut grown = vec![false; classes.len()];
        let mut left = Vec::new();
        each_bit(&free, |entry| left.push(entry));
        for entry in left {
            let (point, rows) = self.pool.members[entry];
            let growth = |class: &PointClass| class.loss_with(self.context, point, rows, f64::INFINITY) - class.loss();
            let inside = classes.iter().map(growth).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            match (inside, self.outside[entry]) {
                (inside, Some((price, to))) if inside.is_none_or(|inside| price * rows as f64 <= inside.1) => {
                    moved.push(((point, rows), to));
                    loss += price * rows as f64;
                }
                (Some((at, _)), _) => {
                    classes[at] = classes[at].with(self.context, (point, rows));
                    grown[at] = true;
                }
                (None, _) => return None,
            }
        }
        let hold = classes.iter().zip(grown).all(|(class, grown)| !grown || self.context.holds(class));
        loss += classes.iter().map(PointClass::loss).sum::<f64>();
        hold.then_some(PoolDraft { loss, classes, moved })
    }
}
