//! What is put into classes: points, each some rows that nobody needs to tell apart.
//!
//! When a policy only counts rows, tuples that agree on the quasi-identifiers are one point, however they differ in what
//! is sensitive. Otherwise every tuple is a point of its own.

use std::collections::HashMap;

use ahash::RandomState;

use super::judge::Judge;
use super::space::{Node, Space};
use crate::solver::start::add_up;

/// Rows of one point in one class.
pub(super) type Member = (u32, u64);

/// The points of a partition.
pub(super) struct Points {
    width: usize,
    /// Point by point, its leaf of each quasi-identifier.
    leaves: Vec<Node>,
    /// The tuples of each point.
    tuples: Vec<Vec<usize>>,
}

impl Points {
    /// The points of some classes, and the classes as points.
    pub(super) fn new(
        space: &Space<'_, '_>,
        judge: &Judge<'_, '_>,
        classes: &[Vec<(usize, u64)>],
    ) -> (Self, Vec<Vec<Member>>) {
        let mut used: Vec<usize> = classes.iter().flatten().map(|member| member.0).collect();
        used.sort_unstable();
        used.dedup();
        let mut points = Points { width: space.width(), leaves: Vec::new(), tuples: Vec::new() };
        let mut known: HashMap<Vec<Node>, u32, RandomState> = HashMap::default();
        let mut of: HashMap<usize, u32, RandomState> = HashMap::default();
        for tuple in used {
            let leaves: Vec<Node> = space.leaves_of(tuple).collect();
            let next = points.tuples.len() as u32;
            let point = if judge.only_counts_rows() { *known.entry(leaves.clone()).or_insert(next) } else { next };
            if point == next {
                points.leaves.extend(leaves);
                points.tuples.push(Vec::new());
            }
            points.tuples[point as usize].push(tuple);
            of.insert(tuple, point);
        }
        let class = |class: &Vec<(usize, u64)>| {
            let mut members: Vec<(usize, u64)> =
                class.iter().map(|member| (of[&member.0] as usize, member.1)).collect();
            add_up(&mut members);
            members.into_iter().map(|(point, rows)| (point as u32, rows)).collect()
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
    pub(super) fn leaves(&self, point: u32) -> &[Node] {
        &self.leaves[point as usize * self.width..][..self.width]
    }

    /// A tuple of a point: the only one, unless the policy only counts rows.
    pub(super) fn tuple(&self, point: u32) -> usize {
        self.tuples[point as usize][0]
    }

    /// Classes of points as classes of tuples. `before` says how many rows of each tuple there are to be dealt out.
    pub(super) fn deal(&self, classes: Vec<Vec<Member>>, before: &[Vec<(usize, u64)>]) -> Vec<Vec<(usize, u64)>> {
        let mut rows: HashMap<usize, u64, RandomState> = HashMap::default();
        before.iter().flatten().for_each(|&(tuple, more)| *rows.entry(tuple).or_default() += more);
        let mut left: Vec<Vec<(usize, u64)>> = self
            .tuples
            .iter()
            .map(|tuples| tuples.iter().rev().map(|&tuple| (tuple, rows[&tuple])).collect())
            .collect();
        let mut deal = |(point, mut wanted): Member| {
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
        let mut class = |members: Vec<Member>| {
            let mut tuples: Vec<(usize, u64)> = members.into_iter().flat_map(&mut deal).collect();
            add_up(&mut tuples);
            tuples
        };
        classes.into_iter().map(&mut class).collect()
    }
}
