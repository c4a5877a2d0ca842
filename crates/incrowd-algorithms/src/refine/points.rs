//! What is put into classes: points, each of which stands for rows that need not be distinguished.
//!
//! When a policy only counts rows, tuples that agree on the quasi-identifiers are one point, however they differ in
//! what is sensitive. Otherwise every tuple is a point of its own.

use std::collections::HashMap;

use ahash::RandomState;

use super::judge::ClassJudge;
use super::space::{CellNumber, CellSpace};
use crate::solver::PointRows;
use crate::solver::numbers::to_u32;
use crate::solver::start::add_up;

/// The points of a partition.
pub(super) struct ClassPoints {
    width: usize,
    /// Point by point, its leaf of each quasi-identifier.
    leaves: Vec<CellNumber>,
    /// The tuples of each point.
    tuples: Vec<Vec<usize>>,
}

impl ClassPoints {
    /// The points of some classes, and the classes as points.
    pub(super) fn new(
        space: &CellSpace<'_, '_>,
        judge: &ClassJudge<'_, '_>,
        classes: &[Vec<(usize, u64)>],
    ) -> (Self, Vec<Vec<PointRows>>) {
        let mut used: Vec<usize> = classes.iter().flatten().map(|member| member.0).collect();
        used.sort_unstable();
        used.dedup();
        let mut points = ClassPoints { width: space.width(), leaves: Vec::new(), tuples: Vec::new() };
        let mut known: HashMap<Vec<CellNumber>, u32, RandomState> = HashMap::default();
        let mut of: HashMap<usize, u32, RandomState> = HashMap::default();
        for tuple in used {
            let leaves: Vec<CellNumber> = space.leaves_of(tuple).collect();
            let next = to_u32(points.tuples.len());
            let point = if judge.only_counts_rows() { *known.entry(leaves.clone()).or_insert(next) } else { next };
            if point == next {
                points.leaves.extend(leaves);
                points.tuples.push(Vec::new());
            }
            points.tuples[point as usize].push(tuple);
            of.insert(tuple, point);
        }
        let class = |class: &Vec<(usize, u64)>| {
            let mut members: Vec<PointRows> = class.iter().map(|member| (of[&member.0], member.1)).collect();
            add_up(&mut members);
            members
        };
        let classes = classes.iter().map(class).collect();
        (points, classes)
    }

    /// How many points there are.
    pub(super) fn len(&self) -> usize {
        self.tuples.len()
    }

    /// The leaves of a point.
    #[inline]
    pub(super) fn leaves(&self, point: u32) -> &[CellNumber] {
        &self.leaves[point as usize * self.width..][..self.width]
    }

    /// A tuple of a point: the only one, unless the policy only counts rows.
    pub(super) fn tuple(&self, point: u32) -> usize {
        self.tuples[point as usize][0]
    }

    /// Classes of points as classes of tuples. `before` says how many rows of each tuple there are to be dealt out.
    pub(super) fn deal(&self, classes: Vec<Vec<PointRows>>, before: &[Vec<(usize, u64)>]) -> Vec<Vec<(usize, u64)>> {
        let mut rows: HashMap<usize, u64, RandomState> = HashMap::default();
        before.iter().flatten().for_each(|&(tuple, more)| *rows.entry(tuple).or_default() += more);
        let mut left: Vec<Vec<(usize, u64)>> = self
            .tuples
            .iter()
            .map(|tuples| tuples.iter().rev().map(|&tuple| (tuple, rows[&tuple])).collect())
            .collect();
        let mut deal = |(point, mut wanted): PointRows| {
            let mut dealt = Vec::new();
            while let Some(last) = left[point as usize].last_mut().filter(|_| wanted > 0) {
                let taken = wanted.min(last.1);
                dealt.push((last.0, taken));
                (last.1, wanted) = (last.1 - taken, wanted - taken);
                if last.1 == 0 {
                    left[point as usize].pop();
                }
            }
            dealt
        };
        let mut class = |members: Vec<PointRows>| {
            let mut tuples: Vec<(usize, u64)> = members.into_iter().flat_map(&mut deal).collect();
            add_up(&mut tuples);
            tuples
        };
        classes.into_iter().map(&mut class).collect()
    }
}
