//! The distinct tuples of quasi-identifiers, each with its rows.
//!
//! Tuples of a table that differ only in sensitive values or in the person are one *point*: to a generalized record
//! they are the same. Points are sorted by their leaves, so that neighbours are alike and a list of point numbers is
//! short when it is written as differences.

use std::ops::Range;

use crate::Problem;
use crate::solver::numbers::to_u32;

/// Points with their leaves, their rows and the members that they stand for.
pub(crate) struct DistinctPoints {
    /// Quasi-identifier by quasi-identifier the leaf of each point.
    leaves: Vec<Vec<u32>>,
    rows: Vec<u64>,
    /// Where the members of each point begin, and where the last end.
    starts: Vec<u32>,
    /// Places in the list of members that the points were made of.
    members: Vec<u32>,
}

impl DistinctPoints {
    /// The points of some rows. They are sorted by the quasi-identifiers in the given order.
    pub(super) fn new(problem: &Problem<'_>, rows: &[(usize, u64)], order: &[usize]) -> Self {
        let width = order.len();
        let keys: Vec<u32> =
            rows.iter().flat_map(|&(tuple, _)| order.iter().map(move |&at| problem.leaf(tuple, at))).collect();
        let key = |member: u32| &keys[member as usize * width..][..width];
        let mut members: Vec<u32> = (0..to_u32(rows.len())).collect();
        members.sort_unstable_by(|&a, &b| key(a).cmp(key(b)).then(a.cmp(&b)));
        let mut points =
            DistinctPoints { leaves: vec![Vec::new(); width], rows: vec![], starts: vec![0], members: vec![] };
        for alike in members.chunk_by(|&a, &b| key(a) == key(b)) {
            order.iter().zip(key(alike[0])).for_each(|(&at, &leaf)| points.leaves[at].push(leaf));
            points.rows.push(alike.iter().map(|&member| rows[member as usize].1).sum());
            let end = points.starts[points.starts.len() - 1] + to_u32(alike.len());
            points.starts.push(end);
        }
        points.members = members;
        points
    }

    /// How many points there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The numbers of all points.
    pub(crate) fn numbers(&self) -> Range<u32> {
        0..to_u32(self.rows.len())
    }

    /// The rows of a point.
    #[inline]
    pub(crate) fn rows(&self, point: u32) -> u64 {
        self.rows[point as usize]
    }

    /// The rows of all points.
    pub(crate) fn all_rows(&self) -> u64 {
        self.rows.iter().sum()
    }

    /// The leaf of each point for a quasi-identifier.
    #[inline]
    pub(crate) fn leaves(&self, quasi: usize) -> &[u32] {
        &self.leaves[quasi]
    }

    /// The members of a point: places in the list of rows that the points were made of.
    pub(crate) fn members(&self, point: u32) -> &[u32] {
        let point = point as usize;
        &self.members[self.starts[point] as usize..self.starts[point + 1] as usize]
    }
}
